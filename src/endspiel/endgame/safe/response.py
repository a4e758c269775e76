"""A safe response: the most against a model of the opponent that no hand of it can punish further.

Of a solved last street the player's strategy sigma leaves each of the opponent's hands h a best
value V_sigma(h). Against a model of how the opponent really comes and plays, pi is sought with

    maximize u(pi, model)   where   V_pi(h) <= V_sigma(h) + allowance(h)   for every hand h,

the restricted Nash response of Johanson, Zinkevich and Bowling (2007) with a limit for each hand in
place of one chance that the model is wrong. The opponent of the solve is two: one comes with the
model's hands and plays as the model says; the other enters with any hand for V_pi(h) less its limit
(the gadget of Re-solve), and plays as it likes. The player does not see whom it meets, so it meets
their joint plan.

An iterative solve leaves some hands a little over their limit. So what is played is a mixture of
plans, a share l of pi and the rest sigma. (Or of the best response to the model, where that wins
more: with little to risk the solve may not have found its way in time.) Best values are convex in
the player's plan,

    V_mix(h) <= (1 - l) V_sigma(h) + l V_pi(h),

and the largest l is taken that keeps every hand to its limit by that, whatever the solve's gap.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from endspiel.betting.streets import Street
from endspiel.cards.deck import NUM_HANDS
from endspiel.cards.live import live_hands
from endspiel.cards.removal import unblocked_weight
from endspiel.endgame.safe.live import LOOK, SCHEME, LiveEndgame
from endspiel.endgame.safe.reach import Alternatives
from endspiel.endgame.safe.techniques import Entries, resolve_terms
from endspiel.engine.backend import average_value
from endspiel.engine.gadget import GadgetSolve, Terms
from endspiel.engine.limits import Limits
from endspiel.engine.run import run
from endspiel.errors import GameError
from endspiel.kernels.arrays import Discounts, Float64s
from endspiel.kernels.board import BEST
from endspiel.kernels.regrets import shares
from endspiel.ranges.line import FAINTEST
from endspiel.solvers.boards.backend import BoardBackend
from endspiel.solvers.boards.plans import behavior_of, plan_of
from endspiel.solvers.boards.strategy import BoardStrategy

BOARD: Final = 0, 0  # the only board of a last street: street and number
# How often the opponent that plays as it likes may come with a hand, where the model's comes once.
# Limits are kept where that is more than what a chip of allowance is worth against the model.
PUNISHMENT: Final = 2.0


@dataclass(frozen=True, eq=False)
class Model:
    """How the opponent is believed to come to a last street, and to play it."""

    weights: Float64s  # [1326]
    behavior: Float64s  # [S - 1, K] probability of each action, as `BoardStore.behavior` has them


@dataclass(frozen=True, eq=False)
class SafeResponse:
    """What is played in place of a solution."""

    behavior: Float64s  # [S - 1, K] of the player
    share: float  # of the response in it; the rest is the solution
    expected: float  # chips more against the model than the solution gets
    rise: Float64s  # [1326] chips that each of the opponent's hands can get more than before


def behavior_or(street: Street, player: int, plan: Float64s, otherwise: Float64s) -> Float64s:
    """A plan's behavior [S - 1, K]; where a hand never comes, another's."""
    behavior = otherwise.copy()
    for own in street.own(player):
        span = plan[own.span]
        behavior[own.rows] = np.where(span.sum(axis=0) > 0, shares(span), otherwise[own.rows])
    return behavior


class ResponseSolve(GadgetSolve[BoardBackend]):
    """A running solve of a response on a last street."""

    def __init__(self, backend: BoardBackend, player: int, terms: Terms, fixed: Float64s) -> None:
        self.fixed = fixed  # [S, K] the model's plan
        self.street = backend.game.streets[0]
        super().__init__(backend, SCHEME, player, terms)

    def _improve(self, by: Discounts) -> None:
        """The player's half, against the joint plan of the model and of the opponent's choice."""
        store, opponent, reach = self.backend.store, self.opponent, self.root.reach()
        rows = store.board_rows(store.regret, *BOARD, opponent)
        regrets = rows.copy()
        stored = store.read(store.regret, *BOARD, opponent).astype(np.float64)
        current = behavior_of(self.street, opponent, stored)
        joint = plan_of(self.street, opponent, reach[None], current) + self.fixed
        store.write(store.regret, (*BOARD, opponent), joint[1:])  # regret matching plays a plan
        self._enter(joint[0])
        self.backend.learn(self.player, by)
        self._enter(reach)
        rows[:] = regrets

    def excess(self) -> float:
        """By how much the worst entry is over what it costs, by weight."""
        return max(-float(self.margin()), 0.0)


def respond(
    endgame: LiveEndgame, player: int, model: Model, allowance: Float64s, limits: Limits
) -> SafeResponse:
    """The safe response of a player to a model, hands of the opponent allowed so much [1326] more.

    The endgame is a last street that was solved for the player; its solution stays as it is.
    Allowances are in chips, as are all values.
    """
    if len(endgame.game.streets) > 1:
        raise GameError("safe responses are found on the last street")
    meeting = _Meeting(endgame, player, model)
    solve = ResponseSolve(
        BoardBackend(endgame.game), player, meeting.terms(allowance), meeting.fixed()
    )
    run(solve, solve.excess, limits, every=2 * LOOK)
    candidates = solve.backend.store.behavior(*BOARD, player), meeting.best_response()
    return max((meeting.kept(found, allowance) for found in candidates), key=_expected)


def _expected(response: SafeResponse) -> float:
    return response.expected


class _Meeting:
    """A solved last street, for one player against a model of the other."""

    def __init__(self, endgame: LiveEndgame, player: int, model: Model) -> None:
        self.endgame, self.player, self.opponent, self.model = endgame, player, 1 - player, model
        self.street, self.pot = endgame.game.streets[0], endgame.pot
        self.hands = endgame.game.tree.streets[0][0].hands
        self.solution = endgame.solver.store.behavior(*BOARD, player)
        own = endgame.ranges[player] * live_hands(endgame.board)
        self.own = own
        self.mass = unblocked_weight(own)[self.hands[self.opponent]] / endgame.game.pairs  # [K]
        self.possible = self.mass > FAINTEST * self.mass.max()
        self.before = self._best_values(self.solution)  # [K]

    def _play(self, behavior: Float64s) -> BoardStrategy:
        """The player with a behavior, against the opponent of the model."""
        behaviors = (behavior, self.model.behavior)

        def rows(street: int, b: int, player: int) -> Float64s:
            return behaviors[player != self.player]

        return BoardStrategy.made(self.endgame.game, rows)

    def _best_values(self, behavior: Float64s) -> Float64s:
        """What the opponent's hands [K] can get against a behavior, in chips; 0 if impossible."""
        values = self._play(behavior).best(self.opponent)
        zero = np.zeros(len(values))
        return self.pot * np.divide(values, self.mass, out=zero, where=self.possible)

    def terms(self, allowance: Float64s) -> Terms:
        """What each hand of the opponent pays for coming with it."""
        limit = self.before + allowance[self.hands[self.opponent]]
        weight = np.where(self.possible, self.mass, 1.0)
        asked = Alternatives.plain(weight * limit / self.pot)
        return resolve_terms(Entries(asked, weight, self.possible, count=PUNISHMENT / weight))

    def fixed(self) -> Float64s:
        """The model's plan [S, K], which comes once in all."""
        weights = np.where(self.possible, self.model.weights[self.hands[self.opponent]], 0.0)
        total = float(weights @ self.mass)
        if total <= 0:
            raise GameError("the model comes with no hand that the player can meet")
        return plan_of(self.street, self.opponent, weights[None] / total, self.model.behavior)

    def best_response(self) -> Float64s:
        """The behavior [S - 1, K] of the player that gets most from the model."""
        walks = self._play(self.solution).walks
        walks.set_root(self.opponent, self.fixed()[0])
        values = walks.action_values(*BOARD, self.player, BEST)
        behavior = np.zeros_like(self.solution)
        for own in self.street.own(self.player):
            best = values[own.span].argmax(axis=0)
            behavior[own.rows.start + best, np.arange(len(best))] = 1.0
        return behavior

    def kept(self, found: Float64s, allowance: Float64s) -> SafeResponse:
        """As much of a behavior as no hand can punish further than allowed."""
        share = self.largest_share(found, allowance)
        behavior = self.mixed(found, share)
        expected = self.against_model(behavior) - self.against_model(self.solution)
        return SafeResponse(behavior, share, expected, self.rise(behavior))

    def mixed(self, found: Float64s, share: float) -> Float64s:
        """The behavior of a mixture of plans: a share of what was found, else the solution."""
        if share == 0:
            return self.solution
        ones = np.ones((1, found.shape[1]))
        one, two = (
            plan_of(self.street, self.player, ones, rows) for rows in (self.solution, found)
        )
        return behavior_or(self.street, self.player, (1 - share) * one + share * two, found)

    def largest_share(self, found: Float64s, allowance: Float64s) -> float:
        """The largest share of what was found with which no hand passes its limit."""
        rise = self._best_values(found) - self.before
        over = rise > 0
        if not over.any():
            return 1.0
        allowed = allowance[self.hands[self.opponent]][over]
        return float(np.clip(allowed / rise[over], 0.0, 1.0).min())

    def rise(self, behavior: Float64s) -> Float64s:
        """Chips [1326] that each hand of the opponent can get more than against the solution."""
        found = np.zeros(NUM_HANDS)
        found[self.hands[self.opponent]] = self._best_values(behavior) - self.before
        return found

    def against_model(self, behavior: Float64s) -> float:
        """Chips that the player gets with a behavior if the opponent is as the model says."""
        walks = self._play(behavior).walks
        walks.set_root(self.opponent, self.fixed()[0])
        return self.pot * average_value(walks, self.player)

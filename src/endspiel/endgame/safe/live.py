"""An endgame of the hand being played, solved on all hands with its real pot and stacks.

Everything is by hand number [1326] and in chips, so that endgames with different pots, a
blueprint's among them, can be compared. A hand's value is what its owner wins or loses over the
whole hand, given that the endgame is reached with it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from endspiel.betting.from_state import state_tree
from endspiel.betting.menu import Sizing
from endspiel.betting.rake import NO_RAKE, Rake
from endspiel.betting.tree import BettingTree
from endspiel.cards.deck import NUM_HANDS
from endspiel.cards.live import live_hands
from endspiel.cards.removal import unblocked_weight
from endspiel.endgame.safe.reach import Alternatives
from endspiel.endgame.safe.techniques import Entries, Technique
from endspiel.engine.gadget import GadgetSolve
from endspiel.engine.limits import Limits
from endspiel.engine.run import run
from endspiel.engine.schemes import SPOT_SCHEMES
from endspiel.errors import GameError, RangeError
from endspiel.games.card_game import CardGame
from endspiel.games.card_tree import card_tree
from endspiel.kernels.arrays import Float64s
from endspiel.kernels.board import BEST
from endspiel.ranges.line import FAINTEST, reach_along, tree_line
from endspiel.rules.state import State
from endspiel.solvers.boards.backend import BoardBackend
from endspiel.solvers.boards.cfr import BoardCFR

SCHEME = SPOT_SCHEMES["dcfr"]
LOOK = 25  # iterations between two looks at the exploitability
# Of an endgame at the table: exploitability, or the gadget's gap, as a share of the pot.
TABLE_LIMITS = Limits(target_units=0.003, iterations=1000)


@dataclass(frozen=True, eq=False)
class Offer:
    """What the opponent of a safe solve may have instead of coming in, by hand [1326].

    Its range is its choice: that is what the theorems of safe solving are about, and with a trust
    of 0 they hold. But its choice leaves many strategies equally safe. With some trust what it is
    believed to hold decides among them, as it must come in with that so often; a limit may then be
    passed where that pays. With a trust of 0.1 Re-solve gives some hand 0.30, 0.14 and 0.49% of the
    pot more than its limit on three rivers (0.02 to 0.07% without, which is the solver's gap), and
    Maxmargin no more than its gap: `endspiel bench trust`.
    """

    alternatives: Float64s  # [1326] what it gets elsewhere, in chips
    gifts: Float64s  # [1326] what it gave away on its way here, in chips; for Reach-Maxmargin
    belief: Float64s  # [1326] the range it should have
    trust: float = 0.0  # chance that it comes with the belief, beside 1 for its choice


@dataclass(frozen=True, eq=False)
class LiveEndgame:
    """An endgame from a state on; its averages are a strategy once it has been solved."""

    state: State
    board: tuple[int, ...]
    ranges: tuple[Float64s, Float64s]  # [1326] how often each player comes here with each hand
    sizing: Sizing | None  # None in a limit game, whose rules say what may be bet
    threads: int = 1
    made: tuple[tuple[State, int], ...] = ()  # bets since: in the tree whatever the menu
    diagnostics: dict[str, float] = field(default_factory=dict)  # a safe solve's margin and gap
    rake: Rake = NO_RAKE  # what the house takes; safe solves are of zero-sum games
    symmetry: bool = False  # whether boards are folded by suits that ranges do not tell apart
    _gadgets: dict[tuple[int, str, Offer], GadgetSolve[BoardBackend]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for player, weights in enumerate(self.ranges):
            if not (weights * live_hands(self.board)).any():
                raise RangeError(f"player {player} comes to this endgame with no hand at all")

    @cached_property
    def tree(self) -> BettingTree:
        tree = state_tree(self.state, self.sizing, self.made)
        return replace(tree, rake=self.rake) if self.rake else tree

    @cached_property
    def game(self) -> CardGame:
        cards = card_tree(self.board, self.ranges, symmetry=self.symmetry)
        return CardGame(self.tree, cards, unit=float(self.state.pot))

    @cached_property
    def solver(self) -> BoardCFR:
        return BoardCFR(self.game, SCHEME, self.threads)

    @property
    def pot(self) -> float:
        """Chips in the middle where the endgame begins: the unit of its exploitability."""
        return self.game.unit

    def solve(self, limits: Limits) -> float:
        """Solve it as the ranges say both players come; its exploitability as a share of the pot.

        Stops at the limits; always makes one iteration. Called again, it goes on from there.
        """
        trace, _ = run(self.solver, self.solver.exploitability, limits, every=LOOK)
        return trace[-1].exploitability

    def solve_safely(
        self, player: int, technique: Technique, offer: Offer, limits: Limits
    ) -> float:
        """Solve it for a player by a safe technique's gadget; the gap, as a share of the pot.

        Called again with the same offer, it goes on from there.
        """
        self.tree.check_zero_sum(technique.name)
        entered = player, technique.name, offer
        if entered not in self._gadgets:
            self._gadgets[entered] = self._gadget(player, technique, offer)
        gadget = self._gadgets[entered]
        trace, _ = run(gadget, lambda: float(gadget.gap()), limits, every=2 * LOOK)
        gap = trace[-1].exploitability
        self.diagnostics.update(margin=float(gadget.margin()) * self.pot, gap=gap * self.pot)
        return gap

    def _gadget(self, player: int, technique: Technique, offer: Offer) -> GadgetSolve[BoardBackend]:
        """The gadget whose entries are the opponent's hands [K]; values are shares of the pot."""
        hands = self.game.tree.streets[0][0].hands[1 - player]
        own = self.ranges[player] * live_hands(self.board)
        mass = unblocked_weight(own)[hands] / self.game.pairs
        possible = mass > FAINTEST * mass.max()  # some hand of the player allows it
        weight = np.where(possible, mass, 1.0)
        asked = Alternatives.plain(weight * offer.alternatives[hands] / self.pot)
        if technique.uses_gifts:
            given = np.maximum(offer.gifts[hands], 0.0)
            asked = Alternatives.with_gifts(asked.base, weight * given / self.pot)
        terms = technique.terms(Entries(asked, weight, possible))
        believed = np.where(possible, offer.belief[hands], 0.0)
        total = float(believed @ weight)
        believed = offer.trust * believed / total if total > 0 else 0.0 * believed
        return GadgetSolve(self.solver.backend, SCHEME, player, terms, believed)

    def strategy(self, node: int) -> Float64s:
        """Probability [A, 1326] of each action at a node of the first street."""
        street, player = self.game.streets[0], int(self.tree.player[node])
        if node not in street.decisions[player]:
            raise GameError(f"no decision after {self.tree.line(node)!r} on this street")
        own = street.decision_at(player, node)
        found = np.full((own.actions, NUM_HANDS), 1.0 / own.actions)
        found[:, self.game.tree.streets[0][0].hands[player]] = self._behavior(player)[own.rows]
        return found * live_hands(self.board)

    def _behavior(self, player: int) -> Float64s:
        return self.solver.store.behavior(0, 0, player)

    def reach(self, node: int, player: int) -> Float64s:
        """How often a player gets to a node with each hand [1326]."""
        return reach_along(self.ranges[player], tree_line(self.tree, node, self.strategy), player)

    def action_values(self, node: int) -> Float64s:
        """What each hand gets by each action at a node, then by best play: [A, 1326], in chips.

        Against the other player's strategy; 0 where the other cannot be there.
        """
        player = int(self.tree.player[node])
        own = self.game.streets[0].decision_at(player, node)
        values = self.solver.backend.action_values(0, 0, player, BEST)[own.span]
        others = self.reach(node, 1 - player)
        return np.stack([self._conditional(row, player, others) for row in values])

    def best_values(self, node: int) -> Float64s:
        """What each hand [1326] of the player to act at a node can get there, in chips."""
        found: Float64s = self.action_values(node).max(axis=0)
        return found

    def root_values(self, player: int) -> Float64s:
        """What each hand [1326] of a player gets by best play from the start, in chips."""
        values = self.solver.backend.best_values(player)
        return self._conditional(values, player, self.ranges[1 - player])

    def weighed_values(self, player: int, reach: Float64s) -> Float64s:
        """What each hand [1326] of a player can get where the other comes with reaches [1326].

        By best play against the other's strategy, weighed by the reaches: in chips.
        """
        found, most = np.zeros(NUM_HANDS), float(reach.max())
        if most > 0:
            with self._met_by(1 - player, reach / most) as backend:
                hands = self.game.tree.streets[0][0].hands[player]
                found[hands] = backend.best_values(player) * (most * self.game.pairs * self.pot)
        return found

    def turn_values(self, player: int, reach: Float64s) -> Float64s:
        """Values after every next card and line to it, with that card dealt: [B, L, 1326]."""
        boards, lines = self.game.tree.streets[1], len(self.game.streets[1].starts)
        found, most = np.zeros((len(boards), lines, NUM_HANDS)), float(reach.max())
        if most > 0:
            scale = most * self.game.pairs * self.pot / self.game.tree.chance[1]
            with self._met_by(1 - player, reach / most) as backend:
                for b, board in enumerate(boards):
                    values = backend.action_values(1, b, player, BEST)[:lines]
                    found[b][:, board.hands[player]] = values * scale
        return found

    @contextmanager
    def _met_by(self, other: int, reach: Float64s) -> Iterator[BoardBackend]:
        """Meanwhile a player comes in with other reaches [1326]."""
        backend = self.solver.backend
        before = backend.root(other)
        backend.set_root(other, reach[self.game.tree.streets[0][0].hands[other]])
        try:
            yield backend
        finally:
            backend.set_root(other, before)

    def entry_values(self, node: int, card: int, player: int) -> Float64s:
        """What each hand [1326] of a player can get by best play after a card, in chips.

        The node is where this street's betting ends.
        """
        start = int(self.tree.first_child[node])
        line = self.game.streets[1].starts.index(start)
        boards = [board.cards[-1] for board in self.game.tree.streets[1]]
        if card not in boards:
            raise GameError("endgames folded by suit symmetry have no values by card")
        b = boards.index(card)
        values = self.solver.backend.action_values(1, b, player, BEST)[line]
        return self._conditional(values, player, self.reach(node, 1 - player), (1, b))

    def _conditional(
        self, values: Float64s, player: int, others: Float64s, at: tuple[int, int] = (0, 0)
    ) -> Float64s:
        """Counterfactual values [K] as chips a hand [1326], given the other's reach [1326].

        On a board, by its street and number.
        """
        (street, number), game = at, self.game
        board = game.tree.streets[street][number]
        hands, met = board.hands[player], unblocked_weight(others * live_hands(board.cards))
        mass = met[hands] * game.tree.chance[street] / game.pairs
        found = np.zeros(NUM_HANDS)
        found[hands] = np.divide(values, mass, out=np.zeros(len(hands)), where=mass > 0) * self.pot
        return found

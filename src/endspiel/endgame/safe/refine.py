"""Endgames of a `Game` solved by every technique of the 2017 paper, and put back.

Unsafe solves the endgame as the base strategies reach it. The safe techniques solve a gadget
game; they differ in the alternatives offered to the opponent and in which entries are free.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from endspiel.endgame.safe.alternatives import plain, with_reach
from endspiel.endgame.safe.gadgets import gadget, player_behavior
from endspiel.endgame.safe.problem import NEVER, Problem
from endspiel.endgame.safe.reach import Alternatives
from endspiel.endgame.safe.subgame import Endgame, move_names
from endspiel.endgame.safe.techniques import SMALL_GIFT, Entries, Technique, named
from endspiel.engine.gadget import Terms
from endspiel.engine.limits import Limits
from endspiel.errors import GameError
from endspiel.game import Game, Profile
from endspiel.kernels.arrays import Bools, Floats
from endspiel.solvers.solution import Solution
from endspiel.solvers.solve import solve

UNREACHED = 1e-9  # an entry of less weight has no margin: nothing is at stake there
FIRST_PENALTY = 10.0  # where no bound on the exact one is known
ESCALATIONS = 6  # tenfold each


@dataclass(frozen=True)
class Construction:
    """A game to solve in place of an endgame, and on what terms it was made."""

    problem: Problem
    game: Game
    alternatives: Alternatives
    terms: Terms | None  # none for Unsafe

    def harsher(self) -> "Construction":
        """A copy with tenfold penalties."""
        if self.terms is None:
            return self
        return _construct(
            self.problem,
            self.alternatives,
            replace(self.terms, penalty=10 * self.terms.penalty),
        )


@dataclass(frozen=True)
class Refinement:
    """A solved endgame put back into the base strategy, and how it compares at each entry.

    Examples:
        >>> import endspiel as es
        >>> game = es.games.coin_toss()
        >>> endgame = es.Endgame.where(game, lambda player, infoset: player == 1)
        >>> problem = es.Problem(endgame, 1, es.Profile.uniform(game))
        >>> found = es.refine(problem, "maxmargin")
        >>> round(found.min_margin, 4), found.passed
        (0.3333, ())
    """

    profile: Profile  # of the full game
    entries: tuple[str, ...]  # [Q] the opponent's infosets and actions that lead into the endgame
    weights: Floats  # [Q] others' part in entering there
    values: Floats  # [Q] what the opponent can now get in the endgame
    alternatives: Alternatives
    solution: Solution

    @property
    def margins(self) -> Floats:
        """How much less than its target each entry now gives the opponent [Q]."""
        margins: Floats = self.alternatives.target - self.values
        return margins

    @property
    def excess(self) -> Floats:
        """How much more than its limit each entry still gives the opponent [Q]; 0 where kept."""
        over: Floats = np.maximum(self.values - self.alternatives.limit, 0.0)
        return over

    @property
    def passed(self) -> tuple[str, ...]:
        """The entries whose limits are passed by more than rounding: none, and it is safe.

        An iterative method passes limits by what its gap (`solution`) explains; an exact one only
        if no penalty that was tried is large enough. `unsafe` knows no limits and may pass any.
        """
        over = self.excess > self.alternatives.rounding
        return tuple(name for name, much in zip(self.entries, over, strict=True) if much)

    @property
    def shares(self) -> Floats:
        """Margins per chance of entering the endgame [Q] (`Problem.weights`); infinite where never.

        That is the factor of Theorem 1. The appendix's gadget divides Reach-Maxmargin's by the
        chance of the path's first infoset instead; `endgame.safe.problem` says why these are not.
        """
        reached = self.weights > UNREACHED
        return np.where(reached, self.margins / np.where(reached, self.weights, 1.0), np.inf)

    @property
    def min_margin(self) -> float:
        """The smallest of the shares."""
        return float(self.shares.min())

    def by_infoset(self) -> dict[str, float]:
        """The share of each of the opponent's head infosets, with its action."""
        return dict(zip(self.entries, self.shares.tolist(), strict=True))


Refiner = Callable[[Problem], Refinement]  # `refine`, its technique and method settled


def unsafe(problem: Problem) -> Construction:
    """The endgame as both base strategies reach it; no guarantee.

    Of a player who never comes, Bayes' rule says nothing: every entry then counts the same.
    """
    if len(problem.lacking):
        name = move_names(problem.game, problem.opponent, problem.lacking)[0]
        raise GameError(
            f"Unsafe endgame solving needs the probability of {name!r}, which the base strategy "
            "does not have: restart before it"
        )
    part = problem.entered.cut
    one, two = (problem.base.plan(problem.game, i)[part.entries(i)] for i in (0, 1))
    masses = tuple(mass if mass.sum() > NEVER else np.ones_like(mass) for mass in (one, two))
    return Construction(problem, part.ranged((masses[0], masses[1])), plain(problem), None)


def construct(problem: Problem, technique: Technique) -> Construction:
    """The game to solve for a technique."""
    if not technique.is_safe:
        return unsafe(problem)
    if not technique.uses_gifts:
        alternatives = plain(problem)
        entries = Entries(alternatives, _divisors(problem), _reached(problem))
        return _construct(problem, alternatives, technique.terms(entries))
    alternatives, reached, weight = with_reach(problem), _reached(problem), _divisors(problem)
    # The margins that there could be at most:
    most = (alternatives.target - problem.floors(problem.entered)) / weight
    small = SMALL_GIFT * most[reached].max(initial=0.0)
    entries = Entries(alternatives, weight, reached, 1.0, small, alternatives.rounding)
    terms = technique.terms(entries)
    if terms.held.any():
        terms = _with_exact_penalties(terms, alternatives, most)
    return _construct(problem, alternatives, terms)


def refine(
    problem: Problem,
    technique: str = "reach-maxmargin",
    method: str = "lp",
    limits: Limits | None = None,
) -> Refinement:
    """Solve an endgame by a technique and a solver's method, and put it back.

    A penalty that turns out too small to hold a limit is raised and the gadget solved again, up to
    six times. What is over a limit even then is reported: `Refinement.passed` and `excess`.

    Examples:
        >>> import endspiel as es
        >>> game = es.games.coin_toss()
        >>> endgame = es.Endgame.where(game, lambda player, infoset: player == 1)
        >>> problem = es.Problem(endgame, 1, es.Profile.uniform(game))
        >>> before, after = (
        ...     es.best_response(game, 0, profile)[0]
        ...     for profile in (problem.base, es.refine(problem, "reach-maxmargin").profile)
        ... )
        >>> after <= before + 1e-9  # safe: the opponent's best response gains nothing
        True
    """
    construction = construct(problem, named(technique))
    found = _solved(construction, method, limits)
    for _ in range(ESCALATIONS):
        if not _penalty_too_small(construction, found):
            break
        construction = construction.harsher()
        found = _solved(construction, method, limits)
    return found


def refine_all(
    endgames: Sequence[Endgame], player: int, base: Profile, refiner: Refiner = refine
) -> tuple[Profile, list[Refinement]]:
    """Solve endgames independently of each other, all from one base; put them back together.

    Examples:
        >>> import endspiel as es
        >>> game = es.load_game("choose-endgame")
        >>> base = es.Profile.uniform(game)
        >>> endgames = [es.Endgame.after(game, 0, es.moves(game, 0, "G1", [""]).tolist())]
        >>> profile, (refinement,) = es.refine_all(endgames, 1, base)
        >>> es.best_response(game, 0, profile)[0] <= es.best_response(game, 0, base)[0] + 1e-9
        True
    """
    found = []
    for i, endgame in enumerate(endgames):
        others = (*endgames[:i], *endgames[i + 1 :])
        found.append(refiner(Problem(endgame, player, base, others)))
    one, two = (behavior.copy() for behavior in base.behavior)
    for endgame, refinement in zip(endgames, found, strict=True):
        for into, inside, new in zip(
            (one, two), endgame.inside, refinement.profile.behavior, strict=True
        ):
            into[inside] = new[inside]
    return Profile((one, two)), found


def _reached(problem: Problem) -> Bools:
    """The entries [Q] after which the player lets the endgame come about; all, where none is."""
    reached = problem.weights > UNREACHED
    return reached if reached.any() else np.ones_like(reached)


def _divisors(problem: Problem) -> Floats:
    """What margins are divided by [Q]: the entries' weights, but nothing where they vanish."""
    return np.where(problem.weights > UNREACHED, problem.weights, 1.0)


def _with_exact_penalties(terms: Terms, alternatives: Alternatives, most: Floats) -> Terms:
    """Penalties that hold limits by themselves where a bound on them is known.

    At the base strategy all free margins are at least 0 and held entry q has some slack left, so
    the multiplier of q's limit is at most the best margin over the slack.
    """
    slack = (alternatives.limit - alternatives.base) / terms.weight
    best = float(most[terms.free].min())
    known = slack > max(SMALL_GIFT * best, alternatives.rounding)
    factor = np.where(known, best / np.where(known, slack, 1.0), FIRST_PENALTY)
    return replace(terms, penalty=np.maximum(factor, 1.0) / terms.weight)


def _construct(problem: Problem, alternatives: Alternatives, terms: Terms) -> Construction:
    # Differences of values that should vanish would be all that an idle endgame is about.
    noise = NEVER * float(np.abs(problem.game.matrix.data).max(initial=0.0))
    target, limit = (np.where(np.abs(x) < noise, 0.0, x) for x in (terms.target, terms.limit))
    terms = replace(terms, target=target, limit=limit)
    return Construction(
        problem, gadget(problem.entered.game, problem.player, terms), alternatives, terms
    )


def _solved(construction: Construction, method: str, limits: Limits | None) -> Refinement:
    """The construction solved and put back into the base strategy."""
    return _put_back(construction, solve(construction.game, method, limits))


def _put_back(construction: Construction, solution: Solution) -> Refinement:
    problem, entered = construction.problem, construction.problem.entered
    player, opponent = problem.player, problem.opponent
    behavior = list(problem.base.behavior)
    if construction.terms is None:  # Unsafe: both players' strategies are of the endgame itself
        for i, found in enumerate(solution.profile.behavior):
            never = construction.game.plexes[i].mass == 0
            behavior[i] = entered.cut.put_back(i, found, behavior[i], never)
        found = solution.profile.behavior[player]
    else:
        found = player_behavior(solution.profile.behavior[player])
        never = entered.game.plexes[player].mass == 0
        behavior[player] = entered.cut.put_back(player, found, behavior[player], never)
    return Refinement(
        profile=Profile((behavior[0], behavior[1])),
        entries=move_names(problem.game, opponent, problem.entries),
        weights=problem.weights,
        values=entered.values(found),
        alternatives=construction.alternatives,
        solution=solution,
    )


def _penalty_too_small(construction: Construction, found: Refinement) -> bool:
    """Whether an entry is over its limit by more than the solution's own gap explains."""
    terms = construction.terms
    if terms is None or not (terms.free.any() and terms.held.any()):
        return False
    allowed = found.alternatives.rounding + 2 * found.solution.exploitability / terms.penalty
    return bool((found.values > terms.limit + allowed)[terms.held].any())

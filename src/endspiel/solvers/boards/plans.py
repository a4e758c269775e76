"""A street's betting in plain NumPy: behavior, plans and values of one player's sequences.

Arrays have a row for each sequence [S, ...], or for each that is an action [S - L, ...]: the lines
that come in have none. What else a row is of, hands or boards and hands, is the caller's.
"""

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from endspiel.betting.streets import Street
from endspiel.cards.deck import NUM_HANDS
from endspiel.cards.removal import unblocked_weights
from endspiel.engine.backend import alternate
from endspiel.engine.schemes import CURRENT, INFINITE, Scheme
from endspiel.errors import GameError
from endspiel.kernels.arrays import Discounts, Float64s, Floats, Ints
from endspiel.kernels.board import BEST, EXPECTED, UPDATE
from endspiel.kernels.regrets import add_advantages, add_plans, decision_values, shares

BOTH = (0, 1)
F = TypeVar("F", bound=np.floating[Any])


def behavior_of(street: Street, player: int, sums: NDArray[F]) -> NDArray[F]:
    """Probability of each action [S - L, ...] from regrets or an average's sums."""
    found = np.empty_like(sums)
    for own in street.own(player):
        found[own.rows] = shares(sums[own.rows])
    return found


def plan_of(street: Street, player: int, lines: NDArray[F], behavior: NDArray[F]) -> NDArray[F]:
    """A player's reach [S, ...] of its sequences, from that of its lines [L, ...]."""
    plan = np.concatenate([lines, behavior])
    for own in street.own(player):
        plan[own.span] *= plan[own.parent]
    return plan


def add_decisions(street: Street, player: int, values: Floats, choice: Floats | None) -> None:
    """Add what decisions are worth to the sequences before them [S, ...], the last ones first.

    By a behavior [S - L, ...], or where there is none by best play.
    """
    for own in reversed(street.own(player)):
        by = None if choice is None else choice[own.rows]
        values[own.parent] += decision_values(values[own.span], by)


def check_street_scheme(scheme: Scheme) -> None:
    """Refuse schemes that a street's kernels do not know."""
    if scheme.predictive or not scheme.alternating or scheme.solution == CURRENT:
        raise GameError("a street is solved by alternating schemes that average")


class StreetBackend:
    """A backend of one street in 64-bit floats, hand by hand; what follows it is valued elsewhere.

    Regrets and averages are [S - 1, K]; both players may hold the same hands.
    """

    longest_average = INFINITE
    zero_sum = True

    def __init__(self, street: Street, hands: Ints, roots: Iterable[Floats], unit: float) -> None:
        """Players begin with roots [K] of hands [K]; payoffs are divided by a unit."""
        self.street, self.hands, self.unit = street, hands, unit
        self.ranges = [np.asarray(root, dtype=np.float64) for root in roots]
        self.pairs = 1.0  # weight of all pairs of hands, by which values are divided
        sizes = [(size - 1, len(hands)) for size in street.size]
        self.regret: list[Float64s] = [np.zeros(size) for size in sizes]
        self.average: list[Float64s] = [np.zeros(size) for size in sizes]
        self.locked: list[Float64s | None] = [None, None]  # [S - 1, K] behavior
        self._matched: list[Float64s | None] = [None, None]  # behaviors, until regrets change
        self._lines = [[seqs[player] for seqs in street.out] for player in BOTH]

    def line_values(
        self, player: int, mode: int, reaches: list[Float64s], discounts: Discounts | None
    ) -> Floats:
        """What the lines that go on are worth [L, K], by both players' reaches of them."""
        raise NotImplementedError

    def accept(self, scheme: Scheme) -> None:
        check_street_scheme(scheme)

    def root(self, player: int) -> Float64s:
        return self.ranges[player]

    def set_root(self, player: int, reach: Floats) -> None:
        self.ranges[player] = np.asarray(reach, dtype=np.float64)

    def behavior(self, player: int) -> Float64s:
        """Probability [S - 1, K] of each action on the average."""
        return behavior_of(self.street, player, self.average[player])

    def _current(self, player: int) -> Float64s:
        locked, known = self.locked[player], self._matched[player]
        if locked is not None:
            return locked
        if known is None:
            known = behavior_of(self.street, player, self.regret[player])
            self._matched[player] = known
        return known

    def reaches(self, player: int) -> Float64s:
        """The average's reaches [S, K] of the street's sequences."""
        return plan_of(self.street, player, self.ranges[player][None], self.behavior(player))

    def _ends(self, player: int, theirs: Float64s, lines: Floats) -> Float64s:
        """What sequences lead to at once [S, K]: folds, by the other's reaches [S', K], and lines.

        Lines are worth so much [L, K].
        """
        values, folds = np.zeros((self.street.size[player], len(self.hands))), self.street.terminals
        if folds:
            some = None if len(self.hands) == NUM_HANDS else self.hands
            met = unblocked_weights(theirs[[end.seqs[1 - player] for end in folds]], some)
            for end, mass in zip(folds, met, strict=True):
                values[end.seqs[player]] += end.gain(player) / self.unit * mass
        for sequence, value in zip(self._lines[player], lines, strict=True):
            values[sequence] += value
        return values

    def _walk(
        self, player: int, mode: int, by: list[Float64s], discounts: Discounts | None = None
    ) -> tuple[Float64s, Float64s]:
        """What sequences [S, K] are worth where both play by behaviors; the player's reaches."""
        reaches = [plan_of(self.street, each, self.ranges[each][None], by[each]) for each in BOTH]
        coming = [reaches[each][self._lines[each]] for each in BOTH]
        worth = self.line_values(player, mode, coming, discounts)
        values = self._ends(player, reaches[1 - player], worth)
        add_decisions(self.street, player, values, None if mode == BEST else by[player])
        return values, reaches[player]

    def learn(self, player: int, discounts: Discounts) -> Float64s:
        current = [self._current(each) for each in BOTH]
        values, reach = self._walk(player, UPDATE, current, discounts)
        add_plans(self.average[player], reach[1:], discounts)
        for own in self.street.own(player):
            here = values[own.span]
            news = here - decision_values(here, current[player][own.rows])
            add_advantages(self.regret[player][own.rows], news, discounts)
        self._matched[player] = None
        found: Float64s = values[0] / self.pairs
        return found

    def iterate(self, schedule: Sequence[Discounts], alternating: bool = True) -> None:
        alternate(self, schedule)

    def sequence_values(self, player: int, mode: int = BEST) -> Float64s:
        """What each sequence [S, K] is worth against the other's average, by best play or not."""
        return self._walk(player, mode, [self.behavior(each) for each in BOTH])[0] / self.pairs

    def best_values(self, player: int) -> Float64s:
        found: Float64s = self.sequence_values(player)[0]
        return found

    def average_values(self, player: int) -> Float64s:
        found: Float64s = self.sequence_values(player, EXPECTED)[0]
        return found

    def state(self) -> dict[str, Any]:
        return {
            f"{name}{player}": rows[player].copy()
            for name, rows in (("regret", self.regret), ("average", self.average))
            for player in BOTH
        }

    def restore(self, arrays: dict[str, Any]) -> None:
        self._matched = [None, None]
        for player in BOTH:
            self.regret[player] = arrays[f"regret{player}"].copy()
            self.average[player] = arrays[f"average{player}"].copy()

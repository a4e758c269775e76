"""The backend of two streets whose second has many boards, such as all flops of flop hold'em.

What precedes the last street is walked in 64-bit floats and in NumPy; the last street by whatever
solves it. Both players may hold the same hands.
"""

from typing import Any

from endspiel.betting.streets import Street
from endspiel.engine.schemes import LONGEST_AVERAGE
from endspiel.kernels.arrays import Discounts, Float64s, Floats
from endspiel.reproduce.last_street.boards import AVERAGE, REGRET, LastStreet
from endspiel.solvers.boards.plans import BOTH, StreetBackend


class BatchedBackend(StreetBackend):
    """A game with its strategies: those of the first street here, the last street's in `last`."""

    longest_average = LONGEST_AVERAGE

    def __init__(self, first: Street, last: LastStreet, pairs: float, unit: float) -> None:
        """Root values are divided by the weight of all pairs of hands, payoffs by a unit."""
        hands = last.tree.streets[0][0].hands[0]
        super().__init__(first, hands, [last.tree.ranges[each][hands] for each in BOTH], unit)
        self.last, self.pairs = last, pairs

    def line_values(
        self, player: int, mode: int, reaches: list[Float64s], discounts: Discounts | None
    ) -> Floats:
        for each in BOTH:
            self.last.set_range(each, reaches[each])
        if discounts is not None:
            return self.last.learn(player, discounts)
        return self.last.values(player, mode)

    def state(self) -> dict[str, Any]:
        lasting = {
            f"flop_{kind}{player}": self.last.state(kind, player)
            for kind in (REGRET, AVERAGE)
            for player in BOTH
        }
        return super().state() | lasting

    def restore(self, arrays: dict[str, Any]) -> None:
        super().restore(arrays)
        for player in BOTH:
            for kind in (REGRET, AVERAGE):
                self.last.restore(kind, player, arrays[f"flop_{kind}{player}"])

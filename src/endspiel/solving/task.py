"""Exact solves of a user's own river: Algorithm 1 of the 2015 paper behind the front door of spots.

The hands are each a bucket of its own, or in buckets by equity. Whatever the buckets, the result is
measured twice: in them, where the linear program is certified, and on real cards.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from endspiel.cards.streets import RIVER_CARDS
from endspiel.errors import EndspielError
from endspiel.games.spot import Spot
from endspiel.solvers.solve import EXACT
from endspiel.solving import spots
from endspiel.solving.spots import SpotOptions, SpotTask

if TYPE_CHECKING:  # linear programming, which most solves do without
    from endspiel.endgame.river.exact import RiverOptions


@dataclass(frozen=True)
class Bucketing:
    """How the hands of a river are put together; None is what the paper does."""

    buckets: int | None = None  # the paper's T: states times betting sequences of a player
    top: float | None = None  # the paper's alpha: equity from which on hands share the top bucket
    clustering: str | None = None  # one of CLUSTERINGS; by default all-hands where nothing is asked

    @property
    def asked(self) -> bool:
        """Whether anything is."""
        return not (self.buckets is None and self.top is None and self.clustering is None)

    def options(self, method: str) -> "RiverOptions":
        """The solver's options."""
        from endspiel.endgame.river.buckets import ALL_HANDS, CLUSTERINGS, PAPER_ALPHA, PAPER_T
        from endspiel.endgame.river.exact import REFINEMENTS, RiverOptions

        kind = self.clustering or ("equal" if self.asked else ALL_HANDS)
        if kind not in CLUSTERINGS:
            raise EndspielError(f"no clustering {kind!r}: there are {', '.join(CLUSTERINGS)}")
        if kind == ALL_HANDS and not (self.buckets is None and self.top is None):
            raise EndspielError("hands by themselves: there are no buckets, so leave T and top out")
        return RiverOptions(
            budget=None if kind == ALL_HANDS else PAPER_T if self.buckets is None else self.buckets,
            alpha=PAPER_ALPHA if self.top is None else self.top,
            clustering=kind,
            refine=method if method in REFINEMENTS else "",
        )


def prepare(
    spot: Spot,
    method: str | None = None,
    options: SpotOptions | None = None,
    bucketing: Bucketing | None = None,
) -> SpotTask:
    """A spot ready to be solved by any method: rivers by lp, and in buckets, the exact way here."""
    bucketing, options = bucketing or Bucketing(), options or SpotOptions()
    river = len(spot.board) == RIVER_CARDS
    if bucketing.asked and method not in EXACT:
        other = method or spots.default_method(spot, options.tree_limit)
        raise EndspielError(
            f"buckets are of the exact methods, {', '.join(EXACT)}: {other} solves all hands"
        )
    if bucketing.asked and not river:
        raise EndspielError(
            f"buckets by equity are of rivers: this board has {len(spot.board)} cards, not five"
        )
    if not river or method is None or not (method == "lp" or bucketing.asked):
        return spots.prepare(spot, method, options)
    from endspiel.solving.rivers import river_task

    return river_task(spot, method, options, bucketing)

"""Whole trees before the flop by the same default everywhere: command, page, library, reviews.

Flops are worth what the charts that come with the package say of them where these fit a tree, and
what play with a value net gives them elsewhere. A tree without flops is solved exactly.
"""

from typing import Any, NamedTuple

from endspiel.batch.preflop_solve import (
    CHIPS,
    TARGET,
    Made,
    Preflop,
    model_value,
    preflop_record,
    solve_preflop,
    usual_method,
)
from endspiel.engine.limits import Limits
from endspiel.games.preflop_charts import PreflopCharts
from endspiel.games.preflop_tree import PreflopSetting
from endspiel.preflop.shipped import OPENS, RAISES, RERAISES, SMALL_SET
from endspiel.preflop.solving import (
    PlayLimits,
    SolvedByPlay,
    solve_by_charts,
    solve_by_play,
    uncharted,
)

CHARTS, NET, MODEL, EXACT = "charts", "net", "model", "exact"  # what values flops


class SolvedPreflop(NamedTuple):
    """Charts of a tree, how they were made, and how far off its flops may be."""

    preflop: Preflop
    charts: PreflopCharts
    made: Made
    flop_value: dict[str, Any]
    error_bb: float | None  # the largest of lines taken in 2% of hands; None where not measured

    @property
    def errors(self) -> dict[str, float]:
        """Big blinds by which lines may be off, by name."""
        return {one["line"]: one["error"] for one in self.flop_value.get("lines", ())}

    def record(self) -> dict[str, Any]:
        """Plain values, as `endspiel preflop --json` writes them."""
        told = self.flop_value, self.error_bb
        return preflop_record(self.preflop, self.charts, self.made, *told)


def usual_values(preflop: Preflop) -> str:
    """What values a tree's flops where nothing else is asked for."""
    if not preflop.game().flop_nodes:
        return EXACT
    return NET if uncharted(preflop) else CHARTS


def solve_whole(
    preflop: Preflop,
    by: str = "",
    flops: str = SMALL_SET,
    limits: PlayLimits | None = None,
) -> SolvedPreflop:
    """Solve a tree with its flops valued by charts, net or model, or as `usual_values` has it."""
    limits = limits or PlayLimits()
    usual = usual_values(preflop)
    by = usual if not by or usual == EXACT else by
    if by in (CHARTS, NET):
        found: SolvedByPlay = (
            solve_by_charts(preflop, limits)
            if by == CHARTS
            else solve_by_play(preflop, flops, limits)
        )
        return SolvedPreflop(preflop, found.charts, found, found.flop_value(), found.error)
    target = TARGET if limits.target is None else limits.target
    ends = Limits(target_units=target * preflop.unit, seconds=limits.seconds)
    charts, solution = solve_preflop(preflop.game(), usual_method(preflop), ends)
    error = 0.0 if by == EXACT else None
    return SolvedPreflop(preflop, charts, solution, model_value(charts), error)


def preflop_charts(
    stack: float,
    *,
    opens: str = OPENS,
    reraises: str = RERAISES,
    max_raises: int = RAISES,
    limp: bool = True,
    ante: float = 0.0,
    small_blind: float = 0.5,
    straddle: float = 0.0,
    flops_by: str = "",
) -> SolvedPreflop:
    """Solve a tree before the flop, heads-up, in big blinds: what `endspiel preflop` solves.

    Examples:
        >>> import endspiel as es
        >>> found = es.preflop_charts(12, opens="a", max_raises=1, limp=False)
        >>> first = found.charts.node_charts()[0]
        >>> first["names"], first["classes"]["AA"], found.error_bb
        (['fold', 'raise to 12'], [0.0, 1.0], 0.0)
    """
    chips = [round(CHIPS * x) for x in (stack, small_blind, ante, straddle)]
    setting = PreflopSetting(
        chips[0], chips[1], CHIPS, chips[2], chips[3], opens, reraises, max_raises, limp
    )
    return solve_whole(Preflop(setting), flops_by)

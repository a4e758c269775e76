"""How far equity realization is from solved flops, and the odds that agree with them."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any

import numpy as np

from endspiel.batch.boards import report_flops
from endspiel.batch.planning import SpotMethod
from endspiel.batch.report import BoardReport
from endspiel.batch.running import BatchSetting, Observe
from endspiel.betting.menu import Sizing
from endspiel.betting.rake import NO_RAKE
from endspiel.cards.class_equity import class_matchups
from endspiel.cards.classes import hand_classes
from endspiel.errors import EndspielError
from endspiel.games.preflop_charts import PreflopCharts
from endspiel.games.preflop_tree import DEFAULT_ODDS
from endspiel.kernels.arrays import Floats

ANY_FLOP = (0, 21, 50)  # a report puts others in its place
_MOST_ODDS = 100.0


@dataclass(frozen=True)
class FlopCheck:
    """One line that sees a flop: the big blind's share of the pot, by the model and solved."""

    line: str
    odds: float  # factor of the button's odds that the model used
    model: float  # share of the pot
    solved: float
    pot: float  # big blinds
    fitted: float  # factor with which the model gives the solved share
    flops: int

    @property
    def error(self) -> float:
        """Big blinds by which the model is wrong, for the big blind: too much is positive."""
        return (self.model - self.solved) * self.pot

    def record(self) -> dict[str, Any]:
        """As plain values."""
        return {**vars(self), "error": self.error}


@dataclass(frozen=True)
class FlopSolving:
    """Which flops are solved, and how."""

    flops: str  # as of a report: 25, all, a file
    sizing: Sizing
    how: SpotMethod
    setting: BatchSetting


def check_line(
    charts: PreflopCharts, node: int, solving: FlopSolving, observe: Observe
) -> FlopCheck:
    """Solve a line's flops, played for chips without rake, and compare the mean with the model's.

    A few flops give the ranges another equity than all of them do: what is realized beyond equity
    is taken from these flops, equity from all.
    """
    given = charts.spot(node, ANY_FLOP, solving.sizing)
    spot = replace(given, rake=NO_RAKE, prizes=None)
    boards = report_flops(solving.flops, spot)
    report = BoardReport(spot, boards, solving.how, solving.setting)
    report.run(observe)
    if report.failures:
        raise EndspielError(f"{report.failures[0]['board']}: {report.failures[0]['error']}")
    mean, met = report.mean_dealt, _met(*charts.ranges(node))
    realized = float(mean["evs"][0]) / spot.pot - float(mean["equities"][0])
    solved = float((met * class_matchups().equity).sum()) + realized

    def model(odds: float | None) -> float:
        return float((met * charts.preflop.share(node, odds)).sum())

    line = charts.preflop.tree.line(node)
    return FlopCheck(
        line=line,
        odds=charts.preflop.odds.get(line, DEFAULT_ODDS),
        model=model(None),
        solved=solved,
        pot=spot.pot / charts.preflop.setting.big_blind,
        fitted=_fit(model, solved),
        flops=len(boards),
    )


def _met(one: Floats, two: Floats) -> Floats:
    """How often the classes of two ranges [1326] meet: [169, 169], sum 1."""
    shares = [
        np.bincount(hand_classes(), weights) / np.bincount(hand_classes()) for weights in (one, two)
    ]
    met: Floats = shares[0][:, None] * class_matchups().chance * shares[1][None, :]
    met /= met.sum()
    return met


def _fit(model: Callable[[float], float], wanted: float) -> float:
    """The odds at which the model's share, which falls with them, is the one wanted."""
    low, high, middle = 1 / _MOST_ODDS, _MOST_ODDS, 1.0
    for _ in range(60):
        middle = sqrt(low * high)
        low, high = (middle, high) if model(middle) > wanted else (low, middle)
    return middle

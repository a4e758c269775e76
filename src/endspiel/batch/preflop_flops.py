"""How far equity realization is from solved flops, and the odds that agree with them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from endspiel.batch.boards import WeightedBoard, report_flops
from endspiel.batch.planning import SpotMethod
from endspiel.batch.report import BoardReport
from endspiel.batch.running import BatchSetting
from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.betting.rake import NO_RAKE
from endspiel.cards.class_equity import class_matchups
from endspiel.cards.classes import hand_classes
from endspiel.cards.deck import NUM_HANDS
from endspiel.errors import EndspielError
from endspiel.games.preflop_charts import PreflopCharts
from endspiel.games.preflop_tree import DEFAULT_ODDS
from endspiel.games.spot import Spot
from endspiel.kernels.arrays import Floats
from endspiel.progress import Observe, unobserved

ANY_FLOP = (0, 21, 50)  # a report puts others in its place
_MOST_ODDS = 100.0


class FlopShare(NamedTuple):
    """What the player out of position gets of the pot on a flop, and its equity there."""

    ev: float  # share of the pot
    equity: float
    weight: float  # how often the flop is dealt between the two ranges, up to scale


class FlopSolver(Protocol):
    """What values flops: the batched engine."""

    by: ClassVar[str]  # in words

    def __call__(self, spot: Spot, boards: Sequence[WeightedBoard]) -> list[FlopShare]:
        """The shares of a spot's ranges on boards that take the place of its own."""


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
    uncertain: float  # big blinds: standard error of the solved share, by how much flops differ
    by: str  # what valued the flops

    @property
    def error(self) -> float:
        """Big blinds by which the model is wrong, for the big blind: too much is positive."""
        return (self.model - self.solved) * self.pot

    def record(self) -> dict[str, Any]:
        """As plain values."""
        return {**vars(self), "error": self.error}


@dataclass(frozen=True)
class EngineFlops:
    """Flops solved to the river by the batched engine."""

    how: SpotMethod
    setting: BatchSetting
    observe: Observe = unobserved
    by: ClassVar[str] = "solved to the river"

    def __call__(self, spot: Spot, boards: Sequence[WeightedBoard]) -> list[FlopShare]:
        report = BoardReport(spot, boards, self.how, self.setting)
        report.run(self.observe)
        if report.failures:
            raise EndspielError(f"{report.failures[0]['board']}: {report.failures[0]['error']}")
        return [
            FlopShare(
                float(row["evs"][0]) / spot.pot,
                float(row["equities"][0]),
                float(row["weight"] * row["pairs"]),
            )
            for row in report.rows
        ]


def any_spot() -> Spot:
    """A flop with ranges that treat suits alike, as all ranges of charts do."""
    every, menu = np.ones(NUM_HANDS), StreetMenu.parse("", "")
    return Spot(ANY_FLOP, 1, 1, (every, every), Sizing((None, menu, menu, menu)))


def check_line(
    charts: PreflopCharts, node: int, flops: str, sizing: Sizing, solver: FlopSolver
) -> FlopCheck:
    """Solve a line's flops, played for chips without rake, and compare the mean with the model's.

    A few flops give the ranges another equity than all of them do: what is realized beyond equity
    is taken from these flops, equity from all.
    """
    spot = replace(charts.spot(node, ANY_FLOP, sizing), rake=NO_RAKE, prizes=None)
    boards = report_flops(flops, spot)
    realized, spread = _beyond_equity(solver(spot, boards))
    met = _met(*charts.ranges(node))
    solved = float((met * class_matchups().equity).sum()) + realized

    def model(odds: float | None) -> float:
        return float((met * charts.preflop.share(node, odds)).sum())

    line, pot = charts.preflop.tree.line(node), spot.pot / charts.preflop.setting.big_blind
    return FlopCheck(
        line=line,
        odds=charts.preflop.odds.get(line, DEFAULT_ODDS),
        model=model(None),
        solved=solved,
        pot=pot,
        fitted=_fit(model, solved),
        flops=len(boards),
        uncertain=spread * pot,
        by=solver.by,
    )


def _beyond_equity(shares: Sequence[FlopShare]) -> tuple[float, float]:
    """What is realized beyond equity in the mean over flops, and that mean's standard error."""
    beyond = np.array([share.ev - share.equity for share in shares])
    weights = np.array([share.weight for share in shares])
    weights = weights / weights.sum()
    mean = float(weights @ beyond)
    if len(shares) < 2:
        return mean, 0.0
    squares = float((weights**2) @ (beyond - mean) ** 2)
    return mean, sqrt(squares * len(shares) / (len(shares) - 1))


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

"""A whole tree before the flop solved, and its record in plain values."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from endspiel.batch.preflop_flops import FlopCheck
from endspiel.betting.prizes import PrizeMap
from endspiel.betting.rake import NO_RAKE, Rake
from endspiel.engine.limits import Limits
from endspiel.errors import EndspielError
from endspiel.games.preflop_charts import PreflopCharts
from endspiel.games.preflop_tree import (
    BIG_BLIND,
    BUTTON,
    DEFAULT_ODDS,
    MOST_BLINDS,
    PreflopGame,
    PreflopSetting,
)
from endspiel.games.push_or_fold import PushFoldStakes, push_fold_charts, push_fold_game
from endspiel.solvers.methods import EXACT
from endspiel.solvers.solution import Solution
from endspiel.solvers.solve import solve

CHIPS: Final = 100  # of a big blind
METHOD: Final = "cfr+"
TARGET: Final = 1e-3  # big blinds, or of the prizes
REALIZATION: Final = "equity realization"
NO_MODEL: Final = "none"  # no line sees a flop with chips behind


@dataclass(frozen=True)
class Preflop:
    """What is played before the flop, and for what."""

    setting: PreflopSetting
    prizes: PrizeMap | None = None
    rake: Rake = NO_RAKE

    def game(self, odds: dict[str, float] | None = None) -> PreflopGame:
        """The game, with the odds of lines whose flops were solved."""
        return PreflopGame(self.setting, odds or {}, self.prizes, self.rake)

    @property
    def unit(self) -> float:
        """The unit of values: big blinds, or the prizes' own unit."""
        return float(self.setting.big_blind) if self.prizes is None else 1.0


def prize_map(
    prizes: Sequence[float],
    others: Sequence[float],
    stacks: Sequence[float],
    setting: PreflopSetting,
) -> PrizeMap | None:
    """What chips are worth, or None where chips are chips; stacks are in big blinds.

    Without the two players' own stacks both have the setting's.
    """
    if not prizes:
        if others or stacks:
            raise EndspielError("stacks of the others, and two stacks, are of prizes: give prizes")
        return None
    if not all(0 < x <= MOST_BLINDS for x in (*stacks, *others)):
        raise EndspielError(f"stacks are over 0 and at most {MOST_BLINDS:,} big blinds")
    both = [round(CHIPS * x) for x in stacks] or [setting.stack, setting.stack]
    if len(both) != 2:
        raise EndspielError("the stacks are two: the big blind's and the button's")
    return PrizeMap((both[0], both[1]), tuple(CHIPS * x for x in others), tuple(prizes))


class Made(Protocol):
    """How charts were made."""

    @property
    def method(self) -> str:
        """Its name."""

    @property
    def iterations(self) -> int:
        """How many there were."""

    @property
    def seconds(self) -> float:
        """How long they took."""

    @property
    def exploitability(self) -> float:
        """In the game's units, where flops are worth what they are said to be worth."""


def solve_preflop(game: PreflopGame, method: str, limits: Limits) -> tuple[PreflopCharts, Solution]:
    """A game's charts; limits are in chips, or in the prizes' unit."""
    built = game.game()
    solution = solve(built, method, Limits() if method in EXACT else limits)
    return PreflopCharts(game, built, solution.profile), solution


def usual_method(preflop: Preflop) -> str:
    """Exact where a zero-sum game ends in folds and all-ins alone; else by iterations."""
    exact = preflop.prizes is None and not preflop.rake and not preflop.game().flop_nodes
    return "lp" if exact else METHOD


def preflop_record(
    preflop: Preflop,
    charts: PreflopCharts,
    solution: Made,
    flop_value: dict[str, Any],
    error: float | None,  # big blinds: the largest of lines taken often; None where not measured
) -> dict[str, Any]:
    """Charts and flops in big blinds; the value is the button's."""
    setting, prizes = preflop.setting, preflop.prizes
    unit = float(setting.big_blind)
    return {
        "value": charts.value(BUTTON) / preflop.unit,
        "rake": -(charts.value(BIG_BLIND) + charts.value(BUTTON)) / unit if preflop.rake else 0.0,
        "exploitability": solution.exploitability / preflop.unit,
        "error_bb": error,
        "prizes": None if prizes is None else _prizes(prizes),
        "method": solution.method,
        "iterations": solution.iterations,
        "seconds": solution.seconds,
        "stack": setting.stack / unit,
        "ante": setting.ante / unit,
        "straddle": setting.straddle / unit,
        "flop_value": flop_value,
        "charts": charts.node_charts(),
        "flops": charts.flops(),
    }


def model_value(
    charts: PreflopCharts, rounds: Sequence[Sequence[FlopCheck]] = ()
) -> dict[str, Any]:
    """How flops are valued by the model: the first checks are of it, later ones of it set right."""
    return {
        "model": REALIZATION if charts.preflop.flop_nodes else NO_MODEL,
        "odds": DEFAULT_ODDS,
        "fitted": dict(charts.preflop.odds),
        "checks": [check.record() for check in rounds[0]] if rounds else [],
        "left": [check.record() for check in rounds[-1]] if len(rounds) > 1 else [],
    }


def push_fold_record(stakes: PushFoldStakes, method: str, limits: Limits) -> dict[str, Any]:
    """Push or fold solved, told as a tree is: no line sees a flop, and nothing is a model."""
    unit = stakes.big_blind
    solution = solve(push_fold_game(stakes), method, Limits() if method in EXACT else limits)
    return {
        "value": solution.value / unit,
        "rake": 0.0,
        "exploitability": solution.exploitability / unit,
        "error_bb": 0.0,
        "prizes": None,
        "method": solution.method,
        "iterations": solution.iterations,
        "seconds": solution.seconds,
        "stack": stakes.stack / unit,
        "ante": stakes.ante / unit,
        "straddle": 0.0,
        "flop_value": {
            "model": NO_MODEL,
            "odds": DEFAULT_ODDS,
            "fitted": {},
            "checks": [],
            "left": [],
        },
        "charts": push_fold_charts(stakes, solution.profile),
        "flops": [],
    }


def _prizes(prizes: PrizeMap) -> dict[str, Any]:
    lists = {name: list(getattr(prizes, name)) for name in ("stacks", "others", "prizes")}
    return lists | {"before": prizes.before[:2]}

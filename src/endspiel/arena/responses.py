"""How much a local best response wins from an agent: many boards, all hands, on all cores."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Final, NamedTuple

import numpy as np

from endspiel.arena.estimators.estimates import Estimate, Floats, estimate, milli_blinds
from endspiel.arena.estimators.local_best_response import setting_named
from endspiel.arena.estimators.range_response import range_response
from endspiel.arena.plan import Reasons
from endspiel.errors import EndspielError
from endspiel.executor import GivenWorkers, WorkerJob, executor_of
from endspiel.rules.game_def import GameDef

_SEED: Final = 2**63


@dataclass(frozen=True)
class ResponsePlan:
    """Which agent is measured, and how.

    Examples:
        >>> import endspiel as es
        >>> plan = es.ResponsePlan(es.load_rules("leduc"), "always-call", "fc", boards=6)
        >>> es.measure_response(plan, workers=1).units.shape
        (6,)
    """

    game: GameDef
    agent: str  # its spec
    setting: str = "fcpa-turn"
    boards: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        setting_named(self.setting)
        if self.boards < 1:
            raise EndspielError(f"a response is measured on one board or more, not {self.boards}")
        if self.seed < 0:
            raise EndspielError(f"seeds are from 0 on, not {self.seed}")


@dataclass(frozen=True)
class ResponseResult:
    """What the response won on each board, all pairs of hands together.

    Examples:
        >>> import endspiel as es
        >>> plan = es.ResponsePlan(es.load_rules("kuhn"), "always-fold", "fcpa", boards=4)
        >>> es.measure_response(plan, workers=1).units.tolist()
        [1000.0, 1000.0, 1000.0, 1000.0]
    """

    plan: ResponsePlan
    units: Floats  # [boards] mbb a hand
    slowest: Floats  # [boards] seconds that the agent's slowest answer took
    fallbacks: Reasons  # decisions of the agent not made as its spec says, by reason
    seconds: float

    @property
    def main(self) -> Estimate:
        """The mean with its interval, in mbb a hand."""
        return estimate("local best response", self.units)


class _Found(NamedTuple):
    """What one board gave."""

    chips: float
    slowest: float
    fallbacks: Reasons


class _Responder:
    """A process's response: plays boards by their numbers."""

    def __init__(self, plan: ResponsePlan) -> None:
        self.plan = plan
        self.response = range_response(plan.game, plan.agent, setting_named(plan.setting))

    def work(self, number: int) -> _Found:
        """Every hand of both players on the board of a number; seats change from board to board."""
        game, opponent = self.plan.game, self.response.opponent
        rng = np.random.default_rng([self.plan.seed, number])
        board = rng.choice(game.deck, game.board_sizes[-1], replace=False)
        before = Counter(opponent.agent.fallbacks)
        opponent.slowest = 0.0
        cards = tuple(int(card) for card in board)
        chips = self.response.win(cards, number % 2, int(rng.integers(_SEED)))
        return _Found(chips, opponent.slowest, dict(Counter(opponent.agent.fallbacks) - before))

    def close(self) -> None:
        self.response.opponent.agent.close()


def measure_response(
    plan: ResponsePlan,
    workers: GivenWorkers = None,
    progress: Callable[[Floats], None] = lambda units: None,
) -> ResponseResult:
    """Measure it; workers are all cores by default, and the result is the same on any number.

    Progress is told what was won so far, in mbb: [boards done].

    Examples:
        >>> import endspiel as es
        >>> plan = es.ResponsePlan(es.load_rules("kuhn"), "always-fold", "fcpa", boards=2)
        >>> es.measure_response(plan, workers=1).main.mean
        1000.0
    """
    begin = perf_counter()
    found: list[_Found] = []
    job = WorkerJob(_Responder, plan, reads_script=True)
    with executor_of(workers) as executor:
        for one in executor.results(job, range(plan.boards)):
            found.append(one)
            progress(_milli_blinds(plan, found))
    reasons: Counter[str] = Counter()
    for one in found:
        reasons.update(one.fallbacks)
    slowest = np.array([one.slowest for one in found])
    seconds = perf_counter() - begin
    return ResponseResult(plan, _milli_blinds(plan, found), slowest, dict(reasons), seconds)


def _milli_blinds(plan: ResponsePlan, found: list[_Found]) -> Floats:
    return milli_blinds(plan.game, [one.chips for one in found])

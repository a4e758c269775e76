"""How much a local best response wins from an agent: many boards, all hands, on all cores.

Where it calls on the first streets, the result is a sum of two means: of what it wins more than by
checking down from there, on some boards, and of what checking down wins, on many more. The second
takes no answers of the agent on later streets, and most of the noise is in it.
"""

import hashlib
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, dataclass
from math import hypot
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import msgspec
import numpy as np

from endspiel import __version__
from endspiel.agent.base import named_files
from endspiel.arena.estimators.estimates import Estimate, Floats, estimate, milli_blinds
from endspiel.arena.estimators.local_best_response import setting_named
from endspiel.arena.estimators.range_response import range_response
from endspiel.arena.plan import Reasons
from endspiel.batch.log import BatchLog, key_of
from endspiel.errors import EndspielError, FileError
from endspiel.executor import GivenWorkers, WorkerJob, executor_of
from endspiel.rules.game_def import GameDef

_SEED: Final = 2**63
CHEAP_BOARDS: Final = 8  # boards checked down for each that is played


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
        if setting_named(self.setting).calls and self.game.num_rounds < 3:
            raise EndspielError(f"setting {self.setting} is for games with a turn")
        if self.boards < 1:
            raise EndspielError(f"a response is measured on one board or more, not {self.boards}")
        if self.seed < 0:
            raise EndspielError(f"seeds are from 0 on, not {self.seed}")

    @property
    def checks(self) -> int:
        """Boards that are checked down only."""
        return CHEAP_BOARDS * self.boards if setting_named(self.setting).calls else 0


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
    more: Floats  # [boards] of these, what is won over checking down
    checked: Floats  # [boards checked down] what checking down wins; none where nothing is called
    slowest: Floats  # [boards] seconds that the agent's slowest answer took
    fallbacks: Reasons  # decisions of the agent not made as its spec says, by reason
    seconds: float

    @property
    def main(self) -> Estimate:
        """The mean with its interval, in mbb a hand."""
        name = "local best response"
        if not len(self.checked):
            return estimate(name, self.units)
        gain, base = estimate(name, self.more), estimate(name, self.checked)
        error = None if gain.error is None else hypot(gain.error, base.error or 0.0)
        return Estimate(name, gain.mean + base.mean, error, gain.units)


@dataclass(frozen=True)
class _Found:
    """What one board gave."""

    chips: float | None  # none of a board that was only checked down
    checked: float
    slowest: float
    fallbacks: Reasons


class _Responder:
    """A process's response: plays boards by their numbers."""

    def __init__(self, plan: ResponsePlan) -> None:
        self.plan = plan
        self.response = range_response(plan.game, plan.agent, setting_named(plan.setting))

    def work(self, number: int) -> _Found:
        """Every hand of both players on the board of a number; seats change from board to board."""
        plan, opponent = self.plan, self.response.opponent
        rng = np.random.default_rng([plan.seed, number])
        drawn = rng.choice(plan.game.deck, plan.game.board_sizes[-1], replace=False)
        board = tuple(int(card) for card in drawn)
        at = board, number % 2, int(rng.integers(_SEED))
        before = Counter(opponent.agent.fallbacks)
        opponent.slowest = 0.0
        chips = self.response.win(*at) if number < plan.boards else None
        checked = self.response.check_down(*at) if plan.checks else 0.0
        reasons = dict(Counter(opponent.agent.fallbacks) - before)
        return _Found(chips, checked, opponent.slowest, reasons)

    def close(self) -> None:
        self.response.opponent.agent.close()


def measure_response(
    plan: ResponsePlan,
    workers: GivenWorkers = None,
    progress: Callable[[ResponseResult], None] = lambda so_far: None,
    state: Path | None = None,
) -> ResponseResult:
    """Measure it; workers are all cores by default, and the result is the same on any number.

    Progress is told the result so far. Boards are noted in the file `state` as they are found, and
    not played again where it has them.

    Examples:
        >>> import endspiel as es
        >>> plan = es.ResponsePlan(es.load_rules("kuhn"), "always-fold", "fcpa", boards=2)
        >>> es.measure_response(plan, workers=1).main.mean
        1000.0
    """
    begin = perf_counter()
    job = WorkerJob(_Responder, plan, reads_script=True)
    with BatchLog(state) as log, executor_of(workers) as executor:
        keys = _keys(plan)
        found = {n: _read(log.get(key), state) for n, key in enumerate(keys) if log.get(key)}
        left = [number for number in range(len(keys)) if number not in found]

        def so_far() -> ResponseResult:
            boards = [found[number] for number in sorted(found)]
            return _result(plan, boards, perf_counter() - begin)

        progress(so_far())
        with closing(executor.found(job, left)) as work:
            for at, one in work:
                found[left[at]] = one
                log.add(keys[left[at]], asdict(one))
                progress(so_far())
        return so_far()


def _keys(plan: ResponsePlan) -> list[str]:
    """A hash for each board of all that decides what is found on it."""
    files = [hashlib.sha256(path.read_bytes()).hexdigest() for path in named_files(plan.agent)]
    about = __version__, plan.game, plan.agent, files, plan.setting, plan.seed, bool(plan.checks)
    return [
        key_of("local best response", about, number, number < plan.boards)
        for number in range(plan.boards + plan.checks)
    ]


def _read(record: dict[str, Any] | None, state: Path | None) -> _Found:
    """What a state has of a board."""
    try:
        return msgspec.convert(record, _Found)
    except msgspec.ValidationError as error:
        raise FileError(f"{state} holds a board that is none: {error}") from error


def _result(plan: ResponsePlan, found: list[_Found], seconds: float) -> ResponseResult:
    """What the boards done so far come to, in their order."""
    reasons: Counter[str] = Counter()
    for one in found:
        reasons.update(one.fallbacks)
    played = [(one.chips, one.checked) for one in found if one.chips is not None]
    chips, checked = milli_blinds(plan.game, np.reshape(played, (-1, 2))).T
    rest = milli_blinds(plan.game, [one.checked for one in found[len(played) :]])
    slowest = np.array([one.slowest for one in found[: len(played)]])
    return ResponseResult(plan, chips, chips - checked, rest, slowest, dict(reasons), seconds)

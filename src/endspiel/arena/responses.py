"""How much a local best response wins from an agent: many boards, all hands, on all cores."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, Final

import msgspec
import numpy as np

from endspiel import __version__
from endspiel.agent.base import named_files
from endspiel.arena.estimators.estimates import Estimate, estimate, milli_blinds
from endspiel.arena.estimators.local_best_response import setting_named
from endspiel.arena.estimators.range_response import Won, range_response
from endspiel.arena.estimators.trunk_response import check_trunks, win_before_flop
from endspiel.arena.plan import Reasons
from endspiel.arrays import Float64s
from endspiel.bounds import DEFAULT_SEED
from endspiel.errors import EndspielError, FileError
from endspiel.executor import GivenWorkers, WorkerJob, executor_of
from endspiel.ledger import Ledger, key_of
from endspiel.progress import Halted, Observe, Progress, unhalted, unobserved
from endspiel.rules.game_def import GameDef

_SEED: Final = 2**63
JOB: Final = {"job": "lbr"}  # of a ledger, which may have any agents and settings


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
    seed: int = DEFAULT_SEED
    by: str | None = None  # spec of an agent that plays its own strategy in place of the response
    screen: int | None = None  # bets compared in earnest, of more those that look best
    trunk: bool = False  # play before the flop alone, flops by a value net for both (`by` is given)

    def __post_init__(self) -> None:
        if setting_named(self.setting).calls and self.game.num_rounds < 3:
            raise EndspielError(f"setting {self.setting} is for games with a turn")
        if self.boards < 1:
            raise EndspielError(f"a response is measured on one board or more, not {self.boards}")
        if self.screen is not None and self.screen < 1:
            raise EndspielError(f"a response compares one bet or more, not {self.screen}")
        if self.trunk:
            check_trunks(self.game)
            if self.by is None:
                raise EndspielError("play before the flop is compared of two agents: give --by")
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
    units: Float64s  # [boards] mbb a hand
    late: Float64s  # [boards] of these, what bets from the turn or the first solved street on won
    slowest: Float64s  # [boards] seconds that the agent's slowest answer took
    processor: Float64s  # [boards] seconds of one core, the response's own included
    fallbacks: Reasons  # decisions of the agent not made as its spec says, by reason
    seconds: float

    @property
    def main(self) -> Estimate:
        """The mean with its interval, in mbb a hand."""
        return estimate("local best response", self.units)

    def over(self, other: "ResponseResult") -> Estimate:
        """What is won more than from another agent on the same boards, in mbb a hand."""
        one, two = (replace(r.plan, agent="", boards=1) for r in (self, other))
        if one != two:
            raise EndspielError("results are compared in one setting, by one seed")
        both = min(len(self.units), len(other.units))
        return estimate("difference", self.units[:both] - other.units[:both])


class _Found(msgspec.Struct, frozen=True):
    """What one board gave, in chips a hand."""

    early: float
    late: float
    slowest: float
    processor: float
    fallbacks: Reasons


class _Responder:
    """A process's response: plays boards by their numbers."""

    def __init__(self, plan: ResponsePlan) -> None:
        self.plan = plan
        options = replace(setting_named(plan.setting), screen=plan.screen)
        self.response = range_response(plan.game, plan.agent, options, plan.by)

    def work(self, number: int) -> _Found:
        """Every hand of both players on the board of a number.

        Seats change from board to board. An agent in place of the response sits in both, one after
        the other, by the same seed: what the board gives one seat it takes from the other.
        """
        plan, opponent = self.plan, self.response.opponent
        rng = np.random.default_rng([plan.seed, number])
        drawn = rng.choice(plan.game.deck, plan.game.board_sizes[-1], replace=False)
        board, seed = tuple(int(card) for card in drawn), int(rng.integers(_SEED))
        before, begin = Counter(opponent.agent.fallbacks), process_time()
        opponent.slowest = 0.0
        seats = (number % 2,) if plan.by is None else (0, 1)
        early, late = np.mean([self._win(board, seat, seed) for seat in seats], axis=0)
        reasons = dict(Counter(opponent.agent.fallbacks) - before)
        return _Found(float(early), float(late), opponent.slowest, process_time() - begin, reasons)

    def _win(self, board: tuple[int, ...], seat: int, seed: int) -> Won:
        if self.plan.trunk:
            return Won(win_before_flop(self.response, board, seat, seed), 0.0)
        return self.response.win(board, seat, seed)

    def close(self) -> None:
        for one in self.response.agents:
            one.agent.close()


def measure_response(
    plan: ResponsePlan,
    workers: GivenWorkers = None,
    progress: Observe = unobserved,
    state: Path | None = None,
    halted: Halted = unhalted,
) -> ResponseResult:
    """Measure it; workers are all cores by default, and the result is the same on any number.

    Boards are noted in the file `state` as they are found, and not played again where it has them,
    whatever other measurements it holds. `halted` ends the work with the boards that are done.

    Examples:
        >>> import endspiel as es
        >>> plan = es.ResponsePlan(es.load_rules("kuhn"), "always-fold", "fcpa", boards=2)
        >>> es.measure_response(plan, workers=1).main.mean
        1000.0
    """
    begin = perf_counter()
    job = WorkerJob(_Responder, plan, reads_script=True)
    with Ledger(state, JOB) as log, executor_of(workers) as executor:
        keys = _keys(plan)
        found = {n: _read(log.get(key), state) for n, key in enumerate(keys) if log.get(key)}
        left = [number for number in range(len(keys)) if number not in found]

        def so_far() -> ResponseResult:
            boards = [found[number] for number in sorted(found)]
            return _result(plan, boards, perf_counter() - begin)

        before = len(found)

        def tell() -> None:
            won = f"{so_far().main} mbb/h" if found else ""
            progress(Progress("boards", len(found), plan.boards, before, text=won))

        tell()
        with closing(executor.found(job, left)) as work:
            for at, one in work:
                found[left[at]] = one
                log.add(keys[left[at]], msgspec.to_builtins(one))
                tell()
                if halted():
                    break
        return so_far()


def _keys(plan: ResponsePlan) -> list[str]:
    """A hash for each board of all that decides what is found on it."""
    agents = [plan.agent] if plan.by is None else [plan.agent, plan.by]
    named = [path for agent in agents for path in named_files(agent)]
    files = [hashlib.sha256(path.read_bytes()).hexdigest() for path in named]
    asked = replace(plan, boards=1)
    if plan.by:
        asked = replace(asked, setting="fc", screen=None)
    return [key_of("response", __version__, asked, files, number) for number in range(plan.boards)]


def _read(record: dict[str, Any] | None, state: Path | None) -> _Found:
    """What a state has of a board."""
    try:
        return msgspec.convert(record, _Found)
    except msgspec.ValidationError as error:
        raise FileError(f"{state} holds a board that is none: {error}") from error


def _result(plan: ResponsePlan, found: Sequence[_Found], seconds: float) -> ResponseResult:
    """What the boards done so far come to, in their order."""
    reasons: Counter[str] = Counter()
    for one in found:
        reasons.update(one.fallbacks)
    late = milli_blinds(plan.game, [one.late for one in found])
    early = milli_blinds(plan.game, [one.early for one in found])
    slowest = np.array([one.slowest for one in found])
    processor = np.array([one.processor for one in found])
    return ResponseResult(plan, early + late, late, slowest, processor, dict(reasons), seconds)

"""Runs: limits, the schedule of measurements, checkpoints, and being interrupted."""

import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endspiel import files
from endspiel.engine import run as run_module
from endspiel.engine.limits import Limits, TracePoint, limits_of
from endspiel.engine.run import (
    LOOK_AGAIN,
    Checkpoint,
    RunTask,
    best,
    next_check,
    next_due,
    run,
)
from endspiel.engine.schemes import SCHEMES
from endspiel.errors import EndspielError, FileError
from endspiel.game import Game, Matrix, TerminalGroup
from endspiel.games.leduc_holdem import leduc
from endspiel.games.toy import coin_toss, kuhn
from endspiel.solvers.firstorder.cfr import CFR
from endspiel.solvers.solution import Solution
from endspiel.solvers.solve import solve
from tests.children import killed, started, wait_until
from tests.solvers.coarse import shared

ITERATIVE = (*SCHEMES, "egt")
LAST = 137


def dense_kuhn() -> Game:
    """Kuhn with a dense payoff, which the fused kernel does not take."""
    game = kuhn()
    zero = np.zeros(1, dtype=np.int64)
    group = TerminalGroup(Matrix(game.matrix.toarray()), np.ones(1), zero, zero)
    return Game(game.plexes, [group], "dense kuhn", game.labels, span=4.0)


def merged_kuhn() -> Game:
    return shared(kuhn(4), lambda name: "1" + name[1:] if name[0] == "0" else name)


GAMES: dict[str, Callable[[], Game]] = {
    "kuhn": kuhn,
    "dense": dense_kuhn,
    "merged": merged_kuhn,
    "leduc": leduc,
}


def signature(solution: Solution) -> tuple[object, ...]:
    """Everything of a solution but the time it took."""
    return (
        [behavior.tobytes() for behavior in solution.profile.behavior],
        [(p.iteration, p.exploitability) for p in solution.trace],
        (solution.value, solution.exploitability, solution.iterations, solution.stopped),
        solution.parameters,
    )


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("method", ITERATIVE)
def test_resumed_runs_end_the_same(name: str, method: str, tmp_path: Path) -> None:
    if (name, method) == ("merged", "egt"):
        pytest.skip("EGT needs perfect recall")
    game = GAMES[name]()
    whole = signature(solve(game, method, iterations=LAST))
    path = tmp_path / "run"
    for stop in (0, 1, 10, 73, 74, 120, LAST):
        part = solve(game, method, iterations=stop, checkpoint=path)
        assert part.iterations == stop
    assert signature(part) == whole


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(0, LAST), max_size=4), st.sampled_from(ITERATIVE))
def test_resumed_anywhere(stops: list[int], method: str) -> None:
    game = kuhn()
    whole = signature(solve(game, method, iterations=LAST))
    with tempfile.TemporaryDirectory() as folder:
        for stop in (*sorted(stops), LAST):
            part = solve(game, method, iterations=stop, checkpoint=Path(folder) / "run")
    assert signature(part) == whole


def test_resuming_keeps_to_the_target(tmp_path: Path) -> None:
    game = leduc()
    whole = solve(game, target=5e-3)
    solve(game, iterations=33, checkpoint=tmp_path / "run")
    resumed = solve(game, target=5e-3, checkpoint=tmp_path / "run")
    assert signature(resumed) == signature(whole)
    again = solve(game, target=5e-3, checkpoint=tmp_path / "run")
    assert signature(again) == signature(whole)
    fewer = solve(game, iterations=5, checkpoint=tmp_path / "run")
    assert fewer.iterations == whole.iterations


def test_schedule() -> None:
    checks = [0]
    while checks[-1] < 5000:
        checks.append(next_check(checks[-1]))
    assert checks[:4] == [0, 10, 20, 30]
    assert all(b - a >= a // 100 * 10 for a, b in pairwise(checks))
    for iteration in range(5000):
        assert next_check(iteration) == min(c for c in checks if c > iteration)


class Falling:
    """A solver whose exploitability falls as a power of the iterations."""

    def __init__(self, power: float) -> None:
        self.power, self.iteration = power, 0

    def step(self) -> None:
        self.iteration += 1

    def gap(self) -> float:
        return max(self.iteration, 1) ** -self.power

    def state(self) -> dict[str, object]:
        return {"iteration": np.array([self.iteration])}

    def restore(self, arrays: dict[str, Any]) -> None:
        self.iteration = int(arrays["iteration"][0])


@settings(deadline=None)
@given(st.floats(0.3, 4), st.integers(30, 5000))
def test_a_target_is_seen_when_it_is_reached(power: float, reached: int) -> None:
    solver = Falling(power)
    target = reached**-power
    trace, why = run(solver, solver.gap, Limits(target))
    assert why == "target"
    assert reached - 1 <= solver.iteration <= reached + max(2, reached // LOOK_AGAIN + 1)
    regular = [p.iteration for p in trace if next_check(p.iteration - 1) == p.iteration]
    assert len(trace) <= len(regular) + 3


@settings(deadline=None)
@given(st.lists(st.integers(0, 90), max_size=4), st.floats(0.3, 3))
def test_a_target_is_seen_at_the_same_place_after_interruptions(
    stops: list[int], power: float
) -> None:
    def solved(checkpoint: Checkpoint | None, iterations: int | None) -> list[tuple[int, float]]:
        solver = Falling(power)
        until = Limits(77**-power, iterations)
        trace, _ = run(solver, solver.gap, until, checkpoint=checkpoint)
        return [(point.iteration, point.exploitability) for point in trace]

    with tempfile.TemporaryDirectory() as folder:
        checkpoint = Checkpoint(Path(folder) / "run", RunTask("falling", "", "none"))
        for stop in (*sorted(stops), None):
            found = solved(checkpoint, stop)
    assert found == solved(None, None)


@pytest.mark.parametrize("method", ["cfr+", "egt"])
def test_resumed_with_another_target_a_run_goes_forward(method: str, tmp_path: Path) -> None:
    game, path = leduc(), tmp_path / "run"
    first = solve(game, method, iterations=109, checkpoint=path)
    for share in (0.999, 0.98, 0.9):  # reached before iteration 109, by the trend
        target = share * first.trace[-2].exploitability
        again = solve(game, method, iterations=125, target=target, checkpoint=path)
        iterations = [point.iteration for point in again.trace]
        assert iterations == sorted(set(iterations))
        assert again.iterations >= 109


def test_a_checkpoint_that_cannot_be_written_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise FileError("cannot write: the disk is full")

    monkeypatch.setattr(files, "save", full)
    with pytest.warns(UserWarning, match="the disk is full; going on without a checkpoint"):
        solution = solve(kuhn(), iterations=30, checkpoint=tmp_path / "run")
    assert solution.iterations == 30


def test_a_run_is_written_down_more_seldom_the_longer_it_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An iteration takes a second here and a checkpoint ten: one in twenty seconds for those."""
    now, saved = [0.0], list[int]()
    monkeypatch.setattr(run_module, "perf_counter", lambda: now[0])

    class Slow(Falling):
        def step(self) -> None:
            super().step()
            now[0] += 1.0

    def save(_: object, solver: Slow, *rest: object) -> None:
        saved.append(solver.iteration)
        now[0] += 10.0

    monkeypatch.setattr(Checkpoint, "load", lambda *_: ([], 0.0))
    monkeypatch.setattr(Checkpoint, "save", save)
    task = RunTask("a game", "its print", "cfr", {})
    checkpoint = Checkpoint(tmp_path / "run", task, every_seconds=30)
    run(Slow(1.0), lambda: 1.0, Limits(iterations=500), checkpoint, every=1000)
    assert saved == [30, 230, 430, 500]


class Jumping(Falling):
    """One that jumps now and then, and can keep what it had."""

    def __init__(self, jumps: set[int]) -> None:
        super().__init__(1.0)
        self.jumps, self.answer, self.kept = jumps, 0, 0

    def step(self) -> None:
        super().step()
        self.answer = self.iteration

    def gap(self) -> float:
        return 1 / (self.answer + 1) + any(self.answer - 40 < j <= self.answer for j in self.jumps)

    def keep(self) -> None:
        self.kept = self.answer

    def fall_back(self) -> None:
        self.answer = self.kept

    def state(self) -> dict[str, object]:
        return super().state() | {"kept": np.array([self.kept])}

    def restore(self, arrays: dict[str, Any]) -> None:
        super().restore(arrays)
        self.answer, self.kept = self.iteration, int(arrays["kept"][0])


@settings(deadline=None)
@given(st.sets(st.integers(1, 300), max_size=5), st.lists(st.integers(0, 300), max_size=3))
def test_a_run_ends_with_the_best_it_had(jumps: set[int], stops: list[int]) -> None:
    straight = Jumping(jumps)
    trace, _ = run(straight, straight.gap, Limits(iterations=300))
    assert (
        straight.gap() == min(point.exploitability for point in trace) == best(trace).exploitability
    )
    assert straight.answer == best(trace).iteration
    with tempfile.TemporaryDirectory() as folder:
        checkpoint = Checkpoint(Path(folder) / "run", RunTask("jumping", "", "none"))
        for stop in (*sorted(stops), 300):
            resumed = Jumping(jumps)
            run(resumed, resumed.gap, Limits(iterations=stop), checkpoint=checkpoint)
    assert resumed.answer == straight.answer


def test_a_trend_that_cannot_be_trusted_leaves_the_schedule() -> None:
    def trace(*gaps: float) -> list[TracePoint]:
        return [TracePoint(10 * (i + 1), 0.0, gap) for i, gap in enumerate(gaps)]

    assert next_due(20, trace(1, 0.5), 0.45) == 23
    assert next_due(20, trace(1, 0.5), 0.1) == 30  # far
    assert next_due(20, trace(1, 0.5), None) == 30
    assert next_due(20, trace(1, 0.5), 0.0) == 30
    assert next_due(20, trace(0.5, 1), 0.45) == 30  # rising
    assert next_due(20, trace(1, -1e-20), 0.45) == 30  # rounding
    assert next_due(10, trace(1), 0.45) == 20  # too short
    jumped = [*trace(1, 0.5), TracePoint(23, 0.0, 3.0)]
    assert next_due(23, jumped, 0.45) == 30


@pytest.mark.parametrize(
    "limits",
    [{"target": -1.0}, {"iterations": -1}, {"seconds": -0.1}, {"target": float("nan")}],
)
def test_bad_limits(limits: dict[str, float]) -> None:
    with pytest.raises(EndspielError):
        limits_of(None, limits)


def test_limits_end_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    game, ticks = kuhn(), count()
    monkeypatch.setattr(time, "perf_counter", lambda: 0.01 * next(ticks))
    assert solve(game, target=1e-2).stopped == "target"
    assert solve(game, iterations=25).iterations == 25
    timed = solve(game, target=0, seconds=0.1)
    assert timed.stopped == "seconds"
    assert timed.iterations > 0
    nothing = solve(game, iterations=0)
    assert (nothing.iterations, nothing.stopped) == (0, "iterations")
    assert [point.iteration for point in nothing.trace] == [0]


def test_observers_see_every_measurement() -> None:
    seen: list[TracePoint] = []
    solution = solve(kuhn(), "dcfr", Limits(iterations=55, observe=seen.append))
    assert tuple(seen) == solution.trace
    assert [point.iteration for point in seen] == [10, 20, 30, 40, 50, 55]


def test_a_run_in_a_thread_needs_no_signals() -> None:
    results: list[str] = []
    solver = CFR(kuhn(), SCHEMES["cfr+"])
    work = threading.Thread(
        target=lambda: results.append(run(solver, lambda: 1.0, Limits(iterations=12))[1])
    )
    work.start()
    work.join()
    assert results == ["iterations"]


def test_whoever_watches_may_halt_a_run() -> None:
    told: list[int] = []

    def halt(iteration: int, seconds: float) -> bool:
        told.append(iteration)
        return iteration >= 15

    solution = solve(kuhn(), target=0, halt=halt)
    assert solution.stopped == "interrupted"
    assert solution.iterations == told[-1] == solution.trace[-1].iteration
    assert told[0] == 0
    assert told[-2] < 15 <= told[-1]


def test_interrupt_keeps_what_was_found(tmp_path: Path) -> None:
    def interrupt(point: TracePoint) -> None:
        if point.iteration == 30:
            os.kill(os.getpid(), signal.SIGINT)

    game, path = kuhn(), tmp_path / "run"
    before = signal.getsignal(signal.SIGINT)
    solution = solve(game, target=0, observe=interrupt, checkpoint=path, keep_on_interrupt=True)
    assert solution.stopped == "interrupted"
    assert solution.exploitability == solution.trace[-1].exploitability
    assert signal.getsignal(signal.SIGINT) is before
    resumed = solve(game, iterations=500, checkpoint=path)
    assert signature(resumed) == signature(solve(game, iterations=500))


def test_checkpoints_of_something_else(tmp_path: Path) -> None:
    path = tmp_path / "run"
    solve(kuhn(), "cfr+", iterations=20, checkpoint=path)
    with pytest.raises(FileError, match="another game, kuhn, not of this coin-toss"):
        solve(coin_toss(), "cfr+", iterations=30, checkpoint=path)
    with pytest.raises(FileError, match="method cfr\\+, not dcfr"):
        solve(kuhn(), "dcfr", iterations=30, checkpoint=path)
    with pytest.raises(FileError, match="made with alternating True, not False"):
        solve(kuhn(), "cfr+", iterations=30, checkpoint=path, alternating=False)
    with pytest.raises(EndspielError, match="no checkpoint"):
        solve(kuhn(), "lp", checkpoint=path)
    record, arrays = files.load(path, "checkpoint")
    files.save(path, "checkpoint", record, {n: a for n, a in arrays.items() if n != "regret1"})
    with pytest.raises(FileError, match="no checkpoint of this solver"):
        solve(kuhn(), "cfr+", iterations=30, checkpoint=path)
    solve(kuhn(), "cfr+", iterations=20).save(path)
    with pytest.raises(FileError, match="holds a solution, not a checkpoint"):
        solve(kuhn(), "cfr+", iterations=30, checkpoint=path)


KILLED = """
import sys
from endspiel.games.leduc_holdem import leduc
from endspiel.solvers.solve import solve
solve(leduc(), sys.argv[2], target=0, checkpoint=sys.argv[1], checkpoint_seconds=0.0)
"""


@pytest.mark.parametrize("method", ["cfr+", "egt"])
def test_kill_leaves_a_checkpoint(method: str, tmp_path: Path) -> None:
    path = tmp_path / "run"
    before = 0
    for delay in (0.0, 0.03, 0.11):
        worker = started([sys.executable, "-c", KILLED, path, method])
        wait_until(lambda last=before: path.exists() and _iteration(path) > last, worker)
        time.sleep(delay)
        killed(worker)
        before = _iteration(path)
    resumed = solve(leduc(), method, iterations=before + 7, checkpoint=path)
    whole = solve(leduc(), method, iterations=before + 7)
    assert resumed.iterations == before + 7
    assert [b.tobytes() for b in resumed.profile.behavior] == [
        b.tobytes() for b in whole.profile.behavior
    ]


def _iteration(path: Path) -> int:
    """The iteration a checkpoint was written at."""
    _, arrays = files.load(path, "checkpoint")
    name = "iteration" if "iteration" in arrays else "counts"
    return int(arrays[name][0])

"""Work in processes of this machine: order, errors, deaths, bundles, blocks."""

import doctest
import os
import signal
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import endspiel.executor.blocks as blocks_module
import endspiel.executor.choice as choice_module
import endspiel.executor.executor as executor_module
from endspiel.errors import EndspielError
from endspiel.executor import (
    Executor,
    ExecutorTask,
    TaskNeeds,
    WorkerBug,
    WorkerDied,
    WorkerJob,
    WorkerTraceback,
    parse_workers,
)
from endspiel.executor.block_workers import OwnBlocks, StateLost
from endspiel.executor.blocks import BlockGroup, owners_of
from endspiel.executor.executor import AHEAD, Dispatch
from endspiel.executor.hosting import BlockOrder, KeptState, StepBlock
from endspiel.executor.processes import ProcessPool, WorkerProcess, close_all
from endspiel.executor.serving import ServingDesk
from endspiel.executor.tasks import Death, TaskNews
from endspiel.executor.tasks import TaskNeeds as Needs
from endspiel.processors import processors
from tests.children import finished
from tests.executor.work import Diary, Squares, Walk, begun, sum_in_order

JOB = WorkerJob(Squares, 5)


@pytest.fixture(scope="module")
def two() -> Iterator[Executor]:
    with Executor(2) as executor:
        yield executor


def test_results_come_in_the_order_of_the_tasks_from_several_processes(two: Executor) -> None:
    found = list(two.results(JOB, range(4000), patience=0))
    assert [square for square, _ in found] == [n * n + 5 for n in range(4000)]
    workers = {process for _, process in found}
    assert os.getpid() not in workers
    again = list(two.results(WorkerJob(Squares, 1), range(20), patience=0))
    assert [square for square, _ in again] == [n * n + 1 for n in range(20)]
    assert len(workers | {process for _, process in again}) <= 2  # the same, with a new worker
    assert list(two.results(JOB, [], patience=0)) == []


def test_short_work_is_done_here(two: Executor) -> None:
    assert {process for _, process in two.results(JOB, range(9), patience=600)} == {os.getpid()}
    with Executor(1) as alone:
        found = list(alone.results(JOB, range(9), patience=0))
    assert found == [(n * n + 5, os.getpid()) for n in range(9)]


def test_long_work_moves_to_other_processes_and_loses_nothing(two: Executor) -> None:
    """Work begins here, and goes on here until a process is ready."""
    tasks = (n for n in range(10**9))
    found, processes = [], set[int]()
    for square, process in two.results(JOB, tasks, patience=1e-6):
        found.append(square)
        processes.add(process)
        if len(processes) == 3:
            break
    assert found == [n * n + 5 for n in range(len(found))]
    assert os.getpid() in processes


ERRORS = [
    ("refused", EndspielError, "^this one is refused$"),
    ("bug", WorkerBug, "^ZeroDivisionError: by nothing$"),
    ("memory", MemoryError, "^$"),
    ("disk", OSError, "No space left"),
    ("lambda", WorkerBug, "pickle"),
]


@pytest.mark.parametrize(("task", "kind", "text"), ERRORS)
def test_errors_of_workers_come_home(
    task: Any, kind: type[Exception], text: str, two: Executor
) -> None:
    outcomes = {o.number: o for o in two.outcomes(JOB, [1, task, 2], patience=0)}
    assert [outcomes[n].found and outcomes[n].found[0] for n in range(3)] == [6, None, 9]
    error = outcomes[1].error
    assert isinstance(error, kind)
    assert isinstance(error.__cause__, WorkerTraceback)
    with pytest.raises(kind, match=text):
        list(two.results(JOB, [1, task, 2], patience=0))


def test_the_first_error_in_order_is_raised_after_the_results_before_it(two: Executor) -> None:
    results, taken = two.results(JOB, [1, 2, "refused", "bug", 3], patience=0), []
    with pytest.raises(EndspielError, match="refused"):
        taken.extend(square for square, _ in results)
    assert taken == [6, 9]


def test_a_task_whose_worker_is_killed_is_done_once_more(two: Executor, tmp_path: Path) -> None:
    job = WorkerJob(Diary, str(tmp_path))
    tasks = [(n, n == 3) for n in range(8)]
    assert list(two.results(job, tasks, patience=0)) == list(range(8))
    assert [len(by) for by in begun(tmp_path, 8)] == [1, 1, 1, 2, 1, 1, 1, 1]


def test_deaths_among_many_tasks_repeat_theirs_alone(two: Executor, tmp_path: Path) -> None:
    tasks = [(n, n in {40, 41, 99}) for n in range(200)]
    assert list(two.results(WorkerJob(Diary, str(tmp_path)), tasks, patience=0)) == list(range(200))
    assert [len(by) for by in begun(tmp_path, 200)] == [1 + deadly for _, deadly in tasks]


def test_a_task_that_kills_every_worker_is_given_up_alone(two: Executor) -> None:
    outcomes = {o.number: o for o in two.outcomes(JOB, [1, "die", 2, 3], patience=0)}
    assert [o.number for o in sorted(outcomes.values())] == [0, 1, 2, 3]
    assert [outcomes[n].found[0] for n in (0, 2, 3)] == [6, 9, 14]
    assert isinstance(outcomes[1].error, WorkerDied)
    assert str(outcomes[1].error) == (
        "2 workers died at the same task (killed by signal 9): it may need more memory than "
        "there is"
    )


class Room:
    """A pool of two that does the newer task first; tasks marked dead kill its worker once."""

    size = 2

    def __init__(self, deadly: set[int]) -> None:
        self.deadly = set(deadly)
        self.under_way: list[tuple[int, Any]] = []
        self.begun: Counter[int] = Counter()  # how often each task was
        self.most = 0

    def has_room(self, needs: Needs) -> bool:
        return len(self.under_way) < 2

    def submit(self, number: int, task: ExecutorTask) -> None:
        self.under_way.append((number, task.content))
        self.most = max(self.most, number)

    def wait(self) -> list[TaskNews]:
        number, content = self.under_way.pop()
        self.begun[number] += 1
        if number in self.deadly:
            self.deadly.discard(number)
            return [TaskNews(number, Death("gone"))]
        return [TaskNews(number, content * 2)]


def tasks(count: int) -> Iterator[tuple[int, ExecutorTask]]:
    return ((n, ExecutorTask(n)) for n in range(count))


@pytest.mark.parametrize("deadly", [set[int](), {0}, {7, 300}, {999}])
def test_every_task_has_one_outcome_in_order_whatever_dies(deadly: set[int]) -> None:
    found = list(Dispatch(Room(deadly), tasks(1000), 0).in_order())  # type: ignore[arg-type]
    assert [(o.number, o.found) for o in found] == [(n, 2 * n) for n in range(1000)]
    room = Room(deadly)
    unordered = list(Dispatch(room, tasks(1000), 0).as_found())  # type: ignore[arg-type]
    assert sorted(o.number for o in unordered) == list(range(1000))
    assert room.begun == Counter(range(1000)) + Counter(deadly)  # nothing finished is done again


def test_what_waits_for_an_earlier_result_is_told_at_once() -> None:
    """The pool answers the newer of its two tasks first, so that all wait for the first."""
    told: list[int] = []
    dispatch = Dispatch(Room(set()), tasks(9), 0)  # type: ignore[arg-type]
    outcomes = dispatch.in_order(lambda early: told.append(early.number))
    assert next(outcomes).number == 0
    assert told == list(range(1, 9))
    assert [outcome.number for outcome in outcomes] == told
    assert told == list(range(1, 9))


def test_no_more_is_drawn_than_results_may_wait() -> None:
    """The first task is answered last of all: the pool answers the newest."""
    room = Room(set())
    assert len(list(Dispatch(room, tasks(500), 0).in_order())) == 500  # type: ignore[arg-type]
    room = Room(set())
    results = Dispatch(room, tasks(500), 0).in_order()  # type: ignore[arg-type]
    next(results)
    assert room.most <= AHEAD * 2 + 2


def test_memory_and_gpus_are_shared_out(two: Executor) -> None:
    pool = ProcessPool(2, gpus=1, memory=10)
    with closing(pool):
        pool.begin("job", JOB, None)
        while len(pool._idle) < 2:
            assert pool.wait() == []
        pool.submit(0, ExecutorTask(2, TaskNeeds(gpus=1, memory_bytes=7)))
        assert pool.has_room(TaskNeeds(memory_bytes=3))
        assert not pool.has_room(TaskNeeds(memory_bytes=4))
        assert not pool.has_room(TaskNeeds(gpus=1))
        assert pool.wait()[0].answer[0] == 9  # type: ignore[index]
        assert pool.has_room(TaskNeeds(gpus=1, memory_bytes=11))  # alone
    with pytest.raises(EndspielError, match="needs 1 GPU and this machine's workers have 0"):
        list(two.results(JOB, [ExecutorTask(1, TaskNeeds(gpus=1)), 2], patience=0))


def test_less_may_be_used_than_was_asked_for() -> None:
    """Of this machine; nodes of a cluster have memory of their own."""
    for asked, most in ((4, 2), (2, 4)):
        executor = Executor(asked, memory=1000)
        executor.limit(most, 100)
        assert (executor.size, executor.memory) == (2, 100)
    there = Executor("auto")
    there.limit(2, 100)
    assert (there.choice.address, there.memory) == ("auto", None)


def test_blocks_have_the_same_digits_anywhere_and_survive_deaths(tmp_path: Path) -> None:
    sums = {}
    for workers, dies_at in ((1, -1), (2, -1), (3, 4)):
        folder = tmp_path / f"{workers}"
        folder.mkdir()
        starts = [(n, str(folder), dies_at if n == 1 else -1) for n in range(5)]
        with Executor(workers) as executor, executor.blocks(Walk, starts) as blocks:
            total, processes = np.zeros(3), set()
            for step in range(8):
                answers = blocks.step([step + float(total[n % 3]) for n in range(5)])
                total = sum_in_order([values for values, _ in answers])
                processes |= {process for _, process in answers}
                volumes = {kept.state.volume for kept in blocks._kept} if workers > 1 else set()
                assert volumes <= {(step + 1) % 2}  # what counts is not what is written over
            assert blocks.repeated <= 2  # the step that was lost, of the blocks of that worker
            assert [state["steps"] for state in blocks.states()] == [8] * 5
            sums[workers] = total.tolist()
            assert len(processes) == workers + (dies_at >= 0)
    assert sums[1] == sums[2] == sums[3]
    assert (tmp_path / "3" / "died 1").exists()


class LostNode(OwnBlocks):
    """A worker that is lost once with its node, before a step: only what was secured is left."""

    def __init__(self, dies_at: int) -> None:
        super().__init__()
        self.steps_left = dies_at
        self.secured: list[KeptState] = []

    def send(self, worker: int, orders: list[BlockOrder]) -> None:
        self.steps_left -= isinstance(orders[0], StepBlock)
        if self.steps_left:
            super().send(worker, orders)
            return
        self._desk, self.steps_left = ServingDesk(), -1
        self._answers.append((worker, Death("its node is gone")))

    def secure(self, kept: Sequence[KeptState]) -> None:
        self.secured = list(kept)

    def sendable(self, kept: KeptState) -> KeptState:
        if not any(kept is each for each in self.secured):
            raise StateLost
        return kept


@pytest.mark.parametrize(("dies_at", "repeated"), [(1, 1), (3, 3), (5, 1), (7, 3), (8, 4)])
def test_a_lost_node_repeats_the_steps_since_states_were_secured(
    dies_at: int, repeated: int, tmp_path: Path
) -> None:
    """They are every fourth step; those that were kept in between went with the node."""
    starts = [(n, str(tmp_path), -1) for n in range(3)]
    found = []
    for owner in (OwnBlocks(), LostNode(dies_at)):
        with BlockGroup(owner, Walk, starts, (1, 4)) as blocks:
            for step in range(9):
                answers = blocks.step([float(step + n) for n in range(3)])
            found.append([values.tolist() for values, _ in answers])
    assert found[0] == found[1]
    assert blocks.repeated == 3 * repeated


def test_states_that_are_asked_for_are_kept_where_they_are(tmp_path: Path) -> None:
    """They outlive a worker from then on, and do not come home from it: they may be too large."""
    starts = [(n, str(tmp_path), 5 if n == 0 else -1) for n in range(2)]
    with Executor(2) as executor, executor.blocks(Walk, starts, 100) as blocks:
        for step in range(5):
            answers = blocks.step([float(step)] * 2)
        states = blocks.states()
        for state, (sums, _) in zip(states, answers, strict=True):
            assert np.array_equal(state["sums"], sums)
            assert not state["large"].flags.owndata  # a view of the shelf
        blocks.step([5.0] * 2)  # a worker dies before it
        assert (tmp_path / "died 0").exists()
        assert blocks.repeated == 1


def test_workers_share_blocks_by_their_work() -> None:
    assert owners_of([1.0] * 5, 2) == [0, 1, 0, 1, 0]
    work = [1400, 2251, 2654, 2251, 2654, 2251, 873, 2251, 4132, 1400]
    for size in (1, 2, 3, 10):
        owners = owners_of(work, size)
        loads = [
            sum(w for w, owner in zip(work, owners, strict=True) if owner == n) for n in range(size)
        ]
        assert min(loads) > 0
        assert max(loads) - min(loads) <= max(work)
        assert size > 2 or max(loads) <= 1.02 * sum(work) / size


def test_blocks_go_on_from_states_and_tell_errors(tmp_path: Path) -> None:
    starts = [(n, str(tmp_path), -1) for n in range(3)]
    with Executor(2) as executor:
        with executor.blocks(Walk, starts, every=3) as blocks:
            for step in range(4):
                blocks.step([float(step)] * 3)
            states = blocks.states()
            whole = blocks.step([4.0] * 3)
        with executor.blocks(Walk, starts) as again:
            again.workers._workers[again._owners[0]].process.kill()  # type: ignore[attr-defined]
            again.restore(states)
            resumed = again.step([4.0] * 3)
            with pytest.raises(EndspielError, match="a message is not negative"):
                again.step([1.0, -1.0, 1.0])
    assert [v.tolist() for v, _ in whole] == [v.tolist() for v, _ in resumed]


def test_what_workers_are_said_to_be() -> None:
    assert parse_workers(None).processes == processors()
    assert parse_workers("3") == parse_workers(3)
    assert parse_workers("ray").address == "local"
    assert parse_workers("ray://head:10001").address == "ray://head:10001"
    assert parse_workers("auto").address == "auto"
    for bad in ("0", -1, "4x", "", "ray:/x", "ray://head", "ray://head:99999", "99999", "1.5"):
        with pytest.raises(EndspielError, match="workers are a number of processes from 1 to 4096"):
            parse_workers(bad)


SCRIPT = """
from endspiel.executor import Executor, WorkerJob
from tests.executor.work import Squares
print([n for n, _ in Executor(2).results(WorkerJob(Squares, 5, {guard}), [1, 2], patience=0)])
"""


@pytest.mark.parametrize("reads_script", [False, True])
def test_a_script_without_a_guard(reads_script: bool, tmp_path: Path) -> None:
    """Work that needs nothing of the script does without; else the sentence says what to do."""
    path = tmp_path / "script.py"
    path.write_text(SCRIPT.format(guard=reads_script))
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    done = finished([sys.executable, path], 1 if reads_script else 0, env=environment)
    if reads_script:
        assert 'under `if __name__ == "__main__":`' in done.stderr
    else:
        assert done.stdout == "[6, 9]\n"


MODULES = (blocks_module, choice_module, executor_module)


def test_the_examples_are_true() -> None:
    found = [doctest.testmod(module) for module in MODULES]
    assert [each.failed for each in found] == [0] * len(MODULES)
    assert all(each.attempted for each in found)


@pytest.mark.skipif(sys.platform == "win32", reason="process groups of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_worker_that_starts_is_not_stopped_before_it_serves(
    number: int, capfd: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C and SIGTERM go to whole process groups: who was starting would print a traceback."""
    worker = WorkerProcess(reads_script=False)
    try:
        assert worker.process.pid is not None
        os.kill(worker.process.pid, number)
        assert worker.hear() is None  # it is ready
        assert worker.ready
        assert isinstance(worker.hear(), Death)
    finally:
        close_all({worker: False})
    assert capfd.readouterr().err == ""
    assert number not in signal.pthread_sigmask(signal.SIG_BLOCK, [])

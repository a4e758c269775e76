"""Work on a local Ray cluster of two one-core nodes: the same digits, and every fault survived."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import endspiel as es
from endspiel.errors import EndspielError
from endspiel.executor import (
    Executor,
    ExecutorTask,
    TaskNeeds,
    WorkerBug,
    WorkerDied,
    WorkerJob,
)
from tests.batch.rivers import RIVER_CARDS, river
from tests.children import finished, wait_until
from tests.executor.cluster import TASKS, Gate, TwoNodes, WhereIs, note_all, two_nodes
from tests.executor.work import (
    Diary,
    Squares,
    Walk,
    begun,
    gone,
    sum_in_order,
)

JOB = WorkerJob(Squares, 5)


@pytest.fixture(scope="module")
def cluster() -> Iterator[TwoNodes]:
    with two_nodes() as made:
        yield made


@pytest.fixture
def nodes(cluster: TwoNodes) -> TwoNodes:
    cluster.fill()
    return cluster


@pytest.fixture
def executor(nodes: TwoNodes) -> Iterator[Executor]:
    with Executor("auto") as executor:
        yield executor


def test_results_come_in_order_and_errors_come_home(executor: Executor) -> None:
    assert executor.size == 2
    found = list(executor.results(JOB, range(3000)))
    assert [square for square, _ in found] == [n * n + 5 for n in range(3000)]
    assert os.getpid() not in {process for _, process in found}
    outcomes = {o.number: o for o in executor.outcomes(JOB, [1, "refused", "bug", "memory", 2])}
    assert [outcomes[n].found[0] for n in (0, 4)] == [6, 9]
    kinds = [type(outcomes[n].error) for n in (1, 2, 3)]
    assert kinds == [EndspielError, WorkerBug, MemoryError]
    with pytest.raises(EndspielError, match=r"^this one is refused$"):
        list(executor.results(JOB, [1, "refused", 2]))


def test_a_worker_killed_with_sigkill_costs_one_task(executor: Executor, tmp_path: Path) -> None:
    """What was done before the death is not done again."""
    tasks = [(n, n == 60) for n in range(100)]
    assert list(executor.results(WorkerJob(Diary, str(tmp_path)), tasks)) == list(range(100))
    assert [len(by) for by in begun(tmp_path, 100)] == [1 + (n == 60) for n in range(100)]
    outcomes = {o.number: o for o in executor.outcomes(JOB, [1, "die", 2])}
    assert [outcomes[n].found[0] for n in (0, 2)] == [6, 9]
    assert isinstance(outcomes[1].error, WorkerDied)
    assert "2 workers died at the same task" in str(outcomes[1].error)


def test_a_driver_that_is_killed_goes_on_where_it_was(nodes: TwoNodes, tmp_path: Path) -> None:
    notes, state = tmp_path / "notes", tmp_path / "state"
    notes.mkdir()
    root = str(Path(__file__).parents[2])
    command = [sys.executable, "-m", "tests.executor.cluster", notes, state, 3]
    finished(command, -signal.SIGKILL, env=os.environ | {"PYTHONPATH": root})
    noted = state.read_text().split()
    assert len(noted) == 3
    assert note_all(str(notes), str(state), -1) == 3
    by = begun(notes, TASKS)
    assert all(len(by[int(n)]) == 1 for n in noted)  # nothing that was noted is done again
    assert sum(len(each) - 1 for each in by) <= 2 + 1  # what workers were at, and one waiting


@pytest.mark.slow
def test_spots_are_solved_to_the_same_bits(nodes: TwoNodes) -> None:
    spots = [river(card) for card in RIVER_CARDS[:2]]
    there = es.solve_many(spots, iterations=20, workers="auto")
    for one, two in zip(there, es.solve_many(spots, iterations=20, workers=1), strict=True):
        assert {**one.record, "seconds": 0} == {**two.record, "seconds": 0}
        ours, theirs = (each.solution.boards.average for each in (one, two))
        assert (ours == theirs).all()


def test_blocks_on_a_cluster_have_the_same_digits_and_a_killed_one_repeats_one_step(
    executor: Executor, tmp_path: Path
) -> None:
    sums = []
    for workers, dies_at in ((Executor(1), -1), (executor, 2)):
        folder = tmp_path / f"{dies_at}"
        folder.mkdir()
        starts = [(n, str(folder), dies_at if n == 1 else -1) for n in range(4)]
        with workers.blocks(Walk, starts) as blocks:
            total = np.zeros(3)
            for step in range(5):
                answers = blocks.step([step + float(total[n % 3]) for n in range(4)])
                total = sum_in_order([values for values, _ in answers])
            assert blocks.repeated <= 2
        sums.append(total.tolist())
    assert sums[0] == sums[1]
    assert (tmp_path / "2" / "died 1").exists()


def test_a_task_says_what_it_can_use(nodes: TwoNodes, executor: Executor) -> None:
    """Tasks that can use a GPU go to the node that has one, beside those that need none."""
    job = WorkerJob(WhereIs, None)
    wants = ExecutorTask("gpu", TaskNeeds(gpus=1))
    with pytest.raises(EndspielError, match="no node of the Ray cluster has 2 GPU and a free core"):
        list(executor.results(job, [ExecutorTask("gpus", TaskNeeds(gpus=2))]))
    with pytest.raises(EndspielError, match="no node of the Ray cluster has more than"):
        list(executor.results(job, [ExecutorTask("all", TaskNeeds(memory_bytes=1 << 60))]))
    found = list(executor.results(job, [wants, "plain", wants, "plain"]))
    there = str(nodes.second.node_id)
    assert [(where == there, gpus) for where, gpus in found[::2]] == [(True, "0")] * 2
    assert [gpus for _, gpus in found[1::2]] == [""] * 2


def test_another_cluster_than_the_one_connected_to_is_refused(nodes: TwoNodes) -> None:
    with pytest.raises(EndspielError, match="connected to another Ray cluster already"):
        Executor("ray://127.0.0.1:9").cluster  # noqa: B018


def test_a_node_taken_away_costs_one_step(
    nodes: TwoNodes, executor: Executor, tmp_path: Path
) -> None:
    """Blocks lose their worker between steps, and what it kept on its node."""
    starts = [(n, str(tmp_path), -1) for n in range(4)]
    with Executor(1) as alone, alone.blocks(Walk, starts) as blocks:
        expected = [[v.tolist() for v, _ in blocks.step([float(s)] * 4)] for s in range(4)]
    with executor.blocks(Walk, starts) as blocks:
        found = [[v.tolist() for v, _ in blocks.step([float(s)] * 4)] for s in range(2)]
        nodes.take_away()
        nodes.fill()
        found += [[v.tolist() for v, _ in blocks.step([float(s)] * 4)] for s in range(2, 4)]
        assert 1 <= blocks.repeated <= 2  # one step of the two blocks that lived there
    assert found == expected


def test_a_node_taken_away_costs_one_task(
    nodes: TwoNodes, executor: Executor, tmp_path: Path
) -> None:
    """Tasks wait at a gate until the node is gone; the other does the rest."""
    results = executor.results(WorkerJob(Gate, str(tmp_path)), list(range(6)))
    assert next(results) == 0
    notes = {n: tmp_path / f"on {n}" for n in (1, 2)}
    wait_until(lambda: all(note.exists() and note.read_text() for note in notes.values()))
    lost = nodes.take_away()
    at = [n for n, note in notes.items() if note.read_text() == lost]
    wait_until(lambda: all(gone((tmp_path / f"{n}").read_text().strip()) for n in at))
    (tmp_path / "open").touch()
    assert list(results) == [1, 2, 3, 4, 5]
    assert [len(each) for each in begun(tmp_path, 6)] == [1 + (n in at) for n in range(6)]
    assert len(at) == 1

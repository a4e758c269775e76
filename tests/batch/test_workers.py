"""Batches by other processes: the same digits, files and errors as in this one."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

import endspiel as es
import endspiel.executor.executor as executor_module
from endspiel.batch import backends
from endspiel.batch.planning import SpotMethod
from endspiel.batch.spot_jobs import SpotJob, SpotStart
from endspiel.engine.limits import Limits
from endspiel.executor import ExecutorTask, TaskNeeds, TaskOutcome, WorkerDied, WorkerJob
from endspiel.gpu.backend import numpy_machine
from endspiel.solving.spots import SpotOptions
from tests.batch.rivers import RIVER_CARDS, river

SPOTS = [river(card) for card in RIVER_CARDS]


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is solved in this process where there may be others."""
    monkeypatch.setattr(executor_module, "PATIENCE", 0.0)


@pytest.mark.usefixtures("at_once")
def test_solutions_of_other_processes_are_the_same_to_the_last_bit(tmp_path: Path) -> None:
    spots = [*SPOTS, tmp_path / "none.toml"]
    here = es.solve_many(spots, iterations=20, workers=1)
    there = es.solve_many(spots, iterations=20, workers=2)
    saved = es.solve_many(spots, iterations=20, workers=2, save=tmp_path)
    for one, two, three in zip(here[:4], there[:4], saved[:4], strict=True):
        solutions = [each.solution for each in (one, two, three)]
        assert len({solution.value for solution in solutions}) == 1
        assert len({solution.exploitability for solution in solutions}) == 1
        first, *others = [solution.boards.average for solution in solutions]
        assert all((first == other).all() for other in others)
        timeless = [{**each.record, "seconds": 0} for each in (one, two, three)]
        assert timeless[0] == timeless[1] == timeless[2]
    assert here[4].error == there[4].error == f"there is no file {tmp_path / 'none.toml'}"


class GpuNodes:
    """A cluster whose nodes have GPUs, this machine none; work is done here, by the twin."""

    on_cluster = True

    def __init__(self) -> None:
        self.asked: list[TaskNeeds] = []

    def outcomes(self, job: WorkerJob, tasks: list[ExecutorTask]) -> Iterator[TaskOutcome]:
        for number, task in reversed([*enumerate(tasks)]):
            self.asked.append(task.needs)
            if number == 1:
                yield TaskOutcome(number, None, WorkerDied("2 workers died"))
                continue
            yield TaskOutcome(number, job.make(job.start).work(task.content))


def test_groups_of_spots_go_to_gpus_of_a_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    """None is needed here; what becomes of a group becomes of each of its spots."""
    monkeypatch.setattr(backends, "TOGETHER", 2)
    monkeypatch.setattr(backends, "cuda_machine", numpy_machine)
    monkeypatch.setattr(backends, "cuda_device", lambda: SimpleNamespace(free_bytes=lambda: 10**9))
    nodes, limits = GpuNodes(), Limits(iterations=20)
    start = SpotStart(SpotMethod(None, SpotOptions(), limits), lambda found: found.exploitability)
    jobs = (SpotJob(number, spot, 0) for number, spot in enumerate([*SPOTS, SPOTS[0]]))
    found = sorted(backends.backend("cuda", nodes, 0).solve(jobs, start))  # type: ignore[arg-type]
    assert nodes.asked == [TaskNeeds(gpus=1)] * 3
    assert [one.number for one in found] == [0, 1, 2, 3, 4]
    assert [type(one.error) for one in found[2:4]] == [WorkerDied] * 2
    alone = es.solve_many(SPOTS[:2], iterations=20, workers=1)
    expected = [one.record["exploitability"] for one in alone]
    assert [found[n].found for n in (0, 1, 4)] == pytest.approx([*expected, expected[0]], rel=1e-4)

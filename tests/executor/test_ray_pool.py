"""What Ray is asked for, without Ray: what tasks can use, and no more than there is room for."""

import signal
from types import SimpleNamespace
from typing import Any

import pytest

from endspiel.executor import TaskNeeds, WorkerJob
from endspiel.executor.choice import LOCAL_RAY
from endspiel.executor.ray_cluster import RayCluster
from endspiel.executor.ray_pool import RayPool
from endspiel.executor.tasks import ExecutorTask
from endspiel.interrupts import stoppable
from tests.executor.work import Squares


class Asked:
    """Ray that only notes what it is asked for."""

    def __init__(self) -> None:
        self.options: list[dict[str, Any]] = []

    def remote(self, **given: Any) -> Any:
        def task(**more: Any) -> Any:
            return SimpleNamespace(
                options=lambda **special: task(**given, **special),
                remote=lambda *sent: self.options.append(more or given) or object(),
            )

        return lambda function: task()

    def put(self, found: object) -> object:
        return found


def pool_of(asked: Asked, cores: int, gpus: int) -> RayPool:
    cluster = SimpleNamespace(
        ray=asked, is_client=False, cores=cores, gpus=lambda: gpus, check=lambda needs: None
    )
    pool = RayPool(cluster)  # type: ignore[arg-type]
    pool.begin("job", WorkerJob(Squares, 5), None)
    return pool


def filled(pool: RayPool, needs: TaskNeeds) -> int:
    """How many tasks it takes until there is no room."""
    count = 0
    while pool.has_room(needs):
        pool.submit(count, ExecutorTask(count, needs))
        count += 1
        assert count < 100
    return count


def test_one_task_more_is_under_way_than_are_worked_at() -> None:
    assert filled(pool_of(Asked(), cores=2, gpus=0), TaskNeeds()) == 3
    pool = pool_of(Asked(), cores=8, gpus=1)
    assert filled(pool, TaskNeeds(gpus=1)) == 2
    assert filled(pool, TaskNeeds()) == 9 - 2


def test_ray_is_told_what_a_task_can_use() -> None:
    asked = Asked()
    pool = pool_of(asked, 2, 1)
    for needs in (TaskNeeds(), TaskNeeds(gpus=1), TaskNeeds(memory_bytes=7)):
        pool.submit(0, ExecutorTask(0, needs))
    plain, on_gpu, large = asked.options
    assert (plain["num_cpus"], plain["max_retries"]) == (1, 0)  # who died is this side's to mourn
    assert on_gpu == {**plain, "num_gpus": 1}
    assert large == {**plain, "memory": 7}


def test_a_command_still_hears_sigterm_once_ray_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ray sets a handler of its own, which would end the command without a word."""
    ray = SimpleNamespace(
        is_initialized=lambda: False,
        init=lambda **_: signal.signal(signal.SIGTERM, signal.SIG_DFL),
    )
    monkeypatch.setattr("endspiel.executor.ray_cluster.load_ray", lambda: ray)
    with stoppable():
        before = signal.getsignal(signal.SIGTERM)
        RayCluster(LOCAL_RAY)
        assert signal.getsignal(signal.SIGTERM) is before
    usual = signal.getsignal(signal.SIGTERM)
    ray.init = lambda **_: signal.signal(signal.SIGTERM, signal.SIG_IGN)
    RayCluster(LOCAL_RAY)
    assert signal.signal(signal.SIGTERM, usual) == signal.SIG_IGN  # outside of commands it is Ray's

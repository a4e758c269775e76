"""A local cluster of two one-core nodes, started once for all tests that ask for it."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from endspiel.executor import Executor, WorkerJob
from endspiel.executor.ray_cluster import load_ray
from endspiel.growing import GrowingFile
from tests.executor.work import Diary

TASKS = 8  # of `note_all`
# A node that is gone is noticed in seconds; one that is slow has half a minute to answer.
NOTICED_SOON = {
    "health_check_initial_delay_ms": 0,
    "health_check_period_ms": 1000,
    "health_check_timeout_ms": 10_000,
    "health_check_failure_threshold": 3,
    "memory_monitor_refresh_ms": 0,  # what others on the machine take kills no worker
}


# Processes that nothing here needs, each seconds of a core to start.
WITHOUT = {"include_dashboard": False, "no_monitor": True, "include_log_monitor": False}


class TwoNodes:
    """A head and a node of one core each; the node, said to have a GPU, can be taken away."""

    def __init__(self) -> None:
        self.ray = load_ray()
        from ray.cluster_utils import Cluster

        head = {"num_cpus": 1, "_system_config": NOTICED_SOON, **WITHOUT}
        self.cluster = Cluster(initialize_head=True, head_node_args=head)
        self.second: Any = None
        self.fill()
        self.ray.init(address=self.cluster.address, log_to_driver=False, logging_level="ERROR")

    @property
    def address(self) -> str:
        return str(self.cluster.address)

    def fill(self) -> None:
        """See that there is a second node."""
        if self.second is None:
            self.second = self.cluster.add_node(num_cpus=1, num_gpus=1)

    def take_away(self) -> str:
        """Kill the second node with all that runs on it: which it was."""
        node, self.second = self.second, None
        self.cluster.remove_node(node, allow_graceful=False)
        return str(node.node_id)

    def close(self) -> None:
        self.ray.shutdown()
        self.cluster.shutdown()


@contextmanager
def two_nodes() -> Iterator[TwoNodes]:
    """The cluster, also for processes that look for one by themselves."""
    nodes = TwoNodes()
    before = os.environ.get("RAY_ADDRESS")
    os.environ["RAY_ADDRESS"] = nodes.address
    try:
        yield nodes
    finally:
        if before is None:
            del os.environ["RAY_ADDRESS"]
        else:
            os.environ["RAY_ADDRESS"] = before
        nodes.close()


class Gate(Diary):
    """Tasks after the first wait until a file is there."""

    def work(self, task: int) -> int:  # type: ignore[override]
        import ray

        super().work((task, False))
        node = ray.get_runtime_context().get_node_id()
        (self.folder / f"on {task}").write_text(str(node))
        while task and not (self.folder / "open").exists():
            time.sleep(0.02)
        return task


class WhereIs:
    """Tells on which node a task is done, and with which graphics processors."""

    def __init__(self, start: None) -> None:
        pass

    def work(self, task: str) -> tuple[str, str]:
        import ray

        context = ray.get_runtime_context()
        return str(context.get_node_id()), ",".join(context.get_accelerator_ids()["GPU"])

    def close(self) -> None:
        pass


class Slow(Diary):
    """Tasks that take long enough to be handed over one by one."""

    def work(self, task: tuple[int, bool]) -> int:
        found = super().work(task)
        time.sleep(0.3)
        return found


def note_all(folder: str, state: str, die_after: int) -> int:
    """Do what a state does not have, each noted as it is found: how many it had."""
    path = Path(state)
    had = path.read_text().split() if path.exists() else []
    left = [n for n in range(TASKS) if f"{n}" not in had]
    with GrowingFile(path, "busy") as notes, Executor("auto") as executor:
        notes.cut(path.stat().st_size)
        outcomes = executor.outcomes(WorkerJob(Slow, folder), [(n, False) for n in left])
        for done, outcome in enumerate(outcomes, 1):
            notes.put([f"{left[outcome.number]}"])
            if done == die_after:
                os.kill(os.getpid(), signal.SIGKILL)
    return len(had)


if __name__ == "__main__":
    note_all(sys.argv[1], sys.argv[2], int(sys.argv[3]))

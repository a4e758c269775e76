"""Workers of a Ray cluster: Ray finds the processes, places tasks and notices deaths.

What a lost worker was at is handed over again by `Dispatch` and `BlockGroup`, as for processes of
this machine, and never by Ray itself: repeated work is then counted, and a task that kills every
worker which takes it is given up.
"""

from collections.abc import Callable
from typing import Any, Final

from endspiel import __version__
from endspiel.errors import EndspielError
from endspiel.executor.ray_cluster import RayCluster, check_version
from endspiel.executor.serving import ServingDesk
from endspiel.executor.tasks import Death, ExecutorTask, TaskNeeds, TaskNews, WorkerJob

_SPARE: Final = 1  # tasks beyond those that are worked at, so that no core waits for the next
_LOOK_SECONDS: Final = 5.0  # without an answer, after which the nodes are checked
_DESK = ServingDesk()  # of a process that Ray started


class RayPool:
    """Tasks that Ray places: one core each, and a graphics processor where one is wanted."""

    def __init__(self, cluster: RayCluster) -> None:
        self.cluster = cluster
        self._ray = cluster.ray
        self._serve = self._ray.remote(max_retries=0, num_cpus=1)(serve_task)
        self._token, self._job = "", None
        self._under_way: dict[Any, tuple[int, TaskNeeds]] = {}  # by Ray's reference: its number
        self._checked: set[TaskNeeds] = set()

    @property
    def size(self) -> int:
        """See `WorkerPool`."""
        return self.cluster.cores

    def begin(self, token: str, job: WorkerJob, count: int | None) -> None:
        """See `WorkerPool`."""
        self._token, self._job = token, self._ray.put(job)

    def ready(self) -> bool:
        """See `WorkerPool`: Ray takes work at once."""
        return True

    def has_room(self, needs: TaskNeeds) -> bool:
        """See `WorkerPool`."""
        if needs not in self._checked:
            self.cluster.check(needs)
            self._checked.add(needs)
        if not needs.gpus:
            return len(self._under_way) < self.size + _SPARE
        waiting = [number for number, each in self._under_way.values() if each.gpus]
        return len(waiting) < self.cluster.gpus() + _SPARE

    def submit(self, number: int, task: ExecutorTask) -> None:
        """See `WorkerPool`."""
        needs = task.needs
        special: dict[str, Any] = {}
        if needs.gpus:
            special["num_gpus"] = needs.gpus
        if needs.memory_bytes:
            special["memory"] = needs.memory_bytes
        serve = self._serve.options(**special) if special else self._serve
        ref = serve.remote(__version__, self._token, [self._job], task.content)
        self._under_way[ref] = number, needs

    def wait(self) -> list[TaskNews]:
        """See `WorkerPool`."""
        done, _ = self._ray.wait(list(self._under_way), num_returns=1, timeout=_LOOK_SECONDS)
        if not done:
            for needs in {each for _, each in self._under_way.values()}:
                self.cluster.check(needs)
        return [TaskNews(self._under_way.pop(ref)[0], answer_of(self._ray, ref)) for ref in done]

    def drop(self) -> None:
        """See `WorkerPool`."""
        for ref in self._under_way:
            self._ray.cancel(ref, force=True)
        self._under_way = {}

    def close(self) -> None:
        """See `WorkerPool`."""
        self.drop()
        self._job = None


def serve_task(version: str, token: str, job: list[Any], content: Any) -> Any:
    """A task, in a process of the cluster; the job is fetched where it is new."""
    check_version(version)
    return _DESK.found(token, _fetched(job), content)


def _fetched(job: list[Any]) -> Callable[[], WorkerJob]:
    def fetch() -> WorkerJob:
        import ray

        found: WorkerJob = ray.get(job[0])
        return found

    return fetch


def answer_of(ray: Any, ref: Any) -> Any | Death:
    """The answer that Ray has, or how its worker was lost."""
    lost = ray.exceptions
    try:
        return ray.get(ref)
    except lost.OutOfMemoryError:
        return Death("its node was out of memory")
    except (lost.NodeDiedError, lost.ObjectLostError):
        return Death("its node is gone")
    except (lost.WorkerCrashedError, lost.ActorDiedError, lost.ActorUnavailableError):
        return Death("its process is gone")
    except lost.OutOfDiskError as error:
        raise EndspielError("a node of the Ray cluster has no disk space left") from error
    except lost.RayTaskError as error:
        cause = error.as_instanceof_cause()
        if isinstance(cause, EndspielError):
            raise EndspielError(str(error.cause)) from error
        raise EndspielError(f"a worker of the Ray cluster failed: {error.cause!r}") from error

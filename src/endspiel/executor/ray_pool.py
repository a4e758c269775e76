"""Workers of a Ray cluster: Ray finds the processes, places pieces and notices deaths.

What a lost worker was at is handed over again by `Dispatch` and `BlockGroup`, as for processes of
this machine, and never by Ray itself: what was repeated is then known, and a task that kills
the job that takes it is given up.
"""

import sys
from collections.abc import Callable, Iterator
from typing import Any, Final

from endspiel import __version__
from endspiel.errors import EndspielError
from endspiel.executor.ray_cluster import RayCluster, check_version
from endspiel.executor.serving import ServingDesk
from endspiel.executor.tasks import Death, Piece, PieceNews, TaskAnswer, TaskNeeds, WorkerJob

_SPARE: Final = 1  # pieces beyond those that are worked at, so that no core waits for the next
_LOOK_SECONDS: Final = 5.0  # without an answer, after which the nodes are checked
# The next task of a piece is begun when the answer of the last is home: a worker that is killed
# then takes no answer with it. It costs half a millisecond a task.
_TOLD_AT_ONCE: Final = {"num_returns": "streaming", "_generator_backpressure_num_objects": 1}
_DESK = ServingDesk()  # of a process that Ray started


class RayPool:
    """Tasks that Ray places: one core each, and a graphics processor where one is wanted.

    Answers of a piece come home one by one; a client of a cluster elsewhere is sent no such
    streams, and hands over tasks one by one.
    """

    def __init__(self, cluster: RayCluster) -> None:
        self.cluster = cluster
        self._ray = cluster.ray
        self.most_tasks = 1 if cluster.is_client else sys.maxsize
        once = {"max_retries": 0, "num_cpus": 1}
        self._serve = (
            self._ray.remote(**once)(serve_task)
            if cluster.is_client
            else self._ray.remote(**once, **_TOLD_AT_ONCE)(serve_piece)
        )
        self._token, self._job = "", None
        self._under_way: dict[Any, Piece] = {}  # by Ray's reference, or its stream of references
        self._left: dict[Any, int] = {}  # tasks not yet reported
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
        waiting = [piece for piece in self._under_way.values() if piece.needs.gpus]
        return len(waiting) < self.cluster.gpus() + _SPARE

    def submit(self, piece: Piece) -> None:
        """See `WorkerPool`."""
        needs = piece.needs
        special: dict[str, Any] = {}
        if needs.gpus:
            special["num_gpus"] = needs.gpus
        if needs.memory_bytes:
            special["memory"] = needs.memory_bytes
        serve = self._serve.options(**special) if special else self._serve
        ref = serve.remote(__version__, self._token, [self._job], piece.contents)
        self._under_way[ref], self._left[ref] = piece, len(piece.numbers)

    def wait(self) -> list[PieceNews]:
        """See `WorkerPool`."""
        refs = list(self._under_way)
        done, _ = self._ray.wait(refs, num_returns=1, timeout=_LOOK_SECONDS)
        if not done:
            for needs in {piece.needs for piece in self._under_way.values()}:
                self.cluster.check(needs)
        return [self._news(ref) for ref in done]

    def _news(self, ref: Any) -> PieceNews:
        """What became of the next task of a piece."""
        news = PieceNews(
            self._under_way[ref],
            answer_of(self._ray, ref if self.cluster.is_client else next(ref)),
        )
        self._left[ref] -= 1
        if isinstance(news.answer, Death) or not self._left[ref]:
            del self._under_way[ref], self._left[ref]
        return news

    def drop(self) -> None:
        """See `WorkerPool`."""
        for ref in self._under_way:
            self._ray.cancel(ref, force=True)
        self._under_way, self._left = {}, {}

    def close(self) -> None:
        """See `WorkerPool`."""
        self.drop()
        self._job = None


def serve_piece(
    version: str, token: str, job: list[Any], contents: list[Any]
) -> Iterator[TaskAnswer]:
    """A piece, in a process of the cluster; the job is fetched where it is new."""
    check_version(version)
    yield from _DESK.serve(token, _fetched(job), contents)


def serve_task(version: str, token: str, job: list[Any], contents: list[Any]) -> TaskAnswer:
    """A piece of one task."""
    (answer,) = serve_piece(version, token, job, contents)
    return answer


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

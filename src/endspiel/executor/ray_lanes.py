"""Lanes that are actors of a Ray cluster: their states come home in its object store."""

from typing import Any

from endspiel import __version__
from endspiel.executor.hosting import BlockOrder, KeptState, hosting
from endspiel.executor.lanes import LaneAnswer
from endspiel.executor.ray_cluster import RayCluster, check_version
from endspiel.executor.ray_pool import answer_of
from endspiel.executor.serving import ServingDesk
from endspiel.executor.tasks import Death


class RayLanes:
    """An actor a lane, on whichever node has a core for it."""

    def __init__(self, cluster: RayCluster, size: int) -> None:
        self.size = size
        self._ray = cluster.ray
        self._actor = self._ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(LaneActor)
        self._actors = [self._actor.remote() for _ in range(size)]
        self._under_way: dict[Any, int] = {}

    def send(self, lane: int, orders: list[BlockOrder]) -> None:
        """See `Lanes`."""
        self._under_way[self._actors[lane].serve.remote(__version__, orders)] = lane

    def wait(self) -> list[LaneAnswer]:
        """See `Lanes`."""
        done, _ = self._ray.wait(list(self._under_way), num_returns=1)
        found: list[LaneAnswer] = []
        for ref in done:
            lane, said = self._under_way.pop(ref), answer_of(self._ray, ref)
            if isinstance(said, Death):
                self._actors[lane] = self._actor.remote()
            found.append((lane, said))
        return found

    def opened(self, lane: int, kept: KeptState) -> Any:
        """See `Lanes`."""
        return kept.state

    def close(self) -> None:
        """See `Lanes`."""
        for actor in self._actors:
            self._ray.kill(actor)
        self._actors, self._under_way = [], {}


class LaneActor:
    """The process of a lane."""

    def __init__(self) -> None:
        self._desk, self._job = ServingDesk(), hosting()

    def serve(self, version: str, orders: list[BlockOrder]) -> list[Any]:
        """Do what is asked of the lane's blocks."""
        check_version(version)
        served = self._desk.serve("blocks", lambda: self._job, orders)
        return [answer.found for answer in served]

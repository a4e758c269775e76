"""Workers that own blocks, as actors of a Ray cluster; its object store keeps their states.

States that are kept stay on their node, where they outlive the worker; those that are secured come
home, where they outlive the node.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from endspiel import __version__
from endspiel.executor.block_workers import StateLost, WorkerAnswer
from endspiel.executor.hosting import BlockOrder, BlockStepped, KeptState, hosting
from endspiel.executor.ray_cluster import RayCluster, check_version
from endspiel.executor.ray_pool import answer_of
from endspiel.executor.serving import ServingDesk
from endspiel.executor.tasks import Death, TaskFailure


@dataclass(eq=False)
class StatesThere:
    """The states that a worker kept after a step: Ray's reference, or themselves once fetched."""

    reference: Any
    found: list[Any] | None = None

    def fetched(self, ray: Any) -> list[Any]:
        """The states here; `StateLost` if they are gone."""
        if self.found is None:
            try:
                self.found = ray.get(self.reference)
            except ray.exceptions.RayError as error:
                raise StateLost from error
        return self.found


class StateThere(NamedTuple):
    """One of the states that a worker kept."""

    states: StatesThere
    number: int


class RayBlocks:
    """An actor a worker, on whichever node has a core for it."""

    def __init__(self, cluster: RayCluster, size: int) -> None:
        self.size = size
        self._ray = cluster.ray
        self._actor = self._ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(BlockActor)
        self._actors = [self._actor.remote() for _ in range(size)]
        self._under_way: dict[Any, tuple[int, Any]] = {}  # by answer: worker and kept states

    def send(self, worker: int, orders: list[BlockOrder]) -> None:
        """See `BlockWorkers`."""
        serve = self._actors[worker].serve.options(num_returns=2)
        answer, states = serve.remote(__version__, orders)
        self._under_way[answer] = worker, states

    def wait(self) -> list[WorkerAnswer]:
        """See `BlockWorkers`."""
        done, _ = self._ray.wait(list(self._under_way), num_returns=1)
        found: list[WorkerAnswer] = []
        for ref in done:
            (worker, states), said = self._under_way.pop(ref), answer_of(self._ray, ref)
            if isinstance(said, Death):
                self._actors[worker] = self._actor.remote()
            elif not isinstance(said, TaskFailure):
                said = self._with_states(said, states)
            found.append((worker, said))
        return found

    def _with_states(self, found: list[Any], states: Any) -> list[Any]:
        """What a worker's orders gave, the states that were kept by reference."""
        kept = [each for each in found if isinstance(each, BlockStepped) and each.kept is not None]
        if not kept:
            return found
        held = StatesThere(states)
        at = {id(each): KeptState(StateThere(held, number)) for number, each in enumerate(kept)}
        return [each._replace(kept=at[id(each)]) if id(each) in at else each for each in found]

    def opened(self, worker: int, kept: KeptState) -> Any:
        """See `BlockWorkers`."""
        return self.sendable(kept).state

    def sendable(self, kept: KeptState) -> KeptState:
        """See `BlockWorkers`."""
        state = kept.state
        if not isinstance(state, StateThere):
            return kept
        return KeptState(state.states.fetched(self._ray)[state.number])

    def secure(self, kept: Sequence[KeptState]) -> None:
        """See `BlockWorkers`."""
        for each in kept:
            if isinstance(each.state, StateThere):
                each.state.states.fetched(self._ray)

    def close(self) -> None:
        """See `BlockWorkers`."""
        for actor in self._actors:
            self._ray.kill(actor)
        self._actors, self._under_way = [], {}


class BlockActor:
    """The process of a worker."""

    def __init__(self) -> None:
        self._desk, self._job = ServingDesk(), hosting()

    def serve(
        self, version: str, orders: list[BlockOrder]
    ) -> tuple[list[Any] | TaskFailure, list[Any]]:
        """Return what each order gave, and the states kept."""
        check_version(version)
        found, states = self._desk.found("blocks", lambda: self._job, orders), list[Any]()
        if isinstance(found, TaskFailure):
            return found, states
        for number, each in enumerate(found):
            if isinstance(each, BlockStepped) and each.kept is not None:
                states.append(each.kept.state)
                found[number] = each._replace(kept=KeptState(None))
        return found, states

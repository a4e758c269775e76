"""Lanes that are actors of a Ray cluster: their states are kept in its object store.

States that are kept stay on their node, where they outlive the worker; those that are secured come
home, where they outlive the node.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from endspiel import __version__
from endspiel.executor.hosting import BlockOrder, BlockStepped, KeptState, hosting
from endspiel.executor.lanes import LaneAnswer, StateLost
from endspiel.executor.ray_cluster import RayCluster, check_version
from endspiel.executor.ray_pool import answer_of
from endspiel.executor.serving import ServingDesk
from endspiel.executor.tasks import Death


@dataclass(eq=False)
class LaneStates:
    """The states that a lane kept after a step: Ray's reference, or themselves once fetched."""

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


class LaneState(NamedTuple):
    """One of the states that a lane kept."""

    states: LaneStates
    number: int


class RayLanes:
    """An actor a lane, on whichever node has a core for it."""

    def __init__(self, cluster: RayCluster, size: int) -> None:
        self.size = size
        self._ray = cluster.ray
        self._actor = self._ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(LaneActor)
        self._actors = [self._actor.remote() for _ in range(size)]
        self._under_way: dict[Any, tuple[int, Any]] = {}  # by answer: lane and kept states

    def send(self, lane: int, orders: list[BlockOrder]) -> None:
        """See `Lanes`."""
        serve = self._actors[lane].serve.options(num_returns=2)
        answer, states = serve.remote(__version__, orders)
        self._under_way[answer] = lane, states

    def wait(self) -> list[LaneAnswer]:
        """See `Lanes`."""
        done, _ = self._ray.wait(list(self._under_way), num_returns=1)
        found: list[LaneAnswer] = []
        for ref in done:
            (lane, states), said = self._under_way.pop(ref), answer_of(self._ray, ref)
            if isinstance(said, Death):
                self._actors[lane] = self._actor.remote()
            else:
                said = self._with_states(said, states)
            found.append((lane, said))
        return found

    def _with_states(self, found: list[Any], states: Any) -> list[Any]:
        """What a lane's orders gave, the states that were kept by reference."""
        kept = [each for each in found if isinstance(each, BlockStepped) and each.kept is not None]
        if not kept:
            return found
        held = LaneStates(states)
        at = {id(each): KeptState(LaneState(held, number)) for number, each in enumerate(kept)}
        return [each._replace(kept=at[id(each)]) if id(each) in at else each for each in found]

    def opened(self, lane: int, kept: KeptState) -> Any:
        """See `Lanes`."""
        return self.sendable(kept).state

    def sendable(self, kept: KeptState) -> KeptState:
        """See `Lanes`."""
        state = kept.state
        if not isinstance(state, LaneState):
            return kept
        return KeptState(state.states.fetched(self._ray)[state.number])

    def secure(self, kept: Sequence[KeptState]) -> None:
        """See `Lanes`."""
        for each in kept:
            if isinstance(each.state, LaneState):
                each.state.states.fetched(self._ray)

    def close(self) -> None:
        """See `Lanes`."""
        for actor in self._actors:
            self._ray.kill(actor)
        self._actors, self._under_way = [], {}


class LaneActor:
    """The process of a lane."""

    def __init__(self) -> None:
        self._desk, self._job = ServingDesk(), hosting()

    def serve(self, version: str, orders: list[BlockOrder]) -> tuple[list[Any], list[Any]]:
        """Do what is asked of the lane's blocks: what each order gave, and the states kept."""
        check_version(version)
        served = self._desk.serve("blocks", lambda: self._job, orders)
        found, states = [answer.found for answer in served], []
        for number, each in enumerate(found):
            if isinstance(each, BlockStepped) and each.kept is not None:
                states.append(each.kept.state)
                found[number] = each._replace(kept=KeptState(None))
        return found, states

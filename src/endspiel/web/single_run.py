"""Long work that the page starts, one at a time: in a thread, with progress, stopped any time."""

import threading
import traceback
from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from msgspec import Struct

from endspiel.errors import EndspielError
from endspiel.web.events import Hub
from endspiel.web.messages import Refused

DONE, STOPPED, FAILED, RUNNING = "done", "stopped", "failed", "running"


class RunState(Struct):
    """How far some work is, or the last that ended."""

    state: str  # none, running, done, stopped or failed
    name: str = ""
    seconds: float = 0.0
    stopping: bool = False
    error: str = ""


State = TypeVar("State", bound=RunState)


class Work(NamedTuple, Generic[State]):
    """What a thread does."""

    told: State  # changed as the work goes on
    do: Callable[[], str]  # DONE or STOPPED


class SingleRun(Generic[State]):
    """Does one piece of work at a time."""

    def __init__(self, hub: Hub, event: str, nothing: State) -> None:
        self.hub, self.event = hub, event
        self._told = nothing
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def state(self) -> State:
        """How far the work is."""
        return self._told

    @property
    def halted(self) -> bool:
        """Whether what runs is to end."""
        return self._told.stopping

    def halt(self, iteration: int, seconds: float) -> bool:
        """Whether a solve is to end, as `Limits.halt` asks."""
        return self.halted

    def start(self, prepare: Callable[[], Work[State]]) -> State:
        """Begin work, once it is seen to make sense and nothing else runs."""
        with self._lock:
            if self._told.state == RUNNING:
                raise Refused(f"{self._told.name} is being made: stop it, or wait", "", 409)
            work = prepare()
            self._told = work.told
            self._thread = threading.Thread(target=self._work, args=(work,), daemon=True)
            self._thread.start()
        return work.told

    def stop(self) -> State:
        """Let the work end soon; what is done is kept."""
        if self._told.state == RUNNING:
            self._told.stopping = True
        return self._told

    def close(self, seconds: float = 60.0) -> None:
        """Stop what runs, and keep what it found."""
        self.stop()
        if self._thread is not None:
            self._thread.join(seconds)

    def publish(self) -> None:
        """Let pages know how far it is."""
        self.hub.publish(self.event, self._told)

    def _work(self, work: Work[State]) -> None:
        told, state = work.told, FAILED
        try:
            state = work.do()
        except EndspielError as error:
            told.error = str(error)
        except Exception as error:  # a fault of ours must not end in silence
            traceback.print_exc()
            told.error = f"{told.name} failed: {type(error).__name__}: {error}"
        told.state, told.stopping = state, False
        self.publish()

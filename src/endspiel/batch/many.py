"""`es.solve_many`: one solution a spot, side by side on all processors, and none solved twice."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from endspiel import files
from endspiel.batch.carried import (
    CarriedSolution,
    FoundSolution,
    carry_solution,
    leave_solution,
)
from endspiel.batch.planning import GivenSpot, SpotMethod
from endspiel.batch.running import BatchSetting, FinishedSpot, SpotBatch
from endspiel.engine.limits import Limits
from endspiel.errors import EndspielError
from endspiel.executor import GivenWorkers
from endspiel.games.spot import Spot
from endspiel.progress import Observe, unobserved
from endspiel.solvers.memory import check_memory
from endspiel.solving.solution import SpotSolution
from endspiel.solving.solution_files import load_solution
from endspiel.solving.spots import SpotOptions

STATE = "results.jsonl"  # in the folder of saved solutions
ENDING = ".solution"


@dataclass(frozen=True, eq=False)
class SpotResult:
    """What came of one spot of a batch.

    Examples:
        >>> import endspiel as es
        >>> river = es.parse_spot(
        ...     {
        ...         "board": "Qs Jh 2h 4c 8d",
        ...         "pot": 200,
        ...         "stack": 300,
        ...         "ranges": ["QQ,AJs,T9s", "JJ,KQo,A5s"],
        ...         "river": {"bet": "50%, a", "raise": "a"},
        ...     }
        ... )
        >>> one, two = es.solve_many([river, river], iterations=10, workers=1)
        >>> one.name, one.error, one.record["iterations"], two.solution.value == one.solution.value
        ('spot 1', '', 10, True)
    """

    name: str  # its file, or "spot 3"
    error: str  # why it was not solved, in one sentence; empty where it was
    record: dict[str, Any]  # method, iterations, seconds, exploitability, value, ...
    resumed: bool  # whether an earlier batch had solved it
    path: Path | None  # where the solution is saved
    held: CarriedSolution | None

    @property
    def solution(self) -> SpotSolution:
        """The solution, read from its file where it is not held in memory."""
        if self.error:
            raise EndspielError(f"{self.name} was not solved: {self.error}")
        if self.held is not None:
            return self.held.solution
        if self.path is None:
            raise EndspielError(f"the solution of {self.name} was not kept: save it to a folder")
        return load_solution(self.path)


def solve_many(
    spots: Sequence[GivenSpot],
    method: str | None = None,
    *,
    target: float | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    options: SpotOptions | None = None,
    workers: GivenWorkers = None,
    device: str = "cpu",
    save: str | Path | None = None,
    state: str | Path | None = None,
    keep: bool = True,
    observe: Observe = unobserved,
) -> list[SpotResult]:
    """Solve many spots, each as `solve` does on one thread: results in the given order.

    Spots are given as such or as files; limits hold for each. One that cannot be solved has an
    error in its result, and stops no other. `save` names a folder for the solutions, and what it
    has is not solved again; `state` names a file that remembers the records alone. Without a
    folder the solutions are held in memory, unless `keep` is False. What is found does not depend
    on the `workers`: a number of processes (all processors by default), or ``"ray"``, ``"auto"``
    or ``"ray://HOST:PORT"`` for a cluster's. Ctrl-C ends it with what is saved.

    Examples:
        >>> import endspiel as es
        >>> river = es.parse_spot(
        ...     {
        ...         "board": "Qs Jh 2h 4c 8d",
        ...         "pot": 200,
        ...         "stack": 300,
        ...         "ranges": ["QQ,AJs,T9s", "JJ,KQo,A5s"],
        ...         "river": {"bet": "50%, a", "raise": "a"},
        ...     }
        ... )
        >>> one, two = es.solve_many([river, river], iterations=10, workers=1)
        >>> one.name, one.error, one.record["iterations"], two.solution.value == one.solution.value
        ('spot 1', '', 10, True)
    """
    how = SpotMethod(method, options or SpotOptions(), Limits(target, iterations, seconds))
    folder = None if save is None else Path(save)
    setting = BatchSetting(workers, device, None if state is None else Path(state))
    many = ManySpots(spots, how, setting, SolutionKeeper(folder, keep, how.options.memory))
    many.run(observe)
    return many.results()


class SolutionKeeper:
    """Saves the solutions of a batch to a folder, holds them in memory, or lets them go."""

    job: ClassVar = "solve"
    by_hand: ClassVar = False

    def __init__(self, folder: Path | None, keep: bool, memory: int | None) -> None:
        self.folder, self.memory = folder, memory
        self.holds = keep and folder is None
        self.held: dict[str, CarriedSolution] = {}

    def path(self, name: str, key: str) -> Path | None:
        """Where a solution is saved: under the spot's name and the hash of what was asked."""
        if self.folder is None or not key:
            return None
        stem = Path(name).stem.replace(" ", "-") or "spot"
        return self.folder / f"{stem}-{key[:8]}{ENDING}"

    @property
    def finish(self) -> Callable[[SpotSolution], FoundSolution]:
        """What makes a record of a solution, and takes the solution along if it is wanted."""
        wanted = self.holds or self.folder is not None
        return carry_solution if wanted else leave_solution

    @property
    def finish_root(self) -> None:
        """A solution is more than its root."""
        return None

    def keep(self, name: str, key: str, found: FoundSolution) -> dict[str, Any]:
        """Save or hold a solution; its record."""
        record, carried = found
        path = self.path(name, key)
        if carried is not None and path is not None:
            carried.save(path)
        elif carried is not None and self.holds:
            self.held[key] = carried
        return record

    def has(self, name: str, key: str) -> bool:
        """Whether a finished spot's solution is where it is wanted."""
        path = self.path(name, key)
        return not self.holds if path is None else path.is_file()

    def check(self, sizes: list[int]) -> None:
        """Refuse to hold what does not fit into memory."""
        if self.holds:
            check_memory(
                sum(sizes),
                self.memory,
                f"holding the solutions of {len(sizes)} spots",
                "save them to a folder, or do not keep them",
            )


class ManySpots:
    """A batch whose solutions are wanted: `run` it, then see the `results`."""

    def __init__(
        self,
        spots: Sequence[GivenSpot],
        how: SpotMethod,
        setting: BatchSetting,
        keeper: SolutionKeeper,
    ) -> None:
        self.spots, self.keeper = spots, keeper
        if keeper.folder is not None and setting.state is None:
            setting = replace(setting, state=keeper.folder / STATE)
        self.batch = SpotBatch(how, setting, keeper)

    def run(self, observe: Observe) -> None:
        """Solve what is not solved yet; Ctrl-C raises, and `results` then has what is done."""
        if self.keeper.folder is not None:
            files.make_folder(self.keeper.folder)
        names = [
            f"spot {number + 1}" if isinstance(spot, Spot) else str(spot)
            for number, spot in enumerate(self.spots)
        ]
        self.batch.run(self.spots, names, observe)

    def results(self) -> list[SpotResult]:
        """One result a spot that is through, in the given order."""
        return [self._result(one) for one in self.batch.results if one is not None]

    def _result(self, one: FinishedSpot) -> SpotResult:
        path = None if one.error else self.keeper.path(one.name, one.key)
        held = self.keeper.held.get(one.key)
        return SpotResult(one.name, one.error, one.record, one.resumed, path, held)

"""Long work in pieces: several threads, progress, and results kept so that a run can go on."""

import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from numpy.typing import NDArray

from endspiel.errors import FileError
from endspiel.ledger import LedgerFolder, OtherJobError
from endspiel.progress import Observe, Progress, unobserved

STAGE_KIND = "stage of an abstraction"

Result = TypeVar("Result")
Arrays = Mapping[str, NDArray[Any]]


class Workers:
    """Runs pieces of a job on threads; the kernels let each other run."""

    def __init__(self, threads: int = 1, progress: Observe = unobserved) -> None:
        self.threads = max(1, threads)
        self.progress = progress

    def each(self, stage: str, work: Callable[[int], Result], count: int) -> list[Result]:
        """The results of a job's pieces 0..count - 1, in order."""
        results: list[Result] = []
        self.progress(Progress(stage, 0, count))
        with ThreadPoolExecutor(self.threads) as pool:
            try:
                for result in pool.map(work, range(count)):
                    results.append(result)
                    self.progress(Progress(stage, len(results), count))
            except BaseException:
                pool.shutdown(cancel_futures=True)  # what has not begun need not be waited for
                raise
        return results

    def slices(
        self, stage: str, work: Callable[[slice], Result], count: int, size: int
    ) -> list[Result]:
        """Run over slices of ``count`` items."""
        pieces = -(-count // size)
        return self.each(
            stage, lambda at: work(slice(at * size, min(count, (at + 1) * size))), pieces
        )


class Store:
    """A folder of finished stages, each made again if its inputs have changed.

    In a folder that is shared, stages that were there before are others' and stay there.
    """

    def __init__(self, folder: Path | None, shared: bool = False) -> None:
        self.folder = folder
        self.shared = shared
        self._own: list[Path] = []

    def stage(self, name: str, made_from: Mapping[str, Any], make: Callable[[], Arrays]) -> Arrays:
        """The arrays of a stage: read where they are there, else made and written."""
        if self.folder is None:
            return make()
        ledger = LedgerFolder(self.folder, STAGE_KIND)
        there = ledger.has(name)
        if not (self.shared and there):
            self._own.append(ledger.path(name))
        if there:
            try:
                return ledger.get(name, made_from)
            except OtherJobError:
                pass  # its inputs have changed
            except FileError as error:
                warnings.warn(f"{error}; it is made again", stacklevel=3)
        made = make()
        ledger.put(name, made_from, made)
        return made

    def clear(self) -> None:
        """Remove the stages of this run, and the folder if nothing else is in it."""
        for path in self._own:
            path.unlink(missing_ok=True)
        if self.folder is not None and self.folder.is_dir() and not any(self.folder.iterdir()):
            self.folder.rmdir()

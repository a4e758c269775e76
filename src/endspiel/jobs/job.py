"""A job: one struct whose fields say their unit, help and bounds, and what runs it.

From the struct follow the command's options and help (`cli/jobs.py`), the JSON of the job itself,
checked against the bounds when it is read, and the Python call: ``LbrJob("random").run()``.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

from msgspec import Meta, Struct

from endspiel.progress import Halted, Observe, Progress, unhalted, unobserved

Files = Mapping[str, str | Path | None]  # by the option that names them


def about(
    help: str, least: float | None = None, most: float | None = None, **spelling: Any
) -> Meta:
    """Describe a field: its help, its bounds, and how a command line spells it.

    `spelling` may have ``metavar``, ``argument`` (no name stands before it), ``option`` (names
    other than the field's), ``complete`` (agent or spot: what a shell offers), ``units`` and
    ``usual`` (the default in words).
    """
    return Meta(description=help, ge=least, le=most, extra=spelling)


@dataclass(frozen=True)
class Context:
    """What a job may use, where its finished work is, and who watches it.

    Examples:
        >>> seen = []
        >>> Context(workers=1, observe=seen.append).workers
        1
    """

    workers: Any = None  # a number of processes, or Ray's: see `endspiel.executor`
    device: str = "cpu"
    memory: int | None = None  # bytes; by default most of what is free
    resume: Path | None = None  # the ledger of finished work
    observe: Observe = unobserved
    halted: Halted = unhalted  # ends reports, bounds and books with what is done


ALONE: Final = Context()


class Result:
    """What a job comes to."""

    broken: BaseException | None = None  # what its command ends with in the end, if parts failed

    def record(self) -> dict[str, Any]:
        """The JSON object."""
        raise NotImplementedError

    def lines(self) -> Iterable[str]:
        """What is printed for people."""
        raise NotImplementedError

    def show(self) -> None:
        """Print it."""
        for line in self.lines():
            print(line)


class Job(Struct, frozen=True):
    """Long work; the docstring of each is the help of its command."""

    uses: ClassVar[tuple[str, ...]] = ("workers",)  # parts of the context that are options
    device: ClassVar[str] = "cpu"  # the usual one of its command
    ledger: ClassVar[str] = ""  # what ``--resume`` names; empty where there is no such option
    terse: ClassVar[bool] = False  # often over in a moment: no progress is shown until then
    older: ClassVar[tuple[str, ...]] = ("--state",)  # older spellings of that option

    def run(self, context: Context = ALONE) -> Result:
        """Do the work."""
        raise NotImplementedError

    def read(self) -> Files:
        """Files that are read, which nothing that is written may replace."""
        return {}

    def written(self) -> Files:
        """Files that are written beside the ledger."""
        return {}

    def stopped(self, last: Progress | None, context: Context) -> str:
        """What Ctrl-C leaves, in words."""
        so_far = "" if last is None else f": {last.counts}"
        place = context.resume
        kept = "--resume keeps finished work" if place is None else f"what is done is in {place}"
        return f"stopped{so_far}; {kept}"


def files_of(agents: Sequence[str]) -> dict[str, Path]:
    """The files that specs of agents name, as in ``blueprint:FILE``, by who reads them."""
    if not agents:
        return {}
    from endspiel.agent.base import named_files

    return {f"agent {spec}": path for spec in agents for path in named_files(spec)}

"""Solutions on their way from a worker to the caller."""

from functools import cached_property
from pathlib import Path
from typing import Any

from endspiel.solving.solution import SpotSolution, solution_record
from endspiel.solving.solution_files import SolutionParts, of_parts, save_parts, solution_parts


class CarriedSolution:
    """A solution: itself where it was found, the parts of its file where it was sent."""

    def __init__(self, found: SpotSolution | None, parts: SolutionParts | None = None) -> None:
        self._found, self._parts = found, parts

    def __reduce__(self) -> tuple[Any, ...]:
        return CarriedSolution, (None, self.parts)

    @cached_property
    def parts(self) -> SolutionParts:
        """What its file holds."""
        if self._parts is not None:
            return self._parts
        assert self._found is not None
        return solution_parts(self._found)

    @cached_property
    def solution(self) -> SpotSolution:
        """The solution, rebuilt where it arrives."""
        return self._found or of_parts(self.parts, "what a worker sent")

    def save(self, path: Path) -> None:
        """Write it to a file."""
        save_parts(path, self.parts)


FoundSolution = tuple[dict[str, Any], CarriedSolution | None]  # its record, and it if it is wanted


def carry_solution(solution: SpotSolution) -> FoundSolution:
    """A solution's record and the solution."""
    return solution_record(solution), CarriedSolution(solution)


def leave_solution(solution: SpotSolution) -> FoundSolution:
    """A solution's record alone."""
    return solution_record(solution), None

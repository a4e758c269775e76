"""How a solve went: the record of every kind of solution, and its form in files."""

from dataclasses import dataclass, field, fields
from typing import Annotated, Any

import msgspec

from endspiel.engine.limits import TracePoint


@dataclass(frozen=True, kw_only=True, eq=False)
class SolveRecord:
    """What came out of a solve, and how, but for the strategies."""

    method: str
    value: float  # player 0's, when both follow the solution
    exploitability: float  # mean of both players' best-response gains
    iterations: int
    seconds: float
    trace: tuple[TracePoint, ...] = ()
    parameters: dict[str, Any] = field(default_factory=dict)
    stopped: str = ""  # why the solve ended
    warnings: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """These fields by name, as a file holds them and another kind of solution takes them."""
        return {each.name: getattr(self, each.name) for each in fields(SolveRecord)}


class SolveFields(msgspec.Struct):
    """Read them from a file."""

    method: str
    value: float
    exploitability: float
    iterations: Annotated[int, msgspec.Meta(ge=0, lt=1 << 53)]
    seconds: float
    trace: tuple[TracePoint, ...]
    parameters: dict[str, Any]
    stopped: str
    warnings: tuple[str, ...]

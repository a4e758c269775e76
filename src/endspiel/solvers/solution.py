"""What a solve gives back: the strategies, and how they were made."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from endspiel import files
from endspiel.errors import FileError
from endspiel.game import Game, Profile

KIND = "solution"


class TracePoint(msgspec.Struct, frozen=True):
    """One measurement on the way: exploitability is the mean of both players' gains."""

    iteration: int
    seconds: float
    exploitability: float


@dataclass(frozen=True)
class Solution:
    """Strategies of both players with the record of the solve."""

    profile: Profile
    value: float  # player 0's, when both follow the profile
    exploitability: float  # mean of both players' best-response gains, game's units
    method: str
    game: str  # name of the game
    fingerprint: str  # of the game's arrays
    iterations: int
    seconds: float
    trace: tuple[TracePoint, ...] = ()
    parameters: dict[str, Any] = field(default_factory=dict)
    seed: int | None = None
    stopped: str = ""  # why the solve ended
    warnings: tuple[str, ...] = ()

    def record(self) -> dict[str, Any]:
        """Everything but the arrays."""
        return {
            "value": self.value,
            "exploitability": self.exploitability,
            "method": self.method,
            "game": self.game,
            "fingerprint": self.fingerprint,
            "iterations": self.iterations,
            "seconds": self.seconds,
            "trace": [(p.iteration, p.seconds, p.exploitability) for p in self.trace],
            "parameters": self.parameters,
            "seed": self.seed,
            "stopped": self.stopped,
            "warnings": list(self.warnings),
        }

    def save(self, path: str | Path) -> None:
        """Write the whole solution to one file, atomically."""
        arrays = {f"behavior{i}": b for i, b in enumerate(self.profile.behavior)}
        files.save(path, KIND, self.record(), arrays)

    @classmethod
    def load(cls, path: str | Path, game: Game | None = None) -> "Solution":
        """Read a solution back; with a game, refuse one that was made for another."""
        record, arrays = files.load(path, KIND)
        if game is not None and record.get("fingerprint") != game.fingerprint:
            raise FileError(f"{path} solves {record.get('game')}, not this {game.name}")
        try:
            trace = tuple(TracePoint(*point) for point in record.pop("trace"))
            warnings = tuple(record.pop("warnings"))
            profile = Profile((arrays["behavior0"], arrays["behavior1"]))
            return cls(profile=profile, trace=trace, warnings=warnings, **record)
        except (KeyError, TypeError) as error:
            raise FileError(f"{path} is no whole solution: {error}") from error

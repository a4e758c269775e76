"""What a solve gives back: the strategies, and how they were made."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np

from endspiel import files
from endspiel.checking import read_record, take
from endspiel.engine.limits import TracePoint
from endspiel.errors import FileError
from endspiel.game import Game, Profile
from endspiel.kernels.arrays import Floats

KIND = "solution"
_MOST = 1.0 + 1e-6  # of a probability, after rounding


class _Record(msgspec.Struct):
    """A solution's file but for the strategies."""

    value: float
    exploitability: float
    method: str
    game: str
    fingerprint: str
    iterations: Annotated[int, msgspec.Meta(ge=0)]
    seconds: float
    trace: tuple[tuple[int, float, float], ...]
    parameters: dict[str, Any]
    seed: int | None
    stopped: str
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class Solution:
    """Strategies of both players with the record of the solve.

    Examples:
        >>> import endspiel as es
        >>> solution = es.solve(es.games.kuhn(), "dcfr", iterations=200)
        >>> solution.method, solution.iterations, solution.stopped, solution.exploitability < 1e-3
        ('dcfr', 200, 'iterations', True)
    """

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
        try:
            about = read_record(record, _Record)
            behavior = (
                take(arrays, "behavior0", np.float64, (None,), 0.0, _MOST),
                take(arrays, "behavior1", np.float64, (None,), 0.0, _MOST),
            )
        except FileError as error:
            raise FileError(f"{path} is no whole solution: {error}") from error
        if game is not None and about.fingerprint != game.fingerprint:
            raise FileError(f"{path} solves {about.game}, not this {game.name}")
        if game is not None and _shape(behavior) != tuple(p.num_sequences for p in game.plexes):
            raise FileError(f"{path} is no whole solution: its strategies are not of {game.name}")
        fields = msgspec.structs.asdict(about)
        fields["trace"] = tuple(TracePoint(*point) for point in about.trace)
        return cls(profile=Profile(behavior), **fields)


def _shape(behavior: tuple[Floats, Floats]) -> tuple[int, ...]:
    return tuple(len(probabilities) for probabilities in behavior)

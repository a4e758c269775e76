"""What a solve gives back: the strategies, and how they were made."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from endspiel import files
from endspiel.checking import read_record, take
from endspiel.engine.record import SolveFields, SolveRecord
from endspiel.errors import FileError
from endspiel.game import Game, Profile
from endspiel.kernels.arrays import Floats

KIND = "solution"
_MOST = 1.0 + 1e-6  # of a probability, after rounding


class _Record(SolveFields):
    """A solution's file but for the strategies."""

    game: str
    fingerprint: str
    seed: int | None


@dataclass(frozen=True, kw_only=True)
class Solution(SolveRecord):
    """Strategies of both players with the record of the solve.

    Examples:
        >>> import endspiel as es
        >>> solution = es.solve(es.games.kuhn(), "dcfr", iterations=200)
        >>> solution.method, solution.iterations, solution.stopped, solution.exploitability < 1e-3
        ('dcfr', 200, 'iterations', True)
    """

    profile: Profile
    game: str  # name of the game
    fingerprint: str  # of the game's arrays
    seed: int | None = None

    def record(self) -> dict[str, Any]:
        """Everything but the arrays."""
        names = "game", "fingerprint", "seed"
        return self.as_dict() | {name: getattr(self, name) for name in names}

    def _repr_html_(self) -> str:
        """The record as a notebook shows it; strategies are looked up in the game."""
        from html import escape

        facts = {
            "game": self.game,
            "method": f"{self.method}, {self.iterations} iterations, {self.seconds:.3g} s",
            "value of player 0": f"{self.value:.6g}",
            "exploitability": f"{self.exploitability:.3g}",
            "ended by": self.stopped,
        }
        rows = (
            f"<tr><th style='text-align:left'>{name}</th><td>{escape(text)}</td></tr>"
            for name, text in facts.items()
        )
        return f"<table>{''.join(rows)}</table>"

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
        return cls(profile=Profile(behavior), **msgspec.structs.asdict(about))


def _shape(behavior: tuple[Floats, Floats]) -> tuple[int, ...]:
    return tuple(len(probabilities) for probabilities in behavior)

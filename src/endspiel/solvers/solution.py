"""What a solve gives back: the strategies, and how they were made."""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from endspiel import files
from endspiel.checking import read_record, take
from endspiel.engine.record import SolveFields, SolveRecord
from endspiel.errors import FileError, GameError
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
    built: Game | None = field(default=None, repr=False, compare=False)  # where infosets are named

    def strategy(self, infoset: str, player: int | None = None) -> dict[str, float]:
        """Probability of each action at an infoset by name; a player where both have that name.

        Examples:
            >>> import endspiel as es
            >>> solution = es.solve(es.games.kuhn(), "lp")
            >>> {word: round(p, 3) for word, p in solution.strategy("Kb", 1).items()}
            {'fold': 0.0, 'call': 1.0}
        """
        if self.built is None or self.built.labels is None:
            raise GameError("infosets have names in a game alone: load the solution with its game")
        found = [
            (each, self._tables[each][infoset])
            for each in (0, 1)
            if player in (None, each) and infoset in self._tables[each]
        ]
        if len(found) != 1:
            which = "both players have an" if found else "no player has an"
            raise GameError(f"{which} infoset {infoset[:40]!r} in {self.game}")
        ((whose, actions),) = found
        return {word: self._share(whose, at) for word, at in actions.items()}

    def _share(self, player: int, sequences: list[int]) -> float:
        """The probability of an action, whatever the player did before."""
        shares = self.profile.behavior[player][sequences]
        if (shares != shares[0]).any():
            raise GameError("this infoset is played otherwise after other own moves")
        return float(shares[0])

    @cached_property
    def _tables(self) -> list[dict[str, dict[str, list[int]]]]:
        """Sequences by player, infoset and action."""
        tables: list[dict[str, dict[str, list[int]]]] = [{}, {}]
        assert self.built is not None
        assert self.built.labels is not None
        for player, (labels, plex) in enumerate(
            zip(self.built.labels, self.built.plexes, strict=True)
        ):
            for infoset, action, sequence in labels.walk(plex):
                tables[player].setdefault(infoset, {}).setdefault(action, []).append(sequence)
        return tables

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
        return cls(profile=Profile(behavior), built=game, **msgspec.structs.asdict(about))


def _shape(behavior: tuple[Floats, Floats]) -> tuple[int, ...]:
    return tuple(len(probabilities) for probabilities in behavior)

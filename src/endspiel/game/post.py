"""Post-processing: how a computed strategy is read when it is played.

Small probabilities are often left over from a coarse abstraction or from a solve that has not
converged. The Tartanian5 paper (2012) plays either the most probable action alone (purification)
or leaves out actions below a threshold (0.15) and scales the others up. The base agent of the 2015
endgame solving paper is purified on all rounds except for the first preflop action: here a player's
own first decision of a hand is then played as it was found.

Rows are read one by one or all at once with the same result: a tie between most probable actions is
decided by a hash of the seed and the row's number, so a purified strategy is one pure strategy.
"""

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from endspiel.errors import EndspielError, GameError
from endspiel.game import Game, Profile
from endspiel.kernels.arrays import Floats, Ints

PAPER_THRESHOLD: Final = 0.15
KINDS: Final = ("none", "purify", "purify-after-first", "threshold")
TIE: Final = 1e-9  # probabilities this close are equal: they differ by rounding only
ROW_TOLERANCE: Final = 1e-3  # a row's sum may be off by this much: quantized files are

_MASK: Final = 2**64 - 1
_STEP: Final = 0x9E3779B97F4A7C15  # 2^64 over the golden ratio: consecutive rows lie far apart


@dataclass(frozen=True)
class Post:
    """A way to read a strategy: as it is, purified, or without actions below a level."""

    kind: Literal["none", "purify", "purify-after-first", "threshold"] = "none"
    level: float = PAPER_THRESHOLD  # read by threshold only
    seed: int = 0  # decides ties; read where rows are purified only

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise EndspielError(
                f"there is no post-processing {self.kind!r}: there are {', '.join(KINDS)}"
            )
        _check_level(self.level)

    @property
    def purifies(self) -> bool:
        """Whether rows are played purely."""
        return self.kind in ("purify", "purify-after-first")

    @property
    def spares_first(self) -> bool:
        """Whether a player's first decision of a hand is played as it was found."""
        return self.kind == "purify-after-first"

    @classmethod
    def parse(cls, text: str, seed: int = 0) -> "Post":
        """Read a kind by its name; ``threshold`` (at 0.15) may be written ``threshold:0.05``."""
        kind, colon, number = text.partition(":")
        if kind not in KINDS or (colon and kind != "threshold"):
            raise EndspielError(
                f"there is no post-processing {text[:40]!r}: write none, purify, "
                "purify-after-first or threshold:0.15"
            )
        try:
            level = float(number) if colon else PAPER_THRESHOLD
        except ValueError:
            raise EndspielError(
                f"the threshold in {text[:40]!r} is not a number: write it like threshold:0.15"
            ) from None
        return cls(kind, level, seed)  # type: ignore[arg-type]  # one of them, as checked

    def __str__(self) -> str:
        return f"threshold:{self.level:g}" if self.kind == "threshold" else self.kind

    def rows(self, rows: Floats, numbers: Ints | None = None) -> Floats:
        """Rows of probabilities [N, A] as they are played; numbers [N] tell rows apart in ties.

        Those of first decisions are the caller's to leave out, if ``spares_first``.
        """
        if self.purifies:
            return purify(rows, self.seed, numbers)
        return threshold(rows, self.level) if self.kind == "threshold" else rows

    def profile(self, game: Game, profile: Profile) -> Profile:
        """Both players' behavior as it is played; states that share a row still play alike."""
        if self.kind == "none":
            return profile
        played = []
        for player, plex in enumerate(game.plexes):
            behavior = profile.behavior[player].copy()
            for block in plex:
                if self.spares_first and (block.parent < plex.num_roots).all():
                    continue
                sequences = block.first + np.arange(block.num_states)  # of each first action
                numbers = sequences if plex.rows is None else plex.rows.of[sequences]
                span = block.of(behavior)
                # Twice and plus the player: no row of one player has a number of the other's.
                span[:] = self.rows(span.T, 2 * numbers + player).T
            played.append(behavior)
        return Profile((played[0], played[1]))


def purify(rows: Floats, seed: int = 0, numbers: Ints | None = None) -> Floats:
    """Rows [N, A] with all probability on the largest; numbers [N] and the seed decide ties."""
    rows = _checked(rows)
    if numbers is None:
        numbers = np.arange(len(rows), dtype=np.int64)
    tied = _largest(rows)  # [N, A]
    count = tied.sum(axis=1)
    pick = (_hash(seed, numbers) % count.astype(np.uint64)).astype(np.int64)
    # The action that is the pick-th of the tied ones, counted from 0.
    chosen = np.argmax(np.cumsum(tied, axis=1) == (pick + 1)[:, None], axis=1)
    pure = np.zeros_like(rows)
    pure[np.arange(len(rows)), chosen] = 1.0
    return pure


def threshold(rows: Floats, level: float = PAPER_THRESHOLD) -> Floats:
    """Rows [N, A] without the probabilities below a level, the others scaled up to one.

    A level of 0 changes nothing. Where no action reaches the level, the most probable ones stay, in
    equal shares where they tie: the row is then played as near to a purified one as without chance.
    """
    rows = _checked(rows)
    _check_level(level)
    kept = rows >= level
    none = ~kept.any(axis=1)
    kept[none] = _largest(rows[none])
    cut = ~kept.all(axis=1)
    played = rows.copy()
    left = np.where(kept[cut], rows[cut], 0.0)
    played[cut] = left / left.sum(axis=1, keepdims=True)
    return played


def _largest(rows: Floats) -> NDArray[np.bool_]:
    """Which actions [N, A] have a row's largest probability, up to rounding."""
    tied: NDArray[np.bool_] = rows >= rows.max(axis=1, keepdims=True) - TIE
    return tied


def _hash(seed: int, numbers: Ints) -> NDArray[np.uint64]:
    """A well mixed 64-bit number for each row number [N]: the SplitMix64 generator's output."""
    start = np.uint64(seed * _STEP * _STEP & _MASK)
    with np.errstate(over="ignore"):
        z = start + (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(_STEP)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed: NDArray[np.uint64] = z ^ (z >> np.uint64(31))
    return mixed


def _checked(rows: Floats) -> Floats:
    if rows.ndim != 2 or rows.shape[1] == 0:
        raise GameError(f"strategy rows must be [rows, actions], not of shape {rows.shape}")
    sums_to_one = np.abs(rows.sum(axis=1) - 1.0) <= ROW_TOLERANCE
    bad = np.flatnonzero(~((rows >= 0).all(axis=1) & sums_to_one))
    if len(bad):
        raise GameError(f"strategy row {bad[0]} is not a probability vector: {rows[bad[0]]}")
    return rows


def _check_level(level: float) -> None:
    if not 0 <= level <= 1:
        raise EndspielError(f"a threshold is a probability, 0 to 1, not {level}")

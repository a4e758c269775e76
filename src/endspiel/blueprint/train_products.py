"""What terminals pay: products of reaches [T, K] with a bucket matrix [K, K].

As training goes on, most reaches are exactly zero: six of seven on 8-12-4-4 after 120 iterations.
Rows with many entries are multiplied by BLAS, rows with few by a loop over the entries there are,
tile by tile of the matrix; at one in eight that is about twice as fast (benchmarks/blueprint.py).
Nothing is left out: zeros add nothing. `native/core/builds/products.cpp` has the loops.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from ctypes import c_int64
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from endspiel.errors import GameError
from endspiel.game import Game, Matrix, TerminalGroup
from endspiel.kernels import cpu
from endspiel.kernels.arrays import Float32s, Floats, Ints, UInt16s
from endspiel.native.boundary import pointer
from endspiel.native.library import board_function, chosen_build

CHUNK: Final = 1 << 24  # entries of reaches that are multiplied at a time
SPARSE: Final = 0.2  # share of entries up to which the loop is faster than BLAS
TILE: Final = 512  # rows of the matrix, and
COLUMNS: Final = 64  # columns, that are worked on at a time: they stay in the second-level cache


@dataclass(frozen=True, eq=False)
class BucketEnds:
    """A group of terminals whose matrix is the same for both players, but for the sign."""

    matrix: NDArray[Any]  # [K, K]
    stakes: tuple[NDArray[Any], NDArray[Any]]  # [T] by player, in that player's own sign
    seqs: tuple[Ints, Ints]  # [T] by player

    @classmethod
    def of(cls, group: TerminalGroup, dtype: type[np.floating] = np.float32) -> "BucketEnds":
        """The ends of a group; a matrix must be its transpose, up to the sign."""
        if not isinstance(group.payoff, Matrix):
            raise GameError("buckets need payoffs by matrix")
        matrix = np.ascontiguousarray(group.payoff.matrix, dtype)
        if _is_transpose(matrix, 1):
            signs = 1, -1
        elif _is_transpose(matrix, -1):
            signs = -1, -1
        else:
            raise GameError("both players need the same buckets, and a game that is fair to them")
        for seqs in (group.seqs0, group.seqs1):
            if len(np.unique(seqs)) < len(seqs):
                raise GameError("a sequence ends in two terminals of the same kind")
        stakes = group.stakes.astype(dtype)
        return cls(matrix, (signs[0] * stakes, signs[1] * stakes), (group.seqs0, group.seqs1))


def _is_transpose(matrix: Floats, sign: int) -> bool:
    """Whether a matrix is its transpose times a sign."""
    rows = range(len(matrix))
    return all(np.array_equal(matrix[row], sign * matrix[:, row]) for row in rows)


class Products:
    """Gradients of a game over buckets, on several threads."""

    def __init__(self, game: Game, pool: ThreadPoolExecutor, threads: int) -> None:
        self.ends = [BucketEnds.of(group) for group in game.groups]
        self.pool, self.threads = pool, threads

    def add_gradient(self, player: int, plan: Float32s, out: Float32s) -> None:
        """Add what a player's sequences earn against the other's plan to out [S]."""
        for ends in self.ends:
            width = len(ends.matrix)
            own, other, stakes = ends.seqs[player], ends.seqs[1 - player], ends.stakes[player]
            counts = np.empty(len(own), np.int64)
            _count_entries(plan, other, width, counts)
            full = counts > SPARSE * width
            for rows in _pieces(np.flatnonzero(full), max(1, CHUNK // width)):
                reach = np.empty((len(rows), width), np.float32)
                cpu.gather(plan, other[rows], stakes[rows], reach)
                cpu.scatter(reach @ ends.matrix, own[rows], out)
            few = np.flatnonzero(~full & (counts > 0))
            shares = [few[at :: self.threads] for at in range(self.threads)]
            list(self.pool.map(_sparse_work(ends.matrix, plan, out, own, other, stakes), shares))


def _sparse_work(
    matrix: Float32s, plan: Float32s, out: Float32s, own: Ints, other: Ints, stakes: Float32s
) -> Callable[[Ints], None]:
    """What a thread does with its share of the rows that have few entries."""

    def work(share: Ints) -> None:
        width = len(matrix)
        for rows in _pieces(share, max(1, int(CHUNK / (SPARSE * width)))):
            ends = np.zeros((len(rows), -(-width // TILE) + 1), np.int64)
            counts = np.empty(len(rows), np.int64)
            _count_entries(plan, other[rows], width, counts)
            places = np.empty(counts.sum() + 1, np.uint16)
            values = np.empty(counts.sum() + 1, np.float32)
            _compress(plan, other[rows], stakes[rows], width, (places, values, ends))
            _multiply((places, values, ends), matrix, own[rows], out)

    return work


def _pieces(rows: Ints, most: int) -> list[Ints]:
    return [rows[start : start + most] for start in range(0, len(rows), most)]


def _count_entries(plan: Float32s, seqs: Ints, width: int, out: Ints) -> None:
    """How many reaches of each terminal are not zero: [T]."""
    _kernel("count_entries")(
        pointer(plan, np.float32, name="the plan"),
        *_rows(seqs),
        c_int64(width),
        pointer(out, np.int64, shape=seqs.shape, written=True, name="counts"),
    )


def _compress(
    plan: Float32s,  # [S]
    seqs: Ints,  # [T]
    stakes: Float32s,  # [T]
    width: int,
    out: tuple[UInt16s, Float32s, Ints],  # filled: places [n + 1], values, ends [T, tiles + 1]
) -> None:
    """The entries of each terminal's reaches, tile by tile, and where those of a tile end."""
    places, values, ends = out
    at, rows = _rows(seqs)
    _kernel("compress_rows")(
        pointer(plan, np.float32, name="the plan"),
        at,
        pointer(stakes, np.float32, shape=seqs.shape, name="stakes"),
        rows,
        c_int64(width),
        pointer(places, np.uint16, written=True),
        pointer(values, np.float32, shape=places.shape, written=True),
        pointer(ends, np.int64, shape=(len(seqs), -(-width // TILE) + 1), written=True),
    )


def _multiply(
    rows: tuple[UInt16s, Float32s, Ints],  # as _compress gives them
    matrix: Float32s,  # [K, K]
    seqs: Ints,  # [T]
    out: Float32s,  # [S] added to
) -> None:
    """Add the products of compressed rows with a matrix to their sequences."""
    places, values, ends = rows
    width = len(matrix)
    at, count = _rows(seqs)
    _kernel("multiply_rows")(
        pointer(places, np.uint16),
        pointer(values, np.float32, shape=places.shape),
        pointer(ends, np.int64, shape=(len(seqs), -(-width // TILE) + 1)),
        count,
        pointer(matrix, np.float32, shape=(width, width), name="the matrix"),
        c_int64(width),
        at,
        pointer(np.empty((TILE + 1) * COLUMNS, np.float32), np.float32, written=True),
        pointer(out, np.float32, written=True, name="gradients"),
    )


def _kernel(name: str) -> Any:
    return board_function(name, chosen_build())


def _rows(seqs: Ints) -> tuple[Any, Any]:
    """Sequences of terminals, and how many they are."""
    return pointer(seqs, np.int64, shape=(-1,), name="sequences"), c_int64(len(seqs))

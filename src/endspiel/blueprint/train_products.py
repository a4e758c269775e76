"""What terminals pay: products of reaches [T, K] with a bucket matrix [K, K].

As training goes on, most reaches are exactly zero: six of seven on 8-12-4-4 after 120 iterations.
Rows with many entries are multiplied by BLAS, rows with few by a loop over the entries there are,
tile by tile of the matrix; at one in eight that is about twice as fast (benchmarks/blueprint.py).
Nothing is left out: zeros add nothing.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from endspiel.errors import GameError
from endspiel.game import Game, Matrix, TerminalGroup
from endspiel.jit import njit
from endspiel.kernels import cpu
from endspiel.kernels.arrays import Float32s, Floats, Ints, UInt16s

CHUNK: Final = 1 << 24  # entries of reaches that are multiplied at a time
SPARSE: Final = 0.2  # share of entries up to which the loop is faster than BLAS
TILE: Final = 512  # rows of the matrix, and
WIDTH: Final = 128  # columns, that are worked on at a time: they stay in the second-level cache

_FAST = {"contract", "reassoc", "arcp", "nsz"}


@dataclass(frozen=True, eq=False)
class BucketEnds:
    """A group of terminals whose matrix is the same for both players, but for the sign."""

    matrix: NDArray[Any]  # [K, K]
    stakes: tuple[NDArray[Any], NDArray[Any]]  # [T] by player, in that player's own sign
    seqs: tuple[Ints, Ints]  # [T] by player

    @classmethod
    def of(cls, group: TerminalGroup, dtype: type[np.floating] = np.float32) -> "BucketEnds":
        """The same group; a matrix must be its transpose, up to the sign."""
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
            places = np.empty(counts.sum(), np.uint16)
            values = np.empty(counts.sum(), np.float32)
            _compress(plan, other[rows], stakes[rows], width, (places, values, ends))
            _multiply((places, values, ends), matrix, own[rows], out)

    return work


def _pieces(rows: Ints, most: int) -> list[Ints]:
    return [rows[start : start + most] for start in range(0, len(rows), most)]


@njit(cache=True, nogil=True)
def _count_entries(plan: Float32s, seqs: Ints, width: int, out: Ints) -> None:
    """How many reaches of each terminal are not zero: [T]."""
    for t in range(len(seqs)):
        reach = plan[seqs[t] : seqs[t] + width]
        count = 0
        for k in range(width):
            count += reach[k] != np.float32(0)
        out[t] = count


@njit(cache=True, nogil=True)
def _compress(
    plan: Float32s,  # [S]
    seqs: Ints,  # [T]
    stakes: Float32s,  # [T]
    width: int,
    out: tuple[UInt16s, Float32s, Ints],  # filled: places [n], values [n], ends [T, tiles + 1]
) -> None:
    """The entries of each terminal's reaches, tile by tile, and where those of a tile end."""
    places, values, ends = out
    at = 0
    for t in range(len(seqs)):
        reach = plan[seqs[t] : seqs[t] + width]
        ends[t, 0] = at
        for tile in range(ends.shape[1] - 1):
            for k in range(tile * TILE, min(width, (tile + 1) * TILE)):
                if reach[k] != np.float32(0):
                    places[at] = k - tile * TILE
                    values[at] = stakes[t] * reach[k]
                    at += 1
            ends[t, tile + 1] = at


@njit(cache=True, nogil=True, fastmath=_FAST, error_model="numpy")
def _multiply(
    rows: tuple[UInt16s, Float32s, Ints],  # as _compress gives them
    matrix: Float32s,  # [K, K]
    seqs: Ints,  # [T]
    out: Float32s,  # [S] added to
) -> None:
    """Add the products of compressed rows with a matrix to their sequences."""
    places, values, ends = rows
    width = len(matrix)
    pack = np.empty((TILE, WIDTH), np.float32)
    for tile in range(ends.shape[1] - 1):
        low, high = tile * TILE, min(width, (tile + 1) * TILE)
        for left in range(0, width, WIDTH):
            count = min(WIDTH, width - left)
            for k in range(low, high):
                for c in range(count):
                    pack[k - low, c] = matrix[k, left + c]
            for t in range(len(seqs)):
                start = seqs[t] + left
                target = out[start : start + count]
                at, end = ends[t, tile], ends[t, tile + 1]
                while at + 4 <= end:  # four at a time: the target is written once for all
                    x0, x1, x2, x3 = values[at], values[at + 1], values[at + 2], values[at + 3]
                    row0, row1 = pack[np.uint32(places[at])], pack[np.uint32(places[at + 1])]
                    row2, row3 = pack[np.uint32(places[at + 2])], pack[np.uint32(places[at + 3])]
                    for c in range(count):
                        target[c] += x0 * row0[c] + x1 * row1[c] + x2 * row2[c] + x3 * row3[c]
                    at += 4
                while at < end:
                    x0, row0 = values[at], pack[np.uint32(places[at])]
                    for c in range(count):
                        target[c] += x0 * row0[c]
                    at += 1

"""Payoffs: bilinear forms over the two players' private states, chance included."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from endspiel.kernels import cpu
from endspiel.kernels.arrays import CompressedRows, Floats, Ints

if TYPE_CHECKING:
    from scipy import sparse


class Payoff(Protocol):
    """What player 0 gets from a pair of private states; evaluated for many terminals at once."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of private states of player 0 and of player 1: (K0, K1)."""
        ...

    def values(self, player: int, reach: Floats) -> Floats:
        """The opponent's reaches [T, K'] to the states' payoffs to player 0 [T, K]."""
        ...

    def dense(self) -> Floats:
        """The form as a matrix [K0, K1]."""
        ...

    def arrays(self) -> tuple[NDArray[Any], ...]:
        """The arrays that define the form, for fingerprints."""
        ...


@dataclass(frozen=True)
class Matrix:
    """Any form, as a dense matrix; evaluated by BLAS."""

    matrix: Floats  # [K0, K1]

    @property
    def shape(self) -> tuple[int, int]:
        return self.matrix.shape[0], self.matrix.shape[1]

    def values(self, player: int, reach: Floats) -> Floats:
        return reach @ (self.matrix.T if player == 0 else self.matrix)

    def dense(self) -> Floats:
        return self.matrix

    def arrays(self) -> tuple[NDArray[Any], ...]:
        return (self.matrix,)


@dataclass(frozen=True)
class Sparse:
    """A form with few entries, such as the whole payoff matrix of a small game."""

    matrix: "sparse.csr_matrix"  # [K0, K1]

    @property
    def shape(self) -> tuple[int, int]:
        return self.matrix.shape[0], self.matrix.shape[1]

    @cached_property
    def rows(self) -> tuple[CompressedRows, CompressedRows]:
        """Compressed rows of the matrix and of its transpose: what each player's values need."""
        return compressed(self.matrix), compressed(self.matrix.T)

    def values(self, player: int, reach: Floats) -> Floats:
        out = np.zeros((len(reach), self.shape[player]), dtype=reach.dtype)
        for t in range(len(reach)):
            cpu.multiply(self.rows[player], reach[t], out[t])
        return out

    def dense(self) -> Floats:
        matrix: Floats = self.matrix.toarray()
        return matrix

    def arrays(self) -> tuple[NDArray[Any], ...]:
        indptr, indices, data = self.rows[0]
        return indptr, indices.astype(np.int64), data


def showdown_form(one: Ints, two: Ints, met: Floats) -> Floats:
    """What the better of two strengths [K0], [K1] wins off the other, where they meet [K0, K1]."""
    found: Floats = np.sign(one[:, None] - two[None, :]) * met
    return found


def compressed(matrix: "sparse.spmatrix") -> CompressedRows:
    """A matrix as the kernels want it."""
    from scipy import sparse

    rows = sparse.csr_matrix(matrix)
    rows.sort_indices()
    data = rows.data.astype(np.float64, copy=False)
    return CompressedRows(rows.indptr.astype(np.int64), rows.indices.astype(np.uint32), data)

"""`tree_newton.factor` for many states: the same merges by LAPACK's blocked triangularization.

Each call of LAPACK costs microseconds and works at several times the speed of plain loops once
its matrices outgrow the nearest cache. What comes out is read by `tree_newton.solve` alike.
"""

import numpy as np
from scipy.linalg import lapack, qr, solve_triangular

from endspiel.kernels.arrays import Floats
from endspiel.kernels.tree_newton import Factors, TreeArrays

_WIDTH = 24  # columns that are triangularized together


class _Part:
    """An action's or some merged actions' form: root L, [K] where it is diagonal, and B [K, O]."""

    def __init__(self, L: Floats, B: Floats) -> None:
        self.L, self.B = L, B

    @property
    def plain(self) -> bool:
        return self.L.ndim == 1

    @property
    def square(self) -> Floats:
        """The root as a triangle [K, K]."""
        return np.diag(self.L) if self.plain else self.L

    @property
    def norms(self) -> Floats:
        """Each state's quadratic part: [K]."""
        norms: Floats = self.L**2 if self.plain else np.einsum("ij,ij->j", self.L, self.L)
        return norms


def factor(tree: TreeArrays, forms: Floats, D: tuple[Floats, Floats], out: Factors) -> None:
    """Fold the tree from its leaves up; forms [2, 2, W, W] by player and kind, D [S, K] diagonals.

    The merges are `tree_newton.factor`'s, and it says why they are as they are.
    """
    for n in range(len(tree.player) - 1, -1, -1):
        K, O = tree.sizes[tree.player[n]], tree.sizes[1 - tree.player[n]]  # noqa: E741
        Y = np.zeros((O, O), order="F")
        merged = None
        for a in range(tree.start[n], tree.start[n + 1]):
            part, Y = _action(tree, forms, D, out, (n, a, Y))
            if merged is None:
                merged = part
                continue
            merged = _merge(out, a, merged, part)
            Y = _absorb(Y, out.push[a, :K, :O], 0)
        assert merged is not None  # every decision has an action
        out.Y[n, :O, :O] = Y
        out.B[n, :K, :O] = merged.B
        out.plain[n] = merged.plain
        if merged.plain:
            out.L[n, 0, :K] = merged.L
        else:
            out.L[n, :K, :K] = merged.L


def _action(
    tree: TreeArrays,
    forms: Floats,
    D: tuple[Floats, Floats],
    out: Factors,
    at: tuple[int, int, Floats],
) -> tuple[_Part, Floats]:
    """One action's form, and the decision's root Y with the action's part in it."""
    n, a, Y = at
    player = tree.player[n]
    K, O = tree.sizes[player], tree.sizes[1 - player]  # noqa: E741
    child, roots = tree.child[a], np.sqrt(D[player][tree.seq[a]])
    if child < 0:
        return _Part(roots, tree.stake[a] * forms[player, tree.kind[a], :K, :O]), Y
    L = _absorb(np.asfortranarray(np.diag(roots)), out.Y[child, :K, :K], K)
    below = np.diag(out.L[child, 0, :O]) if out.plain[child] else out.L[child, :O, :O]
    return _Part(L, -out.B[child, :O, :K].T), _absorb(Y, below, O)


def _absorb(R: Floats, rows: Floats, triangle: int) -> Floats:
    """The triangle R with R'R grown by rows'rows; the last rows are a triangle too."""
    width = min(_WIDTH, len(R))
    found, *_ = lapack.dtpqrt(triangle, width, R, rows, overwrite_a=1)
    grown: Floats = np.triu(found)
    return np.asfortranarray(grown)


def _merge(out: Factors, a: int, one: _Part, two: _Part) -> _Part:
    """Join an action to those before it; how is written to the factors."""
    K, O = one.B.shape  # noqa: E741
    apart = two.B - one.B
    first = one.norms < two.norms
    out.first[a, :K] = first
    B = np.where(first[:, None], one.B, two.B)
    out.merge_plain[a] = one.plain and two.plain
    if out.merge_plain[a]:
        size = np.hypot(one.L, two.L)
        pull = np.where(first, one.L * (one.L / size), -two.L * (two.L / size))
        push = apart / size[:, None]
        out.root[a, 0, :K], out.pull[a, 0, :K] = 1 / size, pull
        out.push[a, :K, :O] = push
        return _Part(one.L * (two.L / size), B + pull[:, None] * push)
    A, C = one.square, two.square
    width = min(_WIDTH, K)
    R, V, T, _ = lapack.dtpqrt(K, width, A, -C)
    pull, rest, _ = lapack.dtpmqrt(K, V, T, A * first, C * ~first, trans=b"T")
    R = np.triu(R)
    (left,) = qr(rest, mode="r", overwrite_a=True, check_finite=False)
    push = solve_triangular(R, apart, trans="T", check_finite=False)
    out.root[a, :K, :K] = lapack.dtrtri(R)[0]
    out.pull[a, :K, :K], out.push[a, :K, :O] = pull, push
    return _Part(np.triu(left), B + pull.T @ push)

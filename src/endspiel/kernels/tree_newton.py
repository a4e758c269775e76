"""Compiled parts of Newton's equations along a public tree; `solvers.lp.public_tree` says what for.

Its twin, `tests/kernels/tree_newton_reference.py`, has the same equations as one dense matrix.
Matrices lie in square slots of a common width, of which a block uses the upper left part: sizes
are handed over beside them. Triangles are upper. `native/core/builds/tree_newton.cpp` does the
work, without Python's lock.
"""

from ctypes import byref, c_int64
from typing import Any, NamedTuple

import numpy as np

from endspiel.kernels.arrays import Float64s, Floats, Ints
from endspiel.native.boundary import packed, pointer
from endspiel.native.library import board_function, chosen_build


class TreeArrays(NamedTuple):
    """Public decisions, parents first, and their actions, those of a decision together."""

    player: Ints  # [N]
    number: Ints  # [N] among the actor's decisions
    own: Ints  # [N] the actor's sequence that leads here
    other: Ints  # [N] the other player's
    start: Ints  # [N + 1] first action
    seq: Ints  # [A] the actor's sequence of each action
    child: Ints  # [A] the decision it leads to; -1 where it ends the game
    kind: Ints  # [A] of a terminal: 0 a fold, 1 a showdown
    stake: Float64s  # [A] of a terminal: what the actor gets times the form of its kind
    sizes: Ints  # [2] states of each player


class Factors(NamedTuple):
    """What is left of each decision's subtree, and how two actions at a time were merged.

    Merge a joins action a to those before it. A diagonal matrix is the first row of its slot.
    """

    plain: Ints  # [N] whether L is diagonal
    L: Float64s  # [N, W, W] square root of the part in the actor's sequence
    B: Float64s  # [N, W, W] bilinear part
    Y: Float64s  # [N, W, W] square root of the part in the other's sequence
    merge_plain: Ints  # [A] whether root and pull are diagonal
    first: Ints  # [A, W] whether the actions before keep the state
    root: Float64s  # [A, W, W] inverse of the triangle of both parts together
    pull: Float64s  # [A, W, W] what the shared sequence does to the merge's variable
    push: Float64s  # [A, W, W] what the other player's sequence does to it


Pair = tuple[Floats, Floats]  # an array of each player


def factor(tree: TreeArrays, forms: Float64s, D: Pair, out: Factors) -> None:
    """Fold the tree from its leaves up; forms [2, 2, W, W] by player and kind, D [S, K] diagonals.

    In each state the action with the smaller quadratic part keeps the shared sequence, and the
    merge's variable moves some of it to the other: nothing large is taken from anything large.
    """
    W = out.L.shape[1]
    board_function("factor_tree", chosen_build())(
        *_checked(tree, out),
        c_int64(W),
        pointer(forms, np.float64, shape=(2, 2, W, W), name="forms"),
        *_each(tree, D, "D"),
        pointer(np.zeros(13 * W * W + 2 * W), np.float64),
    )


def solve(tree: TreeArrays, by: Factors, g: Pair, missing: Pair, x: Pair, u: Pair) -> None:
    """Changes x [S, K] of both plans and u [D, K] of the values, for a linear part g [S, K].

    Up the tree the linear parts are gathered, down it the changes are shared out.
    """
    (N, W, _), A = by.L.shape, len(tree.seq)
    board_function("solve_tree", chosen_build())(
        *_checked(tree, by),
        c_int64(W),
        *_each(tree, g, "g"),
        *_each(tree, missing, "missing"),
        *_each(tree, x, "x", written=True),
        *_each(tree, u, "u", written=True),
        pointer(np.zeros((A + 3 * N + 3) * W), np.float64),
    )


def _checked(tree: TreeArrays, factors: Factors) -> tuple[Any, Any]:
    N, A, W = len(tree.player), len(tree.seq), int(tree.sizes.max())
    shapes = (N,), *((N, W, W),) * 3, (A,), (A, W), *((A, W, W),) * 3
    if tuple(array.shape for array in factors) != shapes:
        raise TypeError(f"factors of {N} decisions, {A} actions and {W} states have other shapes")
    return byref(packed(tree)), byref(packed(factors, written=True))


def _each(tree: TreeArrays, pair: Pair, name: str, *, written: bool = False) -> list[Any]:
    """A pointer to each player's array, one row [K] a sequence or decision."""
    return [
        pointer(array, np.float64, shape=(-1, int(states)), written=written, name=name)
        for array, states in zip(pair, tree.sizes, strict=True)
    ]

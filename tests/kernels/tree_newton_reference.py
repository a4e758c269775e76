"""The readable twin of `tree_newton`: all of Newton's equations as one dense matrix.

With x and y the changes of both plans, u and v those of the values, E and F what sums each
decision's actions less the sequence that leads to it, and A player 0's payoffs:

    D0 x + E'u - A y = g0        E x = -missing0
    D1 y + F'v + A'x = g1        F y = -missing1

Sequence 0 of each player is fixed: it has neither a column nor an equation.
"""

import numpy as np

from endspiel.kernels.arrays import Floats
from endspiel.kernels.tree_newton import TreeArrays

Pair = tuple[Floats, Floats]


def solve(tree: TreeArrays, forms: Floats, D: Pair, g: Pair, missing: Pair) -> tuple[Pair, Pair]:
    """Changes x [S, K] of both plans and u [D, K] of the values, as `tree_newton.solve` has them.

    Forms [2, 2, W, W] by player and kind, D [S, K] diagonals, g [S, K] linear parts, missing
    [D, K].
    """
    plans = D[0].size, D[1].size
    A, E = payoffs(tree, forms, D), [sums(tree, p, D[p].shape) for p in (0, 1)]
    matrix = np.block(
        [
            [np.diag(D[0].ravel()), -A, E[0].T, np.zeros((plans[0], len(E[1])))],
            [A.T, np.diag(D[1].ravel()), np.zeros((plans[1], len(E[0]))), E[1].T],
            [E[0], np.zeros((len(E[0]), plans[1] + len(E[0]) + len(E[1])))],
            [np.zeros((len(E[1]), plans[0])), E[1], np.zeros((len(E[1]), len(E[0]) + len(E[1])))],
        ]
    )
    right = np.concatenate([g[0].ravel(), g[1].ravel(), -missing[0].ravel(), -missing[1].ravel()])
    free = np.ones(len(right), dtype=bool)
    free[: D[0].shape[1]] = False
    free[plans[0] : plans[0] + D[1].shape[1]] = False
    found = np.zeros(len(right))
    found[free] = np.linalg.solve(matrix[np.ix_(free, free)], right[free])
    parts = np.split(found, np.cumsum([*plans, len(E[0])]))
    x = parts[0].reshape(D[0].shape), parts[1].reshape(D[1].shape)
    u = parts[2].reshape(missing[0].shape), parts[3].reshape(missing[1].shape)
    return x, u


def payoffs(tree: TreeArrays, forms: Floats, D: Pair) -> Floats:
    """What each pair of sequences and states pays player 0: [S0 K0, S1 K1]."""
    paid = np.zeros((*D[0].shape, *D[1].shape))
    for n, player in enumerate(tree.player):
        K, O = tree.sizes[player], tree.sizes[1 - player]  # noqa: E741
        for a in range(tree.start[n], tree.start[n + 1]):
            if tree.child[a] >= 0:
                continue
            block = tree.stake[a] * forms[player, tree.kind[a], :K, :O]
            if player == 0:
                paid[tree.seq[a], :, tree.other[n], :] += block
            else:
                paid[tree.other[n], :, tree.seq[a], :] -= block.T
    A: Floats = paid.reshape(D[0].size, D[1].size)
    return A


def sums(tree: TreeArrays, player: int, shape: tuple[int, ...]) -> Floats:
    """Each decision's actions less the sequence that leads to it, by states: [D K, S K]."""
    size, K = shape
    here = np.flatnonzero(tree.player == player)
    signs = np.zeros((len(here), size))
    for n in here:
        row = signs[tree.number[n]]
        row[tree.seq[tree.start[n] : tree.start[n + 1]]] = 1
        row[tree.own[n]] = -1
    return np.kron(signs, np.eye(K))

"""Compiled parts of Newton's equations along a public tree; `solvers.lp.public_tree` says what for.

`tree_newton_reference` has the same equations as one dense matrix.
Matrices lie in square slots of a common width, of which a block uses the upper left part: sizes
are handed over beside them. Triangles are upper. Inner loops run along rows.
"""

from typing import NamedTuple

import numpy as np

from endspiel.jit import njit
from endspiel.kernels.arrays import Floats, Ints

_FAST = {"contract", "reassoc", "nsz", "arcp"}


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
    stake: Floats  # [A] of a terminal: what the actor gets times the form of its kind
    sizes: Ints  # [2] states of each player


class Factors(NamedTuple):
    """What is left of each decision's subtree, and how two actions at a time were merged.

    Merge a joins action a to those before it. A diagonal matrix is the first row of its slot.
    """

    plain: Ints  # [N] whether L is diagonal
    L: Floats  # [N, W, W] square root of the part in the actor's sequence
    B: Floats  # [N, W, W] bilinear part
    Y: Floats  # [N, W, W] square root of the part in the other's sequence
    merge_plain: Ints  # [A] whether root and pull are diagonal
    first: Ints  # [A, W] whether the actions before keep the state
    root: Floats  # [A, W, W] inverse of the triangle of both parts together
    pull: Floats  # [A, W, W] what the shared sequence does to the merge's variable
    push: Floats  # [A, W, W] what the other player's sequence does to it


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def absorb(R, rows, m, K, w):  # type: ignore[no-untyped-def]
    """Turn m rows of K into the triangle R: R'R grows by rows'rows. The rows are used up."""
    for j in range(K):
        square = 0.0
        for i in range(m):
            square += rows[i, j] * rows[i, j]
        if square == 0.0:
            continue
        head = R[j, j]
        norm = np.sqrt(head * head + square)
        top = head + norm if head >= 0 else head - norm
        beta = 2.0 / (1.0 + square / (top * top))  # the reflector is (1, rows / top)
        for k in range(j + 1, K):
            w[k] = R[j, k]
        for i in range(m):
            v = rows[i, j] / top
            rows[i, j] = v
            if v != 0.0:
                for k in range(j + 1, K):
                    w[k] += v * rows[i, k]
        R[j, j] = -norm if head >= 0 else norm
        for k in range(j + 1, K):
            w[k] *= beta
            R[j, k] -= w[k]
        for i in range(m):
            v = rows[i, j]
            if v != 0.0:
                for k in range(j + 1, K):
                    rows[i, k] -= v * w[k]


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def factor(tree: TreeArrays, forms: Floats, D: tuple[Floats, Floats], out: Factors) -> None:
    """Fold the tree from its leaves up; forms [2, 2, W, W] by player and kind, D [S, K] diagonals.

    In each state the action with the smaller quadratic part keeps the shared sequence, and the
    merge's variable moves some of it to the other: nothing large is taken from anything large.
    """
    W = out.L.shape[1]
    one, two = np.zeros((W, W)), np.zeros((W, W))
    one_B, two_B, apart = np.zeros((W, W)), np.zeros((W, W)), np.zeros((W, W))
    stack, rows = np.zeros((2 * W, 2 * W)), np.zeros((2 * W, 2 * W))
    w = np.zeros(2 * W)
    for n in range(len(tree.player) - 1, -1, -1):
        player = tree.player[n]
        K, O = tree.sizes[player], tree.sizes[1 - player]  # noqa: E741
        diagonal = D[0] if player == 0 else D[1]
        out.Y[n] = 0.0
        begin = tree.start[n]
        plain = _action(tree, forms, diagonal, out, n, begin, one, one_B, rows, w)
        for a in range(begin + 1, tree.start[n + 1]):
            next_plain = _action(tree, forms, diagonal, out, n, a, two, two_B, rows, w)
            for i in range(K):
                for j in range(O):
                    apart[i, j] = two_B[i, j] - one_B[i, j]
            out.merge_plain[a] = plain and next_plain
            if out.merge_plain[a]:
                _merge_plain(out, a, K, O, one, two, apart)
            else:
                _merge(out, a, K, O, (one, plain, two, next_plain), apart, stack, rows, w)
                plain = False
            for i in range(K):
                if not out.first[a, i]:
                    for j in range(O):
                        one_B[i, j] = two_B[i, j]
            _mix(out, a, K, O, one_B)
            for i in range(K):
                for j in range(O):
                    rows[i, j] = out.push[a, i, j]
            absorb(out.Y[n], rows, K, O, w)
        out.plain[n] = plain
        out.L[n] = one
        out.B[n] = one_B


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def _action(tree, forms, diagonal, out, n, a, L, B, rows, w):  # type: ignore[no-untyped-def]
    """One action's root into L and bilinear part into B; its part in y goes to the decision.

    Returns whether L is diagonal.
    """
    player = tree.player[n]
    K, O = tree.sizes[player], tree.sizes[1 - player]  # noqa: E741
    seq, child = tree.seq[a], tree.child[a]
    if child < 0:
        form = forms[player, tree.kind[a]]
        for i in range(K):
            L[0, i] = np.sqrt(diagonal[seq, i])
            for j in range(O):
                B[i, j] = tree.stake[a] * form[i, j]
        return True
    for i in range(K):
        for j in range(K):
            L[i, j] = 0.0
            rows[i, j] = out.Y[child, i, j]
        L[i, i] = np.sqrt(diagonal[seq, i])
        for j in range(O):
            B[i, j] = -out.B[child, j, i]
    absorb(L, rows, K, K, w)
    for i in range(O):
        for j in range(O):
            rows[i, j] = 0.0 if out.plain[child] else out.L[child, i, j]
        if out.plain[child]:
            rows[i, i] = out.L[child, 0, i]
    absorb(out.Y[n], rows, O, O, w)
    return False


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def _merge_plain(out, a, K, O, one, two, apart):  # type: ignore[no-untyped-def]  # noqa: E741
    """Merge two terminals."""
    for i in range(K):
        A, B = one[0, i], two[0, i]
        size = np.sqrt(A * A + B * B)
        out.first[a, i] = A < B
        out.root[a, 0, i] = 1 / size
        out.pull[a, 0, i] = A * (A / size) if A < B else -B * (B / size)
        one[0, i] = A * (B / size)
        for j in range(O):
            out.push[a, i, j] = apart[i, j] / size


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def _merge(out, a, K, O, parts, apart, stack, rows, w):  # type: ignore[no-untyped-def]  # noqa: E741
    """Merge two actions of which one goes on; the new root comes into the first."""
    one, plain, two, next_plain = parts
    if plain:
        _spread(one, K)
    if next_plain:
        _spread(two, K)
    first = out.first[a]
    for j in range(K):
        A = B = 0.0
        for i in range(j + 1):
            A += one[i, j] * one[i, j]
            B += two[i, j] * two[i, j]
        first[j] = A < B
    for i in range(K):
        for j in range(K):
            stack[i, j], stack[i, K + j] = one[i, j], one[i, j] * first[j]
            stack[K + i, j], stack[K + i, K + j] = 0.0, 0.0
            rows[i, j], rows[i, K + j] = -two[i, j], two[i, j] * (1 - first[j])
    absorb(stack, rows, K, 2 * K, w)
    root, pull, push = out.root[a], out.pull[a], out.push[a]
    for i in range(K):
        for j in range(K):
            pull[i, j] = stack[i, K + j]
            one[i, j] = stack[K + i, K + j]
    _invert(stack, K, root)
    for i in range(K):
        for j in range(O):
            push[i, j] = 0.0
    for k in range(K):
        for i in range(k, K):
            share = root[k, i]
            for j in range(O):
                push[i, j] += share * apart[k, j]


@njit(cache=True)
def _spread(L, K):  # type: ignore[no-untyped-def]
    """A diagonal in the first row to its place."""
    for i in range(1, K):
        for j in range(K):
            L[i, j] = 0.0
        L[i, i] = L[0, i]
        L[0, i] = 0.0


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def _invert(R, K, X):  # type: ignore[no-untyped-def]
    """The inverse of an upper triangle."""
    for i in range(K - 1, -1, -1):
        for j in range(K):
            X[i, j] = 0.0
        for k in range(i + 1, K):
            r = R[i, k]
            for j in range(k, K):
                X[i, j] -= r * X[k, j]
        X[i, i] = 1.0
        for j in range(i, K):
            X[i, j] /= R[i, i]


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def _mix(out, a, K, O, B):  # type: ignore[no-untyped-def]  # noqa: E741
    """Add what the merge's variable adds to the bilinear part."""
    pull, push = out.pull[a], out.push[a]
    for k in range(K):
        for i in range(K):
            share = pull[k, i]
            if out.merge_plain[a]:
                share = pull[0, k] if i == k else 0.0
            if share != 0.0:
                for j in range(O):
                    B[i, j] += share * push[k, j]


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def solve(
    tree: TreeArrays,
    by: Factors,
    g: tuple[Floats, Floats],
    missing: tuple[Floats, Floats],
    x: tuple[Floats, Floats],
    u: tuple[Floats, Floats],
) -> None:
    """Changes x [S, K] of both plans and u [D, K] of the values, for a linear part g [S, K].

    Up the tree the linear parts are gathered, down it the changes are shared out.
    """
    N, W = len(tree.player), by.L.shape[1]
    kept = np.zeros((len(tree.seq), W))  # what each merge remembers
    total, mine, theirs = np.zeros((N, W)), np.zeros((N, W)), np.zeros((N, W))
    part, spare, more = np.zeros(W), np.zeros(W), np.zeros(W)
    for n in range(N - 1, -1, -1):
        _gather(tree, by, g, missing, n, kept, (total, mine, theirs), part, spare)
    for n in range(N):
        player = tree.player[n]
        K, O = tree.sizes[player], tree.sizes[1 - player]  # noqa: E741
        own, other = (x[0], x[1]) if player == 0 else (x[1], x[0])
        values, short = (u[0], missing[0]) if player == 0 else (u[1], missing[1])
        y, d = other[tree.other[n]], tree.number[n]
        for i in range(K):
            part[i] = own[tree.own[n], i] - short[d, i]
        _square(by.L[n], by.plain[n], K, part, spare, more)
        for i in range(K):
            earned = total[n, i] - more[i]
            for j in range(O):
                earned += by.B[n, i, j] * y[j]
            values[d, i] = earned
        for a in range(tree.start[n + 1] - 1, tree.start[n], -1):
            push, first = by.push[a], by.first[a]
            _times(by.pull[a], by.merge_plain[a], K, part, spare)
            for i in range(K):
                pushed = kept[a, i]
                for j in range(O):
                    pushed += push[i, j] * y[j]
                spare[i] += pushed
            _times(by.root[a], by.merge_plain[a], K, spare, more)
            for i in range(K):
                own[tree.seq[a], i] = more[i] if first[i] else part[i] + more[i]
                part[i] = part[i] - more[i] if first[i] else -more[i]
        for i in range(K):
            own[tree.seq[tree.start[n]], i] = part[i]


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def _gather(tree, by, g, missing, n, kept, parts, part, spare):  # type: ignore[no-untyped-def]
    """The linear part of a decision's form: in its own sequence, and in the other's."""
    total, mine, theirs = parts
    player = tree.player[n]
    K, O = tree.sizes[player], tree.sizes[1 - player]  # noqa: E741
    linear, short = (g[0], missing[0]) if player == 0 else (g[1], missing[1])
    left = short[tree.number[n]]
    sum_, h = total[n], theirs[n]
    for a in range(tree.start[n], tree.start[n + 1]):
        child = tree.child[a]
        for i in range(K):
            part[i] = linear[tree.seq[a], i]
        if child >= 0:
            for i in range(K):
                part[i] += theirs[child, i]
            for j in range(O):
                h[j] += mine[child, j]
        if a == tree.start[n]:
            for i in range(K):
                sum_[i] = part[i]
            continue
        new, first = kept[a], by.first[a]
        for i in range(K):
            spare[i] = part[i] - sum_[i]
            if not first[i]:
                sum_[i] = part[i]
        _times_transposed(by.root[a], by.merge_plain[a], K, spare, new)
        _times_transposed(by.pull[a], by.merge_plain[a], K, new, spare)
        for i in range(K):
            sum_[i] += spare[i]
            for j in range(O):
                h[j] -= new[i] * by.push[a, i, j]
    _square(by.L[n], by.plain[n], K, left, part, spare)
    for i in range(K):
        mine[n, i] = sum_[i] + spare[i]
        for j in range(O):
            h[j] += left[i] * by.B[n, i, j]


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def _times(M, plain, K, v, out):  # type: ignore[no-untyped-def]
    for i in range(K):
        if plain:
            out[i] = M[0, i] * v[i]
        else:
            sum_ = 0.0
            for j in range(K):
                sum_ += M[i, j] * v[j]
            out[i] = sum_


@njit(cache=True, fastmath=_FAST, error_model="numpy")
def _times_transposed(M, plain, K, v, out):  # type: ignore[no-untyped-def]
    if plain:
        for i in range(K):
            out[i] = M[0, i] * v[i]
        return
    for i in range(K):
        out[i] = 0.0
    for j in range(K):
        for i in range(K):
            out[i] += M[j, i] * v[j]


@njit(cache=True)
def _square(L, plain, K, v, spare, out):  # type: ignore[no-untyped-def]
    """L'L v."""
    _times(L, plain, K, v, spare)
    _times_transposed(L, plain, K, spare, out)

"""The kernels as one would write them on a blackboard; `cpu` must agree with every one.

All work in place on plain vectors indexed by sequence: [S]. Sequences 0..R-1 are the roots.
"""

from collections.abc import Iterator

import numpy as np

from endspiel.kernels.arrays import CompressedRows, Discounts, Floats, Ints, PlexArrays, Side
from endspiel.kernels.regrets import add_advantages, add_plans, decision_values, shares


def blocks(plex: PlexArrays) -> Iterator[tuple[slice, tuple[int, int], Ints]]:
    """Each block's slice of the sequences, its shape (A, K), and its states' parents [K]."""
    for first, K, A, base, at in zip(*plex[:5], strict=True):
        yield slice(first, first + A * K), (A, K), base + plex.maps[at : at + K]


def walk_down(plex: PlexArrays, behavior: Floats, plan: Floats) -> None:
    """Fill a plan from behavior probabilities; its root entries are given."""
    for span, shape, parent in blocks(plex):
        plan[span] = (behavior[span].reshape(shape) * plan[parent]).ravel()


def advantages(plex: PlexArrays, behavior: Floats, gradient: Floats) -> None:
    """Turn a gradient into each action's advantage; values pass up to the parent sequences."""
    for span, shape, parent in reversed(list(blocks(plex))):
        g = gradient[span].reshape(shape)
        value = decision_values(g, behavior[span].reshape(shape))  # [K]
        gradient[span] = (g - value).ravel()
        np.add.at(gradient, parent, value)


def best_up(plex: PlexArrays, gradient: Floats, behavior: Floats) -> None:
    """Best response to a gradient: pure behavior out, values pass up to the parent sequences.

    The gradient keeps each sequence's value given best play below it.
    """
    for span, shape, parent in reversed(list(blocks(plex))):
        g = gradient[span].reshape(shape)
        best = g.argmax(axis=0)  # [K]
        behavior[span] = (np.arange(shape[0])[:, None] == best).astype(behavior.dtype).ravel()
        np.add.at(gradient, parent, decision_values(g, None))


def smooth_up(plex: PlexArrays, gradient: Floats, weights: Floats, behavior: Floats) -> None:
    """Softmax response: each state maximizes <p, g> - w * sum p log p, w [S] shared by its actions.

    The gradient keeps each sequence's smoothed value.
    """
    for span, shape, parent in reversed(list(blocks(plex))):
        g = gradient[span].reshape(shape)
        w = weights[span].reshape(shape)[0]
        top = g.max(axis=0)
        e = np.exp((g - top) / w)
        total = e.sum(axis=0)
        behavior[span] = (e / total).ravel()
        np.add.at(gradient, parent, top + w * np.log(total))


def match_regrets(
    plex: PlexArrays, advantage: Floats, regret: Floats, behavior: Floats, discounts: Discounts
) -> None:
    """Discount the stored regrets, add the new advantages, and play in proportion to the positive.

    Supplement, equations 4 and 10; a negative discount of zero is regret matching plus.
    """
    for span, shape, _ in blocks(plex):
        stored, new = regret[span].reshape(shape), advantage[span].reshape(shape)
        add_advantages(stored, new, discounts)
        behavior[span] = shares(stored + discounts.predict * new).ravel()


def learn(
    plex: PlexArrays,
    gradient: Floats,
    regret: Floats,
    behavior: Floats,
    plan: Floats,
    average: Floats,
    discounts: Discounts,
) -> None:
    """One player's whole iteration: average, advantages, regrets, new behavior, new plan.

    The average is of the strategies that were played (supplement, equation 8): it takes the plan
    that the iteration began with, not the one that it ends with.
    """
    add_plans(average, plan, discounts)
    advantages(plex, behavior, gradient)
    match_regrets(plex, gradient, regret, behavior, discounts)
    walk_down(plex, behavior, plan)


def normalize(plex: PlexArrays, weights: Floats, behavior: Floats) -> None:
    """Behavior in proportion to non-negative weights; uniform where a state has none."""
    for span, shape, _ in blocks(plex):
        behavior[span] = shares(weights[span].reshape(shape)).ravel()


def iterate(one: Side, two: Side, schedule: Floats, alternating: bool) -> None:
    """Iterations of both players, one for each row (`Discounts`) of the schedule [T, 4]."""
    for row in schedule:
        discounts = Discounts(*row)
        earn(one, two.plan)
        if not alternating:
            earn(two, one.plan)
        learn(one.plex, *one[3:], discounts)
        if alternating:
            earn(two, one.plan)
        learn(two.plex, *two[3:], discounts)


def earn(side: Side, plan: Floats) -> None:
    """Write a side's gradient against the other's plan."""
    side.gradient[:] = 0
    multiply(side.payoffs, plan, side.gradient)
    for own, other, K, L, form, stake in zip(*side.ends[:6], strict=True):
        matrix = side.ends.entries[form : form + K * L].reshape(L, K)
        side.gradient[own : own + K] += stake * (plan[other : other + L] @ matrix)


def multiply(rows: CompressedRows, x: Floats, out: Floats) -> None:
    """Add a sparse matrix times a vector to a vector."""
    for i in range(len(rows.indptr) - 1):
        span = slice(rows.indptr[i], rows.indptr[i + 1])
        out[i] += rows.data[span] @ x[rows.indices[span]]


def gather(plan: Floats, seqs: Ints, stakes: Floats, reach: Floats) -> None:
    """Copy a slice of a plan for each terminal, times its stake, to reach [T, K]."""
    for t in range(len(seqs)):
        reach[t] = stakes[t] * plan[seqs[t] : seqs[t] + reach.shape[1]]


def scatter(values: Floats, seqs: Ints, out: Floats) -> None:
    """Add each terminal's values [T, K] to its slice of a vector."""
    for t in range(len(seqs)):
        out[seqs[t] : seqs[t] + values.shape[1]] += values[t]

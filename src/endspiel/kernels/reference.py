"""The kernels as one would write them on a blackboard; `cpu` must agree with every one.

All work in place on plain vectors indexed by sequence: [S]. Sequences 0..R-1 are the roots.
"""

from collections.abc import Iterator

import numpy as np

from endspiel.kernels.arrays import Discounts, Floats, Ints, PlexArrays


def blocks(plex: PlexArrays) -> Iterator[tuple[slice, tuple[int, int], Ints]]:
    """Each block's slice of the sequences, its shape (A, K), and its states' parents [K]."""
    for first, K, A, base, at in zip(*plex[:5], strict=True):
        yield slice(first, first + A * K), (A, K), base + plex.maps[at : at + K]


def walk_down(plex: PlexArrays, behavior: Floats, plan: Floats) -> None:
    """Fill a plan from behavior probabilities; its root entries are given."""
    for span, shape, parent in blocks(plex):
        plan[span] = (behavior[span].reshape(shape) * plan[parent]).ravel()


def walk_up(plex: PlexArrays, behavior: Floats, gradient: Floats) -> None:
    """Turn a gradient into each action's advantage; values pass up to the parent sequences."""
    for span, shape, parent in reversed(list(blocks(plex))):
        g = gradient[span].reshape(shape)
        value = (behavior[span].reshape(shape) * g).sum(axis=0)  # [K]
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
        np.add.at(gradient, parent, g.max(axis=0))


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
    plex: PlexArrays, advantage: Floats, regret: Floats, behavior: Floats, by: Discounts
) -> None:
    """Discount the stored regrets, add the new advantages, and play in proportion to the positive.

    Supplement, equations 4 and 10; a negative discount of zero is regret matching plus.
    """
    for span, shape, _ in blocks(plex):
        old = regret[span].reshape(shape)
        new = advantage[span].reshape(shape)
        old = np.where(old > 0, old * by.positive, old * by.negative) + new
        regret[span] = old.ravel()
        positive = np.maximum(old + by.predict * new, 0)
        total = positive.sum(axis=0)
        share = np.divide(positive, total, out=np.full(shape, 1 / shape[0]), where=total > 0)
        behavior[span] = share.ravel()


def learn(
    plex: PlexArrays,
    gradient: Floats,
    regret: Floats,
    behavior: Floats,
    plan: Floats,
    average: Floats,
    by: Discounts,
) -> None:
    """One player's whole iteration: advantages, regrets, new behavior, new plan, average."""
    walk_up(plex, behavior, gradient)
    match_regrets(plex, gradient, regret, behavior, by)
    walk_down(plex, behavior, plan)
    average *= by.average
    average += plan


def normalize(plex: PlexArrays, weights: Floats, behavior: Floats) -> None:
    """Behavior in proportion to non-negative weights; uniform where a state has none."""
    for span, shape, _ in blocks(plex):
        w = weights[span].reshape(shape)
        total = w.sum(axis=0)
        share = np.divide(w, total, out=np.full(shape, 1 / shape[0]), where=total > 0)
        behavior[span] = share.ravel()


def multiply(indptr: Ints, indices: Ints, data: Floats, x: Floats, out: Floats) -> None:
    """Add a sparse matrix (compressed rows) times a vector to a vector."""
    for i in range(len(indptr) - 1):
        span = slice(indptr[i], indptr[i + 1])
        out[i] += data[span] @ x[indices[span]]


def gather(plan: Floats, seqs: Ints, stakes: Floats, reach: Floats) -> None:
    """Copy a slice of a plan for each terminal, times its stake, to reach [T, K]."""
    for t in range(len(seqs)):
        reach[t] = stakes[t] * plan[seqs[t] : seqs[t] + reach.shape[1]]


def scatter(values: Floats, seqs: Ints, out: Floats) -> None:
    """Add each terminal's values [T, K] to its slice of a vector."""
    for t in range(len(seqs)):
        out[seqs[t] : seqs[t] + values.shape[1]] += values[t]

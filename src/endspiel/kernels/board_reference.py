"""The kernels of one board as one would write them on a blackboard; `board` must agree with each.

Same names, same arguments, same places in the same flat arrays; but a tile is a matrix here
[rows, 16], and showdowns compare every pair of hands. Works in the precision of its arrays.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from endspiel.kernels.board_arrays import Bytes, Int32s, Ints, Meta

LANES = 16
UPDATE, BEST = 0, 1  # modes of the walk up
NUM_CARDS = 52
CARD_ROWS = 54  # mass by card: 52 cards, padding's, and the total
TOTAL = 53

Floats = NDArray[np.floating[Any]]


def _rows(array: Floats, at: int, count: int) -> Floats:
    """A view of so many rows of sixteen: [count, 16]."""
    return array[at : at + count * LANES].reshape(count, LANES)


def _decisions(plan: Ints, ints: Ints) -> list[tuple[slice, int]]:
    """Each decision's own sequences, and the sequence that leads to it."""
    first, actions, parent = (
        ints[plan[column] : plan[column] + plan[Meta.DECISIONS]]
        for column in (Meta.FIRST, Meta.ACTIONS, Meta.PARENT)
    )
    return [(slice(f, f + a), int(p)) for f, a, p in zip(first, actions, parent, strict=True)]


def _kept_rows(plan: Ints, kept: Floats, at: int) -> Floats:
    """What is kept of a tile's decisions, [S - L, 16]: row s - L belongs to sequence s."""
    return _rows(kept, at + int(plan[Meta.LINES]) * LANES, int(plan[Meta.SIZE] - plan[Meta.LINES]))


def _kept_span(plan: Ints, span: slice) -> slice:
    lines = int(plan[Meta.LINES])
    return slice(span.start - lines, span.stop - lines)


def down_tile(
    plan: Ints, ints: Ints, source: Floats, at: int, work: Floats, sigma: int, reach: int
) -> None:
    """Match the regrets (or weights) of a tile and multiply the reaches of its sequences.

    The reaches of the tile's incoming lines are set; `sigma` gets the probabilities, unless it is
    negative.
    """
    size = int(plan[Meta.SIZE])
    weights = np.maximum(_kept_rows(plan, source, at), 0)
    shares = _rows(work, sigma, size) if sigma >= 0 else np.empty((size, LANES), work.dtype)
    reaches = _rows(work, reach, size)
    tiny = np.finfo(np.float32).tiny  # smaller totals have no reciprocal
    for span, parent in _decisions(plan, ints):
        mine = weights[_kept_span(plan, span)]
        total = mine.sum(axis=0)
        uniform = np.full(mine.shape, 1 / len(mine), work.dtype)
        shares[span] = np.divide(mine, total, out=uniform, where=total > tiny)
        reaches[span] = shares[span] * reaches[parent]


def up_tile(
    plan: Ints,
    ints: Ints,
    mode: int,
    locked: Bytes,
    locked_at: int,
    by: Floats,
    regret: Floats,
    at: int,
    work: Floats,
    sigma: int,
    gain: int,
) -> None:
    """Pass values from the last decisions of a tile to its incoming lines; learn on the way."""
    size = int(plan[Meta.SIZE])
    regrets = _kept_rows(plan, regret, at)
    shares, gains = _rows(work, sigma, size), _rows(work, gain, size)
    for n, (span, parent) in reversed(list(enumerate(_decisions(plan, ints)))):
        free = not locked[locked_at + n]
        if mode == BEST and free:
            value = gains[span].max(axis=0)
        else:
            value = (gains[span] * shares[span]).sum(axis=0)
        if mode == UPDATE and free:
            old = regrets[_kept_span(plan, span)]
            old *= np.where(old > 0, by[0], by[1])
            old += gains[span] - value
        gains[parent] += value


def average_tile(
    plan: Ints, keep: float, average: Floats, at: int, work: Floats, reach: int
) -> None:
    """Add a tile's reaches to the discounted average of its decisions."""
    mine = _kept_rows(plan, average, at)
    mine *= keep
    mine += _rows(work, reach, int(plan[Meta.SIZE]))[plan[Meta.LINES] :]


def lanes_from_tile(
    plan: Ints, ints: Ints, work: Floats, tile: int, lanes: int, hands: int, h: int
) -> None:
    """Transpose a tile's reaches to the lanes [lane tiles, hands + 1, 16] from hand h on."""
    for t, picked in enumerate(_by_tile(plan, ints, Meta.LANE_FROM)):
        reaches = _rows(work, tile, int(picked.max()) + 1)[picked]
        _rows(work, lanes + (t * (hands + 1) + h) * LANES, LANES)[:] = reaches.T


def collect(
    plan: Ints,
    ints: Ints,
    stakes: Floats,
    work: Floats,
    show: int,
    fold: int,
    wide: int,
    t: int,
    gain: int,
) -> None:
    """Fill a tile's values with what its terminals pay; `wide` hands lie in each lane tile."""
    gains = _rows(work, gain, int(plan[Meta.SIZE]))
    gains[:] = 0
    both, shown = int(plan[Meta.BOTH]), int(plan[Meta.SHOWN])
    for lane_tile in range(int(plan[Meta.TILES])):
        at = (lane_tile * wide + t * LANES) * LANES
        if lane_tile < shown:
            to = _by_tile(plan, ints, Meta.SHOW_TO)[lane_tile]
            stake = _by_tile(plan, stakes, Meta.SHOW_STAKE)[lane_tile]
            np.add.at(gains, to, stake[:, None] * _rows(work, show + at, LANES).T)
        if lane_tile < both or lane_tile >= shown:
            to = _by_tile(plan, ints, Meta.FOLD_TO)[lane_tile]
            stake = _by_tile(plan, stakes, Meta.FOLD_STAKE)[lane_tile]
            np.add.at(gains, to, stake[:, None] * _rows(work, fold + at, LANES).T)


def _by_tile(plan: Ints, array: NDArray[Any], column: Meta) -> NDArray[Any]:
    """What a column of the plan says of every lane: [lane tiles, 16]."""
    tiles = int(plan[Meta.TILES])
    start = int(plan[column])
    return array[start : start + tiles * LANES].reshape(tiles, LANES)


def show_tiles(
    low: Bytes,
    high: Bytes,
    own: int,
    other: int,
    ends_own: Int32s,
    ends_other: Int32s,
    work: Floats,
    from_a: int,
    from_b: int,
    mass: int,
    to_a: int,
    to_b: int,
) -> None:
    """Showdowns of two lane tiles: mass of worse hands plus mass of hands no better, for each hand.

    `ends` say how many hands of a player are no stronger than each strength, weakest first. Hands
    that share a card with ours do not count; the one that has both of our cards counts as minus
    one, as sums by card take it out twice. It does so in `settle_tile` too, and cancels.
    """
    ours, theirs = (int(ends[-1]) if len(ends) else 0 for ends in (ends_own, ends_other))
    strength = np.searchsorted(ends_own, np.arange(ours), side="right")
    against = np.searchsorted(ends_other, np.arange(theirs), side="right")
    mine = np.stack([low[own : own + ours], high[own : own + ours]])
    cards = np.stack([low[other : other + theirs], high[other : other + theirs]])
    apart = (mine[:, None, :, None] != cards[None, :, None, :]).all(axis=(0, 1))  # [ours, theirs]
    twice = (mine[:, :, None] == cards[:, None, :]).all(axis=0)
    worse, no_better = strength[:, None] > against, strength[:, None] >= against
    wins = apart * (worse.astype(work.dtype) + no_better) - twice
    for source, to in ((from_a, to_a), (from_b, to_b)):
        _rows(work, to, ours)[:] = wins @ _rows(work, source, theirs)
    total_tiles(low, high, other, theirs, work, from_a, from_b, mass)


def total_tiles(
    low: Bytes,
    high: Bytes,
    other: int,
    hands: int,
    work: Floats,
    from_a: int,
    from_b: int,
    mass: int,
) -> None:
    """Mass of two lane tiles, in all and by card."""
    cards = np.arange(NUM_CARDS + 1)[:, None]  # padding's is the last
    held = (cards == low[other : other + hands]).astype(work.dtype)
    held += cards == high[other : other + hands]  # [53, hands]
    for twin, source in enumerate((from_a, from_b)):
        reaches = _rows(work, source, hands)
        masses = _rows(work, mass + twin * CARD_ROWS * LANES, CARD_ROWS)
        masses[:TOTAL] = held @ reaches
        masses[TOTAL] = reaches.sum(axis=0)


def settle_tile(
    low: Bytes,
    high: Bytes,
    same: Int32s,
    own: int,
    count: int,
    nobody: int,
    work: Floats,
    mass: int,
    lanes: int,
    show: int,
    fold: int,
) -> None:
    """Finish one lane tile: showdowns less the total mass, and folds, for each hand.

    What a fold wins is the mass of the hands that share no card with ours, by inclusion and
    exclusion: the hand that has both of our cards was taken out twice. Row `nobody` of the lanes is
    zero, for hands that the other player does not hold. Negative `show` or `fold`: none here.
    """
    mine = slice(own, own + count)
    masses = _rows(work, mass, CARD_ROWS)
    rest = masses[TOTAL] - masses[low[mine]] - masses[high[mine]]
    if show >= 0:
        _rows(work, show, count)[:] -= rest
    if fold >= 0:
        twice = np.where(same[mine] >= 0, same[mine], nobody)
        _rows(work, fold, count)[:] = rest + _rows(work, lanes, nobody + 1)[twice]

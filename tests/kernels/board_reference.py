"""The kernels of one board as one would write them on a blackboard; `board` must agree with each.

Same names, same arguments, same places in the same flat arrays; but a tile is a matrix here
[rows, 16], and showdowns compare every pair of hands. Works in the precision of its arrays.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from endspiel.kernels.arrays import Discounts, Ints, UInt8s
from endspiel.kernels.board_arrays import Coming, Facing, LanePair, Meta
from endspiel.kernels.regrets import add_advantages, add_plans, decision_values, shares

LANES = 16
UPDATE, BEST = 0, 1  # modes of the walk up
NUM_CARDS = 52
CARD_ROWS = 54  # mass by card: 52 cards, padding's, and the total
TOTAL = 53

Floats = NDArray[np.floating[Any]]


def _rows(array: Floats, at: int, count: int) -> Floats:
    """A view of rows of sixteen: [count, 16]."""
    return array[at : at + count * LANES].reshape(count, LANES)


def _decisions(plan: Ints, ints: Ints) -> list[tuple[slice, int]]:
    """Each decision's own sequences, and the sequence that leads to it."""
    first, actions, parent = (
        ints[plan[column] : plan[column] + plan[Meta.DECISIONS]]
        for column in (Meta.FIRST, Meta.ACTIONS, Meta.PARENT)
    )
    return [(slice(f, f + a), int(p)) for f, a, p in zip(first, actions, parent, strict=True)]


def _stored_rows(plan: Ints, kept: Floats, at: int) -> Floats:
    """What is kept of a tile's decisions, [S - L, 16]: row s - L belongs to sequence s."""
    return _rows(kept, at + int(plan[Meta.LINES]) * LANES, int(plan[Meta.SIZE] - plan[Meta.LINES]))


def _stored_span(plan: Ints, span: slice) -> slice:
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
    weights, reaches = _stored_rows(plan, source, at), _rows(work, reach, size)
    chances = _rows(work, sigma, size) if sigma >= 0 else np.empty((size, LANES), work.dtype)
    for span, parent in _decisions(plan, ints):
        chances[span] = shares(weights[_stored_span(plan, span)])
        reaches[span] = chances[span] * reaches[parent]


def up_tile(
    plan: Ints,
    ints: Ints,
    mode: int,
    locked: UInt8s,
    locked_at: int,
    discounts: Floats,
    regret: Floats,
    at: int,
    work: Floats,
    sigma: int,
    gain: int,
) -> None:
    """Pass values from the last decisions of a tile to its incoming lines; learn on the way."""
    size = int(plan[Meta.SIZE])
    regrets = _stored_rows(plan, regret, at)
    chances, gains = _rows(work, sigma, size), _rows(work, gain, size)
    for n, (span, parent) in reversed(list(enumerate(_decisions(plan, ints)))):
        free = not locked[locked_at + n]
        value = decision_values(gains[span], None if mode == BEST and free else chances[span])
        if mode == UPDATE and free:
            old = regrets[_stored_span(plan, span)]
            add_advantages(old, gains[span] - value, Discounts(*discounts[:4]))
        gains[parent] += value


def average_tile(
    plan: Ints, discounts: Floats, average: Floats, at: int, work: Floats, reach: int
) -> None:
    """Add a tile's reaches to the discounted average of its decisions."""
    plans = _rows(work, reach, int(plan[Meta.SIZE]))[plan[Meta.LINES] :]
    add_plans(_stored_rows(plan, average, at), plans, Discounts(*discounts[:4]))


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
    shown, folds = int(plan[Meta.SHOWN]), int(plan[Meta.FOLDS])
    for lane_tile in range(int(plan[Meta.TILES])):
        at = (lane_tile * wide + t * LANES) * LANES
        if lane_tile < shown:
            to = _by_tile(plan, ints, Meta.SHOW_TO)[lane_tile]
            stake = _by_tile(plan, stakes, Meta.SHOW_STAKE)[lane_tile]
            np.add.at(gains, to, stake[:, None] * _rows(work, show + at, LANES).T)
        if lane_tile >= folds:
            to = _by_tile(plan, ints, Meta.FOLD_TO)[lane_tile]
            stake = _by_tile(plan, stakes, Meta.FOLD_STAKE)[lane_tile]
            np.add.at(gains, to, stake[:, None] * _rows(work, fold + at, LANES).T)


def _by_tile(plan: Ints, array: NDArray[Any], column: Meta) -> NDArray[Any]:
    """What a column of the plan says of every lane: [lane tiles, 16]."""
    tiles = int(plan[Meta.TILES])
    start = int(plan[column])
    return array[start : start + tiles * LANES].reshape(tiles, LANES)


def show_tiles(facing: Facing, coming: Coming, work: Floats, mass: int, pair: LanePair) -> None:
    """Showdowns of two lane tiles: mass of worse hands plus mass of hands no better, for each hand.

    Hands that share a card with ours do not count; the one that has both of our cards counts as
    minus one, as sums by card take it out twice. It does so in `settle_tile` too, and cancels.
    What is coming is not waited for here.
    """
    mine, strength, cards, against = *_held(facing, 0), *_held(facing, 1)
    ours, theirs = len(strength), len(against)
    apart = (mine[:, None, :, None] != cards[None, :, None, :]).all(axis=(0, 1))  # [ours, theirs]
    twice = (mine[:, :, None] == cards[:, None, :]).all(axis=0)
    worse, no_better = strength[:, None] > against, strength[:, None] >= against
    wins = apart * (worse.astype(work.dtype) + no_better) - twice
    for source, to in ((pair.from_a, pair.to_a), (pair.from_b, pair.to_b)):
        _rows(work, to, ours)[:] = wins @ _rows(work, source, theirs)
    _add_masses(facing, theirs, work, mass, pair)


def _held(facing: Facing, other: int) -> tuple[UInt8s, Ints]:
    """Both cards [2, K] and the strength [K] of a player's hands, or of the other's."""
    ends = facing.ends_other if other else facing.ends_own
    count = int(ends[-1]) if len(ends) else 0
    strength = np.searchsorted(ends, np.arange(count), side="right")
    return _cards(facing, facing.other if other else facing.own, count), strength


def _cards(facing: Facing, start: int, count: int) -> UInt8s:
    """Both cards of some hands: [2, count]."""
    return np.stack([facing.low[start : start + count], facing.high[start : start + count]])


def total_tiles(facing: Facing, work: Floats, mass: int, pair: LanePair) -> None:
    """Mass of two lane tiles, in all and by card."""
    _add_masses(facing, facing.other_hands, work, mass, pair)


def _add_masses(facing: Facing, hands: int, work: Floats, mass: int, pair: LanePair) -> None:
    cards = np.arange(NUM_CARDS + 1)[:, None]  # padding's is the last
    low, high = _cards(facing, facing.other, hands)
    held = (cards == low).astype(work.dtype) + (cards == high)  # [53, hands]
    for twin, source in enumerate((pair.from_a, pair.from_b)):
        reaches = _rows(work, source, hands)
        masses = _rows(work, mass + twin * CARD_ROWS * LANES, CARD_ROWS)
        masses[:TOTAL] = held @ reaches
        masses[TOTAL] = reaches.sum(axis=0)


def settle_tile(facing: Facing, work: Floats, mass: int, lanes: int, show: int, fold: int) -> None:
    """Finish one lane tile: showdowns less the total mass, and folds, for each hand.

    What a fold wins is the mass of the hands that share no card with ours, by inclusion and
    exclusion: the hand that has both of our cards was taken out twice. The last row of the lanes is
    zero, for hands that the other player does not hold. Negative `show` or `fold`: none here.
    """
    count, same = facing.own_hands, facing.same[facing.own : facing.own + facing.own_hands]
    masses = _rows(work, mass, CARD_ROWS)
    low, high = _cards(facing, facing.own, count)
    rest = masses[TOTAL] - masses[low] - masses[high]
    if show >= 0:
        _rows(work, show, count)[:] -= rest
    if fold >= 0:
        twice = np.where(same >= 0, same, facing.other_hands)
        _rows(work, fold, count)[:] = rest + _rows(work, lanes, facing.other_hands + 1)[twice]


def tie_tile(facing: Facing, work: Floats, mass: int, lanes: int, to: int) -> None:
    """Mass of the hands that tie, of one lane tile, for each hand.

    Hands that share a card with ours do not count. No masses by card are left behind.
    """
    mine, strength, cards, against = *_held(facing, 0), *_held(facing, 1)
    apart = (mine[:, None, :, None] != cards[None, :, None, :]).all(axis=(0, 1))  # [ours, theirs]
    ties = apart & (strength[:, None] == against)
    _rows(work, to, len(strength))[:] = ties @ _rows(work, lanes, len(against))
    _rows(work, mass, CARD_ROWS)[:] = 0


THRESHOLDS, BY_ROW, COARSE = 256, 37, 16
STEP_OF_ONE = 142  # the power by which a number stands for itself


def _spans(plan: Ints, ints: Ints) -> list[slice]:
    """Stored rows of each decision."""
    return [_stored_span(plan, span) for span, _ in _decisions(plan, ints)]


def _opened(plan: Ints, ints: Ints, kept: Any, at: int, powers: UInt8s, first: int) -> Floats:
    """Sums of 16 bits as floats: [S - L, 16]."""
    rows = _stored_rows(plan, kept, at).astype(np.float64)
    rows[rows < 0] *= COARSE
    for n, span in enumerate(_spans(plan, ints)):
        rows[span] *= 2.0 ** (int(powers[first + n]) - STEP_OF_ONE)
    return rows


def _close(
    plan: Ints, rows: Floats, kept: Any, at: int, powers: UInt8s, n: int, span: slice, dither: int
) -> None:
    """Round a decision's rows; `n` is the place of its power."""
    lines = int(plan[Meta.LINES])
    fine = np.where(rows[span] > 0, rows[span], rows[span] / COARSE)
    most = np.float32(np.abs(fine).max())
    power = ((int(most.view(np.int32)) + 0x800) >> 23) + 1
    powers[n] = min(max(power, 16), 255)
    numbers = np.arange(span.start, span.stop)[:, None] + lines
    places = (dither + numbers * BY_ROW) % THRESHOLDS + np.arange(LANES)
    part = (places * 159 % THRESHOLDS + 0.5) / THRESHOLDS - 0.5
    stored = _stored_rows(plan, kept, at)
    stored[span] = np.rint(fine * 2.0 ** (STEP_OF_ONE - int(powers[n])) + part)


def short_down_tile(
    plan: Ints, ints: Ints, source: Any, at: int, work: Floats, sigma: int, reach: int
) -> None:
    """`down_tile` of 16 bits: the step of a decision does not matter."""
    down_tile(plan, ints, source.astype(work.dtype), at, work, sigma, reach)


def short_up_tile(
    plan: Ints,
    ints: Ints,
    mode: int,
    locked: UInt8s,
    locked_at: int,
    discounts: Floats,
    regret: Any,
    at: int,
    powers: UInt8s,
    powers_at: int,
    dither: int,
    work: Floats,
    sigma: int,
    gain: int,
) -> None:
    """`up_tile` of 16 bits; dithered rounding of decisions that learn."""
    rows = _opened(plan, ints, regret, at, powers, powers_at)
    lines = int(plan[Meta.LINES]) * LANES
    floats = np.concatenate([np.zeros(lines), rows.ravel()])
    up_tile(plan, ints, mode, locked, locked_at, discounts, floats, 0, work, sigma, gain)
    if mode == UPDATE:
        rows = floats[lines:].reshape(rows.shape)
        for n, span in enumerate(_spans(plan, ints)):
            if not locked[locked_at + n]:
                _close(plan, rows, regret, at, powers, powers_at + n, span, dither)


def short_average_tile(
    plan: Ints,
    ints: Ints,
    discounts: Floats,
    average: Any,
    at: int,
    powers: UInt8s,
    powers_at: int,
    dither: int,
    work: Floats,
    reach: int,
) -> None:
    """Add a tile's reaches, by their weight, to averages that are not discounted."""
    begins, weight = discounts[2] == 0, discounts[6]
    rows = _opened(plan, ints, average, at, powers, powers_at) * (not begins)
    reaches = _rows(work, reach, int(plan[Meta.SIZE]))
    rows += weight * reaches[plan[Meta.LINES] :]
    for n, (span, parent) in enumerate(_decisions(plan, ints)):
        if begins or reaches[parent].any():
            where = _stored_span(plan, span)
            _close(plan, rows, average, at, powers, powers_at + n, where, dither)

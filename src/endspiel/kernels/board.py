"""One board's work: reaches down, terminals across, values up, for sixteen hands at a time.

Offsets count floats from the start of an array; see `board_arrays` for the layout. `at` names where
the kept rows of a tile start, `to` and `from` where rows start in the thread's work array.
"""

from numba import float32, njit

from endspiel.kernels.board_arrays import NEGATIVE, POSITIVE, Meta
from endspiel.kernels.simd import (
    LANES,
    add_transposed,
    choose_positive,
    fill,
    larger,
    largest_row,
    load,
    multiply_add,
    prefetch,
    store,
    transpose_rows,
)

UPDATE, BEST, EXPECTED = 0, 1, 2  # what the walk up does with a decision
CARD_ROWS = 54  # mass by card: 52 cards, padding's, and the total
TOTALS = 53 * LANES
TINY = 2.0**-126  # totals no larger count as zero: their reciprocals may overflow
SECOND = CARD_ROWS * LANES  # where the second tile's masses start

# Columns of the table, as plain numbers: compiled code cannot look into an enumeration.
SIZE, LINES, DECISIONS = int(Meta.SIZE), int(Meta.LINES), int(Meta.DECISIONS)
FIRST, ACTIONS, PARENT = int(Meta.FIRST), int(Meta.ACTIONS), int(Meta.PARENT)
SHOWN, FOLDS, TILES = int(Meta.SHOWN), int(Meta.FOLDS), int(Meta.TILES)
LANE_FROM, SHOW_TO, FOLD_TO = int(Meta.LANE_FROM), int(Meta.SHOW_TO), int(Meta.FOLD_TO)
SHOW_STAKE, FOLD_STAKE = int(Meta.SHOW_STAKE), int(Meta.FOLD_STAKE)

kernel = njit(cache=True, error_model="numpy", boundscheck=False, nogil=True)


@kernel
def down_tile(plan, ints, source, at, work, sigma, reach):  # type: ignore[no-untyped-def]
    """Match the regrets (or weights) of a tile and multiply the reaches of its sequences.

    The reaches of the tile's incoming lines are set; `sigma` gets the probabilities, unless it is
    negative.
    """
    zero = fill(float32(0))
    one = fill(float32(1))
    tiny = fill(float32(TINY))
    for n in range(plan[DECISIONS]):
        first, A = ints[plan[FIRST] + n], ints[plan[ACTIONS] + n]
        row = at + first * LANES
        total = larger(load(source, row), zero)
        for a in range(1, A):
            total = total + larger(load(source, row + a * LANES), zero)
        enough = total - tiny
        scale = choose_positive(enough, one / total, zero)
        uniform = choose_positive(enough, zero, fill(float32(1) / float32(A)))
        above = load(work, reach + ints[plan[PARENT] + n] * LANES)
        for a in range(A):
            share = multiply_add(larger(load(source, row + a * LANES), zero), scale, uniform)
            store(work, reach + (first + a) * LANES, share * above)
            if sigma >= 0:
                store(work, sigma + (first + a) * LANES, share)


@kernel
def up_tile(plan, ints, mode, locked, locked_at, discounts, regret, at, work, sigma, gain):  # type: ignore[no-untyped-def]
    """Pass values from the last decisions of a tile to its incoming lines; learn on the way."""
    positive = fill(float32(discounts[POSITIVE]))
    negative = fill(float32(discounts[NEGATIVE]))
    for n in range(plan[DECISIONS] - 1, -1, -1):
        first, A = ints[plan[FIRST] + n], ints[plan[ACTIONS] + n]
        row, share = gain + first * LANES, sigma + first * LANES
        free = locked[locked_at + n] == 0
        if mode == BEST and free:
            value, _ = largest_row(work, row, LANES, A)
        else:
            value = load(work, row) * load(work, share)
            for a in range(1, A):
                value = multiply_add(
                    load(work, row + a * LANES), load(work, share + a * LANES), value
                )
            if mode == UPDATE and free:
                for a in range(A):
                    place = at + (first + a) * LANES
                    old = load(regret, place)
                    advantage = load(work, row + a * LANES) - value
                    new = multiply_add(old, choose_positive(old, positive, negative), advantage)
                    store(regret, place, new)
        above = gain + ints[plan[PARENT] + n] * LANES
        store(work, above, load(work, above) + value)


@kernel
def average_tile(plan, keep, average, at, work, reach):  # type: ignore[no-untyped-def]
    """Add a tile's reaches to the discounted average of its decisions."""
    factor = fill(float32(keep))
    for s in range(plan[LINES], plan[SIZE]):
        place = at + s * LANES
        added = multiply_add(load(average, place), factor, load(work, reach + s * LANES))
        store(average, place, added)


@kernel
def lanes_from_tile(plan, ints, work, tile, lanes, hands, h):  # type: ignore[no-untyped-def]
    """Transpose a tile's reaches to the lanes [lane tiles, hands + 1, 16] from hand h on."""
    for t in range(plan[TILES]):
        to = lanes + (t * (hands + 1) + h) * LANES
        transpose_rows(work, tile, ints, plan[LANE_FROM] + t * LANES, work, to)


@kernel
def collect(plan, ints, stakes, work, show, fold, wide, t, gain):  # type: ignore[no-untyped-def]
    """Fill a tile's values with what its terminals pay; `wide` hands lie in each lane tile."""
    for s in range(plan[SIZE]):
        store(work, gain + s * LANES, fill(float32(0)))
    for lane_tile in range(plan[TILES]):
        at, lane = (lane_tile * wide + t * LANES) * LANES, lane_tile * LANES
        if lane_tile < plan[SHOWN]:
            to, stake = plan[SHOW_TO] + lane, plan[SHOW_STAKE] + lane
            add_transposed(work, show + at, ints, to, stakes, stake, work, gain)
        if lane_tile >= plan[FOLDS]:
            to, stake = plan[FOLD_TO] + lane, plan[FOLD_STAKE] + lane
            add_transposed(work, fold + at, ints, to, stakes, stake, work, gain)


@kernel
def show_tiles(facing, coming, work, mass, pair):  # type: ignore[no-untyped-def]
    """Showdowns of two lane tiles: mass of worse hands plus mass of hands no better, for each hand.

    One walk over the strengths, weakest first. `mass` [2, 54, 16] holds what was seen so far by
    card, so that hands that share a card with ours are taken out; it ends with the totals by card.
    Less the total mass (see `settle_tile`) that is what we beat minus what beats us. Two tiles at
    once, so that each waits for its stores while the other computes. Kept rows that are wanted next
    come from memory meanwhile.
    """
    low, high, own, other = facing.low, facing.high, facing.own, facing.other
    ends_own, ends_other = facing.ends_own, facing.ends_other
    from_a, from_b, to_a, to_b = pair
    regret, average, ahead, lines = coming
    for c in range(2 * CARD_ROWS):
        store(work, mass + c * LANES, fill(float32(0)))
    twin = mass + SECOND
    seen_a, seen_b = fill(float32(0)), fill(float32(0))
    i, j = 0, 0
    for g in range(len(ends_own)):
        i_end, j_end = ends_own[g], ends_other[g]
        for k in range(i, i_end):
            c, d = low[own + k] * LANES, high[own + k] * LANES
            below_a = seen_a - load(work, mass + c) - load(work, mass + d)
            below_b = seen_b - load(work, twin + c) - load(work, twin + d)
            store(work, to_a + k * LANES, below_a)
            store(work, to_b + k * LANES, below_b)
        for k in range(j, j_end):
            c, d = low[other + k] * LANES, high[other + k] * LANES
            r_a, r_b = load(work, from_a + k * LANES), load(work, from_b + k * LANES)
            seen_a, seen_b = seen_a + r_a, seen_b + r_b
            store(work, mass + c, load(work, mass + c) + r_a)
            store(work, twin + c, load(work, twin + c) + r_b)
            store(work, mass + d, load(work, mass + d) + r_a)
            store(work, twin + d, load(work, twin + d) + r_b)
        for k in range(i, i_end):
            c, d = low[own + k] * LANES, high[own + k] * LANES
            up_to_a = seen_a - load(work, mass + c) - load(work, mass + d)
            up_to_b = seen_b - load(work, twin + c) - load(work, twin + d)
            store(work, to_a + k * LANES, load(work, to_a + k * LANES) + up_to_a)
            store(work, to_b + k * LANES, load(work, to_b + k * LANES) + up_to_b)
        for line in range(i * lines, i_end * lines):
            prefetch(regret, ahead + line * LANES)
            prefetch(average, ahead + line * LANES)
        i, j = i_end, j_end
    store(work, mass + TOTALS, seen_a)
    store(work, twin + TOTALS, seen_b)


@kernel
def settle_tile(facing, work, mass, lanes, show, fold):  # type: ignore[no-untyped-def]
    """Finish one lane tile: showdowns less the total mass, and folds, for each hand.

    What a fold wins is the mass of the hands that share no card with ours, by inclusion and
    exclusion: the hand that has both of our cards was taken out twice. The last row of the lanes is
    zero, for hands that the other player does not hold. Negative `show` or `fold`: none here.
    """
    low, high, same, own = facing.low, facing.high, facing.same, facing.own
    seen = load(work, mass + TOTALS)
    for k in range(facing.own_hands):
        c, d = low[own + k] * LANES, high[own + k] * LANES
        rest = seen - load(work, mass + c) - load(work, mass + d)
        if show >= 0:
            store(work, show + k * LANES, load(work, show + k * LANES) - rest)
        if fold >= 0:
            place = same[own + k]
            both = load(work, lanes + (place if place >= 0 else facing.other_hands) * LANES)
            store(work, fold + k * LANES, rest + both)


@kernel
def total_tiles(facing, work, mass, pair):  # type: ignore[no-untyped-def]
    """Mass of two lane tiles, in all and by card."""
    low, high, other, from_a, from_b = facing.low, facing.high, facing.other, pair[0], pair[1]
    for c in range(2 * CARD_ROWS):
        store(work, mass + c * LANES, fill(float32(0)))
    twin = mass + SECOND
    seen_a, seen_b = fill(float32(0)), fill(float32(0))
    for k in range(facing.other_hands):
        c, d = low[other + k] * LANES, high[other + k] * LANES
        r_a, r_b = load(work, from_a + k * LANES), load(work, from_b + k * LANES)
        seen_a, seen_b = seen_a + r_a, seen_b + r_b
        store(work, mass + c, load(work, mass + c) + r_a)
        store(work, twin + c, load(work, twin + c) + r_b)
        store(work, mass + d, load(work, mass + d) + r_a)
        store(work, twin + d, load(work, twin + d) + r_b)
    store(work, mass + TOTALS, seen_a)
    store(work, twin + TOTALS, seen_b)


@kernel
def tie_tile(facing, work, mass, lanes, to):  # type: ignore[no-untyped-def]
    """Mass of the hands that tie, of one lane tile, for each hand; see `settle_tile` for removal.

    Masses by card are those of one strength at a time, so that small ones are not differences of
    large ones.
    """
    low, high, same = facing.low, facing.high, facing.same
    own, other, ends_own, ends_other = facing.own, facing.other, facing.ends_own, facing.ends_other
    for c in range(CARD_ROWS):
        store(work, mass + c * LANES, fill(float32(0)))
    i, j = 0, 0
    for g in range(len(ends_own)):
        i_end, j_end = ends_own[g], ends_other[g]
        seen = fill(float32(0))
        for k in range(j, j_end):
            c, d = low[other + k] * LANES, high[other + k] * LANES
            reach = load(work, lanes + k * LANES)
            seen = seen + reach
            store(work, mass + c, load(work, mass + c) + reach)
            store(work, mass + d, load(work, mass + d) + reach)
        for k in range(i, i_end):
            c, d = low[own + k] * LANES, high[own + k] * LANES
            place = same[own + k]
            both = load(work, lanes + (place if place >= 0 else facing.other_hands) * LANES)
            rest = seen - load(work, mass + c) - load(work, mass + d)
            store(work, to + k * LANES, rest + both)
        for k in range(j, j_end):
            store(work, mass + low[other + k] * LANES, fill(float32(0)))
            store(work, mass + high[other + k] * LANES, fill(float32(0)))
        i, j = i_end, j_end

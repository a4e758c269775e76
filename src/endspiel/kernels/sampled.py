"""One board's walk of a betting tree in groups of sixteen branches, one a lane.

Within a street a hand's bucket does not change, so that probabilities, their products and what is
learned are found by bucket. Hands matter where they meet: at terminals, in one walk over the
strengths for sixteen branches at a time, and on the lines between streets.
"""
# mypy: ignore-errors
# The vector type exists only inside compiled code.

from numba import float32

from endspiel.kernels.board import TINY
from endspiel.kernels.board_arrays import AVERAGE, NEGATIVE, POSITIVE
from endspiel.kernels.lanes import LANES
from endspiel.kernels.sampled_arrays import BLOCK, CARD_ROWS, HANDS, Lane, Room
from endspiel.kernels.sampled_arrays import TILES as NUM_TILES
from endspiel.kernels.simd import (
    choose_positive,
    fill,
    kernel,
    larger,
    largest_row,
    load,
    multiply_add,
    store,
    transpose_rows,
)

LEARN, SUM, EXPECT = 0, 1, 2  # what the way up does: learn; sum up what sequences earn; only values
TOTALS = 53 * LANES
LOOKED_AT = 32  # rows at a time

# Columns as plain numbers: compiled code cannot look into an enumeration.
STREET, ROWS, DECISIONS = int(Lane.STREET), int(Lane.ROWS), int(Lane.DECISIONS)
FIRST, ACTIONS, PARENT = int(Lane.FIRST), int(Lane.ACTIONS), int(Lane.PARENT)
ENDS, END_FROM, STORED = int(Lane.ENDS), int(Lane.END_FROM), int(Lane.STORED)
SHOW_TO, FOLD_TO = int(Lane.SHOW_TO), int(Lane.FOLD_TO)
SHOW_STAKE, FOLD_STAKE = int(Lane.SHOW_STAKE), int(Lane.FOLD_STAKE)
OUTS, OUT_FROM, OUT_TO = int(Lane.OUTS), int(Lane.OUT_FROM), int(Lane.OUT_TO)
USED = int(Lane.USED)
OWN, OTHER, SHOWN, VALUE = int(Room.OWN), int(Room.OTHER), int(Room.SHOWN), int(Room.VALUE)
MASS, SIGMA, PLAN, THEIRS = int(Room.MASS), int(Room.SIGMA), int(Room.PLAN), int(Room.THEIRS)
GAIN = int(Room.GAIN)


@kernel
def match_group(plan, ints, source, ids, count, work, sigma, products):
    """Match the regrets (or weights) of a board's buckets and multiply them along the betting.

    `sigma` gets the probabilities, unless it is negative.
    """
    zero, one = fill(float32(0)), fill(float32(1))
    tiny = fill(float32(TINY))
    wide = count * LANES
    for d in range(count):
        lane = d * LANES
        store(work, products + lane, one)
        at = plan[STORED] + (ids[d] * plan[ROWS] - 1) * LANES  # sequence 1 is the first row
        for n in range(plan[DECISIONS]):
            first, A = ints[plan[FIRST] + n], ints[plan[ACTIONS] + n]
            row = at + first * LANES
            total = larger(load(source, row), zero)
            for a in range(1, A):
                total = total + larger(load(source, row + a * LANES), zero)
            enough = total - tiny
            scale = choose_positive(enough, one / total, zero)
            uniform = choose_positive(enough, zero, fill(float32(1) / float32(A)))
            above = load(work, products + ints[plan[PARENT] + n] * wide + lane)
            for a in range(A):
                share = multiply_add(larger(load(source, row + a * LANES), zero), scale, uniform)
                to = (first + a) * wide + lane
                store(work, products + to, share * above)
                if sigma >= 0:
                    store(work, sigma + to, share)


@kernel
def is_zero(work, start, rows, spare):
    """Whether so many rows of numbers from 0 on are all zero; `spare` is room for one row.

    Where they are not, the first few mostly tell.
    """
    for first in range(0, rows, LOOKED_AT):
        most = fill(float32(0))
        for i in range(first, min(first + LOOKED_AT, rows)):
            most = larger(most, load(work, start + i * LANES))
        store(work, spare, most)
        for lane in range(LANES):
            if work[spare + lane] > 0:
                return False
    return True


@kernel
def show_hands(deal, place, work, root, products, mass, out):
    """Mass of worse hands plus mass of hands no better, for each hand and lane.

    One walk over the strengths, weakest first; `mass` [54, 16] holds what was seen so far by card,
    so that hands that share a card with ours are taken out. It ends with the totals by card.
    """
    low, high = deal.low, deal.high
    for c in range(CARD_ROWS):
        store(work, mass + c * LANES, fill(float32(0)))
    seen = fill(float32(0))
    start = 0
    for g in range(len(deal.ends)):
        end = deal.ends[g]
        for k in range(start, end):
            c, d = mass + low[k] * LANES, mass + high[k] * LANES
            store(work, out + k * LANES, seen - load(work, c) - load(work, d))
        for k in range(start, end):
            c, d = mass + low[k] * LANES, mass + high[k] * LANES
            r = load(work, root + k * LANES) * load(work, products + place[k] * LANES)
            seen = seen + r
            store(work, c, load(work, c) + r)
            store(work, d, load(work, d) + r)
        for k in range(start, end):
            c, d = mass + low[k] * LANES, mass + high[k] * LANES
            below = load(work, out + k * LANES)
            store(work, out + k * LANES, below + (seen - load(work, c) - load(work, d)))
        start = end
    store(work, mass + TOTALS, seen)


@kernel
def sum_hands(deal, place, work, root, products, mass):
    """Mass of the other's hands by card, and in all."""
    for c in range(CARD_ROWS):
        store(work, mass + c * LANES, fill(float32(0)))
    seen = fill(float32(0))
    for k in range(deal.ends[len(deal.ends) - 1]):
        c, d = mass + deal.low[k] * LANES, mass + deal.high[k] * LANES
        r = load(work, root + k * LANES) * load(work, products + place[k] * LANES)
        seen = seen + r
        store(work, c, load(work, c) + r)
        store(work, d, load(work, d) + r)
    store(work, mass + TOTALS, seen)


@kernel
def settle(deal, plan, ints, stakes, e, room, work, theirs, place):
    """Pay the showdown and the fold after one of the other's sequences to every hand.

    `theirs` are the other's products, by the number of each hand in `place`. Bucket by bucket, so
    that a bucket's sums stay in registers. What a fold wins is the mass of the
    hands that share no card with ours, by inclusion and exclusion: the hand that has both of our
    cards was taken out twice.
    """
    street, mass, low, high = plan[STREET], room[MASS], deal.low, deal.high
    first, order, count = deal.first[street], deal.order[street], deal.num[street]
    show, fold = ints[plan[SHOW_TO] + e] * count, ints[plan[FOLD_TO] + e] * count
    win = load(stakes, plan[SHOW_STAKE] + e * LANES)
    take = load(stakes, plan[FOLD_STAKE] + e * LANES)
    seen, zero = load(work, mass + TOTALS), fill(float32(0))
    total, out, root = room[VALUE], room[SHOWN], room[OTHER]
    for b in range(count):
        shown, folded, by_show, by_fold = zero, zero, zero, zero
        if show >= 0:
            by_show = load(work, room[PLAN] + (show + b) * LANES) * win
        if fold >= 0:
            by_fold = load(work, room[PLAN] + (fold + b) * LANES) * take
        for i in range(first[b], first[b + 1]):
            k = order[i]
            c, d = mass + low[k] * LANES, mass + high[k] * LANES
            rest = seen - load(work, c) - load(work, d)
            value = load(work, total + k * LANES)
            if show >= 0:
                beaten = load(work, out + k * LANES) - rest
                shown = shown + beaten
                value = multiply_add(beaten, by_show, value)
            if fold >= 0:
                same = load(work, theirs + place[k] * LANES)
                met = multiply_add(load(work, root + k * LANES), same, rest)
                folded = folded + met
                value = multiply_add(met, by_fold, value)
            store(work, total + k * LANES, value)
        if show >= 0:
            at = room[GAIN] + (show + b) * LANES
            store(work, at, multiply_add(shown, win, load(work, at)))
        if fold >= 0:
            at = room[GAIN] + (fold + b) * LANES
            store(work, at, multiply_add(folded, take, load(work, at)))


@kernel
def add_line(deal, street, room, work, sequence):
    """Add the values of a line that goes on to its sequence, and to the line that comes in."""
    first, order, count = deal.first[street], deal.order[street], deal.num[street]
    total = room[VALUE]
    for b in range(count):
        at = (sequence * count + b) * LANES
        share, summed = load(work, room[PLAN] + at), load(work, room[GAIN] + at)
        for i in range(first[b], first[b + 1]):
            k = order[i] * LANES
            value = load(work, room[SHOWN] + k)
            summed = summed + value
            store(work, total + k, multiply_add(value, share, load(work, total + k)))
        store(work, room[GAIN] + at, summed)


@kernel
def lines_in(lines, g, ints, work, to):
    """A group's lines as [HANDS, 16 lanes]; the table begins with the numbers 0 to 15."""
    for t in range(NUM_TILES):
        transpose_rows(lines, g * BLOCK + t * LANES * LANES, ints, 0, work, to + t * LANES * LANES)


@kernel
def send_lines(lines, plan, ints, place, wide, work, room):
    """Write a player's reaches of the lines that go on to the blocks of the groups they lead to."""
    spare = room[MASS]
    for o in range(plan[OUTS]):
        sequence = room[PLAN] + ints[plan[OUT_FROM] + o] * wide
        for k in range(HANDS):
            r = load(work, room[OWN] + k * LANES) * load(work, sequence + place[k] * LANES)
            store(work, room[SHOWN] + k * LANES, r)
        to = plan[OUT_TO] + o * LANES
        for t in range(NUM_TILES):
            tile = t * LANES * LANES
            transpose_rows(work, room[SHOWN] + tile, ints, 0, work, spare)
            for lane in range(plan[USED]):
                row = tile + ints[to + lane] * LANES
                store(lines, row, load(work, spare + lane * LANES))


@kernel
def go_down(tables, groups, deal, sources, lines, work):
    """Send both players' reaches through groups, parents before children, to the next streets."""
    ints, room = tables.ints, tables.room
    for g in groups:
        for player in range(2):
            plan = tables.meta[g, player]
            street = plan[STREET]
            count = deal.num[street]
            reach = lines.reach[player]
            lines_in(reach, g, ints, work, room[OWN])
            source = sources[player]
            match_group(plan, ints, source, deal.ids[street], count, work, -1, room[PLAN])
            send_lines(reach, plan, ints, deal.place[street], count * LANES, work, room)


@kernel
def pay_ends(tables, plan, deal, place, count, work):
    """What a group's terminals pay: by bucket and sequence, and by hand.

    The buckets are the deal's; the other's products are by `place`, of `count` numbers.
    """
    ints, stakes, room = tables.ints, tables.stakes, tables.room
    for i in range((plan[ROWS] + 1) * deal.num[plan[STREET]]):
        store(work, room[GAIN] + i * LANES, fill(float32(0)))
    for k in range(len(deal.low)):
        store(work, room[VALUE] + k * LANES, fill(float32(0)))
    for e in range(plan[ENDS]):
        theirs = room[THEIRS] + ints[plan[END_FROM] + e] * count * LANES
        if is_zero(work, theirs, count, room[MASS]):
            continue  # nobody gets here
        if ints[plan[SHOW_TO] + e] >= 0:
            show_hands(deal, place, work, room[OTHER], theirs, room[MASS], room[SHOWN])
        else:
            sum_hands(deal, place, work, room[OTHER], theirs, room[MASS])
        settle(deal, plan, ints, stakes, e, room, work, theirs, place)


@kernel
def pay_group(tables, g, player, deal, lines, work):
    """What a group's terminals and further lines pay: by bucket and sequence, and by hand."""
    ints, room, plan = tables.ints, tables.room, tables.meta[g, player]
    street = plan[STREET]
    pay_ends(tables, plan, deal, deal.place[street], deal.num[street], work)
    for o in range(plan[OUTS]):
        for t in range(NUM_TILES):
            tile = t * LANES * LANES
            to = room[SHOWN] + tile
            transpose_rows(lines.value, tile, ints, plan[OUT_TO] + o * LANES, work, to)
        add_line(deal, street, room, work, ints[plan[OUT_FROM] + o])


@kernel
def learn_group(plan, ints, ids, count, room, work, regret):
    """Values by bucket from the last decisions to the first; regrets learn on the way."""
    wide, gain = count * LANES, room[GAIN]
    for d in range(count):
        at = plan[STORED] + (ids[d] * plan[ROWS] - 1) * LANES
        for n in range(plan[DECISIONS] - 1, -1, -1):
            first, A = ints[plan[FIRST] + n], ints[plan[ACTIONS] + n]
            lane = first * wide + d * LANES
            value = load(work, gain + lane) * load(work, room[SIGMA] + lane)
            for a in range(1, A):
                next_lane = lane + a * wide
                value = multiply_add(
                    load(work, gain + next_lane), load(work, room[SIGMA] + next_lane), value
                )
            for a in range(A):
                row = at + (first + a) * LANES
                advantage = load(work, gain + lane + a * wide) - value
                store(regret, row, load(regret, row) + advantage)
            above = gain + ints[plan[PARENT] + n] * wide + d * LANES
            store(work, above, load(work, above) + value)


@kernel
def add_rows(plan, ids, count, work, rows, target):
    """Add a number for each sequence and bucket of the board to the rows that are kept."""
    for d in range(count):
        at = plan[STORED] + (ids[d] * plan[ROWS] - 1) * LANES
        for s in range(1, plan[ROWS] + 1):
            added = load(work, rows + (s * count + d) * LANES)
            store(target, at + s * LANES, load(target, at + s * LANES) + added)


@kernel
def average_group(plan, deal, room, work, average):
    """Add the reaches of a board's hands, summed up by bucket, to the average."""
    street = plan[STREET]
    first, order, count = deal.first[street], deal.order[street], deal.num[street]
    for b in range(count):
        own = fill(float32(0))
        for i in range(first[b], first[b + 1]):
            own = own + load(work, room[OWN] + order[i] * LANES)
        at = plan[STORED] + (deal.ids[street, b] * plan[ROWS] - 1) * LANES
        for s in range(1, plan[ROWS] + 1):
            product = load(work, room[PLAN] + (s * count + b) * LANES)
            row = at + s * LANES
            store(average, row, multiply_add(product, own, load(average, row)))


@kernel
def go_up(tables, groups, player, mode, deal, sources, targets, lines, work):
    """Values of groups to one player, children before parents; what it learns goes to targets.

    `targets` are regrets (or sums) and averages; the other player's regrets and averages stay.
    """
    ints, room = tables.ints, tables.room
    for g in groups:
        plan, theirs = tables.meta[g, player], tables.meta[g, 1 - player]
        street = plan[STREET]
        ids, count = deal.ids[street], deal.num[street]
        match_group(plan, ints, sources[player], ids, count, work, room[SIGMA], room[PLAN])
        if mode == LEARN:
            lines_in(lines.reach[player], g, ints, work, room[OWN])
            average_group(plan, deal, room, work, targets[1])
        lines_in(lines.reach[1 - player], g, ints, work, room[OTHER])
        if is_zero(work, room[OTHER], HANDS, room[MASS]):
            for i in range(BLOCK // LANES):
                store(lines.value, g * BLOCK + i * LANES, fill(float32(0)))
            continue
        match_group(theirs, ints, sources[1 - player], ids, count, work, -1, room[THEIRS])
        pay_group(tables, g, player, deal, lines, work)
        if mode == LEARN:
            learn_group(plan, ints, ids, count, room, work, targets[0])
        elif mode == SUM:
            add_rows(plan, ids, count, work, room[GAIN], targets[0])
        for t in range(NUM_TILES):
            tile = t * LANES * LANES
            transpose_rows(work, room[VALUE] + tile, ints, 0, lines.value, g * BLOCK + tile)


@kernel
def discount(regret, average, discounts):
    """Discount regrets by their sign, and averages."""
    positive, negative = fill(float32(discounts[POSITIVE])), fill(float32(discounts[NEGATIVE]))
    factor = fill(float32(discounts[AVERAGE]))
    for i in range(0, len(regret), LANES):
        old = load(regret, i)
        store(regret, i, old * choose_positive(old, positive, negative))
        store(average, i, load(average, i) * factor)


@kernel
def choose_best(tables, groups, player, buckets, sums, rows):
    """Turn what sequences earn into the best actions of every bucket, last decisions first.

    `sums` are used up. Rows of decisions that earned nothing at all, never met, stay as they are.
    """
    ints = tables.ints
    zero, one = fill(float32(0)), fill(float32(1))
    for g in groups:
        plan = tables.meta[g, player]
        for b in range(buckets):
            at = plan[STORED] + (b * plan[ROWS] - 1) * LANES
            for n in range(plan[DECISIONS] - 1, -1, -1):
                first, A = ints[plan[FIRST] + n], ints[plan[ACTIONS] + n]
                row = at + first * LANES
                best, _ = largest_row(sums, row, LANES, A)
                met = zero
                for a in range(A):
                    earned = load(sums, row + a * LANES)
                    met = multiply_add(earned, earned, met)
                for a in range(A):
                    worse = best - load(sums, row + a * LANES)
                    chosen = choose_positive(worse, zero, one)
                    kept = choose_positive(met, chosen, load(rows, row + a * LANES))
                    store(rows, row + a * LANES, kept)
                above = ints[plan[PARENT] + n]
                if above > 0:
                    store(sums, at + above * LANES, load(sums, at + above * LANES) + best)

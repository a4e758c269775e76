"""An abstract player against a best responder, on a turn board and all of its rivers.

The betting lies in groups of sixteen lines, as in `sampled`, whose walk of a group this is. The
abstract player plays by bucket; the responder plays by bucket before the turn (the trunk) and by
hand from there on, where it takes the best action against what the abstract player does now. Hands
are numbered as the turn board leaves them; a river's hands, weakest first, are told by their
numbers there, so that lines between groups are rows of sixteen: [groups, hands of the turn, 16].
"""
# mypy: ignore-errors
# The vector type exists only inside compiled code.

import numpy as np
from numba import float32

from endspiel.kernels.lanes import LANES
from endspiel.kernels.sampled import (
    ACTIONS,
    DECISIONS,
    END_FROM,
    ENDS,
    FIRST,
    FOLD_STAKE,
    FOLD_TO,
    GAIN,
    MASS,
    OTHER,
    OUT_FROM,
    OUT_TO,
    OUTS,
    OWN,
    PARENT,
    PLAN,
    ROWS,
    SHOW_STAKE,
    SHOW_TO,
    SHOWN,
    SIGMA,
    STORED,
    THEIRS,
    TOTALS,
    USED,
    VALUE,
    add_line,
    average_group,
    is_zero,
    learn_group,
    match_group,
    pay_ends,
    show_hands,
    sum_hands,
)
from endspiel.kernels.sampled_arrays import HANDS, BoardDeal
from endspiel.kernels.simd import (
    choose_positive,
    fill,
    kernel,
    largest_row,
    load,
    load_bytes,
    multiply_add,
    store,
    store_bytes,
)

TURN, RIVER = 2, 3


@kernel
def river_deal(rivers, r):
    """One river board, with the abstract player's buckets."""
    ends = rivers.ends[r, : rivers.strengths[r]]
    buckets = rivers.place[r], rivers.order[r], rivers.first[r], rivers.ids[r], rivers.num[r]
    return BoardDeal(rivers.low[r], rivers.high[r], ends, *buckets)


@kernel
def rows_at(lines, block, at, hands, work, to):
    """Copy the lines of a river's hands, which have these numbers on the turn."""
    for k in range(hands):
        store(work, to + k * LANES, load(lines, block + at[k] * LANES))


@kernel
def add_rows_at(work, source, at, hands, share, lines, block):
    """Add a river's part of values to the lines of its hands on the turn."""
    for k in range(hands):
        place, part = block + at[k] * LANES, fill(share[at[k]])
        value = load(work, source + k * LANES)
        store(lines, place, multiply_add(value, part, load(lines, place)))


@kernel
def clear_rows(work, start, rows):
    """Set rows to zero."""
    for i in range(rows):
        store(work, start + i * LANES, fill(float32(0)))


@kernel
def settle_hands(deal, plan, ints, stakes, e, hands, room, work, theirs, place, fresh):
    """Pay the showdown and the fold after one of the other's sequences, hand by hand.

    As `sampled.settle` does by bucket; the other's products are by `place`. Rows of sequences that
    are `fresh` hold nothing yet and are written, not added to.
    """
    mass, low, high, gain = room[MASS], deal.low, deal.high, room[GAIN]
    show, fold = ints[plan[SHOW_TO] + e] * hands, ints[plan[FOLD_TO] + e] * hands
    win = load(stakes, plan[SHOW_STAKE] + e * LANES)
    take = load(stakes, plan[FOLD_STAKE] + e * LANES)
    seen, zero = load(work, mass + TOTALS), fill(float32(0))
    new_show = show >= 0 and fresh[ints[plan[SHOW_TO] + e]]
    new_fold = fold >= 0 and fresh[ints[plan[FOLD_TO] + e]]
    for k in range(hands):
        rest = seen - load(work, mass + low[k] * LANES) - load(work, mass + high[k] * LANES)
        if show >= 0:
            at = gain + (show + k) * LANES
            beaten = load(work, room[SHOWN] + k * LANES) - rest
            before = zero if new_show else load(work, at)
            store(work, at, multiply_add(beaten, win, before))
        if fold >= 0:
            at = gain + (fold + k) * LANES
            same = load(work, theirs + place[k] * LANES)
            met = multiply_add(load(work, room[OTHER] + k * LANES), same, rest)
            before = zero if new_fold else load(work, at)
            store(work, at, multiply_add(met, take, before))
    if show >= 0:
        fresh[ints[plan[SHOW_TO] + e]] = False
    if fold >= 0:
        fresh[ints[plan[FOLD_TO] + e]] = False


@kernel
def pay_hands(tables, plan, deal, place, count, hands, work):
    """What a group's terminals pay to every hand by itself; as `sampled.pay_ends` by bucket."""
    ints, stakes, room = tables.ints, tables.stakes, tables.room
    fresh = np.ones(plan[ROWS] + 1, np.bool_)
    for e in range(plan[ENDS]):
        theirs = room[THEIRS] + ints[plan[END_FROM] + e] * count * LANES
        if is_zero(work, theirs, count, room[MASS]):
            continue
        if ints[plan[SHOW_TO] + e] >= 0:
            show_hands(deal, place, work, room[OTHER], theirs, room[MASS], room[SHOWN])
        else:
            sum_hands(deal, place, work, room[OTHER], theirs, room[MASS])
        settle_hands(deal, plan, ints, stakes, e, hands, room, work, theirs, place, fresh)
    for s in range(plan[ROWS] + 1):
        if fresh[s]:
            clear_rows(work, room[GAIN] + s * hands * LANES, hands)


@kernel
def best_group(plan, ints, hands, work, gain, choices, at):
    """Values by hand from the last decisions to the first, each hand's best action kept.

    Among actions of the same value it is the last: where the abstract player never comes, it is
    met by bets, not let in for nothing.
    """
    wide = hands * LANES
    for n in range(plan[DECISIONS] - 1, -1, -1):
        first, A = ints[plan[FIRST] + n], ints[plan[ACTIONS] + n]
        row, above = gain + first * wide, gain + ints[plan[PARENT] + n] * wide
        for k in range(hands):
            lane = k * LANES
            best, chosen = largest_row(work, row + lane, wide, A)
            store_bytes(choices, at + n * wide + lane, chosen)
            store(work, above + lane, load(work, above + lane) + best)


@kernel
def follow_choices(plan, ints, hands, choices, at, work, products):
    """One for the sequences that each hand's choices lead to, zero for others."""
    wide, zero = hands * LANES, fill(float32(0))
    for k in range(hands):
        store(work, products + k * LANES, fill(float32(1)))
    for n in range(plan[DECISIONS]):
        first, A = ints[plan[FIRST] + n], ints[plan[ACTIONS] + n]
        above = products + ints[plan[PARENT] + n] * wide
        for k in range(hands):
            lane = k * LANES
            chosen, came = load_bytes(choices, at + n * wide + lane), load(work, above + lane)
            for a in range(A):
                off = chosen - fill(float32(a))
                taken = choose_positive(off * off, zero, came)
                store(work, products + (first + a) * wide + lane, taken)


@kernel
def respond_rivers(tables, groups, player, rivers, each, regret, lines, choices, work):
    """Best answers on all rivers after the groups' lines, and what they are worth on the turn."""
    ints, room, theirs, hands = tables.ints, tables.room, 1 - player, each.num[RIVER]
    for g in groups:
        plan, block, kept = tables.meta[g, player], g * rivers.block, rivers.kept[g]
        for r in range(len(rivers.low)):
            deal, at = river_deal(rivers, r), rivers.at[r]
            ids, count = deal.ids[RIVER], deal.num[RIVER]
            rows_at(lines.reach[theirs], block, at, hands, work, room[OTHER])
            if is_zero(work, room[OTHER], hands, room[MASS]):
                clear_rows(work, room[GAIN], (plan[ROWS] + 1) * hands)
            else:
                other = tables.meta[g, theirs]
                match_group(other, ints, regret, ids, count, work, -1, room[THEIRS])
                pay_hands(tables, plan, deal, deal.place[RIVER], count, hands, work)
            best_group(plan, ints, hands, work, room[GAIN], choices, kept)
            add_rows_at(work, room[GAIN], at, hands, rivers.share, lines.value, block)
            kept += plan[DECISIONS] * hands * LANES


@kernel
def learn_rivers(tables, groups, player, rivers, each, regret, targets, lines, choices, work):
    """What the abstract player learns on all rivers after the groups' lines against the choices.

    `targets` get regrets and averages; values add up by turn hand.
    """
    ints, room, other, hands = tables.ints, tables.room, 1 - player, each.num[RIVER]
    for g in groups:
        plan, theirs = tables.meta[g, player], tables.meta[g, other]
        block, kept = g * rivers.block, rivers.kept[g]
        for r in range(len(rivers.low)):
            deal, at = river_deal(rivers, r), rivers.at[r]
            ids, count = deal.ids[RIVER], deal.num[RIVER]
            match_group(plan, ints, regret, ids, count, work, room[SIGMA], room[PLAN])
            rows_at(lines.reach[player], block, at, hands, work, room[OWN])
            average_group(plan, deal, room, work, targets[1])
            rows_at(lines.reach[other], block, at, hands, work, room[OTHER])
            if not is_zero(work, room[OTHER], hands, room[MASS]):
                follow_choices(theirs, ints, hands, choices, kept, work, room[THEIRS])
                pay_ends(tables, plan, deal, each.place[RIVER], hands, work)
                learn_group(plan, ints, ids, count, room, work, targets[0])
                add_rows_at(work, room[VALUE], at, hands, rivers.share, lines.value, block)
            kept += theirs[DECISIONS] * hands * LANES


@kernel
def block_in(lines, block, hands, work, to):
    """A group's lines."""
    for k in range(hands):
        store(work, to + k * LANES, load(lines, block + k * LANES))


@kernel
def send_group(plan, ints, deal, street, wide, lines, block, size, work, room):
    """Write a player's reaches of the lines that go on, by its products, to their groups."""
    hands, place = deal.ends[0], deal.place[street]
    block_in(lines, block, hands, work, room[OWN])
    for o in range(plan[OUTS]):
        sequence = room[PLAN] + ints[plan[OUT_FROM] + o] * wide
        for lane in range(plan[USED]):
            row = ints[plan[OUT_TO] + o * LANES + lane]
            to = row // HANDS * size + row % LANES
            for k in range(hands):
                own = work[room[OWN] + k * LANES + lane]
                lines[to + k * LANES] = own * work[sequence + place[k] * LANES + lane]


@kernel
def send_buckets(tables, groups, player, deal, street, source, lines, size, work):
    """Send a player that plays by bucket through the groups of a street above the river."""
    ints, room = tables.ints, tables.room
    ids, count = deal.ids[street], deal.num[street]
    for g in groups:
        plan = tables.meta[g, player]
        match_group(plan, ints, source, ids, count, work, -1, room[PLAN])
        reach = lines.reach[player]
        send_group(plan, ints, deal, street, count * LANES, reach, g * size, size, work, room)


@kernel
def send_choices(tables, groups, player, deal, kept, choices, lines, size, work):
    """Send the responder, by its choices on the turn, to the rivers; every hand has its number."""
    ints, room, hands = tables.ints, tables.room, deal.num[TURN]
    for g in groups:
        plan = tables.meta[g, player]
        follow_choices(plan, ints, hands, choices, kept[g], work, room[PLAN])
        reach = lines.reach[player]
        send_group(plan, ints, deal, TURN, hands * LANES, reach, g * size, size, work, room)


@kernel
def add_outs(tables, plan, deal, street, value, size, work):
    """Add what the lines that go on are worth to a group's sequences, and to its lines."""
    ints, room, hands = tables.ints, tables.room, deal.ends[0]
    for o in range(plan[OUTS]):
        for k in range(hands):
            store(work, room[SHOWN] + k * LANES, fill(float32(0)))
        for lane in range(plan[USED]):
            row = ints[plan[OUT_TO] + o * LANES + lane]
            at = row // HANDS * size + row % LANES
            for k in range(hands):
                work[room[SHOWN] + k * LANES + lane] = value[at + k * LANES]
        add_line(deal, street, room, work, ints[plan[OUT_FROM] + o])


@kernel
def block_out(work, source, hands, lines, block):
    """Keep the values of a group's lines."""
    for k in range(hands):
        store(lines, block + k * LANES, load(work, source + k * LANES))


@kernel
def respond_street(tables, groups, street, player, deals, regret, kept, choices, lines, size, work):
    """Best answers above the river; `deals` are the responder's, hand by hand, and the other's."""
    ints, room, (deal, theirs) = tables.ints, tables.room, deals
    hands, count = deal.num[street], theirs.num[street]
    for g in groups:
        plan = tables.meta[g, player]
        block_in(lines.reach[1 - player], g * size, hands, work, room[OTHER])
        other = tables.meta[g, 1 - player]
        match_group(other, ints, regret, theirs.ids[street], count, work, -1, room[THEIRS])
        pay_hands(tables, plan, deal, theirs.place[street], count, hands, work)
        add_outs(tables, plan, deal, street, lines.value, size, work)
        best_group(plan, ints, hands, work, room[GAIN], choices, kept[g])
        block_out(work, room[GAIN], hands, lines.value, g * size)


@kernel
def learn_turns(tables, groups, player, deals, regret, targets, kept, choices, lines, size, work):
    """What the abstract player learns on the turn; `deals` are its own and the responder's."""
    ints, room, (deal, theirs) = tables.ints, tables.room, deals
    hands, ids, count = deal.ends[0], deal.ids[TURN], deal.num[TURN]
    for g in groups:
        plan = tables.meta[g, player]
        match_group(plan, ints, regret, ids, count, work, room[SIGMA], room[PLAN])
        block_in(lines.reach[player], g * size, hands, work, room[OWN])
        average_group(plan, deal, room, work, targets[1])
        block_in(lines.reach[1 - player], g * size, hands, work, room[OTHER])
        other = tables.meta[g, 1 - player]
        follow_choices(other, ints, hands, choices, kept[g], work, room[THEIRS])
        pay_ends(tables, plan, deal, theirs.place[TURN], hands, work)
        add_outs(tables, plan, deal, TURN, lines.value, size, work)
        learn_group(plan, ints, ids, count, room, work, targets[0])
        block_out(work, room[VALUE], hands, lines.value, g * size)


@kernel
def learn_trunk(tables, metas, groups, street, player, deals, sources, targets, lines, size, work):
    """What a player learns before the turn, where both play by buckets of their own.

    `metas`, `deals` and `sources` are the player's and the other's; averages are kept where there
    is room for them.
    """
    ints, room, (deal, theirs) = tables.ints, tables.room, deals
    hands, ids, count = deal.ends[0], deal.ids[street], deal.num[street]
    for g in groups:
        plan, other = metas[0][g, player], metas[1][g, 1 - player]
        match_group(plan, ints, sources[0], ids, count, work, room[SIGMA], room[PLAN])
        if len(targets[1]) > 0:
            block_in(lines.reach[player], g * size, hands, work, room[OWN])
            average_group(plan, deal, room, work, targets[1])
        block_in(lines.reach[1 - player], g * size, hands, work, room[OTHER])
        numbers = theirs.num[street]
        match_group(other, ints, sources[1], theirs.ids[street], numbers, work, -1, room[THEIRS])
        pay_ends(tables, plan, deal, theirs.place[street], numbers, work)
        add_outs(tables, plan, deal, street, lines.value, size, work)
        learn_group(plan, ints, ids, count, room, work, targets[0])
        block_out(work, room[VALUE], hands, lines.value, g * size)


@kernel
def take_rows(tables, groups, player, ids, count, gain, kept, work):
    """Add the gains of some buckets to the rows that are kept; then they are none."""
    zero = fill(float32(0))
    for g in groups:
        plan = tables.meta[g, player]
        for d in range(count):
            at = plan[STORED] + ids[d] * plan[ROWS] * LANES
            for row in range(at, at + plan[ROWS] * LANES, LANES):
                store(kept, row, load(kept, row) + load(gain, row))
                store(gain, row, zero)

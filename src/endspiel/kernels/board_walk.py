"""The walk over boards: one player's half of an iteration, or its best or expected values.

A visit to a board (1) brings both players' reaches down through its betting, (2) evaluates its
terminals, (3) visits the boards below, (4) takes values up, learning on the way. The last street
does all of it tile by tile, without storing a board's reaches.
"""

import numpy as np
from numba import float32

from endspiel.kernels.board import (
    SECOND,
    UPDATE,
    average_tile,
    collect,
    down_tile,
    kernel,
    lanes_from_tile,
    settle_tile,
    show_tiles,
    tie_tile,
    total_tiles,
    up_tile,
)
from endspiel.kernels.board_arrays import (
    AVERAGE,
    FRESH,
    Coming,
    Facing,
    LanePair,
    Meta,
    Seated,
)
from endspiel.kernels.simd import (
    LANES,
    add_transposed,
    fill,
    gather,
    load,
    multiply_add,
    prefetch,
    store,
    transpose_rows,
)

SIZE, LINES, DECISIONS, OUT = int(Meta.SIZE), int(Meta.LINES), int(Meta.DECISIONS), int(Meta.OUT)
SHOWN, FOLDS, TILES = int(Meta.SHOWN), int(Meta.FOLDS), int(Meta.TILES)
TIED = int(Meta.TIED)
START, COUNT, HANDS = int(Meta.START), int(Meta.COUNT), int(Meta.HANDS)
ENDS, BELOW, CHILD, ABOVE = int(Meta.ENDS), int(Meta.BELOW), int(Meta.CHILD), int(Meta.ABOVE)
GROUP, IMAGES, STORED, ROWS = int(Meta.GROUP), int(Meta.IMAGES), int(Meta.STORED), int(Meta.ROWS)
LOCKED, ROOT, REACH = int(Meta.LOCKED), int(Meta.ROOT), int(Meta.REACH)
WEIGHT, CLASSES = int(Meta.WEIGHT), int(Meta.CLASSES)
BUCKETS, PICKED = int(Meta.BUCKETS), int(Meta.PICKED)
NUM_CLASSES = 169
CACHED = 4096  # rows of each kind that the second-level cache has room for
SIGMA, GAIN, LANES_IN = int(Meta.SIGMA), int(Meta.GAIN), int(Meta.LANES_IN)
SHOW, FOLD, MASS, EDGE = int(Meta.SHOW), int(Meta.FOLD), int(Meta.MASS), int(Meta.EDGE)


@kernel
def lines_in(tables, at, work, to, stride):  # type: ignore[no-untyped-def]
    """Set the incoming lines of a board's tiles, `stride` floats apart, from above or the range."""
    street, player, b = at
    plan, ints = tables.meta[street, player], tables.ints
    start, stop = ints[plan[START] + b], ints[plan[START] + b + 1]
    if street == 0:
        for t in range(start, stop):
            for line in range(plan[LINES]):
                mass = load(tables.root, plan[ROOT] + (t * plan[LINES] + line) * LANES)
                store(work, to + (t - start) * stride + line * LANES, mass)
        return
    upper = tables.meta[street - 1, player]
    for t in range(start, stop):
        tile, places = to + (t - start) * stride, plan[HANDS] + t * LANES
        for line in range(plan[LINES]):
            row = upper[REACH] + ints[upper[OUT] + line] * LANES
            store(work, tile + line * LANES, gather(work, row, tables.above, places))


@kernel
def lines_out(tables, at, walk, source, stride):  # type: ignore[no-untyped-def]
    """Add the values of a board's incoming lines to the board above, once for every image."""
    street, player, b = at
    work, plan, ints = walk.work, tables.meta[street, player], tables.ints
    if street == 0:
        start, stop = ints[plan[START] + b], ints[plan[START] + b + 1]
        for t in range(start, stop):
            for line in range(plan[LINES]):
                value = load(work, source + (t - start) * stride + line * LANES)
                store(walk.result, (t * plan[LINES] + line) * LANES, value)
        return
    upper = tables.meta[street - 1, player]
    above = ints[plan[ABOVE] + b]
    tiles = ints[upper[START] + above + 1] - ints[upper[START] + above]
    places = ints[plan[BELOW] + b]
    weight = load(tables.stakes, plan[WEIGHT] + b * LANES)
    for _ in range(ints[plan[IMAGES] + b]):
        for t in range(tiles):
            tile = upper[GAIN] + t * upper[SIZE] * LANES
            for line in range(plan[LINES]):
                row = tile + ints[upper[OUT] + line] * LANES
                gain = gather(work, source + line * LANES, tables.below, places)
                store(work, row, multiply_add(gain, weight, load(work, row)))
            places += LANES


@kernel
def face(tables, plan, theirs, b):  # type: ignore[no-untyped-def]
    """A player's hands on a board, and those that they meet."""
    ints = tables.ints
    start, others = ints[plan[START] + b], ints[theirs[START] + b]
    first, last = ints[plan[GROUP] + b], ints[plan[GROUP] + b + 1]
    return Facing(
        tables.low,
        tables.high,
        tables.same,
        plan[HANDS] + start * LANES,
        theirs[HANDS] + others * LANES,
        ints[plan[COUNT] + b],
        (ints[theirs[START] + b + 1] - others) * LANES,
        tables.ends[plan[ENDS] + first : plan[ENDS] + last],
        tables.ends[theirs[ENDS] + first : theirs[ENDS] + last],
    )


@kernel
def rows_coming(tables, at, regret, average):  # type: ignore[no-untyped-def]
    """The kept rows of a board's hands, shared out over the hands of all pairs of lane tiles."""
    street, player, b = at
    ints, plan = tables.ints, tables.meta[street, player]
    start, stop = ints[plan[START] + b], ints[plan[START] + b + 1]
    rows = min((stop - start) * plan[ROWS], CACHED)
    hands = (plan[SHOWN] + 1) // 2 * ints[plan[COUNT] + b]
    first = plan[STORED] + (plan[LINES] + start * plan[ROWS]) * LANES
    alone = street == 0 or plan[BUCKETS] >= 0 or hands == 0
    return Coming(regret, average, first, 0 if alone else -(-rows // hands))


@kernel
def ask_next(theirs, ints, b, t, source):  # type: ignore[no-untyped-def]
    """Ask for a tile of the next board's rows, which the walk down it begins with."""
    at = theirs[STORED] + (ints[theirs[START] + b + 1] + t) * theirs[ROWS] * LANES
    for s in range(theirs[LINES], theirs[SIZE]):
        prefetch(source, at + s * LANES)


@kernel
def evaluate(tables, at, coming, work):  # type: ignore[no-untyped-def]
    """Values of all terminals of a board, [lane tiles, hands, 16], from the other's lanes."""
    street, player, b = at
    ints, plan, theirs = tables.ints, tables.meta[street, player], tables.meta[street, 1 - player]
    facing = face(tables, plan, theirs, b)
    start, hands = ints[plan[START] + b], facing.other_hands
    wide = (ints[plan[START] + b + 1] - start) * LANES
    lanes, mass, show, fold = plan[LANES_IN], plan[MASS], plan[SHOW], plan[FOLD]
    for t in range(0, plan[TIED], 2):
        pair = min(t + 1, plan[TIED] - 1)  # an odd tile is its own twin, whose values are not read
        from_a = lanes + t * (hands + 1) * LANES
        from_b = lanes + pair * (hands + 1) * LANES
        to_a = t * wide * LANES
        to_b = (pair if pair > t else plan[TILES]) * wide * LANES
        store(work, from_a + hands * LANES, fill(float32(0)))
        store(work, from_b + hands * LANES, fill(float32(0)))
        tiles = LanePair(from_a, from_b, show + to_a, show + to_b)
        if t < plan[SHOWN]:
            first = coming.at + t // 2 * facing.own_hands * coming.lines * LANES
            rows = Coming(coming.regret, coming.average, first, coming.lines)
            show_tiles(facing, rows, work, mass, tiles)
        else:
            total_tiles(facing, work, mass, tiles)
        for i in range(t, pair + 1):
            settle_tile(
                facing,
                work,
                mass if i == t else mass + SECOND,
                from_a if i == t else from_b,
                show + i * wide * LANES if i < plan[SHOWN] else -1,
                fold + i * wide * LANES if i >= plan[FOLDS] else -1,
            )
    for t in range(plan[TIED], plan[TILES]):
        tile = lanes + t * (hands + 1) * LANES
        store(work, tile + hands * LANES, fill(float32(0)))
        tie_tile(facing, work, mass, tile, fold + t * wide * LANES)


@kernel
def pick_rows(plan, ints, first, source, work):  # type: ignore[no-untyped-def]
    """Copy the shared rows of sixteen hands to a tile; where its sequence 0 would lie."""
    for row in range(0, plan[ROWS], LANES):
        to = plan[PICKED] + row * LANES
        transpose_rows(source, plan[STORED] + row, ints, plan[BUCKETS] + first, work, to)
    return plan[PICKED] - plan[LINES] * LANES


@kernel
def share_rows(plan, ints, first, stakes, b, work, rows, target):  # type: ignore[no-untyped-def]
    """Add a tile's rows to the shared rows of its sixteen hands, times the board's weight."""
    buckets, weight = plan[BUCKETS] + first, plan[WEIGHT] + b * LANES
    for row in range(0, plan[ROWS], LANES):
        at, to = rows + row * LANES, plan[STORED] + row
        add_transposed(work, at, ints, buckets, stakes, weight, target, to)


@kernel
def learn_shared(tables, at, discounts, walk, t):  # type: ignore[no-untyped-def]
    """A tile whose hands share rows: its reaches and advantages are summed up, not stored."""
    (street, player, b), (mode, sums, work, _) = at, walk
    ints, stakes, plan = tables.ints, tables.stakes, tables.meta[street, player]
    start = ints[plan[START] + b]
    wide, hand = (ints[plan[START] + b + 1] - start) * LANES, (start + t) * LANES
    source = sums.regret if mode == UPDATE else sums.average
    first = pick_rows(plan, ints, hand, source, work)
    down_tile(plan, ints, work, first, work, plan[SIGMA], plan[REACH])
    if mode == UPDATE and len(sums.average) > 0:
        rows = plan[REACH] + plan[LINES] * LANES
        share_rows(plan, ints, hand, stakes, b, work, rows, sums.new_average)
    collect(plan, ints, stakes, work, plan[SHOW], plan[FOLD], wide, t, plan[GAIN])
    lock, nothing = plan[LOCKED] + b * plan[DECISIONS], discounts[FRESH:]  # the rows are summed
    own = plan[SIGMA], plan[GAIN]
    up_tile(plan, ints, mode, sums.locked, lock, nothing, work, first, work, own[0], own[1])
    if mode == UPDATE:
        share_rows(plan, ints, hand, stakes, b, work, plan[PICKED], sums.new_regret)


@kernel
def visit_last(tables, at, discounts, walk, trace):  # type: ignore[no-untyped-def]
    """All of a last-street board, tile by tile; only incoming lines are kept for all tiles.

    A trace [tiles, S, 16], where it is not empty, gets every sequence's value.
    """
    (street, player, b), (mode, sums, work, _) = at, walk
    ints, stakes = tables.ints, tables.stakes
    plan, theirs = tables.meta[street, player], tables.meta[street, 1 - player]
    source = sums.regret if mode == UPDATE else sums.average
    lines = plan[LINES] * LANES
    edge, sigma, gain = plan[EDGE], plan[SIGMA], plan[GAIN]
    lines_in(tables, Seated(street, 1 - player, b), work, edge, lines)
    start, reach = ints[theirs[START] + b], theirs[REACH]
    tiles = ints[theirs[START] + b + 1] - start
    for t in range(tiles):
        for row in range(0, lines, LANES):
            store(work, reach + row, load(work, edge + t * lines + row))
        if theirs[BUCKETS] >= 0:
            first = pick_rows(theirs, ints, (start + t) * LANES, source, work)
            down_tile(theirs, ints, work, first, work, -1, reach)
        else:
            first = theirs[STORED] + (start + t) * theirs[ROWS] * LANES
            down_tile(theirs, ints, source, first, work, -1, reach)
        lanes_from_tile(plan, ints, work, reach, plan[LANES_IN], tiles * LANES, t * LANES)
    evaluate(tables, at, rows_coming(tables, at, source, sums.average), work)
    if mode == UPDATE:
        lines_in(tables, at, work, edge, lines)
    start, reach = ints[plan[START] + b], plan[REACH]
    tiles = ints[plan[START] + b + 1] - start
    lock = plan[LOCKED] + b * plan[DECISIONS]
    for t in range(tiles):
        for row in range(0, lines, LANES):
            store(work, reach + row, load(work, edge + t * lines + row))
        if plan[BUCKETS] >= 0:
            learn_shared(tables, at, discounts, walk, t)
        else:
            first = plan[STORED] + (start + t) * plan[ROWS] * LANES
            down_tile(plan, ints, source, first, work, sigma, reach)
            if mode == UPDATE and len(sums.average) > 0:
                average_tile(plan, discounts[AVERAGE], sums.average, first, work, reach)
            if street > 0:
                ask_next(theirs, ints, b, t, source)
            collect(plan, ints, stakes, work, plan[SHOW], plan[FOLD], tiles * LANES, t, gain)
            up_tile(
                plan, ints, mode, sums.locked, lock, discounts, source, first, work, sigma, gain
            )
        for row in range(0, lines, LANES):
            store(work, edge + t * lines + row, load(work, gain + row))
        if len(trace) > 0:
            stride = plan[SIZE] * LANES
            for row in range(0, stride, LANES):
                store(trace, t * stride + row, load(work, gain + row))
    lines_out(tables, at, walk, edge, lines)


@kernel
def bring_down(tables, at, discounts, walk):  # type: ignore[no-untyped-def]
    """Reaches of both players on a board that has others below it, and what its folds pay."""
    (street, player, b), (mode, sums, work, _) = at, walk
    ints, plan = tables.ints, tables.meta[street, player]
    source = sums.regret if mode == UPDATE else sums.average
    for turn in (1 - player, player):
        theirs = tables.meta[street, turn]
        start, stride = ints[theirs[START] + b], theirs[SIZE] * LANES
        tiles = ints[theirs[START] + b + 1] - start
        lines_in(tables, Seated(street, turn, b), work, theirs[REACH], stride)
        for t in range(tiles):
            first = theirs[STORED] + (start + t) * theirs[ROWS] * LANES
            reach = theirs[REACH] + t * stride
            sigma = plan[SIGMA] + t * stride if turn == player else -1
            down_tile(theirs, ints, source, first, work, sigma, reach)
            if turn != player:
                lanes_from_tile(plan, ints, work, reach, plan[LANES_IN], tiles * LANES, t * LANES)
            elif mode == UPDATE and len(sums.average) > 0:
                average_tile(plan, discounts[AVERAGE], sums.average, first, work, reach)
    nothing = Coming(source, sums.average, 0, 0)  # its rows are at hand
    evaluate(tables, at, nothing, work)
    tiles = ints[plan[START] + b + 1] - ints[plan[START] + b]
    for t in range(tiles):
        gain = plan[GAIN] + t * plan[SIZE] * LANES
        collect(plan, ints, tables.stakes, work, plan[SHOW], plan[FOLD], tiles * LANES, t, gain)


@kernel
def average_classes(tables, at, work):  # type: ignore[no-untyped-def]
    """Give all hands of a suit class the mean of their values on the lines that go on.

    Each flop was dealt with one choice of suits, so only the class's mean is right.
    """
    street, player, b = at
    ints, plan = tables.ints, tables.meta[street, player]
    total, count = plan[MASS], plan[MASS] + NUM_CLASSES  # that buffer is free by now
    hands = (ints[plan[START] + b + 1] - ints[plan[START] + b]) * LANES
    for line in range(tables.meta[street + 1, player, LINES]):
        row = plan[GAIN] + ints[plan[OUT] + line] * LANES
        for i in range(2 * NUM_CLASSES):
            work[total + i] = 0
        for k in range(hands):
            kind = ints[plan[CLASSES] + k]
            if kind >= 0:
                work[total + kind] += work[row + (k >> 4) * plan[SIZE] * LANES + (k & 15)]
                work[count + kind] += 1
        for k in range(hands):
            kind = ints[plan[CLASSES] + k]
            if kind >= 0:
                mean = work[total + kind] / work[count + kind]
                work[row + (k >> 4) * plan[SIZE] * LANES + (k & 15)] = mean


@kernel
def take_up(tables, at, discounts, walk):  # type: ignore[no-untyped-def]
    """Values of a board whose terminals and boards below are known."""
    (street, player, b), (mode, sums, work, _) = at, walk
    ints, plan = tables.ints, tables.meta[street, player]
    if plan[CLASSES] >= 0:
        average_classes(tables, at, work)
    source = sums.regret if mode == UPDATE else sums.average
    start, stride = ints[plan[START] + b], plan[SIZE] * LANES
    lock = plan[LOCKED] + b * plan[DECISIONS]
    for t in range(ints[plan[START] + b + 1] - start):
        first = plan[STORED] + (start + t) * plan[ROWS] * LANES
        sigma, gain = plan[SIGMA] + t * stride, plan[GAIN] + t * stride
        up_tile(plan, ints, mode, sums.locked, lock, discounts, source, first, work, sigma, gain)
    lines_out(tables, at, walk, plan[GAIN], stride)


@kernel
def visit(tables, top, boards, players, schedule, walk):  # type: ignore[no-untyped-def]
    """Boards of street `top` and everything below them, for players[0] .. players[1] - 1 in turn.

    Once for each row of discounts in the schedule [T, 6]. Depth first with a place and an end for
    each street: compiled code that calls itself cannot be kept on disk.
    """
    ints, last = tables.ints, len(tables.meta) - 1
    trace = np.empty(0, np.float32)
    place, end = np.empty(last + 1, np.int64), np.empty(last + 1, np.int64)
    player, turns = players[0], players[1] - players[0]
    for step in range(len(schedule) * turns * len(boards)):
        turn = step // len(boards)
        p, discounts = player + turn % turns, schedule[turn // turns]
        street, first = top, boards[step % len(boards)]
        place[street], end[street] = first, first + 1
        while True:
            b = place[street]
            if b == end[street]:
                if street == top:
                    break
                street -= 1
                take_up(tables, Seated(street, p, place[street]), discounts, walk)
                place[street] += 1
            elif street == last:
                visit_last(tables, Seated(street, p, b), discounts, walk, trace)
                place[street] += 1
            else:
                bring_down(tables, Seated(street, p, b), discounts, walk)
                child = tables.meta[street, p, CHILD]
                street += 1
                place[street], end[street] = ints[child + b], ints[child + b + 1]

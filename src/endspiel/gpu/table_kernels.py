"""The tables of many boards, filled board by board without Python: see `tables`."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.cards.deck import NUM_CARDS, NUM_HANDS
from endspiel.cards.strength_kernels import fill_board_strengths
from endspiel.cards.strength_tables import NUM_CLASSES, StrengthTables
from endspiel.jit import njit

UInt8s = NDArray[np.uint8]
UInt16s = NDArray[np.uint16]
UInt32s = NDArray[np.uint32]
Int16s = NDArray[np.int16]
Ints = NDArray[np.int64]

ABSENT = 0xFFFF  # a place that a hand does not have
BANKS = 8  # of slots: the lists of so many cards, summed side by side, start in different ones


class Slots(NamedTuple):
    """A geometry in numbers: see `tables.Geometry`."""

    cards: int
    spill: int
    main: Ints  # [W + 1] slot of each rank of the main list
    place: Ints  # [W] where the hand of each rank lies in a row


class Filled(NamedTuple):
    """What is filled in: the arrays of `tables.StreetTables`."""

    hand: Int16s  # [2, B, W]
    scatter: UInt16s  # [2, B, 3, W]
    gather: UInt16s  # [2, B, 8, W]
    same: UInt16s  # [2, B, W]
    end: UInt16s  # [2, B]
    lists: UInt32s  # [2, B, C]


class Dealt(NamedTuple):
    """The boards, and who can hold what on them."""

    cards: UInt8s  # [B, n]
    held: UInt8s  # [2, B, 1326] whether a player holds a hand
    last: bool  # whether strengths count


@njit(cache=True, nogil=True)
def mark_held(hands: Ints, counts: Ints, out: UInt8s) -> None:
    """Mark hands that are held on boards [B, 1326], given one board after another."""
    at = 0
    for b in range(len(counts)):
        for i in range(at, at + counts[b]):
            out[b, hands[i]] = 1
        at += counts[b]


# Loops over entries in place of slices here: a slice takes seconds to compile.


@njit(cache=True, nogil=True)
def fill_tables(
    strengths: StrengthTables,
    dealt: Dealt,
    order: tuple[Ints, UInt8s],  # [1326] hands as they follow each other among equals; their cards
    shape: Slots,
    out: Filled,
    span: tuple[int, int],
) -> None:
    """Fill in the tables of boards from one to another."""
    strength = np.zeros(NUM_HANDS, np.uint16)
    ranked, counts = np.empty((2, NUM_HANDS), np.int64), np.zeros(2, np.int64)
    starts = np.empty((2, shape.cards), np.int64)
    for b in range(span[0], span[1]):
        if dealt.last:
            fill_board_strengths(strengths, dealt.cards[b], strength)
        for p in range(2):
            counts[p] = _rank(strength, dealt.held[p, b], order[0], ranked[p])
        live = _live_numbers(dealt.cards[b], order[1])
        for p in range(2):
            _place_lists(ranked[p, : counts[p]], live, starts[p], out.lists[p, b])
        alike = counts[0] == counts[1]
        for i in range(counts[0]):
            alike = alike and ranked[0, i] == ranked[1, i]
        for p in range(2):
            if p and alike:
                _copy_board(out, b)
                break
            own, other = ranked[p, : counts[p]], ranked[1 - p, : counts[1 - p]]
            _lay_down(own, (live, starts[p]), shape, out.hand[p, b], out.scatter[p, b])
            _gather(own, other, strength, (live, starts[1 - p]), shape, out.gather[p, b])
            _same(own, other, shape, out.same[p, b])
            out.end[p, b] = shape.main[counts[p]]


@njit(cache=True, nogil=True)
def _copy_board(out: Filled, b: int) -> None:
    """Give the second player what the first has."""
    out.end[1, b] = out.end[0, b]
    for at in range(out.hand.shape[2]):
        out.hand[1, b, at] = out.hand[0, b, at]
        out.same[1, b, at] = out.same[0, b, at]
    for i in range(3):
        for at in range(out.hand.shape[2]):
            out.scatter[1, b, i, at] = out.scatter[0, b, i, at]
    for i in range(8):
        for at in range(out.hand.shape[2]):
            out.gather[1, b, i, at] = out.gather[0, b, i, at]


@njit(cache=True, nogil=True)
def _place_lists(own: Ints, live: Ints, starts: Ints, out: UInt32s) -> None:
    """Where the lists of a player's hands with each card start, and how long they are."""
    for card in range(len(starts)):
        out[card] = 0
    for hand in own:
        out[live[hand, 0]] += 1
        out[live[hand, 1]] += 1
    at = used = 0
    for card in range(len(starts)):
        at, used = _free_bank(at, used if card % BANKS else 0)
        starts[card] = at
        length = out[card]
        out[card] = at | length << 16
        at += length + 1


@njit(cache=True, nogil=True)
def _free_bank(at: int, used: int) -> tuple[int, int]:
    """The first place in a bank that is not used, and the banks used with it, as bits."""
    while used >> at % BANKS & 1:
        at += 1
    return at, used | 1 << at % BANKS


@njit(cache=True, nogil=True)
def _rank(strength: UInt16s, held: UInt8s, order: Ints, out: Ints) -> int:
    """Write down the hands held, weakest first, equals in the order given; how many there are."""
    at = np.zeros(NUM_CLASSES + 2, np.int64)
    for hand in range(NUM_HANDS):
        if held[hand]:
            at[strength[hand] + 1] += 1
    for level in range(1, len(at)):
        at[level] += at[level - 1]
    for hand in order:
        if held[hand]:
            out[at[strength[hand]]] = hand
            at[strength[hand]] += 1
    return int(at[-1])


@njit(cache=True, nogil=True)
def _live_numbers(board: UInt8s, cards: UInt8s) -> Ints:
    """Both cards of every hand [1326, 2], numbered among those that the board leaves."""
    gone = np.zeros(NUM_CARDS, np.int64)
    for card in board:
        gone[card] = 1
    number = np.arange(NUM_CARDS) - np.cumsum(gone)
    found = np.empty((NUM_HANDS, 2), np.int64)
    for hand in range(NUM_HANDS):
        found[hand, 0], found[hand, 1] = number[cards[hand, 0]], number[cards[hand, 1]]
    return found


@njit(cache=True, nogil=True)
def _lay_down(
    own: Ints, lists: tuple[Ints, Ints], shape: Slots, hands: Int16s, scatter: UInt16s
) -> None:
    """A player's hands by place, and the slots that their reaches go to."""
    live, starts = lists
    for rank in range(len(shape.place)):
        place = shape.place[rank]
        hands[place] = -1
        scatter[0, place] = scatter[1, place] = shape.spill
        scatter[2, place] = shape.main[rank]
    seen = np.zeros(shape.cards, np.int64)
    for rank in range(len(own)):
        place = shape.place[rank]
        hands[place] = own[rank]
        for side in range(2):
            card = live[own[rank], side]
            scatter[side, place] = starts[card] + seen[card]
            seen[card] += 1


@njit(cache=True, nogil=True)
def _gather(
    own: Ints,
    other: Ints,
    strength: UInt16s,
    lists: tuple[Ints, Ints],  # numbers of cards, and where the other's lists start
    shape: Slots,
    out: UInt16s,
) -> None:
    """The slots of the other's sums that each hand reads: by one walk up both lists."""
    live, starts = lists
    for i in range(8):
        for place in range(out.shape[1]):
            out[i, place] = shape.main[0]
    slot = starts.copy()  # after the other's hands so far, by card
    first = met = 0
    while first < len(own):
        level = strength[own[first]]
        while met < len(other) and strength[other[met]] < level:
            for side in range(2):
                slot[live[other[met], side]] += 1
            met += 1
        last = first
        while last < len(own) and strength[own[last]] == level:
            place = shape.place[last]
            for side in range(2):
                out[2 * side, place] = slot[live[own[last], side]]
            out[4, place] = shape.main[met]
            last += 1
        while met < len(other) and strength[other[met]] == level:
            for side in range(2):
                slot[live[other[met], side]] += 1
            met += 1
        for rank in range(first, last):
            place = shape.place[rank]
            for side in range(2):
                out[2 * side + 1, place] = slot[live[own[rank], side]]
            out[5, place] = shape.main[met]
        first = last
    for rank in range(met, len(other)):
        for side in range(2):
            slot[live[other[rank], side]] += 1
    for rank in range(len(own)):
        for side in range(2):
            out[6 + side, shape.place[rank]] = slot[live[own[rank], side]]


@njit(cache=True, nogil=True)
def _same(own: Ints, other: Ints, shape: Slots, out: UInt16s) -> None:
    """The place of the same hand of the other, or ABSENT."""
    place = np.full(NUM_HANDS, ABSENT, np.uint16)
    for rank in range(len(other)):
        place[other[rank]] = shape.place[rank]
    for at in range(len(out)):
        out[at] = ABSENT
    for rank in range(len(own)):
        out[shape.place[rank]] = place[own[rank]]


@njit(cache=True, nogil=True)
def most_held(dealt: Dealt, cards: UInt8s) -> tuple[int, int]:
    """The most hands that a player holds on a board, and slots that their card lists take."""
    hands = slots = 0
    counts = np.empty(NUM_CARDS, np.int64)
    for p in range(2):
        for b in range(len(dealt.cards)):
            held = 0
            for card in range(NUM_CARDS):
                counts[card] = 0
            for hand in range(NUM_HANDS):
                if dealt.held[p, b, hand]:
                    held += 1
                    counts[cards[hand, 0]] += 1
                    counts[cards[hand, 1]] += 1
            for card in dealt.cards[b]:
                counts[card] = -1
            at = used = number = 0
            for card in range(NUM_CARDS):
                if counts[card] >= 0:
                    at, used = _free_bank(at, used if number % BANKS else 0)
                    at += counts[card] + 1
                    number += 1
            hands, slots = max(hands, held), max(slots, at)
    return hands, slots


@njit(cache=True, nogil=True)
def fill_links(
    hands: tuple[Int16s, Int16s],  # [2, B, W], [2, boards above, W above]
    parent: Ints,  # [B] board above
    images: tuple[Ints, Ints],  # [I] board and number of relabeling, boards in order
    permutations: UInt16s,  # [24, 1326]
    out: tuple[UInt16s, UInt16s],  # [2, B, W] places above, [2, I, W above] places on the images
) -> None:
    """Where the hands of boards lie on the boards above, and the other way round.

    Both are given full of ABSENT.
    """
    own, upper = hands
    above, below = out
    place = np.full(NUM_HANDS, ABSENT, np.uint16)
    for p in range(2):
        over = -1
        for i in range(len(images[0])):
            b, moved = images[0][i], permutations[images[1][i]]
            if parent[b] != over:
                over = parent[b]
                for hand in range(NUM_HANDS):
                    place[hand] = ABSENT
                for at in range(upper.shape[2]):
                    if upper[p, over, at] >= 0:
                        place[upper[p, over, at]] = at
            for at in range(own.shape[2]):
                hand = own[p, b, at]
                if hand >= 0:
                    above[p, b, at] = place[hand]
                    below[p, i, place[moved[hand]]] = at


@njit(cache=True, nogil=True)
def pack_tables(
    tables: tuple[UInt16s, UInt16s, UInt16s],  # scatter, gather, same
    size: int,  # bytes of a slot
    out: UInt16s,  # [1 or 2 halves, B, 3, threads, 8]
    span: tuple[int, int],
) -> None:
    """Tables of some boards as kernels read them, two hands a thread; slots counted in bytes."""
    scatter, gather, same = tables
    for p in range(out.shape[0]):
        for b in range(span[0], span[1]):
            for t in range(out.shape[3]):
                for two in range(2):
                    at = 2 * t + two
                    for i in range(3):
                        out[p, b, 0, t, 3 * two + i] = size * scatter[1 - p, b, i, at]
                    out[p, b, 0, t, 6 + two] = same[p, b, at]
                    for i in range(8):
                        out[p, b, 1 + two, t, i] = size * gather[p, b, i, at]

"""The tables of many boards, filled board by board without Python: see `tables`."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from endspiel.cards.deck import NUM_CARDS, NUM_HANDS
from endspiel.cards.strength import fill_board_strengths
from endspiel.cards.strength_tables import NUM_CLASSES, StrengthTables

UInt8s = NDArray[np.uint8]
UInt16s = NDArray[np.uint16]
Int16s = NDArray[np.int16]
Ints = NDArray[np.int64]

ABSENT = 0xFFFF  # a place that a hand does not have


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


class Dealt(NamedTuple):
    """The boards, and who can hold what on them."""

    cards: UInt8s  # [B, n]
    held: UInt8s  # [2, B, 1326] whether a player holds a hand
    last: bool  # whether strengths count


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
    for b in range(span[0], span[1]):
        if dealt.last:
            fill_board_strengths(strengths, dealt.cards[b], strength)
        alike = np.array_equal(dealt.held[0, b], dealt.held[1, b])
        for p in range(2):
            counts[p] = _rank(strength, dealt.held[p, b], order[0], ranked[p])
        live = _live_numbers(dealt.cards[b], order[1])
        for p in range(2):
            if p and alike:
                out.hand[1, b] = out.hand[0, b]
                out.scatter[1, b] = out.scatter[0, b]
                out.gather[1, b] = out.gather[0, b]
                out.same[1, b] = out.same[0, b]
                out.end[1, b] = out.end[0, b]
                break
            own, other = ranked[p, : counts[p]], ranked[1 - p, : counts[1 - p]]
            _lay_down(own, live, shape, out.hand[p, b], out.scatter[p, b])
            _gather(own, other, strength, live, shape, out.gather[p, b])
            _same(own, other, shape, out.same[p, b])
            out.end[p, b] = shape.main[counts[p]]


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
def _lay_down(own: Ints, live: Ints, shape: Slots, hands: Int16s, scatter: UInt16s) -> None:
    """A player's hands by place, and the slots that their reaches go to."""
    hands[:] = -1
    scatter[:2] = shape.spill
    for rank in range(len(shape.place)):
        scatter[2, shape.place[rank]] = shape.main[rank]
    seen = np.zeros(shape.cards, np.int64)
    for rank in range(len(own)):
        place = shape.place[rank]
        hands[place] = own[rank]
        for side in range(2):
            card = live[own[rank], side]
            scatter[side, place] = seen[card] * shape.cards + card
            seen[card] += 1


@njit(cache=True, nogil=True)
def _gather(
    own: Ints, other: Ints, strength: UInt16s, live: Ints, shape: Slots, out: UInt16s
) -> None:
    """The slots of the other's sums that each hand reads: by one walk up both lists."""
    out[:] = shape.main[0]
    seen = np.zeros(shape.cards, np.int64)  # the other's hands so far, by card
    first = met = 0
    while first < len(own):
        level = strength[own[first]]
        while met < len(other) and strength[other[met]] < level:
            for side in range(2):
                seen[live[other[met], side]] += 1
            met += 1
        last = first
        while last < len(own) and strength[own[last]] == level:
            _read(own[last], live, seen, shape, out[:, shape.place[last]], 0)
            out[4, shape.place[last]] = shape.main[met]
            last += 1
        while met < len(other) and strength[other[met]] == level:
            for side in range(2):
                seen[live[other[met], side]] += 1
            met += 1
        for rank in range(first, last):
            _read(own[rank], live, seen, shape, out[:, shape.place[rank]], 1)
            out[5, shape.place[rank]] = shape.main[met]
        first = last
    for rank in range(met, len(other)):
        for side in range(2):
            seen[live[other[rank], side]] += 1
    for rank in range(len(own)):
        place = shape.place[rank]
        for side in range(2):
            card = live[own[rank], side]
            out[6 + side, place] = seen[card] * shape.cards + card


@njit(cache=True, nogil=True)
def _read(hand: int, live: Ints, seen: Ints, shape: Slots, out: UInt16s, after: int) -> None:
    """Slots of a hand's two card lists, before or after its equals."""
    for side in range(2):
        card = live[hand, side]
        out[2 * side + after] = seen[card] * shape.cards + card


@njit(cache=True, nogil=True)
def _same(own: Ints, other: Ints, shape: Slots, out: UInt16s) -> None:
    """The place of the same hand of the other, or ABSENT."""
    place = np.full(NUM_HANDS, ABSENT, np.uint16)
    for rank in range(len(other)):
        place[other[rank]] = shape.place[rank]
    out[:] = ABSENT
    for rank in range(len(own)):
        out[shape.place[rank]] = place[own[rank]]


@njit(cache=True, nogil=True)
def most_with_a_card(held: UInt8s, cards: UInt8s) -> int:
    """The most hands with one card that a player holds on a board, of hands held [2, B, 1326]."""
    most = 0
    counts = np.empty(NUM_CARDS, np.int64)
    for p in range(held.shape[0]):
        for b in range(held.shape[1]):
            counts[:] = 0
            for hand in range(NUM_HANDS):
                if held[p, b, hand]:
                    counts[cards[hand, 0]] += 1
                    counts[cards[hand, 1]] += 1
            most = max(most, counts.max())
    return most


@njit(cache=True, nogil=True)
def fill_links(
    hands: tuple[Int16s, Int16s],  # [2, B, W], [2, boards above, W above]
    parent: Ints,  # [B] board above
    images: tuple[Ints, Ints],  # [I] board and number of relabeling, boards in order
    permutations: UInt16s,  # [24, 1326]
    out: tuple[UInt16s, UInt16s],  # [2, B, W] places above, [2, I, W above] places on the images
) -> None:
    """Where the hands of boards lie on the boards above, and the other way round."""
    own, upper = hands
    above, below = out
    above[:] = ABSENT
    below[:] = ABSENT
    place = np.full(NUM_HANDS, ABSENT, np.uint16)
    for p in range(2):
        over = -1
        for i in range(len(images[0])):
            b, moved = images[0][i], permutations[images[1][i]]
            if parent[b] != over:
                over = parent[b]
                place[:] = ABSENT
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

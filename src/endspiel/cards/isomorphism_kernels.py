"""Jitted loops of the suit-isomorphic index; ``isomorphism`` explains the numbering and its tables.

What there is one of per suit is packed into four lanes of 16 bits: as a set, card
``4 * rank + suit`` is bit ``16 * suit + rank``, and "lower cards of the same suit" is a mask. All
arithmetic is int64, since mixing in uint64 would turn it into floats; a lane is masked after a
shift, so the sign bit does no harm.
"""

import numpy as np
from numpy.typing import NDArray

from endspiel.cards.deck import NUM_CARDS, NUM_RANKS, NUM_SUITS
from endspiel.jit import njit

# Numba infers the kernels' types itself; their docstrings give the shapes.
# mypy: disable-error-code="no-untyped-def"

Int64s = NDArray[np.int64]

KEY_BITS = 40  # a suit's key is its shape's code above this many bits of its own index
LANE = 0xFFFF
HASH_FACTOR = 0x9E3779B97F4A7C15 - (1 << 64)  # 2^64 over the golden ratio, as int64


def _binomials() -> Int64s:
    """C(n, k) for n, k <= 13, zero above the diagonal: [14, 14]."""
    table = np.zeros((NUM_RANKS + 1, NUM_RANKS + 1), dtype=np.int64)
    table[:, 0] = 1
    for n in range(1, NUM_RANKS + 1):
        table[n, 1:] = table[n - 1, 1:] + table[n - 1, :-1]
    return table


def _rank_sets() -> tuple[NDArray[np.int16], Int64s, Int64s]:
    """Number of each rank set among its size, and back: [8192], first of each size [14], [8192]."""
    sets = np.arange(1 << NUM_RANKS)
    sizes = np.bitwise_count(sets)
    order = np.lexsort((sets, sizes))  # by size, then colexicographic
    first = np.searchsorted(sizes[order], np.arange(NUM_RANKS + 1))
    number = np.empty(len(sets), dtype=np.int16)  # small, to stay in the first-level cache
    number[order] = np.arange(len(sets)) - first[sizes[order]]
    ranks = np.zeros(len(sets), dtype=np.int64)  # members, low rank in the low nibble
    filled = np.zeros(len(sets), dtype=np.int64)
    for rank in range(NUM_RANKS):
        held = (order >> rank) & 1
        ranks |= held * (rank << (4 * filled))
        filled += held
    return number, first, ranks


BINOMIAL = _binomials()  # [14, 14]
_CARDS = np.arange(NUM_CARDS)
_BIT = np.int64(1) << (16 * (_CARDS % NUM_SUITS) + _CARDS // NUM_SUITS)  # [52]
_BELOW = _BIT - (np.int64(1) << (16 * (_CARDS % NUM_SUITS)))  # [52] lower cards of the suit
_SET_NUMBER, _SET_FIRST, _SET_RANKS = _rank_sets()


@njit(cache=True, forceinline=True)
def _popcount(x):
    """Bits set; LLVM turns this idiom into one instruction."""
    v = np.uint64(x)
    v = v - ((v >> np.uint64(1)) & np.uint64(0x5555555555555555))
    v = (v & np.uint64(0x3333333333333333)) + ((v >> np.uint64(2)) & np.uint64(0x3333333333333333))
    v = (v + (v >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((v * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit(cache=True, forceinline=True)
def _choose(n, k):
    """C(n, k) for k = 1..4, exact while C(n, k) stays below 2^60."""
    value = n
    if k > 1:
        value = (value * (n - 1)) >> 1
    if k > 2:
        value = value * (n - 2) // 3
    if k > 3:
        value = (value * (n - 3)) >> 2
    return value


@njit(cache=True)
def _largest(value, k):
    """Largest n with C(n, k) <= value, for k = 2..4."""
    if k == 2:
        n = np.int64((1.0 + np.sqrt(1.0 + 8.0 * value)) * 0.5)
    elif k == 3:
        n = np.int64((6.0 * value) ** (1.0 / 3.0)) + 1
    else:
        n = np.int64(np.sqrt(np.sqrt(24.0 * value)) + 1.5)
    while _choose(n, k) > value:
        n -= 1
    while _choose(n + 1, k) <= value:
        n += 1
    return n


@njit(cache=True, forceinline=True)
def _arrange_card(total, card, arranged):
    """Arrangement number of every suit (packed) after one more card, itself in ``total``."""
    shift = 16 * (card & 3)
    before = (arranged >> shift) & LANE
    after = before * _popcount((total >> shift) & LANE) + _popcount(total & _BELOW[card])
    return arranged + ((after - before) << shift)


@njit(cache=True, forceinline=True)
def _digit(total, new, card):
    """One card's share of the number of its suit's new ranks among the suit's ranks, packed."""
    below = _BELOW[card]
    share = BINOMIAL[_popcount(total & below), _popcount(new & below) + 1]
    return share << (16 * (card & 3))


@njit(cache=True, forceinline=True)
def _arrange_group(total, new, digits, arranged):
    """Arrangement number of every suit (packed) after a group, from the sum of its digits."""
    after = 0
    for shift in range(0, 64, 16):
        held = _popcount((total >> shift) & LANE)
        fresh = _popcount((new >> shift) & LANE)
        number = ((arranged >> shift) & LANE) * BINOMIAL[held, fresh] + ((digits >> shift) & LANE)
        after |= number << shift
    return after


@njit(cache=True, forceinline=True)
def _suit_key(shift, seen, codes, arranged):
    """Shape and index of one suit in one sortable number."""
    ranks = (seen >> shift) & LANE
    sets = BINOMIAL[NUM_RANKS, _popcount(ranks)]
    index = ((arranged >> shift) & LANE) * sets + _SET_NUMBER[ranks]
    return (((codes >> shift) & LANE) << KEY_BITS) | index


@njit(cache=True, forceinline=True)
def _sorted_keys(seen, codes, arranged):
    """The four suits' keys, ascending: the whole canonical form (a network of five comparisons)."""
    a, b = _suit_key(0, seen, codes, arranged), _suit_key(16, seen, codes, arranged)
    c, d = _suit_key(32, seen, codes, arranged), _suit_key(48, seen, codes, arranged)
    a, b = min(a, b), max(a, b)
    c, d = min(c, d), max(c, d)
    a, c = min(a, c), max(a, c)
    b, d = min(b, d), max(b, d)
    return a, min(b, c), max(b, c), d


@njit(cache=True, forceinline=True)
def _run_numbers(keys):
    """Each sorted suit's share of its run's number: C(x, 1), C(x + 1, 2), C(x + 2, 3), ..."""
    mask = (np.int64(1) << KEY_BITS) - 1
    x0, x1, x2, x3 = keys[0] & mask, keys[1] & mask, keys[2] & mask, keys[3] & mask
    same1 = keys[0] >> KEY_BITS == keys[1] >> KEY_BITS
    same2 = keys[1] >> KEY_BITS == keys[2] >> KEY_BITS
    same3 = keys[2] >> KEY_BITS == keys[3] >> KEY_BITS
    # All candidates are computed and then selected: equal shapes are a coin toss to the predictor.
    pair1, pair2, pair3 = _choose(x1 + 1, 2), _choose(x2 + 1, 2), _choose(x3 + 1, 2)
    triple2, triple3 = _choose(x2 + 2, 3), _choose(x3 + 2, 3)
    run2 = triple2 if same1 else pair2
    run3 = triple3 if same2 else pair3
    if same1 and same2 and same3:
        run3 = _choose(x3 + 3, 4)
    return x0, pair1 if same1 else x1, run2 if same2 else x2, run3 if same3 else x3


@njit(cache=True, forceinline=True)
def _pack_codes(second, third, fourth):
    """Hash key of a family; the first code follows, as the four suits together hold the groups."""
    return (second << 32) | (third << 16) | fourth


@njit(cache=True, forceinline=True)
def _hash_slot(key, num_slots):
    """Where the search for a key starts; the number of slots is a power of two."""
    return ((key * HASH_FACTOR) >> 40) & (num_slots - 1)


@njit(cache=True)
def fill_slots(codes, entries, slots):
    """Enter each family's codes [F, 4] and entry [F, 5] into the hash [H, 6], all -1 so far."""
    for family in range(len(codes)):
        key = _pack_codes(codes[family, 1], codes[family, 2], codes[family, 3])
        slot = _hash_slot(key, len(slots))
        while slots[slot, 0] >= 0:
            slot = (slot + 1) & (len(slots) - 1)
        slots[slot, 0] = key
        for field in range(entries.shape[1]):
            slots[slot, 1 + field] = entries[family, field]


# The two loops below keep arrays to themselves and hand only numbers to the helpers above: an
# array passed on would have its references counted for every deal, which costs half the speed.


@njit(cache=True)
def index_deals(cards, groups, slots, out):
    """Index [N] of deals [N, n]; returns the first row that is no deal, or -1."""
    for row in range(len(cards)):
        seen, codes, arranged, at = 0, 0, 0, 0
        for group in range(len(groups)):
            size, weight = groups[group, 0], groups[group, 1]
            new, card = 0, np.int64(0)
            for i in range(at, at + size):
                card = np.int64(cards[row, i])
                if card >= NUM_CARDS:
                    return row
                new |= _BIT[card]
                codes += weight << (16 * (card & 3))
            total = seen | new
            if size == 1:
                arranged = _arrange_card(total, card, arranged)
            elif seen:  # a first group always has arrangement 0
                digits = 0
                for i in range(at, at + size):
                    digits += _digit(total, new, np.int64(cards[row, i]))
                arranged = _arrange_group(total, new, digits, arranged)
            seen = total
            at += size
        if _popcount(seen) != at:
            return row
        keys = _sorted_keys(seen, codes, arranged)
        key = _pack_codes(keys[1] >> KEY_BITS, keys[2] >> KEY_BITS, keys[3] >> KEY_BITS)
        slot = _hash_slot(key, len(slots))
        while slots[slot, 0] != key:
            slot = (slot + 1) & (len(slots) - 1)
        x0, x1, x2, x3 = _run_numbers(keys)
        low = x0 * slots[slot, 2] + x1 * slots[slot, 3]
        high = x2 * slots[slot, 4] + x3 * slots[slot, 5]
        out[row] = slots[slot, 1] + low + high
    return -1


@njit(cache=True, error_model="numpy")
def unindex_deals(indices, tables, out):
    """Canonical deals [N, n] of indices [N] within range; every group ascending.

    The last of the four sorted suits becomes clubs, then diamonds, hearts, spades.
    """
    groups, offset, coarse, runs = tables.groups, tables.offset, tables.coarse, tables.runs
    shift, shapes, arrangements = tables.coarse_shift, tables.shapes, tables.arrangements
    holdings = np.zeros(4, dtype=np.int64)  # by sorted suit
    members = np.zeros(len(groups), dtype=np.int64)  # cards of each group, bit = card
    for row in range(len(indices)):
        index = np.int64(indices[row])
        cell = index >> shift
        family, high = coarse[cell], coarse[cell + 1]
        while family < high:
            middle = (family + high + 1) >> 1
            if offset[middle] <= index:
                family = middle
            else:
                high = middle - 1
        rest = index - offset[family]
        suit = 0
        while suit < 4:
            length, size = runs[family, suit, 1], runs[family, suit, 2]
            value = rest
            if size > 1:
                rest = value // size
                value -= rest * size
            for k in range(length, 1, -1):
                n = _largest(value, k)
                value -= _choose(n, k)
                holdings[suit + k - 1] = n - k + 1
            holdings[suit] = value
            suit += length
        members[:] = 0
        for suit in range(4):
            code = runs[family, suit, 0]
            num_cards = shapes[code, 0]
            sets = BINOMIAL[NUM_RANKS, num_cards]
            arrangement = holdings[suit] // sets
            ranks = _SET_RANKS[_SET_FIRST[num_cards] + holdings[suit] - arrangement * sets]
            owners = arrangements[shapes[code, 1] + arrangement]
            for _ in range(num_cards):
                members[owners & 15] |= np.int64(1) << (4 * (ranks & 15) + 3 - suit)
                ranks >>= 4
                owners >>= 4
        at = 0
        for group in range(len(groups)):
            left = members[group]
            for _ in range(groups[group, 0]):
                out[row, at] = _popcount((left & -left) - 1)
                left &= left - 1
                at += 1

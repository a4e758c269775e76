"""Exact equities with card removal: hand or range against a range, on every street.

A range is a vector of weights [1326]; pairs of hands that share a card never meet. Before the
river every run-out is dealt; before the flop the shipped table of all boards is read. An equity is
the share of the pot: wins and half the ties, over all compatible pairs by weight and run-out.
"""

from collections.abc import Sequence
from itertools import chain, combinations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from endspiel.cards.deck import NUM_CARDS, NUM_HANDS, hand_cards, hand_index
from endspiel.cards.live import live_mask
from endspiel.cards.preflop import NUM_BOARDS, preflop_counts, preflop_table
from endspiel.cards.removal import BLOCKED_SHARE, exact_unblocked_weight
from endspiel.cards.strength import (
    cards_strength,
    checked_board,
    checked_cards,
    fill_board_strengths,
)
from endspiel.cards.strength_tables import StrengthTables, strength_tables
from endspiel.cards.text import format_hand
from endspiel.errors import CardError, RangeError
from endspiel.jit import njit

Floats = NDArray[np.float64]
UInt8s = NDArray[np.uint8]
UInt16s = NDArray[np.uint16]
Int16s = NDArray[np.int16]

__all__ = [
    "Equity",
    "equities",
    "hand_equity",
    "order_by_strength",
    "preflop_table",
    "range_equity",
]


class Equity(NamedTuple):
    """How often one side wins, ties and loses, as shares of 1."""

    win: float
    tie: float
    lose: float
    equity: float  # win + tie / 2


class _Masses(NamedTuple):
    """For each hand, the opposing weight it beats, ties and meets; per pair a mean of run-outs."""

    win: Floats  # [1326]
    tie: Floats  # [1326]
    total: Floats  # [1326] exactly 0 where no opposing hand is compatible


def hand_equity(hand_a: Sequence[int], hand_b: Sequence[int], board: Sequence[int] = ()) -> float:
    """Equity of one hand against another, each given as two cards.

    Examples:
        >>> import endspiel as es
        >>> round(es.hand_equity(es.parse_cards("AsAh"), es.parse_cards("KsKh")), 4)
        0.8264
    """
    for hand in (hand_a, hand_b):
        if len(hand) != 2:
            raise CardError(f"a hand has two cards, this one has {len(hand)}")
    cards = checked_board(board)
    hands = checked_cards([*hand_a, *hand_b, *board], "the two hands and the board")[:4]
    if not len(cards):
        a, b = (hand_index(int(low), int(high)) for low, high in hands.reshape(2, 2))
        return float(preflop_table()[a, b])
    run_outs = _run_outs(cards, dead=[*hands.tolist(), *cards.tolist()])
    doubled = _count_halves(strength_tables(7), hands, run_outs)
    return doubled / (2 * len(run_outs))


def range_equity(range_a: ArrayLike, range_b: ArrayLike, board: Sequence[int] = ()) -> Equity:
    """Wins, ties, losses and equity of one weighted range [1326] against another [1326].

    Examples:
        >>> import endspiel as es
        >>> round(es.range_equity(es.parse_range("AA"), es.parse_range("KK")).equity, 4)
        0.8195
    """
    weights_a = _checked_range(range_a, "the first range")
    masses = _masses(_checked_range(range_b, "the second range"), checked_board(board))
    total = float(weights_a @ masses.total)
    if total == 0:
        raise RangeError("the two ranges leave no pair of hands that can meet on the board")
    win = min(float(weights_a @ masses.win) / total, 1.0)
    tie = min(float(weights_a @ masses.tie) / total, 1.0 - win)
    return Equity(win, tie, max(0.0, 1.0 - win - tie), win + tie / 2)


def equities(range_b: ArrayLike, board: Sequence[int] = ()) -> Floats:
    """Equity of every hand against a weighted range: [1326].

    NaN where a hand hits the board or no hand of the range can be held against it.

    Examples:
        >>> import endspiel as es
        >>> equity = es.equities(es.parse_range("random"))  # of each hand against a random one
        >>> len(equity), round(float(equity.max()), 4)
        (1326, 0.852)
    """
    masses = _masses(_checked_range(range_b, "the range"), checked_board(board))
    found = np.full(NUM_HANDS, np.nan)
    possible = masses.total > 0
    won = masses.win[possible] + masses.tie[possible] / 2
    found[possible] = np.minimum(won / masses.total[possible], 1.0)
    return found


def _checked_range(weights: ArrayLike, name: str) -> Floats:
    """Weights as an array of floats, or the reason why they are no range."""
    try:
        checked = np.ascontiguousarray(weights, np.float64)
    except (TypeError, ValueError):
        raise RangeError(f"{name} must be {NUM_HANDS} numbers") from None
    if checked.shape != (NUM_HANDS,):
        raise RangeError(f"{name} must have {NUM_HANDS} weights, its shape is {checked.shape}")
    bad = np.flatnonzero(~(np.isfinite(checked) & (checked >= 0)))
    if len(bad):
        hand = format_hand(hand_cards()[bad[0]].tolist())
        raise RangeError(
            f"the weight of {hand} in {name} is {checked[bad[0]]}: weights are finite and >= 0"
        )
    return checked


def _masses(weights: Floats, board: UInt8s) -> _Masses:
    """Opposing weight beaten, tied and met by every hand."""
    allowed = live_mask(board)
    live = np.where(allowed, weights, 0.0)
    total = np.where(allowed, exact_unblocked_weight(live), 0.0)
    if not len(board):
        counts = preflop_counts()
        return _Masses(counts.win @ live / NUM_BOARDS, counts.tie @ live / NUM_BOARDS, total)
    blocked = np.flatnonzero((total > 0) & (total < BLOCKED_SHARE * live.sum()))
    win, tie = np.zeros(NUM_HANDS), np.zeros(NUM_HANDS)
    boards = _run_outs(board, dead=board.tolist())
    _add_masses(strength_tables(7), boards, live, (hand_cards(), blocked), (win, tie))
    times = comb(48 - len(board), 5 - len(board))  # run-outs on which a given pair can meet
    return _Masses(win / times, tie / times, total)


def _run_outs(board: UInt8s, dead: list[int]) -> UInt8s:
    """All five-card boards that complete a board with cards that are not dead: [R, 5]."""
    live = [card for card in range(NUM_CARDS) if card not in dead]
    missing = 5 - len(board)
    number = comb(len(live), missing)
    boards = np.empty((number, 5), np.uint8)
    boards[:, : len(board)] = board
    dealt = np.fromiter(chain.from_iterable(combinations(live, missing)), np.uint8)
    boards[:, len(board) :] = dealt.reshape(number, missing)
    return boards


@njit(cache=True)
def _count_halves(tables: StrengthTables, hands: UInt8s, boards: UInt8s) -> int:
    """Half pots won by the first of two hands [4] over all boards [R, 5]."""
    cards_a, cards_b = np.empty(7, np.uint8), np.empty(7, np.uint8)
    cards_a[:2], cards_b[:2] = hands[:2], hands[2:]
    halves = 0
    for board in boards:
        cards_a[2:], cards_b[2:] = board, board
        a, b = cards_strength(tables, cards_a), cards_strength(tables, cards_b)
        halves += 2 * (a > b) + (a == b)
    return halves


@njit(cache=True)
def _add_masses(
    tables: StrengthTables,
    boards: UInt8s,  # [R, 5]
    weights: Floats,  # [1326]
    hands: tuple[UInt8s, NDArray[np.int64]],  # [1326, 2] cards; [B] hands to compare one by one
    masses: tuple[Floats, Floats],  # [1326] beaten, [1326] tied: added to
) -> None:
    """Add what every hand beats and ties on each board."""
    cards, blocked = hands
    win, tie = masses
    strengths = np.empty(NUM_HANDS, np.uint16)
    board_win, board_tie = np.zeros(NUM_HANDS), np.zeros(NUM_HANDS)
    for board in boards:
        fill_board_strengths(tables, board, strengths)
        _walk(strengths, weights, cards, board_win, board_tie)
        for hand in blocked:
            _compare(hand, (strengths, weights, cards), board_win, board_tie)
        for hand in range(NUM_HANDS):
            if strengths[hand]:
                win[hand] += board_win[hand]
                tie[hand] += board_tie[hand]


@njit(cache=True)
def order_by_strength(strengths: UInt16s) -> Int16s:
    """The hands of positive strength, weakest first: radix sort, 7 bits and then the upper 6."""
    low_starts, high_starts = np.zeros(129, np.int64), np.zeros(65, np.int64)
    for value in strengths:
        if value:
            low_starts[(value & 127) + 1] += 1
            high_starts[(value >> 7) + 1] += 1
    for at in range(1, 129):
        low_starts[at] += low_starts[at - 1]
    for at in range(1, 65):
        high_starts[at] += high_starts[at - 1]
    by_low = np.empty(low_starts[128], np.int16)
    for hand in range(len(strengths)):
        value = strengths[hand]
        if value:
            by_low[low_starts[value & 127]] = hand
            low_starts[value & 127] += 1
    order = np.empty(len(by_low), np.int16)
    for hand in by_low:
        high = strengths[hand] >> 7
        order[high_starts[high]] = hand
        high_starts[high] += 1
    return order


@njit(cache=True)
def _walk(strengths: UInt16s, weights: Floats, cards: UInt8s, win: Floats, tie: Floats) -> None:
    """Weight that each hand of positive strength beats and ties: one walk from weak to strong.

    Of the weight passed so far, a hand meets all but what holds one of its own two cards.
    """
    order = order_by_strength(strengths)
    passed = 0.0
    passed_with = np.zeros(NUM_CARDS)  # the part of passed that holds each card
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and strengths[order[end]] == strengths[order[start]]:
            hand = order[end]
            win[hand] = passed - passed_with[cards[hand, 0]] - passed_with[cards[hand, 1]]
            end += 1
        for at in range(start, end):
            hand = order[at]
            passed += weights[hand]
            passed_with[cards[hand, 0]] += weights[hand]
            passed_with[cards[hand, 1]] += weights[hand]
        for at in range(start, end):
            hand = order[at]
            met = passed - passed_with[cards[hand, 0]] - passed_with[cards[hand, 1]]
            tie[hand] = max(0.0, met + weights[hand] - win[hand])
            win[hand] = max(0.0, win[hand])
        start = end


@njit(cache=True)
def _compare(
    hand: int,
    spot: tuple[UInt16s, Floats, UInt8s],  # [1326] strengths, [1326] weights, [1326, 2] cards
    win: Floats,
    tie: Floats,
) -> None:
    """The same for one hand, opponent by opponent."""
    strengths, weights, cards = spot
    low, high = cards[hand]
    win[hand], tie[hand] = 0.0, 0.0
    for other in range(NUM_HANDS):
        a, b = cards[other]
        if strengths[other] == 0 or a in (low, high) or b in (low, high):
            continue
        win[hand] += weights[other] * (strengths[hand] > strengths[other])
        tie[hand] += weights[other] * (strengths[hand] == strengths[other])

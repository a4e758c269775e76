"""Exact equities with card removal: hand or range against a range, on every street.

A range is a vector of weights [1326]; pairs of hands that share a card never meet. Before the
river every run-out is dealt; before the flop the shipped table of all boards is read. An equity is
the share of the pot: wins and half the ties, over all compatible pairs by weight and run-out.
"""

from collections.abc import Sequence
from ctypes import byref, c_int64
from itertools import chain, combinations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from endspiel.arrays import Float64s, UInt8s
from endspiel.cards.deck import NUM_CARDS, NUM_HANDS, hand_cards, hand_index
from endspiel.cards.live import live_mask
from endspiel.cards.preflop import NUM_BOARDS, preflop_counts, preflop_table
from endspiel.cards.removal import BLOCKED_SHARE, exact_unblocked_weight
from endspiel.cards.strength import checked_board, checked_cards
from endspiel.cards.strength_tables import StrengthTables, strength_tables
from endspiel.cards.text import format_hand
from endspiel.errors import CardError, RangeError
from endspiel.native.boundary import pointer
from endspiel.native.library import function

__all__ = [
    "Equity",
    "equities",
    "hand_equity",
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

    win: Float64s  # [1326]
    tie: Float64s  # [1326]
    total: Float64s  # [1326] exactly 0 where no opposing hand is compatible


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


def equities(range_b: ArrayLike, board: Sequence[int] = ()) -> Float64s:
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


def _checked_range(weights: ArrayLike, name: str) -> Float64s:
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


def _masses(weights: Float64s, board: UInt8s) -> _Masses:
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


def _count_halves(tables: StrengthTables, hands: UInt8s, boards: UInt8s) -> int:
    """Half pots won by the first of two hands [4] over all boards [R, 5]."""
    halves = function("count_halves", c_int64)(
        byref(tables.packed),
        pointer(hands, np.uint8),
        pointer(boards, np.uint8),
        c_int64(len(boards)),
    )
    return int(halves)


def _add_masses(
    tables: StrengthTables,
    boards: UInt8s,  # [R, 5]
    weights: Float64s,  # [1326]
    hands: tuple[UInt8s, NDArray[np.int64]],  # [1326, 2] cards; [B] hands to compare one by one
    masses: tuple[Float64s, Float64s],  # [1326] beaten, [1326] tied: added to
) -> None:
    """Add what every hand beats and ties on each board."""
    cards, blocked = hands
    function("add_masses")(
        byref(tables.packed),
        pointer(boards, np.uint8),
        c_int64(len(boards)),
        pointer(weights, np.float64),
        pointer(cards, np.uint8),
        pointer(blocked, np.int64),
        c_int64(len(blocked)),
        *(pointer(mass, np.float64, written=True) for mass in masses),
    )

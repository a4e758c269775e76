"""A best response on real cards along all lines of one street and one board, hand by hand.

The other player's reaches go down the lines, the responder's values come up: at the responder's
decisions each hand takes the best action, at the other's the values of all actions add up.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.betting.tree import CHANCE, FOLD, SHOWDOWN
from endspiel.cards.deck import NUM_CARDS
from endspiel.jit import njit
from endspiel.kernels.arrays import Float32s, Int32s, UInt8s, UInt16s


class StreetLines(NamedTuple):
    """The nodes of one street, parents before children. N nodes."""

    kind: Int32s  # [N] of the betting tree
    parent: Int32s  # [N] node before it on the street, or -1 where the street begins
    entry: Int32s  # [N] line by which the street is entered here, or -1
    leaving: Int32s  # [N] line by which a chance node leaves the street, or -1
    mine: Int32s  # [N] whether the responder decides
    row: NDArray[np.int64]  # [N] where the action's probabilities by bucket begin; -1: always taken
    stake: Float32s  # [N] what the responder wins by a fold or by the better hand


class BoardHands(NamedTuple):
    """The hands that a board leaves, in the order of the reaches. H hands."""

    low: UInt8s  # [H] one card
    high: UInt8s  # [H] the other
    bucket: UInt16s  # [H]
    ends: Int32s  # [groups] hands no stronger than each strength, where hands are in its order


@njit(cache=True, nogil=True, error_model="numpy")
def reach_down(
    lines: StreetLines, hands: BoardHands, table: Float32s, entering: Float32s, reach: Float32s
) -> None:
    """The other player's reach [N, H] at every node, from that of the lines [L, H]."""
    count = entering.shape[1]
    for node in range(len(lines.kind)):
        parent, row = lines.parent[node], lines.row[node]
        if parent < 0:
            reach[node] = entering[lines.entry[node]]
        elif row < 0:
            reach[node] = reach[parent]
        else:
            for hand in range(count):
                reach[node, hand] = reach[parent, hand] * table[row + hands.bucket[hand]]


@njit(cache=True, nogil=True, error_model="numpy")
def values_up(
    lines: StreetLines,
    hands: BoardHands,
    reach: Float32s,  # [N, H]
    leaving: Float32s,  # [X, H] values of the lines that go on
    value: Float32s,  # [N, H] worked in
    entering: Float32s,  # [L, H] values of the lines, written
) -> None:
    """The responder's best value with each hand, at every node and at the lines that lead here."""
    count = reach.shape[1]
    for node in range(len(lines.kind)):
        value[node] = -np.inf if lines.mine[node] else 0.0
    for node in range(len(lines.kind) - 1, -1, -1):
        kind = lines.kind[node]
        if kind == FOLD:
            _folded(hands, reach[node], lines.stake[node], value[node])
        elif kind == SHOWDOWN:
            _shown(hands, reach[node], lines.stake[node], value[node])
        elif kind == CHANCE:
            value[node] = leaving[lines.leaving[node]]
        parent = lines.parent[node]
        if parent < 0:
            entering[lines.entry[node]] = value[node]
        elif lines.mine[parent]:
            for hand in range(count):
                value[parent, hand] = max(value[parent, hand], value[node, hand])
        else:
            for hand in range(count):
                value[parent, hand] += value[node, hand]


@njit(cache=True, nogil=True, error_model="numpy")
def _folded(hands: BoardHands, reach: Float32s, stake: float, out: Float32s) -> None:
    """The stake times the reach of all hands that share no card with each."""
    total, by_card = 0.0, np.zeros(NUM_CARDS)
    for hand in range(len(reach)):
        total += reach[hand]
        by_card[hands.low[hand]] += reach[hand]
        by_card[hands.high[hand]] += reach[hand]
    for hand in range(len(reach)):
        met = total - by_card[hands.low[hand]] - by_card[hands.high[hand]] + reach[hand]
        out[hand] = stake * met


@njit(cache=True, nogil=True, error_model="numpy")
def _shown(hands: BoardHands, reach: Float32s, stake: float, out: Float32s) -> None:
    """The stake times the reach of worse hands less that of better ones, by one walk up and down.

    A hand that shares a card with this one is never met, so it is taken off whichever side it is.
    """
    for upward in (True, False):
        passed, by_card = 0.0, np.zeros(NUM_CARDS)
        groups = len(hands.ends)
        for step in range(groups):
            group = step if upward else groups - 1 - step
            first = hands.ends[group - 1] if group else 0
            for hand in range(first, hands.ends[group]):
                met = passed - by_card[hands.low[hand]] - by_card[hands.high[hand]]
                if upward:
                    out[hand] = stake * met
                else:
                    out[hand] -= stake * met
            for hand in range(first, hands.ends[group]):
                passed += reach[hand]
                by_card[hands.low[hand]] += reach[hand]
                by_card[hands.high[hand]] += reach[hand]

"""Equities and counts of next-round buckets, against slow ways to the same numbers."""

import numpy as np
import pytest

from endspiel.abstraction.boards import all_boards, some_boards
from endspiel.abstraction.features import (
    DEAD,
    MAX_HALVES,
    count_flops,
    count_halves,
    count_rivers,
    count_turns,
    equity_bins,
    fill_halves,
)
from endspiel.cards.classes import hand_classes
from endspiel.cards.deck import NUM_HANDS, hand_cards, hand_index
from endspiel.cards.equity import equities
from endspiel.cards.isomorphism import hand_permutations
from endspiel.cards.strength_tables import strength_tables
from endspiel.cards.text import parse_cards

BOARDS = ("Qs Jh 2h 4c 9d", "As Ks Qs Js Ts", "2c 2d 2h 2s 3c", "7h 8h 9h Th 2c")
LIVE_ON_FLOP = 49 * 48 // 2


def halves_on(board: list[int]) -> np.ndarray:
    out = np.empty(NUM_HANDS, np.uint16)
    fill_halves(strength_tables(7), np.array(board, np.uint8), hand_cards(), out)
    return out


@pytest.mark.parametrize("text", BOARDS)
def test_halves_are_equities_against_a_uniform_hand(text: str) -> None:
    board = parse_cards(text)
    expected = equities(np.ones(NUM_HANDS), board)
    halves = halves_on(board)
    assert ((halves == DEAD) == np.isnan(expected)).all()
    live = halves != DEAD
    assert halves[live] / MAX_HALVES == pytest.approx(expected[live], abs=1e-12)


def test_river_counts_of_a_turn_board() -> None:
    turn = parse_cards("Qs Jh 2h 4c")
    bins = equity_bins(5)
    out = np.empty((1, NUM_HANDS, 5), np.uint8)
    tables = strength_tables(7)
    count_rivers(tables, np.array([turn], np.uint8), hand_cards(), bins, out)
    slow = np.zeros((NUM_HANDS, 5), int)
    totals = np.zeros((1, MAX_HALVES + 1), int)
    for river in set(range(52)) - set(turn):
        halves = halves_on([*turn, river])
        for hand in np.flatnonzero(halves != DEAD):
            slow[hand, min(4, int(halves[hand] / (MAX_HALVES + 1) * 5))] += 1
            totals[0, halves[hand]] += 3
    assert (out[0] == slow).all()
    assert set(out[0].sum(axis=1).tolist()) == {0, 46}

    counted = np.zeros((1, MAX_HALVES + 1), np.int64)
    one = (np.array([turn], np.uint8), np.array([3]))
    count_halves(tables, one, hand_cards(), np.zeros((1, NUM_HANDS), np.uint16), counted)
    assert (counted == totals).all()


def test_turn_counts_of_flops_follow_the_relabelings() -> None:
    boards = some_boards(5)
    rng = np.random.default_rng(3)
    # Buckets that do not tell hands apart that suits alone tell apart: by ranks and suitedness.
    kinds = rng.integers(0, 6, 169)[hand_classes()].astype(np.uint16)
    per_board = rng.integers(0, 2, len(boards.turns)).astype(np.uint16)
    buckets = kinds[None, :] + 6 * per_board[:, None]
    out = np.empty((5, NUM_HANDS, 12), np.uint8)
    count_turns(
        (boards.turn_row, boards.turn_relabeling),
        (hand_cards(), hand_permutations()),
        buckets.astype(np.uint16),
        out,
    )
    for flop, cards in enumerate(boards.flops.tolist()):
        hand = hand_index(*[card for card in range(51, 40, -1) if card not in cards][:2])
        slow = np.zeros(12, int)
        for turn in set(range(52)) - set(cards) - set(hand_cards()[hand].tolist()):
            slow[kinds[hand] + 6 * per_board[boards.find([*cards, turn]).turn]] += 1
        assert (out[flop, hand] == slow).all()


def test_flop_counts_weigh_every_flop() -> None:
    boards = all_boards()
    buckets = np.zeros((1755, NUM_HANDS), np.uint16)
    for row, cards in enumerate(boards.flops):
        buckets[row, (hand_cards()[:, :, None] == cards).any(axis=(1, 2))] = DEAD
    out = np.zeros((169, 1), np.int64)
    count_flops(buckets, boards.flop_weight, hand_classes(), out)
    assert out.sum() == 22100 * LIVE_ON_FLOP
    assert (out[:, 0] == np.bincount(hand_classes()) * 19600).all()

"""Live hands and card removal against plain sets of cards."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endspiel.cards.deck import NUM_HANDS, hand_cards, hand_index
from endspiel.cards.live import live_among, live_hands, live_mask, live_numbers
from endspiel.cards.removal import can_meet, conflicts, exact_unblocked_weight, unblocked_weight

SETS = [{int(a), int(b)} for a, b in hand_cards()]
boards = st.lists(st.integers(0, 51), unique=True, max_size=5)


@given(boards)
def test_live_hands_hold_no_card_of_the_board(board: list[int]) -> None:
    plain = np.array([not hand & set(board) for hand in SETS])
    assert np.array_equal(live_mask(board), plain)
    assert np.array_equal(live_hands(board), plain.astype(float))
    assert live_numbers(board).tolist() == [h for h in range(NUM_HANDS) if plain[h]]
    assert np.array_equal(live_among(hand_cards(), board), plain)


def test_live_hands_of_many_boards_and_of_other_games() -> None:
    many = np.array([(0, 1, 2), (5, 30, 51)], np.uint8)
    assert np.array_equal(live_mask(many), np.stack([live_mask(board) for board in many]))
    assert live_among([(card,) for card in range(6)], (2, 4)).tolist() == [1, 1, 0, 1, 0, 1]


def plain_unblocked(hands: list[int], weights: np.ndarray) -> list[float]:
    return [
        sum(w for other, w in zip(hands, weights, strict=True) if not SETS[hand] & SETS[other])
        for hand in hands
    ]


@given(st.integers(0, 2**32 - 1), st.integers(0, 28))
def test_unblocked_weight_is_that_of_hands_without_a_common_card(seed: int, zeros: int) -> None:
    """All hands of eight cards, some with no weight; the rest of the deck has none."""
    rng = np.random.default_rng(seed)
    hands = [hand_index(a, b) for a, b in combinations(range(8), 2)]
    weights = rng.random(len(hands)) * 10.0 ** rng.integers(-12, 1, len(hands))
    weights[rng.choice(len(hands), zeros, replace=False)] = 0.0
    plain = plain_unblocked(hands, weights)
    found = unblocked_weight(weights, np.array(hands))
    assert (found >= 0).all()
    assert found == pytest.approx(plain, abs=1e-14)
    whole = np.zeros(NUM_HANDS)
    whole[hands] = weights
    assert unblocked_weight(whole)[hands] == pytest.approx(plain, abs=1e-14)
    exact = exact_unblocked_weight(whole)[hands]
    assert exact == pytest.approx(plain, rel=1e-8, abs=0)
    assert can_meet(whole, whole) == any(w * x > 0 for w, x in zip(weights, plain, strict=True))


def test_conflicts_are_pairs_with_a_common_card() -> None:
    for one in range(0, NUM_HANDS, 37):
        shared = [bool(SETS[one] & other) for other in SETS]
        assert conflicts()[one].tolist() == conflicts()[:, one].tolist() == shared


def test_ranges_that_share_every_card_cannot_meet() -> None:
    only = np.zeros(NUM_HANDS)
    assert not can_meet(only, np.ones(NUM_HANDS))
    only[hand_index(0, 1)] = 1.0
    assert not can_meet(only, only)
    assert can_meet(only, np.ones(NUM_HANDS))

"""Hand strength: complete enumerations, pokerkit's order, the board call, refusals."""

from ctypes import byref, c_int64
from itertools import chain, combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pokerkit import StandardHighHand

from endspiel.cards.deck import hand_cards
from endspiel.cards.strength import (
    CATEGORIES,
    board_strengths,
    categories,
    category,
    strength,
    strengths,
)
from endspiel.cards.strength_tables import NUM_CLASSES, strength_tables
from endspiel.cards.text import format_cards, parse_cards
from endspiel.errors import CardError
from endspiel.native.boundary import packed, pointer
from endspiel.native.library import function

# high card, pair, two pair, trips, straight, flush, full house, quads, straight flush; the counts
# of the mathematics of poker, total C(52, n)
COUNTS = {
    5: (1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 40),
    6: (6612900, 9730740, 2532816, 732160, 361620, 205792, 165984, 14664, 1844),
    7: (23294460, 58627800, 31433400, 6461620, 6180020, 4047644, 3473184, 224848, 41584),
}
DISTINCT = {5: 7462, 6: 6075, 7: 4824}


def _histogram(tables, num_cards):
    """How many of all hands of a size have each strength: [7463]."""
    counts = np.zeros(NUM_CLASSES + 1, np.int64)
    function("count_strengths")(
        byref(packed(tables)), c_int64(num_cards), pointer(counts, np.int64, written=True)
    )
    return counts


def _deals(num_hands, num_cards, seed):
    """Random hands without repeated cards: [N, n]."""
    order = np.random.default_rng(seed).random((num_hands, 52)).argsort(axis=1)
    return order[:, :num_cards].astype(np.uint8)


def _assert_same_order(hands, found):
    """Sorted by our strength, pokerkit's hands ascend, and they tie exactly where ours do."""
    theirs = [StandardHighHand.from_game(format_cards(hand)) for hand in hands]
    for i, j in pairwise(np.argsort(found, kind="stable")):
        assert (found[i] == found[j]) == (theirs[i] == theirs[j])
        assert theirs[i] <= theirs[j]


@pytest.mark.parametrize("num_cards", [5, 6, 7])
def test_all_hands_of_a_size_fall_into_the_known_categories(num_cards):
    counts = _histogram(strength_tables(num_cards), num_cards)

    kinds = categories(np.arange(1, NUM_CLASSES + 1))
    found = np.bincount(kinds, weights=counts[1:], minlength=9).astype(int)
    assert tuple(found) == COUNTS[num_cards]
    assert counts[0] == 0
    assert np.count_nonzero(counts) == DISTINCT[num_cards]


def test_one_hand_of_every_class_is_in_pokerkits_order():
    every = chain.from_iterable(combinations(range(52), 5))
    hands = np.fromiter(every, np.uint8).reshape(-1, 5)
    found, first = np.unique(strengths(hands), return_index=True)
    assert np.array_equal(found, np.arange(1, NUM_CLASSES + 1))
    _assert_same_order(hands[first], found)


@pytest.mark.parametrize("num_cards", [6, 7])
def test_random_hands_are_in_pokerkits_order(num_cards):
    hands = _deals(15_000, num_cards, seed=num_cards)
    _assert_same_order(hands, strengths(hands))


@pytest.mark.parametrize("num_cards", [6, 7])
def test_more_cards_are_as_strong_as_their_best_five(num_cards):
    hands = _deals(20_000, num_cards, seed=8)
    best = np.zeros(len(hands), np.uint16)
    for kept in combinations(range(num_cards), 5):
        best = np.maximum(best, strengths(hands[:, list(kept)]))
    assert np.array_equal(strengths(hands), best)


@settings(deadline=None)  # the first call fills the tables
@given(st.lists(st.integers(0, 51), min_size=3, max_size=5, unique=True))
def test_board_call_equals_hand_by_hand(board):
    found = board_strengths(board)
    hands = hand_cards()
    live = ~np.isin(hands, board).any(axis=1)
    full = np.concatenate([np.tile(board, (live.sum(), 1)), hands[live]], axis=1)

    assert np.array_equal(found[live], strengths(full))
    assert not found[~live].any()


@settings(deadline=None)  # the first call fills the tables
@given(st.permutations(range(52)), st.integers(5, 7), st.permutations(range(4)))
def test_order_of_cards_and_names_of_suits_do_not_matter(deck, num_cards, suits):
    cards = deck[:num_cards]
    renamed = [4 * (card // 4) + suits[card % 4] for card in cards]
    assert strength(cards) == strength(renamed[::-1]) == strength(sorted(cards))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("AsKd9h5c3s", "high card"),
        ("AsAd9h5c3s2h", "pair"),
        ("AsAd9h9c3s3hKd", "two pair"),
        ("AsAdAh9c3s2h5d", "three of a kind"),
        ("As2d3h4c5s9h9d", "straight"),
        ("As3s5s7s9sAdAh", "flush"),
        ("AsAdAhKcKdKh2s", "full house"),
        ("AsAdAhAcKdKhKs", "four of a kind"),
        ("As2s3s4s5sAdAh", "straight flush"),
    ],
)
def test_category_names(text, name):
    assert category(strength(parse_cards(text))) == name
    assert name in CATEGORIES


@pytest.mark.parametrize(
    ("cards", "reason"),
    [
        ([0, 1, 2, 3], "5, 6 or 7 cards, this one has 4"),
        ([0, 1, 2, 3, 52], "card 52 at position 5 of the hand"),
        ([-1, 1, 2, 3, 4], "card -1 at position 1 of the hand"),
        ([0, 1, 2, 3, 0], "card 2c at position 5 of the hand is repeated"),
        ([0, 1, 2, 3, 4.5], "card 4.5 at position 5 of the hand is not a number"),
    ],
)
def test_bad_hands_are_refused(cards, reason):
    with pytest.raises(CardError, match=reason):
        strength(cards)


@pytest.mark.parametrize(
    ("batch", "reason"),
    [
        ([[0, 1, 2, 3]], r"not \(1, 4\)"),
        ([0, 1, 2, 3, 4], r"not \(5,\)"),
        ([[0, 1, 2, 3, 4], [0, 1, 2, 3, 60]], "card 60 at position 5 of hand 2"),
        ([[0, 1, 2, 3, 4], [0, 1, 2, 3, 300]], "card 300 at position 5 of hand 2"),
        ([[0, 1, 2, 3, 4], [0, 1, 2, 1, 5]], "card 2d at position 4 of hand 2 is repeated"),
        ([[0, 1, 2, 3, 4], [0, 1, 2, 1]], "same number of cards"),
        ([[0.0, 1.0, 2.0, 3.0, 4.0]], "must be integers"),
    ],
)
def test_bad_batches_are_refused(batch, reason):
    with pytest.raises(CardError, match=reason):
        strengths(batch)


@pytest.mark.parametrize("board", [[], [0, 1], [0, 1, 2, 3, 4, 5], [0, 1, 1], [0, 1, 99]])
def test_bad_boards_are_refused(board):
    with pytest.raises(CardError, match="board"):
        board_strengths(board)


@pytest.mark.parametrize("number", [0, 7463, -1])
def test_category_of_no_strength_is_refused(number):
    with pytest.raises(CardError, match=r"1\.\.7462"):
        category(number)


def test_an_empty_batch_has_no_strengths():
    assert strengths(np.empty((0, 7), np.uint8)).shape == (0,)


@pytest.mark.parametrize("kind", [list, tuple, bytes, *map(np.dtype, ("u1", "i2", "i8"))])
def test_one_hand_may_come_in_any_sequence(kind):
    cards = parse_cards("AsAh2c3d4h9sTc")
    hand = kind(cards) if isinstance(kind, type) else np.array(cards, kind)
    assert strength(hand) == strengths([cards])[0]


def test_bytes_of_wider_numbers_are_no_cards():
    with pytest.raises(CardError, match="card 256 at position 1 of the hand"):
        strength(np.array([0x0100, 0x0302, 0x0504], np.int16))  # in memory 0, 1, 2, 3, 4, 5
    with pytest.raises(CardError, match="has 3"):
        strength(np.array([0, 1, 2], np.int16))

"""Showdown rankings, against known counts and pokerkit."""

from collections import Counter
from itertools import combinations, pairwise

import pytest
from pokerkit import KuhnPokerHand, RhodeIslandHoldemHand

from endspiel.cards.text import format_cards, parse_cards
from endspiel.rules.builtin import load_rules
from endspiel.rules.ranking import standard, three_card


def test_three_card_hands_are_as_frequent_as_known() -> None:
    categories = Counter()
    for cards in combinations(range(52), 3):
        number = three_card(cards)
        # Below the made straights and flushes, the multiples tell pairs from high cards.
        categories[number >> 28 or (-1 if number >> 25 & 7 == 2 else -2)] += 1
    # straight flush, three of a kind, straight, flush, pair, high card: 22,100 in all
    assert [categories[c] for c in (5, 4, 3, 2, -1, -2)] == [48, 52, 720, 1096, 3744, 16440]


def test_three_card_order_is_pokerkits() -> None:
    hands = [hand for hand in combinations(range(52), 3) if hash(hand) % 37 == 0]
    ours = [three_card(hand) for hand in hands]
    theirs = [RhodeIslandHoldemHand(format_cards(hand)) for hand in hands]
    order = sorted(range(len(hands)), key=ours.__getitem__)
    for low, high in pairwise(order):
        assert (ours[low] < ours[high]) == (theirs[low] < theirs[high])
        assert (ours[low] == ours[high]) == (theirs[low] == theirs[high])


def test_kuhn_ranks_by_the_card() -> None:
    deck = load_rules("kuhn").deck
    assert sorted(deck, key=lambda card: standard([card])) == sorted(deck)
    assert KuhnPokerHand("Ks") > KuhnPokerHand("Qs")


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("QhQs", "AsKh"),  # Leduc: a pair beats the higher card
        ("AhKs", "AsQh"),
        ("3c3d3h", "AcAdKh"),
        ("2c2d3c3d", "AcAdKhQh"),
        ("2c2d2h3d", "AcAdKhKc"),
        ("2c2d2h2s", "AcAdAhKc"),
        ("AcKc", "AsQs"),
        ("AsKsQsJsTs2c3d4h", "AcAdAhAs2c3d4h5h"),  # more than seven cards: the best five
    ],
)
def test_standard_order_with_any_number_of_cards(better: str, worse: str) -> None:
    assert standard(parse_cards(better)) > standard(parse_cards(worse))


def test_suits_do_not_matter_in_short_hands() -> None:
    assert standard(parse_cards("AcKdQh")) == standard(parse_cards("AsKsQs"))

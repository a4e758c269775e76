"""Cards, hands and boards as text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endspiel.cards.text import (
    format_card,
    format_cards,
    format_hand,
    parse_board,
    parse_card,
    parse_cards,
    parse_hand,
)
from endspiel.errors import CardError


@given(st.lists(st.integers(0, 51), unique=True, max_size=10), st.sampled_from(["", " ", ", "]))
def test_cards_read_back(cards: list[int], separator: str) -> None:
    assert parse_cards(format_cards(cards, separator)) == cards


def test_every_card_has_its_own_text() -> None:
    texts = [format_card(card) for card in range(52)]
    assert len(set(texts)) == 52
    assert (texts[0], texts[51]) == ("2c", "As")
    assert [parse_card(text.swapcase()) for text in texts] == list(range(52))
    assert parse_card("10h") == parse_card("Th")


def test_hands_are_sorted() -> None:
    assert parse_hand("2c As") == parse_hand("As2c") == (0, 51)
    assert format_hand((0, 51)) == "As2c"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Xs", "no card 'Xs' at position 1"),
        ("As Kx", "no card 'Kx' at position 4"),
        ("A", "no card 'A' at position 1"),
        ("10", "no card '10' at position 1"),
        ("As Ks As", "card As at position 7 of 'As Ks As' is repeated"),
        ("Aé", "no card 'Aé'"),
    ],
)
def test_bad_cards_are_named_with_their_place(text: str, words: str) -> None:
    with pytest.raises(CardError, match=words):
        parse_cards(text)


@pytest.mark.parametrize(("text", "count"), [("As", 1), ("AsKs", 2), ("AsKsQsJsTs9s", 6)])
def test_impossible_boards_are_refused(text: str, count: int) -> None:
    with pytest.raises(CardError, match=f"has {count}"):
        parse_board(text)


def test_wrong_number_of_cards() -> None:
    with pytest.raises(CardError, match="two cards"):
        parse_hand("AsKsQs")
    with pytest.raises(CardError, match="expected one card"):
        parse_card("AsKs")
    assert parse_board("") == []


@given(st.text(max_size=12))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        cards = parse_cards(text)
    except CardError:
        return
    assert len(set(cards)) == len(cards)

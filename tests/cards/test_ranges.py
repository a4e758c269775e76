"""Ranges as text: what each item names, the shortest way back, and errors that say where."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endspiel.cards.classes import class_hands, class_names, format_grid, grid, hand_classes
from endspiel.cards.deck import NUM_HANDS, hand_cards, hand_index
from endspiel.cards.range_format import format_gto_plus, format_pio, format_range
from endspiel.cards.ranges import check_range, parse_range
from endspiel.cards.text import parse_hand
from endspiel.errors import RangeError


@pytest.mark.parametrize(
    ("text", "combos"),
    [
        ("AA", 6),
        ("AKs", 4),
        ("AKo", 12),
        ("AK", 16),
        ("KA", 16),
        ("TT+", 30),
        ("A9s-A6s", 16),
        ("A6s-A9s", 16),
        ("QQ-88", 30),
        ("T9s-65s", 20),
        ("ATs+", 16),
        ("KQo+", 12),
        ("22+", 78),
        ("AsAh", 1),
        ("random", 1326),
        (" TT + , A9s - A6s ,\n AKs ", 50),
        ("AA KK", 12),
        ("aks,qQ", 10),
        ("random,AA:0", 1320),
    ],
)
def test_items_name_the_right_number_of_hands(text: str, combos: int) -> None:
    assert parse_range(text).sum() == combos


def test_weights_and_overruling() -> None:
    weights = parse_range("AA, AKs : 0.5, AhAd:.25")
    assert weights[hand_index(*parse_hand("AhAd"))] == 0.25
    assert weights[hand_index(*parse_hand("AsAc"))] == 1.0
    assert weights[hand_index(*parse_hand("AsKs"))] == 0.5
    assert weights.sum() == 5 + 0.25 + 4 * 0.5


@pytest.mark.parametrize(
    "text", ["AA,[50]AKs,KQs[/50]", "AA [ 50.0 ] AKs KQs [/50.0]", "[50]AKs,AA:1,KQs[/50]",
             "AA,AKs:50%,KQs: 50.0%", "[50]AKs[/50][50]KQs[/50],AA"],
)  # fmt: skip
def test_weights_in_percent_and_in_brackets(text: str) -> None:
    assert np.array_equal(parse_range(text), parse_range("AA,AKs:0.5,KQs:0.5"))


@settings(deadline=None, max_examples=30)
@given(
    st.dictionaries(st.sampled_from(class_names()), st.integers(0, 100), min_size=1),
    st.dictionaries(st.integers(0, NUM_HANDS - 1), st.integers(0, 100), max_size=5),
)
def test_other_programs_forms_read_back(classes: dict[str, int], odd: dict[int, int]) -> None:
    weights = np.zeros(NUM_HANDS)
    for name, percent in classes.items():
        weights[parse_range(name) > 0] = percent / 100
    for hand, percent in odd.items():
        weights[hand] = percent / 100
    for text in (format_pio(weights), format_gto_plus(weights)):
        if not weights.any():
            assert text == ""
            continue
        assert np.allclose(parse_range(text), weights, rtol=0, atol=1e-12)
        assert "+" not in text
        assert "-" not in text


def test_forms_of_other_programs() -> None:
    weights = parse_range("QQ+,AKs:0.5,AhKd:0.25")
    assert format_pio(weights) == "AA,AKs:0.5,AhKd:0.25,KK,QQ"
    assert format_gto_plus(weights) == "AA,KK,QQ,[50.0]AKs[/50.0],[25.0]AhKd[/25.0]"


@pytest.mark.parametrize(
    ("text", "token", "position"),
    [
        ("AA,[50]KK", "'['", 4),
        ("AA[/50]", "'[/50]'", 3),
        ("[50]AA[20]KK[/20]", "'[20]'", 7),
        ("[101]AA[/101]", "'[101]'", 1),
        ("[]AA[/]", "'[]'", 1),
        ("AA]", "']'", 3),
        ("AA:150%", "'150%'", 4),
        ("AA,XX", "'XX'", 4),
        ("AA:", "''", 4),
        ("AA:2", "'2'", 4),
        ("AA:-1", "'-1'", 4),
        ("AA:nan", "'nan'", 4),
        ("A9s-K7s", "'A9s-K7s'", 1),
        ("AAs", "'AAs'", 1),
        ("KQ, AsAs", "'AsAs'", 5),
        ("AKs-", "''", 5),
        ("TT+-88", "'-'", 4),
        (":0.5", "':'", 1),
        ("AKs-AQo", "'AKs-AQo'", 1),
        ("QQ-A2", "'QQ-A2'", 1),
        ("A1s", "'A1s'", 1),
    ],
)
def test_errors_name_the_token_and_its_position(text: str, token: str, position: int) -> None:
    with pytest.raises(
        RangeError, match=rf"^{re.escape(token)} at position {position} of the range"
    ):
        parse_range(text)


@pytest.mark.parametrize("text", ["", " ", ",,"])
def test_empty_text_is_refused(text: str) -> None:
    with pytest.raises(RangeError, match="names no hand"):
        parse_range(text)


@given(st.text(alphabet="AKQT92sohdc:+-., 015%[]/random", max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        weights = parse_range(text)
    except RangeError:
        return
    assert ((weights >= 0) & (weights <= 1)).all()


@pytest.mark.parametrize(
    "text",
    [
        "random",
        "22+",
        "QQ-88",
        "AT+",
        "T9s-65s",
        "A2s+,KTo+",
        "AT+,A9s-A2s",
        "22+,AK,KQs,JTs-54s",
        "AsAh",
        "AA,KK:0.5",
        "A9s-A6s:0.25",
    ],
)
def test_short_texts_come_back(text: str) -> None:
    again = format_range(parse_range(text))
    assert len(again) <= len(text)
    np.testing.assert_array_equal(parse_range(again), parse_range(text))


weight_strategy = st.sampled_from([0.0, 0.25, 1 / 3, 1.0])


@settings(max_examples=30, deadline=None)
@given(
    st.lists(weight_strategy, min_size=169, max_size=169),
    st.dictionaries(st.integers(0, NUM_HANDS - 1), weight_strategy, max_size=5),
)
def test_text_reads_back_to_the_same_weights(by_class: list[float], odd: dict[int, float]) -> None:
    weights = np.array(by_class)[hand_classes()]
    weights[list(odd)] = list(odd.values())
    if weights.any():
        np.testing.assert_array_equal(parse_range(format_range(weights)), weights)
    else:
        assert format_range(weights) == ""


@settings(max_examples=30, deadline=None)
@given(st.sets(st.sampled_from(class_names()), min_size=1, max_size=40))
def test_text_is_no_longer_than_the_classes_in_a_row(names: set[str]) -> None:
    naive = ",".join(sorted(names))
    assert len(format_range(parse_range(naive))) <= len(naive)


def test_a_vector_that_is_no_range_is_refused() -> None:
    with pytest.raises(RangeError, match="1326 weights"):
        check_range(np.zeros(5))
    bad = np.zeros(NUM_HANDS)
    bad[0] = 1.5
    with pytest.raises(RangeError, match=r"weight of 2d2c is 1\.5"):
        check_range(bad)


def test_classes_partition_the_hands() -> None:
    assert sorted(h for hands in class_hands() for h in hands) == list(range(NUM_HANDS))
    sizes = {name: len(hands) for name, hands in zip(class_names(), class_hands(), strict=True)}
    assert (sizes["AA"], sizes["AKs"], sizes["AKo"]) == (6, 4, 12)
    for name, hands in zip(class_names(), class_hands(), strict=True):
        assert parse_range(name)[list(hands)].all()


def test_grid_averages_by_weight_and_prints() -> None:
    values = np.arange(NUM_HANDS, dtype=float)
    weights = parse_range("AsAh,AdAc:0.5")
    mean = grid(values, weights)
    a, b = hand_index(*parse_hand("AsAh")), hand_index(*parse_hand("AdAc"))
    assert mean[0, 0] == pytest.approx((a + 0.5 * b) / 1.5)
    assert np.isnan(mean).sum() == 168
    lines = format_grid(grid(parse_range("AKs:0.5"), parse_range("AKs,QQ"))).splitlines()
    assert lines[0].split() == list("AKQJT98765432")
    assert lines[1].split() == ["A", ".", "50", *11 * "."]
    assert lines[3].split() == ["Q", ".", ".", "0", *10 * "."]


def test_hand_numbers_are_colexicographic() -> None:
    for i, (lo, hi) in enumerate(hand_cards().tolist()):
        assert lo < hi
        assert hand_index(lo, hi) == hand_index(hi, lo) == i

"""Filters against plain reading of hands' names."""

import numpy as np
import pytest

from endspiel.cards.deck import NUM_HANDS, hand_cards
from endspiel.cards.hand_filter import HandFilter
from endspiel.cards.live import live_mask
from endspiel.cards.made_hands import DRAWS, MADE, NO_DRAW, draws, made_hands
from endspiel.cards.text import format_hand, parse_cards
from endspiel.errors import CardError

BOARD = parse_cards("Qs Jh 2h 4c")
NAMES = [format_hand(cards) for cards in hand_cards().tolist()]


def passing(**parts):
    found = HandFilter(**parts).passing(BOARD)
    return {name for name, passes in zip(NAMES, found, strict=True) if passes}


def test_an_empty_filter_lets_every_hand_pass():
    assert not HandFilter()
    assert HandFilter().passing(BOARD).all()
    assert HandFilter(suits="xx").passing(BOARD).all()


@pytest.mark.parametrize(
    ("suits", "fits"),
    [
        ("suited", lambda suits: suits[0] == suits[1]),
        ("offsuit", lambda suits: suits[0] != suits[1]),
        ("hh", lambda suits: suits == ["h", "h"]),
        ("hs", lambda suits: sorted(suits) == ["h", "s"]),
        ("hx", lambda suits: "h" in suits),
    ],
)
def test_suits(suits, fits):
    assert passing(suits=suits) == {name for name in NAMES if fits(sorted(name[1::2]))}
    assert passing(suits=suits[::-1] if len(suits) == 2 else suits) == passing(suits=suits)


def test_holds_any_of_the_cards_and_ranks():
    assert passing(holds="As K") == {name for name in NAMES if "As" in name or "K" in name}


def test_kinds_of_one_group_add_up_and_groups_go_together():
    made, drawn = made_hands(BOARD), draws(BOARD)
    live = live_mask(BOARD)
    parts = [HandFilter(made=(name,)).passing(BOARD) for name in MADE]
    assert np.array_equal(np.sum(parts, axis=0) == 1, live)
    both = HandFilter(made=("set", "top pair"), drawn=("flush draw",)).passing(BOARD)
    wanted = np.isin(made, [MADE.index("set"), MADE.index("top pair")]) & drawn[0]
    assert np.array_equal(both, wanted)
    assert both.any()
    none = HandFilter(drawn=(NO_DRAW,)).passing(BOARD)
    some = HandFilter(drawn=DRAWS).passing(BOARD)
    assert np.array_equal(none, ~some)
    assert 0 < some.sum() < NUM_HANDS


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ({"made": ("nuts",)}, "made 'nuts' is none of straight flush, "),
        ({"drawn": ("flush",)}, "draws 'flush' is none of flush draw, "),
        ({"suits": "hz"}, "suits 'hz'"),
        ({"holds": "As Kx"}, "holds 'Kx'"),
    ],
)
def test_what_is_no_filter_is_refused(parts, reason):
    with pytest.raises(CardError, match=reason):
        HandFilter(**parts)

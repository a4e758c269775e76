"""PHH hands of many players: chips by PokerKit's replay, positions, and what is broken."""

from pathlib import Path

import pokerkit
import pytest

import endspiel as es
from endspiel.betting.menu import StreetMenu
from endspiel.review.judge import Reviewer, ReviewSettings
from endspiel.review.played import FOLDED, BrokenHand, PlayedHand
from endspiel.review.sources import read_hands

SIX = """
variant = "NT"
antes = [0.05, 0.05, 0.05, 0.05, 0.05, 0.05]
blinds_or_straddles = [0.25, 0.5, 1.0, 0, 0, 0]
min_bet = 0.5
starting_stacks = [60.0, 50.0, 38.25, 120.0, 75.5, 22.0]
actions = [
  "d dh p1 ????", "d dh p2 7h6h", "d dh p3 ????", "d dh p4 ????", "d dh p5 AsQs", "d dh p6 ????",
  "p4 f", "p5 cbr 3.5", "p6 f", "p1 f", "p2 cc # a defence", "p3 f",
  "d db 8h5cQd", "p2 cc", "p5 cbr 4.25", "p2 cc",
  "d db 2s", "p2 cc", "p5 cc",
  "d db 4d", "p2 cbr 12.5", "p5 cc", "p2 sm 7h6h", "p5 sm",
]
players = ["Ann", "Ben", "Cem", "Dee", "Eve", "Fay"]
hand = 77
"""
HEADS_UP = """
variant = "NT"
antes = [0, 0]
blinds_or_straddles = [50, 100]
min_bet = 100
starting_stacks = [3000, 2500]
actions = [
  "d dh p1 KsKd", "d dh p2 9c9h", "p2 cbr 250", "p1 cc", "d db Kc7d2s", "p1 cc", "p2 cbr 300",
  "p1 cbr 900", "p2 f",
]
"""


def read(tmp_path: Path, text: str) -> PlayedHand | BrokenHand:
    path = tmp_path / "hand.phh"
    path.write_text(text)
    (hand,) = read_hands(path)
    return hand


def replayed(text: str) -> list[tuple[float, list[float]]]:
    """Pot and stacks when each street begins, as PokerKit replays the hand."""
    found, streets = [], 0
    for state in pokerkit.HandHistory.loads(text):
        cards = sum(len(cards) for cards in state.board_cards)
        if cards > streets:
            streets = cards
            found.append((float(state.total_pot_amount), [float(s) for s in state.stacks]))
    return found


def test_chips_are_those_of_a_replay(tmp_path: Path) -> None:
    hand = read(tmp_path, SIX)
    assert isinstance(hand, PlayedHand), hand
    assert (hand.name, hand.players) == ("77", ("Ben", "Eve"))
    assert [es.format_cards(hole) for hole in hand.holes] == ["7h6h", "AsQs"]
    assert es.format_cards(hand.board) == "8h5cQd2s4d"
    assert (hand.big_blind, hand.raises) == (50, 1)
    for (pot, stacks), start in zip(replayed(SIX), hand.starts.values(), strict=True):
        assert start.pot / 100 == pytest.approx(pot)
        behind = [(hand.stacks[p] - start.spent[p]) / 100 for p in (0, 1)]
        assert behind == pytest.approx([stacks[1], stacks[4]])
    river = [action for action in hand.actions if action.street == 3]
    assert [(action.player, action.chips) for action in river] == [(0, 2030), (1, 2030)]


def test_heads_up_the_button_posts_the_small_blind(tmp_path: Path) -> None:
    hand = read(tmp_path, HEADS_UP)
    assert isinstance(hand, PlayedHand), hand
    assert hand.starts[1].pot == 50000
    assert (hand.players, hand.actions[-1].chips) == (("p1", "p2"), FOLDED)
    assert hand.behind(1) == 225000
    assert [action.player for action in hand.actions] == [0, 1, 0, 1]


def test_a_short_big_blind_is_called_for_what_it_has(tmp_path: Path) -> None:
    short = HEADS_UP.replace("[3000, 2500]", "[60, 2500]").replace(
        '"p2 cbr 250", "p1 cc"', '"p2 cc"'
    )
    text = short[: short.index(' "p1 cc", "p2 cbr')] + "]\n"
    hand = read(tmp_path, text)
    assert isinstance(hand, PlayedHand), hand
    assert hand.starts[1].pot == 12000


def test_such_a_hand_is_judged(tmp_path: Path) -> None:
    hand = read(tmp_path, SIX)
    ranges = es.parse_range("76s,55,KQs"), es.parse_range("AQs,KK,T9s")
    settings = ReviewSettings(
        ranges, StreetMenu.parse("50%", ""), first_street=3, target=0.02, threads=1
    )
    found = Reviewer(settings).review([hand])
    assert [(one.player, one.street) for one in found.judgments] == [("Ben", 3), ("Eve", 3)]
    assert found.judgments[0].lost < 0.05  # the nuts are bet


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"NT"', '"PO"', "its variant is 'PO'"),
        ('"p6 f", ', "", "3 players see the flop"),
        ('"d db 8h5cQd", ', "", "cards, not 3"),
        ('"p5 cbr 3.5"', '"p5 cbr 99"', "Eve puts in more than the stack"),
        ('"p5 cbr 3.5"', '"p5 cbr"', "lacks its chips"),
        ('"p5 cbr 3.5"', '"p5 flies"', "unknown action"),
        ('"p5 cbr 3.5"', '"p9 cbr 3.5"', "there is no player 9"),
        ('"d db 4d"', '"d db 7h"', "a card is dealt twice"),
        ("22.0]", "22.0, 5.0]", "do not fit"),
        ("38.25", '"many"', "no amount 'many'"),
        ("38.25", "0.001", "finer than hundredths"),
        ("38.25", "0x" + "f" * 5000, "thousands of digits"),
        ("38.25", "1e300", "no amount '1e+300'"),
        ("38.25", "true", "no amount 'True'"),
        ('"p5 cbr 3.5"', '"p' + "9" * 5000 + ' cbr 3.5"', "unknown action"),
        ('"d db 4d"', '"d db 4d", "d db 3d"', "cards are dealt after the river"),
        ('"p2 cbr 12.5"', '"p6 cc", "p2 cbr 12.5"', "Fay acts after folding"),
        ("starting_stacks", "stacks", "starting_stacks is missing"),
    ],
)
def test_what_is_broken_is_named(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in SIX
    broken = read(tmp_path, SIX.replace(old, new, 1))
    assert isinstance(broken, BrokenHand)
    assert said in broken.reason

"""Thoughts told to a person: every line, for a decision whose numbers are known."""

from dataclasses import replace

import numpy as np
import pytest

from endspiel.agent.thoughts import SHOWN, Thought, tell
from endspiel.cards.deck import NUM_HANDS, hand_index
from endspiel.cards.ranges import parse_range
from endspiel.cards.text import parse_cards
from endspiel.rules.state import CALL, FOLD


def hand(text: str) -> int:
    return hand_index(*parse_cards(text))


def thought() -> Thought:
    """Against a bet with aces or sevens: aces raise three times in four, sevens fold."""
    strategy = np.zeros((3, NUM_HANDS))
    strategy[:, parse_range("AA") > 0] = [[0.0], [0.25], [0.75]]
    strategy[:, parse_range("77") > 0] = [[0.996], [0.004], [0.0]]
    return Thought(
        line="cc/r200",
        board=tuple(parse_cards("Ks Th 7s")),
        hand=hand("AhAd"),
        source="endgame unsafe",
        why="solved in 3 steps",
        actions=(FOLD, CALL, 900),
        strategy=strategy,
        own=parse_range("AA,77:0.5"),
        other=parse_range("KK,QQ:0.5"),
        chosen=2,
        seconds=0.5,
    )


def test_every_line() -> None:
    # Six aces at 1 and six sevens at a half: two thirds and one third of the range.
    assert list(tell(thought())) == [
        "Ks Th 7s, after 'cc/r200': endgame unsafe, solved in 3 steps",
        "  with AhAd: c 25%, r900 75%; took r900",
        "  with its whole range: f 33%, c 17%, r900 50%",
        "  its range: AA 66.7%, 77 33.3%",
        "  yours, as it believes: KK 66.7%, QQ 33.3%",
    ]


def test_what_is_rarer_than_half_a_percent_is_left_out() -> None:
    folding = replace(thought(), hand=hand("7h7d"), chosen=0)
    assert list(tell(folding))[1] == "  with 7h7d: f 100%; took f"
    even = np.full((3, NUM_HANDS), 0.005)
    assert list(tell(replace(thought(), strategy=even)))[1] == (
        "  with AhAd: f 0%, c 0%, r900 0%; took r900"
    )


def test_the_blinds_and_empty_ranges_have_words() -> None:
    first = replace(thought(), line="", board=(), own=np.zeros(NUM_HANDS))
    assert list(tell(first)) == [
        "preflop, after 'the blinds': endgame unsafe, solved in 3 steps",
        "  with AhAd: c 25%, r900 75%; took r900",
        "  its range: nothing",
        "  yours, as it believes: KK 66.7%, QQ 33.3%",
    ]


@pytest.mark.parametrize(
    ("pairs", "more"), [("99+", ""), ("77+", ""), ("66+", " and 1 more kinds of hands")]
)
def test_a_wide_range_is_told_by_its_first_classes(pairs: str, more: str) -> None:
    weights = parse_range(pairs)
    told = list(tell(replace(thought(), other=weights)))[-1]
    kinds = int(weights.sum()) // 6
    share = f"{100 / kinds:.1f}%"
    assert told.count(share) == min(kinds, SHOWN)
    assert told.startswith(f"  yours, as it believes: AA {share}, KK {share}, ")
    assert told.endswith(f" {share}{more}")

"""Bet sizes by convention: known lines, and round trips on random play."""

import pytest
from hypothesis import given

from endspiel.errors import StateError
from endspiel.rules.acpc import format_action, parse_action, parse_betting
from endspiel.rules.amounts import (
    format_phh,
    format_pokerstars,
    format_slumbot,
    from_street_amount,
    parse_phh,
    parse_pokerstars,
    parse_slumbot,
    street_amount,
)
from endspiel.rules.builtin import load_rules
from endspiel.rules.deal import Deal
from endspiel.rules.state import CALL, FOLD, State
from tests.rules.hands import plays

GAME = load_rules("nolimit-holdem")
CONVERTERS = [
    (format_action, parse_action),
    (format_slumbot, parse_slumbot),
    (format_phh, parse_phh),
    (format_pokerstars, parse_pokerstars),
]


@given(plays())
def test_every_action_survives_every_convention(play: tuple[State, Deal]) -> None:
    state, _ = play
    for action in state.legal_actions():
        for format_it, parse in CONVERTERS:
            assert parse(state, format_it(state, action)) == action
        if action > 0:
            assert from_street_amount(state, street_amount(state, action)) == action


@pytest.mark.parametrize(
    ("line", "action", "acpc", "slumbot", "phh", "stars"),
    [
        ("", 300, "r300", "b300", "p2 cbr 300", "raises 200 to 300"),
        ("", CALL, "c", "c", "p2 cc", "calls 50"),
        ("", FOLD, "f", "f", "p2 f", "folds"),
        ("c", CALL, "c", "k", "p1 cc", "checks"),
        ("r300c/", 600, "r600", "b300", "p1 cbr 300", "bets 300"),
        ("r300c/r600", 1500, "r1500", "b1200", "p2 cbr 1200", "raises 900 to 1200"),
        ("r300c/cc/", 20000, "r20000", "b19700", "p1 cbr 19700", "bets 19700 and is all-in"),
        ("r20000", CALL, "c", "c", "p1 cc", "calls 19900 and is all-in"),
    ],
)
def test_known_actions(
    line: str, action: int, acpc: str, slumbot: str, phh: str, stars: str
) -> None:
    state = parse_betting(GAME, line)
    for (format_it, parse), text in zip(CONVERTERS, (acpc, slumbot, phh, stars), strict=True):
        assert format_it(state, action) == text
        assert parse(state, text) == action


@pytest.mark.parametrize(
    ("parse", "line", "text", "why"),
    [
        (parse_slumbot, "", "k", "50 chips are to be called"),
        (parse_slumbot, "c", "c", "checking is free"),
        (parse_slumbot, "", "b", "no Slumbot action"),
        (parse_slumbot, "", "b" + "9" * 99, "no Slumbot action"),
        (parse_phh, "", "p1 cc", "p2 is to act"),
        (parse_phh, "", "p2 cbr", "no PHH action"),
        (parse_pokerstars, "", "checks", "50 chips are to be called"),
        (parse_pokerstars, "", "calls 60", "should read 'calls 50'"),
        (parse_pokerstars, "", "bets 300", "should read 'raises 200 to 300'"),
        (parse_pokerstars, "", "raises 150 to 300", "should read 'raises 200 to 300'"),
        (parse_pokerstars, "", "shoves", "no PokerStars action"),
    ],
)
def test_contradictions_are_refused(parse, line: str, text: str, why: str) -> None:
    with pytest.raises(StateError, match=why):
        parse(parse_betting(GAME, line), text)

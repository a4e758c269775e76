"""Endgames within a hand: followed, nested at bets off the menu, carried from turn to river."""

import time
from math import inf

import numpy as np
import pytest

from endspiel.agent.attempts import NO_TIME
from endspiel.agent.clock import UNTIMED, MoveTime
from endspiel.agent.exact import Program
from endspiel.agent.moves import street_moves
from endspiel.agent.stages import OWN_BET, Approach, EndgameEntry, Stages, given_by
from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.cards.deck import hand_cards
from endspiel.cards.live import live_hands
from endspiel.cards.text import parse_cards
from endspiel.endgame.safe.live import LiveEndgame
from endspiel.endgame.safe.techniques import PLAYED
from endspiel.engine.limits import Limits
from endspiel.errors import RangeError
from endspiel.rules.builtin import load_rules
from endspiel.rules.state import CALL, State, start

BOARD = tuple(parse_cards("Ks Th 7s 4d 2s"))
SIZING = Sizing.same(StreetMenu.parse("100%", "100%"), max_raises=2)


def after(*actions: int) -> State:
    state = start(load_rules("nolimit-holdem"))
    for action in actions:
        state = state.apply(action)
    return state


RIVER = (900, CALL, CALL, CALL, CALL, CALL)


def stages(technique: str) -> Stages:
    small, limits = Program(budget=300), Limits(0.0, 40)
    return Stages(
        Approach(PLAYED[technique], lambda state: (SIZING,), limits, program=small, playable=inf)
    )


def entry() -> EndgameEntry:
    """Players who come with anything, and a poor strategy to improve on."""
    live = live_hands(BOARD)
    rng = np.random.default_rng(3)
    ranges = (live * rng.random(1326), live * rng.random(1326))
    before = LiveEndgame(after(*RIVER), BOARD, ranges, SIZING)
    before.solve(Limits(0.0, 20))
    return EndgameEntry(ranges, before.root_values(1), np.zeros(1326))


@pytest.mark.parametrize(
    "technique", ["unsafe-lp", "unsafe", "resolve", "maxmargin", "reach-maxmargin"]
)
def test_bets_on_and_off_the_menu_are_answered(technique: str) -> None:
    hand = stages(technique)
    start_, answer = after(*RIVER), after(*RIVER, 900 + 700)
    first = hand.solve(start_, BOARD, entry(), UNTIMED)
    assert first.actions == (CALL, 900 + 1800)
    # Ours was a check; the other bets 700 into 1,800.
    answer = after(*RIVER, CALL, 900 + 700)
    second = hand.solve(answer, BOARD, entry(), UNTIMED)
    assert second.actions[:2] == (-1, CALL)
    assert np.allclose(second.endgame.strategy(second.node).sum(axis=0), live_hands(BOARD))
    if technique.startswith("unsafe"):
        assert second.endgame.tree.line(second.node) == "c b700"
        assert second.endgame.state == start_
    else:
        assert second.endgame.state == answer  # nested
    again = hand.solve(answer, BOARD, entry(), UNTIMED)
    assert again.endgame is second.endgame


def test_bets_of_the_menu_are_followed_without_solving_again() -> None:
    hand = stages("maxmargin")
    first = hand.solve(after(*RIVER), BOARD, entry(), UNTIMED)
    second = hand.solve(after(*RIVER, CALL, 900 + 1800), BOARD, entry(), UNTIMED)
    assert second.endgame is first.endgame
    assert second.endgame.tree.line(second.node) == "c b1800"


def test_gifts_within_a_street_are_counted() -> None:
    hand = stages("reach-maxmargin")
    hand.solve(after(*RIVER), BOARD, entry(), UNTIMED)
    stage = hand.solve(after(*RIVER, CALL, 900 + 1800), BOARD, entry(), UNTIMED)
    assert stage.gifts.min() >= 0
    assert stage.gifts.max() > 0  # some hands should not have bet
    once_more = hand.solve(after(*RIVER, CALL, 900 + 1800), BOARD, entry(), UNTIMED)
    assert np.array_equal(stage.gifts, once_more.gifts)


def test_gifts_that_a_solve_gives_back_are_not_given_back_again() -> None:
    """What an endgame leaves a hand beyond its alternative is taken from its gifts."""
    hand, given = stages("reach-maxmargin"), np.full(1326, 200.0)
    came = entry()._replace(gifts=given)
    first = hand.solve(after(*RIVER), BOARD, came, UNTIMED)
    left = came.alternatives + given - first.endgame.root_values(1)
    assert np.allclose(first.gifts, np.clip(left, 0.0, given))
    live = live_hands(BOARD) > 0
    assert (given - first.gifts)[live].max() > 20  # some of it was given back
    check = first.endgame.tree.find("c")
    before = first.gifts + given_by(first._replace(node=check), first.endgame.tree.find("c b1800"))
    bet = hand.solve(after(*RIVER, CALL, 900 + 1800), BOARD, came, UNTIMED)
    assert np.allclose(bet.gifts, before)


@pytest.mark.parametrize("technique", ["unsafe", "maxmargin"])
def test_the_turn_leads_to_the_river(technique: str) -> None:
    hand = stages(technique)
    turn = after(*RIVER[:4])
    hand.solve(turn, BOARD[:4], entry(), UNTIMED)
    river = after(*RIVER[:4], CALL, CALL)
    found = hand.entry_after(street_moves(river, 2), BOARD)
    assert found is not None
    stage = hand.solve(river, BOARD, found, UNTIMED)
    assert stage.endgame.board == BOARD
    assert hand.entry_after(street_moves(river, 2), BOARD) is None  # the turn is over


def test_without_time_nothing_is_solved() -> None:
    for technique in ("unsafe-lp", "unsafe", "maxmargin"):
        late = MoveTime(time.perf_counter(), time.perf_counter())
        found = stages(technique).solve(after(*RIVER), BOARD, entry(), late)
        assert found == NO_TIME


def test_a_nested_turn_leads_to_the_river() -> None:
    """Off the turn's menu the newest endgame begins in the middle of the street."""
    hand = stages("maxmargin")
    hand.solve(after(*RIVER[:4]), BOARD[:4], entry(), UNTIMED)
    nested = hand.solve(after(*RIVER[:4], CALL, 900 + 700), BOARD[:4], entry(), UNTIMED)
    river = after(*RIVER[:4], CALL, 900 + 700, CALL)
    found = hand.entry_after(street_moves(river, 2), BOARD)
    assert found is not None
    called = nested.endgame.strategy(nested.node)[1]
    own = nested.endgame.ranges[0] * called * live_hands(BOARD)
    assert np.allclose(found.ranges[0] / found.ranges[0].max(), own / own.max())


def test_what_is_believed_stays_believed_in_nested_endgames() -> None:
    hand, told = stages("resolve"), entry()
    hand.solve(after(*RIVER), BOARD, told, UNTIMED)
    nested = hand.solve(after(*RIVER, CALL, 900 + 700), BOARD, told, UNTIMED)
    assert np.all(nested.belief <= told.ranges[1] / told.ranges[1].max())
    assert nested.belief.max() > 0


def test_our_own_bets_off_the_menu_are_not_nested() -> None:
    """What our opponent would get in place of a bet of ours is not known."""
    state = after(*RIVER, 900 + 700, 900 + 2000)
    assert stages("resolve").solve(state, BOARD, entry(), UNTIMED) == OWN_BET


def test_another_board_is_another_endgame() -> None:
    hand = stages("unsafe")
    first = hand.solve(after(*RIVER), BOARD, entry(), UNTIMED)
    other = tuple(parse_cards("Ks Th 7s 4d 3s"))
    assert hand.solve(after(*RIVER), other, entry(), UNTIMED).endgame is not first.endgame


def test_a_range_that_the_next_card_takes_away_goes_on_by_mistakes() -> None:
    """The opponent should have held the deuce that comes: what it did since still tells."""
    hand, turn, deuce = stages("unsafe"), BOARD[:4], BOARD[4]
    held = live_hands(turn) * (hand_cards() == deuce).any(axis=1)
    told = EndgameEntry((live_hands(turn), held), None, np.zeros(1326))
    bet = after(*RIVER[:4], CALL, 900 + 1800)
    stage = hand.solve(after(*RIVER[:4]), turn, told, UNTIMED)
    found = hand.entry_after(street_moves(bet.apply(CALL), 2), BOARD)
    assert found is not None
    tree, strategy = stage.endgame.tree, stage.endgame.strategy
    betting = strategy(tree.find("c"))[1]
    expected = np.where(live_hands(BOARD) > 0, 1e-3 * np.maximum(betting, 1e-3), 0.0)
    assert np.allclose(found.ranges[1], expected / expected.max(), rtol=1e-12)
    calling = strategy(tree.find(""))[0] * strategy(tree.find("c b1800"))[1]
    own = calling * live_hands(BOARD)
    assert np.allclose(found.ranges[0] / found.ranges[0].max(), own / own.max(), rtol=1e-12)


def test_a_range_without_hands_is_refused() -> None:
    nothing = EndgameEntry((np.zeros(1326), np.zeros(1326)), np.zeros(1326), np.zeros(1326))
    for technique in ("unsafe", "resolve"):
        with pytest.raises(RangeError, match="no hand at all"):
            stages(technique).solve(after(*RIVER), BOARD, nothing, UNTIMED)

"""Random heads-up hands played in step with pokerkit: same turns, same bounds, same payoffs."""

import random
import warnings
from collections.abc import Callable
from dataclasses import replace
from itertools import islice

import pokerkit
import pytest

from endspiel.cards.text import format_cards
from endspiel.rules.amounts import from_street_amount, street_amount
from endspiel.rules.builtin import load_rules
from endspiel.rules.deal import Deal, deals
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import CALL, FOLD, State, start
from tests.rules.hands import random_action

_AUTOMATIONS = (
    pokerkit.Automation.ANTE_POSTING,
    pokerkit.Automation.BET_COLLECTION,
    pokerkit.Automation.BLIND_OR_STRADDLE_POSTING,
    pokerkit.Automation.CARD_BURNING,
    pokerkit.Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
    pokerkit.Automation.HAND_KILLING,
    pokerkit.Automation.CHIPS_PUSHING,
    pokerkit.Automation.CHIPS_PULLING,
)


def no_limit_table() -> pokerkit.State:
    """Heads-up pokerkit seats are positions: player 0 posts the big blind."""
    return pokerkit.NoLimitTexasHoldem.create_state(_AUTOMATIONS, True, 0, (50, 100), 100, 20000, 2)


def limit_table() -> pokerkit.State:
    return pokerkit.FixedLimitTexasHoldem.create_state(
        _AUTOMATIONS, True, 0, (5, 10), 10, 20, 10**6, 2
    )


def check_turn(state: State, table: pokerkit.State) -> None:
    """Both sides agree on who may do what."""
    assert table.actor_index == state.actor
    assert table.checking_or_calling_amount == state.to_call
    assert table.total_pot_amount == state.pot
    bounds = state.raise_bounds()
    least = table.min_completion_betting_or_raising_to_amount
    most = table.max_completion_betting_or_raising_to_amount
    assert (least is None) == (bounds is None)
    if bounds is not None:
        assert (least, most) == tuple(street_amount(state, chips) for chips in bounds)
        assert from_street_amount(state, least) == bounds[0]


def play_out(state: State, deal: Deal, table: pokerkit.State, rng: random.Random) -> State:
    """Play one hand on both sides with the same random actions."""
    for hole in deal.holes:
        table.deal_hole(format_cards(hole))
    board = list(deal.board)
    while table.status:
        if table.can_deal_board():
            count = 3 if len(board) == 5 else 1
            table.deal_board(format_cards(board[:count]))
            del board[:count]
            continue
        check_turn(state, table)
        action = random_action(state, rng)
        if action == FOLD:
            table.fold()
        elif action == CALL:
            table.check_or_call()
        else:
            table.complete_bet_or_raise_to(street_amount(state, action))
        state = state.apply(action)
    return state


NO_LIMIT = load_rules("nolimit-holdem")
# pokerkit allows four raises before the flop too, the blind not counting as a bet.
LIMIT = replace(load_rules("limit-holdem"), max_raises=(4, 4, 4, 4))


@pytest.mark.parametrize(
    ("game", "create", "hands"),
    [(NO_LIMIT, no_limit_table, 2000), (LIMIT, limit_table, 500)],
    ids=["nolimit", "limit"],
)
def test_hands_go_as_in_pokerkit(
    game: GameDef, create: Callable[[], pokerkit.State], hands: int
) -> None:
    rng = random.Random(7)
    showdowns = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pokerkit warns of every card chosen by hand
        for deal in islice(deals(game, 2024), hands):
            table = create()
            state = play_out(start(game), deal, table, rng)
            assert state.finished
            assert state.payoffs(deal) == tuple(table.payoffs)
            showdowns += state.showdown
    assert showdowns > hands // 20

"""Hands go to pokerkit and come back."""

import random
from dataclasses import replace
from itertools import islice

import pokerkit
import pytest

from endspiel.envs.pokerkit_tables import from_pokerkit, to_pokerkit
from endspiel.errors import RulesError
from endspiel.rules.builtin import load_rules
from endspiel.rules.deal import deals
from endspiel.rules.state import CALL, FOLD, start
from tests.rules.hands import random_action

GAME = load_rules("nolimit-holdem")


def test_hands_go_there_and_back() -> None:
    rng = random.Random(3)
    for number, deal in enumerate(islice(deals(GAME, 5), 60)):
        state = start(GAME)
        for _ in range(number % 9):
            if not state.finished:
                state = state.apply(random_action(state, rng))
        table = to_pokerkit(state, deal)
        back = from_pokerkit(table)
        assert back.state == state
        assert [sorted(hole) for hole in back.holes] == [sorted(hole) for hole in deal.holes]
        shown = GAME.board_sizes[-1 if state.showdown else state.round]
        assert sorted(back.board) == sorted(deal.board[:shown])
        if state.finished:
            assert tuple(table.payoffs) == state.payoffs(deal)
        else:
            assert table.actor_index == state.actor


def test_other_stakes_are_read() -> None:
    game = replace(GAME, blinds=(10, 5), stacks=(1000, 1000))
    deal = next(deals(GAME, 1))
    state = start(game).apply(CALL).apply(30)
    back = from_pokerkit(to_pokerkit(state, deal))
    assert (back.state.game.blinds, back.state.game.stacks) == ((10, 5), (1000, 1000))
    assert back.state.line == "cr30"
    assert from_pokerkit(to_pokerkit(state.apply(FOLD), deal)).state.finished


def test_other_tables_are_refused() -> None:
    with pytest.raises(RulesError, match="not heads-up no-limit"):
        to_pokerkit(start(load_rules("limit-holdem")), next(deals(GAME, 1)))
    three = pokerkit.NoLimitTexasHoldem.create_state((), True, 0, (1, 2), 2, 100, 3)
    with pytest.raises(RulesError, match="only heads-up tables"):
        from_pokerkit(three)

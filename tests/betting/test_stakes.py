"""What terminals of a betting tree pay, as the rules of the game pay it."""

import numpy as np
import pytest

from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.betting.no_limit import game_tree, no_limit_tree
from endspiel.betting.tree import BY_CALL, BY_FOLD, CHANCE, DECISION, SHOWDOWN
from endspiel.betting.tree import FOLD as FOLDED
from endspiel.cards.text import parse_cards
from endspiel.rules.builtin import load_rules
from endspiel.rules.deal import Deal
from endspiel.rules.state import CALL, FOLD, start

GAME = load_rules("nolimit-holdem")
DEAL = Deal(
    (tuple(parse_cards("AsAh")), tuple(parse_cards("KsKh"))), tuple(parse_cards("2c3d7h9sJc"))
)


def test_terminals_pay_what_the_rules_pay() -> None:
    """Every line of a small game, played by the rules: player 0 has the better hand."""
    sizing = Sizing.same(StreetMenu.parse("100%, a", "a"), max_raises=2)
    tree = game_tree(GAME, sizing)
    states, checked = {0: start(GAME)}, 0
    for node in range(tree.num_nodes):
        state = states.pop(node)
        for child in tree.children(node):
            action = int(tree.action[child])
            if tree.kind[node] == DECISION:
                chips = int(tree.spent[child, tree.player[node]])
                states[child] = state.apply({BY_FOLD: FOLD, BY_CALL: CALL}.get(action, chips))
            else:
                states[child] = state
        if state.finished:
            won, lost = state.payoffs() if tree.kind[node] == FOLDED else state.payoffs(DEAL)
            assert won == -lost
            assert tree.gains(node, 0) == won
            if tree.kind[node] == FOLDED:
                assert tree.gains(node, 1) == lost
            else:
                assert tree.kind[node] in (SHOWDOWN, CHANCE)  # before the cards of an all-in too
                assert tree.gains(node, 1) == won
            assert tree.stake[node] == abs(won)
            checked += 1
    assert checked > 150


def test_half_the_pot_before_the_root_is_lost_too() -> None:
    tree = no_limit_tree(90, 300, 3, Sizing.same(StreetMenu.parse("50%", "a")))
    for line, stake in (("c c", 45), ("b45 f", 45), ("b45 c", 90), ("b45 r300 f", 90)):
        assert tree.stake[tree.find(line)] == stake
    ends = np.array([tree.find("b45 f"), tree.find("b45 r300 f"), tree.find("b45 c")])
    assert tree.gains(ends, 0).tolist() == [45, -90, 90]
    assert tree.gains(ends, 1).tolist() == [-45, 90, 90]
    with pytest.raises(ValueError, match="read-only"):
        tree.stake[0] = 1

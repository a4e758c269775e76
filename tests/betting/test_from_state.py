"""A tree that begins in the middle of a hand is the part of the whole tree below that point."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endspiel.betting.from_state import state_tree
from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.betting.no_limit import game_tree
from endspiel.betting.tree import BY_CALL, BY_FOLD, CHANCE, DECISION, BettingTree
from endspiel.errors import BettingError
from endspiel.rules.builtin import load_rules
from endspiel.rules.state import CALL, FOLD, State, start

GAME = load_rules("nolimit-holdem")
SIZING = Sizing.same(StreetMenu.parse("100%, a", "100%, a"), max_raises=2)
WHOLE = game_tree(GAME, SIZING)


def below(tree: BettingTree, node: int) -> set[tuple[str, str, int, int, int, int]]:
    """Everything below a node, each with its betting since the node."""
    found, waiting = set(), [(node, "")]
    while waiting:
        at, line = waiting.pop()
        spent = tree.spent[at] + tree.pot // 2
        kind, player, street = int(tree.kind[at]), int(tree.player[at]), int(tree.street[at])
        found.add((line, f"{kind}", player, street, int(spent[0]), int(spent[1])))
        waiting += [(child, f"{line} {tree.word(child)}") for child in tree.children(at)]
    return found


def walk(turns: list[float]) -> tuple[int, State]:
    """A node of the whole tree and the state of the same betting."""
    node, state = 0, start(GAME)
    for turn in turns:
        choices = [c for c in WHOLE.children(node) if WHOLE.kind[c] in (DECISION, CHANCE)]
        if not choices:
            break
        child = choices[int(turn * len(choices))]
        action = int(WHOLE.action[child])
        chips = {BY_FOLD: FOLD, BY_CALL: CALL}.get(action, action + state.street_start)
        after = state.apply(chips)
        if after.finished:
            break
        node = int(WHOLE.first_child[child]) if WHOLE.kind[child] == CHANCE else child
        state = after
    return node, state


@settings(deadline=None)
@given(st.lists(st.floats(0, 1, exclude_max=True), max_size=10))
def test_the_tree_from_a_state_is_the_part_below_it(turns: list[float]) -> None:
    node, state = walk(turns)
    assert below(state_tree(state, SIZING), 0) == below(WHOLE, node)


def test_geometric_sizes_count_blinds_as_a_bet_before_the_flop_only() -> None:
    """Their streets are one less for each raise, and blinds are what is raised first."""
    sizing = Sizing.same(StreetMenu.parse("3e", "3e"), max_raises=3)
    whole = game_tree(GAME, sizing, limit=200_000)
    flop = start(GAME).apply(CALL).apply(CALL)
    for line, state in (("", start(GAME)), ("c", start(GAME).apply(CALL)), ("c c /", flop)):
        node, tree = whole.find(line), state_tree(state, sizing)
        assert tree.words(0) == whole.words(node)
        first = tree.children(0)[-1]
        assert tree.words(first) == whole.words(whole.children(node)[-1])


def test_a_bet_off_the_menu_is_answered_with_the_real_pot() -> None:
    state = start(GAME)
    for action in (CALL, CALL, CALL, CALL, CALL, CALL, 777):
        state = state.apply(action)
    tree = state_tree(state, SIZING)
    pots = [int(tree.spent[child].sum()) for child in tree.children(0)]
    assert tree.words(0) == ["f", "c", "r2231", "r19900"]  # 677 + 1554 is a raise of the pot
    assert np.array_equal(pots, [877, 1554, 2331 + 777, 20_777])


def test_bets_that_were_made_are_in_the_tree_beside_the_menu() -> None:
    root = start(GAME)
    for action in (CALL, CALL, CALL, CALL, CALL, CALL):
        root = root.apply(action)
    bet = root.apply(333)
    raised = bet.apply(2000)
    tree = state_tree(root, SIZING, [(root, 333), (bet, 2000), (raised, CALL)])
    assert tree.words(0) == ["c", "b200", "b233", "b19900"]
    assert tree.words(tree.find("b233")) == ["f", "c", "r899", "r1900", "r19900"]
    assert tree.words(tree.find("c")) == ["c", "b200", "b19900"]  # nowhere else


def test_nothing_follows_the_end_of_a_hand() -> None:
    with pytest.raises(BettingError, match="the hand is over"):
        state_tree(start(GAME).apply(FOLD), SIZING)


def test_limit_games_have_no_menu() -> None:
    with pytest.raises(BettingError, match="fixed limits"):
        state_tree(start(load_rules("limit-holdem")), SIZING)

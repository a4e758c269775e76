"""A tree that begins in the middle of a hand is the part of the whole tree below that point."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endspiel.betting.from_state import state_tree
from endspiel.betting.limit import limit_menu
from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.betting.no_limit import game_tree, no_limit_tree
from endspiel.betting.tree import BY_CALL, BY_FOLD, CHANCE, DECISION, SHOWDOWN, BettingTree
from endspiel.betting.tree import FOLD as FOLDED
from endspiel.errors import BettingError
from endspiel.rules.acpc import parse_betting
from endspiel.rules.builtin import load_rules
from endspiel.rules.state import CALL, FOLD, State, start

GAME = load_rules("nolimit-holdem")
LIMIT = load_rules("limit-holdem")
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


@pytest.mark.parametrize(
    "line", ["", "rr", "rrrc/", "rc/cr", "cc/rrc/c", "rc/cc/rrrrc/", "cc/cc/cc/r"]
)
def test_the_tree_of_a_limit_game_is_what_its_rules_let_follow(line: str) -> None:
    """Every action and all chips as the rules have them, node for node, from any state on."""
    root = parse_betting(LIMIT, line)
    tree = state_tree(root, None)
    waiting, seen = [(0, root)], 0
    while waiting:
        node, state = waiting.pop()
        seen += 1
        assert tuple(tree.spent[node]) == state.spent
        if state.finished:
            assert tree.kind[node] == (SHOWDOWN if state.showdown else FOLDED)
            continue
        if tree.kind[node] == CHANCE:
            node = int(tree.first_child[node])
            seen += 1
        assert (tree.player[node], tree.street[node]) == (state.actor, state.round)
        legal = state.legal_actions()
        assert len(legal) == tree.num_children[node]
        waiting += zip(tree.children(node), map(state.apply, legal), strict=True)
    assert seen == tree.num_nodes


def test_limit_bets_are_small_then_big_and_capped() -> None:
    """10 before the turn and 20 from it on; three raises of the blinds, four bets after them."""
    tree = state_tree(start(LIMIT), None)
    for line, after in (
        ("r20 r30 r40", ["f", "c"]),
        ("c c / b10 r20 r30 r40", ["f", "c"]),
        ("c c / c c / b20 r40 r60 r80", ["f", "c"]),
        ("c c / c c / c c / c b20 r40 r60", ["f", "c", "r80"]),
    ):
        assert tree.words(tree.find(line)) == after


@pytest.mark.parametrize(("line", "street"), [("rc/", 1), ("rc/cc/", 2), ("cc/rrc/rc/", 3)])
def test_a_menu_in_chips_makes_the_same_limit_game(line: str, street: int) -> None:
    """For spots, whose stack is all that can still be bet."""
    state = parse_betting(LIMIT, line)
    sizing, stack = limit_menu(LIMIT, street)
    spot = no_limit_tree(state.pot, stack, street, sizing)
    assert stack == {1: 200, 2: 160, 3: 80}[street]
    assert below(spot, 0) == below(state_tree(state, None), 0)


def test_a_menu_has_one_cap() -> None:
    with pytest.raises(BettingError, match=r"caps \(4, 3, 4\) on the streets to come"):
        limit_menu(replace(LIMIT, max_raises=(3, 4, 3, 4)), 1)


def test_limit_games_have_no_menu_and_others_need_one() -> None:
    with pytest.raises(BettingError, match="fixed limits, not a menu"):
        state_tree(start(LIMIT), SIZING)
    with pytest.raises(BettingError, match="has no fixed limits: its bets need a menu"):
        state_tree(start(GAME), None)

"""Trees obey the rules: every line is replayed in the state machine of ``endspiel.rules``."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from endspiel.betting import (
    CHANCE,
    DECISION,
    FOLD,
    SHOWDOWN,
    BettingTree,
    Sizing,
    game_tree,
    limit_tree,
)
from endspiel.errors import BettingError
from endspiel.rules.builtin import load_rules
from endspiel.rules.game_def import UNLIMITED_RAISES, GameDef
from endspiel.rules.state import MAX_ACTIONS, State, start
from tests.betting.strategies import SIZINGS, spot_trees


def longest_round(tree: BettingTree) -> int:
    """Most actions that follow one another on a street; the dealer has a limit of its own."""
    actions = [0]
    for node in range(1, tree.num_nodes):
        parent = int(tree.parent[node])
        actions.append(0 if tree.kind[parent] == CHANCE else actions[parent] + 1)
    return max(actions)


def replay(tree: BettingTree, root: State) -> list[State]:
    """The state at every node; the rules refuse whatever is illegal. Compares as it goes."""
    put_in = root.spent[0] - int(tree.spent[0, 0])  # before the root, by each
    states = [root]
    for node in range(1, tree.num_nodes):
        parent, action = int(tree.parent[node]), int(tree.action[node])
        state = states[parent]
        if tree.kind[parent] == DECISION:
            actor = int(tree.player[parent])
            state = state.apply(action if action <= 0 else int(tree.spent[node, actor]) + put_in)
        states.append(state)
    for node, state in enumerate(states):
        kind = tree.kind[node]
        if kind == DECISION:
            assert (state.actor, state.round) == (tree.player[node], tree.street[node])
            assert [chips - put_in for chips in state.spent] == tree.spent[node].tolist()
            assert state.can_fold() == (tree.words(node)[0] == "f")
        elif kind == FOLD:
            assert state.finished
            assert state.folded[tree.player[node]]
        elif kind == SHOWDOWN:
            assert state.showdown
        else:
            assert kind == CHANCE
            assert not any(state.folded)
    return states


@pytest.mark.parametrize("name", ["kuhn", "leduc", "rhode-island", "limit-holdem"])
def test_limit_trees_have_every_legal_action(name: str) -> None:
    game = load_rules(name)
    tree = limit_tree(game)
    for node, state in enumerate(replay(tree, start(game))):
        if tree.kind[node] == DECISION:
            assert len(state.legal_actions()) == tree.num_children[node]


@pytest.mark.parametrize("stack", [1, 3, 4, 7, 12, 30])
def test_limit_trees_with_short_stacks(stack: int) -> None:
    game = GameDef(
        name="short",
        no_limit=False,
        blinds=(2 if stack > 1 else 1, 1 if stack > 1 else 0),
        stacks=(stack, stack),
        raise_sizes=(2, 4),
        max_raises=(3, 4),
        first_players=(1, 0),
        num_suits=4,
        num_ranks=13,
        num_hole_cards=2,
        num_board_cards=(0, 3),
    )
    tree = limit_tree(game)
    for node, state in enumerate(replay(tree, start(game))):
        if tree.kind[node] == DECISION:
            assert len(state.legal_actions()) == tree.num_children[node]


@settings(max_examples=60, deadline=None)
@given(spot_trees())
def test_no_limit_lines_are_legal(tree: BettingTree) -> None:
    assume(longest_round(tree) < MAX_ACTIONS - 4)
    # The pot was made by antes of one chip and a called raise before the flop.
    half = tree.pot // 2
    game = GameDef(
        name="spot",
        no_limit=True,
        blinds=(1, 1),
        stacks=(half + tree.stack,) * 2,
        raise_sizes=(),
        max_raises=(UNLIMITED_RAISES,) * 4,
        first_players=(0,) * 4,
        num_suits=4,
        num_ranks=13,
        num_hole_cards=2,
        num_board_cards=(0, 3, 1, 1),
    )
    state = start(game).apply(half if half > 1 else 0).apply(0)
    while state.round < tree.street[0]:
        state = state.apply(0)
    replay(tree, state)


@settings(max_examples=40, deadline=None)
@given(SIZINGS, st.integers(1, 3000), st.sampled_from(["holdem", "flop"]))
def test_no_limit_games_from_the_blinds(sizing: Sizing, stack: int, name: str) -> None:
    full = load_rules(f"{name}.nolimit.2p.reverse_blinds")
    blind = min(10, stack)
    game = GameDef(
        **{
            **{key: getattr(full, key) for key in full.__dataclass_fields__},
            "blinds": (blind, blind // 2),
            "stacks": (stack, stack),
        }
    )
    try:
        tree = game_tree(game, sizing, limit=2000)
    except BettingError:
        assume(False)
        raise
    assume(longest_round(tree) < MAX_ACTIONS - 4)
    replay(tree, start(game))

"""Sequences of a betting tree: each number is one tuple of a player's own actions."""

import pytest
from hypothesis import given, settings

from endspiel.betting.sequences import number_sequences
from endspiel.betting.tree import DECISION, BettingTree
from tests.betting.strategies import spot_trees


def own_actions(tree: BettingTree, node: int, player: int) -> tuple[int, ...]:
    """Nodes that the player's own actions led to, on the way to a node."""
    names: list[int] = []
    while node > 0:
        above = int(tree.parent[node])
        if tree.kind[above] == DECISION and tree.player[above] == player:
            names.append(node)
        node = above
    return tuple(reversed(names))


def preorder(tree: BettingTree, node: int) -> list[int]:
    """The nodes of a part, each subtree before the next."""
    found = [node]
    if tree.kind[node] == DECISION:
        for child in tree.children(node):
            found += preorder(tree, child)
    return found


@pytest.mark.parametrize("depth_first", [False, True])
@settings(max_examples=40, deadline=None)
@given(tree=spot_trees())
def test_numbers_are_own_actions(tree: BettingTree, depth_first: bool) -> None:
    found = number_sequences(tree, [0], depth_first=depth_first)
    nodes = preorder(tree, 0)
    if not depth_first:
        nodes.sort()  # the tree itself is numbered breadth first
    assert [d.node for d in found.decisions] == [n for n in nodes if tree.kind[n] == DECISION]
    assert [end.node for end in found.ends] == [n for n in nodes if tree.kind[n] != DECISION]
    names: tuple[list[tuple[int, ...]], ...] = ([()], [()])
    for node, player, first, actions, seqs in found.decisions:
        assert [names[p][seqs[p]] for p in (0, 1)] == [own_actions(tree, node, p) for p in (0, 1)]
        assert (first, actions) == (len(names[player]), len(tree.children(node)))
        names[player].extend(own_actions(tree, child, player) for child in tree.children(node))
    for node, seqs in found.ends:
        assert [names[p][seqs[p]] for p in (0, 1)] == [own_actions(tree, node, p) for p in (0, 1)]
    assert found.sizes == [len(set(names[0])), len(set(names[1]))] == [*map(len, names)]


@settings(max_examples=20, deadline=None)
@given(tree=spot_trees())
def test_nodes_that_are_not_allowed_are_not_there(tree: BettingTree) -> None:
    allowed = tree.action <= 0  # nobody bets
    found = number_sequences(tree, [0, 0], allowed)
    assert [d.first for d in found.decisions] == [2, 3, 2, 3]
    assert all(d.actions == 1 for d in found.decisions)
    assert all(tree.action[end.node] <= 0 for end in found.ends)
    assert {end.seqs for end in found.ends} == {(2, 2), (3, 3)}
    assert found.sizes == [4, 4]


@settings(max_examples=40, deadline=None)
@given(tree=spot_trees())
def test_forced_decisions_give_both_players_a_sequence_of_the_part(tree: BettingTree) -> None:
    plain = number_sequences(tree, [0])
    found = plain.with_forced(1)
    added = found.decisions[len(plain.decisions) :]
    assert found.decisions[: len(plain.decisions)] == plain.decisions
    wanted = [(end.node, p) for end in plain.ends for p in (0, 1) if end.seqs[p] == 0]
    assert [(d.node, d.player) for d in added] == wanted
    assert all(d.actions == 1 for d in added)
    for player in (0, 1):
        own = [d.first + a for d in found.decisions if d.player == player for a in range(d.actions)]
        assert sorted([0, *own]) == list(range(found.sizes[player]))  # each number once
    for before, after in zip(plain.ends, found.ends, strict=True):
        assert before.node == after.node
        assert min(after.seqs) > 0
        for player in (0, 1):
            forced = [d.first for d in added if (d.node, d.player) == (before.node, player)]
            assert after.seqs[player] == (forced[0] if forced else before.seqs[player])
    assert sorted(node for node, _ in found.reached()) == sorted(
        [d.node for d in plain.decisions] + [end.node for end in plain.ends]
    )

"""Betting cut into streets: nothing is lost, and lanes hold every terminal once."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings

from endspiel.betting import CHANCE, DECISION, FOLD, SHOWDOWN, BettingTree, no_limit_tree
from endspiel.betting.streets import Street, cut_streets
from endspiel.games.board_lanes import side_plan
from endspiel.kernels.lanes import LANES
from tests.betting.strategies import spot_trees
from tests.games.spots import menu_sizing


def nodes_below(tree: BettingTree, start: int) -> list[int]:
    """Nodes of one street from a node on."""
    found = [start]
    for node in found:
        if tree.kind[node] == DECISION:
            found += tree.children(node)
    return found


def own_actions(tree: BettingTree, node: int, player: int) -> tuple[int, ...]:
    """Nodes that the player's own actions led to, on the way to a node: a sequence by name."""
    names: list[int] = []
    while node > 0:
        above = int(tree.parent[node])
        if tree.kind[above] == DECISION and tree.player[above] == player:
            names.append(node)
        node = above
    return tuple(reversed(names))


def sequence_names(tree: BettingTree, street: Street, player: int) -> list[tuple[int, ...]]:
    """The name of each local sequence."""
    names = [own_actions(tree, start, player) for start in street.starts]
    for node, first, actions in zip(
        street.decisions[player], street.first[player], street.actions[player], strict=True
    ):
        assert first == len(names)
        assert actions == len(tree.children(node))
        names += [own_actions(tree, child, player) for child in tree.children(node)]
    return names


@settings(max_examples=60, deadline=None)
@given(spot_trees())
def test_streets_hold_every_node_once(tree: BettingTree) -> None:
    streets = cut_streets(tree)
    assert streets[0].starts == [0]
    for street, below in zip(streets, [*streets[1:], Street([])], strict=True):
        starts = street.starts
        nodes = [node for start in starts for node in nodes_below(tree, start)]
        kinds = {kind: [n for n in nodes if tree.kind[n] == kind] for kind in range(4)}
        assert sorted([*street.decisions[0], *street.decisions[1]]) == sorted(kinds[DECISION])
        names = [sequence_names(tree, street, player) for player in (0, 1)]
        assert [len(names[0]), len(names[1])] == street.size
        for player in (0, 1):
            for node, parent in zip(street.decisions[player], street.parent[player], strict=True):
                assert names[player][parent] == own_actions(tree, node, player)
        check_ends(tree, street, names, kinds)
        dealt = [int(tree.parent[start]) for start in below.starts]
        assert sorted(dealt) == sorted(kinds[CHANCE])
        ends = [(own_actions(tree, node, 0), own_actions(tree, node, 1)) for node in dealt]
        assert [(names[0][a], names[1][b]) for a, b in street.out] == ends


def check_ends(
    tree: BettingTree,
    street: Street,
    names: list[list[tuple[int, ...]]],
    kinds: dict[int, list[int]],
) -> None:
    """Terminals name the right sequences and stakes."""
    expected: Counter[object] = Counter()
    for node in kinds[SHOWDOWN] + kinds[FOLD]:
        folder = int(tree.player[node]) if tree.kind[node] == FOLD else -1
        stake = tree.pot / 2 + min(tree.spent[node])
        ends = own_actions(tree, node, 0), own_actions(tree, node, 1)
        expected[(ends, folder, stake)] += 1
    found = Counter(
        ((names[0][t.seqs[0]], names[1][t.seqs[1]]), t.folder, t.stake) for t in street.terminals
    )
    assert found == expected


@settings(max_examples=60, deadline=None)
@given(spot_trees())
def test_lanes_hold_every_terminal_once(tree: BettingTree) -> None:
    for street in cut_streets(tree):
        for player in (0, 1):
            plan = side_plan(street, player, 0.5)
            shown, first, tied, count = (tiles * LANES for tiles in plan.lane_tiles)
            assert tied == count, "ties pay nothing of their own"
            lanes = np.arange(count)
            assert len(plan.lane_from) == len(lanes)
            shows = pay(plan.lane_from, plan.show_to, plan.show_stake, lanes < shown)
            folds = pay(plan.lane_from, plan.fold_to, plan.fold_stake, lanes >= first)
            for found, folding in ((shows, False), (folds, True)):
                terminals = [t for t in street.terminals if (t.folder >= 0) == folding]
                assert found == Counter(
                    (
                        t.seqs[1 - player],
                        t.seqs[player],
                        float(np.float32(0.5 * t.stake * (-1 if t.folder == player else 1))),
                    )
                    for t in terminals
                )
            # Where tiles do not pay, nothing may be at stake.
            assert not plan.show_stake[lanes >= shown].any()
            assert not plan.fold_stake[lanes < first].any()
            used = ((plan.show_stake != 0) | (plan.fold_stake != 0)).sum()
            assert count == -(-used // LANES) * LANES, "no tile more than the lanes need"


def pay(
    lanes: np.ndarray, to: np.ndarray, stakes: np.ndarray, read: np.ndarray
) -> Counter[tuple[int, int, float]]:
    """What lanes that are read pay, padding left out."""
    rows = zip(lanes[read].tolist(), to[read].tolist(), stakes[read].tolist(), strict=True)
    return Counter(row for row in rows if row[2] != 0)


def test_all_in_lines_run_on_without_decisions() -> None:
    tree = no_limit_tree(20, 30, 1, menu_sizing("a"))
    flop, turn, river = cut_streets(tree)
    called = [seqs for seqs in flop.out if seqs != (1, 1)]
    assert len(flop.out) == 3  # checks, and a bet of each player that is called
    assert len(called) == 2
    assert len(turn.out) == 2 + 3
    assert len(river.starts) == 5
    stuck = [t for t in river.terminals if t.folder < 0 and max(t.seqs) < len(river.starts)]
    assert len(stuck) == 4  # all-in on the flop twice, on the turn twice


def test_nobody_bets() -> None:
    tree = no_limit_tree(20, 30, 2, menu_sizing(""))
    turn, river = cut_streets(tree)
    assert (turn.size, turn.out, turn.terminals) == ([2, 2], [(1, 1)], [])
    assert [t.stake for t in river.terminals] == [10.0]


@pytest.mark.parametrize("player", [0, 1])
def test_the_one_who_folds_pays_what_is_put_in(player: int) -> None:
    menus = ["50%", ""] if player else ["", "50%"]
    (river,) = cut_streets(no_limit_tree(20, 30, 3, menu_sizing(menus)))
    fold = next(t for t in river.terminals if t.folder >= 0)
    assert (fold.folder, fold.stake) == (player, 10.0)
    own = side_plan(river, player, 1 / 20)
    other = side_plan(river, 1 - player, 1 / 20)
    assert own.fold_stake.min() == -0.5
    assert other.fold_stake.max() == 0.5

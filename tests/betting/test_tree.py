"""Betting trees: sizes at known points, counts others found, and laws over random menus."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from endspiel.betting import (
    CHANCE,
    DECISION,
    FOLD,
    SHOWDOWN,
    BettingTree,
    Counts,
    Sizing,
    StreetMenu,
    game_tree,
    limit_tree,
    no_limit_tree,
)
from endspiel.errors import BettingError
from endspiel.rules.builtin import load_rules
from tests.betting.strategies import spot_trees

PEER_TREES = json.loads((Path(__file__).parents[1] / "data/spots/peer_trees.json").read_text())


def river(pot: int, stack: int, bet: str, raises: str = "", **options: Any) -> BettingTree:
    """A tree of the river's betting."""
    menus = (None, None, None, StreetMenu.parse(bet, raises))
    return no_limit_tree(pot, stack, 3, Sizing(menus, **options))


@pytest.mark.parametrize("peer", PEER_TREES, ids=range(len(PEER_TREES)))
def test_trees_are_those_of_an_independent_program(peer: dict[str, Any]) -> None:
    menus = [
        StreetMenu.parse(peer[name]["bet"], peer[name]["raise"], peer[name].get("donk"))
        if name in peer
        else None
        for name in ("preflop", "flop", "turn", "river")
    ]
    sizing = Sizing(tuple(menus), None, *peer["thresholds"])
    tree = no_limit_tree(peer["pot"], peer["stack"], peer["street"], sizing)
    bets = tree.action[tree.action > 0]
    assert tree.counts().decisions == peer["decisions"]
    assert (len(bets), bets.sum()) == (peer["bets"], peer["chips_bet"])


def test_sizes_at_known_points() -> None:
    tree = river(100, 1000, "50%, 33c, a", "50%, 2.5x, 40c")
    assert tree.words(0) == ["c", "b33", "b50", "b1000"]
    # Against 50 the pot after calling is 200: raises to 50 + 100, 125, and 90 lifted to the
    # least raise, 100.
    assert tree.words(tree.find("b50")) == ["f", "c", "r100", "r125", "r150"]
    assert tree.words(tree.find("b1000")) == ["f", "c"]


def test_geometric_sizes_reach_all_in_on_the_last_street() -> None:
    tree = no_limit_tree(100, 1300, 1, Sizing.same(StreetMenu.parse("e")))
    # (1 + 2 * 13) ** (1/3) = 3: a pot-sized bet on each of three streets.
    end = tree.find("b100 c / b300 c / b900 c")
    assert tree.spent[end].tolist() == [1300, 1300]
    assert tree.words(0) == ["c", "b100"]


def test_thresholds() -> None:
    assert river(100, 150, "50%").words(0) == ["c", "b50"]
    assert river(100, 150, "50%", add_allin_threshold=1.5).words(0) == ["c", "b50", "b150"]
    assert river(100, 151, "50%", add_allin_threshold=1.5).words(0) == ["c", "b50"]
    # A call of 90 would leave 42 behind a pot of 280: 15%.
    assert river(100, 132, "90%", force_allin_threshold=0.15).words(0) == ["c", "b132"]
    assert river(100, 133, "90%", force_allin_threshold=0.15).words(0) == ["c", "b90"]
    # (1 + 1) / (1 + 0.8) > 1.1, (1 + 0.8) / (1 + 0.7) < 1.1
    merged = river(100, 1000, "70%, 80%, 100%", merging_threshold=0.1)
    assert merged.words(0) == ["c", "b80", "b100"]


def test_max_raises_counts_bets_and_raises() -> None:
    assert river(100, 1000, "50%", "50%", max_raises=0).words(0) == ["c"]
    tree = river(100, 1000, "50%", "50%", max_raises=2)
    assert tree.words(tree.find("b50 r150")) == ["f", "c"]


def test_each_player_has_a_menu_and_donk_bets_follow_a_call() -> None:
    menus = StreetMenu.parse(["50%", "75%"], donk="10%")
    tree = no_limit_tree(100, 1000, 2, Sizing((None, None, menus, menus)))
    assert tree.words(tree.find("c")) == ["c", "b75"]
    assert tree.words(tree.find("c b75 c /")) == ["c", "b25"]  # called: a donk bet of 10%
    assert tree.words(tree.find("c c /")) == ["c", "b50"]
    assert tree.words(tree.find("b50 c /")) == ["c", "b100"]  # the bettor goes on


def test_all_in_runs_out_the_board() -> None:
    tree = no_limit_tree(100, 300, 1, Sizing.same(StreetMenu.parse("a")))
    flop = tree.find("b300 c")
    assert (tree.kind[flop], tree.street[flop]) == (CHANCE, 1)
    turn = tree.find("b300 c /")
    assert (tree.kind[turn], tree.street[turn]) == (CHANCE, 2)
    end = tree.find("b300 c / /")
    assert (tree.kind[end], tree.street[end]) == (SHOWDOWN, 3)


def test_find_names_the_first_word_that_does_not_fit() -> None:
    tree = river(100, 1000, "50%", "50%")
    with pytest.raises(BettingError, match=r"no 'b75' after 'c': there are c, b50$"):
        tree.find("c b75 f")
    with pytest.raises(BettingError, match=r"no 'f' at the start: there are c, b50$"):
        tree.find("f")
    with pytest.raises(BettingError, match=r"no 'c' after 'b50 f': the hand is over$"):
        tree.find("b50 f c")


def test_show() -> None:
    assert river(100, 50, "a").show() == (
        "root  player 0 to act, pot 100\n"
        "  c  player 1 to act, pot 100\n"
        "    c  showdown, pot 100\n"
        "    b50  player 0 to act, pot 150\n"
        "      f  player 0 folded, pot 150\n"
        "      c  showdown, pot 200\n"
        "  b50  player 1 to act, pot 150\n"
        "    f  player 1 folded, pot 150\n"
        "    c  showdown, pot 200\n"
    )
    assert len(river(100, 50, "a").show(depth=1).splitlines()) == 3


def test_huge_trees_are_refused_with_the_figure_reached() -> None:
    with pytest.raises(BettingError, match="more than 1000 nodes"):
        no_limit_tree(100, 10**9, 1, Sizing.same(StreetMenu.parse("1c, a", "1c, a")), limit=1000)


def test_deep_trees_need_no_recursion() -> None:
    tree = river(2, 20_000, "1c", "1c")
    deepest = tree.num_nodes - 1
    assert len(tree.line(deepest).split()) > 5_000
    assert tree.find("b1 r2 r3") > 0
    assert tree.show(depth=3)


def test_limit_games_have_the_known_numbers_of_lines() -> None:
    assert limit_tree(load_rules("kuhn")).counts() == Counts(4, 0, 3, 2)
    # Leduc's public betting: 6 decisions a round, the second after each of 5 ways to end the first.
    assert limit_tree(load_rules("leduc")).counts().decisions == 6 + 5 * 6
    holdem = limit_tree(load_rules("limit-holdem")).street_counts()[DECISION]
    # Before the flop 8 decisions and 7 ways to go on; on later streets 10 and 9.
    assert holdem.tolist() == [8, 7 * 10, 7 * 9 * 10, 7 * 9 * 9 * 10]
    assert limit_tree(load_rules("limit-holdem"), street=3, pot=40).counts().decisions == 10


def test_blinds_are_a_bet_to_raise() -> None:
    tree = game_tree(load_rules("nolimit-holdem"), Sizing.same(StreetMenu.parse("a", "100%, 3x")))
    assert tree.player[0] == 1
    assert tree.spent[0].tolist() == [100, 50]
    assert tree.words(0) == ["f", "c", "r300"]
    assert tree.words(tree.find("c")) == ["c", "r300"]
    assert tree.words(tree.find("c c /")) == ["c", "b19900"]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: no_limit_tree(0, 10, 3, Sizing((None,) * 4)), "the pot is 0"),
        (lambda: no_limit_tree(10, 10, 0, Sizing((None,) * 4)), "street 0"),
        (lambda: no_limit_tree(10, 10, 3, Sizing((None,) * 4)), "no menu for the river"),
        (lambda: limit_tree(load_rules("nolimit-holdem")), "no fixed limits"),
        (lambda: limit_tree(load_rules("holdem.limit.3p")), "3 players"),
        (lambda: limit_tree(load_rules("limit-holdem"), 1), "the pot is 0"),
        (lambda: limit_tree(load_rules("limit-holdem"), 9, 20), "no 9"),
        (lambda: game_tree(load_rules("leduc"), Sizing((None,) * 4)), "fixed limits"),
        (lambda: river(10, 10, "a").counts((1, 48)), "boards of 2 streets"),
    ],
)
def test_refusals(build: Any, message: str) -> None:
    with pytest.raises(BettingError, match=message):
        build()


@settings(max_examples=60, deadline=None)
@given(spot_trees())
def test_laws_of_every_tree(tree: BettingTree) -> None:
    nodes = np.arange(tree.num_nodes)
    assert (tree.parent[1:] < nodes[1:]).all()
    assert (tree.spent <= tree.stack).all()
    assert (tree.spent >= 0).all()
    assert (tree.spent[1:] >= tree.spent[tree.parent[1:]]).all()
    counts = tree.counts()
    assert counts.nodes == tree.num_nodes
    assert int(tree.num_children.sum()) == tree.num_nodes - 1
    ends = np.isin(tree.kind, (SHOWDOWN, FOLD))
    assert (tree.num_children[ends] == 0).all()
    assert (tree.num_children[tree.kind == CHANCE] == 1).all()
    level = tree.spent[:, 0] == tree.spent[:, 1]
    assert level[(tree.kind == SHOWDOWN) | (tree.kind == CHANCE)].all()
    for node in nodes[tree.kind == DECISION]:
        children = tree.children(int(node))
        assert (tree.parent[children.start : children.stop] == node).all()
        actions = tree.action[children.start : children.stop].tolist()
        assert all(a < b for a, b in pairwise(actions))  # fold, call, then bets ascending
        facing = tree.spent[node].max() > tree.spent[node, tree.player[node]]
        assert actions[: 1 + facing] == ([-1, 0] if facing else [0])


@settings(max_examples=25, deadline=None)
@given(spot_trees())
def test_lines_lead_back(tree: BettingTree) -> None:
    for node in range(0, tree.num_nodes, 1 + tree.num_nodes // 200):
        assert tree.find(tree.line(node)) == node

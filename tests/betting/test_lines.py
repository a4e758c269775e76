"""Trees given line by line: the same as a menu's, refusals, spots that carry lines."""

import tomllib

import numpy as np
import pytest

import endspiel as es
from endspiel.betting.lines import format_line, parse_line
from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.betting.no_limit import no_limit_tree
from endspiel.betting.tree import CHANCE, BettingTree
from endspiel.errors import BettingError, FileError
from endspiel.games.spot import parse_spot
from tests.games.spots import DATA

NO_MENUS = (None, None, None, None)
COLUMNS = ("kind", "player", "street", "spent", "parent", "first_child", "num_children", "action")


def sizing(*lines: str) -> Sizing:
    return Sizing(NO_MENUS, lines=tuple(map(parse_line, lines)))


def line_of(tree: BettingTree, node: int) -> str:
    """What each action leaves its player with, from the root to a node."""
    chips: list[int] = []
    while node:
        parent = int(tree.parent[node])
        if tree.kind[parent] != CHANCE:
            chips.append(int(tree.spent[node, tree.player[parent]]))
        node = parent
    return " ".join(map(str, reversed(chips)))


@pytest.mark.parametrize("street", [1, 2, 3])
def test_the_lines_of_a_menu_are_its_tree(street: int) -> None:
    menu = StreetMenu.parse("50%, a", "60%", donk="33%")
    wanted = no_limit_tree(100, 250, street, Sizing((menu,) * 4, max_raises=3))
    bets = [node for node in range(1, wanted.num_nodes) if wanted.action[node] > 0]
    tree = no_limit_tree(100, 250, street, sizing(*(line_of(wanted, node) for node in bets)))
    for column in COLUMNS:
        assert np.array_equal(getattr(tree, column), getattr(wanted, column)), column


def test_only_the_line_that_was_given_has_the_bet() -> None:
    tree = no_limit_tree(100, 900, 2, sizing("50 150", "0 50 50 250"))
    assert tree.words(tree.find("")) == ["c", "b50"]
    assert tree.words(tree.find("b50")) == ["f", "c", "r150"]
    assert tree.words(tree.find("b50 r150")) == ["f", "c"]
    assert tree.words(tree.find("c b50 c /")) == ["c", "b200"]
    assert tree.words(tree.find("b50 c /")) == ["c"]


def test_a_line_may_stop_anywhere_and_end_in_a_call() -> None:
    one = no_limit_tree(100, 900, 3, sizing("50 150 900"))
    two = no_limit_tree(100, 900, 3, sizing("50", "50 150", "50 150 900 900"))
    assert one.num_nodes == two.num_nodes
    assert (one.kind == two.kind).all()
    assert one.words(one.find("b50 r150 r900")) == ["f", "c"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("50 20", "20 after '50' in line '50 20': less than the 50 of a call"),
        ("1000", "more than the 900"),
        ("0 0 50", "the betting is over"),
        ("900 900 900", "the betting is over"),
    ],
)
def test_a_line_that_cannot_be_is_named(line: str, said: str) -> None:
    with pytest.raises(BettingError, match=said):
        no_limit_tree(100, 900, 3, sizing(line))


@pytest.mark.parametrize("text", ["0 x", "-5", "1.5", "²"])
def test_a_line_is_of_whole_numbers(text: str) -> None:
    with pytest.raises(BettingError, match="whole numbers"):
        parse_line(text)


def test_a_spot_of_lines_is_kept_in_its_file() -> None:
    content = {
        "board": "Qs Jh 2h 4c 7d",
        "pot": 200,
        "stack": 300,
        "ranges": ["AA-TT,AJs", "AQs+,JJ-77"],
        "lines": ["0 100 300", "150 300"],
    }
    spot = parse_spot(content)
    assert [format_line(line) for line in spot.sizing.lines] == content["lines"]
    again = parse_spot(tomllib.loads(spot.dump()))
    assert again == spot
    assert again.tree().words(0) == ["c", "b150"]
    with pytest.raises(FileError, match="lines are texts"):
        parse_spot(content | {"lines": [1]})
    with pytest.raises(BettingError, match=r"lines\[0\]"):
        parse_spot(content | {"lines": ["0 b"]})


def test_a_spot_of_lines_is_solved_like_its_menu() -> None:
    with_menu = es.load_spot(DATA / "river_b.toml")
    tree = with_menu.tree()
    bets = [node for node in range(1, tree.num_nodes) if tree.action[node] > 0]
    lines = sizing(*(line_of(tree, node) for node in bets))
    with_lines = es.Spot(with_menu.board, with_menu.pot, with_menu.stack, with_menu.ranges, lines)
    found = [es.solve(spot, iterations=20) for spot in (with_menu, with_lines)]
    assert found[0].exploitability == found[1].exploitability

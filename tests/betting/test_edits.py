"""Trees of menus with single nodes edited: sizes added and removed, and nothing else changed."""

from pathlib import Path
from typing import Any

import pytest

import endspiel as es
from endspiel.betting.edits import NodeEdit, parse_edit
from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.betting.no_limit import no_limit_tree
from endspiel.betting.tree import BettingTree
from endspiel.errors import BettingError, EndspielError

MENU = StreetMenu.parse("50%, 100%", "a")
SPOT: dict[str, Any] = {
    "board": "Qs Jh 2h 4c",
    "pot": 200,
    "stack": 900,
    "ranges": ["QQ,AJs,T9s", "JJ,KQo,A5s"],
    "turn": {"bet": "50%", "raise": "a"},
    "river": {"bet": "50%", "raise": "a"},
}


def tree(*edits: str) -> BettingTree:
    sizing = Sizing((None, None, MENU, MENU), edits=tuple(map(parse_edit, edits)))
    return no_limit_tree(200, 900, 2, sizing)


def lines(made: BettingTree) -> set[str]:
    return {made.line(node) for node in range(made.num_nodes)}


def test_a_size_is_added_at_one_node_and_the_menu_goes_on_below_it() -> None:
    made, plain = tree("c b100 c / c: +150"), tree()
    new = lines(made) - lines(plain)
    assert lines(plain) < lines(made)
    assert all(line.startswith("c b100 c / c b150") for line in new)
    assert made.words(made.find("c b100 c / c")) == ["c", "b150", "b200", "b400"]
    assert made.words(made.find("c b100 c / c b150")) == ["f", "c", "r800"]
    assert made.words(made.find("b100 c / c")) == ["c", "b200", "b400"]


def test_a_size_is_removed_with_all_that_follows() -> None:
    made, plain = tree(": -100"), tree()
    assert made.words(0) == ["c", "b200"]
    gone = lines(plain) - lines(made)
    assert gone == {line for line in lines(plain) if line.split()[:1] == ["b100"]}


def test_edits_lie_below_edits() -> None:
    made = tree(": +50", "b50: +120 -900")
    assert made.words(0) == ["c", "b50", "b100", "b200"]
    assert made.words(made.find("b50")) == ["f", "c", "r120"]


@pytest.mark.parametrize(
    ("edits", "words"),
    [
        ([": -70"], "no bet of 70 to remove at the start: there is 100, 200"),
        ([": +901"], "no bet of 901 at the start: it is 1 to 900 chips"),
        (["b100: +150"], "no bet of 150 after 'b100': it is 200 to 900 chips"),
        (["b70: +300"], "no 'b70' at the start: there are c, b100, b200"),
        (["b100 f: +300"], "no player decides after 'b100 f'"),
        (["c c: +300"], "no player decides after 'c c'"),
        ([": +50", ": +60"], "a node has two edits"),
    ],
)
def test_edits_that_do_not_fit_are_refused(edits: list[str], words: str) -> None:
    with pytest.raises(BettingError, match=words):
        tree(*edits)


@pytest.mark.parametrize("text", ["", "b100", "b100:", "b100: 50", "b100: +5x", ": + 50"])
def test_what_is_no_edit_is_refused(text: str) -> None:
    with pytest.raises(BettingError, match="NODE: "):
        parse_edit(text)


def test_an_edit_is_written_as_it_is_read() -> None:
    for text in ("c b100: +150 -300", ": +5"):
        assert str(parse_edit(text)) == text
    assert parse_edit("c  b100:-300 +150") == NodeEdit("c b100", (150,), (300,))


def test_a_spot_file_has_edits_and_a_solution_remembers_them(tmp_path: Path) -> None:
    spot = es.parse_spot(SPOT | {"edits": ["c: +300 -100"]})
    again = es.load_spot(_saved(spot, tmp_path / "spot.toml"))
    assert again == spot != es.parse_spot(SPOT)
    solution = es.solve(spot, iterations=2)
    es.save_solution(tmp_path / "s.es", solution)
    assert es.load_solution(tmp_path / "s.es").view("c").actions == ("c", "b300")


def _saved(spot: es.Spot, path: Path) -> Path:
    spot.save(path)
    return path


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"edits": "c: +300"}, "edits"),
        ({"edits": [3]}, "edits are texts"),
        ({"edits": ["c +300"]}, r"edits\[0\]: no edit"),
        ({"edits": ["c: +300"], "lines": ["0 0"]}, "line by line"),
    ],
)
def test_a_spot_file_says_what_is_wrong_with_its_edits(more: dict[str, Any], words: str) -> None:
    with pytest.raises(EndspielError, match=words):
        es.parse_spot(SPOT | more)

"""Views of a node whose numbers are known by hand, and the files they are written to."""

import csv
import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from endspiel.cards.deck import hand_index
from endspiel.cards.text import parse_cards
from endspiel.errors import FileError
from endspiel.solving.node_files import COLUMNS, write_csv, write_nodes
from endspiel.solving.views import NodeView, action_name

HANDS = ("AhKh", "QcQd", "7s2c")


def view() -> NodeView:
    """Three hands facing 50 into 150; the last of them meets no hand of the opponent."""
    return NodeView(
        node="b50",
        board=tuple(parse_cards("Ks Th 7h 4d 2s")),
        player=1,
        pot=150,
        to_call=50,
        actions=("f", "c"),
        hands=np.array([hand_index(*parse_cards(hand)) for hand in HANDS]),
        reach=np.array([1.0, 0.5, 0.5]),
        met=np.array([3.0, 2.0, 0.0]),
        strategy=np.array([[0.25, 1.0, 0.5], [0.75, 0.0, 0.5]]),
        find_action_ev=lambda: np.array([[0.0, 0.0, np.nan], [60.0, -20.0, np.nan]]),
        find_equity=lambda: np.array([0.8, 0.3, np.nan]),
    )


def test_a_notebook_draws_shares_and_reach() -> None:
    cells = {
        cell.split(' title="')[1].split()[0]: cell
        for cell in view()._repr_html_().split("<td")
        if ' title="' in cell
    }
    assert "fold 25%, call 75%" in cells["AKs"]
    assert "0.0% 25.0%" in cells["AKs"]
    assert "25.0% 100.0%" in cells["AKs"]
    assert "bottom/100% 100%" in cells["AKs"]
    assert "fold 100%, call 0%" in cells["QQ"]
    assert "bottom/100% 50%" in cells["QQ"]  # half as often here


def test_hands_weigh_by_their_reach_and_what_they_meet() -> None:
    here = view()
    assert here.weight == pytest.approx([0.75, 0.25, 0.0])
    assert here.frequencies == pytest.approx([0.25 * 0.75 + 0.25, 0.75 * 0.75])
    assert here.ev[:2] == pytest.approx([45.0, 0.0])
    assert here.mean(here.ev) == pytest.approx(0.75 * 45)
    assert here.mean(here.equity) == pytest.approx(0.75 * 0.8 + 0.25 * 0.3)


def test_a_mean_over_some_hands_is_by_weight_and_plain_where_there_is_none() -> None:
    here = view()
    assert here.over(np.array([1.0, 5.0, np.nan]), np.arange(3)) == pytest.approx(2.0)
    assert here.over(np.array([1.0, 5.0, 9.0]), np.array([1])) == pytest.approx(5.0)
    assert here.over(np.array([1.0, 5.0, 9.0]), np.array([2])) == pytest.approx(9.0)
    nobody = replace(here, met=np.zeros(3))
    assert nobody.over(np.array([1.0, 5.0, 9.0]), np.array([0, 2])) == pytest.approx(5.0)


def test_a_node_that_nobody_gets_to_has_no_frequencies() -> None:
    nobody = replace(view(), met=np.zeros(3))
    assert (nobody.weight == 0).all()
    assert len(nobody.frequencies) == 2
    assert np.isnan(nobody.frequencies).all()
    assert math.isnan(nobody.mean(np.ones(3)))
    assert nobody.summary()["actions"] == {"f": None, "c": None}
    assert nobody.summary()["ev"] is None


def test_values_by_hand_are_zero_for_hands_not_held() -> None:
    here = view()
    values = here.by_hand(np.array([1.0, 2.0, 3.0]))
    assert values.shape == (1326,)
    assert values[here.hands] == pytest.approx([1.0, 2.0, 3.0])
    assert values.sum() == 6.0


def test_chosen_hands_are_the_places_of_a_range() -> None:
    assert view().chosen("QQ,72o").tolist() == [1, 2]
    assert view().chosen("AKs").tolist() == [0]


def test_the_summary_and_the_rows() -> None:
    here = view()
    assert here.summary() == {
        "node": "b50",
        "board": "Ks Th 7h 4d 2s",
        "player": 1,
        "pot": 150,
        "to_call": 50,
        "actions": {"f": pytest.approx(0.4375), "c": pytest.approx(0.5625)},
        "ev": pytest.approx(33.75),
        "equity": pytest.approx(0.675),
    }
    first, second, third = here.rows()
    assert first == {
        "hand": "AhKh",
        "weight": 1.0,
        "f": 0.25,
        "c": 0.75,
        "ev": 45.0,
        "ev_share": pytest.approx(0.3),
        "equity": 0.8,
        "ev f": 0.0,
        "ev c": 60.0,
    }
    assert (second["hand"], second["weight"], second["ev c"]) == ("QdQc", 0.5, -20.0)
    for name in ("ev", "ev_share", "equity", "ev f", "ev c"):
        assert third[name] is None
    assert list(here.rows(np.array([1]))) == [second]
    assert here.record() == here.summary() | {"hands": [first, second, third]}


@pytest.mark.parametrize(
    ("word", "to_call", "name"),
    [
        ("f", 50, "fold"),
        ("c", 50, "call"),
        ("c", 0, "check"),
        ("b100", 0, "bet 100"),
        ("r300", 50, "raise to 300"),
    ],
)
def test_actions_have_names(word: str, to_call: int, name: str) -> None:
    assert action_name(word, to_call) == name


def cells(path: Path) -> list[list[str]]:
    with path.open(newline="") as file:
        return list(csv.reader(file))


def test_one_node_as_csv_has_a_column_for_each_action(tmp_path: Path) -> None:
    path = tmp_path / "node.csv"
    write_csv(path, [view()], False)
    names = ["hand", "weight", "f", "c", "ev", "ev_share", "equity", "ev f", "ev c"]
    assert cells(path) == [
        names,
        ["AhKh", "1.0", "0.25", "0.75", "45.0", "0.3", "0.8", "0.0", "60.0"],
        ["QdQc", "0.5", "1.0", "0.0", "0.0", "0.0", "0.3", "0.0", "-20.0"],
        ["7s2c", "0.5", "0.5", "0.5", "", "", "", "", ""],
    ]


def test_many_nodes_as_csv_have_a_row_for_each_action(tmp_path: Path) -> None:
    path = tmp_path / "nodes.csv"
    write_csv(path, [view(), replace(view(), node="c b50")], True)
    header, *rows = cells(path)
    assert header == list(COLUMNS)
    assert len(rows) == 2 * 3 * 2
    board = "Ks Th 7h 4d 2s"
    assert rows[0] == ["b50", board, "1", "AhKh", "1.0", "0.8", "f", "0.25", "0.0"]
    assert rows[1] == ["b50", board, "1", "AhKh", "1.0", "0.8", "c", "0.75", "60.0"]
    assert rows[5] == ["b50", board, "1", "7s2c", "0.5", "", "c", "0.5", ""]
    assert [row[0] for row in rows] == ["b50"] * 6 + ["c b50"] * 6


def test_nodes_as_json(tmp_path: Path) -> None:
    path = tmp_path / "nodes.json"
    write_nodes(path, [view()], False)
    assert json.loads(path.read_text()) == view().record()
    assert path.read_text().endswith("}\n")
    both = [view(), replace(view(), node="c b50")]
    write_nodes(path, both, True)
    assert json.loads(path.read_text()) == [here.record() for here in both]
    assert len(path.read_text().splitlines()) == 4  # brackets, and a line for each node


def test_what_cannot_be_written_is_named(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "node"
    message = rf"^cannot write {path}: No such file or directory$"
    with pytest.raises(FileError, match=message):
        write_csv(path, [view()], False)
    with pytest.raises(FileError, match=message):
        write_nodes(path, [view()], False)

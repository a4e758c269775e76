"""Answers to bets outside the abstraction, on a very short deck: the code that fills Table 2."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from endspiel.errors import GameError
from endspiel.reproduce import nlfh_table2
from endspiel.reproduce.nlfh_nested import Answers
from endspiel.reproduce.nlfh_nested_game import MISSING, NestedGame
from endspiel.reproduce.nlfh_torch import TorchWhole
from endspiel.solvers import board_tensors

GAME = NestedGame(2)
EFFORT = nlfh_table2.Effort(base=150, endgame=100, device="torch-cpu")


def test_tree_is_the_papers() -> None:
    tree = GAME.betting
    decisions = tree.street_counts()[0]
    assert decisions[:2].tolist() == [8, 560]
    assert tree.spent.max() < tree.stack  # stacks never matter
    assert sum(bet == MISSING for bet in GAME.bet) == sum(bet == 0 for bet in GAME.bet)


def test_parts_leave_out_the_missing_bet() -> None:
    for players, lines in (((0, 1), 5), ((0,), 6), ((1,), 6), ((), 7)):
        preflop, flop = GAME.part(*players).whole.streets
        assert len(flop.starts) == len(preflop.out) == lines
        for player in (0, 1):
            missing = [GAME.missing_bet(node) for node in flop.decisions[player]]
            found = GAME.sequences(flop, player, GAME.without(*players))
            assert all((node in found) != (player in players) for node in missing if node >= 0)


@pytest.fixture(scope="module", autouse=True)
def _quick() -> Iterator[None]:
    """Numbers near zero would take a processor far longer than others."""
    try:
        import torch
    except ImportError:
        yield
        return
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    yield
    torch.set_flush_denormal(False)
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("table")


@pytest.fixture(scope="module")
def table(folder: Path) -> dict[str, Any]:
    pytest.importorskip("torch")
    return nlfh_table2.run(GAME.ranks, EFFORT, folder, lambda text: None)


@pytest.fixture(scope="module")
def base(table: dict[str, Any], folder: Path) -> TorchWhole:
    records = nlfh_table2.Records(folder)
    return nlfh_table2.Table(GAME, EFFORT, records, lambda text: None)._base()


def test_every_row_is_filled(table: dict[str, Any]) -> None:
    found = table["exploitability"]
    assert list(found) == list(nlfh_table2.ROWS)
    # The opponent has all of the base game's actions and more.
    assert all(gap >= table["base"] - 1e-3 for gap in found.values())
    assert found["maxmargin"] < found[nlfh_table2.FORGETFUL]


def test_translation_mixes_as_the_mapping_says() -> None:
    nodes = GAME.taken_for(0)
    tree = GAME.betting
    for node, choice in nodes.items():
        assert sum(chance for _, chance in choice) == pytest.approx(1)
        assert all(tree.kind[taken] == tree.kind[node] for taken, _ in choice)
        words = tree.line(node).split()
        if not any(GAME.bet[n] == MISSING for n in _path(node)):
            assert choice == [(node, 1.0)], words
    first = tree.find("r250")
    (small, low), (large, high) = nodes[first]
    assert (tree.line(small), tree.line(large)) == ("r200", "r300")
    assert low == pytest.approx(0.25 * 1.5 / (0.5 * 1.75))
    assert high == pytest.approx(1 - low)


def _path(node: int) -> list[int]:
    return [node, *_path(int(GAME.betting.parent[node]))] if node > 0 else []


@pytest.mark.parametrize("remember", [True, False])
def test_translation_of_known_bets_is_the_base(base: TorchWhole, remember: bool) -> None:
    whole = TorchWhole(GAME.part(0), base.flop.boards)
    nlfh_table2.translate(GAME, base, whole, 0, remember)
    known, allowed = GAME.without(0, 1), GAME.without(0)
    ours = whole.flop.spread_average(0)
    theirs = base.flop.spread_average(0)
    rows = GAME.sequences(whole.flop.street, 0, allowed)
    for node, sequence in GAME.sequences(base.flop.street, 0, known).items():
        row = whole.flop.sides[0].row[rows[node]] - whole.flop.lines
        other = base.flop.sides[0].row[sequence] - base.flop.lines
        # Where the base never comes, sums are zero and behavior is even in both.
        assert np.allclose(ours[row], theirs[other], atol=1e-5)


def test_missing_bets_are_answered_to_the_end(base: TorchWhole) -> None:
    answers = Answers(GAME, base, 0, 2)
    before, found = answers.solve("maxmargin")
    assert [GAME.betting.line(node) for node in before] == ["r250"]
    assert len(found) == 3  # the flop, a missing bet on it, and one after it
    for solved in found[1:]:
        assert all(GAME.bet[start] == MISSING for start in solved.street.starts)


def test_unknown_technique_is_refused(base: TorchWhole) -> None:
    with pytest.raises(GameError, match="no technique 'luck'"):
        Answers(GAME, base, 0, 1).solve("luck")


def test_table_goes_on_from_its_folder(table: dict[str, Any], folder: Path) -> None:
    said: list[str] = []
    assert nlfh_table2.run(GAME.ranks, EFFORT, folder, said.append) == table
    assert said == []


def test_report_puts_the_paper_beside_ours(table: dict[str, Any]) -> None:
    text = nlfh_table2.report(table)
    for name, gap in table["exploitability"].items():
        assert f"{name:26}" in text
        assert f"{gap:.4f}" in text
    assert "146.5" in text


def test_missing_torch_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(board_tensors, "import_module", missing)
    with pytest.raises(GameError, match=r"needs torch: endspiel\[gpu\]"):
        nlfh_table2.run(2, EFFORT)

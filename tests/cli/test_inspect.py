"""``endspiel inspect``: every kind of file, nodes of a blueprint, damaged and foreign files."""

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from endspiel.arena.estimators.real_strategy import load_strategy
from endspiel.blueprint.blueprint import Blueprint
from endspiel.blueprint.file_figures import inspect_file
from endspiel.cli.inspect import inspect
from endspiel.engine.limits import Limits
from endspiel.errors import BettingError, CardError, EndspielError, FileError, RangeError
from endspiel.games.registry import load_game
from endspiel.solvers.solve import solve
from tests.blueprint_fixture import small_abstraction, small_blueprint

APP = typer.Typer()
APP.command()(inspect)


def run(*arguments: object) -> str:
    result = CliRunner().invoke(APP, [str(argument) for argument in arguments])
    if result.exception is not None:
        raise result.exception
    return result.output


def read(*arguments: object) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(*arguments, "--json", "-"))
    return found


@pytest.fixture(scope="module")
def blueprint(tmp_path_factory: pytest.TempPathFactory) -> Blueprint:
    return small_blueprint(tmp_path_factory.getbasetemp())


@pytest.mark.parametrize("name", ["limit-holdem", "nolimit-holdem"])
def test_shipped_strategies_go_by_the_names_that_exploit_takes(name: str) -> None:
    shipped = load_strategy(name)
    assert isinstance(shipped, Blueprint)
    told = read(name)
    assert told["file"] == str(shipped.path)
    assert told["game"] == shipped.game.name
    assert told["checksum"] == inspect_file(name)["checksum"]


def test_strategies_without_a_file_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, blueprint: Blueprint
) -> None:
    with pytest.raises(FileError, match="limit-holdem:always-call follows from the rules"):
        run("limit-holdem:always-call")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "limit-holdem").write_bytes(blueprint.path.read_bytes())
    assert read("limit-holdem")["method"] == "random"  # a file of that name comes first


def test_a_blueprint(blueprint: Blueprint) -> None:
    told = read(blueprint.path)
    assert told["kind"] == "blueprint"
    assert told["exploitability"] == 1.25
    assert told["method"] == "random"
    assert told["iterations"] == 2
    assert told["checksum"] == blueprint.verify()
    assert told["buckets"] == [4, 12, 24, 48]
    assert told["nodes"] == blueprint.tree.num_nodes
    assert told["infosets"] == sum(
        count * size
        for count, size in zip(told["decisions_by_street"], told["buckets"], strict=True)
    )
    assert told["rules"].startswith("GAMEDEF\nnolimit\n")
    text = run(blueprint.path)
    assert "1.25 big blinds a hand" in text
    assert "verified" in text
    assert "Player 1 decides first (preflop): pot 150, 50 to call" in text
    assert len([line for line in text.splitlines() if line[:2] in ("A ", "2 ")]) == 2  # the chart


def test_a_node(blueprint: Blueprint) -> None:
    asked = ("--line", "r300 c / c", "--board", "Qs7h2d", "--hand", "AhKh,22")
    node = read(blueprint.path, *asked)["node"]
    assert (node["street"], node["pot"], node["to_call"]) == ("flop", 600, 0)
    assert [row["hand"] for row in node["hands"]] == ["2h2c", "2s2c", "2s2h", "AhKh"]
    for row in node["hands"]:
        at = blueprint.tree.find("r300 c / c")
        assert list(row["strategy"].values()) == blueprint.row(at, row["bucket"]).tolist()
    assert sum(node["actions"].values()) == pytest.approx(1)
    text = run(blueprint.path, *asked)
    assert "Player 1 decides after 'r300 c / c' (flop on Qs 7h 2d): pot 600" in text
    assert "AhKh" in text
    pure = read(blueprint.path, *asked, "--post", "purify")["node"]["hands"]
    assert all(sorted(row["strategy"].values()) == [0, 0, 1] for row in pure)


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (("--line", "r300 x"), BettingError, "no 'x' after 'r300'"),
        (("--line", "r300 c"), BettingError, "cards are dealt after 'r300 c'"),
        (("--line", "f"), BettingError, "the hand is over after 'f'"),
        (("--line", "r300 c /"), CardError, "on the flop, whose board has 3 cards, not 0"),
        (("--board", "Qs7"), CardError, "7"),
        (("--hand", "ZZ"), RangeError, "ZZ"),
        (("--post", "best"), EndspielError, "no post-processing 'best'"),
    ],
)
def test_what_cannot_be_looked_up(
    blueprint: Blueprint, arguments: tuple[str, ...], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        run(blueprint.path, *arguments)


def test_an_abstraction(tmp_path: Path) -> None:
    path = tmp_path / "cards.es"
    small_abstraction().save(path)
    told = read(path)
    assert (told["kind"], told["branching"], told["compact"]) == (
        "card abstraction",
        "4-3-2-2",
        True,
    )
    assert "4-3-2-2, perfect recall: 4 / 12 / 24 / 48 buckets" in run(path)
    with pytest.raises(EndspielError, match="only a blueprint has lines to look up"):
        run(path, "--line", "c")


def test_a_solution_and_a_checkpoint(tmp_path: Path) -> None:
    kuhn, checkpoint = load_game("kuhn"), tmp_path / "run"
    solution = solve(kuhn, "cfr+", Limits(iterations=50, checkpoint=checkpoint))
    solution.save(tmp_path / "kuhn")
    told = read(tmp_path / "kuhn")
    assert (told["kind"], told["method"], told["iterations"]) == ("solution", "cfr+", 50)
    assert told["exploitability"] == pytest.approx(solution.exploitability)
    assert told["arrays"]["behavior0"]["type"] == "float64"
    assert "array behavior0" in run(tmp_path / "kuhn")
    assert read(checkpoint)["kind"] == "checkpoint"


def test_damaged_and_foreign_files(blueprint: Blueprint, tmp_path: Path) -> None:
    path = tmp_path / "file"
    with pytest.raises(FileError, match="there is no file"):
        run(path)
    path.write_text("board = 'Qs Jh 2h'\n")
    with pytest.raises(FileError, match="damaged or no Endspiel file"):
        run(path)
    damaged = bytearray(blueprint.path.read_bytes())
    damaged[-1000] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(FileError, match="its checksum does not match its content"):
        run(path)
    path.write_bytes(damaged[:-1])
    with pytest.raises(FileError, match="is damaged: it has"):
        run(path)
    with pytest.raises(FileError, match=r"cannot read .*directory"):
        run(tmp_path)

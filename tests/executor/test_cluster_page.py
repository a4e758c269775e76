"""The tables of docs/cluster.md are what their model says."""

from typing import Any

import pytest

from endspiel.games.holdem import limit_holdem
from endspiel.games.registry import load_game
from endspiel.solvers.boards.subgames import flop_tree_of
from tests.benchmark_module import ROOT, load_benchmark

PAGE = (ROOT / "docs" / "cluster.md").read_text()


@pytest.fixture(scope="module")
def model() -> Any:
    return load_benchmark("cluster_model")


def row(name: str, number: int = 0) -> list[str]:
    """The cells of a row of the page by its name, the first such or a later one."""
    rows = [line for line in PAGE.splitlines() if line.startswith(f"| {name} |")]
    return [cell.strip() for cell in rows[number].strip("|").split("|")[1:]]


def counts(name: str, number: int = 0) -> list[int]:
    return [int(cell.replace(",", "")) for cell in row(name, number)]


def said(seconds: float, cell: str) -> str:
    """A time in the unit and with the digits of a cell."""
    number, unit = cell.split()
    digits = len(number.partition(".")[2])
    return f"{seconds / {'s': 1, 'min': 60, 'h': 3600}[unit]:.{digits}f} {unit}"


def test_a_report_of_all_flops(model: Any) -> None:
    found = [model.report(cores) for cores in counts("cores")]
    assert [said(*both) for both in zip(found, row("time"), strict=True)] == row("time")


def test_an_iteration_on_twelve_cards(model: Any) -> None:
    """From the measured ones on one node and on two, which the model gives back."""
    one, two, _ = row("nodes: an iteration, states saved every time")
    tree = load_game("limit-holdem:ranks=3,max_raises=2").cards.tree  # type: ignore[union-attr]
    rivers = [len(flop_tree_of(tree, n).streets[-1]) for n in range(tree.num_boards[1])]
    times = [float(each.split()[0]) for each in (one, two)]
    found = [model.fitted(*times, rivers, nodes) for nodes in counts("nodes")]
    assert found[:2] == pytest.approx(times)
    told = row("an iteration")
    assert [said(*both) for both in zip(found, told, strict=True)] == told


@pytest.mark.parametrize("kind", ["floats", "packed"])
def test_an_iteration_on_all_cards(model: Any, kind: str) -> None:
    cores = counts("cores", 1)
    assert tuple(cores) == model.CORES
    found = [model.iteration(each, kind == "packed") for each in cores]
    assert [said(*both) for both in zip(found, row(kind), strict=True)] == row(kind)


def test_the_work_is_shared_by_rivers(model: Any) -> None:
    rivers, game = model.rivers_by_flop(), limit_holdem()
    assert (len(rivers), sum(rivers)) == (game.num_boards[1], game.num_boards[3])
    assert round(1 / model.share(rivers, 10_000)) == 1086
    assert model.share(rivers, 1) == 1
    assert 4.18e9 < model.traffic() < 4.2e9

"""Batches by other processes: the same digits, files and errors as in this one."""

from pathlib import Path

import pytest

import endspiel as es
import endspiel.executor.executor as executor_module
from tests.batch.rivers import RIVER_CARDS, river

SPOTS = [river(card) for card in RIVER_CARDS]


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is solved in this process where there may be others."""
    monkeypatch.setattr(executor_module, "PATIENCE", 0.0)


@pytest.mark.usefixtures("at_once")
def test_solutions_of_other_processes_are_the_same_to_the_last_bit(tmp_path: Path) -> None:
    spots = [*SPOTS, tmp_path / "none.toml"]
    here = es.solve_many(spots, iterations=20, workers=1)
    there = es.solve_many(spots, iterations=20, workers=2)
    saved = es.solve_many(spots, iterations=20, workers=2, save=tmp_path)
    for one, two, three in zip(here[:4], there[:4], saved[:4], strict=True):
        solutions = [each.solution for each in (one, two, three)]
        assert len({solution.value for solution in solutions}) == 1
        assert len({solution.exploitability for solution in solutions}) == 1
        first, *others = [solution.boards.store.average for solution in solutions]
        assert all((first == other).all() for other in others)
        timeless = [{**each.record, "seconds": 0} for each in (one, two, three)]
        assert timeless[0] == timeless[1] == timeless[2]
    assert here[4].error == there[4].error == f"there is no file {tmp_path / 'none.toml'}"

"""Solutions on disk, and the front door."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import endspiel as es
from endspiel import files
from endspiel.errors import EndspielError, FileError
from endspiel.game import Exploitability
from endspiel.games.toy import coin_toss, kuhn
from endspiel.solvers.methods import METHODS
from endspiel.solvers.solution import Solution
from endspiel.solvers.solve import solve


def test_a_notebook_shows_how_it_was_made() -> None:
    solution = solve(kuhn(), "lp")
    drawn = solution._repr_html_()
    assert "<td>kuhn</td>" in drawn
    assert f"<td>{solution.value:.6g}</td>" in drawn
    assert float(drawn.split("exploitability</th><td>")[1].split("<")[0]) < 1e-9
    assert "&lt;b&gt;" in replace(solution, game="<b>")._repr_html_()


@pytest.mark.parametrize("method", METHODS)
def test_saved_and_loaded_bit_by_bit(method: str, tmp_path: Path) -> None:
    game = kuhn()
    solution = solve(game, method, iterations=30)
    solution.save(tmp_path / "solution")
    again = Solution.load(tmp_path / "solution", game)
    for ours, theirs in zip(solution.profile.behavior, again.profile.behavior, strict=True):
        assert ours.dtype == theirs.dtype
        assert ours.tobytes() == theirs.tobytes()
    assert again.record() == solution.record()
    assert again.trace == solution.trace
    assert again.warnings == solution.warnings


def test_a_solution_of_another_game(tmp_path: Path) -> None:
    solve(kuhn(), iterations=1).save(tmp_path / "solution")
    assert Solution.load(tmp_path / "solution").game == "kuhn"
    with pytest.raises(FileError, match="solves kuhn, not this coin-toss"):
        Solution.load(tmp_path / "solution", coin_toss())


def test_a_solution_with_parts_missing(tmp_path: Path) -> None:
    path = tmp_path / "solution"
    solve(kuhn(), iterations=1).save(path)
    record, arrays = files.load(path, "solution")
    files.save(path, "solution", record, {"behavior0": arrays["behavior0"]})
    with pytest.raises(FileError, match="no whole solution"):
        Solution.load(path)
    files.save(path, "solution", {"trace": [], "warnings": []}, arrays)
    with pytest.raises(FileError, match="no whole solution"):
        Solution.load(path)


def test_unknown_method() -> None:
    with pytest.raises(EndspielError, match=r"no method 'magic': methods are cfr, cfr\+"):
        solve(kuhn(), "magic")


def test_default_limit_and_games_without_stakes() -> None:
    solution = solve(kuhn())
    assert solution.stopped == "target"
    assert solution.exploitability <= 1e-4 * 4
    flat = es.games.build(0, lambda state: es.games.Leaf(3.0))
    solution = solve(flat)
    assert (solution.value, solution.exploitability) == (3.0, 0.0)


def test_exact_methods_mind_the_time() -> None:
    with pytest.raises(EndspielError, match="time limit"):
        solve(es.games.leduc(), "lp", seconds=0)
    with pytest.raises(EndspielError, match="seconds must be"):
        solve(kuhn(), "lp", seconds=-1)


def test_front_door() -> None:
    game = es.games.leduc()
    solution = es.solve(game, method="lp")
    assert solution.value == pytest.approx(-0.0856064240780005, abs=1e-12)
    measured = es.exploitability(game, solution.profile)
    assert isinstance(measured, Exploitability)
    assert measured.mean <= 1e-12
    value, behavior = es.best_response(game, 1, solution.profile)
    assert value == pytest.approx(-solution.value, abs=1e-12)
    assert set(np.unique(behavior)) <= {0.0, 1.0}
    assert es.load_game("kuhn:cards=4").num_infosets == 16
    for name in es.__all__:
        assert getattr(es, name) is not None
        assert name in dir(es)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = es.nothing

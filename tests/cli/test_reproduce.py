"""``endspiel reproduce``: results, words, refusals."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from endspiel.cli.reproduce import reproduce
from endspiel.errors import EndspielError
from endspiel.reproduce import nlfh_table1, nlfh_table2
from endspiel.reproduce.experiments import EXPERIMENTS, run_experiment
from tests.children import finished

app = typer.Typer()
app.command()(reproduce)


def test_json_has_exploitability_by_technique(tmp_path: Path) -> None:
    out = tmp_path / "result.json"
    done = CliRunner().invoke(app, ["coin-toss", "--json", str(out)])
    assert done.exit_code == 0
    assert "reach-maxmargin-improved" in done.stdout
    found = json.loads(out.read_text())["exploitability"]
    assert list(found) == [
        "base",
        "unsafe",
        "resolve",
        "maxmargin",
        "reach-maxmargin",
        "reach-maxmargin-improved",
    ]


def test_json_to_standard_output_is_all_there_is() -> None:
    done = CliRunner().invoke(app, ["coin-toss", "--json", "-"])
    assert json.loads(done.stdout)["value"] == pytest.approx(0)


def test_refusals_name_the_thing(tmp_path: Path) -> None:
    with pytest.raises(EndspielError, match=r"nothing named 'coin'.*coin-toss"):
        run_experiment("coin")
    with pytest.raises(EndspielError, match="coin-toss takes no --out"):
        run_experiment("coin-toss", out=tmp_path)
    with pytest.raises(EndspielError, match="medium"):
        run_experiment("nlfh-table1", size="medium")


@pytest.mark.parametrize(
    ("name", "filled", "effort", "usual"),
    [
        ("nlfh-table1", nlfh_table1.Table1Column, nlfh_table1.Table1Effort, (400, 400)),
        ("nlfh-table2", nlfh_table2.Table2Draft, nlfh_table2.Table2Effort, (600, 100)),
    ],
)
def test_iterations_of_tables_are_options(
    name: str, filled: type, effort: type, usual: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    efforts = []

    def fill(draft: Any, *_: object) -> dict[str, object]:
        efforts.append((draft.game.ranks, draft.effort))
        return {}

    monkeypatch.setattr(filled, "fill", fill)
    few = [name, "--ranks", "3", "--json", "-"]
    for more in ([], ["--iterations", "250"], ["--iterations", "50", "--base-iterations", "300"]):
        assert CliRunner().invoke(app, [*few, *more]).exit_code == 0
    assert efforts == [
        (3, effort(base, endgame)) for base, endgame in (usual, (usual[0], 250), (300, 50))
    ]
    with pytest.raises(EndspielError, match="--base-iterations is at least 1, not 0"):
        run_experiment(name, base_iterations=0)
    with pytest.raises(EndspielError, match="coin-toss takes no --base-iterations"):
        run_experiment("coin-toss", base_iterations=3)


def test_every_experiment_can_be_run_and_worded() -> None:
    names = [f"endspiel.reproduce.{experiment.module}" for experiment in EXPERIMENTS.values()]
    code = f"import importlib\nfor n in {names}:\n m = importlib.import_module(n); m.run; m.report"
    finished([sys.executable, "-c", code])

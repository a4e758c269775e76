"""``endspiel replay``: counts, exit statuses, JSON."""

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from endspiel.cli.replay import replay
from endspiel.errors import FileError
from tests.rules.hands import ACPC, LOGS


def run(*arguments: str) -> Result:
    app = typer.Typer()
    app.command()(replay)
    return CliRunner().invoke(app, list(arguments))


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_a_sound_log(path: Path) -> None:
    result = run(str(path), "--json", "-")
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    assert answer["mismatches"] == 0
    assert answer["hands"] == path.read_text().count("STATE:")
    assert answer["details"] == []


def test_a_tampered_log(tmp_path: Path) -> None:
    text = (ACPC / "dealer-nolimit-seed42.log").read_text()
    log = tmp_path / "tampered.log"
    log.write_text(text.replace(":18197|-18197:", ":18196|-18196:", 1))
    out = tmp_path / "out.json"
    result = run(str(log), "--game", "nolimit-holdem", "--json", str(out))
    assert result.exit_code == 1
    assert f"{log}, line 5: payoffs are 18197|-18197, the log says 18196|-18196" in result.stdout
    assert "100 hands" in result.stdout
    answer = json.loads(out.read_text())
    assert answer["mismatches"] == 1
    assert answer["details"][0]["line"] == 5


def test_what_is_no_log_is_an_error(tmp_path: Path) -> None:
    result = run(str(tmp_path / "missing.log"))
    assert isinstance(result.exception, FileError)

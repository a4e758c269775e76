"""``endspiel replay``: counts, exit statuses, JSON."""

import json
from pathlib import Path

import pytest

from tests.cli.commands import Run, runner
from tests.hostile.surroundings import only_sentence
from tests.rules.hands import ACPC, LOGS


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return runner("replay", monkeypatch, capsys)


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_a_sound_log(path: Path, run: Run) -> None:
    result = run(path, "--json", "-")
    assert result.status == 0, result.err
    answer = result.json
    assert answer["mismatches"] == 0
    assert answer["hands"] == path.read_text().count("STATE:")
    assert answer["details"] == []


def test_a_tampered_log(run: Run, tmp_path: Path) -> None:
    text = (ACPC / "dealer-nolimit-seed42.log").read_text()
    log = tmp_path / "tampered.log"
    log.write_text(text.replace(":18197|-18197:", ":18196|-18196:", 1))
    out = tmp_path / "out.json"
    result = run(log, "--game", "nolimit-holdem", "--json", out)
    assert result.status == 2
    why = "payoffs are 18197|-18197, the log says 18196|-18196"
    assert only_sentence(result.err) == f"endspiel: {log} contradicts the rules: line 5, {why}"
    assert f"{log}, line 5: {why}" in result.out
    assert "100 hands" in result.out
    answer = json.loads(out.read_text())
    assert answer["mismatches"] == 1
    assert answer["details"][0]["line"] == 5
    assert "exit status is 0 if all agrees and 2 otherwise" in " ".join(run("--help").out.split())


def test_what_is_no_log_is_an_error(run: Run, tmp_path: Path) -> None:
    missing = tmp_path / "missing.log"
    result = run(missing)
    assert result.status == 2
    assert str(missing) in only_sentence(result.err)

"""``endspiel abstract`` on a few flops: the file, the report, the refusals."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from endspiel.abstraction.abstraction import load_abstraction
from endspiel.cli.abstract import abstract
from endspiel.errors import FileError
from tests.cli.commands import Run, runner
from tests.hostile.surroundings import only_sentence

SMALL = ("--flops", "3", "--turn-clusters", "8", "--flop-clusters", "8", "--sample", "300")


def run(*arguments: object) -> Any:
    app = typer.Typer()
    app.command()(abstract)
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_a_small_abstraction_is_written_and_reported(tmp_path: Path) -> None:
    out, report = tmp_path / "small.abs", tmp_path / "report.json"
    result = run("--branching", "4-2-2-2", "--out", out, *SMALL, "--json", report)
    assert result.exit_code == 0, result.output
    assert "4-2-2-2, perfect recall: 4 / 8 / 16 / 32 buckets" in result.output
    figures = json.loads(report.read_text())
    assert figures["buckets"] == [4, 8, 16, 32]
    assert figures["streets"]["turn"]["distance"] > 0
    assert {"seconds", "cpu_seconds", "threads", "memory_bytes"} <= figures.keys()
    assert load_abstraction(out).sizes == (4, 8, 16, 32)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.json", "small.abs"]


def test_stages_are_kept_on_request(tmp_path: Path) -> None:
    out, work = tmp_path / "a.abs", tmp_path / "stages"
    options = (*SMALL, "--resume", work, "--keep-work", "--compact", "--json", "-")
    forgetting = ("--imperfect-recall", "--textures", "1-0-1")
    first = run("--branching", "3-2-2-2", "--out", out, *forgetting, *options)
    assert first.exit_code == 0, first.output
    assert json.loads(first.stdout)["textures"] == "1-0-1"
    assert (work / "turn-equities").exists()
    assert load_abstraction(out).is_compact
    assert load_abstraction(out).sizes == (3, 2 * 6, 2, 2 * 9)
    again = run("--branching", "3-2-2-2", "--out", out, *options)
    assert again.exit_code == 0
    assert "equities of turn hands" not in again.stderr


@pytest.fixture
def abstracting(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return runner("abstract", monkeypatch, capsys)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--branching", "8-12"), "four numbers"),
        (("--flops", "0"), "--flops takes a whole number from 1 to 1,755, not 0"),
        (("--turn-clusters", "1"), "--turn-clusters takes a whole number from 2 to 1,000, not 1"),
        (("--textures", "1-1"), "write three digits"),
        (("--textures", "1-1-1"), "textures are of imperfect recall"),
        (("--imperfect-recall", "--textures", "1-2-1"), "have 0 to 2-1-1"),
    ],
)
def test_bad_options_are_refused(
    arguments: tuple[str, ...], complaint: str, tmp_path: Path, abstracting: Run
) -> None:
    outcome = abstracting("--out", tmp_path / "a.abs", *arguments)
    assert outcome.status == 2
    assert complaint in only_sentence(outcome.err)


def test_a_place_that_cannot_be_written_is_refused_at_once(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "no" / "a.abs"):
        result = run("--out", place)
        assert isinstance(result.exception, FileError)


def test_progress_is_plain_off_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from endspiel.cli.progress import Reporter
    from endspiel.progress import Progress

    monkeypatch.setattr(sys.stderr, "isatty", lambda: False, raising=False)
    with Reporter().live() as reporter:
        reporter(Progress("one", 0, 4))
        reporter(Progress("one", 2, 4))
        reporter(Progress("two", 1, 4))
    assert capsys.readouterr().err.splitlines() == [
        "Endspiel: starting",
        "one: 0 of 4, 0.0 s",
        "two: 1 of 4, 0.0 s",
    ]

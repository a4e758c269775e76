"""`endspiel bench`: benchmarks run as scripts of their own, and say how long they took."""

import json
import sys
from pathlib import Path

import pytest

from endspiel.cli import bench, main

SCRIPT = """import sys
from beside import WORD
print(WORD, len(sys.argv))
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A source tree with one benchmark that imports from a file beside it."""
    made = tmp_path / "benchmarks"
    made.mkdir()
    (made / "words.py").write_text(SCRIPT)
    (made / "beside.py").write_text("WORD = 'measured'")
    monkeypatch.setattr(bench, "__file__", str(tmp_path / "src" / "endspiel" / "cli" / "bench.py"))
    monkeypatch.delitem(sys.modules, "beside", raising=False)
    return made


def call(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["endspiel", "bench", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


@pytest.mark.usefixtures("folder")
def test_a_benchmark_sees_no_arguments_and_its_neighbors(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sys.path.copy()
    assert call(monkeypatch, "words", "--json", "-") == 0
    printed = capsys.readouterr()
    assert "measured 1" in printed.err
    result = json.loads(printed.out)
    assert list(result["benchmarks"]) == ["words"]
    assert result["seconds"] >= 0
    assert sys.path == before


@pytest.mark.usefixtures("folder")
def test_without_a_name_they_are_listed_and_not_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "words.py").write_text(f'"""Counts words."""\n{SCRIPT}')
    assert call(monkeypatch) == 0
    assert capsys.readouterr().out.splitlines() == ["beside  ", "words   Counts words."]
    assert call(monkeypatch, "--json", "-") == 0
    assert json.loads(capsys.readouterr().out)["benchmarks"]["words"] == "Counts words."
    assert call(monkeypatch, "--all") == 0
    assert "measured 1" in capsys.readouterr().out
    assert call(monkeypatch, "words", "--all") == 2


@pytest.mark.usefixtures("folder")
def test_unknown_names_are_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, "nothing") == 2
    assert "there are beside, words" in capsys.readouterr().err


def test_an_installed_package_has_none(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in folder.iterdir():
        path.unlink()
    assert call(monkeypatch) == 2
    assert "come with the source" in capsys.readouterr().err

"""What the README shows is what happens."""

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import pytest
import typer

from endspiel.cli.app import app

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(language: str) -> list[str]:
    """The code blocks of a language."""
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_the_library_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (spot,) = blocks("toml")
    Path("spot.toml").write_text(spot)
    small, real, door = blocks("python")
    names: dict[str, Any] = {}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(small, names)
    value, gap = map(float, printed.getvalue().split())
    (said,) = re.findall(r"# (-0\.\d+)\.\.\.", small)
    assert str(value).startswith(said)
    assert gap == pytest.approx(0, abs=1e-9)
    assert "target=0.001" in real
    exec(real.replace("target=0.001", "iterations=2"), names)
    assert set(names["solution"].strategy("", "TsTc")) == {"c", "b100", "b200"}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(door.replace("hands=200", "hands=20, workers=1"), names)
    assert " ± " in printed.getvalue()
    assert float(printed.getvalue().split()[-1]) >= 1 / 3 - 1e-9  # what Maxmargin comes to


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_commands_and_their_options_exist(page: Path) -> None:
    known = typer.main.get_command(app)
    written = re.findall(r"`endspiel\s([a-z][\w-]*)([^`]*)`", page.read_text())
    assert written or page.parent != ROOT
    for name, rest in written:
        command = known.commands[name]  # type: ignore[attr-defined]
        options = {option for parameter in command.params for option in parameter.opts}
        assert set(re.findall(r"--\w[\w-]*", rest)) <= options

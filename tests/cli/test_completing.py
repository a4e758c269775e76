"""What the shell offers: agents with their options, spot files, names."""

import os
import sys
from pathlib import Path

import pytest

from endspiel.cli.completing import complete_agent, complete_spot
from tests.children import output_of

pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("spot.toml", "spare.md", ".spot.toml", "spots/river.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("alw", ["always-fold", "always-call", "always-raise"]),
        ("blueprint+uns", ["blueprint+unsafe-lp", "blueprint+unsafe"]),
        ("blueprint+nested,st", ["blueprint+nested,street="]),
        ("blueprint+nested,street=t", ["blueprint+nested,street=turn"]),
        ("blueprint+unsafe,turn=yes,tu", []),
        ("blueprint+unsafe,hand=", []),
        ("leaky:fol", ["leaky:fold="]),
        ("zzz", []),
    ],
)
def test_agents_are_completed_with_their_options(typed: str, offered: list[str]) -> None:
    assert complete_agent(typed) == offered


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("sp", ["spot.toml", "spots/"]),
        ("spots/", ["spots/river.json"]),
        (".sp", [".spot.toml"]),
        ("nowhere/x", []),
    ],
)
def test_spots_are_completed(typed: str, offered: list[str]) -> None:
    assert complete_spot(typed) == offered


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("solve spo", ["spot.toml", "spots/"]),
        ("report spo", ["spot.toml", "spots/"]),
        ("match always-call pot", ["pot-odds"]),
        ("lbr blueprint --by pot", ["pot-odds"]),
        ("acpc host 1 --agent pot", ["pot-odds"]),
        ("reproduce coin", ["coin-toss"]),
        ("game led", ["leduc"]),
        ("agents --js", ["--json"]),
    ],
)
def test_the_shell_is_answered(line: str, offered: list[str]) -> None:
    typed = f"endspiel {line}"
    asked = {"COMP_WORDS": typed, "COMP_CWORD": str(len(typed.split()) - 1)}
    environment = {**os.environ, "_ENDSPIEL_COMPLETE": "complete_bash", **asked}
    command = [str(Path(sys.executable).with_name("endspiel"))]
    assert output_of(command, env=environment).split() == offered

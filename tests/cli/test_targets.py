"""Targets with a unit: each unit scales the command's own, others are refused in one sentence."""

import pytest
import typer

from endspiel.bounds import BIG_BLINDS, MILLI_BIG_BLINDS, PERCENT, POTS, Units
from endspiel.cli.app import app
from endspiel.cli.targets import TargetReader
from tests.cli.commands import runner
from tests.hostile.surroundings import only_sentence

BARE = {
    "solve": "percent of the pot",
    "report": "percent of the pot",
    "library": "percent of the pot",
    "dataset": "percent of the pot",
    "review": "percent of the pot",
    "book": "pots",
    "exploit": "pots",
    "pushfold": "big blinds",
    "preflop": "big blinds",
    "train": "big blinds",
    "reproduce": "milli big blinds",
    "game": "the game's own units",
}


@pytest.mark.parametrize(
    ("units", "text", "amount", "unit"),
    [
        (PERCENT, "0.3", 0.3, ""),
        (PERCENT, "0.3%", 0.3, "%"),
        (PERCENT, "1e-3%", 0.001, "%"),
        (POTS, "0.003", 0.003, ""),
        (POTS, "0.3%", 0.003, "%"),
        (BIG_BLINDS, "0.005", 0.005, ""),
        (BIG_BLINDS, "5mbb", 0.005, "mbb"),
        (BIG_BLINDS, "5e-3bb", 0.005, "bb"),
        (MILLI_BIG_BLINDS, "0.01bb", 10.0, "bb"),
        (MILLI_BIG_BLINDS, "10mbb", 10.0, "mbb"),
    ],
)
def test_a_unit_scales_the_bare_one(units: Units, text: str, amount: float, unit: str) -> None:
    read = TargetReader(units)(text)
    assert read == pytest.approx(amount, rel=1e-12)
    assert read.unit == unit


def test_every_target_says_its_bare_unit() -> None:
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    found = {
        name: param.help
        for name, command in commands.items()
        for param in command.params
        if "--target" in param.opts
    }
    assert found.keys() == BARE.keys()
    for name, unit in BARE.items():
        assert f"a bare number in {unit}." in found[name]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("solve", "x.toml", "--target", "1mbb"), "--target takes 1% or a bare number in percent"),
        (("pushfold", "--stack", "5", "--target", "1%"), "--target takes 1bb, 1mbb or a bare num"),
        (("game", "kuhn", "--target", "1mbb"), "kuhn pays in units of its own"),
        (
            ("preflop", "--stack", "10", "--prizes", "5,3", "--target", "1mbb"),
            "with --prizes, --target is a bare number",
        ),
        (("solve", "x.toml", "--target", "-1%"), "--target takes a number from 0 to"),
    ],
)
def test_a_unit_that_does_not_fit_is_refused(
    words: tuple[str, ...],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    done = runner(words[0], monkeypatch, capsys)(*words[1:])
    assert done.status == 2
    assert said in only_sentence(done.err)


def test_both_spellings_give_one_result(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = runner("pushfold", monkeypatch, capsys)
    given = ("--stack", 3, "--method", "cfr+", "--json", "-", "--target")
    bare, written = run(*given, "0.01").json, run(*given, "10mbb").json
    assert bare["exploitability"] == written["exploitability"] <= 0.01

"""`--resume PATH` continues every long command; options of earlier releases are all still there."""

import doctest
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from endspiel.cli import usage
from endspiel.cli.app import app
from endspiel.cli.usage import NO_RESUME, RESUME
from tests.cli.commands import runner

OPTIONS = Path(__file__).parents[1] / "data" / "cli" / "options.txt"
# What each long command needs, and its older spellings of the option.
LONG = {
    "solve": (["spot.toml"], ["--checkpoint"]),
    "report": (["spot.toml"], ["--state"]),
    "preflop": (["--stack", "8"], ["--state"]),
    "review": (["hands.txt"], ["--cache"]),
    "match": (["random", "random"], []),
    "dealer": (["leduc", "10", "1"], []),
    "lbr": (["random"], ["--state"]),
    "benchmark": (["slumbot", "URL"], []),
    "slumbot": (["URL"], []),
    "exploit": ([], ["--state"]),
    "abstract": (["--out", "cards.es"], ["--work"]),
    "train": (["--abstraction", "cards.es"], ["--checkpoint"]),
    "train-values": ([], []),
    "book": ([], []),
    "dataset": (["rivers"], []),
    "game": (["kuhn"], ["--checkpoint"]),
    "reproduce": (["arena"], ["--state"]),
}


def command(name: str) -> Any:
    program: Any = typer.main.get_command(app)
    return program.get_command(None, name)


def listed() -> Iterator[tuple[str, list[str]]]:
    """Commands with their options, as they were when the list was made."""
    for part in OPTIONS.read_text().split("\n\n"):
        name, _, options = part.partition(":")
        yield name, options.split()


@pytest.mark.parametrize("name", LONG)
def test_every_long_command_continues_by_one_option(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words, old = LONG[name]
    asked = command(name)
    key = next(param.name for param in asked.params if RESUME in param.opts)
    for spelling in (RESUME, *old):
        for given in ([spelling, "place"], [f"{spelling}=place"]):
            context = asked.make_context(name, [*words, *given])
            assert str(context.params[key]) == "place"
        said = capsys.readouterr().err.splitlines()
        note = f"endspiel: {spelling} is now {RESUME}; the old spelling ends with the next release"
        assert said == ([] if spelling == RESUME else [note] * 2)
    assert not set(old) & set(context.get_help().split())


def test_words_are_respelled() -> None:
    assert doctest.testmod(usage).failed == 0


@pytest.mark.parametrize("name", ["match", "dealer"])
def test_a_log_may_be_continued_as_before(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    words, _ = LONG[name]
    asked = command(name)
    for given in (["--log", "place", RESUME], [RESUME, "--log=place"]):
        context = asked.make_context(name, [*given, *words])
        assert (context.params["resume"], context.params["log"]) == ("place", None)
        assert "--log FILE --resume is now --resume FILE" in capsys.readouterr().err
    assert asked.make_context(name, [*words, RESUME]).params["resume"] == ""
    assert asked.make_context(name, [*words, NO_RESUME]).params["resume"] is None


def test_a_single_spot_keeps_its_old_list_of_finished_spots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    spot = Path(__file__).parents[1] / "data" / "spots" / "none.toml"
    done = runner("solve", monkeypatch, capsys)(spot, "--state", tmp_path / "state")
    assert "endspiel: --state is now --resume" in done.err
    assert (tmp_path / "state").read_text().startswith('{"endspiel"')


@pytest.mark.parametrize(("name", "options"), [pytest.param(*one, id=one[0]) for one in listed()])
def test_no_option_is_gone(name: str, options: list[str]) -> None:
    asked = command(name)
    there = {opt for param in asked.params for opt in (*param.opts, *param.secondary_opts)}
    log = {NO_RESUME} if asked.logs else set()
    assert set(options) - there - set(asked.old) - log == set()

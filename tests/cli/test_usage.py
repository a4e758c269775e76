"""Usage errors are one sentence; every number has bounds, which its option states."""

from collections.abc import Iterator
from typing import Any

import pytest
import typer

from endspiel.cli import main
from endspiel.cli.app import app
from endspiel.cli.usage import bounds_of
from endspiel.errors import EndspielError
from tests.cli.commands import runner
from tests.hostile.surroundings import only_sentence

WRONG = ("nan", "inf", "-inf", "1e300", "-1e300", "99999999999999999999", "x", "")


def commands() -> Iterator[tuple[str, Any]]:
    program: Any = typer.main.get_command(app)
    for name in program.list_commands(None):
        yield name, program.get_command(None, name)


def is_number(param: Any) -> bool:
    """Whether an option or argument is a whole number or a decimal, as each Typer says it."""
    if hasattr(param, "type_descriptor"):
        return param.type_descriptor.annotation in (int, float)
    return param.type.name.split()[0] in ("int", "integer", "float")


NUMBERS = [
    pytest.param(command, param, id=f"{name} {param.opts[0]}")
    for name, command in commands()
    for param in command.params
    if is_number(param)
]


def test_there_are_numbers() -> None:
    assert len(NUMBERS) > 90


@pytest.mark.parametrize(("command", "param"), NUMBERS)
def test_no_number_is_without_bounds(command: Any, param: Any) -> None:
    bounds = bounds_of(param)
    assert bounds is not None
    low, high = bounds
    assert -1e13 < low < high < 1e19
    beyond = [f"{low - 1:.0f}", f"{high + 1:.0f}" if isinstance(low, float) else str(high + 1)]
    for wrong in (*WRONG, *beyond):
        with pytest.raises(EndspielError) as refused:
            command.make_context("endspiel", given(command, param, wrong))
        said = str(refused.value)
        assert " takes a " in said
        assert f"from {low:,.15g} to " in said
        assert said.endswith("Try 'endspiel --help'.")


@pytest.mark.parametrize(
    "words", [("solve", "a\0b"), ("game", "kuhn", "--save", "a\0b"), ("serve", "--host=a\0b")]
)
def test_no_word_may_have_a_nul_byte(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    done = runner(words[0], monkeypatch, capsys)(*words[1:])
    assert done.status == 2
    assert "has a NUL byte" in only_sentence(done.err)


def given(command: Any, param: Any, text: str) -> list[str]:
    """A command line in which one number is a text, and nothing that is needed is missing."""
    needed = [each for each in command.params if each.required and each is not param]
    options = [f"{each.opts[0]}=1" for each in needed if each.opts[0].startswith("-")]
    arguments = ["1" for each in needed if not each.opts[0].startswith("-")]
    if param.opts[0].startswith("-"):
        return [*options, f"{param.opts[0]}={text}", "--", *arguments]
    places = [each for each in command.params if not each.opts[0].startswith("-")]
    arguments.insert(places.index(param), text)
    return [*options, "--", *arguments]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("game", "kuhn", "--foo"), "no such option: --foo. Try 'endspiel game --help'."),
        (("game",), "missing argument 'NAME-or-FILE'. Try 'endspiel game --help'."),
        (("solve", "--iterations"), "requires an argument. Try 'endspiel solve --help'."),
        (("game", "kuhn", "more"), "unexpected extra argument"),
        (("gaem", "kuhn"), "no such command 'gaem'. "),
        (("--foo",), "no such option: --foo. Try 'endspiel --help'."),
        (("game", "kuhn", "--weights", "nan"), "--weights takes a number from 0 to 100"),
        (("game", "kuhn", "--weights", "1e300"), "--weights takes a number from 0 to 100"),
        (
            ("game", "kuhn", "--iterations", "9" * 20),
            "--iterations takes a whole number from 0 to 1,000,000,000",
        ),
        (("serve", "--port", "1.5"), "--port takes a whole number from 0 to 65,535"),
    ],
)
def test_a_usage_error_is_one_sentence(
    words: tuple[str, ...],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    done = runner(words[0], monkeypatch, capsys)(*words[1:])
    assert done.status == 2
    assert done.out == ""
    assert said in only_sentence(done.err)
    assert "Try 'endspiel" in done.err


def test_without_arguments_help_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["endspiel"])
    with pytest.raises(SystemExit):
        main()
    printed = capsys.readouterr()
    assert "train-values" in printed.out + printed.err
    assert "Try 'endspiel" not in printed.err

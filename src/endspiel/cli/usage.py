"""Usage errors: one sentence and where help is, like every other error; bounds of numbers."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import isfinite
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from endspiel.errors import EndspielError

Number = int | float

# The base of all usage errors, click's or that of the copy of click that Typer brings along.
_USAGE_ERROR: Any = typer.BadParameter.__base__


class WrongUnit(typer.BadParameter):
    """A unit that an option does not take; the message says what it takes."""


class Commands(TyperGroup):
    """The program: its own options, and all its commands."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any
    ) -> Any:
        """See click; without arguments help is printed, which is worded as an error, too."""
        if not args:
            return super().make_context(info_name, args, parent, **extra)
        with _in_one_sentence(info_name or "", args):
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: Any) -> Any:
        """See click: commands are found by name here."""
        with _in_one_sentence(ctx.command_path):
            return super().invoke(ctx)


class Command(TyperCommand):
    """One command, whose numbers are finite and within the bounds that its options state."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any
    ) -> Any:
        """See click."""
        if any("\0" in word for word in args):
            raise EndspielError("the command line has a NUL byte, which no name may have")
        path = f"{parent.command_path} {info_name}" if parent else info_name or ""
        with _in_one_sentence(path, args):
            context = super().make_context(info_name, args, parent, **extra)
            params: Any = self.params
            for param in params:
                value = context.params.get(param.name)
                if isinstance(value, float) and not isfinite(value):
                    raise typer.BadParameter(f"{value} is not finite", context, param)
            return context


def bounds_of(param: Any) -> tuple[Number, Number] | None:
    """The least and the largest number that an option or argument takes; None without both."""
    kind = param if hasattr(param, "min") else getattr(param, "type", None)
    kind = getattr(kind, "func", kind)  # a reader of values, as of `targets`
    low, high = getattr(kind, "min", None), getattr(kind, "max", None)
    return None if low is None or high is None else (low, high)


@contextmanager
def _in_one_sentence(path: str, args: Sequence[str] = ()) -> Iterator[None]:
    """Word usage errors as all others are, and name the command whose help says more."""
    given = tuple(args)  # which the parser empties
    try:
        yield
    except _USAGE_ERROR as error:
        where = error.ctx.command_path if error.ctx else path
        raise EndspielError(f"{_sentence(error, given)} Try '{where} --help'.") from error


def _sentence(error: Any, given: Sequence[str]) -> str:
    """What is wrong; of a number, which ones there may be."""
    param = getattr(error, "param", None)
    if isinstance(error, WrongUnit):
        return f"{_name(param)} takes {error.message}."
    bounds = None if param is None or "Missing" in type(error).__name__ else bounds_of(param)
    if bounds is not None:
        low, high = bounds
        kind = "a whole number" if isinstance(low, int) else "a number"
        wrong = f", not {text}" if (text := _given(param, given)) else ""
        return f"{_name(param)} takes {kind} from {_shown(low)} to {_shown(high)}{wrong}."
    text = " ".join(error.format_message().split())
    return text[:1].lower() + text[1:] + ("" if text.endswith((".", "?")) else ".")


def _name(param: Any) -> str:
    """An option as it is typed, an argument as help calls it."""
    return str(param.opts[0] if param.opts[0].startswith("-") else param.metavar or param.name)


def _given(param: Any, given: Sequence[str]) -> str:
    """What stands behind an option on a command line, or nothing."""
    found = ""
    for word, after in zip(given, [*given[1:], ""], strict=True):
        option, equals, value = word.partition("=")
        if option in param.opts:
            found = value if equals else after
    return found


def _shown(number: Number) -> str:
    """``1,000,000``, exactly."""
    return f"{number:,}" if isinstance(number, int) else f"{number:,.15g}"

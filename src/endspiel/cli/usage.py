"""Usage errors: one sentence and where help is, like every other error; bounds of numbers."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import isfinite
from typing import Any, Final

import typer
from typer.core import TyperCommand, TyperGroup

from endspiel.errors import EndspielError

Number = int | float
RESUME: Final = "--resume"  # by which every long command continues
LOG, NO_RESUME = "--log", "--no-resume"  # of commands that write a log

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
    """One command, whose numbers are finite and within the bounds that its options state.

    The option ``--resume`` may list older spellings after it: they work, unseen, with a note.
    """

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.old: list[str] = []
        own: Any = self.params
        for param in own:
            if param.opts[0] == RESUME:
                self.old, param.opts = param.opts[1:], [RESUME]
        self.logs = any(LOG in param.opts for param in own)

    def make_context(
        self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any
    ) -> Any:
        """See click."""
        if any("\0" in word for word in args):
            raise EndspielError("the command line has a NUL byte, which no name may have")
        note = unsaid if extra.get("resilient_parsing") else old_spelling
        args = respelled(args, self.old, self.logs, note)
        path = f"{parent.command_path} {info_name}" if parent else info_name or ""
        with _in_one_sentence(path, args):
            context = super().make_context(info_name, args, parent, **extra)
            params: Any = self.params
            for param in params:
                value = context.params.get(param.name)
                if isinstance(value, float) and not isfinite(value):
                    raise typer.BadParameter(f"{value} is not finite", context, param)
            return context


def old_spelling(old: str, new: str) -> None:
    """Note that an option has another name now."""
    print(
        f"endspiel: {old} is now {new}; the old spelling ends with the next release",
        file=sys.stderr,
    )


def unsaid(old: str, new: str) -> None:
    """No note: a shell completes the line."""


def respelled(
    args: Sequence[str], old: Sequence[str], logs: bool, note: Callable[[str, str], None]
) -> list[str]:
    """Return the words with ``--resume PATH`` in the place of its old spellings.

    Of commands with a log, ``--log FILE --resume`` is one; ``--resume`` alone gets no path.

    Examples:
        >>> respelled(["a", "--state=b", "--", "--state"], ["--state"], False, unsaid)
        ['a', '--resume=b', '--', '--state']
        >>> respelled(["--log", "a", "b", "--resume"], [], True, unsaid)
        ['--resume', 'a', 'b']
    """
    end = args.index("--") if "--" in args else len(args)
    words = [word.partition("=") for word in args[:end]]
    names = [name for name, _, _ in words]
    with_log = logs and LOG in names and RESUME in args[:end]
    if with_log:
        note(f"{LOG} FILE {RESUME}", f"{RESUME} FILE")
    found = list[str]()
    for at, (name, equals, value) in enumerate(words):
        if name in old:
            note(name, RESUME)
        if (logs and name == NO_RESUME) or (with_log and not equals and name == RESUME):
            continue
        alone = at + 1 == len(words) or names[at + 1].startswith("-")
        if logs and alone and not equals and name == RESUME:
            equals = "="
        new = RESUME if name in old or (with_log and name == LOG) else name
        found.append(f"{new}{equals}{value}")
    return [*found, *args[end:]]


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

"""The rule for every hostile input, and a search for one that breaks it.

An input either works or is refused by an `EndspielError` of one sentence; nothing else may escape,
nothing may take longer than `PATIENCE`, and the process must live on.
"""

import random
import signal
import sys
import threading
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

from endspiel.errors import EndspielError
from tests.children import PATIENCE

MOST_WORDS = 800  # characters of a message: it may quote some of what it was given


class TooSlow(BaseException):
    """An input that is worked on for too long."""


@dataclass(frozen=True)
class Target:
    """Something that reads what others wrote."""

    name: str
    sound: tuple[Any, ...]  # inputs that work
    spoil: Callable[[Any, random.Random], Any]  # a hostile version of one
    use: Callable[[Any], object]  # reads it, and does with it what is done with such things


def outcome(target: Target, given: Any) -> str:
    """``works``, or the error's name; AssertionError where the rule is broken."""
    try:
        with _patience(), warnings.catch_warnings():
            warnings.simplefilter("error")
            target.use(given)
        return "works"
    except EndspielError as error:
        refusal = error
    except TooSlow:
        raise AssertionError(f"{target.name} hangs on {_shown(given)}") from None
    except Exception as error:
        raise AssertionError(f"{target.name} lets {error!r} escape on {_shown(given)}") from error
    told = len(str(refusal).strip())
    assert 0 < told < MOST_WORDS, f"{target.name} refuses {_shown(given)} in {told} characters"
    return type(refusal).__name__


def search(target: Target, seed: int, count: int) -> Counter[str]:
    """Try so many hostile versions of a target's inputs; how often each outcome was met."""
    rng, met = random.Random(f"{target.name} {seed}"), Counter[str]()
    for _ in range(count):
        met[outcome(target, target.spoil(rng.choice(target.sound), rng))] += 1
    return met


def _shown(given: Any) -> str:
    text = repr(given)
    return text if len(text) < 2000 else f"{text[:1500]} ... {text[-300:]}"


@contextmanager
def _patience() -> Iterator[None]:
    """Give up on what takes too long."""
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield
        return

    def give_up(number: int, frame: FrameType | None) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)

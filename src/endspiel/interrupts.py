"""Ctrl-C, put off: noticed between steps, or held back while something is written.

Signals reach the main thread alone; elsewhere nothing is changed. A second Ctrl-C is not put off.
The command treats SIGTERM, by which containers and schedulers stop a program, like Ctrl-C.
"""

import _thread
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from types import FrameType

INTERRUPTED, TERMINATED = 130, 143  # exit statuses: 128 and the number of SIGINT or SIGTERM
# Seconds in which a second SIGTERM is the first one once more: GNU timeout sends one to the
# process and one to its group.
_REPEATED = 1.0
_LATER = 0.05  # seconds after which an interruption that was lost is raised again


class _Terminations:
    """When SIGTERM last came to the command that runs."""

    def __init__(self) -> None:
        self.last: float | None = None

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Take a SIGTERM for a Ctrl-C."""
        now = monotonic()
        repeated = self.last is not None and now - self.last < _REPEATED
        self.last = now
        if not repeated:
            _interrupt()


_terminations = _Terminations()


@contextmanager
def stoppable() -> Iterator[None]:
    """Let SIGTERM do what Ctrl-C does while inside, and neither of them be lost.

    `stop_status` says which of them it was.
    """
    _terminations.last = None
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before, unraised = signal.signal(signal.SIGTERM, _terminations), sys.unraisablehook
    sys.unraisablehook = _raise_later
    try:
        yield
    finally:
        sys.unraisablehook = unraised
        signal.signal(signal.SIGTERM, before)


def _raise_later(lost: "sys.UnraisableHookArgs") -> None:
    """Raise an interruption again that came where nothing can be raised.

    Finalizers run at any time, and so do the calls that compiled code makes.
    """
    if lost.exc_type is KeyboardInterrupt:
        again = threading.Timer(_LATER, _send_again)
        again.daemon = True
        again.start()
    else:
        sys.__unraisablehook__(lost)


def _send_again() -> None:
    """Send the main thread the signal that it lost."""
    number = signal.SIGINT if _terminations.last is None else signal.SIGTERM
    _terminations.last = None  # it is no repetition
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, number)
    else:
        _thread.interrupt_main(number)


@contextmanager
def sigterm_kept() -> Iterator[None]:
    """Give SIGTERM back the effect that a command gave it: libraries install handlers of theirs."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if before is _terminations:
            signal.signal(signal.SIGTERM, before)


def _interrupt() -> None:
    """Do what Ctrl-C does now; SIGTERM stops what a shell runs in the background, too."""
    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    if ignored and _terminations.last is not None:
        raise KeyboardInterrupt
    signal.raise_signal(signal.SIGINT)


def stop_status() -> int:
    """The exit status of a command that was stopped."""
    return INTERRUPTED if _terminations.last is None else TERMINATED


@contextmanager
def noticed(tell: Callable[[], None] = lambda: None) -> Iterator[threading.Event]:
    """An event that Ctrl-C sets, instead of raising; the event is set at once."""
    event = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield event
        return

    def on_interrupt(number: int, frame: FrameType | None) -> None:
        if event.is_set():
            raise KeyboardInterrupt
        event.set()
        tell()

    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield event
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def held_back(tell: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Let what is inside come to its end before Ctrl-C has its usual effect."""
    with noticed(tell) as event:
        yield
    if event.is_set():
        _interrupt()

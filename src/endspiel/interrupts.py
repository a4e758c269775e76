"""Ctrl-C, put off: noticed between steps, or held back while something is written.

Signals reach the main thread alone; elsewhere nothing is changed. A second Ctrl-C is not put off.
"""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def noticed(tell: Callable[[], None] = lambda: None) -> Iterator[threading.Event]:
    """An event that Ctrl-C sets, instead of raising; it is told at once."""
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
        signal.raise_signal(signal.SIGINT)

"""PioSOLVER's scripting protocol (UPI): commands in, answers out, one line at a time."""

from collections.abc import Callable

from endspiel.upi.commands import COMMANDS
from endspiel.upi.session import UpiSession

__all__ = ["UpiSession", "open_session"]


def open_session(write: Callable[[str], None]) -> UpiSession:
    """A session that knows all commands; answers go to `write`, whole lines at a time."""
    return UpiSession(write, COMMANDS)

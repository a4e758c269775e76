"""Running a command as the terminal does."""

import json
import signal
import sys
from collections.abc import Callable
from typing import Any

import pytest

from endspiel.cli import main

STOPS = [(signal.SIGINT, 130), (signal.SIGTERM, 143)]  # signals, and exit statuses


class Outcome:
    """What a command printed and how it ended."""

    def __init__(self, status: int, out: str, err: str) -> None:
        self.status, self.out, self.err = status, out, err

    @property
    def json(self) -> dict[str, Any]:
        """The object on standard output."""
        result: dict[str, Any] = json.loads(self.out)
        return result


Run = Callable[..., Outcome]


def runner(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """A function that runs a command with any arguments, in this process."""

    def run(*arguments: object) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["endspiel", command, *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return Outcome(int(ended.value.code or 0), printed.out, printed.err)

    return run

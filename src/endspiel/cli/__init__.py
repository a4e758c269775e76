"""The command line: one command per file, loaded only when called."""

import sys
import warnings
from typing import Any

from endspiel.cli.endings import tell
from endspiel.cli.streams import Streams, careful_streams
from endspiel.interrupts import INTERRUPTED, stoppable


def main() -> None:
    """Run the ``endspiel`` command; whatever goes wrong ends in one sentence and a status."""
    warnings.showwarning = _warn  # type: ignore[assignment]
    with careful_streams() as streams, stoppable():
        status = _run()
        status = _end(streams, status)
    sys.exit(status)


def _run() -> int:
    """Run the command; its exit status."""
    try:
        from endspiel.cli.app import app

        app(prog_name="endspiel")
    except SystemExit as ended:
        if isinstance(ended.__context__, BrokenPipeError):
            return 141
        if ended.code == INTERRUPTED:
            return tell(_interruption(ended))
        return int(ended.code or 0)
    except BrokenPipeError:
        return 141
    except (Exception, KeyboardInterrupt) as error:
        return tell(error)
    return 0


def _interruption(ended: SystemExit) -> KeyboardInterrupt:
    """The interruption that ended a command, with what it says is kept."""
    cause = getattr(ended.__context__, "__cause__", None)
    return cause if isinstance(cause, KeyboardInterrupt) else KeyboardInterrupt()


def _end(streams: Streams, status: int) -> int:
    """Write what is in the buffers: the status of what could not be said is that of bad input."""
    try:
        streams.flush()
    except BrokenPipeError:
        return 141
    except Exception as error:
        status = tell(error)
    return 2 if streams.error_lost and status == 0 else status


def _warn(message: Warning | str, *_: Any) -> None:
    """Print a warning in one sentence, as errors are printed."""
    print(f"endspiel: {message}", file=sys.stderr)

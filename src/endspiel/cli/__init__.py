"""The command line: one command per file, loaded only when called."""

import errno
import sys
import warnings
from typing import Any

from endspiel.errors import EndspielError


def main() -> None:
    """Run the ``endspiel`` command; bad input ends in one sentence and exit status 2."""
    from endspiel.cli.app import app

    warnings.showwarning = _warn  # type: ignore[assignment]
    try:
        app()
    except EndspielError as error:
        print(f"endspiel: {' '.join(str(error).splitlines())}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        sys.exit(141)
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        print(
            f"endspiel: no file has a name as long as {str(error.filename)[:80]}", file=sys.stderr
        )
        sys.exit(2)


def _warn(message: Warning | str, *_: Any) -> None:
    """Tell a warning in one sentence, as errors are told."""
    print(f"endspiel: {message}", file=sys.stderr)

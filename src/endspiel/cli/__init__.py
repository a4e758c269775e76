"""The command line: one command per file, loaded only when called."""

import sys

from endspiel.errors import EndspielError


def main() -> None:
    """Run the ``endspiel`` command; bad input ends in one sentence and exit status 2."""
    from endspiel.cli.app import app

    try:
        app()
    except EndspielError as error:
        print(f"endspiel: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:
        sys.exit(141)

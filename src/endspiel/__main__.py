"""``python -m endspiel`` is the command ``endspiel``."""

import atexit
import os

from endspiel.cli import main
from endspiel.interrupts import INTERRUPTED, TERMINATED

_status: list[int] = []


def _keep_status() -> None:
    """End with the status of a stopped command.

    Python ends the run of a module by SIGINT instead if a KeyboardInterrupt ever passed through
    code that was compiled from a text, as the methods of a dataclass are.
    """
    if _status and _status[0] in (INTERRUPTED, TERMINATED):
        os._exit(_status[0])


atexit.register(_keep_status)  # first, so that it runs last
try:
    main()
except SystemExit as ended:
    _status.append(int(ended.code or 0))
    raise

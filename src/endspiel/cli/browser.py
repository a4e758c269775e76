"""The study page opened in the browser, its token hidden from other users of the machine.

Everybody on a machine can read the arguments of its processes, so the address with the token is no
argument: the browser is given a file that its owner alone can read, which leads there.
"""

import atexit
import os
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Final

OPEN_SECONDS: Final = 0.5  # until the server listens
FORGET_SECONDS: Final = 30.0  # until the browser has read the file
_LEAD: Final = (
    '<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">'
    '<title>Endspiel</title><meta http-equiv="refresh" content="0; url={address}">'
    '<p><a href="{address}">The study page</a>\n'
)


def show_page(address: str) -> None:
    """Open an address in the browser soon, by a private file that is deleted once it was read."""
    path = private_lead(address)

    def forget() -> None:
        path.unlink(missing_ok=True)

    atexit.register(forget)
    _later(OPEN_SECONDS, lambda: webbrowser.open(path.as_uri()))
    _later(FORGET_SECONDS, forget)


def private_lead(address: str) -> Path:
    """A new file that leads a browser to an address, for the eyes of this user alone."""
    handle, name = tempfile.mkstemp(".html", "endspiel-", _folder())
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(_LEAD.format(address=escape(address)))
    return Path(name)


def _folder() -> Path | None:
    """Where a browser can read a file: on Linux many are confined and see no /tmp."""
    home = Path.home()
    return home if sys.platform == "linux" and os.access(home, os.W_OK) else None


def _later(seconds: float, action: Callable[[], object]) -> None:
    """Do something after a while, unless the program has ended by then."""
    timer = threading.Timer(seconds, action)
    timer.daemon = True
    timer.start()

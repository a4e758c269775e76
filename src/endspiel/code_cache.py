"""A place for compiled code where neither the package nor the user's folders can be written.

Numba keeps a function's machine code beside its source, else in the user's cache folder, and
refuses to define the function where it can write neither: a package installed by root and run by
somebody without a home. Then a temporary folder of the user's own takes the code, and where there
is none the code is compiled anew in every process; either is told in one line.
"""

import os
import stat
import sys
from pathlib import Path

_VARIABLE = "NUMBA_CACHE_DIR"
_TEMPORARY = ("/tmp", "/var/tmp", "/dev/shm")
_PRIVATE = 0o700  # permissions of a folder of the user's own


def prepare() -> None:
    """See to it that functions can be compiled; to be called before the first is defined."""
    given = os.environ.get(_VARIABLE)
    if (given and _takes_files(Path(given))) or _package_is_writable():
        return
    home = _user_folder()
    if home is not None and _takes_files(home):
        return
    temporary = _temporary_folder()
    if temporary is None:
        _compile_without_cache()
        _tell("compiled code is not kept, so starting is slow: no folder for it can be written")
        return
    os.environ[_VARIABLE] = str(temporary)
    if "numba" in sys.modules:
        sys.modules["numba"].config.CACHE_DIR = str(temporary)
    _tell(f"compiled code is kept in {temporary}: no other folder for it can be written")


def _package_is_writable() -> bool:
    """Whether every folder of sources can take its compiled code."""
    with os.scandir(Path(__file__).parent) as entries:
        folders = [Path(entry.path) for entry in entries if entry.is_dir()]
    own = [folder / "__pycache__" for folder in folders]
    return all(
        os.access(cache if cache.is_dir() else cache.parent, os.W_OK | os.X_OK) for cache in own
    )


def _user_folder() -> Path | None:
    """Where Numba would keep code for this user, if the user has a home."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", "~")).expanduser() / "numba" / "Cache"
    try:
        home = Path.home()
    except RuntimeError:  # nobody knows this user
        return None
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "numba"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "numba"


def _takes_files(folder: Path) -> bool:
    """Whether a folder is there, or can be made, and a file be written in it."""
    import tempfile

    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def _temporary_folder() -> Path | None:
    """A folder for temporary files that nobody else can write: what is in it gets executed."""
    if sys.platform == "win32":  # a user without a folder for local data is unheard of
        return None
    for above in (os.environ.get("TMPDIR"), *_TEMPORARY):
        if not above:
            continue
        folder = Path(above).absolute() / f"endspiel-{os.getuid()}"
        try:
            folder.mkdir(mode=_PRIVATE, exist_ok=True)
            about = folder.lstat()
        except OSError:
            continue
        private = stat.S_ISDIR(about.st_mode) and stat.S_IMODE(about.st_mode) == _PRIVATE
        if private and about.st_uid == os.getuid() and _takes_files(folder):
            return folder
    return None


def _compile_without_cache() -> None:
    """Let Numba define functions that ask for a cache without giving them one."""
    from numba.core.dispatcher import Dispatcher

    Dispatcher.enable_caching = lambda self: None  # type: ignore[method-assign]


def _tell(sentence: str) -> None:
    print(f"endspiel: {sentence}", file=sys.stderr)

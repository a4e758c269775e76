"""Compiled code finds a place wherever the package is installed and whoever runs it."""

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import endspiel
from endspiel import code_cache
from tests.children import finished, output_of

FILES = ("__init__.py", "code_cache.py", "errors.py", "cards/__init__.py")
TINY = """
from numba import njit
@njit(cache=True)
def add_one(x):
    return x + 1
"""
# Loads the compiler once, as another user may be unable to read it; then tries every case in a
# process of its own, as user 65534 if root runs the test, and prints their exit statuses. NOWHERE
# refuses every folder, also one that an earlier case, or another program in /tmp, has made.
TRY_ALL = """
import json, os, pathlib, sys, tempfile
import numba
numba.njit(lambda x: x + 1)(1)

def refuse(*arguments, **options):
    raise PermissionError(13, "no")

def attempt(changed):
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
    for name, value in changed.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value
    numba.core.config.reload_config()
    if "NOWHERE" in changed:
        pathlib.Path.mkdir = refuse
    from endspiel.cards import tiny
    assert tiny.add_one(41) == 42
    print(tiny.add_one._cache.cache_path, flush=True)

statuses = {}
for name, changed in json.loads(sys.argv[1]).items():
    child = os.fork()
    if child == 0:
        for number in (1, 2):
            os.dup2(os.open(f"{sys.argv[2]}/{name}.{number}", os.O_CREAT | os.O_WRONLY), number)
        attempt(changed)
        os._exit(0)
    statuses[name] = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
print(json.dumps(statuses))
"""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="users and permissions of POSIX")


class Told(NamedTuple):
    """Where a case kept its code, and what it wrote to standard error."""

    kept: str
    error: str


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """A folder that other users may enter, with a copy of the package that nobody may change."""
    folder = Path(tempfile.mkdtemp())
    package = folder / "installed" / "endspiel"
    _copy(package)
    (folder / "closed").mkdir()
    for name in ("home", "temporary", "temporary2"):
        (folder / name).mkdir()
        (folder / name).chmod(0o777)
    folder.chmod(0o755)
    closed = (package / "cards", package, folder / "closed")
    for path in closed:
        path.chmod(0o555)
    yield folder
    for path in closed:
        path.chmod(0o755)
    shutil.rmtree(folder)


def _copy(package: Path) -> None:
    """The few files of the package that a compiled function needs, and such a function."""
    (package / "cards").mkdir(parents=True)
    for name in FILES:
        shutil.copy(Path(endspiel.__file__).parent / name, package / name)
    (package / "cards" / "tiny.py").write_text(TINY)


@pytest.fixture(scope="module")
def told(place: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Told]:
    """What became of every case."""
    home, closed = str(place / "home"), str(place / "closed")
    writable = tmp_path_factory.mktemp("writable")
    cases: dict[str, dict[str, str | None]] = {
        "own": {"HOME": home},
        "closed": {"HOME": closed, "TMPDIR": str(place / "temporary")},
        "missing": {"HOME": None, "TMPDIR": str(place / "temporary2")},
        "given": {"HOME": home, "NUMBA_CACHE_DIR": closed},
        "nowhere": {"HOME": closed, "TMPDIR": str(place / "temporary"), "NOWHERE": ""},
    }
    if os.getuid() != 0:
        cases["missing"]["HOME"] = str(place / "not there")
        (place).chmod(0o555)
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA", "XDG"))}
    environment |= {"PYTHONPATH": str(place / "installed"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", TRY_ALL, json.dumps(cases), str(writable)]
    statuses = json.loads(output_of(command, env=environment, cwd=place / "closed"))
    place.chmod(0o755)
    told = {
        name: Told(*((writable / f"{name}.{number}").read_text().strip() for number in (1, 2)))
        for name in cases
    }
    for name in cases:
        assert statuses[name] == 0, f"{name}: exit status {statuses[name]}\n{told[name].error}"
    return told


def test_the_user_s_own_folder_comes_first_without_a_word(
    told: dict[str, Told], place: Path
) -> None:
    for case in ("own", "given"):
        assert told[case].kept.startswith(str(place / "home"))
        assert told[case].error == ""


@pytest.mark.parametrize(("case", "folder"), [("closed", "temporary"), ("missing", "temporary2")])
def test_a_temporary_folder_takes_the_code(
    told: dict[str, Told], place: Path, case: str, folder: str
) -> None:
    assert told[case].kept.startswith(str(place / folder / "endspiel-"))
    assert list(Path(told[case].kept).glob("*.nbi"))
    assert "\n" not in told[case].error
    assert told[case].error.startswith("endspiel: compiled code is kept in ")


def test_without_any_folder_code_is_compiled_each_time(told: dict[str, Told]) -> None:
    assert told["nowhere"].kept == "None"
    assert "\n" not in told["nowhere"].error
    assert told["nowhere"].error.startswith("endspiel: compiled code is not kept")


def test_a_writable_package_keeps_its_own_code(tmp_path: Path) -> None:
    _copy(tmp_path / "endspiel")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA", "XDG"))}
    show = "from endspiel.cards import tiny; print(tiny.add_one._cache.cache_path)"
    environment |= {"PYTHONPATH": str(tmp_path), "HOME": str(tmp_path / "home")}
    found = finished([sys.executable, "-c", show], env=environment)
    assert found.stdout.strip() == str(tmp_path / "endspiel" / "cards" / "__pycache__")
    assert found.stderr == ""
    assert not (tmp_path / "home").exists()


def test_a_folder_that_somebody_else_could_fill_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code_cache, "_TEMPORARY", ())
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    folder = tmp_path / f"endspiel-{os.getuid()}"
    assert code_cache._temporary_folder() == folder
    folder.chmod(0o777)
    assert code_cache._temporary_folder() is None
    folder.rmdir()
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    folder.symlink_to(tmp_path / "elsewhere")
    assert code_cache._temporary_folder() is None

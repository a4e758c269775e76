"""A test that runs another process fails with what the process wrote."""

import ast
import re
import sys
from pathlib import Path

import pytest

from tests.children import (
    Child,
    ended,
    finished,
    first_line,
    killed,
    output_of,
    started,
    wait_until,
)

DIES = [sys.executable, "-c", "import sys; sys.exit('why it died')"]
TESTS = Path(__file__).parent
# Ways to start a process that check neither its exit status nor what it wrote.
MODULES = {"subprocess", "multiprocessing", "pty", "concurrent.futures.process"}
CALLS = ("fork", "system", "popen", "spawn", "posix_spawn", "exec", "create_subprocess")
MAYBE = re.compile("|".join(map(re.escape, sorted({*MODULES, *CALLS}))))
# Each checks the exit status itself, for the reason given.
APART = {
    "children.py": "the way that the others take",
    "solvers/test_block_files.py": "goes on in a copy of the process, which prints a traceback",
}


def start() -> Child:
    return started(DIES)


def starts_processes(path: Path) -> bool:
    """Whether a file's code starts processes by Python's own modules."""
    text = path.read_text()
    for node in ast.walk(ast.parse(text)) if MAYBE.search(text) else ():
        if isinstance(node, ast.Import) and MODULES & {name.name for name in node.names}:
            return True
        if isinstance(node, ast.ImportFrom) and node.module in MODULES:
            return True
        of = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        if of and node.value.id in ("os", "asyncio") and node.attr.startswith(CALLS):
            return True
    return False


def test_no_test_starts_a_process_in_a_way_of_its_own() -> None:
    found = {
        path.relative_to(TESTS).as_posix() for path in TESTS.rglob("*.py") if starts_processes(path)
    }
    assert found == set(APART)


def gone() -> Child:
    process = start()
    process.wait()
    return process


def test_a_child_that_dies_says_why() -> None:
    for run in (
        lambda: output_of(DIES),
        lambda: finished(DIES, 2),
        lambda: ended(start()),
        lambda: first_line(start()),
        lambda: killed(gone()),
        lambda: wait_until(lambda: False, start()),
    ):
        with pytest.raises(AssertionError, match=r"exit status 1\n.*\n.*why it died"):
            run()
    assert finished(DIES, 1).stderr == "why it died\n"
    assert ended(start(), 1) == ("", "why it died\n")


def test_a_child_that_goes_on_after_a_traceback_says_so() -> None:
    """What is raised in a finalizer, or in a thread, changes no exit status."""
    code = "class A:\n  def __del__(self): 1 / 0\nA()"
    command = [sys.executable, "-c", code]
    for run in (lambda: output_of(command), lambda: ended(started(command))):
        with pytest.raises(AssertionError, match=r"exit status 0\n(.*\n)*ZeroDivisionError"):
            run()


def test_nothing_is_expected_of_a_child_that_has_ended() -> None:
    process = start()
    with pytest.raises(AssertionError, match="status 1"):
        wait_until(lambda: False, process)
    ended(process, (1, 2))

"""A test that runs another process fails with what the process wrote."""

import subprocess
import sys

import pytest

from tests.children import ended, finished, first_line, output_of, wait_until

DIES = [sys.executable, "-c", "import sys; sys.exit('why it died')"]


def start() -> "subprocess.Popen[str]":
    pipe = subprocess.PIPE
    return subprocess.Popen(DIES, stdout=pipe, stderr=pipe, text=True)


def test_a_child_that_dies_says_why() -> None:
    for run in (
        lambda: output_of(DIES),
        lambda: finished(DIES, 2),
        lambda: ended(start()),
        lambda: first_line(start()),
    ):
        with pytest.raises(AssertionError, match=r"exit status 1\n.*\n.*why it died"):
            run()
    assert finished(DIES, 1).stderr == "why it died\n"
    assert ended(start(), 1) == ("", "why it died\n")


def test_nothing_is_expected_of_a_child_that_has_ended() -> None:
    process = start()
    with pytest.raises(AssertionError, match="status 1"):
        wait_until(lambda: False, process)
    ended(process, 1)

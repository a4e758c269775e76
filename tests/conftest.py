"""How every test runs: properties search the same examples each time unless they explore."""

import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from endspiel.processors import processors
from tests.native.signatures import check_kernels

# Neither a deadline nor the health check of slow generation: timings never decide a test.
UNTIMED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}

settings.register_profile("repeatable", derandomize=True, database=None, **UNTIMED)
# Fresh examples, from the seed that `make test-explore` draws and tells. Tests that name their
# number of examples keep it: more runs search further.
settings.register_profile(
    "explore", derandomize=False, database=None, max_examples=300, print_blob=True, **UNTIMED
)
settings.load_profile("repeatable")

check_kernels()

# A shell ignores Ctrl-C for what it runs in the background, and so would all that tests start.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Commands print the same on every terminal, in this process and in those it starts.
for name in ("COLUMNS", "LINES", "TERM", "NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
    os.environ.pop(name, None)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """As many workers as processors that the tests may use, whatever else is installed."""
    return processors()


@pytest.fixture
def default_sigterm() -> Iterator[None]:
    """A SIGTERM that a command takes for none of its own fails the test, and ends no tests."""

    def unexpected(number: int, frame: object) -> None:
        raise AssertionError("SIGTERM outside of a command")

    before = signal.signal(signal.SIGTERM, unexpected)
    yield
    assert signal.getsignal(signal.SIGTERM) is unexpected
    signal.signal(signal.SIGTERM, before)

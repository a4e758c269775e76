"""What `endspiel solve turn.toml` loads and runs: few modules, and none of other work."""

import json
import sys
from pathlib import Path

import pytest

from tests.children import output_of

TURN = Path(__file__).parents[1] / "examples" / "turn.toml"
# Bounds on what a solve of a turn passes through: lower them with every module that goes.
MOST_EXECUTED, MOST_PACKAGES, MOST_IMPORTED = 72, 11, 99
# Rooms of other work: graphics processors, batches, safe endgames, clusters and other games.
FOREIGN = {"gpu", "batch", "endgame", "executor", "game", "rules", "abstraction", "blueprint"}
# A function of a module counts; a module's own top level and class bodies do not.
CHILD = """
import json, sys, threading
seen = set()
def note(frame, event, arg):
    code = frame.f_code
    if event == "call" and code.co_flags & 1 and "/endspiel/" in code.co_filename:
        seen.add(code.co_filename.rpartition("/endspiel/")[2][:-3])
threading.setprofile(note)
sys.argv = ["endspiel", "solve", sys.argv[1], "--iterations", "10", "--json", "-"]
from endspiel import cli
sys.setprofile(note)
try:
    cli.main()
except SystemExit as ended:
    sys.setprofile(None)
    assert not ended.code, ended.code
loaded = [name.partition(".")[2] for name in sys.modules if name.startswith("endspiel.")]
print(json.dumps({"executed": sorted(seen), "imported": loaded}))
"""


@pytest.fixture(scope="module")
def walk() -> dict[str, list[str]]:
    """Modules of which some function runs, by path, and those that are loaded, by name."""
    found: dict[str, list[str]] = json.loads(
        output_of([sys.executable, "-c", CHILD, str(TURN)]).splitlines()[-1]
    )
    return found


def test_a_solve_passes_through_no_other_work(walk: dict[str, list[str]]) -> None:
    assert not {name.partition(".")[0] for name in walk["imported"]} & FOREIGN


def test_a_solve_runs_through_few_modules(walk: dict[str, list[str]]) -> None:
    packages = {path.rpartition("/")[0].partition("/")[0] for path in walk["executed"]}
    assert "solving/task" in walk["executed"]  # it is this that is measured
    assert len(walk["executed"]) <= MOST_EXECUTED, walk["executed"]
    assert len(packages) <= MOST_PACKAGES, packages


def test_a_solve_loads_few_modules(walk: dict[str, list[str]]) -> None:
    assert "solving.task" in walk["imported"]
    assert len(walk["imported"]) <= MOST_IMPORTED, walk["imported"]

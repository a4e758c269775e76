"""Each package of the core stays within its budget of lines, as `tools/count_source.py` counts."""

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "endspiel"
# Lines of code without docstrings, comments and blank lines. A commit that needs more says why.
BUDGETS = {
    **{"cards": 1600, "rules": 1150, "betting": 1450, "ranges": 200, "kernels": 1000},
    **{"executor": 1300, "game": 650, "engine": 700, "games": 3550, "solvers": 3250},
    **{"gpu": 2450, "endgame": 2000, "solving": 1400},
}
LARGEST = 400  # lines of a module, all counted: more is hard to read


@pytest.fixture(scope="module")
def code_lines() -> Callable[[str], int]:
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        counted: Callable[[str], int] = import_module("count_source").code_lines
        return counted
    finally:
        sys.path.pop(0)


@pytest.mark.parametrize("room", BUDGETS)
def test_a_package_stays_within_its_budget(room: str, code_lines: Callable[[str], int]) -> None:
    lines = sum(code_lines(path.read_text()) for path in (PACKAGE / room).rglob("*.py"))
    assert 0 < lines <= BUDGETS[room]


def test_no_module_of_the_core_is_too_long() -> None:
    sizes = {
        path.relative_to(PACKAGE): len(path.read_text().splitlines())
        for room in BUDGETS
        for path in (PACKAGE / room).rglob("*.py")
    }
    assert [path for path, lines in sizes.items() if lines > LARGEST] == []

"""Every example runs and prints something; some figures are known."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
KNOWN = {
    "small_game": ["value -0.0856064241"],
    "lock_and_exploit": ["calls 0.50: bluffs 0.25", "calls 0.40: bluffs 1.00, worth 20.0"],
    "solve_spot": ["KhQh after 'c b100 c / 8h'", "iterations, exploitability 0.00"],
}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(path), run_name="__main__")
    printed = capsys.readouterr().out
    assert printed
    for text in KNOWN.get(path.stem, []):
        assert text in printed


def test_there_are_examples() -> None:
    assert {path.stem for path in EXAMPLES} >= set(KNOWN)

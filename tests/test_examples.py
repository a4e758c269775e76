"""Every example runs and prints something; some figures are known."""

import ast
import json
import re
import runpy
from pathlib import Path
from typing import Any

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


def test_examples_import_from_the_door_alone() -> None:
    """What they use is public: `endspiel`, and nothing below it."""
    texts = [path.read_text() for path in (*EXAMPLES, EXAMPLES[0].parent / "notebook.ipynb")]
    named = [name for text in texts for name in re.findall(r"(?:from|import) (endspiel\S*)", text)]
    assert {name.rstrip(',"\\n') for name in named} == {"endspiel"}


def run_cell(source: str, names: dict[str, Any]) -> Any:
    """What a notebook's cell shows: the value of its last expression."""
    lines = ast.parse(source)
    last = lines.body.pop() if isinstance(lines.body[-1], ast.Expr) else None
    exec(compile(lines, "cell", "exec"), names)
    if last is None:
        return None
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)


def test_the_notebook_draws_grids_trees_and_a_report() -> None:
    notebook = json.loads((EXAMPLES[0].parent / "notebook.ipynb").read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    names: dict[str, Any] = {}
    shown = [
        run_cell("".join(cell["source"]), names)
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
    ]
    drawn = [value._repr_html_() for value in shown if hasattr(value, "_repr_html_")]
    assert [text.count('<td style="') for text in drawn] == [169, 169, 169, 0, 169, 169, 0]
    solution, view = names["solution"], names["view"]
    assert f"{100 * view.frequencies[0]:.1f}%" in drawn[2]
    assert all(f"{100 * share:.1f}%" in drawn[3] for share in solution.view("").frequencies)
    calls = view.reach @ view.strategy[view.actions.index("c")]
    assert f"{calls:g} combos" in drawn[4]
    gained = next(value for value in shown if isinstance(value, float))
    assert gained > 1  # an opponent that folds too much can be bluffed
    assert drawn[-1].count("<tr>") == 1 + 3 + 1
    assert len(names["report"].rows) == 3

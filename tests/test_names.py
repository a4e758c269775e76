"""A class's name says which class it is: no two classes of the package share one."""

import ast
from collections import defaultdict
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "endspiel"


def homes() -> dict[str, list[str]]:
    """The files that define a class of each name, at their top level."""
    found = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef):
                found[node.name].append(str(path.relative_to(PACKAGE)))
    return found


def test_no_two_classes_share_a_name() -> None:
    assert {name: files for name, files in homes().items() if len(files) > 1} == {}

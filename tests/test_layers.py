"""A module imports only from its own layer and those above it, as docs/design.md lists them."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "endspiel"
LAYERS = re.findall(r"^(\w+)/ ", (ROOT / "docs" / "design.md").read_text(), re.MULTILINE)
MODULES = sorted(path for path in PACKAGE.glob("*/**/*.py"))


def imported(path: Path) -> set[str]:
    """Layers that a module imports from, wherever in the file."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names = [node.module or ""]
            names += [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            parts = name.split(".")
            if parts[0] == "endspiel" and len(parts) > 1 and parts[1] in LAYERS:
                found.add(parts[1])
    return found


def test_the_list_is_read() -> None:
    assert LAYERS[0] == "cards"
    assert LAYERS[-1] == "cli"
    assert {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()} <= set(
        LAYERS
    )


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_point_upward(path: Path) -> None:
    own = path.relative_to(PACKAGE).parts[0]
    allowed = set(LAYERS[: LAYERS.index(own) + 1])
    assert imported(path) <= allowed


TOP = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__", "__main__"}


@pytest.mark.parametrize("name", sorted(TOP))
def test_the_top_imports_no_layer(name: str) -> None:
    assert imported(PACKAGE / f"{name}.py") == set()

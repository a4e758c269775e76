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
    assert LAYERS[0] == "native"
    assert LAYERS[-1] == "cli"
    assert {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()} <= set(
        LAYERS
    )


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_point_upward(path: Path) -> None:
    own = path.relative_to(PACKAGE).parts[0]
    allowed = set(LAYERS[: LAYERS.index(own) + 1])
    assert imported(path) <= allowed


# Solvers see games as arrays. Cards are known where a backend lays them out, and where spots, which
# are written in cards, are read: modules, or rooms, whose names begin so.
CARD_ROOMS = ("board", "batched", "spot", "forecast")


@pytest.mark.parametrize(
    "path", sorted((PACKAGE / "solvers").glob("**/*.py")), ids=lambda p: p.stem
)
def test_solvers_know_no_cards_but_where_a_backend_lives(path: Path) -> None:
    if not path.relative_to(PACKAGE / "solvers").parts[0].startswith(CARD_ROOMS):
        assert not imported(path) & {"cards", "games"}


def test_the_engine_knows_no_cards_and_no_games() -> None:
    for path in (PACKAGE / "engine").glob("*.py"):
        assert not imported(path) & {"cards", "betting", "game", "games"}, path.name


TOP = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__", "__main__"}


@pytest.mark.parametrize("name", sorted(TOP))
def test_the_top_imports_no_layer(name: str) -> None:
    assert imported(PACKAGE / f"{name}.py") == set()

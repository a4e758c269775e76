"""One meaning a name: array types, and constants that more than one module of the core uses."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "endspiel"
CORE = (
    *("cards", "rules", "betting", "ranges", "kernels", "executor", "game", "engine", "games"),
    *("solvers", "gpu", "endgame", "solving"),
)
HANDED_ON = tuple(f"endspiel.{room}" for room in CORE)
# Names that several modules define and others import, with what each means.
OWN_MEANINGS = {
    "AVERAGE",  # a solution in engine/schemes, stored sums in kernels/board_arrays and subgames
    "FOLD",  # an action in rules/state, a kind of node in betting/tree
    "RIVER",  # a street in cards/streets, a kind of game in solvers/methods
}


def modules(*rooms: str) -> Iterator[tuple[str, ast.Module]]:
    """Modules of some packages, or all modules, by their paths."""
    for path in sorted(PACKAGE.rglob("*.py")):
        name = str(path.relative_to(PACKAGE))
        if not rooms or name.startswith(tuple(f"{room}/" for room in rooms)):
            yield name, ast.parse(path.read_text())


def defined(module: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Constants and aliases that a module defines for others: names that begin with a capital."""
    for node in module.body:
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=several)], value=value):
                targets = list(several)
            case ast.Assign(targets=targets, value=value):
                pass
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                targets = [target]
            case _:
                continue
        for each in targets:
            if isinstance(each, ast.Name) and each.id[0].isupper():
                yield each.id, value


def test_array_types_have_one_name_each_in_one_place() -> None:
    found = [
        f"{name}: {alias}"
        for name, module in modules()
        for alias, value in defined(module)
        if name != "arrays.py" and re.fullmatch(r"NDArray\[.*\]", ast.unparse(value))
    ]
    assert found == []
    (types,) = (module for name, module in modules() if name == "arrays.py")
    texts = [ast.unparse(value) for alias, value in defined(types) if alias != "Indices"]
    assert len(texts) == len(set(texts)) > 10  # Indices are words of 32 bits that point


def test_a_constant_that_others_import_is_defined_once() -> None:
    places = defaultdict(set)
    for name, module in modules(*CORE):
        for constant, value in defined(module):
            if "TypeVar" not in ast.unparse(value):
                places[constant].add(name)
    imported = {
        alias.name
        for _, module in modules()
        for node in ast.walk(module)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(HANDED_ON)
        for alias in node.names
    }
    several = {name for name, where in places.items() if len(where) > 1 and name in imported}
    assert {name: sorted(places[name]) for name in several - OWN_MEANINGS} == {}
    assert several == OWN_MEANINGS

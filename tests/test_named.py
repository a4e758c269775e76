"""What prose names is there: files, modules and names in documents, docstrings and comments."""

import ast
import io
import re
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "endspiel"
CODE = [
    path
    for folder in ("src", "tests", "benchmarks", "tools", "examples")
    for path in sorted((ROOT / folder).rglob("*.py"))
]
# The changelog tells of names that were.
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
LAYERS = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
FOLDERS = {path.name for base in (ROOT, PACKAGE) for path in base.iterdir() if path.is_dir()}
MADE = {"build", "dist", "mutants", "site"}  # by commands
FILE = re.compile(r"(?<![\w/.*-])(?:[\w.-]+/)*[\w-]+\.\w+(?![\w*])")
MODULE = re.compile(r"`(?:endspiel\.)?((?:" + "|".join(sorted(LAYERS)) + r")(?:\.[A-Za-z_]\w*)+)`")
NAME = re.compile(r"`(?:[A-Za-z_]\w*\.)*([A-Za-z]\w*_\w+)(?:\([^`]*)?`")


def prose(path: Path) -> str:
    """A document, or the docstrings and comments of a module."""
    text = path.read_text()
    if path.suffix != ".py":
        return text
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, documented)]
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return "\n".join(
        [ast.get_docstring(node, clean=False) or "" for node in nodes]
        + [token.string for token in tokens if token.type == tokenize.COMMENT]
    )


@cache
def file_names() -> frozenset[str]:
    """Names of all files of the repository's folders of code and documents."""
    folders = ("src", "tests", "benchmarks", "tools", "examples", "docs")
    inside = {path.name for folder in folders for path in (ROOT / folder).rglob("*")}
    return frozenset(inside | {path.name for path in ROOT.iterdir()})


def is_there(name: str, path: Path) -> bool:
    """Whether a file that a text names exists, or is no file of this repository."""
    first, *rest = name.split("/")
    if not rest:  # what users call their files is no module and no page
        return not name.endswith((".py", ".md", ".cu")) or name in file_names()
    if first not in FOLDERS - MADE:
        return True
    bases = (ROOT, PACKAGE, PACKAGE.parent, path.parent, *path.parent.parents)
    return any((base / name).exists() for base in bases if base.is_relative_to(ROOT))


@cache
def words_of(module: Path) -> frozenset[str]:
    """All words of a module, or of the modules right inside a package."""
    files = sorted(module.glob("*.py")) if module.is_dir() else [module.with_suffix(".py")]
    return frozenset(word for file in files for word in re.findall(r"\w+", file.read_text()))


def is_module(name: str) -> bool:
    """Whether a dotted name is of a module, or of something that a module has."""
    parts, at = name.split("."), PACKAGE
    while parts and ((at / parts[0]).is_dir() or (at / f"{parts[0]}.py").exists()):
        at /= parts.pop(0)
    return set(parts) <= words_of(at)


def missing(text: str, path: Path) -> Iterator[str]:
    """Files and modules that a text names and that do not exist."""
    yield from (name for name in FILE.findall(text) if not is_there(name, path))
    yield from (name for name in MODULE.findall(text) if not is_module(name))


def absent(paths: list[Path]) -> list[str]:
    """What is missing of that which files name, by file."""
    found = []
    for path in paths:
        if any(missing(path.read_text(), path)):  # without taking the module apart
            names = sorted(set(missing(prose(path), path)))
            found += [f"{path.relative_to(ROOT)}: {name}" for name in names]
    return found


def test_documents_name_files_and_modules_that_exist() -> None:
    assert absent(PAGES) == []


def test_docstrings_and_comments_name_files_and_modules_that_exist() -> None:
    assert absent(CODE) == []


def test_names_in_backticks_are_somewhere_in_the_code() -> None:
    """Names with an underscore: a name that stands in backticks alone is of nothing."""
    everywhere: Counter[str] = Counter()
    quoted: Counter[str] = Counter()
    for path in CODE:
        text = path.read_text()
        everywhere.update(re.findall(r"\w+", text))
        quoted.update(NAME.findall(text))
    named = {name for path in PAGES for name in NAME.findall(path.read_text())} | set(quoted)
    assert sorted(name for name in named if everywhere[name] <= quoted[name]) == []


def test_settings_name_files_and_modules_that_exist() -> None:
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
    mutmut = tools["mutmut"]
    paths = [
        name
        for key in mutmut
        for name in mutmut[key]
        if key.endswith(("mutate", "paths", "copy", "test_selection"))
    ]
    assert len(paths) > 10
    assert [name for name in paths if not any(ROOT.glob(name))] == []
    modules = [
        name.removeprefix("endspiel.")
        for override in tools["mypy"]["overrides"]
        for name in override["module"]
        if name.startswith("endspiel.")
    ]
    assert [name for name in modules if not is_module(name)] == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see `solvers/boards/fused.py`", ["solvers/boards/fused.py"]),
        ("as fused.py has it", ["fused.py"]),
        ("kernels/cpu.py, tests/oracles.py and cpu.py", []),
        ("`endgame.refine`", ["endgame.refine"]),
        ("`endgame.safe.refine.refine` and `endspiel.game.Block.num_states`", []),
        ("endspiel solve spot.toml --save out/x.toml", []),
    ],
)
def test_what_is_missing_is_found(text: str, found: list[str]) -> None:
    assert list(missing(text, ROOT / "README.md")) == found

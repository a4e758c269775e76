"""The public door: every name is there, stays light to import, and shows an example that runs."""

import ast
import doctest
import inspect
import json
import os
import sys
from importlib import metadata
from pathlib import Path

import pytest

import endspiel as es
from tests.children import finished, output_of

PACKAGE = Path(es.__file__).parent
CONSTANTS = {"CALL", "FOLD", "METHODS", "SAFE", "SCHEMES", "TECHNIQUES"}  # which have no docstring
PROJECT = (PACKAGE.parents[1] / "pyproject.toml").read_text().partition("[project]")[2]
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.REPORT_NDIFF


def test_the_names_are_the_homes() -> None:
    assert set(es.__all__) == set(es._HOMES) | {"games"}
    assert len(set(es.__all__)) == len(es.__all__)
    assert set(es.__all__) <= set(dir(es))


def test_types_and_names_agree() -> None:
    """What type checkers are told is what is loaded."""
    tree = ast.parse((PACKAGE / "__init__.py").read_text())
    told, hidden = (node for node in tree.body if isinstance(node, ast.If))
    assert isinstance(hidden.body[0], ast.FunctionDef)  # a name that is not there is refused
    typed = {}
    for node in told.body:
        assert isinstance(node, ast.ImportFrom)
        for alias in node.names:
            typed[alias.asname or alias.name] = f"{node.module}:{alias.name}"
    typed.pop("games")
    assert typed == es._HOMES


@pytest.mark.parametrize("name", sorted(es.__all__))
def test_an_example_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = getattr(es, name)
    if name in CONSTANTS:
        assert found is not None
        return
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    text = inspect.getdoc(found) or ""
    example = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    assert example.examples, f"{name} has no example"
    told: list[str] = []
    assert doctest.DocTestRunner(optionflags=FLAGS).run(example, out=told.append).failed == 0, told


def test_the_packages_own_example_runs() -> None:
    assert doctest.testmod(es, optionflags=FLAGS).attempted > 3
    assert doctest.testmod(es, optionflags=FLAGS).failed == 0


def test_no_name_is_hidden_by_a_part_of_the_package() -> None:
    parts = {path.stem for path in PACKAGE.iterdir()} - {"games"}
    assert not parts & set(es.__all__)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'sovle'"):
        _ = es.sovle  # type: ignore[attr-defined]


def test_importing_loads_nothing_heavy() -> None:
    code = (
        "import sys, endspiel; "
        "heavy = {'numpy', 'scipy', 'msgspec', 'typer', 'rich'} & set(sys.modules); "
        "assert not heavy, heavy"
    )
    finished([sys.executable, "-c", code])


def test_there_is_one_version() -> None:
    assert metadata.version("endspiel") == es.__version__
    assert 'version = "' not in PROJECT.partition("[project.")[0]
    assert _endspiel("--version").strip() == f"endspiel {es.__version__}"


def test_shells_complete_commands() -> None:
    asked = {"_ENDSPIEL_COMPLETE": "complete_bash", "COMP_WORDS": "endspiel sol", "COMP_CWORD": "1"}
    assert _endspiel(**asked).split() == ["solve"]


def test_a_file_is_told_of_as_the_command_tells_of_it(tmp_path: Path) -> None:
    assert json.loads(_endspiel("inspect", "--json", "-")) == json.loads(
        json.dumps(es.inspect_file())
    )
    saved = tmp_path / "kuhn.solution"
    es.solve(es.games.kuhn(), "dcfr", iterations=3).save(saved)
    told = es.inspect_file(saved)
    assert (told["kind"], told["iterations"], told["file"]) == ("solution", 3, str(saved))
    assert told["arrays"]["behavior0"]["shape"] == [13]


def _endspiel(*arguments: str, **environment: str) -> str:
    """What the command prints."""
    command = [Path(sys.executable).with_name("endspiel"), *arguments]
    return output_of(command, env={**os.environ, **environment})

"""What commands load: start-up time, counted in modules and not in seconds."""

import inspect
import json
import sys
from importlib import import_module
from pathlib import Path

import pytest

from endspiel.cli.app import COMMANDS, PANELS
from tests.children import finished

RIVER = """
board = "Qs Jh 2h 8c 3d"
pot = 60
stack = 100
ranges = ["22+,A2s+", "22+,K9s+"]

[river]
bet = "75%, a"
raise = "a"
"""
NEVER = ["highspy", "httpx", "matplotlib", "pydantic", "ray", "starlette", "uvicorn"]
HEAVY = [*NEVER, "msgspec", "numpy", "rich", "scipy"]
SOLVING = [
    *NEVER,
    "rich",
    "scipy",
    "endspiel.executor",
    "endspiel.gpu.cuda",
    "endspiel.solvers.lp",
    "endspiel.web",
]
CODE = """
import sys
sys.argv[0] = "endspiel"
from endspiel.cli import main
try:
    main()
finally:
    print(*sys.modules, file=sys.stderr)
"""


def _run(*arguments: str) -> tuple[str, set[str]]:
    """What a command prints, and the modules that it has loaded when it ends."""
    run = finished([sys.executable, "-c", CODE, *arguments])
    return run.stdout, set(run.stderr.splitlines()[-1].split())


@pytest.mark.parametrize("arguments", [("--version",), ("--help",), ("solve", "--help")])
def test_help_loads_nothing_heavy(arguments: tuple[str, ...]) -> None:
    _, loaded = _run(*arguments)
    assert "typer" in loaded
    light = arguments[-1] == "--help" and len(arguments) > 1
    assert not loaded & set(NEVER if light else HEAVY)


def test_a_river_loads_only_what_solves_it(tmp_path: Path) -> None:
    spot = tmp_path / "river.toml"
    spot.write_text(RIVER)
    told, loaded = _run("solve", str(spot), "--iterations", "10", "--json", "-")
    assert json.loads(told)["iterations"] == 10
    assert "endspiel.solvers.boards.cfr" in loaded
    assert not loaded & set(SOLVING)


def test_help_has_every_command_in_one_panel() -> None:
    printed, _ = _run("--help")
    at = [printed.index(f"\n{panel}:\n") for panel in PANELS]
    assert at == sorted(at)
    assert len(COMMANDS) == sum(map(len, PANELS.values()))
    for name, text in COMMANDS.items():
        assert f"\n  {name} " in printed
        assert text in " ".join(printed.split())


def test_every_command_is_listed_with_the_first_sentence_of_its_help() -> None:
    found = {}
    for name in COMMANDS:
        module = import_module(f"endspiel.cli.{name.replace('-', '_')}")
        text = inspect.getdoc(getattr(module, name.replace("-", "_"))) or ""
        found[name] = " ".join(text.partition("\n\n")[0].split())
    assert found == COMMANDS

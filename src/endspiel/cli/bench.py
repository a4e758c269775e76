"""`endspiel bench`: run the benchmarks that lie beside the source."""

import ast
import contextlib
import runpy
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from endspiel.cli.output import JsonOption, quiet, write_json
from endspiel.errors import EndspielError


def bench(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="The benchmark to run.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Run all benchmarks.")] = False,
    json: JsonOption = None,
) -> None:
    """Run one benchmark, or list the benchmarks.

    A benchmark prints ratios to something that it measures in the same run. The JSON object has
    the seconds of each benchmark, as `benchmarks`; of a list, the first line of each.
    """
    folder = Path(__file__).parents[3] / "benchmarks"
    found = {path.stem: path for path in sorted(folder.glob("*.py")) if path.stem[0] != "_"}
    if not found:
        raise EndspielError("benchmarks come with the source, not with an installed package")
    if name is not None and name not in found:
        raise EndspielError(f"no benchmark {name!r}; there are {', '.join(found)}")
    if name is not None and everything:
        raise EndspielError(f"--all runs every benchmark: leave {name} out")
    if name is None and not everything:
        lines = {stem: _first_line(path) for stem, path in found.items()}
        write_json(json, {"benchmarks": lines})
        if not quiet(json):
            width = max(map(len, lines))
            typer.echo("\n".join(f"{stem:<{width}}  {line}" for stem, line in lines.items()))
        return
    chosen = found if name is None else {name: found[name]}
    seconds: dict[str, float] = {}
    with contextlib.redirect_stdout(sys.stderr if quiet(json) else sys.stdout):
        for stem, path in chosen.items():
            print(f"== {stem}", flush=True)
            seconds[stem] = _run(path)
    write_json(json, {"benchmarks": seconds, "seconds": sum(seconds.values())})


def _first_line(path: Path) -> str:
    """Return the first line of a script's docstring."""
    text = ast.get_docstring(ast.parse(path.read_text())) or ""
    return text.partition("\n")[0]


def _run(path: Path) -> float:
    """Run a script as Python would, without arguments; the seconds it took."""
    arguments, folder = sys.argv, str(path.parent)
    sys.argv = [str(path)]
    sys.path.insert(0, folder)
    start = time.perf_counter()
    try:
        runpy.run_path(str(path), run_name="__main__")
    finally:
        sys.argv = arguments
        sys.path.remove(folder)
    return time.perf_counter() - start

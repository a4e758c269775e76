"""`endspiel bench`: run the benchmarks that lie beside the source."""

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
        str | None, typer.Argument(help="One benchmark; all of them by default.")
    ] = None,
    json: JsonOption = None,
) -> None:
    """Run the benchmarks; each prints ratios against something measured in the same run.

    The JSON object holds the seconds that each of them took, as `benchmarks`.
    """
    folder = Path(__file__).parents[3] / "benchmarks"
    found = {path.stem: path for path in sorted(folder.glob("*.py")) if path.stem[0] != "_"}
    if not found:
        raise EndspielError("benchmarks come with the source, not with an installed package")
    if name is not None and name not in found:
        raise EndspielError(f"no benchmark {name!r}; there are {', '.join(found)}")
    seconds: dict[str, float] = {}
    with contextlib.redirect_stdout(sys.stderr if quiet(json) else sys.stdout):
        for stem, path in found.items():
            if name in (None, stem):
                print(f"== {stem}", flush=True)
                seconds[stem] = _run(path)
    write_json(json, {"benchmarks": seconds, "seconds": sum(seconds.values())})


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

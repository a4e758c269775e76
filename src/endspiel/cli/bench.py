"""`endspiel bench`: run the benchmarks that lie beside the source."""

import runpy
from pathlib import Path
from typing import Annotated

import typer

from endspiel.errors import EndspielError


def bench(
    name: Annotated[
        str | None, typer.Argument(help="One benchmark; all of them by default.")
    ] = None,
) -> None:
    """Run the benchmarks; each prints ratios against something measured in the same run."""
    folder = Path(__file__).parents[3] / "benchmarks"
    found = {path.stem: path for path in sorted(folder.glob("*.py")) if path.stem[0] != "_"}
    if not found:
        raise EndspielError("benchmarks come with the source, not with an installed package")
    if name is not None and name not in found:
        raise EndspielError(f"no benchmark {name!r}; there are {', '.join(found)}")
    for stem, path in found.items():
        if name in (None, stem):
            print(f"== {stem}", flush=True)
            runpy.run_path(str(path), run_name="__main__")

"""Drawing with Matplotlib, which comes with the extra ``endspiel[plots]``; needs no screen."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from endspiel.errors import EndspielError, FileError


@contextmanager
def picture(path: Path, size: tuple[float, float] = (7, 4.5)) -> Iterator[Any]:
    """Axes to draw on; the picture is written to the path at the end."""
    pyplot = _pyplot()
    figure, axes = pyplot.subplots(figsize=size, layout="constrained")
    try:
        yield axes
        figure.savefig(path, dpi=150)
    except (OSError, ValueError) as error:
        raise FileError(f"cannot write {path}: {error}") from error
    finally:
        pyplot.close(figure)


def check_picture(path: Path) -> None:
    """Refuse, before the work, a picture that could not be written after it."""
    pyplot = _pyplot()
    endings = sorted(pyplot.figure().canvas.get_supported_filetypes())
    pyplot.close()
    if path.suffix[1:].lower() not in endings:
        raise FileError(f"pictures end in {', '.join(endings)}, not as {path.name!r} does")


def _pyplot() -> Any:
    try:
        import matplotlib
    except ImportError as error:
        raise EndspielError("plots need matplotlib: pip install 'endspiel[plots]'") from error
    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot

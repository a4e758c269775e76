"""The 13 x 13 chart as HTML, for notebooks: classes of hands with bars of colors."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from endspiel.arrays import Float64s
from endspiel.cards.classes import NUM_CLASSES, class_names, hand_classes
from endspiel.cards.deck import NUM_HANDS
from endspiel.cards.range_format import format_range
from endspiel.cards.ranges import parse_range
from endspiel.errors import RangeError

RANGE_COLOR: Final = "#c79a3b"
_EMPTY: Final = "#e9e6df"
_TABLE: Final = (
    "border-collapse:separate;border-spacing:1px;font:600 10px/1 system-ui,sans-serif;color:#1c1e1f"
)
_CELL: Final = (
    "width:34px;height:30px;padding:3px;text-align:left;vertical-align:top;overflow:hidden"
)


@dataclass(frozen=True)
class ChartCell:
    """What a class shows: bars side by side, how high they stand (0 to 1), and a tip."""

    shares: Sequence[float] = ()
    colors: Sequence[str] = ()
    height: float = 1.0
    tip: str = ""


def grid_html(cells: Sequence[ChartCell], caption: str = "") -> str:
    """The chart of the 169 classes, row by row from AA, as a table."""
    names = class_names()
    rows = []
    for row in range(13):
        inside = "".join(_cell(names[at], cells[at]) for at in range(13 * row, 13 * row + 13))
        rows.append(f"<tr>{inside}</tr>")
    head = f"<caption style='text-align:left;padding:4px'>{caption}</caption>" if caption else ""
    return f'<table style="{_TABLE}">{head}{"".join(rows)}</table>'


def _cell(name: str, cell: ChartCell) -> str:
    stops, at = [], 0.0
    for share, color in zip(cell.shares, cell.colors, strict=True):
        if share > 0.0005:
            stops.append(f"{color} {at:.1f}% {at + 100 * share:.1f}%")
            at += 100 * share
    fill = f"linear-gradient(to right,{','.join(stops)})" if stops else "none"
    ink = "#fff" if stops and cell.height > 0.6 else "#1c1e1f"
    size = f"100% {100 * cell.height:.0f}%"
    style = f"{_CELL};color:{ink};background:{fill} bottom/{size} no-repeat {_EMPTY}"
    return f'<td style="{style}" title="{escape(f"{name} {cell.tip}".strip())}">{name}</td>'


class RangeChart:
    """A range that a notebook draws as the 13 x 13 chart.

    Examples:
        >>> import endspiel as es
        >>> chart = es.RangeChart("22+,A2s+,KTs+,AJo+:0.5")
        >>> chart
        RangeChart('22+,A2s+,KTs+,AJo+:0.5')
        >>> chart._repr_html_().count("<td")
        169
    """

    def __init__(self, given: str | ArrayLike) -> None:
        weights = parse_range(given) if isinstance(given, str) else np.asarray(given, np.float64)
        if weights.shape != (NUM_HANDS,):
            raise RangeError(f"a range has {NUM_HANDS} weights, not {weights.shape}")
        self.weights: Float64s = weights  # [1326]
        self.text = given if isinstance(given, str) else format_range(weights)

    def __repr__(self) -> str:
        return f"RangeChart({self.text!r})"

    def _repr_html_(self) -> str:
        """The chart, each class as full as its weight."""
        cells = hand_classes()
        counts = np.bincount(cells, minlength=NUM_CLASSES)
        mean = np.bincount(cells, self.weights, NUM_CLASSES) / counts
        shown = [
            ChartCell((1.0,), (RANGE_COLOR,), float(w), f"{100 * w:.0f}%") if w > 0 else ChartCell()
            for w in mean
        ]
        total = float(self.weights.sum())
        return grid_html(shown, f"{total:g} combos, {100 * total / NUM_HANDS:.1f}%")

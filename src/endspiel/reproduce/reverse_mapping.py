"""Reverse mappings of the Tartanian5 paper (2012): Figures 2 and 3, the properties, the price.

Nothing is drawn at random, so no seed is needed.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from itertools import product
from pathlib import Path
from typing import Any, Final

import numpy as np
from scipy.optimize import brentq

from endspiel.betting.translation import MAPPINGS, Mapping
from endspiel.pictures import picture
from endspiel.reproduce.off_tree import ABSTRACTIONS, NOTHING, gains

FIGURES: Final = {2: (0.01, 1.0), 3: (1.0, 4.0)}  # the sizes A and B of each figure
RANDOMIZED: Final = tuple(name for name, mapping in MAPPINGS.items() if not mapping.deterministic)
# Where each curve of Figure 2 is even, as the paper's text has it ("roughly", "around").
PAPER_EVEN: Final = {
    "randomized-arithmetic": 0.5,
    "randomized-geometric-1": 0.1,
    "randomized-geometric-2": 0.1,
    "pseudo-harmonic": 0.35,
}
# Of the paper's mappings, those it says are not monotonically decreasing; it says that all of its
# mappings have every other property.
PAPER_NOT_MONOTONE: Final = (
    "deterministic-arithmetic",
    "deterministic-geometric",
    "randomized-geometric-1",
    "randomized-geometric-2",
)
NOT_IN_PAPER: Final = ("threshold-harmonic",)

# Gaps A, B on which properties are checked; the paper's counterexamples start at a check, A = 0.
GAPS: Final = tuple(
    (low, low + width) for low, width in product((0.0, 0.01, 0.5, 1.0, 3.0), (0.25, 0.99, 3.0))
)
SCALES: Final = (0.25, 2.0, 16.0)  # powers of two, so that scaling rounds nothing


def run(out: Path | None = None) -> dict[str, Any]:
    """Every table as plain data; the figures are drawn into a folder where one is given."""
    start = time.perf_counter()
    figures = [] if out is None else [str(path) for path in draw(out)]
    priced = []
    for known in ABSTRACTIONS:
        value, found = gains(known)
        priced.append({**asdict(known), "value": value, "gains": [asdict(gain) for gain in found]})
    even = {
        f"figure-{number}": {name: even_point(name, *gap) for name in RANDOMIZED}
        for number, gap in FIGURES.items()
    }
    return {
        "even": even,
        "properties": {name: properties(mapping) for name, mapping in MAPPINGS.items()},
        "paper": {
            "even": {"figure-2": PAPER_EVEN},
            "monotone": {n: n not in PAPER_NOT_MONOTONE for n in MAPPINGS if n not in NOT_IN_PAPER},
        },
        "off_tree": priced,
        "figures": figures,
        "seconds": time.perf_counter() - start,
    }


def even_point(name: str, low: float, high: float) -> float:
    """The bet that a randomized mapping takes for either size with the same probability."""
    mapping = MAPPINGS[name]
    return float(brentq(lambda x: float(mapping(x, low, high)) - 0.5, low, high, xtol=1e-14))


def properties(mapping: Mapping) -> dict[str, bool]:
    """Which of the paper's properties hold on all gaps; its third also over gaps above a check."""

    def holds(check: Callable[[float, float], bool], gaps: Iterable[tuple[float, float]]) -> bool:
        return all(check(low, high) for low, high in gaps)

    def boundary(low: float, high: float) -> bool:
        return bool(mapping(low, low, high) == 1.0 and mapping(high, low, high) == 0.0)

    def decreasing(low: float, high: float) -> bool:
        return bool((np.diff(mapping(np.linspace(low, high, 65), low, high)) < 0).all())

    def scales(low: float, high: float, pots: Sequence[float]) -> bool:
        x = np.linspace(low, high, 64)
        known = mapping(x, low, high)
        return all(
            np.allclose(mapping(k * x, k * low, k * high, pot), known, rtol=0, atol=1e-12)
            for k, pot in zip(SCALES, pots, strict=True)
        )

    return {
        "boundary": holds(boundary, GAPS),
        "monotone": holds(decreasing, GAPS),
        "monotone_above_check": holds(decreasing, [gap for gap in GAPS if gap[0] > 0]),
        "scale_with_pot": holds(lambda a, b: scales(a, b, SCALES), GAPS),
        "scale_without_pot": holds(lambda a, b: scales(a, b, [1.0] * len(SCALES)), GAPS),
    }


def draw(folder: Path) -> list[Path]:
    """Figures 2 and 3: the four randomized mappings between two sizes, one picture each."""
    paths = []
    for number, (low, high) in FIGURES.items():
        path = folder / f"reverse-mapping-figure-{number}.png"
        with picture(path, size=(6, 4)) as axes:
            x = np.linspace(low, high, 1001)
            for name, style in zip(RANDOMIZED, ("-", "--", ":", "-"), strict=True):
                axes.plot(x, MAPPINGS[name](x, low, high), style, label=name)
            axes.axhline(0.5, color="gray", linewidth=0.5)
            axes.set_xlabel("bet x, of the pot")
            axes.set_ylabel("probability of A")
            axes.set_title(f"Figure {number}: A = {low:g}, B = {high:g}")
            axes.legend()
            folder.mkdir(parents=True, exist_ok=True)
        paths.append(path)
    return paths


def report(result: dict[str, Any]) -> str:
    """The tables as Markdown, the paper's numbers beside ours."""
    parts = [_even_table(result), _property_table(result)]
    parts += [_gain_table(priced) for priced in result["off_tree"]]
    return "\n\n".join(parts) + "\n"


def _even_table(result: dict[str, Any]) -> str:
    even = result["even"]
    rows = [
        (name, f"{result['paper']['even']['figure-2'][name]:g}", f"{even['figure-2'][name]:.4f}",
         f"{even['figure-3'][name]:.4f}")
        for name in RANDOMIZED
    ]  # fmt: skip
    return "Bets taken for A or B with the same probability, of the pot:\n\n" + _table(
        ("mapping", "Figure 2, paper (about)", "Figure 2, ours", "Figure 3, ours"), rows
    )


def _property_table(result: dict[str, Any]) -> str:
    said = result["paper"]["monotone"]
    rows = []
    for name, holds in result["properties"].items():
        monotone = _yes(holds["monotone"])
        if holds["monotone_above_check"] and not holds["monotone"]:
            monotone = "only for A > 0"
        paper = "" if name in NOT_IN_PAPER else _yes(said[name])
        scale = [_yes(holds[key]) for key in ("scale_with_pot", "scale_without_pot")]
        rows.append((name, _yes(holds["boundary"]), paper, monotone, *scale))
    head = ("mapping", "1, 2: boundaries", "3: decreasing, paper", "3: decreasing, ours")
    return "Properties:\n\n" + _table(
        (*head, "4: scale, pot scaled too", "4 by its letter, pot fixed"), rows
    )


_GAIN_KEYS: Final = ("gain", "gain_by_value", "gain_by_bluffs")


def _gain_table(priced: dict[str, Any]) -> str:
    rows = []
    for gain in priced["gains"]:
        value = f"{gain['value_bet']:.2f}, called {_percent(gain['value_called'])}"
        bluff = f"{gain['bluff']:.2f}, called {_percent(gain['bluff_called'])}"
        rows.append(
            (gain["mapping"], *(_percent(gain[key]) for key in _GAIN_KEYS), value,
             bluff if gain["bluff"] else "none")
        )  # fmt: skip
    pots = "1 pot" if priced["stack"] == 1 else f"{priced['stack']} pots"
    title = (
        f"Menu `{priced['menu']}`, {pots} behind ({priced['note']}); "
        f"the game is worth {_percent(priced['value'])} of the pot to the opponent:\n\n"
    )
    head = ("mapping", "gain", "by value bets", "by bluffs", "value bet", "bluff")
    return title + _table(head, rows)


def _percent(share: float) -> str:
    return f"{100 * (0.0 if abs(share) < NOTHING else share):.2f}%"


def _yes(holds: bool) -> str:
    return "yes" if holds else "no"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table with aligned columns."""
    lines = [list(head), *map(list, rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    lines.insert(1, ["-" * width for width in widths])
    padded = ([cell.ljust(w) for cell, w in zip(line, widths, strict=True)] for line in lines)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in padded)

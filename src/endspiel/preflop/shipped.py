"""What flops are worth in charts that come with the package: where a tree of any depth begins.

The file has, for each depth and each line that sees a flop, how much more than equity every class
of either player gets of the pot, and by how much the small set of flops that is played at once is
kinder to a class than the larger one that the charts were made on. Depths in between are
interpolated by the logarithm of the stack. ``python -m endspiel.preflop.making`` makes the file.
"""

from dataclasses import dataclass
from functools import cache
from importlib import resources
from math import log
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from endspiel.cards.class_equity import class_matchups
from endspiel.cards.classes import NUM_CLASSES
from endspiel.files import load, save
from endspiel.games.preflop_tree import PreflopSetting
from endspiel.kernels.arrays import Floats

KIND: Final = "preflop flop values"
FILE: Final = "flops.es"
FAR: Final = 2.0
SMALL_SET: Final = "25"  # whose kindness is known


class LineStart(NamedTuple):
    """A line's flops."""

    beyond: Floats  # [2, 169] share of the pot beyond equity, by classes of either player
    kinder: Floats  # [2, 169] of the small set of flops
    frequency: float
    error: float  # big blinds, as a line's error is
    uncertain: float  # big blinds: standard error by how much flops differ

    def share(self) -> Floats:
        """The big blind's share of the pot: [169, 169]."""
        found: Floats = class_matchups().equity + self.beyond[0][:, None] - self.beyond[1][None, :]
        return found


@dataclass(frozen=True)
class Shipped:
    """Lines by depth, in big blinds, and name."""

    depths: dict[float, dict[str, LineStart]]

    def near(self, depth: float) -> dict[str, LineStart]:
        """The lines of the depth, or what lies between those of the nearest ones.

        A depth that is over `FAR` times as much or as little says nothing of it.
        """
        above = min((d for d in self.depths if depth <= d <= FAR * depth), default=None)
        below = max((d for d in self.depths if depth / FAR <= d <= depth), default=None)
        if above is None or below is None or above == below:
            nearest = above if below is None else below
            return {} if nearest is None else self.depths[nearest]
        part = (log(depth) - log(below)) / (log(above) - log(below))
        found = {**self.depths[above], **self.depths[below]}
        for line in self.depths[above].keys() & self.depths[below].keys():
            one, two = self.depths[below][line], self.depths[above][line]
            found[line] = LineStart(
                (1 - part) * one.beyond + part * two.beyond,
                (1 - part) * one.kinder + part * two.kinder,
                (1 - part) * one.frequency + part * two.frequency,
                max(one.error, two.error),
                max(one.uncertain, two.uncertain),
            )
        return found


def beyond_equity(share: Floats) -> Floats:
    """What classes of either player get beyond equity [2, 169], from a share [169, 169]."""
    beyond = share - class_matchups().equity
    return np.stack([beyond[:, 0], beyond[0, 0] - beyond[0, :]])


def starts_for(setting: PreflopSetting) -> dict[str, LineStart]:
    """Where a tree's lines may begin; those of other blinds, antes and raises are only near."""
    return shipped().near(setting.stack / setting.big_blind)


@cache
def shipped() -> Shipped:
    """What comes with the package; nothing where there is no file."""
    with resources.as_file(resources.files("endspiel.preflop") / "data" / FILE) as path:
        return read_shipped(path) if path.exists() else Shipped({})


def read_shipped(path: Path) -> Shipped:
    """Read a file of depths."""
    record, arrays = load(path, KIND)
    depths: dict[float, dict[str, LineStart]] = {}
    for at, (depth, line, *numbers) in enumerate(record["lines"]):
        both = arrays["lines"][at].astype(np.float64).reshape(2, 2, NUM_CLASSES)
        depths.setdefault(depth, {})[line] = LineStart(both[0], both[1], *numbers)
    return Shipped(depths)


def save_shipped(found: Shipped, path: Path) -> None:
    """Write a file of depths, its numbers in 16 bits."""
    lines, rows = list[list[Any]](), list[Floats]()
    for depth in sorted(found.depths):
        for line, start in found.depths[depth].items():
            lines.append([depth, line, start.frequency, start.error, start.uncertain])
            rows.append(np.stack([start.beyond, start.kinder]).reshape(-1))
    arrays = {"lines": np.array(rows).astype(np.float16)}
    save(path, KIND, {"lines": lines}, arrays)

"""What flops are worth in charts that come with the package, for a tree of any depth and sizes.

The file has, for each depth and each line that sees a flop, how much more than equity every class
of either player gets of the pot, and by how much the small set of flops that is played at once is
kinder to a class than the larger one that the charts were made on. Lines of other depths and sizes
lie between those of the file that go the same way: by the logarithms of the stack and of the pot,
and in proportion to the share of the chips that is still behind, for all-in a pot is shared by
equity. ``python -m endspiel.preflop.making`` makes the file.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from itertools import pairwise
from math import log
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from endspiel.cards.class_equity import class_matchups
from endspiel.cards.classes import NUM_CLASSES
from endspiel.files import load, save
from endspiel.games.preflop_tree import PreflopGame
from endspiel.kernels.arrays import Floats

KIND: Final = "preflop flop values"
FILE: Final = "flops.es"
FAR: Final = 2.0  # times the deepest stack, or of the shallowest one: nothing is known beyond
SMALL_SET: Final = "25"  # whose kindness is known
OPENS, RERAISES, RAISES = "2x, 3x, a", "3x, a", 4  # the menus of the file's trees


class LineStart(NamedTuple):
    """A line's flops."""

    beyond: Floats  # [2, 169] share of the pot beyond equity, by classes of either player
    kinder: Floats  # [2, 169] of the small set of flops than of the larger one, by the net
    frequency: float
    gap: float  # big blinds by which the pot was shared otherwise than play had it
    uncertain: float  # big blinds: standard error by how much flops differ
    net: float  # big blinds: error of the value net, or of what set it right
    between: float = 0.0  # big blinds: how far it may be off as no line of the file is like it
    added: Floats | None = None  # [2, 169] share of the pot that solved flops give beyond the net

    def too_kind(self) -> Floats:
        """Share of the pot that classes get too much on the small set by the net: [2, 169]."""
        return self.kinder if self.added is None else self.kinder - self.added

    def share(self) -> Floats:
        """The big blind's share of the pot: [169, 169]."""
        return share_of(self.beyond)


def share_of(beyond: Floats) -> Floats:
    """The big blind's share of a pot [169, 169], from what classes get beyond equity [2, 169]."""
    found: Floats = class_matchups().equity + beyond[0][:, None] - beyond[1][None, :]
    return found


class MeasuredLine(NamedTuple):
    """What flops of a line that were solved to the river give beyond the value net."""

    depth: float  # big blinds
    line: str
    flops: int
    mean: float  # share of the pot that the big blind's range wins more
    error: float  # share of the pot: standard error of the mean, and how closely they were solved
    added: Floats  # [2, 169] share of the pot, by classes of both players


class Way(NamedTuple):
    """How a line goes, in big blinds."""

    words: tuple[str, ...]  # f, c and r, without sizes
    pot: float
    behind: float

    @property
    def leverage(self) -> float:
        """Share of the chips that is still behind."""
        return self.behind / (self.behind + self.pot)


class _Known(NamedTuple):
    """A line of the file."""

    way: Way
    start: LineStart


@dataclass(frozen=True)
class Shipped:
    """Lines by depth, in big blinds, and name; chips are hundredths of a big blind."""

    depths: dict[float, dict[str, LineStart]]
    flops: int = 0  # of the larger set
    solved: tuple[MeasuredLine, ...] = ()  # what corrections rest on

    @property
    def reach(self) -> tuple[float, float]:
        """The shallowest and the deepest stack, in big blinds; from 1 to 0 where there is none."""
        return min(self.depths, default=1.0), max(self.depths, default=0.0)

    def starts(self, game: PreflopGame) -> dict[str, LineStart]:
        """What is known of a tree's lines that see a flop, by name.

        Nothing where the stack is over `FAR` times the deepest of the file, or under the
        shallowest one by as much.
        """
        unit, found = game.setting.big_blind, {}
        depths = self._around(game.setting.stack / unit)
        for node in game.flop_nodes if depths else ():
            line = game.tree.line(node)
            way = Way(_words(line), game.pot(node) / unit, game.behind(node) / unit)
            found[line] = _mixed([(part, self._near(at, way)) for at, part in depths], way.pot)
        return found

    def _around(self, depth: float) -> list[tuple[float, float]]:
        """The depths next to one, and how much each counts."""
        known, (low, high) = sorted(self.depths), self.reach
        if not low / FAR <= depth <= FAR * high:
            return []
        for low, high in pairwise(known):
            if low <= depth <= high:
                part = log(depth / low) / log(high / low)
                return [(at, share) for at, share in ((low, 1 - part), (high, part)) if share > 0]
        return [(min(known, key=lambda at: abs(at - depth)), 1.0)]

    def _near(self, depth: float, way: Way) -> LineStart:
        """A line as a depth of the file has it."""
        lines = self._by_words[depth]
        if way.words in lines:
            return _of_size(lines[way.words], way)
        # A line with more raises than the file has: the one with the same last raiser and most
        # nearly as much behind.
        raiser = len(way.words) % 2
        others = [one for words, ones in lines.items() for one in ones if len(words) % 2 == raiser]
        others = others or [one for ones in lines.values() for one in ones]
        return _levered(min(others, key=lambda one: abs(one.way.leverage - way.leverage)), way)

    @cached_property
    def _by_words(self) -> dict[float, dict[tuple[str, ...], list[_Known]]]:
        """Lines by depth and by how they go, those with smaller pots first."""
        found: dict[float, dict[tuple[str, ...], list[_Known]]] = {}
        for depth, lines in self.depths.items():
            ways = found.setdefault(depth, {})
            for line, start in lines.items():
                way = way_of(line, depth)
                ways.setdefault(way.words, []).append(_Known(way, start))
            for ones in ways.values():
                ones.sort(key=lambda one: one.way.pot)
        return found


def way_of(line: str, depth: float) -> Way:
    """How a line of a depth goes."""
    to = max([1.0, *(int(word[1:]) / 100 for word in line.split() if word[0] == "r")])
    return Way(_words(line), 2 * to, depth - to)


def _words(line: str) -> tuple[str, ...]:
    return tuple(word[0] for word in line.split())


def _of_size(known: Sequence[_Known], way: Way) -> LineStart:
    """A line between those that go the same way, or like the last of them."""
    for low, high in pairwise(known):
        if low.way.pot <= way.pot <= high.way.pot:
            part = log(way.pot / low.way.pot) / log(high.way.pot / low.way.pot)
            return _mixed([(1 - part, _levered(low, way)), (part, _levered(high, way))], way.pot)
    near, *others = sorted(known, key=lambda one: abs(log(one.way.pot / way.pot)))
    start, beyond = _levered(near, way), abs(log(way.pot / near.way.pot))
    if others:  # what lies beyond the last differs from it as that does from the next to last
        apart = _apart(start, _levered(others[0], way))
        beyond *= apart / abs(log(others[0].way.pot / near.way.pot))
    return start._replace(between=start.between + beyond * way.pot)


def _levered(known: _Known, way: Way) -> LineStart:
    """A line of the file with other chips behind: what is beyond equity grows with their share."""
    start, part = known.start, way.leverage / known.way.leverage
    bigger = way.pot / known.way.pot
    return start._replace(
        beyond=start.beyond * part,
        kinder=start.kinder * part,
        added=None if start.added is None else start.added * part,
        gap=start.gap * bigger,
        uncertain=start.uncertain * bigger,
        net=start.net * bigger,
    )


def _mixed(parts: Sequence[tuple[float, LineStart]], pot: float) -> LineStart:
    """A mean of lines, whose errors are the largest of them; the pot is in big blinds."""
    parts = [(part, start) for part, start in parts if part > 0]
    between = max(start.between for _, start in parts)
    added = [part * start.added for part, start in parts if start.added is not None]
    if len(parts) == 2:
        (one, low), (two, high) = parts
        between += one * two * _apart(low, high) * pot
    return LineStart(
        np.sum([part * start.beyond for part, start in parts], axis=0),
        np.sum([part * start.kinder for part, start in parts], axis=0),
        sum(part * start.frequency for part, start in parts),
        max(start.gap for part, start in parts),
        max(start.uncertain for part, start in parts),
        max(start.net for part, start in parts),
        between,
        np.sum(added, axis=0) if added else None,
    )


def _apart(one: LineStart, two: LineStart) -> float:
    """How far two lines share the pot differently: the mean over all pairs of hands."""
    dealt = class_matchups().chance
    return float((np.abs(one.share() - two.share()) * dealt).sum() / dealt.sum())


def starts_for(game: PreflopGame) -> dict[str, LineStart]:
    """Where a tree's lines may begin; those of other blinds and antes are only near."""
    return shipped().starts(game)


@cache
def shipped() -> Shipped:
    """What comes with the package; nothing where there is no file."""
    with resources.as_file(resources.files("endspiel.preflop") / "data" / FILE) as path:
        return read_shipped(path) if path.exists() else Shipped({})


@cache
def shipped_mark() -> str:
    """A hash of what comes with the package: charts kept elsewhere are of one such file."""
    file = resources.files("endspiel.preflop") / "data" / FILE
    return hashlib.blake2b(file.read_bytes() if file.is_file() else b"", digest_size=8).hexdigest()


def read_shipped(path: Path) -> Shipped:
    """Read a file of depths."""
    record, arrays = load(path, KIND)
    added = dict(zip(record.get("corrected", ()), _rows(arrays, "added"), strict=True))
    depths: dict[float, dict[str, LineStart]] = {}
    for at, (depth, line, *numbers) in enumerate(record["lines"]):
        both = arrays["lines"][at].astype(np.float64).reshape(2, 2, NUM_CLASSES)
        start = LineStart(both[0], both[1], *numbers)._replace(added=added.get(at))
        depths.setdefault(depth, {})[line] = start
    solved = tuple(
        MeasuredLine(depth, line, flops, mean, error, more)
        for (depth, line, flops, mean, error), more in zip(
            record.get("solved", ()), _rows(arrays, "solved"), strict=True
        )
    )
    return Shipped(depths, record["flops"], solved)


def _rows(arrays: Mapping[str, Any], name: str) -> list[Floats]:
    """What a file adds to lines, [2, 169] each; none where there is no such array."""
    found = arrays.get(name, np.zeros((0, 2 * NUM_CLASSES)))
    return [row.astype(np.float64).reshape(2, NUM_CLASSES) for row in found]


def save_shipped(found: Shipped, path: Path) -> None:
    """Write a file of depths, its numbers in 16 bits."""
    lines, rows, corrected, added = list[list[Any]](), list[Floats](), list[int](), list[Floats]()
    for depth in sorted(found.depths):
        for line, start in found.depths[depth].items():
            if start.added is not None:
                corrected.append(len(lines))
                added.append(start.added.reshape(-1))
            lines.append([depth, line, start.frequency, start.gap, start.uncertain, start.net])
            rows.append(np.stack([start.beyond, start.kinder]).reshape(-1))
    arrays = {"lines": np.array(rows).astype(np.float16)}
    if added:
        arrays["added"] = np.array(added).astype(np.float16)
    if found.solved:
        arrays["solved"] = np.array([one.added.reshape(-1) for one in found.solved], np.float16)
    record = {
        "flops": found.flops,
        "lines": lines,
        "corrected": corrected,
        "solved": [list(one[:-1]) for one in found.solved],
    }
    save(path, KIND, record, arrays)

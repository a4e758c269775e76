"""Flops solved to the end, hand by hand, beside a strategy that has buckets: a folder, a file each.

A strategy with buckets plays a flop by what its hands have in common with those of other flops. A
book has flops that were solved by themselves, with the ranges that the strategy leads to: what
every hand does on the flop, and what best responders get of each line into it when turn and river
are played as they were solved with it. A folder may have some flops and not others.
"""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel import files
from endspiel.betting.tree import DECISION, BettingTree
from endspiel.blueprint.quantize import Grid
from endspiel.cards.deck import NUM_HANDS
from endspiel.cards.isomorphism import hand_permutations
from endspiel.cards.live import live_mask
from endspiel.cards.text import format_cards
from endspiel.errors import FileError

if TYPE_CHECKING:
    from endspiel.abstraction.boards import Boards

KIND: Final = "flop of a book"
FLOP: Final = 1
POINTS: Final = 1 << 16  # of a grid, at most: a code takes two bytes
OPEN: Final = 8  # flops that are remembered

Floats = NDArray[np.float64]
Cards = tuple[int, ...]


class SolvedFlop(NamedTuple):
    """A flop, up to suits, as it was solved. X lines come into it."""

    strategy: dict[int, Floats]  # by decision of the strategy's tree: [A, 1326]
    values: NDArray[np.float32]  # [2, X, 1326] of best responders by line, weighed by reaches
    record: dict[str, Any]  # how it was solved
    turns: NDArray[np.float32] | None = None  # [2, T, L, 1326] the same on turns, by line into them


def flop_decisions(tree: BettingTree) -> list[int]:
    """The decisions on the flop, in the order of a file."""
    on_flop = (tree.street == FLOP) & (tree.kind == DECISION)
    found: list[int] = np.flatnonzero(on_flop).tolist()
    return found


@lru_cache
def grid_of(actions: int) -> Grid:
    """The finest grid whose points have numbers of two bytes."""
    steps = 1
    while Grid(actions, 2 * steps).size <= POINTS:
        steps *= 2
    while Grid(actions, steps + 1).size <= POINTS:
        steps += 1
    return Grid(actions, steps)


class FlopBook:
    """The folder of a strategy's solved flops."""

    def __init__(self, folder: Path, strategy: str, tree: BettingTree) -> None:
        """Of a strategy file, told by its checksum, and its betting."""
        self.folder, self.strategy, self.tree = Path(folder), strategy, tree
        self._solved = lru_cache(OPEN)(self._read)
        if self.folder.exists() and not self.folder.is_dir():
            raise FileError(f"{folder} is no folder: a book of flops is one")

    def path(self, flop: Cards) -> Path:
        """Where a flop is kept; cards up to suits, as `canonical_flops` has them."""
        return self.folder / f"{format_cards(flop).replace(' ', '')}.flop"

    def has(self, flop: Cards) -> bool:
        """Whether a flop was solved."""
        return self.path(tuple(flop)).is_file()

    def solved(self, flop: Cards) -> SolvedFlop:
        """A flop that was solved."""
        return self._solved(tuple(flop))

    def hands(self, boards: "Boards", node: int, flop: Cards) -> Floats | None:
        """What every hand does at a decision on a flop as it was dealt: [A, 1326].

        None where the book does not have it.
        """
        place = boards.find(list(flop))
        known = tuple(boards.flops[place.flop].tolist())
        if not self.has(known):
            return None
        found: Floats = self.solved(known).strategy[node][:, hand_permutations()[place.relabeling]]
        return found

    def checksum(self, flop: Cards) -> str:
        """The key that identifies this solve of a flop."""
        return self._verified(tuple(flop)).checksum

    def add(self, flop: Cards, solved: SolvedFlop) -> None:
        """Keep a flop."""
        live = live_mask(flop)
        codes = [
            grid_of(len(rows)).encode(np.ascontiguousarray(rows[:, live].T))
            for rows in (solved.strategy[node] for node in flop_decisions(self.tree))
        ]
        record = {"strategy": self.strategy, "flop": format_cards(flop), **solved.record}
        arrays: dict[str, NDArray[Any]] = {"codes": np.array(codes, np.uint16)}
        arrays["values"] = solved.values
        if solved.turns is not None:
            arrays["turns"] = solved.turns
        self.folder.mkdir(parents=True, exist_ok=True)
        files.save(self.path(tuple(flop)), KIND, record, arrays)

    def _verified(self, flop: Cards) -> files.Content:
        """A flop's file, once it is seen to be whole and of this strategy."""
        content = files.verify(self.path(flop), KIND)
        if content.record.get("strategy") != self.strategy:
            raise FileError(f"{self.path(flop)} was solved for another strategy file")
        return content

    def _read(self, flop: Cards) -> SolvedFlop:
        path, live, nodes = self.path(flop), live_mask(flop), flop_decisions(self.tree)
        content = self._verified(flop)
        arrays = content.arrays
        codes, values = arrays.get("codes"), arrays.get("values")
        size, kind = (len(nodes), int(live.sum())), np.uint16
        if codes is None or values is None or codes.shape != size or codes.dtype != kind:
            raise FileError(f"{path} does not hold the {len(nodes)} decisions of a flop")
        rows = dict(self._rows(path, live, nodes, codes))
        return SolvedFlop(rows, values, content.record, arrays.get("turns"))

    def _rows(
        self, path: Path, live: NDArray[np.bool_], nodes: list[int], codes: NDArray[np.uint16]
    ) -> Iterator[tuple[int, Floats]]:
        for node, row in zip(nodes, codes, strict=True):
            grid = grid_of(int(self.tree.num_children[node]))
            if int(row.max()) >= grid.size:
                raise FileError(f"{path} has a number that no strategy has")
            found = np.zeros((grid.actions, NUM_HANDS))
            found[:, live] = grid.decode(row.astype(np.int64)).T
            found.flags.writeable = False
            yield node, found

"""Where a strategy file keeps what: the place of every row, and the betting tree as arrays.

Rows are kept node by node in the tree's order, and in a node by bucket: those before the turn in
two bytes an action, the others coded in a stream of bits. How finely a node's rows are coded
depends on how much they matter. Rounding costs at most about the player's own way there times the
pot, as the other player may come there as often as it likes. All else follows from the tree and the
number of buckets.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from endspiel.betting.tree import DECISION, NOBODY, BettingTree
from endspiel.blueprint.quantize import PADDING, Grid, grid
from endspiel.kernels.arrays import Float64s, Ints, UInt8s

DEFAULT_BITS: Final = 6.0  # of a coded probability, on the average
FINE_STREETS: Final = 2  # streets whose rows are not coded
FINE: Final = 0  # the level of rows that are not coded, and of nodes without a decision
LEVELS: Final = range(3, 13)  # a level's steps of probability are 1 / (2^level - 1)
_NEVER: Final = 1e-300  # in place of a weight of 0
_SMALL: Final = {"kind": np.int8, "player": np.int8, "street": np.int8, "num_children": np.int16}


@dataclass(frozen=True, eq=False)
class FileLayout:
    """The places of all rows of a tree's N nodes."""

    grids: tuple[Grid, ...]  # [G] that occur
    grid_of: Ints  # [N] -1 where no row is coded
    num_rows: Ints  # [N] buckets of each decision, 0 elsewhere
    row_at: Ints  # [N] number of its first row
    bits: Ints  # [N] of a code, 0 where no row is coded
    bit_at: Ints  # [N] where its codes begin
    fine_at: Ints  # [N + 1] where its fine rows begin, and where the last end

    @property
    def num_bytes(self) -> int:
        """What all codes take, in the stream."""
        return int(self.bit_at[-1] + self.num_rows[-1] * self.bits[-1] + 7) // 8 + PADDING


def lay_out(tree: BettingTree, sizes: Sequence[int], levels: UInt8s) -> FileLayout:
    """The layout for numbers of buckets by street, and levels of fineness by node [N]."""
    deciding = tree.kind == DECISION
    most = int(tree.num_children.max()) + 1
    cells = np.where(deciding, levels.astype(np.int64) * most + tree.num_children, FINE)
    found, place = np.unique(cells, return_inverse=True)
    grids: dict[Grid, int] = {}
    numbers, widths = np.full(len(found), -1), np.zeros(len(found), np.int64)
    for at, cell in enumerate(found.tolist()):
        level, actions = divmod(cell, most)
        if level != FINE:
            made = grid(actions, (1 << level) - 1)
            numbers[at], widths[at] = grids.setdefault(made, len(grids)), made.bits
    num_rows: Ints = np.where(deciding, np.array(sizes, np.int64)[tree.street], 0)
    grid_of, bits = numbers[place], widths[place]
    coded: Ints = num_rows * bits
    fine: Ints = np.where(grid_of < 0, num_rows * tree.num_children, 0)
    return FileLayout(
        grids=tuple(grids),
        grid_of=grid_of,
        num_rows=num_rows,
        row_at=np.cumsum(num_rows) - num_rows,
        bits=bits,
        bit_at=np.cumsum(coded) - coded,
        fine_at=np.concatenate([[0], np.cumsum(fine)]),
    )


def choose_levels(tree: BettingTree, sizes: Sequence[int], weight: Float64s, bits: float) -> UInt8s:
    """Levels [N] by how much each node's rows matter [N], for coded rows of a number of bits.

    Steps go with the weight of a single row: halving its weight may double the error, for a bit
    less a probability. ``bits`` are of each probability but a row's last, on the average.
    """
    levels = np.full(tree.num_nodes, FINE, np.uint8)
    coded = np.flatnonzero((tree.kind == DECISION) & (tree.street >= FINE_STREETS))
    if not len(coded):
        return levels
    count = np.array(sizes, np.int64)[tree.street[coded]]
    actions = tree.num_children[coded].astype(np.int64)
    doublings = np.log2(np.maximum(weight[coded] / count, _NEVER))
    room = bits * float(((actions - 1) * count).sum())
    widths = np.zeros((actions.max() + 1, len(LEVELS)), np.int64)
    for a in set(actions.tolist()):
        widths[a] = [grid(a, (1 << level) - 1).bits for level in LEVELS]

    def shifted(shift: float) -> Ints:
        return np.clip(np.rint(doublings + shift), LEVELS[0], LEVELS[-1]).astype(np.int64)

    low, high = LEVELS[0] - doublings.max(), LEVELS[-1] - doublings.min()
    for _ in range(60):
        middle = (low + high) / 2
        fits = (widths[actions, shifted(middle) - LEVELS[0]] * count).sum() <= room
        low, high = (middle, high) if fits else (low, middle)
    levels[coded] = shifted(low)
    return levels


def tree_arrays(tree: BettingTree) -> dict[str, NDArray[Any]]:
    """A tree by name, for a file; parents follow from the numbers of children."""
    arrays: dict[str, NDArray[Any]] = {
        name: getattr(tree, name).astype(dtype) for name, dtype in _SMALL.items()
    }
    arrays |= {"spent": tree.spent.astype(np.int32), "action": tree.action.astype(np.int32)}
    return arrays | {"table": np.array([tree.pot, tree.stack], np.int64)}


def tree_of_arrays(arrays: Mapping[str, NDArray[Any]]) -> BettingTree:
    """Read back what ``tree_arrays`` gave."""
    num_children = arrays["num_children"].astype(np.int32)
    nodes = np.arange(len(num_children), dtype=np.int32)
    first_child = (1 + np.cumsum(num_children) - num_children).astype(np.int32)
    parent = np.concatenate([np.array([NOBODY], np.int32), np.repeat(nodes, num_children)])
    pot, stack = arrays["table"].tolist()
    return BettingTree(
        pot=pot,
        stack=stack,
        kind=arrays["kind"],
        player=arrays["player"],
        street=arrays["street"],
        spent=arrays["spent"].astype(np.int64),
        parent=parent,
        first_child=first_child,
        num_children=num_children,
        action=arrays["action"].astype(np.int64),
    )

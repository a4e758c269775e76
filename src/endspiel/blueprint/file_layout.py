"""Where a strategy file keeps what: the place of every row, and the betting tree as arrays.

Rows are kept node by node in the tree's order, and in a node by bucket: coded rows in a stream of
bits, rows of streets with the finest steps as two bytes an action. All follows from the tree, the
number of buckets of each street and the steps asked for, so none of it is in the file.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from endspiel.betting.tree import DECISION, NOBODY, BettingTree
from endspiel.blueprint.quantize import FINEST, PADDING, Grid, grid

# Steps of probabilities by street, at least where two bytes a row allow it.
DEFAULT_STEPS: Final = (FINEST, FINEST, 126, 63)
_SMALL: Final = {"kind": np.int8, "player": np.int8, "street": np.int8, "num_children": np.int16}

Int64s = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Layout:
    """The places of all rows of a tree's N nodes."""

    grids: tuple[Grid, ...]  # [G] that occur
    grid_of: Int64s  # [N] -1 where no row is coded
    num_rows: Int64s  # [N] buckets of each decision, 0 elsewhere
    row_at: Int64s  # [N] number of its first row
    bits: Int64s  # [N] of a code, 0 where no row is coded
    bit_at: Int64s  # [N] where its codes begin
    fine_at: Int64s  # [N + 1] where its fine rows begin, and where the last end

    @property
    def num_bytes(self) -> int:
        """What all codes take, in the stream."""
        return int(self.bit_at[-1] + self.num_rows[-1] * self.bits[-1] + 7) // 8 + PADDING


def lay_out(tree: BettingTree, sizes: Sequence[int], steps: Sequence[int]) -> Layout:
    """The layout for so many buckets and steps of probability, by street."""
    deciding = tree.kind == DECISION
    most = int(tree.num_children.max()) + 1
    cells = np.where(deciding, tree.street.astype(np.int64) * most + tree.num_children, -1)
    found, place = np.unique(cells, return_inverse=True)
    grids: dict[Grid, int] = {}
    numbers, widths = np.full(len(found), -1), np.zeros(len(found), np.int64)
    for at, cell in enumerate(found.tolist()):
        street, actions = divmod(cell, most)
        if cell >= 0 and steps[street] < FINEST:
            made = grid(actions, steps[street])
            numbers[at], widths[at] = grids.setdefault(made, len(grids)), made.bits
    num_rows: Int64s = np.where(deciding, np.array(sizes, np.int64)[tree.street], 0)
    grid_of, bits = numbers[place], widths[place]
    coded: Int64s = num_rows * bits
    fine: Int64s = np.where(grid_of < 0, num_rows * tree.num_children, 0)
    return Layout(
        grids=tuple(grids),
        grid_of=grid_of,
        num_rows=num_rows,
        row_at=np.cumsum(num_rows) - num_rows,
        bits=bits,
        bit_at=np.cumsum(coded) - coded,
        fine_at=np.concatenate([[0], np.cumsum(fine)]),
    )


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

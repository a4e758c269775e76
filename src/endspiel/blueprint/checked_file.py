"""Whether the parts of a strategy file fit each other: what passes is safe to look up and to play.

A tree that leads nowhere or in circles, codes beyond their grid, rows that are no probabilities and
a map of the cards that points outside are refused when the file is opened, in some 50 ms.
"""

from collections.abc import Mapping
from ctypes import c_int, c_int64
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from endspiel.abstraction.checked import AbstractionRecord
from endspiel.betting.tree import (
    BY_CHANCE,
    BY_FOLD,
    CHANCE,
    DECISION,
    FOLD,
    NOBODY,
    NUM_STREETS,
    SHOWDOWN,
    BettingTree,
)
from endspiel.blueprint.file_layout import FINE, LEVELS, FileLayout, tree_of_arrays
from endspiel.blueprint.quantize import FINEST
from endspiel.checking import read_record, take
from endspiel.errors import FileError
from endspiel.kernels.arrays import Ints, UInt8s, UInt16s
from endspiel.native.boundary import pointer
from endspiel.native.library import function
from endspiel.rules.game_def import UNLIMITED_CHIPS, GameDef

MOST_ACTIONS: Final = 255  # of a decision
HOLDEM_BOARDS: Final = (0, 3, 4, 5)

Arrays = Mapping[str, NDArray[Any]]


class Rules(msgspec.Struct):
    """The game that is played."""

    name: str
    text: str


class Trained(msgspec.Struct):
    """What is read of a training's record; it may tell more."""

    method: str = ""
    iterations: int = 0
    seconds: float = 0.0
    seed: int | None = None
    exploitability: float | None = None
    trace: list[tuple[int, float, float]] = []


class FileRecord(msgspec.Struct):
    """All of a strategy file that is not an array."""

    game: Rules
    model: str | None
    abstraction: AbstractionRecord
    bits: float
    loss: dict[str, tuple[float, float]]
    training: Trained


def check_record(record: Mapping[str, Any]) -> None:
    """Refuse a record with a missing or malformed entry."""
    read_record(record, FileRecord)


def check_game(game: GameDef) -> None:
    """Refuse rules that no strategy file is for."""
    cards = game.num_suits, game.num_ranks, game.num_hole_cards, game.board_sizes
    if game.num_players != 2 or cards != (4, 13, 2, HOLDEM_BOARDS):
        raise FileError(f"its game {game.name} is not heads-up hold'em")


def read_tree(arrays: Arrays) -> BettingTree:
    """The betting tree of arrays that make one."""
    count = take(arrays, "num_children", np.int16, (None,), 0, MOST_ACTIONS)
    nodes = len(count)
    for name, low, high in (
        ("kind", 0, FOLD),
        ("player", NOBODY, 1),
        ("street", 0, NUM_STREETS - 1),
    ):
        take(arrays, name, np.int8, (nodes,), low, high)
    table = take(arrays, "table", np.int64, (2,), 0, UNLIMITED_CHIPS)
    take(arrays, "spent", np.int32, (nodes, 2), 0, int(table[1]))
    take(arrays, "action", np.int32, (nodes,), BY_CHANCE, int(table[1]))
    if count.sum(dtype=np.int64) != nodes - 1:
        raise FileError("its tree has other nodes than children")
    tree = tree_of_arrays(arrays)
    _check_shape(tree)
    _check_actions(tree)
    return tree


def _check_shape(tree: BettingTree) -> None:
    """Refuse nodes whose children, players or streets are not those of their kind."""
    kind, count = tree.kind, tree.num_children
    children = np.where(kind == DECISION, count >= 1, count == (kind == CHANCE))
    acting = (kind == DECISION) | (kind == FOLD)
    below = tree.parent[1:]  # of every node but the root
    sound = (
        children.all()
        and ((tree.player != NOBODY) == acting).all()
        and (below < np.arange(1, tree.num_nodes)).all()
        and kind[0] == DECISION
        and tree.street[0] == 0
        and (tree.street[1:] == tree.street[below] + (kind[below] == CHANCE)).all()
    )
    if not sound:
        raise FileError("its tree is none: a node is not followed by what its kind is followed by")


def _check_actions(tree: BettingTree) -> None:
    """Refuse actions that are out of order, or chips that come back."""
    parent, action = tree.parent[1:], tree.action[1:]
    siblings = parent[1:] == parent[:-1]
    sound = (
        tree.action[0] == BY_CHANCE
        and ((action == BY_CHANCE) == (tree.kind[parent] == CHANCE)).all()
        and ((action == BY_FOLD) == (tree.kind[1:] == FOLD)).all()
        and (action[1:] > action[:-1])[siblings].all()
        and (tree.spent[1:] >= tree.spent[parent]).all()
        and (tree.player[1:] == tree.player[parent])[tree.kind[1:] == FOLD].all()
        and (tree.street[1:] == NUM_STREETS - 1)[tree.kind[1:] == SHOWDOWN].all()
    )
    if not sound:
        raise FileError("its tree is none: an action leads to what it cannot lead to")


def read_levels(arrays: Arrays, tree: BettingTree) -> UInt8s:
    """How finely each node's rows are coded: [N]."""
    levels = take(arrays, "levels", np.uint8, (tree.num_nodes,), FINE, LEVELS[-1])
    known = (levels == FINE) | (levels >= LEVELS[0])
    if not known.all() or levels[tree.kind != DECISION].any():
        raise FileError("its array levels holds what is no fineness of a node's rows")
    return levels


def read_rows(arrays: Arrays, tree: BettingTree, layout: FileLayout) -> tuple[UInt8s, UInt16s]:
    """Coded rows and fine rows, all of which are probabilities."""
    codes = take(arrays, "codes", np.uint8, (layout.num_bytes,))
    fine = take(arrays, "fine", np.uint16, (int(layout.fine_at[-1]),))
    sizes = np.array([grid.size for grid in layout.grids], np.int64)
    if len(sizes) and not _codes_fit(codes, _spans(layout), sizes):
        raise FileError("its array codes holds a code that stands for no row")
    nodes = np.flatnonzero(np.diff(layout.fine_at))
    width = np.repeat(tree.num_children[nodes], layout.num_rows[nodes]).astype(np.int64)  # [rows]
    sums = np.add.reduceat(fine, np.cumsum(width) - width, dtype=np.int64) if len(width) else width
    if (sums != FINEST).any() and len(width):
        raise FileError("its array fine holds a row that does not add up to one")
    return codes, fine


def _spans(layout: FileLayout) -> Ints:
    """Of every node with coded rows: first bit, bits of a code, rows, grid: [n, 4]."""
    nodes = np.flatnonzero(layout.grid_of >= 0)
    columns = layout.bit_at, layout.bits, layout.num_rows, layout.grid_of
    return np.column_stack([column[nodes] for column in columns]).astype(np.int64)


def _codes_fit(stream: UInt8s, spans: Ints, sizes: Ints) -> bool:
    """Whether every code of every span [n, 4] is less than the size of its grid [G]."""
    fits = function("codes_fit", c_int)(
        pointer(stream, np.uint8),
        pointer(spans, np.int64, shape=(-1, 4)),
        c_int64(len(spans)),
        pointer(sizes, np.int64),
    )
    return bool(fits)

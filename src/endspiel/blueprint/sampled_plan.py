"""A betting tree as groups of sixteen branches of one shape, for the walk of a board at a time.

A branch is the betting of one street after one line; lines that are all-in before the river run out
without a decision, and on a full board they are showdowns where they are called.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.betting.sequences import number_sequences
from endspiel.betting.tree import CHANCE, DECISION, FOLD, BettingTree
from endspiel.errors import GameError
from endspiel.kernels.arrays import Float32s, Float64s, Ints
from endspiel.kernels.lanes import LANES
from endspiel.kernels.regrets import shares
from endspiel.kernels.sampled_arrays import (
    CARD_ROWS,
    HANDS,
    NUM_LIVE,
    TILES,
    Lane,
    LaneTables,
    Room,
)

_NONE = -1


class _PlannedDecision(NamedTuple):
    player: int
    first: int  # first sequence
    actions: int
    parent: int  # own sequence that leads to it


class _End(NamedTuple):
    folder: int  # who folded, -1 for a showdown
    sequences: tuple[int, int]


@dataclass
class _Branch:
    """The betting of one street after a line: its shape, and the nodes that fill it."""

    root: int
    sizes: list[int]  # sequences of each player
    decisions: list[_PlannedDecision] = field(default_factory=list)
    ends: list[_End] = field(default_factory=list)
    outs: list[tuple[int, int]] = field(default_factory=list)  # sequences of lines that go on
    decision_nodes: list[int] = field(default_factory=list)
    end_nodes: list[int] = field(default_factory=list)
    out_nodes: list[int] = field(default_factory=list)  # first decision of the next street

    def shape(self) -> tuple[tuple[object, ...], ...]:
        """What branches of one group have in common."""
        return tuple(self.decisions), tuple(self.ends), tuple(self.outs)


class Slot(NamedTuple):
    """Where a decision's rows lie: sequences first .. first + actions - 1 of a lane."""

    group: int
    lane: int
    player: int
    first: int
    actions: int


@dataclass(frozen=True, eq=False)
class LanePlan:
    """A betting tree ready to be walked."""

    tables: LaneTables
    streets: tuple[Ints, ...]  # groups of each street there is
    slots: dict[int, Slot]  # by decision node
    store_size: int  # floats of the rows of both players
    work_size: int  # floats that a thread works in

    @property
    def num_groups(self) -> int:
        """Groups of all streets; group 0 holds the root, in lane 0."""
        return len(self.tables.meta)

    @property
    def most_decisions(self) -> int:
        """Decisions that a player has in a group at most."""
        return int(self.tables.meta[:, :, Lane.DECISIONS].max())


def plan_lanes(tree: BettingTree, sizes: Sequence[int], unit: float) -> LanePlan:
    """The groups of a tree, by buckets a street; stakes are in units of the given chips."""
    if tree.kind[0] != DECISION:
        raise GameError("a betting tree without decisions leaves nothing to train")
    groups = _gather_groups(tree)
    where = {b.root: (g, lane) for g, group in enumerate(groups) for lane, b in enumerate(group)}
    writer = _Writer(tree, unit, where, len(groups))
    meta = np.zeros((len(groups), 2, len(Lane)), np.int64)
    slots: dict[int, Slot] = {}
    kept = 0
    for g, group in enumerate(groups):
        street = int(tree.street[group[0].root])
        for player in (0, 1):
            meta[g, player, Lane.STREET] = street
            meta[g, player, Lane.STORED] = kept
            writer.write(meta[g, player], group, player)
            kept += int(sizes[street] * meta[g, player, Lane.ROWS]) * LANES
        for lane, branch in enumerate(group):
            for at, node in zip(branch.decisions, branch.decision_nodes, strict=True):
                slots[node] = Slot(g, lane, at.player, at.first, at.actions)
    room, work_size = lay_out_work(meta, [min(int(size), NUM_LIVE) for size in sizes], HANDS)
    tables = LaneTables(
        meta, np.array(writer.ints, np.int64), np.array(writer.stakes, np.float32), room
    )
    street_of = meta[:, 0, Lane.STREET]
    streets = tuple(np.flatnonzero(street_of == street) for street in np.unique(street_of))
    return LanePlan(tables, streets, slots, kept, work_size)


def _gather_groups(tree: BettingTree) -> list[list[_Branch]]:
    """Branches of one street and shape, up to sixteen together; streets in order."""
    by_shape: dict[tuple[object, ...], list[_Branch]] = defaultdict(list)
    waiting = [0]
    for root in waiting:  # grows
        branch = _survey(tree, root)
        by_shape[int(tree.street[root]), *branch.shape()].append(branch)
        waiting += branch.out_nodes
    alike = sorted(by_shape.values(), key=lambda branches: int(tree.street[branches[0].root]))
    return [same[at : at + LANES] for same in alike for at in range(0, len(same), LANES)]


def _survey(tree: BettingTree, root: int) -> _Branch:
    """One branch, its decisions in the order of a depth-first walk."""
    numbered = number_sequences(tree, [root], depth_first=True)
    branch = _Branch(root, numbered.sizes)
    for node, player, first, actions, seqs in numbered.decisions:
        branch.decisions.append(_PlannedDecision(player, first, actions, seqs[player]))
        branch.decision_nodes.append(node)
    for node, seqs in numbered.ends:
        after = node
        while tree.kind[after] == CHANCE:
            after = int(tree.first_child[after])
        if tree.kind[after] == DECISION:
            branch.outs.append(seqs)
            branch.out_nodes.append(after)
        else:
            folder = int(tree.player[node]) if tree.kind[node] == FOLD else _NONE
            branch.ends.append(_End(folder, seqs))
            branch.end_nodes.append(after)
    return branch


class _Writer:
    """Fills the long arrays, group after group."""

    def __init__(
        self, tree: BettingTree, unit: float, where: dict[int, tuple[int, int]], num_groups: int
    ) -> None:
        self.tree, self.unit, self.where = tree, unit, where
        self.nowhere = num_groups * TILES * LANES  # a row of the block without an owner
        self.ints: list[int] = list(range(LANES))
        self.stakes: list[float] = []

    def write(self, meta: Ints, group: list[_Branch], player: int) -> None:
        """One player's part of a group."""
        shape = group[0]
        own = [at for at in shape.decisions if at.player == player]
        meta[Lane.ROWS] = shape.sizes[player] - 1
        meta[Lane.DECISIONS] = len(own)
        meta[Lane.FIRST] = self._put([at.first for at in own])
        meta[Lane.ACTIONS] = self._put([at.actions for at in own])
        meta[Lane.PARENT] = self._put([at.parent for at in own])
        self._write_ends(meta, group, player)
        meta[Lane.OUTS] = len(shape.outs)
        meta[Lane.OUT_FROM] = self._put([sequences[player] for sequences in shape.outs])
        rows = [
            [self._row(branch.out_nodes[o]) for branch in group] for o in range(meta[Lane.OUTS])
        ]
        spare = LANES - len(group)
        meta[Lane.OUT_TO] = self._put([r for row in rows for r in row + [self.nowhere] * spare])
        meta[Lane.USED] = len(group)

    def _put(self, numbers: list[int]) -> int:
        self.ints += numbers
        return len(self.ints) - len(numbers)

    def _row(self, node: int) -> int:
        group, lane = self.where[node]
        return group * TILES * LANES + lane

    def _write_ends(self, meta: Ints, group: list[_Branch], player: int) -> None:
        """Terminals by the other's sequence: a showdown and a fold of one share its walk."""
        ends = group[0].ends
        pairs: list[list[int]] = []  # the other's sequence, showdown, fold (numbers of ends)
        for number, end in enumerate(ends):
            other, column = end.sequences[1 - player], 1 if end.folder == _NONE else 2
            free = [pair for pair in pairs if pair[0] == other and pair[column] == _NONE]
            if not free:
                free = [[other, _NONE, _NONE]]
                pairs += free
            free[0][column] = number
        meta[Lane.ENDS] = len(pairs)
        meta[Lane.END_FROM] = self._put([pair[0] for pair in pairs])
        for column, to, stake in (
            (1, Lane.SHOW_TO, Lane.SHOW_STAKE),
            (2, Lane.FOLD_TO, Lane.FOLD_STAKE),
        ):
            numbers = [pair[column] for pair in pairs]
            meta[to] = self._put(
                [ends[n].sequences[player] if n != _NONE else _NONE for n in numbers]
            )
            meta[stake] = len(self.stakes)
            for number in numbers:
                nodes = [] if number == _NONE else [branch.end_nodes[number] for branch in group]
                paid = self.tree.gains(np.array(nodes, np.int64), player) / self.unit
                self.stakes += paid.tolist() + [0.0] * (LANES - len(paid))


def lay_out_work(meta: Ints, widest: Sequence[int], hands: int) -> tuple[Ints, int]:
    """Where a thread's buffers start, and their size together.

    Bounds of the buckets of a street and the hands on one board.
    """
    rows = np.array(widest)[meta[..., Lane.STREET]] * LANES
    by_bucket = int(((meta[..., Lane.ROWS] + 1) * rows).max())
    lengths = dict.fromkeys(Room, by_bucket)
    lengths |= dict.fromkeys((Room.OWN, Room.OTHER, Room.SHOWN, Room.VALUE), hands * LANES)
    lengths[Room.MASS] = CARD_ROWS * LANES
    starts = np.cumsum([0, *(lengths[column] for column in Room)])
    return starts[:-1].astype(np.int64), int(starts[-1])


def node_rows(kept: Float32s, plan: LanePlan, node: int, buckets: int) -> NDArray[np.float32]:
    """A decision's part of the kept rows: a view [A, buckets]."""
    slot = plan.slots[node]
    meta = plan.tables.meta[slot.group, slot.player]
    start, rows = int(meta[Lane.STORED]), int(meta[Lane.ROWS])
    table = kept[start : start + buckets * rows * LANES].reshape(buckets, rows, LANES)
    return table[:, slot.first - 1 : slot.first - 1 + slot.actions, slot.lane].T


def node_shares(kept: Float32s, plan: LanePlan, node: int, sizes: Sequence[int]) -> Float64s:
    """Probabilities of a decision by bucket [A, K] from its kept rows, by their number a street."""
    if node not in plan.slots:
        raise GameError(f"node {node} is no decision of the betting tree")
    slot = plan.slots[node]
    street = int(plan.tables.meta[slot.group, slot.player, Lane.STREET])
    found: Float64s = shares(node_rows(kept, plan, node, sizes[street]).astype(np.float64))
    return found

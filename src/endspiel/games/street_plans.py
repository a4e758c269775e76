"""A betting tree cut into streets: each player's decisions and terminals, local to a board."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.betting.sequences import number_sequences
from endspiel.betting.tree import CHANCE, FOLD, BettingTree
from endspiel.kernels.board_arrays import Float32s, Ints
from endspiel.kernels.simd import LANES, padded

Pair = tuple[int, int]
Bools = NDArray[np.bool_]


class _Terminal(NamedTuple):
    """The end of a line: both players' last sequences and what it pays each player."""

    seqs: Pair
    folder: int  # -1 at a showdown
    stake: float  # what the loser (or the player who folds) loses

    def gain(self, player: int) -> float:
        """What a player gets by a fold, or the better hand at a showdown."""
        return -self.stake if self.folder == player else self.stake


@dataclass
class Street:
    """One street of the betting while it is cut out; sequences are local to a board."""

    starts: list[int]  # node that each incoming line begins with
    size: list[int] = field(default_factory=list)  # sequences of each player
    decisions: tuple[list[int], list[int]] = field(default_factory=lambda: ([], []))  # nodes
    first: tuple[list[int], list[int]] = field(default_factory=lambda: ([], []))
    parent: tuple[list[int], list[int]] = field(default_factory=lambda: ([], []))
    actions: tuple[list[int], list[int]] = field(default_factory=lambda: ([], []))
    out: list[Pair] = field(default_factory=list)
    terminals: list[_Terminal] = field(default_factory=list)


def cut_streets(tree: BettingTree, node: int = 0, allowed: Bools | None = None) -> list[Street]:
    """The streets of a betting tree from a node on, each with the lines that come into it."""
    streets = [Street([node])]
    while True:
        following = _cut(tree, streets[-1], allowed)
        if not following:
            return streets
        streets.append(Street(following))


def cut_street(tree: BettingTree, starts: Sequence[int], allowed: Bools | None = None) -> Street:
    """The betting from some nodes of one street on, each a line of its own.

    Where some nodes are not allowed [N], it is as if the tree did not have them.
    """
    street = Street(list(starts))
    _cut(tree, street, allowed)
    return street


def _cut(tree: BettingTree, street: Street, allowed: Bools | None = None) -> list[int]:
    """Fill in a street; the nodes that begin the next one."""
    numbered = number_sequences(tree, street.starts, allowed)
    street.size = numbered.sizes
    for node, player, first, actions, seqs in numbered.decisions:
        street.decisions[player].append(node)
        street.first[player].append(first)
        street.parent[player].append(seqs[player])
        street.actions[player].append(actions)
    following: list[int] = []
    for node, seqs in numbered.ends:
        if tree.kind[node] == CHANCE:
            street.out.append(seqs)
            following.append(int(tree.first_child[node]))
        else:
            folder = int(tree.player[node]) if tree.kind[node] == FOLD else -1
            street.terminals.append(_Terminal(seqs, folder, float(tree.stake[node])))
    return following


def last_sequences(tree: BettingTree, street: Street) -> dict[int, Pair]:
    """Both players' last sequences before each decision of a street of the whole tree."""
    return {d.node: d.seqs for d in number_sequences(tree, street.starts).decisions}


class SidePlan(NamedTuple):
    """One player's betting on one street, as arrays; see `Meta` for what they mean."""

    size: int  # S
    lines: int  # L
    first: Ints  # [D]
    actions: Ints  # [D]
    parent: Ints  # [D]
    out: Ints  # [next L]
    tiles: tuple[int, int, int]  # lane tiles: with both, showdown only, fold only
    lane_from: Ints  # [lanes]
    show_to: Ints  # [lanes]
    show_stake: Float32s  # [lanes]
    fold_to: Ints  # [lanes]
    fold_stake: Float32s  # [lanes]


def side_plan(street: Street, player: int, scale: float) -> SidePlan:
    """One player's arrays of a street; stakes are multiplied by the scale."""
    lanes = _lanes(street.terminals, player)
    seqs, shows, folds = [], [], []
    for lane, show, fold in (row for group in lanes for row in group):
        seqs.append(lane)
        shows.append(show)
        folds.append(fold)
    return SidePlan(
        size=street.size[player],
        lines=len(street.starts),
        first=np.array(street.first[player], dtype=np.int64),
        actions=np.array(street.actions[player], dtype=np.int64),
        parent=np.array(street.parent[player], dtype=np.int64),
        out=np.array([seqs[player] for seqs in street.out], dtype=np.int64),
        tiles=(len(lanes[0]) // LANES, len(lanes[1]) // LANES, len(lanes[2]) // LANES),
        lane_from=np.array(seqs, dtype=np.int64),
        show_to=np.array([to for to, _ in shows], dtype=np.int64),
        show_stake=np.array([stake * scale for _, stake in shows], dtype=np.float32),
        fold_to=np.array([to for to, _ in folds], dtype=np.int64),
        fold_stake=np.array([stake * scale for _, stake in folds], dtype=np.float32),
    )


def lane_tiles(street: Street, player: int) -> int:
    """Lane tiles of a street, before any array is made."""
    return sum(len(group) // LANES for group in _lanes(street.terminals, player))


Payment = tuple[int, float]  # own sequence, stake
_Lane = tuple[int, Payment, Payment]  # the other's sequence, showdown, fold
_NOTHING: Payment = (0, 0.0)


def _lanes(terminals: Sequence[_Terminal], player: int) -> list[list[_Lane]]:
    """Lanes with a showdown and a fold, with a showdown only, with a fold only; each padded."""
    shows: dict[int, list[Payment]] = {}
    folds: dict[int, list[Payment]] = {}
    for terminal in terminals:
        own, other = terminal.seqs[player], terminal.seqs[1 - player]
        if terminal.folder < 0:
            shows.setdefault(other, []).append((own, terminal.stake))
        else:
            folds.setdefault(other, []).append((own, terminal.gain(player)))
    groups: list[list[_Lane]] = [[], [], []]
    for other in sorted(shows.keys() | folds.keys()):
        show, fold = shows.get(other, []), folds.get(other, [])
        for i in range(max(len(show), len(fold))):
            if i < len(show) and i < len(fold):
                groups[0].append((other, show[i], fold[i]))
            elif i < len(show):
                groups[1].append((other, show[i], _NOTHING))
            else:
                groups[2].append((other, _NOTHING, fold[i]))
    for group in groups:
        group += [(0, _NOTHING, _NOTHING)] * (padded(len(group)) - len(group))
    return groups

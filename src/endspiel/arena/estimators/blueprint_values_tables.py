"""What a blueprint's buckets may expect of each other if both play on by it: tables and rows.

Buckets stand for hands. Where player 0's bucket a meets player 1's b, what follows a node is a sum
over the ends of its street: x[a] y[b] times what the end is worth, x and y the chances that the
two strategies go there. So a street is a product of two thin matrices and no walk over pairs. What
an end is worth, weighed by the chance J[a, b] of the pair: a fold its chips times J; a showdown or
an all-in its stake times W[a, b], the chance to win less that to lose; the next cards the sum over
the buckets that a and b may become. Joint chances come from a sample of boards: AIVAT has no bias
whatever the values.

Each figure is a pair: the chips V, and the chips S that are expected to meet at a showdown, which
tell how much better than its bucket's a hand's own chance to win makes it.
"""

from ctypes import c_int64
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from endspiel.abstraction.abstraction import Abstraction
from endspiel.arrays import Float32s, Ints
from endspiel.betting.tree import CHANCE, DECISION, FOLD, BettingTree
from endspiel.blueprint.blueprint import Blueprint
from endspiel.blueprint.joint import Joint, sample_joint
from endspiel.native.boundary import pointer
from endspiel.native.library import board_function, chosen_build
from endspiel.solvers.memory import check_memory

BOARDS: Final = 400  # turn boards in the sample of pairs of buckets
SEED: Final = 1
_PANEL: Final = 16  # buckets whose children are worked on at a time: they stay in the cache

Players = tuple[Blueprint, Blueprint]  # one strategy file, as each position plays it


class Ends(NamedTuple):
    """Where a street may end after a node: T folds, showdowns and deals, in this order."""

    reach: tuple[Float32s, Float32s]  # [T, K] how often each player's buckets go there
    paid: Float32s  # [folds] chips that player 0 wins
    stakes: Float32s  # [showdowns] all-ins included
    deals: tuple[int, ...]  # first decisions of the next street


def ends(players: Players, start: int) -> Ends:
    """The ends of the street that a decision is on."""
    tree = players[0].tree
    buckets = players[0].sizes[int(tree.street[start])]
    found: tuple[list[_StreetEnd], list[_StreetEnd], list[_StreetEnd]] = [], [], []
    sure = np.ones(buckets, np.float32)
    left = [(start, (sure, sure))]
    while left:
        node, reach = left.pop()
        end = _end(tree, node)
        if end is not None:
            kind, worth = end
            found[kind].append(_StreetEnd(worth, reach))
            continue
        player = int(tree.player[node])
        for child, chances in zip(tree.children(node), players[player].rows(node), strict=True):
            taken = (reach[player] * chances).astype(np.float32)
            left.append((child, (taken, reach[1]) if player == 0 else (reach[0], taken)))
    folds, showdowns, deals = found
    together = [*folds, *showdowns, *deals]
    return Ends(
        (np.stack([e.reach[0] for e in together]), np.stack([e.reach[1] for e in together])),
        np.array([e.worth for e in folds], np.float32),
        np.array([e.worth for e in showdowns], np.float32),
        tuple(int(e.worth) for e in deals),
    )


class _StreetEnd(NamedTuple):
    worth: float  # chips, or the node after a deal
    reach: tuple[Float32s, Float32s]  # [K] each


def _end(tree: BettingTree, node: int) -> tuple[int, float] | None:
    """Which of the kinds of ends a node is, and what it is worth; None where somebody decides."""
    kind = int(tree.kind[node])
    if kind == DECISION:
        return None
    gain = float(tree.gains(node, 0))
    if kind == FOLD:
        return 0, gain
    while kind == CHANCE:
        node = int(tree.first_child[node])
        kind = int(tree.kind[node])
    return (2, node) if kind == DECISION else (1, gain)


@dataclass(frozen=True, eq=False)
class Pairs:
    """How buckets meet."""

    chance: tuple[Float32s, ...]  # J by street: [K, K]
    showdown: tuple[Float32s, ...]  # W by street: [K, K]
    first: tuple[Ints, ...]  # by street but the last: [K + 1] where each bucket's children begin

    @classmethod
    def of(cls, joint: Joint) -> "Pairs":
        """From counts of pairs."""
        chance, showdown = [], []
        for street in range(len(joint.sizes)):
            both = joint.street(street, np.float32)
            chance.append(np.asarray(both[0], np.float32))
            showdown.append(np.asarray(both[1], np.float32))
        first = [
            np.searchsorted(parents, np.arange(count + 1))
            for parents, count in zip(joint.parents, joint.sizes[:-1], strict=True)
        ]
        return cls(tuple(chance), tuple(showdown), tuple(first))


@lru_cache(maxsize=1)  # for matches of one blueprint that follow each other
def draw_pairs(abstraction: Abstraction, boards: int = BOARDS, seed: int = SEED) -> Pairs:
    """How buckets meet on a sample of boards: some seconds of work."""
    size = abstraction.sizes[-1]
    check_memory(
        40 * size * size, None, f"values of {size:,} buckets", "take AIVAT's open-hands values"
    )
    return Pairs.of(sample_joint(abstraction, boards, seed))


@dataclass(frozen=True, eq=False)
class EndValues:
    """What the ends of preflop and flop are worth to player 0.

    Those of the turn would fill a gigabyte: they are worked out row by row.
    """

    pairs: Pairs
    dealt: dict[int, Float32s]  # by first decision of flop and turn: [2, K, K] J V, J S before it

    @classmethod
    def of(cls, players: Players, pairs: Pairs) -> "EndValues":
        """Work through the whole tree: some seconds for 1,536 river buckets."""
        tables = cls(pairs, {})
        for start in ends(players, 0).deals:
            _work_out(players, tables, start)
        return tables


def _work_out(players: Players, tables: EndValues, start: int) -> Float32s:
    """J V and J S [2, K, K] of a street's first decision, on the buckets of the street before."""
    street = int(players[0].tree.street[start])
    found = ends(players, start)
    (x, y), folds = found.reach, len(found.paid)
    shown = slice(folds, folds + len(found.stakes))
    pairs = tables.pairs
    first = pairs.first[street - 1]
    out = np.zeros((2, len(first) - 1, len(first) - 1), np.float32)
    paid, stakes = found.paid[:, None] * y[:folds], found.stakes[:, None] * y[shown]
    chance, showdown = pairs.chance[street], pairs.showdown[street]
    for begin in range(0, len(first) - 1, _PANEL):
        of = first[begin : begin + _PANEL + 1]
        rows = slice(int(of[0]), int(of[-1]))
        folded, met = x[:folds, rows].T @ paid, x[shown, rows].T @ stakes
        here = chance[rows], showdown[rows]
        _add_up(folded, met, here, (of - of[0], first), out, begin)
    if found.deals:
        later = np.zeros((2, *chance.shape), np.float32)
        for at, after in enumerate(found.deals, shown.stop):
            later += _work_out(players, tables, after) * (x[at][:, None] * y[at])
        later = np.add.reduceat(later, first[:-1], axis=1)
        out += np.add.reduceat(later, first[:-1], axis=2)
    if street < len(pairs.first):
        tables.dealt[start] = out
    return out


def _add_up(
    folded: Float32s,  # [k, K] chips of folds
    met: Float32s,  # [k, K] chips at showdowns
    joint: tuple[Float32s, Float32s],  # [k, K] J and W
    first: tuple[Ints, Ints],  # [p + 1], [P + 1] children of the row's and columns' parents
    out: Float32s,  # [2, P', P] added to: p rows of it
    begin: int,  # the first of them
) -> None:
    """Add up what pairs of buckets are worth by the pairs of their parents."""
    width, halves = folded.shape[1], out.reshape(-1)
    rows, columns = (len(of) - 1 for of in first)
    if out.shape[2] != columns or begin + rows > out.shape[1] or first[1][-1] != width:
        raise TypeError(f"{rows} rows of {columns} parents do not fit into {out.shape}")
    board_function("add_end_values", chosen_build())(
        *(
            pointer(array, np.float32, shape=(int(first[0][-1]), width))
            for array in (folded, met, *joint)
        ),
        c_int64(width),
        pointer(first[0], np.int64),
        c_int64(rows),
        pointer(first[1], np.int64),
        c_int64(columns),
        pointer(np.empty(2 * width, np.float32), np.float32, written=True),
        pointer(halves[begin * columns :], np.float32, written=True),
        c_int64(out.shape[1] * columns),
    )

"""A treeplex level by level, as the kernels of training want it: plain arrays, made once.

A decision's level is one more than that of the own decision before it. Going up, a state sums what
follows each of its sequences: the children of a sequence are listed, and the states of a child that
come from one state lie side by side.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from endspiel.errors import GameError
from endspiel.game import Treeplex
from endspiel.kernels.arrays import Int32s, Ints

_FIELDS = ("first", "states", "actions", "at", "base", "map", "kids", "unused")
DECISION_RECORD = np.dtype([(name, "i4") for name in _FIELDS])  # as in the kernels' source
CHILD = np.dtype([("at", "i4"), ("below", "i4")])


@dataclass(frozen=True, eq=False)
class Levels:
    """One player's decisions [D], level by level, and what follows their sequences."""

    decisions: NDArray[Any]  # [D] of DECISION_RECORD
    start: Ints  # [levels + 1] first decision of each level
    maps: Int32s
    kids: Int32s  # [actions + 2] first child of the roots' and of each action's sequence
    children: NDArray[Any]  # of CHILD
    below: Int32s  # first state below each, map after map
    num_values: int  # roots and states


def levels_of(plex: Treeplex) -> Levels:
    """Lay a treeplex out; states that come from one state must lie side by side."""
    arrays, roots = plex.arrays, plex.num_roots
    numbers = 1 + np.cumsum(arrays.actions) - arrays.actions  # of each block's first action
    block = np.repeat(np.arange(plex.num_blocks), arrays.actions)
    action = np.arange(len(block)) + 1 - numbers[block]
    rows = np.append(0, arrays.first[block] + action * arrays.states[block])  # [actions + 1]
    before = np.searchsorted(rows, arrays.base, side="right") - 1  # [B] number of the action before
    level = np.zeros(plex.num_blocks, np.int64)
    for b, number in enumerate(before.tolist()):  # parents come before children
        level[b] = level[block[number - 1]] + 1 if number else 0
    ends = roots + np.cumsum(arrays.states)
    found = np.zeros(plex.num_blocks, DECISION_RECORD)
    found["first"], found["states"], found["actions"] = arrays.first, arrays.states, arrays.actions
    found["at"], found["base"], found["map"] = ends - arrays.states, arrays.base, arrays.map_at
    found["kids"] = numbers
    above = np.where(before > 0, arrays.states[block[before - 1]], roots)
    places, below = _below(plex, above)
    order = np.argsort(before, kind="stable")
    children = np.zeros(plex.num_blocks, CHILD)
    children["at"], children["below"] = found["at"][order], places[order]
    kids = np.searchsorted(before[order], np.arange(len(block) + 2))
    by_level = np.argsort(level, kind="stable")
    start = np.searchsorted(level[by_level], np.arange(level.max() + 2))
    maps = arrays.maps.astype(np.int32)
    return Levels(
        found[by_level], start, maps, kids.astype(np.int32), children, below, int(ends[-1])
    )


def _below(plex: Treeplex, above: Ints) -> tuple[Ints, Int32s]:
    """Where the first states below each are listed, a block [B]; -1 where states stay the same."""
    arrays = plex.arrays
    places, lists, end = np.full(plex.num_blocks, -1), list[Ints](), 0
    for at, first in zip(*np.unique(arrays.map_at, return_index=True), strict=True):
        states = arrays.maps[at : at + arrays.states[first]]
        if np.array_equal(states, np.arange(above[first])):
            continue
        if (np.diff(states) < 0).any():
            raise GameError("states that come from one state must lie side by side")
        places[arrays.map_at == at] = end
        lists.append(np.searchsorted(states, np.arange(above[first] + 1)))
        end += len(lists[-1])
    return places, np.concatenate([*lists, np.zeros(0, np.int64)]).astype(np.int32)

"""One player's betting on a street as arrays, its terminals in lanes of sixteen; see `Meta`."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from endspiel.betting.streets import Street, StreetEnd
from endspiel.kernels.board_arrays import Float32s, Ints
from endspiel.kernels.simd import LANES, padded


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


def _lanes(terminals: Sequence[StreetEnd], player: int) -> list[list[_Lane]]:
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

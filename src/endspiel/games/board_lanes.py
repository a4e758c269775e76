"""One player's betting on a street as arrays, its terminals in lanes of sixteen; see `Meta`."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

import numpy as np

from endspiel.betting.streets import Street, StreetEnd
from endspiel.kernels.arrays import Float32s, Ints
from endspiel.kernels.lanes import LANES, padded


class LaneTiles(NamedTuple):
    """How a side's lanes lie in tiles: showdowns in the first of them, folds in the later ones.

    Ties have tiles of their own at the end, where they pay anything of their own.
    """

    shown: int  # tiles up to and with the last showdown
    folds: int  # tiles before the first fold
    tied: int  # tiles before the ties
    tiles: int

    @property
    def cost(self) -> tuple[int, int, int]:
        """What an evaluation takes, the dearest first: pairs with a showdown, tiles, values."""
        return -(-self.shown // 2), self.tiles, self.shown - self.folds


class SidePlan(NamedTuple):
    """One player's betting on one street, as arrays; see `Meta` for what they mean."""

    size: int  # S
    lines: int  # L
    first: Ints  # [D]
    actions: Ints  # [D]
    parent: Ints  # [D]
    out: Ints  # [next L]
    lane_tiles: LaneTiles
    lane_from: Ints  # [lanes]
    show_to: Ints  # [lanes]
    show_stake: Float32s  # [lanes]
    fold_to: Ints  # [lanes]
    fold_stake: Float32s  # [lanes]


def side_plan(street: Street, player: int, scale: float) -> SidePlan:
    """One player's arrays of a street; stakes are multiplied by the scale."""
    lanes, tiles = _lanes(street.terminals, player)
    seqs, shows, folds = zip(*lanes, strict=True) if lanes else ((), (), ())
    return SidePlan(
        size=street.size[player],
        lines=len(street.starts),
        first=np.array(street.first[player], dtype=np.int64),
        actions=np.array(street.actions[player], dtype=np.int64),
        parent=np.array(street.parent[player], dtype=np.int64),
        out=np.array([seqs[player] for seqs in street.out], dtype=np.int64),
        lane_tiles=tiles,
        lane_from=np.array(seqs, dtype=np.int64),
        show_to=np.array([to for to, _ in shows], dtype=np.int64),
        show_stake=np.array([stake * scale for _, stake in shows], dtype=np.float32),
        fold_to=np.array([to for to, _ in folds], dtype=np.int64),
        fold_stake=np.array([stake * scale for _, stake in folds], dtype=np.float32),
    )


def lane_tiles(street: Street, player: int) -> int:
    """Lane tiles of a street, before any array is made."""
    return _lanes(street.terminals, player)[1].tiles


Payment = tuple[int, float]  # own sequence, stake
_Lane = tuple[int, Payment, Payment]  # the other's sequence, showdown, fold
_NOTHING: Payment = (0, 0.0)
_EMPTY: _Lane = (0, _NOTHING, _NOTHING)


def _lanes(terminals: Sequence[StreetEnd], player: int) -> tuple[list[_Lane], LaneTiles]:
    """Whole tiles of lanes: with a showdown only, with a showdown and a fold, with a fold only.

    A tile may hold lanes of two kinds and is then evaluated as both; a kind begins with a tile of
    its own wherever that makes no tile more. What ties add is paid as folds are.
    """
    shows: dict[int, list[Payment]] = {}
    folds: dict[int, list[Payment]] = {}
    ties: list[_Lane] = []
    for terminal in terminals:
        own, other = terminal.seqs[player], terminal.seqs[1 - player]
        if terminal.folder < 0:
            pay = terminal.shown(player)
            shows.setdefault(other, []).append((own, pay.stake))
            if pay.either:  # paid as a fold is, to all hands that can be held
                folds.setdefault(other, []).append((own, pay.either))
            if pay.tie:
                ties.append((other, _NOTHING, (own, pay.tie)))
        else:
            folds.setdefault(other, []).append((own, terminal.gain(player)))
    kinds: tuple[list[_Lane], ...] = ([], [], [])
    for other in sorted(shows.keys() | folds.keys()):
        for show, fold in zip_longest(shows.get(other, []), folds.get(other, [])):
            kind = 2 if show is None else 0 if fold is None else 1
            kinds[kind].append((other, show or _NOTHING, fold or _NOTHING))
    tiles, gaps = min(_ways(*map(len, kinds)), key=lambda way: way[0].cost)
    lanes = kinds[0] + [_EMPTY] * gaps[0] + kinds[1] + [_EMPTY] * gaps[1] + kinds[2]
    lanes += [_EMPTY] * (tiles.tiles * LANES - len(lanes)) + ties
    whole = padded(len(lanes))
    return lanes + [_EMPTY] * (whole - len(lanes)), tiles._replace(tiles=whole // LANES)


def _ways(shows: int, both: int, folds: int) -> Iterator[tuple[LaneTiles, tuple[int, int]]]:
    """How lanes of each kind may lie in tiles, and the lanes left empty between them."""
    for first in {0, -shows % LANES}:
        end = shows + first + both
        for second in {0, -end % LANES}:
            tiles = padded(end + second + folds) // LANES
            shown = padded(end if both else shows) // LANES
            begin = (shows + first if both else end + second) // LANES
            fold = begin if both + folds else tiles
            yield LaneTiles(shown, fold, tiles, tiles), (first, second)

"""An abstraction whose buckets depend on kinds of boards as well (see ``kinds``)."""

from dataclasses import replace

import numpy as np

from endspiel.abstraction.abstraction import Abstraction
from endspiel.abstraction.boards import Boards
from endspiel.abstraction.clustering_kernels import Family
from endspiel.abstraction.features import DEAD
from endspiel.abstraction.kinds import count_rivers_by_kind, kinds_of, num_kinds
from endspiel.abstraction.plan import NO_TEXTURES, Textures
from endspiel.abstraction.river import RiverLevel
from endspiel.abstraction.streets import Level
from endspiel.cards.deck import NUM_HANDS
from endspiel.kernels.arrays import Float64s, Ints, UInt8s, UInt16s


def with_textures(made: Abstraction, textures: Textures) -> Abstraction:
    """Copy the buckets for every kind of flops, turns and rivers.

    Masses are shared out by how often the kinds are dealt.
    """
    if textures == NO_TEXTURES:
        return made
    boards, plan = made.boards, replace(made.plan, textures=textures)
    flops, turns, rivers = kind_shares(boards, textures)
    flop, turn = _tiled(made.flop, flops), _tiled(made.turn, turns)
    flop = replace(flop, buckets=_moved(made.flop, boards.flops, textures[0]))
    if not made.is_compact:
        turn = replace(turn, buckets=_moved(made.turn, boards.turns, textures[1]))
    river = _tiled_river(made.river, rivers)
    return replace(made, plan=plan, flop=flop, turn=turn, river=river)


def kind_shares(boards: Boards, textures: Textures) -> list[Float64s]:
    """How often the kinds of flops, of turns and of rivers are dealt: [kinds] each."""
    flop, turn, river = (
        np.zeros(num_kinds(street, texture)) for street, texture in enumerate(textures, start=1)
    )
    np.add.at(flop, kinds_of(boards.flops, textures[0]), boards.flop_weight)
    np.add.at(turn, kinds_of(boards.turns, textures[1]), boards.turn_weight)
    count_rivers_by_kind(boards.turns, boards.turn_weight, textures[2], river)
    return [dealt / dealt.sum() for dealt in (flop, turn, river)]


def _moved(level: Level, boards: UInt8s, texture: int) -> UInt16s:
    """The buckets of a level's table [B * 1326], those of each board among its kind's."""
    rows = level.buckets.reshape(-1, NUM_HANDS)
    kinds = kinds_of(boards, texture).astype(np.uint16)
    moved: UInt16s = np.where(rows == DEAD, rows, rows + kinds[:, None] * level.size)
    return moved.reshape(-1).astype(np.uint16)


def _tiled(level: Level, shares: Float64s) -> Level:
    """A level's buckets once for each kind, but for their table."""
    kinds, size = len(shares), level.size
    centers, number = level.family.centers, level.family.number.astype(np.int64)
    family = Family(
        np.arange(kinds + 1) * size,
        np.tile(centers, (kinds, 1)),
        np.tile(level.family.sums, kinds),
        _numbered(number, kinds, size),
    )
    return replace(
        level,
        family=family,
        centers=np.tile(level.centers, (kinds, 1)),
        value=np.tile(level.value, kinds),
        mass=_shared_out(level.mass, shares),
        distance=np.tile(level.distance, kinds),
    )


def _tiled_river(level: RiverLevel, shares: Float64s) -> RiverLevel:
    """The intervals of equity once for each kind."""
    kinds = len(shares)
    return RiverLevel(
        first=np.arange(kinds + 1) * level.size,
        limit=np.tile(level.limit, kinds),
        value=np.tile(level.value, kinds),
        mass=_shared_out(level.mass, shares),
        distance=np.tile(level.distance, kinds),
        program=level.program,
    )


def _numbered(number: Ints, kinds: int, size: int) -> UInt16s:
    """The numbers of buckets [K] under each kind."""
    return (np.arange(kinds)[:, None] * size + number).reshape(-1).astype(np.uint16)


def _shared_out(mass: Ints, shares: Float64s) -> Ints:
    """The deals of each bucket [K] by kind, to whole ones."""
    return np.rint(shares[:, None] * mass).astype(np.int64).reshape(-1)

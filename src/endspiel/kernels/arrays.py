"""The flat arrays that kernels work on; every treeplex, whatever its game, is these."""

from typing import NamedTuple

from endspiel.arrays import Bools as Bools
from endspiel.arrays import Float32s as Float32s
from endspiel.arrays import Float64s as Float64s
from endspiel.arrays import Floats as Floats
from endspiel.arrays import Indices as Indices
from endspiel.arrays import Int16s as Int16s
from endspiel.arrays import Int32s as Int32s
from endspiel.arrays import Ints as Ints
from endspiel.arrays import UInt8s as UInt8s
from endspiel.arrays import UInt16s as UInt16s
from endspiel.native.boundary import PackedOnce


class PlexFields(NamedTuple):
    """The arrays of `PlexArrays`. B blocks."""

    first: Ints  # [B]
    states: Ints  # [B]
    actions: Ints  # [B]
    base: Ints  # [B]
    map_at: Ints  # [B]
    maps: Ints  # [M]
    stride: Ints  # [B] sequences from one action's to the next's


class PlexArrays(PlexFields, PackedOnce):
    """One player's decision points as flat arrays, parents before children.

    Block b holds ``states[b]`` private states (K) with ``actions[b]`` actions (A) each. Its
    sequences are ``first[b] + a * K + k``, so one action is one contiguous slice. State k follows
    the player's own sequence ``base[b] + maps[map_at[b] + k]``; blocks share their maps.

    Some states of every block, side by side, are arrays of the same kind: a part. Only there is
    ``stride[b]`` not K.
    """

    def part(self, low: Ints, high: Ints) -> "PlexArrays":
        """States low to high - 1 of each block [B], [B]."""
        return self._replace(first=self.first + low, states=high - low, map_at=self.map_at + low)


class Discounts(NamedTuple):
    """How one iteration weighs the past: factors on stored regrets and on the stored average."""

    positive: float
    negative: float
    average: float
    predict: float  # weight of the newest regret when it is counted twice (predictive variants)


class CompressedFields(NamedTuple):
    """The arrays of `CompressedRows`."""

    indptr: Ints  # [S + 1]
    indices: Indices  # [N]
    data: Float64s  # [N]


class CompressedRows(CompressedFields, PackedOnce):
    """A sparse matrix by rows: row i has ``data[j]`` in column ``indices[j]``, j from indptr[i]."""


class DenseEnds(NamedTuple):
    """Terminals that pay one player by dense forms: terminal t its stake times a matrix [K', K].

    The matrix begins at ``entries[form[t]]``; its rows are the other's states. T terminals.
    """

    own: Ints  # [T] the player's sequence of its first state
    other: Ints  # [T] the other's
    states: Ints  # [T] K
    others: Ints  # [T] K'
    form: Ints  # [T]
    stakes: Float64s  # [T]
    entries: Float64s  # of all forms


class Side(NamedTuple):
    """All that one player's half of an iteration works on; the last five change in place."""

    plex: PlexArrays
    payoffs: CompressedRows  # what each own sequence earns the player against the other's [S, S']
    ends: DenseEnds  # what it earns beside that
    gradient: Float64s  # [S] scratch
    regret: Float64s  # [S]
    behavior: Float64s  # [S]
    plan: Float64s  # [S]
    average: Float64s  # [S] weighted sum of plans; empty where play itself is the solution

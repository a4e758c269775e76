"""The flat arrays of a betting tree times a card tree, laid out board by board.

A street's betting is the same on every board, so one plan a player and street serves all of them.
On a board, a player's hands lie in tiles of sixteen; a tile's data are rows of sixteen floats, one
row a sequence: [tiles, S, 16]. A tile's whole betting then fits the first-level cache and every
operation works on one register of sixteen hands.

At terminals the axes change places: showdowns and folds are evaluated for sixteen of the other
player's sequences (lanes) at a time while walking over the hands, so reaches are transposed to
[lane tiles, hands, 16] and values back. Lanes with a showdown only come first, then those with a
showdown and a fold, then those with a fold only, and in tiles of their own those of ties, where a
tie is not worth the mean of winning and losing; lanes of stake zero fill up the last tile.

Everything is in a few long arrays, of the same types whatever the game; `meta[street, player]` says
where each part starts.
"""

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from endspiel.kernels.arrays import Float32s, Int16s, Int32s, Ints, UInt8s
from endspiel.native.boundary import PackedOnce


class Meta(IntEnum):
    """Columns of `meta`: counts, and where the part of this street and player starts."""

    # The player's betting on the street; sequence numbers are local to a board.
    SIZE = 0  # S, number of sequences; 0 .. L-1 are the lines that come in
    LINES = 1  # L
    ROWS = 2  # S - L, kept rows of a tile
    DECISIONS = 3  # D
    FIRST = 4  # ints [D]: first sequence of each decision; a decision's are consecutive
    ACTIONS = 5  # ints [D]
    PARENT = 6  # ints [D]: own sequence that leads to it
    OUT = 7  # ints [next L]: own sequence of each line that goes on to the next street
    # Terminals against the other player's sequences, in lane tiles.
    SHOWN = 8  # tiles with a showdown: the first ones
    FOLDS = 9  # tiles without a fold: the first ones
    TIED = 10  # lane tiles before those of ties, which are paid as folds are: mostly all
    TILES = 11  # all lane tiles
    LANE_FROM = 12  # ints [lanes]: the other player's sequence
    SHOW_TO = 13  # ints [lanes]: own sequence that the showdown pays
    FOLD_TO = 14  # ints [lanes]: own sequence that the fold pays
    SHOW_STAKE = 15  # stakes [lanes]: what the better hand wins
    FOLD_STAKE = 16  # stakes [lanes]: negative where the player folds
    # The player's hands on the street's boards, padded to tiles of sixteen a board.
    START = 17  # ints [N + 1]: first tile of each board
    COUNT = 18  # ints [N]: hands on the board
    HANDS = 19  # low, high, above, same [tiles * 16]
    ENDS = 20  # ends [groups]: hands up to and with each strength of the board (last street)
    BELOW = 21  # ints [N]: where each board's images start in below
    CLASSES = 22  # ints [tiles * 16]: suit class of each hand, where values are averaged; or -1
    BUCKETS = 23  # ints [tiles * 16]: first register of each hand's shared row (last street); or -1
    # The street's boards; the same for both players.
    CHILD = 24  # ints [N + 1]: first board of the next street below each board
    GROUP = 25  # ints [N + 1]: first strength group of each board (last street)
    IMAGES = 26  # ints [N]: boards that suit symmetry folds into this one, itself included
    ABOVE = 27  # ints [N]: parent board; the same for both players
    WEIGHT = 28  # stakes [N, 16]: boards that each stands for, in every lane; the same for both
    # Storage between iterations, and the range.
    STORED = 29  # regret, average [tiles, S - L, 16], less L rows: sequence s is row s from here
    LOCKED = 30  # locked [N, D]
    ROOT = 31  # root [tiles, L, 16] (first street)
    # Buffers of the board in flight, in a thread's work array.
    REACH = 32  # [tiles, S, 16], of this player (last street: one tile)
    SIGMA = 33  # [tiles, S, 16] own probabilities
    GAIN = 34  # [tiles, S, 16] own values
    LANES_IN = 35  # [lane tiles, hands + 1, 16] the other's reaches
    SHOW = 36  # [lane tiles, hands, 16]
    FOLD = 37  # [lane tiles, hands, 16], of ties too
    MASS = 38  # [2, 54, 16] mass by card, for two lane tiles
    EDGE = 39  # [tiles, L, 16] incoming lines of a last-street board
    PICKED = 40  # [S - L padded, 16] shared rows of a tile's hands, in a thread's work array
    POWERS = 41  # of sums in 16 bits [tiles, D]: see `ShortSums`


class Tables(NamedTuple):
    """An endgame on real cards: everything that does not change while it is solved."""

    meta: Ints  # [streets, 2, columns of Meta]
    ints: Ints
    stakes: Float32s
    low: UInt8s  # lower card of each hand, 52 for padding
    high: UInt8s  # higher card of each hand, 52 for padding
    above: Int32s  # where each hand lies in a row of the parent board's reaches, -1 for padding
    same: Int32s  # place of the same hand in the other player's list, or -1
    ends: Int32s
    below: Int32s  # where each hand of the parent board lies in a row of an image's values, or -1:
    # [images, the parent's tiles * 16] a board
    root: Float32s  # weight of each hand on the first board, in each line that comes in


class Facing(NamedTuple):
    """A player's hands on a board, and the other's that they meet at terminals."""

    low: UInt8s  # lower and higher card of every hand, and its place in the other's list: `Tables`
    high: UInt8s
    same: Int32s
    own: int  # where the hands of each player start in these
    other: int
    own_hands: int
    other_hands: int  # padded; lanes have one more row, of zeros
    ends_own: Int32s  # [strengths] hands up to and with each, weakest first (last street)
    ends_other: Int32s


class LanePair(NamedTuple):
    """Two lane tiles in a work array: both are walked at once, so that stores are waited for."""

    from_a: int  # the other's reaches [hands + 1, 16]
    from_b: int
    to_a: int  # showdowns [own hands, 16]
    to_b: int


class Coming(NamedTuple):
    """Kept rows that are wanted when the showdowns are done, and are asked for meanwhile."""

    regret: Float32s
    average: Float32s
    at: int  # where they start
    lines: int  # rows of sixteen to ask for at every hand, from each array


# Columns of a schedule [T, 7], one row an iteration; two from `FRESH` on are zero, as the first two
# for rows that an iteration only sums up. Sums of 16 bits are rounded by a count, `DITHER`; what is
# added to such averages has a weight, `GROWN`, in place of what the past is discounted by.
POSITIVE, NEGATIVE, AVERAGE, DITHER, FRESH, GROWN = 0, 1, 2, 3, 4, 6
SCHEDULE_COLUMNS = 7


class ShortFields(NamedTuple):
    """The arrays of `ShortSums`."""

    numbers: Int16s  # as 32-bit sums lie
    powers: UInt8s  # [tiles, D] of each street and player


class ShortSums(ShortFields, PackedOnce):
    """Regrets or averages in 16 bits; `native/core/short_sums.h` has the rules.

    The numbers of a tile's decision have one power; see `solvers.boards.short_sums` for both.
    They may be a mapped file's, which a walk that does not learn only reads.
    """


NO_SUMS = ShortSums(np.zeros(0, dtype=np.int16), np.zeros(0, dtype=np.uint8))


class KernelStore(NamedTuple):
    """What a solve stores between iterations.

    Hands that share rows (card abstraction) have them in place of tiles: [buckets, rows padded].
    What an iteration adds to shared rows is summed up by each thread for itself.
    """

    regret: Float32s
    average: Float32s  # empty while learning where none is stored
    locked: UInt8s  # 1 where a decision never learns
    new_regret: Float32s  # empty where no rows are shared
    new_average: Float32s
    short_regret: ShortSums = NO_SUMS  # where sums have 16 bits, in place of the first two
    short_average: ShortSums = NO_SUMS


class Seated(NamedTuple):
    """A board of a street, and the player whose values are worked out there."""

    street: int
    player: int
    b: int


class BoardWalk(NamedTuple):
    """What a walk over boards is for, and what it works on."""

    mode: int  # UPDATE, BEST or EXPECTED
    sums: KernelStore
    work: Float32s  # the boards in flight: `Meta`
    result: Float32s  # values at the root [tiles, L, 16]

"""The flat arrays of a betting tree that is walked with all hands on one full board at a time.

The betting of one street after one line (a branch) repeats itself: hundreds have ten shapes.
Sixteen branches of one shape make a group, one a lane, so that every operation works on sixteen
branches at once and nothing but whole lines changes places between groups.

Within a branch, a player's sequences are numbered from 0, the line that comes in. Rows are kept by
bucket: [buckets of the street, sequences but the first, 16].
"""

from enum import IntEnum
from typing import NamedTuple

from endspiel.kernels.arrays import Float32s, Int32s, Ints, UInt8s
from endspiel.kernels.lanes import LANES, padded

NUM_LIVE = 1081  # hands that a full board leaves
HANDS = padded(NUM_LIVE)
TILES = HANDS // LANES
BLOCK = HANDS * LANES  # floats of one group's lines: [TILES, 16 lanes, 16 hands] or [HANDS, 16]
CARD_ROWS = 54  # mass by card: 52 cards, padding's, and the total


class Lane(IntEnum):
    """Columns of `meta`: counts, and where the part of this group and player starts."""

    STREET = 0
    ROWS = 1  # sequences of the player, less the line that comes in
    DECISIONS = 2  # D
    FIRST = 3  # ints [D]: first sequence of each decision; a decision's are consecutive
    ACTIONS = 4  # ints [D]
    PARENT = 5  # ints [D]: own sequence that leads to it
    ENDS = 6  # E, sequences of the other player with a terminal, each once or more
    END_FROM = 7  # ints [E]: the other player's sequence
    SHOW_TO = 8  # ints [E]: own sequence that the showdown pays, -1 for none
    FOLD_TO = 9  # ints [E]: own sequence that the fold pays, -1 for none
    SHOW_STAKE = 10  # stakes [E, 16]: what the better hand wins
    FOLD_STAKE = 11  # stakes [E, 16]: negative where the player folds
    OUTS = 12  # O, lines that go on to other groups
    OUT_FROM = 13  # ints [O]: own sequence
    OUT_TO = 14  # ints [O, 16]: row of the line in the blocks
    USED = 15  # lanes that hold a branch: the first ones
    STORED = 16  # where the rows start: [buckets, ROWS, 16]


class Room(IntEnum):
    """Columns of `room`: where each buffer of a thread starts in its work array."""

    OWN = 0  # [HANDS, 16] own reaches of the lines that come in
    OTHER = 1  # [HANDS, 16] the other's
    SHOWN = 2  # [HANDS, 16] showdowns under way, or a line
    VALUE = 3  # [HANDS, 16] own values of the lines that come in
    MASS = 4  # [54, 16] the other's mass by card
    SIGMA = 5  # [S, buckets on the board, 16] own probabilities
    PLAN = 6  # [S, buckets on the board, 16] own products of them
    THEIRS = 7  # [S', buckets on the board, 16] the other's products
    GAIN = 8  # [S, buckets on the board, 16] values summed up by bucket


class LaneTables(NamedTuple):
    """A betting tree in groups of sixteen branches."""

    meta: Ints  # [groups, 2, columns of Lane]
    ints: Ints
    stakes: Float32s
    room: Ints  # [columns of Room]


class BoardDeal(NamedTuple):
    """The hands that a full board leaves, weakest first, and their buckets on every street.

    On each street the board's buckets are renumbered, so that what is computed by bucket is
    dense.
    """

    low: UInt8s  # [HANDS] lower card of each hand, 52 for padding
    high: UInt8s  # [HANDS]
    ends: Int32s  # [strengths] hands up to and with each strength
    place: Int32s  # [4, HANDS] number of each hand's bucket on the board
    order: Int32s  # [4, NUM_LIVE] hands by number of their bucket
    first: Int32s  # [4, HANDS] where the hands of each number begin in the order, and their end
    ids: Int32s  # [4, HANDS] bucket of each number
    num: Ints  # [4] numbers in use


class Rivers(NamedTuple):
    """The rivers of a turn board, hands weakest first. R boards, P hands with padding."""

    low: UInt8s  # [R, P]
    high: UInt8s  # [R, P]
    ends: Int32s  # [R, P] hands up to and with each strength
    strengths: Ints  # [R] how many there are
    at: Int32s  # [R, P] number of each hand on the turn
    place: Int32s  # [R, 4, P] as in `BoardDeal`, of the river alone
    order: Int32s
    first: Int32s
    ids: Int32s
    num: Ints  # [R, 4]
    kept: Ints  # [groups] where the choices of a group of lines begin
    block: int  # floats of a group's lines on the turn
    share: Float32s  # [hands of the turn] chance of each river that two hands leave


class Lines(NamedTuple):
    """The lines between groups, by group that they lead to; the last block has no owner."""

    reach: Float32s  # [2, groups + 1, TILES, 16 lanes, 16 hands]
    value: Float32s  # [groups + 1, TILES, 16 lanes, 16 hands] to the player who learns

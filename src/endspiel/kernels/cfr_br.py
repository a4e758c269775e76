"""An abstract player against a best responder, on a turn board and all of its rivers.

The betting lies in groups of sixteen lines, as in `sampled`, whose walk of a group this is. The
abstract player plays by bucket; the responder plays by bucket before the turn (the trunk) and by
hand from there on, where it takes the best action against what the abstract player does now. Hands
are numbered as the turn board leaves them; a river's hands, weakest first, are numbered by their
numbers there, so that lines between groups are rows of sixteen: [groups, hands of the turn, 16].

`native/core/responses.h` and `builds/cfr_br.cpp` do the work, without Python's lock.
"""

from ctypes import byref, c_int64
from typing import Any

import numpy as np

from endspiel.kernels.arrays import Float32s, Int32s, Ints, UInt8s
from endspiel.kernels.sampled import Rows, kernel, numbered, stored
from endspiel.kernels.sampled_arrays import BoardDeal, LaneTables, Lines, Rivers
from endspiel.native.boundary import packed, pointer

Deals = tuple[BoardDeal, BoardDeal]


def respond_rivers(
    tables: LaneTables,
    groups: Ints,
    player: int,
    rivers: Rivers,
    each: BoardDeal,
    regret: Float32s,
    lines: Lines,
    choices: UInt8s,
    work: Float32s,
) -> None:
    """Best answers on all rivers after the groups' lines, and what they are worth on the turn."""
    kernel("respond_rivers")(
        byref(packed(tables)),
        *numbered(groups),
        c_int64(player),
        byref(packed(rivers)),
        byref(packed(each)),
        stored(regret),
        byref(packed(lines, written=True)),
        _choices(choices),
        stored(work, written=True),
    )


def learn_rivers(
    tables: LaneTables,
    groups: Ints,
    player: int,
    rivers: Rivers,
    each: BoardDeal,
    regret: Float32s,
    targets: Rows,
    lines: Lines,
    choices: UInt8s,
    work: Float32s,
) -> None:
    """What the abstract player learns on all rivers after the groups' lines against the choices.

    `targets` get regrets and averages; values add up by turn hand.
    """
    kernel("learn_rivers")(
        byref(packed(tables)),
        *numbered(groups),
        c_int64(player),
        byref(packed(rivers)),
        byref(packed(each)),
        stored(regret),
        *(stored(rows, written=True) for rows in targets),
        byref(packed(lines, written=True)),
        _choices(choices),
        stored(work, written=True),
    )


def send_buckets(
    tables: LaneTables,
    groups: Ints,
    player: int,
    deal: BoardDeal,
    street: int,
    source: Float32s,
    lines: Lines,
    size: int,
    work: Float32s,
) -> None:
    """Send a player that plays by bucket through the groups of a street above the river."""
    kernel("send_buckets")(
        byref(packed(tables)),
        *numbered(groups),
        c_int64(player),
        byref(packed(deal)),
        c_int64(street),
        stored(source),
        *_lines(lines, size, work),
    )


def send_choices(
    tables: LaneTables,
    groups: Ints,
    player: int,
    deal: BoardDeal,
    kept: Ints,
    choices: UInt8s,
    lines: Lines,
    size: int,
    work: Float32s,
) -> None:
    """Send the responder, by its choices on the turn, to the rivers; every hand has its number."""
    kernel("send_choices")(
        byref(packed(tables)),
        *numbered(groups),
        c_int64(player),
        byref(packed(deal)),
        pointer(kept, np.int64, name="kept"),
        _choices(choices),
        *_lines(lines, size, work),
    )


def respond_street(
    tables: LaneTables,
    groups: Ints,
    street: int,
    player: int,
    deals: Deals,
    regret: Float32s,
    kept: Ints,
    choices: UInt8s,
    lines: Lines,
    size: int,
    work: Float32s,
) -> None:
    """Best answers above the river; `deals` are the responder's, hand by hand, and the other's."""
    kernel("respond_street")(
        byref(packed(tables)),
        *numbered(groups),
        c_int64(street),
        c_int64(player),
        *(byref(packed(deal)) for deal in deals),
        stored(regret),
        pointer(kept, np.int64, name="kept"),
        _choices(choices),
        *_lines(lines, size, work),
    )


def learn_turns(
    tables: LaneTables,
    groups: Ints,
    player: int,
    deals: Deals,
    regret: Float32s,
    targets: Rows,
    kept: Ints,
    choices: UInt8s,
    lines: Lines,
    size: int,
    work: Float32s,
) -> None:
    """What the abstract player learns on the turn; `deals` are its own and the responder's."""
    kernel("learn_turns")(
        byref(packed(tables)),
        *numbered(groups),
        c_int64(player),
        *(byref(packed(deal)) for deal in deals),
        stored(regret),
        *(stored(rows, written=True) for rows in targets),
        pointer(kept, np.int64, name="kept"),
        _choices(choices),
        *_lines(lines, size, work),
    )


def learn_trunk(
    tables: LaneTables,
    metas: tuple[Ints, Ints],
    groups: Ints,
    street: int,
    player: int,
    deals: Deals,
    sources: Rows,
    targets: Rows,
    lines: Lines,
    size: int,
    work: Float32s,
) -> None:
    """What a player learns before the turn, where both play by buckets of their own.

    `metas`, `deals` and `sources` are the player's and the other's; averages are kept where there
    is room for them.
    """
    gain, average = targets
    kernel("learn_trunk")(
        byref(packed(tables)),
        *(pointer(meta, np.int64, shape=metas[0].shape, name="meta") for meta in metas),
        *numbered(groups),
        c_int64(street),
        c_int64(player),
        *(byref(packed(deal)) for deal in deals),
        *map(stored, sources),
        stored(gain, written=True),
        stored(average, written=True) if len(average) else None,
        *_lines(lines, size, work),
    )


def take_rows(
    tables: LaneTables,
    groups: Ints,
    player: int,
    ids: Int32s,
    count: int,
    gain: Float32s,
    kept: Float32s,
    work: Float32s,
) -> None:
    """Add the gains of some buckets to the rows that are kept; then they are none."""
    kernel("take_rows")(
        byref(packed(tables)),
        *numbered(groups),
        c_int64(player),
        pointer(ids, np.int32, name="ids"),
        c_int64(count),
        stored(gain, written=True),
        stored(kept, written=True),
    )


def _lines(lines: Lines, size: int, work: Float32s) -> tuple[Any, ...]:
    """Lines by floats a group, and the scratch of a thread."""
    return byref(packed(lines, written=True)), c_int64(size), stored(work, written=True)


def _choices(choices: UInt8s) -> Any:
    return pointer(choices, np.uint8, written=True, name="choices")

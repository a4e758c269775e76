"""The walk over boards: one player's half of an iteration, or its best or expected values.

A visit to a board (1) brings both players' reaches down through its betting, (2) evaluates its
terminals, (3) visits the boards below, (4) takes values up, learning on the way. The last street
does all of it tile by tile, without storing a board's reaches. `native/core/walk.h` does the
work, without Python's lock; here its arguments are checked.
"""

from ctypes import byref, c_int64
from typing import Any

import numpy as np

from endspiel.kernels.arrays import Float32s, Float64s, Ints
from endspiel.kernels.board_arrays import SCHEDULE_COLUMNS, BoardWalk, Seated, Tables
from endspiel.native.boundary import packed, pointer
from endspiel.native.library import board_function, chosen_build


def bring_down(tables: Tables, at: Seated, discounts: Float64s, walk: BoardWalk) -> None:
    """Reaches of both players on a board that has others below it, and what its folds pay."""
    _kernel("bring_down", walk)(*_board(tables, at), _row(discounts), _walk(walk))


def take_up(tables: Tables, at: Seated, discounts: Float64s, walk: BoardWalk) -> None:
    """Values of a board whose terminals and boards below are known."""
    _kernel("take_up", walk)(*_board(tables, at), _row(discounts), _walk(walk))


def visit_last(
    tables: Tables, at: Seated, discounts: Float64s, walk: BoardWalk, trace: Float32s
) -> None:
    """All of a last-street board, tile by tile; only incoming lines are stored for all tiles.

    A trace [tiles, S, 16], where it is not empty, gets every sequence's value.
    """
    to = pointer(trace, np.float32, written=True, name="trace") if len(trace) else None
    _kernel("visit_last", walk)(*_board(tables, at), _row(discounts), _walk(walk), to)


def visit(
    tables: Tables,
    top: int,
    boards: Ints,
    players: tuple[int, int],
    schedule: Float64s,
    walk: BoardWalk,
) -> None:
    """Boards of street `top` and everything below them, for players[0] .. players[1] - 1 in turn.

    Once for each row of discounts in the schedule [T, 6].
    """
    if schedule.ndim != 2 or schedule.shape[1] != SCHEDULE_COLUMNS:
        raise TypeError(f"a schedule has {SCHEDULE_COLUMNS} columns, not shape {schedule.shape}")
    where = np.ascontiguousarray(boards)
    _kernel("visit", walk)(
        byref(packed(tables)),
        c_int64(top),
        pointer(where, np.int64, name="boards"),
        c_int64(len(where)),
        *map(c_int64, players),
        pointer(schedule, np.float64, name="schedule"),
        c_int64(len(schedule)),
        _walk(walk),
    )


def evaluate(tables: Tables, at: Seated, work: Float32s) -> None:
    """Values of all terminals of a board, [lane tiles, hands, 16], from the other's lanes."""
    _kernel("evaluate")(*_board(tables, at), pointer(work, np.float32, written=True, name="work"))


def _kernel(name: str, walk: BoardWalk | None = None) -> Any:
    """A kernel of the build in use; walks over sums of 16 bits have their own."""
    short = walk is not None and len(walk.sums.short_regret.numbers) > 0
    return board_function(f"short_{name}" if short else name, chosen_build())


def _board(tables: Tables, at: Seated) -> tuple[Any, ...]:
    """Tables and the place of a board in them."""
    streets = len(tables.meta)
    if not (0 <= at.street < streets and at.player in (0, 1) and at.b >= 0):
        raise IndexError(f"there is no board {at} on {streets} streets")
    return byref(packed(tables)), c_int64(at.street), c_int64(at.player), c_int64(at.b)


def _row(discounts: Float64s) -> Any:
    """One row of a schedule."""
    if discounts.shape != (SCHEDULE_COLUMNS,):
        raise TypeError(f"discounts are {SCHEDULE_COLUMNS} numbers, not shape {discounts.shape}")
    return pointer(discounts, np.float64, name="discounts")


def _walk(walk: BoardWalk) -> Any:
    return byref(packed(walk, written=True))

"""Regrets and averages of 16 bits outside of the kernels: read, written and made of floats.

`native/core/short_sums.h` has the rules. Here numbers are rounded to the nearest, without dither.
"""

from collections.abc import Iterator

import numpy as np

from endspiel.errors import GameError
from endspiel.games.card_game import CardGame
from endspiel.kernels.arrays import Float32s, Floats, Int16s, UInt8s
from endspiel.kernels.board_arrays import Meta, ShortSums
from endspiel.kernels.lanes import LANES, aligned

POWER_OF_ONE = 142  # by which a number stands for itself
LEAST_POWER, MOST_POWER = 16, 255
NEARLY_TWO, MANTISSA = 0x800, 23
COARSE = 16  # steps that one means in a number below zero
WHOLE = 30_000  # a probability of one: hundredths, thousandths, thirds and sixteenths are whole
PIECE = 1 << 12  # tiles that are worked on at once

BoardSums = Float32s | ShortSums


def new_short_sums(game: CardGame) -> ShortSums:
    """Zeros for all boards of a game."""
    if game.buckets is not None:
        raise GameError("hands that share rows are summed up in 32 bits")
    powers = np.full(game.num_powers, LEAST_POWER, dtype=np.uint8)
    return ShortSums(aligned(game.store_size, np.int16), powers)


def power_of(size: Floats) -> UInt8s:
    """The least power by which each size fits into a number."""
    bits = np.ascontiguousarray(size, dtype=np.float32).view(np.int32)
    powers = ((bits + NEARLY_TWO) >> MANTISSA) + 1
    return powers.clip(LEAST_POWER, MOST_POWER).astype(np.uint8)


def steps_of(powers: UInt8s) -> Float32s:
    """What one means by each power."""
    return np.ldexp(np.float32(1), powers.astype(np.int32) - POWER_OF_ONE)


def street_parts(
    game: CardGame, sums: ShortSums, street: int, player: int
) -> tuple[Int16s, UInt8s]:
    """Views of a street's numbers [tiles, S - L, 16] and powers [tiles, D]."""
    meta, tiles = game.tables.meta[street, player], int(game.cards[street].sides[player].start[-1])
    rows, decisions = int(meta[Meta.ROWS]), int(meta[Meta.DECISIONS])
    first, power = int(meta[Meta.STORED] + meta[Meta.LINES] * LANES), int(meta[Meta.POWERS])
    numbers = sums.numbers[first : first + tiles * rows * LANES].reshape(tiles, rows, LANES)
    return numbers, sums.powers[power : power + tiles * decisions].reshape(tiles, decisions)


def board_parts(
    game: CardGame, sums: ShortSums, street: int, b: int, player: int
) -> tuple[Int16s, UInt8s]:
    """Views of a board's numbers [tiles, S - L, 16] and powers [tiles, D]."""
    start = game.cards[street].sides[player].start
    numbers, powers = street_parts(game, sums, street, player)
    return numbers[start[b] : start[b + 1]], powers[start[b] : start[b + 1]]


def short_rows(game: CardGame, sums: ShortSums, street: int, b: int, player: int) -> Float32s:
    """A board's regrets or averages as floats [tiles, S - L, 16], a copy."""
    numbers, powers = board_parts(game, sums, street, b, player)
    found = numbers.astype(np.float32)
    found[found < 0] *= COARSE
    for n, own in enumerate(game.streets[street].own(player)):
        found[:, own.rows] *= steps_of(powers[:, n])[:, None, None]
    return found


def write_short_rows(
    game: CardGame, sums: ShortSums, at: tuple[int, int, int], rows: Float32s, first: int
) -> None:
    """Round rows [tiles, R, 16] of whole decisions into a board's, from row `first` on."""
    street, _, player = at
    numbers, powers = board_parts(game, sums, *at)
    _round(game, street, player, (numbers, powers), rows, first)


def write_short_shares(
    game: CardGame, sums: ShortSums, at: tuple[int, int, int], rows: Float32s, first: int
) -> None:
    """Make a board's rows from `first` on probabilities; those of three decimals are exact."""
    street, _, player = at
    numbers, powers = board_parts(game, sums, *at)
    numbers[:, first : first + rows.shape[1]] = np.rint(rows * WHOLE)
    for n, _ in _decisions(game, street, player, first, rows.shape[1]):
        powers[:, n] = POWER_OF_ONE


def shortened(game: CardGame, sums: Float32s) -> ShortSums:
    """Floats in 16 bits, rounded to the nearest."""
    found = new_short_sums(game)
    for street in range(len(game.streets)):
        for player in (0, 1):
            numbers, powers = street_parts(game, found, street, player)
            start = int(game.tables.meta[street, player, Meta.STORED])
            start += int(game.tables.meta[street, player, Meta.LINES]) * LANES
            floats = sums[start : start + numbers.size].reshape(numbers.shape)
            for t in range(0, len(numbers), PIECE):
                part = slice(t, t + PIECE)
                _round(game, street, player, (numbers[part], powers[part]), floats[part], 0)
    return found


def _decisions(
    game: CardGame, street: int, player: int, first: int, count: int
) -> Iterator[tuple[int, slice]]:
    """Numbers and rows of the decisions whose rows are among these."""
    for n, own in enumerate(game.streets[street].own(player)):
        if first <= own.rows.start and own.rows.stop <= first + count:
            yield n, own.rows


def _round(
    game: CardGame,
    street: int,
    player: int,
    to: tuple[Int16s, UInt8s],
    rows: Float32s,
    first: int,
) -> None:
    numbers, powers = to
    for n, span in _decisions(game, street, player, first, rows.shape[1]):
        part = rows[:, span.start - first : span.stop - first]
        fine = np.where(part < 0, part / COARSE, part)
        powers[:, n] = power_of(np.abs(fine).max(axis=(1, 2), initial=0))
        numbers[:, span] = np.rint(fine / steps_of(powers[:, n])[:, None, None])

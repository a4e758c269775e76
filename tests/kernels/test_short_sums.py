"""Sums of 16 bits: the kernels equal their readable twins, on every build to the bit."""

from functools import partial
from typing import Any

import numpy as np
import pytest

from endspiel.games.card_game import CardGame
from endspiel.kernels.board import BEST, UPDATE
from endspiel.kernels.board_arrays import Meta
from endspiel.native.library import builds
from endspiel.solvers.boards.short_sums import (
    COARSE,
    new_short_sums,
    power_of,
    short_rows,
    shortened,
    steps_of,
    write_short_shares,
)
from endspiel.solvers.boards.store import BoardStore, board_rows, tiled
from tests.games.spots import menu_sizing, random_game, small_game
from tests.kernels import board_reference
from tests.kernels.native_board import NativeBoard
from tests.kernels.test_board import Desk

RIVER, TURN = 3, 2
MANY = menu_sizing("10%, 20%, 30%, 40%, 70%, a", "50%, a")  # decisions of up to seven actions
Places = tuple[int, int, int]  # of a tile's rows, of its powers, and its dither


class ShortDesk(Desk):
    """One board of a game with sums of 16 bits, random as regrets or as averages are."""

    def __init__(self, game: CardGame, rng: np.random.Generator) -> None:
        super().__init__(game, rng)
        self.numbers = rng.integers(-32764, 32765, game.store_size).astype(np.int16)
        self.numbers[rng.random(game.store_size) < 0.3] = 0
        self.powers = rng.integers(100, 135, game.num_powers).astype(np.uint8)

    def places(self) -> Places:
        """Where one of the player's tiles has its rows and powers, and some dither."""
        at, plan = self.kept_at(), self.plan
        tile = (at - int(plan[Meta.STORED])) // (int(plan[Meta.ROWS]) * 16)
        return at, int(plan[Meta.POWERS] + tile * plan[Meta.DECISIONS]), int(self.rng.integers(999))

    def check_short(self, name: str, *args: Any, at: Places) -> None:
        """Every build's arrays are the same; its twin's numbers are at most one off."""
        found = []
        for build in builds():
            kernels = NativeBoard(build, self.tables, self.at)
            found.append(self._after(partial(kernels.call, name), args, np.float32, copied=True))
        for build, other in zip(builds(), found, strict=True):
            for one, two in zip(found[0], other, strict=True):
                np.testing.assert_array_equal(one, two, err_msg=f"{name}, {build}")
        right = self._after(getattr(board_reference, name), args, np.float64, copied=True)
        for fast, slow in zip(found[0], right, strict=True):
            if fast.dtype == np.int16:
                assert np.abs(fast.astype(int) - slow).max() <= 1
                assert (fast != slow).mean() < 1e-3  # where a float's last digit decides
            elif fast.dtype == np.float32 and name != "short_up_tile":
                np.testing.assert_allclose(fast, slow, rtol=2e-5, atol=2e-4, err_msg=name)
            elif fast.dtype == np.uint8:
                np.testing.assert_array_equal(fast, slow, err_msg=name)

    @staticmethod
    def _after(kernel: Any, args: Any, kind: type, copied: bool = False) -> list[Any]:
        copies = [
            (a.astype(kind) if a.dtype == np.float32 else a.copy())
            if isinstance(a, np.ndarray)
            else a
            for a in args
        ]
        kernel(*copies)
        return [a for a in copies if isinstance(a, np.ndarray)]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("street", [RIVER, TURN])
def test_kernels_equal_their_twins(seed: int, street: int) -> None:
    rng = np.random.default_rng(seed)
    desk = ShortDesk(random_game(rng, street), rng)
    if desk.tiles:
        check_all(desk)


def test_decisions_of_many_actions_equal_their_twins() -> None:
    game = small_game("Jc 6s 2c Kd Qc", ("22+,AK", "22+,AQ"), MANY)
    check_all(ShortDesk(game, np.random.default_rng(5)))


def check_all(desk: ShortDesk) -> None:
    plan, ints, rng = desk.plan, desk.tables.ints, desk.rng
    sigma, gain, reach = (int(plan[c]) for c in (Meta.SIGMA, Meta.GAIN, Meta.REACH))
    at, powers, dither = place = desk.places()
    lock = int(plan[Meta.LOCKED] + desk.board * plan[Meta.DECISIONS])
    by = rng.random(7)
    for to in (sigma, -1):
        desk.check_short(
            "short_down_tile", plan, ints, desk.numbers, at, desk.work, to, reach, at=place
        )
    for mode in (UPDATE, BEST):
        rest = desk.numbers, at, desk.powers, powers, dither, desk.work, sigma, gain
        desk.check_short("short_up_tile", plan, ints, mode, desk.locked, lock, by, *rest, at=place)
    desk.numbers = np.abs(desk.numbers)
    desk.work[reach : reach + 16 * 3] *= rng.integers(2)  # or no hand gets there
    for begins in (1.0, 0.0):
        by[2] *= begins
        rest = desk.numbers, at, desk.powers, powers, dither, desk.work, reach
        desk.check_short("short_average_tile", plan, ints, by, *rest, at=place)


def test_a_power_is_the_least_that_fits() -> None:
    sizes = np.array([0, 1e-30, 0.7, 1, 1.9996, 1.9999, 2, 3e30], dtype=np.float32)
    numbers = sizes / steps_of(power_of(sizes))
    assert numbers.max() < 32766
    assert (numbers[2:] > 16380).all()


def test_floats_come_back_to_half_a_step() -> None:
    game = small_game("Jc 6s 2c Kd", ("22+", "55+,AK"), menu_sizing("50%", "a"))
    store, rng = BoardStore(game), np.random.default_rng(1)
    store.regret[:] = rng.normal(size=len(store.regret))
    short = shortened(game, store.regret)
    for street, boards in enumerate(game.tree.streets):
        for b in range(len(boards)):
            for player in (0, 1):
                whole = board_rows(game, store.regret, street, b, player)
                back = short_rows(game, short, street, b, player)
                assert np.abs(back - whole).max(initial=0) <= COARSE * 4 / 32764
                high = whole > 0
                assert np.abs(back - whole)[high].max(initial=0) <= 4 / 32764


def test_decimal_probabilities_are_stored_as_they_are() -> None:
    game = small_game("Jc 6s 2c Kd Qc", ("22+", "55+,AK"), menu_sizing("50%", "a"))
    short, own = new_short_sums(game), game.streets[0].own(0)[0]
    count, hands = own.rows.stop - own.rows.start, len(game.tree.streets[0][0].hands[0])
    shares = np.tile(np.array([[0.125], [0.875]] + [[0.0]] * (count - 2)), hands)
    write_short_shares(game, short, (0, 0, 0), tiled(shares), own.rows.start)
    rows = short_rows(game, short, 0, 0, 0)[0, own.rows]
    np.testing.assert_array_equal(rows[0] * 7, rows[1])

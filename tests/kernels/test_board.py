"""Every kernel of a board equals its readable twin, and terminals equal comparing every pair."""

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endspiel.cards.deck import hand_cards
from endspiel.cards.strength import strength
from endspiel.games.card_game import CardGame
from endspiel.kernels import board
from endspiel.kernels.board_arrays import Coming, LanePair, Meta, Seated
from endspiel.kernels.board_walk import evaluate
from endspiel.kernels.lanes import LANES, padded
from endspiel.native.library import builds
from tests.games.spots import menu_sizing, random_game, random_range, small_game
from tests.kernels import board_reference
from tests.kernels.native_board import NativeBoard, face

RIVER, TURN, FLOP = 3, 2, 1
BIG_MENU = menu_sizing("10%, 20%, 30%, 40%, 50%, 70%, 100%, 200%, a", "50%, 100%, a")


class Desk:
    """One board of a game, one player to move, and random numbers in every array."""

    def __init__(self, game: CardGame, rng: np.random.Generator) -> None:
        self.rng, self.tables = rng, game.tables
        self.street, self.player = int(rng.integers(len(game.streets))), int(rng.integers(2))
        self.board = int(rng.integers(len(game.tree.streets[self.street])))
        self.plan = self.tables.meta[self.street, self.player]
        self.theirs = self.tables.meta[self.street, 1 - self.player]
        self.work = rng.random(game.work_size, dtype=np.float32)
        self.kept = rng.normal(size=game.store_size).astype(np.float32)
        self.kept[rng.random(game.store_size) < 0.3] = 0
        decisions = len(game.tree.streets[self.street]) * int(self.plan[Meta.DECISIONS])
        self.locked = rng.integers(0, 2, self.plan[Meta.LOCKED] + decisions).astype(np.uint8)
        self.own, self.tiles = self._tiles(self.plan)
        self.other, self.others = self._tiles(self.theirs)
        self.count = int(self.tables.ints[self.plan[Meta.COUNT] + self.board])
        self.at = Seated(self.street, self.player, self.board)

    def _tiles(self, plan: np.ndarray) -> tuple[int, int]:
        """Where a player's cards start on the board, and the number of tiles."""
        start, stop = self.tables.ints[plan[Meta.START] + self.board + np.arange(2)]
        return int(plan[Meta.HANDS] + start * LANES), int(stop - start)

    def kept_at(self) -> int:
        """Where the kept rows of one of the player's tiles start."""
        start = self.tables.ints[self.plan[Meta.START] + self.board]
        tile = start + self.rng.integers(self.tiles)
        return int(self.plan[Meta.STORED] + tile * self.plan[Meta.ROWS] * LANES)

    def ends(self, plan: np.ndarray) -> np.ndarray:
        """Hands of a player up to each strength of the board."""
        first, last = self.tables.ints[plan[Meta.GROUP] + self.board + np.arange(2)]
        return self.tables.ends[plan[Meta.ENDS] + first : plan[Meta.ENDS] + last]

    def check(self, name: str, *args: object) -> None:
        """The arrays after each build's kernel (32 bits) and after its twin (64 bits) agree."""
        right = self._after(getattr(board_reference, name), args, np.float64)
        found = []
        for build in builds():
            kernels = NativeBoard(build, self.tables, self.at)
            found.append(self._after(partial(kernels.call, name), args, np.float32))
        for fast, *others in zip(*found, strict=True):
            for other in others:  # every build gives the same digits
                np.testing.assert_array_equal(fast, other, err_msg=name)
        for fast, slow in zip(found[0], right, strict=True):
            np.testing.assert_allclose(fast, slow, rtol=2e-5, atol=2e-4, err_msg=name)

    @staticmethod
    def _after(kernel: Callable[..., None], args: tuple[object, ...], kind: type) -> list[Any]:
        """The arrays, in copies of a precision, after a kernel."""
        copies = [
            a.astype(kind) if isinstance(a, np.ndarray) and a.dtype == np.float32 else a
            for a in args
        ]
        kernel(*copies)
        return [a for a in copies if isinstance(a, np.ndarray)]


def check_all(desk: Desk) -> None:
    """One equality check for each kernel, where the board has hands for it."""
    plan, ints, stakes, work, rng = (
        desk.plan, desk.tables.ints, desk.tables.stakes, desk.work, desk.rng
    )  # fmt: skip
    sigma, gain, lanes = (int(plan[c]) for c in (Meta.SIGMA, Meta.GAIN, Meta.LANES_IN))
    show, fold, mass = (int(plan[c]) for c in (Meta.SHOW, Meta.FOLD, Meta.MASS))
    if desk.tiles:
        at, tile = desk.kept_at(), int(rng.integers(desk.tiles))
        desk.check("down_tile", plan, ints, desk.kept, at, work, sigma, int(plan[Meta.REACH]))
        desk.check("down_tile", plan, ints, desk.kept, at, work, -1, int(plan[Meta.REACH]))
        by = rng.random(7)
        desk.check("average_tile", plan, by, desk.kept, at, work, int(plan[Meta.REACH]))
        lock = int(plan[Meta.LOCKED] + desk.board * plan[Meta.DECISIONS])
        for mode in (board.UPDATE, board.BEST, board.EXPECTED):
            rest = desk.kept, at, work, sigma, gain
            desk.check("up_tile", plan, ints, mode, desk.locked, lock, by, *rest)
        desk.check("collect", plan, ints, stakes, work, show, fold, desk.tiles * LANES, tile, gain)
    hands = desk.others * LANES
    if desk.others:
        h = int(rng.integers(desk.others)) * LANES
        desk.check(
            "lanes_from_tile", plan, ints, work, int(desk.theirs[Meta.REACH]), lanes, hands, h
        )
    check_terminals(desk, lanes, hands, mass, (show, fold))


def check_terminals(desk: Desk, lanes: int, hands: int, mass: int, to: tuple[int, int]) -> None:
    tables, work = desk.tables, desk.work
    facing = face(tables, desk.at)
    other_tile = lanes + (hands + 1) * LANES  # buffers have room for four lane tiles or more
    tiles = LanePair(lanes, other_tile, to[0], to[0] + desk.tiles * LANES * LANES)
    desk.check("total_tiles", facing, work, mass, tiles)
    work[lanes + hands * LANES : lanes + (hands + 1) * LANES] = 0
    for show, fold in ((to[0], to[1]), (to[0], -1), (-1, to[1])):
        desk.check("settle_tile", facing, work, mass, lanes, show, fold)
    if desk.street == len(tables.meta) - 1:
        coming = Coming(desk.kept, desk.kept, 0, 2)
        desk.check("show_tiles", facing, coming, work, mass, tiles)
        desk.check("tie_tile", facing, work, mass, lanes, to[1])


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([RIVER, RIVER, TURN]))
def test_kernels_equal_their_twins(seed: int, street: int) -> None:
    rng = np.random.default_rng(seed)
    game = random_game(rng, street)
    for _ in range(3):
        check_all(Desk(game, rng))


@pytest.mark.parametrize("seed", range(2))
def test_kernels_equal_their_twins_on_the_flop(seed: int) -> None:
    rng = np.random.default_rng(seed)
    game = random_game(rng, FLOP, largest=20)
    for _ in range(8):
        check_all(Desk(game, rng))


@pytest.mark.parametrize(
    ("sizing", "tiles"),
    [
        (menu_sizing(""), (1, 1, 1)),
        (menu_sizing(["", "50%"]), (1, 0, 1)),
        (menu_sizing("50%"), (1, 0, 1)),
        (BIG_MENU, (11, 6, 16)),
    ],
)
def test_kernels_equal_their_twins_on_odd_numbers_of_tiles(
    sizing: object, tiles: tuple[int, int, int]
) -> None:
    rng = np.random.default_rng(5)
    ranges = random_range(rng, 37), random_range(rng, 21)
    game = small_game("Jc 6s 2c Kd Qc", ranges, sizing, stack=300)
    found = game.tables.meta[0, 0, [Meta.SHOWN, Meta.FOLDS, Meta.TILES]]
    assert tuple(found.tolist()) == tiles
    for _ in range(4):
        check_all(Desk(game, rng))


@pytest.mark.parametrize("kernels", [*builds(), "reference"])
def test_vanishing_totals_play_uniformly(kernels: str) -> None:
    """A reciprocal of a total below the normal numbers would overflow."""
    game = small_game("Jc 6s 2c Kd Qc", ("AA", "KK"), menu_sizing("50%"))
    plan, ints = game.tables.meta[0, 0], game.tables.ints
    kept, work = np.zeros(game.store_size, np.float32), np.zeros(game.work_size, np.float32)
    kept[:LANES] = np.finfo(np.float32).tiny / 2.0 ** np.arange(1, LANES + 1)
    kept[0] = 1
    sigma, at = int(plan[Meta.SIGMA]), int(plan[Meta.STORED])
    args = plan, ints, kept, at, work, sigma, int(plan[Meta.REACH])
    if kernels == "reference":
        board_reference.down_tile(*args)
    else:
        NativeBoard(kernels, game.tables, Seated(0, 0, 0)).call("down_tile", *args)
    first = sigma + int(plan[Meta.LINES]) * LANES
    expected = [1.0, *[0.5] * (LANES - 1)]
    np.testing.assert_array_equal(work[first : first + LANES], expected)


# Terminals against the rules of the game themselves.


def truth(game: CardGame, player: int) -> tuple[np.ndarray, np.ndarray]:
    """Showdowns and folds of a river board by comparing every pair of hands: [K, K'] each."""
    root = game.tree.streets[0][0]
    own, other = (hand_cards()[root.hands[p]].tolist() for p in (player, 1 - player))
    rank = [[strength([*hand, *root.cards]) for hand in hands] for hands in (own, other)]
    show = np.zeros((len(own), len(other)))
    fold = np.zeros_like(show)
    for i, mine in enumerate(own):
        for j, theirs in enumerate(other):
            if not set(mine) & set(theirs):
                fold[i, j] = 1
                show[i, j] = np.sign(rank[0][i] - rank[1][j])
    return show, fold


@pytest.mark.parametrize(
    "cards",
    [
        "Jc 6s 2c Kd Qc",
        "As Ks Qs Js Ts",  # everybody ties
        "Ah Ad Ac As 2c",  # ties by the kicker
        "9c 9d 9h 4s 4c",
        "2h 3h 4h 5h 7h",
    ],
)
@pytest.mark.parametrize("sizing", [menu_sizing(""), menu_sizing("50%, a", "a"), BIG_MENU])
def test_terminals_of_a_river_equal_comparing_every_pair(cards: str, sizing: object) -> None:
    rng = np.random.default_rng(len(cards))
    for first, second in ((70, 50), (1, 90), (33, 16)):
        ranges = random_range(rng, first), random_range(rng, second)
        ranges[0][:60], ranges[1][30:90] = 1, 1  # many hands that both hold, and blockers
        check_terminal_values(small_game(cards, ranges, sizing, stack=300), rng)


def check_terminal_values(game: CardGame, rng: np.random.Generator) -> None:
    tables, work = game.tables, np.zeros(game.work_size, np.float32)
    for player in (0, 1):
        plan = tables.meta[0, player]
        hands = [len(h) for h in game.tree.streets[0][0].hands]
        wide, theirs = padded(hands[player]), padded(hands[1 - player])
        tiles = int(plan[Meta.TILES])
        at = plan[Meta.LANES_IN]
        size = tiles * (theirs + 1) * LANES
        lanes = work[at : at + size].reshape(tiles, theirs + 1, LANES)
        lanes[:] = 0
        lanes[:, : hands[1 - player]] = rng.random((tiles, hands[1 - player], LANES))
        evaluate(tables, Seated(0, player, 0), work)
        show, fold = (
            work[plan[c] : plan[c] + tiles * wide * LANES].reshape(tiles, wide, LANES)
            for c in (Meta.SHOW, Meta.FOLD)
        )
        shown, folds = int(plan[Meta.SHOWN]), int(plan[Meta.FOLDS])
        forms = truth(game, player)
        for t in range(tiles):
            reach = lanes[t, : hands[1 - player]].astype(np.float64)
            right = forms[0] @ reach, forms[1] @ reach
            if t < shown:
                np.testing.assert_allclose(show[t, : hands[player]], right[0], atol=1e-4)
            if t >= folds:
                np.testing.assert_allclose(fold[t, : hands[player]], right[1], atol=1e-4)


def test_ends_rise_to_the_number_of_hands() -> None:
    game = small_game("9c 9d 9h 4s 4c", ("22+,A2s+", "random"), menu_sizing("50%"))
    for side in game.cards[0].sides:
        assert all(a <= b for a, b in pairwise(side.ends))
        assert side.ends[-1] == side.hands[0]

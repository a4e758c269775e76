"""An endgame on real cards: its size, its memory and its long arrays."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endspiel.betting import no_limit_tree
from endspiel.cards.deck import hand_cards
from endspiel.cards.isomorphism import hand_permutations
from endspiel.cards.ranges import parse_range
from endspiel.cards.text import parse_board
from endspiel.engine.schemes import SCHEMES
from endspiel.errors import GameError
from endspiel.games.card_game import CardGame
from endspiel.games.card_tree import card_tree
from endspiel.kernels.board_arrays import Meta
from endspiel.kernels.lanes import LANES, padded
from endspiel.solvers.boards.cfr import BoardCFR
from tests.games.spots import menu_sizing, random_game, small_game, spot_game

# Decisions of the same trees by an independent program.
SIZES = {
    "river_a": (188, (1081, 1081)),
    "river_b": (32, (400, 480)),
    "turn": (3280, (416, 495)),
    "flop": (92472, (426, 506)),
}


def held_bytes(game: CardGame, threads: int = 1) -> int:
    """Bytes of every array that a solve holds."""
    solve = BoardCFR(game, SCHEMES["dcfr"], threads)
    hands = [h for boards in game.tree.streets for board in boards for h in board.hands]
    sides = [array for cards in game.cards for side in cards.sides for array in side]
    arrays = [*solve.backend.state().values(), *game.tables, *hands, *sides]
    return sum(array.nbytes for array in arrays) + solve.backend.threads * 4 * game.work_size


@pytest.mark.parametrize("name", SIZES)
def test_sizes_equal_an_independent_program(name: str) -> None:
    game = spot_game(name)
    nodes, hands = SIZES[name]
    assert game.num_nodes == nodes
    assert tuple(len(h) for h in game.tree.streets[0][0].hands) == hands


@pytest.mark.parametrize("name", ["river_a", "river_b", "turn"])
@pytest.mark.parametrize("threads", [1, 2])
def test_memory_is_told_before(name: str, threads: int) -> None:
    game = spot_game(name)
    held = held_bytes(game, threads if len(game.streets) > 1 else 1)
    assert held <= game.memory(threads if len(game.streets) > 1 else 1) <= 1.04 * held


def test_memory_of_a_flop_is_told_before() -> None:
    game = small_game("Qs Jh 2h", ("99+,AJs+", "TT-77,KQs"), menu_sizing("50%"), symmetry=True)
    held = held_bytes(game)
    assert held <= game.memory() <= 1.1 * held


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([2, 3]))
def test_no_game_takes_more_memory_than_told(seed: int, street: int) -> None:
    game = random_game(np.random.default_rng(seed), street)
    assert held_bytes(game) <= game.memory()


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([2, 3]))
def test_parts_of_long_arrays_neither_overlap_nor_leave_gaps(seed: int, street: int) -> None:
    game = random_game(np.random.default_rng(seed), street)
    tables = game.tables
    kept = locked = hands = 0
    for s in range(len(game.streets)):
        for player in (0, 1):
            meta = tables.meta[s, player]
            assert meta[Meta.STORED] + meta[Meta.LINES] * LANES == kept
            assert meta[Meta.LOCKED] == locked
            assert meta[Meta.HANDS] == hands
            kept += game.num_tiles(s, player) * int(meta[Meta.ROWS]) * LANES
            locked += len(game.tree.streets[s]) * int(meta[Meta.DECISIONS])
            hands += game.num_tiles(s, player) * LANES
    assert kept == game.store_size
    assert hands == len(tables.low) == len(tables.high) == len(tables.above) == len(tables.same)
    check_hands(game)


def check_hands(game: CardGame) -> None:
    """Cards and root weights of every place; padding has neither."""
    for s, cards in enumerate(game.cards):
        for player, side in enumerate(cards.sides):
            at = int(game.tables.meta[s, player, Meta.HANDS])
            real = side.hand >= 0
            held = [c[at : at + len(real)] for c in (game.tables.low, game.tables.high)]
            np.testing.assert_array_equal(np.stack(held)[:, real].T, hand_cards()[side.hand[real]])
            assert (np.stack(held)[:, ~real] == 52).all()
            if s == 0:
                first = int(game.tables.meta[s, player, Meta.ROOT])
                root = game.tables.root[first : first + len(real)]
                weights = game.tree.ranges[player][side.hand[real]]
                np.testing.assert_array_equal(root[real], weights.astype(np.float32))
                assert not root[~real].any()


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_reaches_come_from_and_values_go_to_the_same_hand_above(seed: int) -> None:
    game = random_game(np.random.default_rng(seed), 2)
    tables, upper = game.tables, game.tree.streets[0][0]
    lines = len(game.streets[1].starts)  # a last street keeps only its lines' values
    for player in (0, 1):
        meta, side = tables.meta[1, player], game.cards[1].sides[player]
        size = game.streets[0].size[player]
        rows = row_places(len(upper.hands[player]), size)
        for b, board in enumerate(game.tree.streets[1]):
            hands = board.hands[player]
            start = int(meta[Meta.HANDS] + side.start[b] * LANES)
            above = tables.above[start : start + padded(len(hands))]
            places = [upper.hands[player].tolist().index(hand) for hand in hands]
            assert above[: len(hands)].tolist() == rows[places].tolist()
            assert (above[len(hands) :] == -1).all()
            at, width = int(tables.ints[meta[Meta.BELOW] + b]), padded(len(upper.hands[player]))
            assert tables.ints[meta[Meta.ABOVE] + b] == 0
            for image in board.images:
                below = tables.below[at : at + width]
                expected = np.full(width, -1)
                for place, hand in zip(row_places(len(hands), lines), hands, strict=True):
                    moved = hand_permutations()[image][hand]
                    expected[upper.hands[player].tolist().index(moved)] = place
                np.testing.assert_array_equal(below, expected)
                at += width


def row_places(count: int, rows: int) -> np.ndarray:
    """Where each hand lies in a row, when a tile of sixteen hands has so many rows."""
    hand = np.arange(count)
    return hand // LANES * rows * LANES + hand % LANES


def test_decisions_times_hands() -> None:
    game = small_game("Jc 6s 2c Kd Qc", ("AA", "TT,99"), menu_sizing("50%"))
    assert game.num_nodes == 4
    assert game.num_infosets == 2 * 6 + 2 * 12


def test_board_and_betting_must_fit() -> None:
    ranges = parse_range("AA"), parse_range("KK")
    tree = card_tree(parse_board("Jc 6s 2c 3d"), ranges)
    with pytest.raises(GameError, match="1 streets"):
        CardGame(no_limit_tree(20, 30, 3, menu_sizing("50%")), tree)

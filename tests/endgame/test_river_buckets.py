"""Equities, buckets and menus of river endgames against the paper's pseudocode, written out."""

from pathlib import Path

import numpy as np
import pytest

from endspiel.betting.menu import MAX_CHIPS
from endspiel.betting.streets import cut_streets
from endspiel.cards.deck import NUM_HANDS, hand_masks
from endspiel.cards.equity import equities
from endspiel.cards.text import parse_board
from endspiel.endgame.river.buckets import (
    FINEST,
    bucket_number,
    equity_buckets,
    hand_buckets,
    occupied_buckets,
)
from endspiel.endgame.river.game import RiverGame, num_sequences, river_tree
from endspiel.endgame.river.menus import load_menus, river_menu
from endspiel.endgame.river.river import River
from endspiel.errors import CardError, FileError, GameError, RangeError
from tests.endgame.rivers import random_river

BOARD = parse_board("Jc 6s 2c Kd Qc")


def test_equities_are_algorithm_1() -> None:
    river = random_river(11)
    strength = river.strengths.astype(np.int64)
    apart = (hand_masks()[:, None] & hand_masks()) == 0
    for player in (0, 1):
        other = river.ranges[1 - player]
        beaten = np.sign(strength[:, None] - strength) / 2 + 0.5
        met = (apart * other).sum(axis=1)
        live = (strength > 0) & (met > 0)
        expected = ((apart * other * beaten).sum(axis=1)[live]) / met[live]
        np.testing.assert_allclose(river.equities[player][live], expected, atol=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_buckets_are_algorithm_5(seed: int) -> None:
    river = random_river(seed)
    k, alpha = 51, 0.995
    for player in (0, 1):
        buckets = equity_buckets(river, player, k, alpha)
        equity, held = river.equities[player], river.ranges[player] > 0
        intervals = {}
        for hand in np.flatnonzero(held):
            e = 0.5 if np.isnan(equity[hand]) else equity[hand]
            b = k - 1 if e >= alpha else int(min(np.floor(e / (alpha / (k - 1))), k - 2))
            intervals.setdefault(b, []).append(hand)
        for number, b in enumerate(sorted(intervals)):
            assert (buckets.of[intervals[b]] == number).all()
        assert buckets.count == len(intervals)
        assert buckets.mass.sum() == pytest.approx(river.ranges[player].sum())
        assert (buckets.mass > 0).all()
        dead = river.strengths == 0
        assert (buckets.of[dead] == -1).all()
        assert (buckets.of[~dead] >= 0).all()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("number", [2, 40])
def test_occupied_buckets_leave_little_of_t_unused(seed: int, number: int) -> None:
    """They are Algorithm 5's for some number of intervals, and with one more they are too many."""
    river, alpha = random_river(seed), 0.99
    for player in (0, 1):
        found = occupied_buckets(river, player, number, alpha)
        held = np.flatnonzero(river.ranges[player] > 0)
        equity = np.nan_to_num(river.equities[player][held], nan=0.5)

        def plain(intervals: int, equity: np.ndarray = equity) -> np.ndarray:
            """Buckets of the hands held by so narrow intervals, empty ones dropped."""
            at = np.minimum(np.floor(equity / (alpha / (intervals - 1))), intervals - 2)
            return np.unique(np.where(equity >= alpha, intervals - 1, at), return_inverse=True)[1]

        assert number >= found.count >= plain(number).max() + 1  # no fewer than the paper's
        if found.count == len(np.unique(plain(FINEST))):
            continue  # all equities below alpha are apart
        assert any(
            np.array_equal(plain(intervals), found.of[held])
            and plain(intervals + 1).max() + 1 > number
            for intervals in range(number, 4000)
        )


def test_t_is_used_where_equities_crowd() -> None:
    """Against hands of like strength equities are low or high: the paper's intervals are empty."""
    strength = np.nan_to_num(equities(np.ones(NUM_HANDS), BOARD))
    alike = 0.02 + (abs(strength - 0.5) < 0.02)
    river = River.of(BOARD, 2250, 18_875, [np.ones(NUM_HANDS), alike])
    for number in (20, 40):
        paper, found = (make(river, 0, number) for make in (equity_buckets, occupied_buckets))
        assert paper.count < 0.8 * number
        assert 0.9 * number <= found.count <= number


def test_no_abstraction_tells_all_hands_apart() -> None:
    river = random_river(3)
    for player in (0, 1):
        buckets = hand_buckets(river, player)
        held = np.flatnonzero(river.ranges[player])
        assert len(set(buckets.of[held])) == buckets.count == len(held)


def test_numbers_of_buckets() -> None:
    assert bucket_number(10_000, 196) == 51
    assert bucket_number(7500, 196) == 38
    assert bucket_number(100, 196) == 1
    with pytest.raises(GameError, match="T is 0"):
        bucket_number(0, 10)


@pytest.mark.parametrize("seed", [0, 4, 7])
def test_forms_are_sums_over_all_pairs(seed: int) -> None:
    river = random_river(seed)
    menu = river_menu(river.pot, river.stack)
    buckets = equity_buckets(river, 0, 9), equity_buckets(river, 1, 7)
    game = RiverGame(river, river_tree(river, menu), buckets)
    strength = river.strengths.astype(np.int64)
    apart = (hand_masks()[:, None] & hand_masks()) == 0
    weight = np.outer(river.ranges[0], river.ranges[1]) * apart
    sets = [np.eye(b.count)[b.of.clip(0)] for b in buckets]
    joint = sets[0].T @ weight @ sets[1] / weight.sum()
    better = sets[0].T @ (weight * np.sign(strength[:, None] - strength)) @ sets[1] / weight.sum()
    np.testing.assert_allclose(game.joint, joint, atol=1e-14)
    np.testing.assert_allclose(game.advantage, better, atol=1e-14)
    game.game.validate()


def test_the_appendix_has_196_sequences() -> None:
    river = River.of(BOARD, 2250, (18875, 18875), np.ones((2, NUM_HANDS)))
    tree = river_tree(river, river_menu(river.pot, river.stack))
    assert num_sequences(cut_streets(tree)[0]) == (196, 196)
    assert tree.num_children[0] == 9


def test_pot_and_stacks_are_the_tables_own() -> None:
    """A bet of 10,000 into 5,000 that a blueprint took for 5,000: section 3.4's example."""
    translated, real = (15_000, 12_500), (25_000, 7_500)
    sizes = []
    for pot, stack in (translated, real):
        river = River.of(BOARD, pot, stack, np.ones((2, NUM_HANDS)))
        tree = river_tree(river, river_menu(pot, stack))
        assert (tree.pot, tree.stack) == (pot, stack)
        sizes.append(tree.words(0))
    assert "b7500" in sizes[1]
    assert "b12500" in sizes[0]
    assert "b12500" not in sizes[1]


def test_menus_cover_every_depth() -> None:
    fewest = []
    for pot, stack in ((1, 0), (1, 1), (10**6, 1), (200, 100), (200, 900), (1, MAX_CHIPS)):
        river = River.of(BOARD, pot, stack, np.ones((2, NUM_HANDS)))
        tree = river_tree(river, river_menu(pot, stack))
        fewest.append(num_sequences(cut_streets(tree)[0])[0])
    assert max(fewest) <= 230


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "list of"),
        ("[[menu]]\nbet = '50%'", "raise is missing"),
        ("[[menu]]\nbet = '50%'\nraise = 'a'\nup_to = 3", "no up_to"),
        ("[[menu]]\nbet = '50'\nraise = 'a'", "menu 1"),
        ("[[menu]]\nbet = 50\nraise = 'a'", "text in quotes"),
        ("[[menu]]\nbet = 'a'\nraise = 'a'\nbets = 2", "no key 'bets'"),
    ],
)
def test_bad_menus_are_named(tmp_path: Path, text: str, reason: str) -> None:
    path = tmp_path / "menus.toml"
    path.write_text(text)
    with pytest.raises(FileError, match=reason):
        load_menus(path)


def test_bad_rivers_are_named() -> None:
    everything = np.ones((2, NUM_HANDS))
    with pytest.raises(CardError, match="5 cards"):
        River.of(BOARD[:4], 100, 100, everything)
    with pytest.raises(GameError, match="pot of 1"):
        River.of(BOARD, 0, 100, everything)
    empty = everything.copy()
    empty[1] = 0
    with pytest.raises(RangeError, match="in position has no hand"):
        River.of(BOARD, 100, 100, empty)
    same = np.zeros((2, NUM_HANDS))
    same[:, 0] = 1
    with pytest.raises(RangeError, match="share a card"):
        River.of([20, 25, 30, 35, 40], 100, 100, same)
    with pytest.raises(RangeError, match="not negative"):
        River.of(BOARD, 100, 100, -everything)

"""A batch's card tables: sums by slots against every pair of hands, one by one."""

from collections.abc import Sequence

import numpy as np
import pytest

from endspiel.cards.deck import NUM_CARDS, hand_masks
from endspiel.cards.strength import board_strengths
from endspiel.games.card_tree import Board, card_tree
from endspiel.gpu.tables import (
    ABSENT,
    WIDTHS,
    StreetTables,
    dealt_boards,
    geometry,
    street_links,
    street_tables,
)
from endspiel.gpu.twin import evaluate
from tests.games.spots import random_range


def random_board(rng: np.random.Generator, counts: tuple[int, int]) -> Board:
    cards = rng.choice(NUM_CARDS, 5, replace=False).tolist()
    while True:
        ranges = random_range(rng, counts[0]), random_range(rng, counts[1])
        root = card_tree(cards, ranges).streets[0][0]
        if all(len(hands) for hands in root.hands):
            return root


def tables_of(boards: Sequence[Board], last: bool = True) -> StreetTables:
    dealt = dealt_boards(boards, last)
    return street_tables(dealt, geometry(dealt))


def pair_by_pair(board: Board, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Wins less losses [K, K'] and pairs without a common card [K, K'], of p's hands."""
    own, other = board.hands[p], board.hands[1 - p]
    apart = (hand_masks()[own][:, None] & hand_masks()[other]) == 0
    strength = board_strengths(board.cards).astype(int)
    return np.sign(strength[own][:, None] - strength[other]) * apart, apart.astype(float)


@pytest.mark.parametrize("counts", [(1326, 1326), (1, 1326), (200, 90), (40, 3), (700, 1200)])
def test_showdowns_and_masses_are_those_of_all_pairs(counts: tuple[int, int]) -> None:
    rng = np.random.default_rng(sum(counts))
    boards = [random_board(rng, counts) for _ in range(3)]
    tables = tables_of(boards)
    for p in (0, 1):
        columns = np.zeros((3, tables.geometry.width, 2))
        hand = tables.hand[1 - p].astype(int)
        columns[hand >= 0] = rng.random((int((hand >= 0).sum()), 2))
        show, mass = evaluate(tables, p, columns)
        for b, board in enumerate(boards):
            wins, apart = pair_by_pair(board, p)
            own = np.argsort(np.argsort(board.hands[p]))  # places in order of hand numbers
            reach = columns[b][np.argsort(hand[b])[-len(board.hands[1 - p]) :]]
            reach = reach[np.argsort(np.argsort(board.hands[1 - p]))]
            held = np.argsort(tables.hand[p, b])[-len(board.hands[p]) :][own]
            np.testing.assert_allclose(show[b][held], wins @ reach, atol=1e-12)
            np.testing.assert_allclose(mass[b][held], apart @ reach, atol=1e-12)


def test_a_hand_that_beats_all_wins_the_whole_mass_to_the_bit() -> None:
    rng = np.random.default_rng(5)
    full = random_board(rng, (1326, 1326))  # hands are ordered by strength
    board = Board(full.cards, (full.hands[0], full.hands[1][:60]), -1, (0,), (0,))
    tables = tables_of([board])
    columns = np.where(tables.hand[1][..., None] >= 0, rng.random((1, 1088, 1)), 0)
    columns = columns.astype(np.float32)
    show, mass = evaluate(tables, 0, columns)
    best = board_strengths(board.cards)[board.hands[1]].max()
    hand = tables.hand[0, 0]
    nuts = (hand >= 0) & (board_strengths(board.cards)[hand] > best)
    assert nuts.any()
    apart = tables.same[0, 0] == ABSENT
    assert np.array_equal(show[0, nuts & apart], mass[0, nuts & apart])


def test_every_width_has_its_slots_apart() -> None:
    for width in WIDTHS:
        board = Board((0, 1, 2, 3, 4), (np.arange(200, 210),) * 2, -1, (0,), (0,))
        shape = geometry(dealt_boards([board], True))
        shape = type(shape)(width, shape.cards, shape.spill)
        slots = shape.main_slot(np.arange(width + 1))
        assert len(np.unique(slots)) == width + 1
        assert slots.min() == shape.main
        assert slots.max() < shape.slots
        assert sorted(shape.places(width)) == list(range(width))


def test_hands_alike_lie_side_by_side() -> None:
    for width in WIDTHS:
        board = Board((0, 1, 2, 3, 4), (np.arange(200, 210),) * 2, -1, (0,), (0,))
        shape = geometry(dealt_boards([board], True))
        rank = np.argsort(type(shape)(width, shape.cards, shape.spill).places(width))
        sectors = rank.reshape(-1, 8)  # 32 bytes of a row
        assert np.ptp(sectors, axis=1).max() < 36
        for hand in (0, 1):  # neighboring threads have neighboring ranks, so different banks
            assert (np.diff(rank[hand::2].reshape(-1, 8), axis=1) == 1).all()


@pytest.mark.parametrize("symmetry", [False, True])
def test_links_lead_to_the_same_hands(symmetry: bool) -> None:
    weights = np.ones(1326)
    tree = card_tree([0, 4, 8, 13], (weights, weights), symmetry=symmetry)
    upper = tables_of(tree.streets[0], last=False)
    boards = tree.streets[1]
    tables = tables_of(boards)
    links = street_links(boards, np.zeros(len(boards), np.int64), tables, upper)
    assert len(links.child) == 48
    for p in (0, 1):
        own, above = tables.hand[p], upper.hand[p, 0]
        there = links.above[p] != ABSENT
        assert np.array_equal(there, own >= 0)
        assert np.array_equal(above[links.above[p][there]], own[there])
        # Every hand above is on all images but those that deal one of its cards.
        counts = (links.below[p] != ABSENT).sum(axis=0)
        assert np.array_equal(counts, np.where(above >= 0, 46, 0))

"""Folding boards by suit symmetry changes nothing but the work."""

import numpy as np
import pytest

from endspiel.cards.deck import NUM_HANDS
from endspiel.cards.isomorphism import hand_permutations, suit_permutations
from endspiel.games.card_tree import CardTree
from endspiel.solvers.boards.cfr import BoardCFR
from tests.games.spots import menu_sizing, small_game
from tests.solvers.boards import DCFR, DONK, assert_same, sums_of


def unfold(folded: BoardCFR, full: BoardCFR) -> None:
    """Copy regrets and averages of a folded solve to every image in a solve without symmetry."""
    tree = folded.game.tree
    for street, boards in enumerate(tree.streets):
        numbers = {board.cards[-street:] if street else (): b
                   for b, board in enumerate(full.game.tree.streets[street])}  # fmt: skip
        for b, board in enumerate(boards):
            for path, hands in images(tree, street, b):
                target = numbers[path[len(path) - street :]]
                for player in (0, 1):
                    copy_board(
                        folded, full, (street, b, target, player), hands[board.hands[player]]
                    )


def images(tree: CardTree, street: int, b: int) -> list[tuple[tuple[int, ...], np.ndarray]]:
    """Cards of each image of a board, and where it takes every hand [1326]."""
    board = tree.streets[street][b]
    found = [(board.cards, np.arange(NUM_HANDS))]
    for above in range(street, 0, -1):
        found = [
            (moved(cards, p), hand_permutations()[p][hands])
            for cards, hands in found
            for p in board.images
        ]
        board = tree.streets[above - 1][board.parent]
    return found


def moved(cards: tuple[int, ...], permutation: int) -> tuple[int, ...]:
    suits = suit_permutations()[permutation]
    return tuple(4 * (card // 4) + int(suits[card % 4]) for card in cards)


def copy_board(
    folded: BoardCFR, full: BoardCFR, where: tuple[int, int, int, int], hands: np.ndarray
) -> None:
    street, b, target, player = where
    held = full.game.tree.streets[street][target].hands[player]
    assert sorted(held) == sorted(hands)
    places = np.argsort(held)[np.searchsorted(np.sort(held), hands)]
    for source, to in zip(sums_of(folded), sums_of(full), strict=True):
        ours = folded.store.read(source, street, b, player)
        theirs = np.zeros_like(ours)
        theirs[:, places] = ours
        full.store.write(to, (street, target, player), theirs)


SYMMETRIC = {
    "monotone turn": ("Qh Jh 2h 4h", ("AKs,QQ,T9o:0.5", "JJ,KTs,98s"), menu_sizing("50%", "a")),
    "two-tone turn": ("Qs Jh 2h 4s", ("AKs,QQ,T9s:0.5", "JJ,KTs,99"), menu_sizing("a")),
    "paired turn": ("Qs Qh 2c 2d", ("AKs,88:0.5", "JJ,KTo"), DONK),
    "one range alone": ("Qh Jh 2h 4h", ("AKs,QQ,T9o:0.5", "JsJc,KTs"), menu_sizing("50%")),
    "flop": ("Qs Jh 2h", ("AKs,QQ:0.5", "JJ,T9s"), menu_sizing("a")),
    "monotone flop": ("Qh Jh 2h", ("AKs:0.5,T8o", "JJ"), menu_sizing(["", "a"])),
}


@pytest.mark.parametrize("name", SYMMETRIC)
def test_symmetry_on_equals_symmetry_off(name: str) -> None:
    board, ranges, sizing = SYMMETRIC[name]
    games = [small_game(board, ranges, sizing, symmetry=on) for on in (True, False)]
    assert sum(games[0].tree.num_boards) < sum(games[1].tree.num_boards)
    folded, full, start = (BoardCFR(game, DCFR) for game in (*games, games[1]))
    for _ in range(3):
        folded.advance(2)
        unfold(folded, full)
        assert folded.exploitability() == pytest.approx(full.exploitability(), abs=2e-6)
        assert folded.value() == pytest.approx(full.value(), abs=2e-6)
        for player in (0, 1):
            values = [solve.backend.best_values(player) for solve in (folded, full)]
            np.testing.assert_allclose(*values, atol=2e-6)
        folded.step()
        start.restore(full.state())
        start.iteration = folded.iteration - 1
        start.step()
        unfold(folded, full)
        assert_same(full, start, 2e-5)


def test_symmetry_with_ranges_that_have_none_changes_nothing() -> None:
    ranges = "AcKc,QQ,T9s", "JsJd,9s9h"
    solves = [
        BoardCFR(small_game("Qh Jh 2h 4h", ranges, menu_sizing("a"), symmetry=on), DCFR)
        for on in (True, False)
    ]
    for solve in solves:
        solve.advance(5)
    assert_same(*solves)

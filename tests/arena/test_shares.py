"""How hands fare against one: equal to comparing strengths, board by board, on every build."""

from itertools import combinations

import numpy as np
import pytest

from endspiel.agent.simple import PotOdds
from endspiel.arena.estimators import shares as module
from endspiel.arena.estimators.shares import shares
from endspiel.cards.deck import hand_index
from endspiel.cards.removal import conflicts
from endspiel.cards.strength import board_strengths
from endspiel.cards.text import parse_cards
from endspiel.rules.builtin import load_rules
from tests.native.each_build import same_on_each_build

HOLDEM = load_rules("nolimit-holdem")
BOARD = tuple(parse_cards("Qs Jh 2h 4c 9h"))
OTHER = tuple(parse_cards("Ah Th"))


def compared(board: tuple[int, ...]) -> np.ndarray:
    """1 where a hand beats the other, -1 where it loses: [1326]."""
    strength = board_strengths(board).astype(int)
    ahead = np.sign(strength - strength[hand_index(*OTHER)])
    return np.where((strength == 0) | conflicts()[hand_index(*OTHER)], 0, ahead)


@pytest.mark.parametrize("cards", [3, 4, 5])
def test_shares_are_means_over_run_outs(cards: int) -> None:
    def work() -> np.ndarray:
        module._turns.cache_clear()
        return shares(HOLDEM, OTHER, BOARD[:cards])

    left = [card for card in range(52) if card not in (*BOARD[:cards], *OTHER)]
    run_outs = list(combinations(left, 5 - cards))
    wanted = np.sum(
        [compared((*BOARD[:cards], *cards_to_come)) for cards_to_come in run_outs], axis=0
    )
    met = {3: 990, 4: 44, 5: 1}[cards]
    assert same_on_each_build(work) == pytest.approx(wanted / met, abs=1e-12)


@pytest.mark.parametrize("cards", [3, 4, 5])
def test_the_chance_to_win_counts_all_other_hands(cards: int) -> None:
    strength = board_strengths(BOARD[:cards]).astype(int)
    mine = strength[hand_index(*OTHER)]
    others = strength[(strength > 0) & ~conflicts()[hand_index(*OTHER)]]
    wanted = ((others < mine).sum() + (others <= mine).sum()) / (2 * len(others))
    assert PotOdds(HOLDEM).chance(OTHER[::-1], BOARD[:cards]) == wanted

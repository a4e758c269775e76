"""Deals and seeds of any block of hands, without playing those before it.

A hand takes a fixed number of the seed's random words, so a block of hands is a slice of the
stream that ``rules.deal.deals`` draws from, and is drawn here for all its hands at once.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from endspiel.arrays import UInt32s
from endspiel.errors import RulesError
from endspiel.rules.deal import MAX_SEED, Deal
from endspiel.rules.game_def import GameDef

_SKIP: Final = 1 << 20  # words thrown away at a time
_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)
_MIX: Final = (
    (np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)),
    (np.uint64(27), np.uint64(0x94D049BB133111EB)),
)
_LAST: Final = np.uint64(31)


class DealSource:
    """The random words of a match, handed out block by block from any hand on."""

    def __init__(self, game: GameDef, seed: int, first: int = 0) -> None:
        if not 0 <= seed <= MAX_SEED:
            raise RulesError(f"seed {seed} is not between 0 and {MAX_SEED}")
        self._per_hand = _cards_a_hand(game)
        self._generator = np.random.RandomState(seed)
        left = first * self._per_hand
        while left:
            skipped = min(left, _SKIP)
            self._generator.bytes(4 * skipped)
            left -= skipped

    def words(self, hands: int) -> UInt32s:
        """The words of the next hands: [hands, cards a hand]."""
        drawn = np.frombuffer(self._generator.bytes(4 * hands * self._per_hand), "<u4")
        return drawn.astype(np.uint32).reshape(hands, self._per_hand)


def deal_block(game: GameDef, words: UInt32s) -> list[Deal]:
    """The deals that words [hands, cards a hand] make."""
    hands, count = words.shape
    rows = np.arange(hands)
    deck = np.tile(np.array(game.deck, np.uint8), (hands, 1))
    drawn = np.empty((hands, count), np.uint8)
    left = deck.shape[1]
    for at in range(count):
        place = words[:, at] % np.uint32(left - at)
        drawn[:, at] = deck[rows, place]
        deck[rows, place] = deck[:, left - at - 1]
    hole, players = game.num_hole_cards, game.num_players
    ends = [(at, at + hole) for at in range(0, hole * players, hole)]
    board = hole * players
    return [
        Deal(tuple([tuple(cards[a:b]) for a, b in ends]), tuple(cards[board:]))
        for cards in drawn.tolist()
    ]


def hand_seeds(seed: int, section: int, first: int, hands: int) -> list[list[int]]:
    """Seeds of both agents for a block of hands: [hands][2], of 64 bits, mixed as splitmix64 does.

    Agent A's stand first in both sections; seeds of different hands, sections, agents and matches
    have nothing in common.
    """
    start = _mixed(np.array([2 * seed + section], np.uint64))
    steps = np.arange(2 * first, 2 * (first + hands), dtype=np.uint64)
    rows: list[list[int]] = _mixed(start + _GOLDEN * (steps + np.uint64(1))).reshape(-1, 2).tolist()
    return rows


def _mixed(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Every word scrambled so that neighbors look unrelated: same shape."""
    for shift, factor in _MIX:
        words = (words ^ (words >> shift)) * factor
    return words ^ (words >> _LAST)


def _cards_a_hand(game: GameDef) -> int:
    return game.num_hole_cards * game.num_players + game.board_sizes[-1]

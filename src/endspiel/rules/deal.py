"""Deals: the cards of a hand, and the dealer's own deals reproduced from its seed.

The competition's dealer seeds the Mersenne Twister MT19937 with one integer, deals every hand from
a fresh deck, hole cards position by position and then the board, and draws the card at ``random
word % cards left``, filling the gap with the last card. NumPy's ``RandomState`` promises the same
generator, seeded the same way, for good.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np

from endspiel.bounds import MOST_DEALER_SEED
from endspiel.errors import RulesError
from endspiel.rules.game_def import GameDef

MAX_SEED: Final = MOST_DEALER_SEED
_BLOCK: Final = 4096  # random words fetched at a time


class Deal(NamedTuple):
    """All cards of a hand, seen or not. N players, H hole cards, B board cards."""

    holes: tuple[tuple[int, ...], ...]  # [N][H]
    board: tuple[int, ...]  # [B] through the last round


def deals(game: GameDef, seed: int) -> Iterator[Deal]:
    """The endless deals of a match, bit for bit those of the competition's dealer."""
    if not 0 <= seed <= MAX_SEED:
        raise RulesError(f"seed {seed} is not between 0 and {MAX_SEED}")
    words = _random_words(seed)
    hole = game.num_hole_cards
    dealt_to_players = hole * game.num_players
    count = dealt_to_players + game.board_sizes[-1]
    full = list(game.deck)
    size = len(full)
    while True:
        deck = full.copy()
        drawn = []
        for left in range(size, size - count, -1):
            at = next(words) % left
            drawn.append(deck[at])
            deck[at] = deck[left - 1]
        yield Deal(
            tuple(tuple(drawn[at : at + hole]) for at in range(0, dealt_to_players, hole)),
            tuple(drawn[dealt_to_players:]),
        )


def _random_words(seed: int) -> Iterator[int]:
    """32-bit outputs of MT19937 after ``init_genrand(seed)``."""
    generator = np.random.RandomState(seed)
    while True:
        yield from np.frombuffer(generator.bytes(4 * _BLOCK), dtype="<u4").tolist()

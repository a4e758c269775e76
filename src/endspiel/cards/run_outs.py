"""How every hand fares against every other over all cards to come: for players who are all in."""

from ctypes import byref, c_int64
from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from endspiel.arrays import Float64s
from endspiel.cards.deck import NUM_CARDS, NUM_HANDS
from endspiel.cards.removal import conflicts
from endspiel.cards.streets import RIVER_CARDS
from endspiel.cards.strength_tables import strength_tables
from endspiel.native.boundary import packed, pointer
from endspiel.native.library import board_function, chosen_build

MOST_BOARDS = 32_767  # whose wins fit into 16 bits
_PADDED = 1408  # hands, up to whole registers


@lru_cache(maxsize=4)
def run_out_shares(board: tuple[int, ...]) -> Float64s:
    """Chance that the row's hand wins less that it loses, on a flop or later: [1326, 1326].

    Hands that share a card with each other or the board get 0; read-only.

    Examples:
        >>> from endspiel.cards.deck import hand_index
        >>> from endspiel.cards.text import parse_cards
        >>> shares = run_out_shares(tuple(parse_cards("2c 7d 7h Js Kc")))
        >>> aces, kings = (hand_index(*sorted(parse_cards(text))) for text in ("AsAh", "KsKh"))
        >>> float(shares[aces, kings])
        -1.0
    """
    to_come = RIVER_CARDS - len(board)
    left = [card for card in range(NUM_CARDS) if card not in board]
    boards = [(*board, *more) for more in combinations(left, to_come)]
    counts = count_wins(np.array(boards, np.uint8))
    dealt = comb(len(left) - 4, to_come)  # run-outs that two hands leave
    found: Float64s = np.where(conflicts(), 0.0, (counts - counts.T) / dealt)
    found.flags.writeable = False
    return found


def count_wins(boards: NDArray[np.uint8]) -> NDArray[np.int16]:
    """On how many of boards [B, 5] the row's hand beats the column's: [1326, 1326].

    A hand with a card of a board neither wins nor loses there. Python's lock is not held.
    """
    if len(boards) > MOST_BOARDS:
        raise ValueError(f"wins on {len(boards)} boards do not fit into 16 bits")
    wins = np.zeros((NUM_HANDS, _PADDED), np.int16)
    board_function("count_wins", chosen_build())(
        byref(packed(strength_tables(RIVER_CARDS + 2))),
        pointer(boards, np.uint8, shape=(-1, RIVER_CARDS), name="boards"),
        c_int64(len(boards)),
        pointer(wins, np.int16, written=True),
    )
    return wins[:, :NUM_HANDS]

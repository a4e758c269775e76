"""How every hand fares against every other over all cards to come: for players who are all in."""

from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from endspiel.cards.deck import NUM_CARDS, NUM_HANDS
from endspiel.cards.removal import conflicts
from endspiel.cards.strength_kernels import fill_board_strengths
from endspiel.cards.strength_tables import StrengthTables, strength_tables
from endspiel.jit import njit

Floats = NDArray[np.float64]
RIVER_CARDS = 5
BLOCKED = np.uint16(2**16 - 1)
_CHUNK = 64  # run-outs at a time, so that their strengths stay in the second-level cache


@lru_cache(maxsize=4)
def run_out_shares(board: tuple[int, ...]) -> Floats:
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
    more = np.array([*combinations(left, to_come)], np.uint8)
    counts = _count_wins(strength_tables(7), np.array(board, np.uint8), more)
    dealt = comb(len(left) - 4, to_come)  # run-outs that two hands leave
    found: Floats = np.where(conflicts(), 0.0, (counts - counts.T) / dealt)
    found.flags.writeable = False
    return found


@njit(cache=True, nogil=True)
def _count_wins(
    tables: StrengthTables,
    board: NDArray[np.uint8],  # [n]
    run_outs: NDArray[np.uint8],  # [R, 5 - n]
) -> NDArray[np.int16]:
    """On how many run-outs the row's hand beats the column's, neither holding a card of them.

    A hand that holds one has a strength of 0: one less is more than all.
    """
    strengths = np.empty((_CHUNK, NUM_HANDS), np.uint16)
    whole = np.empty(RIVER_CARDS, np.uint8)
    seen = len(board)
    whole[:seen] = board
    wins = np.zeros((NUM_HANDS, NUM_HANDS), np.int16)
    for start in range(0, len(run_outs), _CHUNK):
        count = min(_CHUNK, len(run_outs) - start)
        for at in range(count):
            whole[seen:] = run_outs[start + at]
            fill_board_strengths(tables, whole, strengths[at])
            strengths[at] -= np.uint16(1)
        for one in range(NUM_HANDS):
            row = wins[one]
            for at in range(count):
                mine, others = strengths[at, one], strengths[at]
                if mine != BLOCKED:
                    for two in range(NUM_HANDS):
                        row[two] += np.int16(others[two] < mine)
    return wins

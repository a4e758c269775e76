"""How all hands fare against one: chance to win less chance to lose, over the cards to come."""

from functools import cache, lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from endspiel.arena.all_in import is_holdem
from endspiel.cards.deck import NUM_HANDS, hand_index
from endspiel.cards.equity import equities
from endspiel.rules.game_def import GameDef
from endspiel.rules.ranking import RANKINGS

Floats = NDArray[np.float64]
Cards = tuple[int, ...]


@cache
def all_holes(game: GameDef) -> tuple[Cards, ...]:
    """Every private hand, low card first, numbered as ``cards.deck`` numbers hands: [K]."""
    hands = combinations(sorted(game.deck), game.num_hole_cards)
    return tuple(sorted(hands, key=lambda hole: hole[::-1]))


def shares(game: GameDef, other: Cards, board: Cards) -> Floats:
    """Each hand's chance to win less its chance to lose at a showdown, all run-outs counted: [K].

    Hands that share a card with the other or the board get 0.
    """
    return _shares(game, tuple(sorted(other)), tuple(sorted(board)))


@lru_cache(maxsize=4096)
def _shares(game: GameDef, other: Cards, board: Cards) -> Floats:
    found = _holdem(other, board) if is_holdem(game) else _enumerated(game, other, board)
    found.flags.writeable = False
    return found


def _holdem(other: Cards, board: Cards) -> Floats:
    """By the exact equities of hold'em."""
    only = np.zeros(NUM_HANDS)
    only[hand_index(*other)] = 1
    return np.nan_to_num(2 * equities(only, board) - 1, nan=0.0)


def _enumerated(game: GameDef, other: Cards, board: Cards) -> Floats:
    """By dealing every run-out: for small games."""
    rank = RANKINGS[game.ranking].rank
    holes = all_holes(game)
    found = np.zeros(len(holes))
    to_come = game.board_sizes[-1] - len(board)
    for at, hole in enumerate(holes):
        if {*hole} & {*other, *board}:
            continue
        left = [card for card in game.deck if card not in (*hole, *other, *board)]
        results = []
        for run_out in combinations(left, to_come):
            mine, theirs = rank((*hole, *board, *run_out)), rank((*other, *board, *run_out))
            results.append((mine > theirs) - (mine < theirs))
        found[at] = sum(results) / len(results)
    return found

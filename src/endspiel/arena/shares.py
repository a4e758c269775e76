"""How all hands fare against one: chance to win less chance to lose, over the cards to come."""

from functools import cache, lru_cache
from itertools import chain, combinations
from math import comb

import numpy as np
from numba import njit
from numpy.typing import NDArray

from endspiel.arena.all_in import is_holdem
from endspiel.cards.deck import NUM_CARDS, NUM_HANDS, hand_index
from endspiel.cards.preflop import NUM_BOARDS, conflicts, preflop_counts
from endspiel.cards.strength import fill_board_strengths
from endspiel.cards.strength_tables import StrengthTables, strength_tables
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
    """By all run-outs of hold'em; before the flop by the table of all boards."""
    hand = hand_index(*other)
    if not board:
        counts = preflop_counts()
        ahead: Floats = (NUM_BOARDS - 2.0 * counts.win[hand] - counts.tie[hand]) / NUM_BOARDS
        return np.where(conflicts()[hand], 0.0, ahead)
    to_come = 5 - len(board)
    left = [card for card in range(NUM_CARDS) if card not in {*other, *board}]
    boards = np.empty((comb(len(left), to_come), 5), np.uint8)
    boards[:, : len(board)] = board
    dealt = np.fromiter(chain.from_iterable(combinations(left, to_come)), np.uint8)
    boards[:, len(board) :] = dealt.reshape(len(boards), to_come)
    ahead = _count_ahead(strength_tables(7), boards, hand) / comb(len(left) - 2, to_come)
    return np.where(conflicts()[hand], 0.0, ahead)


@njit(cache=True)
def _count_ahead(
    tables: StrengthTables,
    boards: NDArray[np.uint8],  # [R, 5]
    hand: int,
) -> NDArray[np.int32]:
    """Boards on which each hand beats one, less those on which it loses: [1326]."""
    strengths = np.empty(NUM_HANDS, np.uint16)
    ahead = np.zeros(NUM_HANDS, np.int32)
    for board in boards:
        fill_board_strengths(tables, board, strengths)
        mine = np.int32(strengths[hand])
        for other in range(NUM_HANDS):
            theirs = np.int32(strengths[other])
            ahead[other] += (theirs != 0) * (np.int32(theirs > mine) - np.int32(theirs < mine))
    return ahead


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

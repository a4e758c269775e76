"""How all hands fare against one: chance to win less chance to lose, over the cards to come."""

from ctypes import byref, c_int64
from functools import cache, lru_cache
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from endspiel.arena.estimators.all_in import is_holdem
from endspiel.cards.deck import NUM_CARDS, NUM_HANDS, hand_cards, hand_index
from endspiel.cards.preflop import NUM_BOARDS, preflop_counts
from endspiel.cards.removal import conflicts
from endspiel.cards.run_outs import run_out_shares
from endspiel.cards.strength_tables import strength_tables
from endspiel.native.boundary import pointer
from endspiel.native.library import board_function, chosen_build
from endspiel.rules.game_def import GameDef
from endspiel.rules.ranking import RANKINGS

Floats = NDArray[np.float64]
Cards = tuple[int, ...]

_RIVERS: Final = 44  # that two given hands can meet on after a turn
_RUN_OUTS: Final = 990  # the same, of turn and river, after a flop


@cache
def all_holes(game: GameDef) -> tuple[Cards, ...]:
    """Every private hand, low card first, numbered as ``cards.deck`` numbers hands: [K]."""
    hands = combinations(sorted(game.deck), game.num_hole_cards)
    return tuple(sorted(hands, key=lambda hole: hole[::-1]))


def shares(game: GameDef, other: Cards, board: Cards) -> Floats:
    """Each hand's chance to win less its chance to lose at a showdown, all run-outs counted: [K].

    Hands that share a card with the other or the board get 0.
    """
    if not is_holdem(game):
        return _enumerated(game, tuple(sorted(other)), tuple(sorted(board)))
    hand = hand_index(*other)
    if not board:
        return _before_flop(hand)
    if len(board) == 5:
        return _on_river(board, hand)
    turns = _turns(hand, tuple(sorted(board[:3])))
    ahead: Floats = turns[board[3]] / _RIVERS if len(board) == 4 else _on_flop(turns)
    return ahead


@lru_cache(maxsize=4)
def all_shares(game: GameDef, board: Cards) -> Floats:
    """Of every pair of hands, the chance that the row's wins less that it loses, [K, K]."""
    if board and is_holdem(game):
        return run_out_shares(board)
    found = np.stack([shares(game, hole, board) for hole in all_holes(game)], axis=1)
    found.flags.writeable = False
    return found


def _on_flop(turns: NDArray[np.int8]) -> Floats:
    """The mean over all turns [52, 1326]: [1326]."""
    # Every run-out was counted with each of its two cards as the turn.
    ahead: Floats = turns.sum(axis=0, dtype=np.int32) / (2 * _RUN_OUTS)
    return ahead


@lru_cache(maxsize=NUM_HANDS)
def _before_flop(hand: int) -> Floats:
    """By the table of all boards."""
    counts = preflop_counts()
    ahead: Floats = (NUM_BOARDS - 2.0 * counts.win[hand] - counts.tie[hand]) / NUM_BOARDS
    ahead[conflicts()[hand]] = 0
    ahead.flags.writeable = False
    return ahead


def _on_river(board: Cards, hand: int) -> Floats:
    """1 where a hand beats the one, -1 where it loses: [1326]."""
    ahead = np.empty(NUM_HANDS)
    board_function("showdowns", chosen_build())(
        byref(strength_tables(7).packed),
        pointer(np.array(board, np.uint8), np.uint8, shape=(5,)),
        c_int64(hand),
        pointer(ahead, np.float64, written=True),
    )
    ahead[conflicts()[hand]] = 0
    return ahead


@lru_cache(maxsize=256)
def _turns(hand: int, flop: Cards) -> NDArray[np.int8]:
    """Rivers on which each hand beats one less those on which it loses, by turn: [52, 1326]."""
    low, high = hand_cards()[hand].tolist()
    left = [card for card in range(NUM_CARDS) if card not in (low, high, *flop)]
    found = np.zeros((NUM_CARDS, NUM_HANDS), np.int8)
    board_function("turn_showdowns", chosen_build())(
        byref(strength_tables(7).packed),
        pointer(np.array(flop, np.uint8), np.uint8, shape=(3,)),
        pointer(np.array(left, np.uint8), np.uint8),
        *map(c_int64, (len(left), hand)),
        pointer(found, np.int8, written=True),
    )
    found[:, conflicts()[hand]] = 0
    found.flags.writeable = False
    return found


@lru_cache(maxsize=4096)
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
    found.flags.writeable = False
    return found

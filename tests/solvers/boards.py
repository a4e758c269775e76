"""Helpers for tests of board solves: games, and regrets and averages as plain arrays."""

import numpy as np

from endspiel.betting import Sizing, StreetMenu
from endspiel.engine.schemes import SPOT_SCHEMES
from endspiel.games.dense import spread
from endspiel.solvers.boards.cfr import BoardCFR
from endspiel.solvers.boards.store import untile

DCFR = SPOT_SCHEMES["dcfr"]
DONK = Sizing.same(StreetMenu.parse(["", "50%"], "a", donk="33%"), max_raises=2)


def kept_vector(solve: BoardCFR, kept: np.ndarray, player: int) -> np.ndarray:
    """Regrets or averages as a vector [S] of the dense game."""
    where = spread(solve.game, player)
    vector = np.zeros(where.size)
    for street, boards in enumerate(solve.game.tree.streets):
        for b in range(len(boards)):
            part = board_matrix(solve, kept, street, b, player)[:, : len(boards[b].hands[player])]
            start = where.base[street][b]
            vector[start : start + part.size] = part.ravel()
    return vector


def sums_of(solve: BoardCFR) -> tuple[np.ndarray, np.ndarray]:
    """Regrets and averages, as they lie."""
    return solve.store.regret, solve.store.average


def assert_same(one: BoardCFR, two: BoardCFR, close: float = 0.0) -> None:
    """Regrets and averages of all hands are the same; padding may hold anything."""
    for ours, theirs in zip(sums_of(one), sums_of(two), strict=True):
        for player in (0, 1):
            vectors = kept_vector(one, ours, player), kept_vector(two, theirs, player)
            np.testing.assert_allclose(*vectors, rtol=close, atol=close)


def board_matrix(solve: BoardCFR, kept: np.ndarray, street: int, b: int, player: int) -> np.ndarray:
    """A board's regrets or averages, padding included: a copy [S - L, tiles * 16]."""
    return untile(solve.store.board_rows(kept, street, b, player))

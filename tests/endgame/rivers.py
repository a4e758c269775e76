"""River endgames at random for the tests: boards, ranges of many shapes, pots and stacks."""

import numpy as np

from endspiel.cards.deck import NUM_HANDS
from endspiel.cards.equity import equities
from endspiel.endgame.river.river import River
from endspiel.errors import RangeError


def random_river(seed: int) -> River:
    """An endgame with ranges wide or narrow, by strength or at random, down to single hands."""
    rng = np.random.default_rng(seed)
    while True:
        board = rng.permutation(52)[:5].tolist()
        pot = int(rng.choice([1, 2, 37, 200, 2250, 40_000, 10**6]))
        stack = int(pot * rng.choice([0, 0.02, 0.3, 0.9, 2.0, 4.0, 8.4, 20, 90]))
        ranges = [_random_range(rng, board) for _ in range(2)]
        try:
            return River.of(board, pot, stack, ranges)
        except RangeError:
            continue  # hands that cannot meet: draw again


def _random_range(rng: np.random.Generator, board: list[int]) -> np.ndarray:
    strength = np.nan_to_num(equities(np.ones(NUM_HANDS), board))
    near = np.exp(-(((strength - rng.uniform()) / rng.uniform(0.05, 1.0)) ** 2))
    weights = near * rng.uniform(size=NUM_HANDS) ** rng.integers(0, 4)
    if rng.uniform() < 0.3:  # few hands
        few = np.zeros(NUM_HANDS)
        live = np.flatnonzero(strength + (near > 0.5) > 0)
        few[rng.choice(live, size=rng.integers(1, 6))] = rng.uniform(0.1, 1.0)
        weights = few
    if rng.uniform() < 0.2:  # weights of very different sizes
        weights = weights ** rng.uniform(1, 12)
    return weights

"""Small endgames on real cards that several tests build: chosen by hand or at random."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from endspiel.betting import Sizing, StreetMenu, no_limit_tree
from endspiel.cards.deck import NUM_CARDS, NUM_HANDS, hand_masks
from endspiel.cards.ranges import parse_range
from endspiel.cards.text import parse_board
from endspiel.games.card_game import CardGame
from endspiel.games.card_tree import Ranges, card_tree
from endspiel.games.spot import load_spot

DATA = Path(__file__).parent.parent / "data" / "spots"
Text = str | Sequence[str]


def spot_game(name: str, *, symmetry: bool = True) -> CardGame:
    """A spot of the test data."""
    spot = load_spot(DATA / f"{name}.toml")
    first, second = spot.weights
    return CardGame(spot.tree(), card_tree(spot.board, (first, second), symmetry=symmetry))


def menu_sizing(bet: Text, raises: Text = "", donk: str | None = None) -> Sizing:
    """The same menus on every street."""
    return Sizing.same(StreetMenu.parse(bet, raises, donk), max_raises=3)


def small_game(
    board: str,
    ranges: Ranges | tuple[str, str],
    sizing: Sizing,
    *,
    stack: int = 30,
    symmetry: bool = False,
) -> CardGame:
    """An endgame for a pot of 20, from texts."""
    cards = parse_board(board)
    first, second = (parse_range(r) if isinstance(r, str) else r for r in ranges)
    betting = no_limit_tree(20, stack, len(cards) - 2, sizing)
    return CardGame(betting, card_tree(cards, (first, second), symmetry=symmetry))


BETS = ("", "50%", "a", "33%, 100%", "25%, 60%, 150%, a", "10%, 20%, 30%, 40%, 70%, 100%, 200%, a")
RAISES = ("", "60%", "2.5x, a", "50%, 100%")


def random_game(rng: np.random.Generator, street: int, largest: int = 40) -> CardGame:
    """Random cards and menus; ranges of one hand up to the largest number, often of one player."""
    first = menu_sizing(*_menus(rng)).streets[1]
    second = menu_sizing(*_menus(rng)).streets[1]
    sizing = Sizing((None, first, second, second), max_raises=int(rng.integers(1, 4)))
    stack = int(rng.choice([1, 5, 30, 300]))
    betting = no_limit_tree(2 * int(rng.integers(1, 30)), stack, street, sizing)
    while True:
        board = rng.choice(NUM_CARDS, street + 2, replace=False).tolist()
        counts = [int(rng.choice([1, rng.integers(2, largest), largest])) for _ in range(2)]
        ranges = random_range(rng, counts[0]), random_range(rng, counts[1])
        live = [_live(weights, board) for weights in ranges]
        if ((live[0][:, None] & live[1]) == 0).any():
            return CardGame(betting, card_tree(board, ranges, symmetry=bool(rng.integers(2))))


def random_range(rng: np.random.Generator, count: int) -> np.ndarray:
    """Weights [1326] of so many random hands, some of them one."""
    weights = np.zeros(NUM_HANDS)
    weights[rng.choice(NUM_HANDS, count, replace=False)] = rng.choice([1.0, rng.random()], count)
    return weights


def _menus(rng: np.random.Generator) -> tuple[list[str], list[str], str | None]:
    def pick(menus: Sequence[str]) -> str:
        return str(rng.choice(menus))

    donk = None if rng.integers(2) else pick(BETS)
    return [pick(BETS[:4]), pick(BETS)], [pick(RAISES), pick(RAISES)], donk


def _live(weights: np.ndarray, board: Sequence[int]) -> np.ndarray:
    """Masks of the hands that a board leaves."""
    masks = hand_masks()[weights > 0]
    return masks[(masks & np.uint64(sum(1 << card for card in board))) == 0]

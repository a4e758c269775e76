"""Rivers drawn of a turn: every card exactly as likely, ranks and suits spread."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from endspiel.blueprint.cfr_br_boards import SomeTurns
from endspiel.blueprint.sampled_boards import FlopDealer
from endspiel.cards.text import parse_cards
from endspiel.errors import GameError

TURNS = {
    "one suit": "2c 7c Tc Kc",
    "three of a suit": "2c 7c Tc Kd",
    "two of a suit": "2c 3c 4d 5h",
    "two suits twice": "2c 3c 4d 8d",
    "four suits": "2c 3d 4h 5s",
    "a pair": "Ac Ad 9h 5c",
}


@dataclass(frozen=True)
class OneTurn:
    """Deals one board again and again, and draws nothing for it."""

    cards: tuple[int, ...]

    def deal(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """So many times the same: [count, 4]."""
        return np.tile(np.array(self.cards, np.uint8), (count, 1))


class EveryStart:
    """In the place of a random generator: every number in turn, and one order of the suits."""

    def __init__(self, suits: Sequence[int]) -> None:
        self.suits, self.drawn = suits, -1

    def permutation(self, count: int) -> np.ndarray:
        assert count == len(self.suits)
        return np.array(self.suits)

    def integers(self, count: int) -> int:
        self.drawn += 1
        return self.drawn % count


def every_draw(board: tuple[int, ...], count: int, suits: Sequence[int]) -> np.ndarray:
    """All draws of so many rivers that one order of the suits makes: [48, count]."""
    turns = SomeTurns(OneTurn(board), count).deal(EveryStart(suits), 48)
    return np.array([turn.rivers for turn in turns])


@pytest.mark.parametrize("board", TURNS.values(), ids=TURNS)
@pytest.mark.parametrize("count", [1, 4, 10, 12, 48])
def test_every_river_is_exactly_as_likely(board: str, count: int) -> None:
    """Of all 48 draws as many have any card as cards are drawn."""
    cards = tuple(parse_cards(board))
    for suits in ((0, 1, 2, 3), (2, 0, 3, 1)):
        drawn = every_draw(cards, count, suits)
        assert all(len(set(each)) == count for each in drawn.tolist())
        found = np.bincount(drawn.ravel(), minlength=52)
        assert not found[list(cards)].any()
        assert set(np.delete(found, cards).tolist()) == {count}


@pytest.mark.parametrize("count", [4, 6, 12, 16])
def test_draws_of_rivers_have_all_ranks_and_suits(count: int) -> None:
    """They vary much less than in cards drawn one by one."""
    for part, kinds, most in ((lambda card: card % 4, 4, 0.5), (lambda card: card // 4, 13, 0.9)):
        varied = alone = 0.0
        for board in TURNS.values():
            cards = tuple(parse_cards(board))
            size = np.bincount(part(np.delete(np.arange(52), cards)), minlength=kinds)
            drawn = every_draw(cards, count, (1, 3, 0, 2))
            seen = np.array([np.bincount(part(each), minlength=kinds) for each in drawn])
            varied += float(seen.var(axis=0).sum())
            alone += float((count * size / 48 * (1 - size / 48) * (48 - count) / 47).sum())
        assert varied < most * alone * (0.5 if count >= 12 else 1.0)


def test_rivers_that_a_seed_draws() -> None:
    """By suit as often as there are cards, whatever the board has; the same again by the seed."""
    for board in ("two of a suit", "four suits"):
        cards = tuple(parse_cards(TURNS[board]))
        size = np.bincount(np.delete(np.arange(52), cards) % 4)
        for count, deals, error in ((1, 800, 0.2), (4, 800, 0.05), (12, 800, 0.01)):
            dealer = SomeTurns(OneTurn(cards), count)
            turns = dealer.deal(np.random.default_rng(3), deals)
            found = np.bincount(np.array([turn.rivers for turn in turns]).ravel() % 4)
            assert found / (deals * count / 48 * size) == pytest.approx(1, abs=error)
            assert dealer.deal(np.random.default_rng(3), 20) == turns[:20]
            assert len({turn.rivers for turn in turns}) > 47
    with pytest.raises(GameError, match="49 rivers of a turn; there are 1 to 48"):
        SomeTurns(FlopDealer(np.array([[0, 4, 9]], np.uint8)), 49)

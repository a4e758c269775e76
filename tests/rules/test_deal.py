"""Deals from a seed: the published stream of MT19937 and the dealer's own hands."""

from collections import Counter
from itertools import islice

import pytest

from endspiel.errors import RulesError
from endspiel.rules.builtin import load_rules
from endspiel.rules.deal import MAX_SEED, Deal, deals
from endspiel.rules.game_def import GameDef
from tests.rules.hands import GAMES


def draw_by_hand(game: GameDef, words: list[int]) -> list[int]:
    """The dealer's draw on the first words of a stream."""
    deck = list(game.deck)
    drawn = []
    for word in words:
        at = word % len(deck)
        drawn.append(deck[at])
        deck[at] = deck[-1]
        deck.pop()
    return drawn


def test_the_generator_is_the_reference_one() -> None:
    # First outputs after init_genrand(5489), the reference implementation's default seed.
    words = [3499211612, 581869302, 3890346734, 3586334585, 545404204]
    words += [4161255391, 3922919429, 949333985, 2715962298]
    game = load_rules("nolimit-holdem")
    deal = next(deals(game, 5489))
    assert [card for hole in deal.holes for card in hole] + list(deal.board) == draw_by_hand(
        game, words
    )


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_deals_have_the_games_shape(game: GameDef) -> None:
    for deal in islice(deals(game, 1), 50):
        assert [len(hole) for hole in deal.holes] == [game.num_hole_cards] * game.num_players
        assert len(deal.board) == game.board_sizes[-1]
        cards = [*(card for hole in deal.holes for card in hole), *deal.board]
        assert len(set(cards)) == len(cards)
        assert set(cards) <= set(game.deck)


def test_a_seed_deals_the_same_hands_again() -> None:
    game = load_rules("kuhn")
    first: list[Deal] = list(islice(deals(game, MAX_SEED), 3000))
    assert first == list(islice(deals(game, MAX_SEED), 3000))
    assert len(Counter(first)) == 6


@pytest.mark.parametrize("seed", [-1, MAX_SEED + 1])
def test_a_seed_is_a_32_bit_number(seed: int) -> None:
    with pytest.raises(RulesError, match="seed"):
        next(deals(load_rules("kuhn"), seed))

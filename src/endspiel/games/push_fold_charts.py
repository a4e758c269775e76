"""Push or fold in the format of whole trees' charts: for the page, and for programs."""

from typing import Any, Final

import numpy as np

from endspiel.cards.class_equity import class_matchups
from endspiel.cards.classes import NUM_CLASSES
from endspiel.game import Profile
from endspiel.games.preflop_charts import ChartPlace, ChartValues, chart_record
from endspiel.games.preflop_tree import BIG_BLIND, BUTTON
from endspiel.games.push_or_fold import PushFoldStakes, push_fold_game
from endspiel.kernels.arrays import Floats

CHIPS: Final = 100  # of a big blind, as lines count them


def push_fold_charts(stakes: PushFoldStakes, profile: Profile) -> list[dict[str, Any]]:
    """Both decisions of a profile, in big blinds."""
    game, chance = push_fold_game(stakes), class_matchups().chance
    plans = [profile.plan(game, player) for player in (0, 1)]
    everything = np.ones(NUM_CLASSES)

    def values(player: int, met: Floats) -> ChartValues:
        shares = profile.behavior[player][1:].reshape(2, NUM_CLASSES)  # folding first
        worth = game.gradient(player, plans[1 - player])[1:].reshape(2, NUM_CLASSES)
        return ChartValues(shares, worth, everything, met)

    pushed = plans[0][1 + NUM_CLASSES :]
    level = stakes.stack - stakes.ante  # what a push brings a player's chips to
    big, small = min(stakes.big_blind, level), stakes.small_blind
    word = f"r{round(CHIPS * level / stakes.big_blind)}"
    first = _place(stakes, "", BUTTON, (small, big), ("f", word))
    second = _place(stakes, word, BIG_BLIND, (big, level), ("f", "c"))
    return [
        chart_record(first, values(0, chance @ everything), stakes.big_blind),
        chart_record(second, values(1, chance.T @ pushed), stakes.big_blind),
    ]


def _place(
    stakes: PushFoldStakes,
    line: str,
    player: int,
    spent: tuple[float, float],  # by who decides, and by the other, besides antes
    words: tuple[str, str],
) -> ChartPlace:
    own, other = spent
    unit = stakes.big_blind
    return ChartPlace(
        line,
        player,
        pot=(own + other + 2 * stakes.ante) / unit,
        to_call=(other - own) / unit,
        put_in=(own + stakes.ante) / unit,
        words=words,
        unit=CHIPS,
    )

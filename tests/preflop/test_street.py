"""The betting before the flop as a backend: it is the game, and pots are shared as was won."""

import numpy as np
import pytest

import endspiel as es
from endspiel.betting.rake import Rake
from endspiel.cards.class_equity import class_matchups
from endspiel.cards.classes import NUM_CLASSES
from endspiel.engine.backend import exploitability
from endspiel.engine.driver import Driver
from endspiel.engine.schemes import SCHEMES
from endspiel.games.preflop_charts import PreflopCharts
from endspiel.games.preflop_tree import PreflopGame, PreflopSetting
from endspiel.preflop.flop_lines import LineShares
from endspiel.preflop.playing import shared
from endspiel.preflop.street import PreflopStreet

SMALL = PreflopSetting(stack=1200, ante=10, opens="2.5x", reraises="a", max_raises=2)


@pytest.mark.parametrize("rake", [Rake(0.0), Rake(0.05, 300)])
def test_the_street_is_the_game(rake: Rake) -> None:
    preflop = PreflopGame(SMALL, rake=rake)
    street = PreflopStreet(preflop)
    driver = Driver(street, SCHEMES["dcfr"])
    driver.advance(20)
    game, profile = preflop.game(), street.profile()
    assert exploitability(street) == pytest.approx(es.exploitability(game, profile).mean, rel=1e-9)
    charts = PreflopCharts(preflop, game, profile)
    assert driver.value() == pytest.approx(charts.value(0), rel=1e-9)
    node = charts.node("r250 c")
    one, two = street.coming(node)
    assert charts.frequency(node) == pytest.approx(one @ class_matchups().chance @ two)


def test_other_shares_of_a_pot_change_the_game() -> None:
    preflop = PreflopGame(SMALL)
    street = PreflopStreet(preflop)
    driver = Driver(street, SCHEMES["dcfr"])
    driver.advance(100)
    node = preflop.tree.find("c c")
    before = float(street.coming(node)[1].mean())
    street.value_flops({"c c": np.ones((NUM_CLASSES, NUM_CLASSES))})  # the big blind wins all
    driver.advance(300)
    assert before > 0.1
    assert float(street.coming(node)[1].mean()) < before / 3
    assert exploitability(street) == pytest.approx(
        es.exploitability(preflop.game(), street.profile()).mean, rel=1e-9
    )


def test_a_pot_is_shared_as_both_players_classes_won() -> None:
    rng, matchups = np.random.default_rng(3), class_matchups()
    ranges = rng.random(NUM_CLASSES) ** 4, rng.random(NUM_CLASSES) ** 4
    truth = matchups.equity + 0.2 * rng.standard_normal(matchups.equity.shape)
    met = ranges[0][:, None] * matchups.chance * ranges[1][None, :]
    won = np.stack(
        [
            (met * truth).sum(axis=1) / met.sum(axis=1),
            (met * (1 - truth)).sum(axis=0) / met.sum(axis=0),
        ]
    )
    share = shared(LineShares(won, 0.0), ranges)
    np.testing.assert_allclose((met * share).sum(axis=1) / met.sum(axis=1), won[0], atol=1e-6)
    np.testing.assert_allclose((met * (1 - share)).sum(axis=0) / met.sum(axis=0), won[1], atol=1e-6)

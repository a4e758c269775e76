"""A match in one call is the match that a whole plan describes."""

import numpy as np
import pytest

import endspiel as es


@pytest.mark.parametrize(
    ("given", "planned"),
    [
        ({}, {}),
        ({"seed": 7}, {"seed": 7}),
        ({"duplicate": False}, {"duplicate": False}),
        ({"aivat": True}, {"aivat": True}),
    ],
)
def test_options_reach_the_plan(given: dict[str, int], planned: dict[str, int]) -> None:
    agents, rules = ("pot-odds", "random"), es.load_rules("nolimit-holdem")
    if "aivat" in given:  # which asks agents how they play
        agents = ("always-call", "random")
    ours = es.play_match(*agents, 20, workers=1, **given)
    plain = es.run_match(es.MatchPlan(rules, agents, 20, **planned), workers=1)
    assert ours.plan == plain.plan
    assert np.array_equal(ours.chips, plain.chips)
    assert ours.main == plain.main


def test_rules_are_named_or_given() -> None:
    named = es.play_match("random", "always-call", 20, rules="leduc", workers=1)
    given = es.play_match("random", "always-call", 20, rules=es.load_rules("leduc"), workers=1)
    assert named.plan == given.plan
    assert np.array_equal(named.chips, given.chips)
    assert named.plan.game.name == "leduc.limit.2p"


def test_another_seed_is_another_match() -> None:
    one, two = (es.play_match("random", "random", 40, seed=seed, workers=1) for seed in (1, 2))
    assert not np.array_equal(one.chips, two.chips)

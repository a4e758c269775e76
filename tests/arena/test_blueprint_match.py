"""Matches of blueprint agents: resumed to the byte, AIVAT without bias, endgames valued."""

from pathlib import Path

import numpy as np
import pytest

from endspiel.arena.estimators.estimates import estimate
from endspiel.arena.match import run_match
from endspiel.arena.plan import MatchPlan
from endspiel.reproduce.arena_endgames import Endgames
from endspiel.reproduce.arena_play import Matches, Player
from endspiel.rules.builtin import load_rules
from endspiel.rules.replay import replay_log
from tests.blueprint_fixture import small_blueprint

HOLDEM = load_rules("nolimit-holdem")


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"blueprint:{small_blueprint(tmp_path_factory.getbasetemp()).path}"


@pytest.mark.parametrize("other", ["post=purify", "random"])
def test_a_killed_match_is_finished_as_if_never_killed(
    spec: str, other: str, tmp_path: Path
) -> None:
    """Against itself purified, and against bets that its tree does not have."""
    rival = other if other == "random" else f"{spec},{other}"
    plan = MatchPlan(HOLDEM, (spec, rival), 300, 2)
    path = tmp_path / "match.log"
    whole = run_match(plan, path, workers=1)
    text = path.read_bytes()
    for cut in range(len(text) // 7, len(text), len(text) // 7):
        path.write_bytes(text[:cut])
        again = run_match(plan, path, resume=True, workers=1)
        assert path.read_bytes() == text
        assert np.array_equal(again.chips, whole.chips)
    replay = replay_log(path)
    assert (replay.hands, replay.mismatches) == (300, [])


@pytest.mark.parametrize("other", ["always-raise", "random"])
def test_aivat_has_the_mean_of_the_play_whatever_was_bet(spec: str, other: str) -> None:
    """Reverse mappings throw dice too: AIVAT is asked with those of the hand."""
    result = run_match(MatchPlan(HOLDEM, (spec, other), 500, 3, aivat=True), workers=1)
    assert result.aivat is not None
    noise = estimate("noise", (result.aivat - result.chips).ravel())
    assert noise.error is not None
    assert abs(noise.mean) < 4 * noise.error
    assert np.var(result.aivat) < 0.7 * np.var(result.chips)


def test_a_random_strategy_is_exploited(spec: str) -> None:
    result = run_match(MatchPlan(HOLDEM, (f"lbr+{spec}", spec), 200, 4, aivat=True), workers=1)
    found = result.estimates()[-1]
    assert found.name == "duplicate AIVAT"
    assert found.interval is not None
    assert found.interval[0] > 0


def test_endgames_of_a_match_are_valued(spec: str, tmp_path: Path) -> None:
    """Two versions that are one gain nothing, exactly, in every endgame."""
    matches = Matches(tmp_path, workers=1, say=lambda text: None)
    off, other = Player("off", f"{spec},post=purify"), Player("other", "always-call")
    matches.play(off, other, 200)
    _, gains = Endgames(matches, off, other, 200, 4).difference(Player("same", off.spec))
    assert gains.tolist() == [0.0] * 4

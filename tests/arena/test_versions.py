"""Versions of an agent compared by matches: against enumerated truth, and what each needs."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from endspiel.arena.estimators.estimates import Estimate, milli_blinds
from endspiel.arena.estimators.paired import Run, both_endgames
from endspiel.arena.plan import MatchPlan
from endspiel.arena.play import position_of
from endspiel.arena.trunks import DECISIONS, FREQUENCIES
from endspiel.arena.versions import Comparison, compare
from endspiel.errors import EndspielError
from endspiel.rules.builtin import load_rules
from tests.arena.endgame_versions import BASE, OPPONENT, OTHER, endgames
from tests.arena.leduc import RULES
from tests.cli.commands import runner

AGENTS = "tests.arena.endgame_versions"
HANDS = 6000


class Truth(NamedTuple):
    """Exact differences in mbb."""

    per_hand: float
    per_endgame: float


def truth() -> Truth:
    """Every deal, both positions, every way into an endgame."""
    deals = [((a,), (b,)) for a in RULES.deck for b in RULES.deck if a != b]
    reach = worth = 0.0
    for holes in deals:
        for sign, seat in ((1, lambda a: (a, OPPONENT)), (-1, lambda a: (OPPONENT, a))):
            base, other = (endgames(seat(agent), holes) for agent in (BASE, OTHER))
            reach += sum(way.chance for way in base.values()) / 2 / len(deals)
            gains = [base[line].chance * (other[line].value - base[line].value) for line in base]
            worth += sign * sum(gains) / 2 / len(deals)
    scale = 1000 / RULES.big_blind
    return Truth(scale * worth, scale * worth / reach)


TRUTH = truth()


def versions(new: str, base_seed: int, hands: int = HANDS) -> Comparison:
    plan = MatchPlan(RULES, (f"{AGENTS}:{new}", f"{AGENTS}:opponent"), hands, 1)
    return compare(plan, (f"{AGENTS}:base", base_seed), workers=1)


@pytest.fixture(scope="module")
def same_dice() -> Comparison:
    return versions("other", 1)


@pytest.fixture(scope="module")
def other_deals() -> Comparison:
    return versions("other", 2)


@pytest.fixture(scope="module")
def other_dice() -> Comparison:
    return versions("shifted", 1)


def off(found: Estimate, value: float) -> float:
    """Distance from a value in standard errors."""
    assert found.error
    return abs(found.mean - value) / found.error


def test_with_the_same_dice_versions_come_to_the_same_endgames(same_dice: Comparison) -> None:
    assert same_dice.same_endgames
    counts = same_dice.counts()
    assert counts["either"] == counts["both"] == counts["same"] > HANDS / 10
    both = same_dice.estimate("both")
    assert both.units == counts["both"]
    assert off(both, TRUTH.per_endgame) < 4
    assert same_dice.estimate("same").mean == both.mean
    either = same_dice.estimate("either")
    assert off(either, TRUTH.per_hand) < 4
    assert either.units == HANDS // 2  # deals
    assert either.mean == pytest.approx(both.mean * counts["both"] / HANDS)
    # Hands without an endgame are alike.
    assert same_dice.all_hands().mean == pytest.approx(either.mean)
    assert [same_dice.bias(name) for name in ("either", "both", "same")] == [None] * 3
    assert (same_dice.trunks.by, same_dice.trunks.different) == (DECISIONS, 0)
    assert same_dice.trunks.compared > HANDS


def test_with_other_deals_both_and_either_have_no_bias(other_deals: Comparison) -> None:
    counts = other_deals.counts()
    assert counts["either"] > counts["both"] > counts["same"]
    assert off(other_deals.estimate("both"), TRUTH.per_endgame) < 4
    assert off(other_deals.estimate("either"), TRUTH.per_hand) < 4
    assert off(other_deals.all_hands(), TRUTH.per_hand) < 4
    assert off(other_deals.estimate("same"), TRUTH.per_endgame) > 3  # Proposition 3
    assert other_deals.bias("either") is other_deals.bias("both") is None
    assert other_deals.bias("same") == "the versions come to different endgames"
    assert (other_deals.trunks.by, other_deals.trunks.different) == (FREQUENCIES, 0)


def test_one_seed_cannot_show_that_only_the_dice_differ(other_dice: Comparison) -> None:
    """Either is right here, but like situations end in other decisions."""
    assert off(other_dice.estimate("either"), TRUTH.per_hand) < 4
    assert "decide differently before the last round" in str(other_dice.bias("either"))
    apart = versions("shifted", 2)
    assert apart.bias("either") is apart.bias("both") is None


@pytest.mark.parametrize("base_seed", [1, 2])
def test_versions_that_differ_before_the_endgame_are_found_out(base_seed: int) -> None:
    """The truth is chips of the first round, which no estimator by endgames counts."""
    plan = MatchPlan(load_rules("nolimit-holdem"), ("always-fold", "always-call"), 400, 1)
    found = compare(plan, ("always-call", base_seed), workers=1)
    either = found.estimate("either")
    assert either.half_width is not None
    assert abs(either.mean - found.all_hands().mean) > 2 * either.half_width
    reasons = [found.bias(name) for name in ("either", "both", "same")]
    how = ("decide differently", "differs in frequency")[base_seed - 1]
    assert all(reason and how in reason for reason in reasons)


@pytest.mark.parametrize("base_seed", [1, 2])
def test_a_trunk_that_differs_in_one_card_is_found_out(base_seed: int) -> None:
    found = versions("loose", base_seed, 2000)
    assert found.trunks.different
    assert found.bias("either") == found.trunks.reason


def test_the_same_dice_take_away_noise(same_dice: Comparison, other_deals: Comparison) -> None:
    for name in ("either", "both"):
        one, two = same_dice.estimate(name).error, other_deals.estimate(name).error
        assert one is not None
        assert two is not None
        assert one < 0.8 * two


def test_positions_are_weighed_by_how_often_they_come_to_endgames() -> None:
    """Independent runs in which position 1 comes there less often and gains less; exact mean."""
    rng = np.random.default_rng(5)
    often, gain = np.array([[0.8], [0.4]]), np.array([[8.0], [-8.0]])
    found = []
    for _ in range(800):
        luck = rng.normal(size=(1, 150))  # of the deal, against the player in the other position
        runs = []
        for more in (0.0, 1.0):
            values = np.concatenate([luck, -luck]) * more + more * gain
            values += rng.normal(size=(2, 150))
            runs.append(Run(values, rng.random((2, 150)) < often))
        found.append(both_endgames(*runs))
    means = np.array([estimate.mean for estimate in found])
    right = float((often * gain).sum() / often.sum())
    assert abs(means.mean() - right) < 4 * means.std() / len(means) ** 0.5
    told = np.mean([estimate.error**2 for estimate in found if estimate.error])
    assert told == pytest.approx(means.var(), rel=0.2)


def test_hands_are_told_apart_by_position(same_dice: Comparison) -> None:
    base, new = same_dice.runs
    for result, run in ((same_dice.base, base), (same_dice.new, new)):
        values = milli_blinds(RULES, result.chips)
        for section in (0, 1):
            for hand in range(50):
                place = position_of(0, section, hand), hand
                assert run.values[place] == values[section, hand]
    assert (base.lines[1][0] == "") != base.reached[1, 0]


def test_a_comparison_is_kept_and_gone_on_with(tmp_path: Path) -> None:
    plan = MatchPlan(RULES, (f"{AGENTS}:other", f"{AGENTS}:opponent"), 200, 1)
    log = tmp_path / "new.log"
    whole = compare(plan, (f"{AGENTS}:base", 1), log, workers=1)
    kept = tmp_path / "new.log.base"
    kept.write_bytes(kept.read_bytes()[: kept.stat().st_size // 2])
    again = compare(plan, (f"{AGENTS}:base", 1), log, resume=True, workers=1)
    assert again.new.resumed == 200
    assert 0 < again.base.resumed < 200
    assert again.estimate("both") == whole.estimate("both")


def test_the_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    match = runner("match", monkeypatch, capsys)
    agents = f"{AGENTS}:other", f"{AGENTS}:opponent", "--base", f"{AGENTS}:base"
    few = "--game", "leduc", "--hands", 1000, "--workers", 1, "--seed", 1
    expected = versions("other", 1, 1000).estimate("both")
    found = match(*agents, *few, "--estimator", "both", "--json", "-").json
    assert found["difference"]["mbb"] == expected.mean
    assert found["difference"]["per"] == "endgame"
    assert found["difference"]["interval"] == list(expected.interval or ())
    assert (found["unbiased"], found["bias"], found["same_endgames"]) == (True, None, True)
    assert found["trunks"]["by"] == "decisions"
    assert found["trunks"]["compared"] > found["trunks"]["different"] == 0
    assert found["mbb_per_hand"] != found["base_result"]["mbb_per_hand"]
    said = match(*agents, *few, "--estimator", "same", "--base-seed", 3).out
    assert "the estimate by same is biased: the versions come to different endgames" in said
    assert "betting before the last round: 0 of " in said
    assert f"more than {AGENTS}:base (same, " in said.splitlines()[-1]
    trunks = f"{AGENTS}:loose", *agents[1:]
    found = match(*trunks, *few, "--json", "-").json
    assert not found["unbiased"]
    assert "decide differently before the last round" in found["bias"]
    said = match(*trunks, *few).out
    assert f"the estimate by either is biased: {found['bias']}; the difference over all" in said
    folding = "always-fold", "always-call", "--base", "always-call", "--hands", 400
    found = match(*folding, "--seed", 1, "--workers", 1, "--estimator", "either", "--json", "-")
    assert (found.json["unbiased"], found.json["trunks"]["different"] > 0) == (False, True)
    for options, why in (
        (("--estimator", "all"), "no estimator 'all'"),
        (("--aivat",), "without pictures"),
        (("--no-duplicate",), "duplicate matches"),
    ):
        refused = match(*agents, *few, *options)
        assert refused.status == 2
        assert why in refused.err
    assert "needs a base" in match("random", "random", "--base-seed", 3).err


def test_games_without_endgames_are_refused() -> None:
    plan = MatchPlan(load_rules("kuhn"), ("random", "random"), 10)
    with pytest.raises(EndspielError, match="one round"):
        compare(plan, ("random", 0))

"""AIVAT in matches: the right mean, less noise, the same on any number of cores and resumed."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import endspiel.executor.executor as executor_module
from endspiel.agent.base import Agent, Choice
from endspiel.arena.estimators.estimates import estimate
from endspiel.arena.match import MatchResult, run_match
from endspiel.arena.plan import MatchPlan
from endspiel.cards.deck import hand_index
from endspiel.cards.equity import preflop_table
from endspiel.errors import EndspielError
from endspiel.rules.builtin import load_rules
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import CALL, FOLD, State
from tests.arena.leduc import RULES, agent_of, match_value, random_profile
from tests.blueprint_fixture import small_blueprint
from tests.cli.commands import runner

HOLDEM = load_rules("nolimit-holdem")
Cards = tuple[int, ...]
ONE, TWO = f"{__name__}:one", f"{__name__}:two"


def one(game: GameDef, options: str) -> Agent:
    return agent_of(random_profile(1))


def two(game: GameDef, options: str) -> Agent:
    return agent_of(random_profile(2))


class Silent(Agent):
    """Plays like another agent and does not tell how."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent

    def begin(self, seed: int) -> None:
        self.agent.begin(seed)

    def act(self, state: State, hole: Cards, board: Cards) -> int:
        return self.agent.act(state, hole, board)


def silent(game: GameDef, options: str) -> Agent:
    return Silent(one(game, options))


class Jam(Agent):
    """Before the flop all-in with the better half of hands, out with the worse, half the time."""

    ahead = 2 * np.nanmean(preflop_table(), axis=1) - 1  # [1326]

    def jams(self, hole: Cards) -> float:
        return 0.75 if self.ahead[hand_index(*hole)] > 0 else 0.25

    def act(self, state: State, hole: Cards, board: Cards) -> int:
        passive = FOLD if state.can_fold() else CALL
        if state.round or state.raise_bounds() is None:
            return passive
        return HOLDEM.stacks[0] if self.draws.uniform() < self.jams(hole) else passive

    def policy(self, state: State, holes: Sequence[Cards], board: Cards) -> Choice:
        passive = FOLD if state.can_fold() else CALL
        if state.round or state.raise_bounds() is None:
            return Choice((passive,), np.ones((len(holes), 1)))
        jams = np.array([self.jams(hole) for hole in holes])
        return Choice((HOLDEM.stacks[0], passive), np.stack([jams, 1 - jams], axis=1))


def jam(game: GameDef, options: str) -> Agent:
    return Jam()


def check(result: MatchResult, truth: float, least_gain: float) -> None:
    """AIVAT's mean lies within four standard errors of the truth, with less noise than plain."""
    assert result.aivat is not None
    found = estimate("AIVAT", result.aivat.ravel())
    plain = estimate("plain", result.chips.ravel())
    assert found.error is not None
    assert abs(found.mean - truth) < 4 * found.error
    gain = found.gain(plain)
    assert gain is not None
    assert gain > least_gain


@pytest.mark.parametrize("pair", [(ONE, TWO), (f"{__name__}:silent", TWO)], ids=["both", "B"])
def test_the_mean_is_right_in_leduc(pair: tuple[str, str]) -> None:
    truth = match_value(one(RULES, ""), two(RULES, ""))
    check(run_match(MatchPlan(RULES, pair, 1200, 4, aivat=True), workers=1), truth, 1.5)


def test_the_mean_is_right_in_holdem() -> None:
    """All-in or out against a caller, whose value the table of equities gives."""
    ahead = Jam.ahead
    chance = np.where(ahead > 0, 0.75, 0.25)
    small = np.mean(chance * 20000 * ahead - (1 - chance) * 50)
    big = np.mean(chance * 20000 * ahead)  # the caller limps; a check is called down
    big += np.mean((1 - chance) * 100 * ahead)
    plan = MatchPlan(HOLDEM, (f"{__name__}:jam", "always-call"), 600, 6, aivat=True)
    result = run_match(plan, workers=1)
    check(result, (small + big) / 2, 5.0)
    names = [found.name for found in result.estimates()]
    assert names == [
        "plain",
        "all-in",
        "AIVAT",
        "duplicate",
        "duplicate all-in",
        "duplicate AIVAT",
    ]
    assert result.main == result.estimates()[-1]
    assert result.units().mean() == pytest.approx(result.main.mean)


def test_resumed_and_on_many_cores_it_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = MatchPlan(RULES, (ONE, TWO), 400, 2, aivat=True)
    path = tmp_path / "match.log"
    whole = run_match(plan, path, workers=1)
    assert whole.aivat is not None
    monkeypatch.setattr(executor_module, "PATIENCE", 0.0)
    text = path.read_bytes()
    for cut, workers in ((len(text) // 3, 1), (len(text) * 3 // 4, 2), (len(text), 1)):
        path.write_bytes(text[:cut])
        again = run_match(plan, path, resume=True, workers=workers)
        assert again.resumed > 0
        assert again.aivat is not None
        assert path.read_bytes() == text
        assert np.allclose(again.aivat, whole.aivat, rtol=0, atol=1e-9)


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"blueprint:{small_blueprint(tmp_path_factory.getbasetemp()).path}"


def test_a_blueprints_values_take_away_more_noise(spec: str) -> None:
    pair = f"{spec},post=purify", spec
    open_hands, blueprint = (
        run_match(MatchPlan(HOLDEM, pair, 200, 3, True, True, values), workers=1)
        for values in ("open-hands", None)
    )
    assert (open_hands.values, blueprint.values) == ("open-hands", "blueprint")
    assert np.array_equal(open_hands.chips, blueprint.chips)
    assert open_hands.aivat is not None
    assert blueprint.aivat is not None
    assert blueprint.aivat.var() < 0.5 * open_hands.aivat.var()
    noise = estimate("noise", (blueprint.aivat - blueprint.chips).ravel())
    assert noise.error is not None
    assert abs(noise.mean) < 4 * noise.error


def test_with_a_blueprints_values_it_is_the_same_on_many_cores_and_resumed(
    spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = MatchPlan(HOLDEM, (spec, "always-raise"), 210, 2, True, True, "blueprint")
    path = tmp_path / "match.log"
    whole = run_match(plan, workers=1)
    assert whole.aivat is not None
    monkeypatch.setattr(executor_module, "PATIENCE", 0.0)
    many = run_match(plan, path, workers=2)
    assert many.aivat is not None
    assert np.array_equal(many.aivat, whole.aivat)
    text = path.read_bytes()
    path.write_bytes(text[: len(text) // 2])
    again = run_match(plan, path, resume=True, workers=1)
    assert again.resumed > 0
    assert again.aivat is not None
    assert np.array_equal(again.aivat, whole.aivat)


def test_values_fit_the_agents(spec: str) -> None:
    plan = MatchPlan(HOLDEM, (spec, "always-call"), 2, aivat=True)
    assert run_match(plan, workers=1).values == "open-hands"
    with pytest.raises(EndspielError, match="always-call nor always-call plays a blueprint"):
        run_match(MatchPlan(HOLDEM, ("always-call",) * 2, 2, 0, True, True, "blueprint"))
    with pytest.raises(EndspielError, match="no values 'guess': there are blueprint, open-hands"):
        MatchPlan(HOLDEM, (spec, spec), 2, 0, True, True, "guess")


def test_values_are_chosen_on_the_command_line(
    spec: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    match = runner("match", monkeypatch, capsys)
    few = "--hands", 2, "--seed", 0, "--workers", 1, "--json", "-"
    chosen = match(spec, spec, *few, "--aivat", "--aivat-values", "open-hands")
    assert chosen.json["aivat_values"] == "open-hands"
    assert chosen.json["estimator"] == "duplicate AIVAT"
    best = chosen.json["estimates"]["duplicate AIVAT"]
    assert chosen.json["mbb_per_hand"] == best["mbb_per_hand"]
    assert chosen.json["mbb_per_hand"] != chosen.json["estimates"]["duplicate"]["mbb_per_hand"]
    assert match(spec, spec, *few).json["aivat_values"] is None
    for options, said in (
        (("--aivat-values", "blueprint"), "ask for it with --aivat"),
        (("--aivat", "--aivat-values", "guess"), "no values 'guess'"),
    ):
        refused = match(spec, spec, *few, *options)
        assert refused.status == 2
        assert said in refused.err


def test_a_match_without_it_has_none() -> None:
    result = run_match(MatchPlan(RULES, (ONE, TWO), 20, 2))
    assert result.main.name == "duplicate"
    assert result.aivat is None
    assert result.values is None
    assert len(result.estimates()) == 4


def test_agents_that_do_not_tell_are_refused_before_any_hand() -> None:
    with pytest.raises(EndspielError, match="neither random nor random can tell"):
        run_match(MatchPlan(HOLDEM, ("random", "random"), 10, aivat=True))

"""Matches: the dealer's deals, chips conserved, one result on any number of cores, resumed logs."""

import os
import signal
import sys
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import endspiel.executor.executor as executor_module
from endspiel.agent import make_agent
from endspiel.agent.base import Agent
from endspiel.arena.deals import DealSource, deal_block, hand_seeds
from endspiel.arena.match import run_match
from endspiel.arena.plan import MatchPlan
from endspiel.arena.play import HandBlock, MatchTable
from endspiel.arena.tournament import Tournament, TournamentPlan, run_tournament
from endspiel.errors import AgentError, EndspielError, FileError
from endspiel.rules.builtin import load_rules
from endspiel.rules.deal import deals
from endspiel.rules.game_def import GameDef
from endspiel.rules.replay import replay_log
from endspiel.rules.state import State
from tests.children import ended, started, wait_until

HOLDEM = load_rules("nolimit-holdem")
LEDUC = load_rules("leduc")


@pytest.mark.parametrize("name", ["nolimit-holdem", "leduc", "kuhn", "rhode-island"])
@pytest.mark.parametrize("first", [0, 1, 137])
def test_blocks_of_deals_are_the_dealers(name: str, first: int) -> None:
    game = load_rules(name)
    source = DealSource(game, 42, first)
    found = deal_block(game, source.words(20)) + deal_block(game, source.words(13))
    assert found == list(islice(deals(game, 42), first, first + 33))


def test_seeds_differ_and_do_not_depend_on_blocks() -> None:
    whole = hand_seeds(7, 0, 0, 1000)
    assert whole[300:310] == hand_seeds(7, 0, 300, 10)
    every = [
        seed
        for s in (7, 8)
        for section in (0, 1)
        for row in hand_seeds(s, section, 0, 1000)
        for seed in row
    ]
    assert len(set(every)) == len(every)


@pytest.mark.parametrize("name", ["nolimit-holdem", "limit-holdem", "leduc", "rhode-island"])
@pytest.mark.parametrize(
    "pair", [("random", "random"), ("always-raise", "random"), ("pot-odds", "random")]
)
def test_every_hand_is_paid_by_the_rules_and_conserves_chips(
    name: str, pair: tuple[str, str]
) -> None:
    game = load_rules(name)
    table = MatchTable(game, [make_agent(spec, game) for spec in pair])
    for hand in table.play(HandBlock(3, 0, 0, DealSource(game, 3).words(200))):
        assert hand.payoffs == hand.state.payoffs(hand.deal)
        assert sum(hand.payoffs) == 0
        assert hand.position == hand.number % 2


@pytest.mark.parametrize("hands", [2, 1000])
@pytest.mark.parametrize("duplicate", [True, False])
def test_always_fold_loses_750(hands: int, duplicate: bool) -> None:
    """Against anybody who always raises: half a blind, a whole one, and so on."""
    result = run_match(MatchPlan(HOLDEM, ("always-fold", "always-raise"), hands, 5, duplicate))
    assert result.main.mean == -750.0
    if duplicate and hands > 2:
        assert result.main.interval == (-750.0, -750.0)


def test_equal_agents_in_duplicate_are_exactly_even() -> None:
    result = run_match(MatchPlan(HOLDEM, ("pot-odds", "pot-odds"), 200, 1))
    assert result.main.mean == 0
    assert result.main.error == 0
    assert result.plan.labels == ("pot-odds-1", "pot-odds-2")


def test_any_number_of_workers_gives_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = MatchPlan(HOLDEM, ("random", "pot-odds"), 1000, 11)
    one = run_match(plan, tmp_path / "one.log", workers=1)
    monkeypatch.setattr(executor_module, "PATIENCE", 0.0)
    three = run_match(plan, tmp_path / "three.log", workers=3)
    assert np.array_equal(one.chips, three.chips)
    assert np.array_equal(one.expected, three.expected)
    assert (tmp_path / "one.log").read_bytes() == (tmp_path / "three.log").read_bytes()
    replay = replay_log(tmp_path / "one.log")
    assert (replay.hands, replay.scores, replay.mismatches) == (1000, 2, [])


def test_a_log_cut_anywhere_is_finished_as_if_never_cut(tmp_path: Path) -> None:
    plan = MatchPlan(LEDUC, ("random", "always-call"), 60, 2)
    path = tmp_path / "match.log"
    whole = run_match(plan, path)
    text = path.read_bytes()
    for cut in [*range(0, 300, 7), *range(300, len(text), 61), len(text) - 1, len(text)]:
        path.write_bytes(text[:cut])
        again = run_match(plan, path, resume=True)
        assert path.read_bytes() == text, cut
        assert np.array_equal(again.chips, whole.chips), cut
        assert np.array_equal(again.expected, whole.expected), cut
    assert again.resumed == 60


SCRIPT = """
import os
import signal
import sys
from pathlib import Path
import endspiel.executor.executor as executor
from endspiel.arena.match import run_match
from endspiel.arena.plan import MatchPlan
from endspiel.rules.builtin import load_rules
if __name__ == "__main__":
    executor.PATIENCE = 0.0
    plan = MatchPlan(load_rules("nolimit-holdem"), ("random", "pot-odds"), 8000, 9)
    log = Path(sys.argv[1])

    def die_once_it_has_grown(done):
        if log.stat().st_size > int(sys.argv[2]):
            os.kill(os.getpid(), signal.SIGKILL)

    run_match(plan, log, resume=True, workers=2, progress=die_once_it_has_grown)
"""


def group_is_gone(leader: int) -> bool:
    try:
        os.killpg(leader, 0)
    except ProcessLookupError:
        return True
    return False


def test_a_killed_match_resumes_to_the_same_result(tmp_path: Path) -> None:
    script = tmp_path / "play.py"
    script.write_text(SCRIPT)
    log = tmp_path / "killed.log"
    for grown in (1, 120_000):  # bytes of log before the kill
        process = started([sys.executable, script, log, grown], start_new_session=True)
        ended(process, -signal.SIGKILL)
        wait_until(partial(group_is_gone, process.pid))  # no worker outlives its match
    plan = MatchPlan(HOLDEM, ("random", "pot-odds"), 8000, 9)
    resumed = run_match(plan, log, resume=True, workers=1)
    fresh = run_match(plan, tmp_path / "fresh.log", workers=1)
    assert 0 < resumed.resumed < plan.hands
    assert np.array_equal(resumed.chips, fresh.chips)
    assert log.read_bytes() == (tmp_path / "fresh.log").read_bytes()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"seed": 3}, "line 1: this match has"),
        ({"hands": 62}, "line 1: this match has"),
        ({"agents": ("random", "random")}, "line 1: this match has"),
        ({"game": HOLDEM}, "line 1: this match has"),
    ],
)
def test_another_matchs_log_is_refused(
    changed: dict[str, object], message: str, tmp_path: Path
) -> None:
    about = {"game": LEDUC, "agents": ("random", "always-call"), "hands": 60, "seed": 2}
    path = tmp_path / "match.log"
    run_match(MatchPlan(**about), path)  # type: ignore[arg-type]
    with pytest.raises(FileError, match=message):
        run_match(MatchPlan(**(about | changed)), path, resume=True)  # type: ignore[arg-type]
    with pytest.raises(FileError, match="exists: resume it"):
        run_match(MatchPlan(**about), path)  # type: ignore[arg-type]


def test_a_tampered_log_is_refused(tmp_path: Path) -> None:
    plan = MatchPlan(LEDUC, ("random", "always-call"), 60, 2)
    path = tmp_path / "match.log"
    run_match(plan, path)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines[:5], *lines[6:]]))
    with pytest.raises(FileError, match="line 32: this match has a hand here"):
        run_match(plan, path, resume=True)


class Cheat(Agent):
    """Raises to less than the rules allow."""

    def act(self, state: State, hole: tuple[int, ...], board: tuple[int, ...]) -> int:
        return 7 if state.line else 0


def cheat(game: GameDef, options: str) -> Agent:
    return Cheat()


def test_an_agents_mistakes_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = MatchPlan(HOLDEM, (f"{__name__}:cheat", "always-call"), 1000)
    with pytest.raises(AgentError, match=r"cheat failed in hand 0 of .*: no raise to 7 after"):
        run_match(plan)
    monkeypatch.setattr(executor_module, "PATIENCE", 0.0)
    with pytest.raises(AgentError, match="no raise to 7 after"):
        run_match(plan, workers=2)


@pytest.mark.parametrize(
    ("change", "message"),
    [({"hands": 0}, "at least one hand"), ({"hands": 3}, "even"), ({"seed": -1}, "seed -1")],
)
def test_plans_that_make_no_match(change: dict[str, int], message: str) -> None:
    with pytest.raises(EndspielError, match=message):
        MatchPlan(HOLDEM, ("random", "random"), **({"hands": 10} | change))  # type: ignore[arg-type]
    with pytest.raises(EndspielError, match="for two players"):
        run_match(MatchPlan(load_rules("kuhn.limit.3p"), ("random", "random"), 2))


def test_bankroll_and_runoff_may_differ() -> None:
    """The run-off drops the fish that fed the bankroll's winner."""
    means = np.array([[0, -10, 100], [10, 0, 20], [-100, -20, 0]], np.float64)
    outcome = Tournament(("shark", "solid", "fish"), means, np.ones((3, 3)) - np.eye(3), 10)
    assert [entry.mean for entry in outcome.bankroll()] == [45, 15, -60]
    assert outcome.runoff() == ["solid", "shark", "fish"]
    assert outcome.bankroll()[0].error == pytest.approx(np.sqrt(2) / 2)


def test_tournaments_play_all_pairs_and_resume(tmp_path: Path) -> None:
    plan = TournamentPlan(LEDUC, ("always-call", "always-raise", "random"), 200, 4)
    first = run_tournament(plan, tmp_path / "logs")
    assert len(list((tmp_path / "logs").iterdir())) == 3
    again = run_tournament(plan, tmp_path / "logs", resume=True)
    assert np.array_equal(first.means, again.means)
    assert np.array_equal(first.means, -first.means.T)
    with pytest.raises(EndspielError, match="listed twice"):
        TournamentPlan(LEDUC, ("random", "random"), 10)


def test_a_log_may_have_the_name_that_texts_have_on_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A match reads its own log again, whatever it is called."""
    monkeypatch.chdir(tmp_path)
    plan = MatchPlan(HOLDEM, ("random", "pot-odds"), 20, 9)
    first = run_match(plan, Path("-"), workers=1)
    again = run_match(plan, Path("-"), resume=True, workers=1)
    assert (again.resumed, again.chips.tolist()) == (20, first.chips.tolist())

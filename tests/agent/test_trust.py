"""Trust in the opponent's range: none where a technique is called safe, and what some costs."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from endspiel.agent import make_agent
from endspiel.agent.endgame import EndgameAgent
from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.cards.live import live_hands
from endspiel.cards.ranges import parse_range
from endspiel.cards.text import parse_cards
from endspiel.endgame.safe.live import LiveEndgame, Offer
from endspiel.endgame.safe.techniques import PLAYED
from endspiel.engine.limits import Limits
from endspiel.ranges.line import with_every_hand
from endspiel.reproduce.arena_play import Matches
from endspiel.reproduce.arena_results import RunOptions, Study
from endspiel.rules.builtin import load_rules
from endspiel.rules.state import CALL, State, start
from tests.blueprint_fixture import small_blueprint

GAME = load_rules("nolimit-holdem")
SAFE = [name for name, technique in PLAYED.items() if technique.is_safe]
BOARD = tuple(parse_cards("Ah Jd 8d 7c 3h"))
SIZING = Sizing.same(StreetMenu.parse("50%, 100%", "100%"), max_raises=3)


def river() -> State:
    state = start(GAME)
    for action in (900, CALL, CALL, CALL, CALL, CALL):
        state = state.apply(action)
    return state


@cache
def base() -> LiveEndgame:
    """A strategy of player 1 that is good against any hand."""
    own = with_every_hand(parse_range("22+,A2s+,K9s+,Q9s+,J9s+,T8s+,98s,87s,ATo+,KTo+"), BOARD)
    endgame = LiveEndgame(river(), BOARD, (live_hands(BOARD), own), SIZING)
    endgame.solve(Limits(0.0, 200))
    return endgame


def passed_by(technique: str, trust: float) -> float:
    """By how much of the pot some hand of player 0 is better off than against the base."""
    live, before = live_hands(BOARD), base().root_values(0)
    safe = LiveEndgame(river(), BOARD, (live, base().ranges[1]), SIZING)
    belief = parse_range("88+,A9s+,KTs+,QTs+,JTs,ATo+,KJo+") * live
    offer = Offer(before, np.zeros(1326), belief, trust)
    safe.solve_safely(1, PLAYED[technique], offer, Limits(0.0, 600))
    return float((safe.root_values(0) - before)[live > 0].max()) / safe.pot


@pytest.mark.parametrize("technique", SAFE)
def test_agents_have_none_unless_it_is_asked_for(
    technique: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = small_blueprint(tmp_path_factory.getbasetemp()).path
    for options, trust in (("", 0.0), (",trust=0.1", 0.1)):
        agent = make_agent(f"blueprint+{technique},file={file}{options}", GAME)
        assert isinstance(agent, EndgameAgent)
        assert agent.stages.approach.trust == trust


def test_the_arena_names_the_trust_that_its_rows_have(tmp_path: Path) -> None:
    study = Study(Matches(tmp_path, workers=1), 2, None, RunOptions(1, (), ("resolve",)))
    for technique in SAFE:
        assert (
            study.player(technique).spec
            == f"blueprint+{technique},post=purify-after-first,trust=0.1"
        )
    assert "trust" not in study.player("unsafe").spec


def test_some_trust_passes_limits_that_none_keeps() -> None:
    assert passed_by("resolve", 0.0) < 1e-3
    assert passed_by("resolve", 0.1) > 3e-3

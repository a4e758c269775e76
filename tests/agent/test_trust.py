"""Trust in the opponent's range: none where a technique is called safe, and what some costs."""

from functools import cache
from itertools import product
from math import inf
from pathlib import Path

import numpy as np
import pytest

from endspiel.agent import make_agent
from endspiel.agent.clock import UNTIMED
from endspiel.agent.endgame import EndgameAgent
from endspiel.agent.stages import Approach, EndgameEntry, Stage, Stages
from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.cards.live import live_hands
from endspiel.cards.ranges import parse_range
from endspiel.cards.text import parse_cards
from endspiel.endgame.safe.live import LiveEndgame, Offer
from endspiel.endgame.safe.techniques import PLAYED
from endspiel.engine.limits import Limits
from endspiel.errors import EndspielError
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


def test_doubt_gives_every_hand_of_the_opponent_a_weight() -> None:
    """Of unsafe solving: the own range stays as it is, and the other's is at least so much."""
    live = live_hands(BOARD)
    own, other = (parse_range(text) * live for text in ("99+,AJs+", "88+,A9s+,KTs+"))
    for state, doubt in product((river(), river().apply(CALL)), (0.0, 0.1)):
        approach = Approach(
            PLAYED["unsafe"], lambda state: (SIZING,), Limits(0.0, 3), doubt=doubt, playable=inf
        )
        seat = state.actor
        ranges = (own, other) if seat == 0 else (other, own)
        entry = EndgameEntry(ranges, None, np.zeros(1326))
        stage = Stages(approach).solve(state, BOARD, entry, UNTIMED)
        assert isinstance(stage, Stage)
        solved = stage.endgame.ranges
        assert np.array_equal(solved[1 - seat], np.maximum(other, doubt * live))
        assert np.allclose(solved[seat], own, atol=1e-4)


def test_doubt_is_an_option_of_unsafe_solving(tmp_path_factory: pytest.TempPathFactory) -> None:
    file = small_blueprint(tmp_path_factory.getbasetemp()).path
    agent = make_agent(f"blueprint+unsafe,file={file},doubt=0.1", GAME)
    assert isinstance(agent, EndgameAgent)
    assert agent.stages.approach.doubt == 0.1
    with pytest.raises(EndspielError, match="doubt is of unsafe solving"):
        make_agent(f"blueprint+resolve,file={file},doubt=0.1", GAME)
    with pytest.raises(EndspielError, match="doubt is a share from 0 to 1"):
        make_agent(f"blueprint+unsafe,file={file},doubt=1.5", GAME)


def test_some_trust_passes_limits_that_none_keeps() -> None:
    assert passed_by("resolve", 0.0) < 1e-3
    assert passed_by("resolve", 0.1) > 3e-3

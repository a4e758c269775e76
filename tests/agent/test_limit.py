"""Limit hold'em at the table: rivers and turns solved again, decided by best responses.

The best responses are worked out here over the rules' own states, so that a bet that the rules do
not have, or lack, shows; values come from a linear program on a betting tree written line by line.
"""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import endspiel as es
from endspiel.agent import make_agent
from endspiel.agent.blueprint import BlueprintAgent
from endspiel.agent.clock import UNTIMED
from endspiel.agent.endgame import EndgameAgent
from endspiel.agent.exact import BucketedRiver
from endspiel.agent.nested_stages import NestedApproach, NestedStages
from endspiel.agent.planning import StreetWork, plan_solve
from endspiel.agent.stages import EndgameEntry, Stage
from endspiel.betting.menu import Sizing
from endspiel.betting.no_limit import no_limit_tree
from endspiel.blueprint import blueprint as blueprint_file
from endspiel.blueprint.blueprint import Blueprint
from endspiel.cards.text import parse_cards
from endspiel.endgame.safe.live import LiveEndgame
from endspiel.engine.limits import Limits
from endspiel.errors import FileError, RulesError
from endspiel.kernels.arrays import Floats
from endspiel.rules.acpc import parse_betting
from endspiel.rules.builtin import load_rules
from endspiel.rules.state import CALL, State, start
from tests.blueprint_fixture import small_blueprint
from tests.endgame.plain_river import PlainRiver, pair_forms

GAME = load_rules("limit-holdem")
BOARD = tuple(parse_cards("Ks Th 7s 4d 2c"))
HOLE = tuple(parse_cards("Qd Jc"))
BEFORE = "rc/rrc/rc/"  # 20 each, 40 with the flop, 60 with the turn
RIVER_START = parse_betting(GAME, BEFORE)
POT = 120
RANGES = (es.parse_range("KK, 77, 65s, A5s, Q9s:0.5"), es.parse_range("AK, KQs, QTs, 88:0.5"))
BETS = ((20, 40, 60, 80), (0, 20, 40, 60, 80))  # four bets of 20, after a check too
TURN, RIVER = 2, 3
Ranges = tuple[Floats, Floats]


def best_response(told, start: State, seat: int, forms: Ranges) -> Floats:  # type: ignore[no-untyped-def]
    """Chips [1326] by weight that each of the opponent's hands wins from what a seat is told."""
    met, won = forms

    def walk(state: State, reach: Floats) -> Floats:
        if state.finished:
            stake = min(state.spent)
            if state.showdown:
                return stake * (won @ reach)
            return (stake if state.folded[seat] else -stake) * (met @ reach)
        after = [state.apply(action) for action in state.legal_actions()]
        if state.actor != seat:
            return np.max([walk(one, reach) for one in after], axis=0)
        actions, rows = told(state)
        assert actions == state.legal_actions()
        parts = [walk(one, reach * row) for one, row in zip(after, rows, strict=True)]
        return np.sum(parts, axis=0)

    return walk(start, np.ones(1326))


def stages(street: int, ranges: Ranges = RANGES) -> NestedStages:
    def entry(_state: State, _board: tuple[int, ...], _seat: int) -> EndgameEntry:
        return EndgameEntry(ranges, None, np.zeros(1326))

    approach = NestedApproach(
        limits=Limits(1e-4), work=StreetWork(1e9, 1e9), street=street, threads=1
    )
    return NestedStages(approach, entry)


def forms_against(seat: int, ranges: Ranges) -> Ranges:
    return pair_forms(BOARD, (ranges[1 - seat], ranges[seat]))


@cache
def value() -> float:
    """Chips that the river is worth to the first player, by a linear program."""
    tree = no_limit_tree(POT, 80, RIVER, Sizing((None,) * 4, lines=BETS))
    held = [np.flatnonzero(weights) for weights in RANGES]
    met, won = (form[np.ix_(*held)] for form in pair_forms(BOARD, RANGES))
    return POT * PlainRiver(tree, met, won).optimum


@pytest.mark.parametrize("seat", [0, 1])
def test_a_limit_river_gives_no_more_than_it_is_worth(seat: int) -> None:
    """Nested within its first solve after every answer, to the value of the program."""
    found = stages(RIVER)

    def told(state: State) -> tuple[tuple[int, ...], Floats]:
        stage = found.solve(state, BOARD, UNTIMED)
        assert isinstance(stage, Stage)
        return stage.actions, found.strategy(stage)

    gained = float(best_response(told, RIVER_START, seat, forms_against(seat, RANGES)).sum())
    due = value() if seat else -value()
    assert due - 1e-6 * POT <= gained <= due + 3e-3 * POT
    assert abs(value()) > 0.1 * POT  # else nothing is seen here


def test_a_limit_turn_is_solved_to_its_gap_with_the_rules_bets() -> None:
    """Best responses to the first solve add up to nothing; its river is dealt with big bets."""
    found = stages(TURN)
    turn = parse_betting(GAME, "rc/rrc/")
    assert isinstance(found.solve(turn, BOARD[:4], UNTIMED), Stage)
    root = found.root
    assert root is not None
    endgame = root.endgame
    assert isinstance(endgame, LiveEndgame)
    assert endgame.sizing is None
    apart = pair_forms(BOARD[:4], RANGES)[0]
    got = [float(apart.sum(axis=1 - player) @ endgame.root_values(player)) for player in (0, 1)]
    assert 0 <= sum(got) <= 2e-3 * 80
    tree = endgame.tree
    assert tree.words(tree.find("b20 r40 r60 r80 c / b20 r40 r60 r80")) == ["f", "c"]


def test_the_rules_are_the_one_menu_of_a_limit_endgame() -> None:
    plan = plan_solve(parse_betting(GAME, "rc/rrc/"), (1128, 1128), StreetWork(1e3, 1e3))[0]
    assert plan.sizing is None
    assert plan.iterations == 1


@pytest.fixture(scope="module")
def blueprint(tmp_path_factory: pytest.TempPathFactory) -> Blueprint:
    return small_blueprint(tmp_path_factory.getbasetemp(), limit=True)


def seated(blueprint: Blueprint, technique: str) -> EndgameAgent:
    options = f"file={blueprint.path},post=none,hand=1000,move=1000"
    if technique == "nested":
        options += ",street=river,threads=1"
    agent = make_agent(f"blueprint+{technique},{options}", GAME)
    assert isinstance(agent, EndgameAgent)
    agent.begin(1)
    return agent


@cache
def held(blueprint: Blueprint) -> Ranges:
    """What both hold [1326] before the river, row by row along the betting."""
    ranges = [np.ones(1326), np.ones(1326)]
    node, state = 0, start(GAME)
    tree = blueprint.tree
    for word in BEFORE.replace("/", ""):
        action = CALL if word == "c" else state.legal_actions()[-1]
        place = state.legal_actions().index(action)
        ranges[state.actor] *= blueprint.hands(node, BOARD)[place]
        state, node = state.apply(action), int(tree.first_child[node]) + place
        if tree.num_children[node] == 1:  # a card is dealt
            node = int(tree.first_child[node])
    assert (state.spent, state.round) == ((60, 60), RIVER)
    return ranges[0], ranges[1]


def exploited(agent: BlueprintAgent, seat: int, ranges: Ranges) -> Floats:
    """Chips [1326] by weight that each hand of the opponent can win from an agent's river."""

    def told(state: State) -> tuple[tuple[int, ...], Floats]:
        return agent.strategy(state, BOARD)

    return best_response(told, RIVER_START, seat, forms_against(seat, ranges))


@pytest.mark.parametrize("technique", ["unsafe", "nested"])
def test_rivers_are_solved_for_the_ranges_that_the_blueprint_leads_to(
    blueprint: Blueprint, technique: str
) -> None:
    """What best responses win from both seats adds up to little, with ranges worked out here."""
    ranges = held(blueprint)
    agent = seated(blueprint, technique)
    lost = [float(exploited(agent, seat, ranges).sum()) for seat in (0, 1)]
    assert -1e-6 * POT <= sum(lost) <= 0.012 * POT
    assert not agent.fallbacks


@pytest.mark.parametrize("technique", ["resolve", "maxmargin", "reach-maxmargin"])
def test_safe_rivers_leave_no_hand_more_than_the_blueprint_does(
    blueprint: Blueprint, technique: str
) -> None:
    ranges = held(blueprint)
    plain = make_agent(f"blueprint:{blueprint.path}", GAME)
    assert isinstance(plain, BlueprintAgent)
    plain.begin(1)
    agent = seated(blueprint, technique)
    before, after = (exploited(one, 1, ranges) for one in (plain, agent))
    assert float(np.maximum(after - before, 0).sum()) <= 0.01 * POT
    if technique != "resolve":  # which need not gain anything
        assert float((before - after).sum()) > 0.05 * POT
    assert not agent.fallbacks


def test_unsafe_lp_solves_limit_rivers_exactly_in_buckets(blueprint: Blueprint) -> None:
    agent = seated(blueprint, "unsafe-lp")
    agent.act(RIVER_START, HOLE, BOARD)
    assert agent.thoughts[-1].source == "endgame unsafe-lp"
    assert agent.thoughts[-1].actions == (CALL, 80)
    root = agent.stages.root
    assert root is not None
    assert isinstance(root.endgame, BucketedRiver)
    assert root.endgame.gap < 1e-6 < root.gap < 0.01  # on real cards


def test_whole_hands_are_played_with_every_late_decision_solved(blueprint: Blueprint) -> None:
    """Raised to the cap on every street: no fallback, every action legal."""
    options = f"file={blueprint.path},work=3,hand=1000,move=1000"
    agent = make_agent(f"blueprint+nested,{options}", GAME)
    agent.begin(4)
    state = parse_betting(GAME, "cc/cc/")
    while not state.finished:
        board = BOARD[: GAME.board_sizes[state.round]]
        if state.actor == 1:
            action = agent.act(state, HOLE, board)
            state.verify(action)
            action = max(action, CALL)  # stays to the end, whatever it would do
        else:
            action = state.legal_actions()[-1]
        state = state.apply(action)
    sources = {thought.source for thought in agent.thoughts}
    assert sources == {"endgame nested"}
    assert not agent.fallbacks


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"raise_sizes": (10, 10, 20, 40)}, "raises in big blinds"),
        ({"max_raises": (3, 4, 4, 3)}, "raises a round"),
        ({"blinds": (10, 2)}, "blinds in big blinds"),
        ({"stacks": (100, 100)}, "stacks"),
    ],
)
def test_a_limit_blueprint_is_for_its_own_bets(
    blueprint: Blueprint, changes: dict[str, tuple[int, ...]], complaint: str
) -> None:
    """In limit nothing is translated: other bets are another game."""
    with pytest.raises(RulesError, match=complaint):
        make_agent(f"blueprint:{blueprint.path}", replace(GAME, **changes))


def test_a_limit_blueprint_plays_the_same_game_in_other_chips(blueprint: Blueprint) -> None:
    game = replace(GAME, blinds=(100, 50), raise_sizes=(100, 100, 200, 200))
    agent = make_agent(f"blueprint:{blueprint.path}", game)
    agent.begin(1)
    found = agent.policy(parse_betting(game, "rc/r"), [HOLE], BOARD[:3])
    assert found is not None
    assert found.actions == (-1, 0, 400)


@pytest.mark.parametrize("spec", ["blueprint", "blueprint+nested", "blueprint+unsafe"])
def test_without_a_file_it_is_the_limit_strategy_that_comes_along(
    spec: str, blueprint: Blueprint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And where none does, a sentence says how to make one."""
    monkeypatch.setattr(blueprint_file, "DEFAULT_LIMIT_FILE", str(blueprint.path))
    agent = make_agent(spec, GAME)
    assert isinstance(agent, BlueprintAgent)
    assert agent.blueprint.path == blueprint.path
    monkeypatch.setattr(blueprint_file, "DEFAULT_LIMIT_FILE", "none.blueprint")
    with pytest.raises(
        FileError, match=f"no default blueprint of {GAME.name}: .* --game {GAME.name}"
    ):
        make_agent(spec, GAME)

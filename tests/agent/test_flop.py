"""Flops solved with a net at their end, decided by values: what a best response wins from them.

In the net's place are exact values of a game in which nobody bets after the flop, by equities of
single hands; the best responses are worked out here, hand by hand, from what is told.
"""

from dataclasses import replace
from functools import cache
from math import inf
from pathlib import Path

import numpy as np
import pytest

import endspiel as es
from endspiel.agent import make_agent
from endspiel.agent.attempts import Standard
from endspiel.agent.clock import UNTIMED
from endspiel.agent.flop import (
    FLOP_SECONDS,
    FlopApproach,
    FlopEndgame,
    FlopStages,
    flop_menus,
    plan_flop,
)
from endspiel.agent.nested import BY_NET, NestedAgent
from endspiel.agent.stages import EndgameEntry, Stage
from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.cards.live import live_hands
from endspiel.cards.removal import conflicts, unblocked_weights
from endspiel.cards.run_outs import run_out_shares
from endspiel.cards.text import parse_cards
from endspiel.endgame.safe.nested_solve import Unsolved
from endspiel.engine.limits import Limits
from endspiel.errors import EndspielError
from endspiel.kernels.arrays import Floats
from endspiel.rules.acpc import parse_betting
from endspiel.rules.builtin import load_rules
from endspiel.rules.state import CALL, FOLD, State
from endspiel.values.nets import ValueNet, new_net, save_net
from tests.blueprint_fixture import small_blueprint
from tests.values.stand_in import StandIn

GAME = load_rules("nolimit-holdem")
BOARD = tuple(parse_cards("Ks Th 7s 4d 2c"))
FLOP = BOARD[:3]
FIRST = es.parse_range("KK, 77, 65s, A5s, Q9s:0.5") * live_hands(FLOP)
SECOND = es.parse_range("AK, KQs, KJs, QTs, 88:0.5") * live_hands(FLOP)
RANGES = (FIRST, SECOND)
HELD = np.flatnonzero(FIRST + SECOND)
START = parse_betting(GAME, "r900c/")
POT = 1800
NOTHING = StreetMenu.parse("", "")
MENU = Sizing((None, StreetMenu.parse("100%, a", "a"), NOTHING, NOTHING), 2)


@cache
def wins(board: tuple[int, ...] = FLOP) -> Floats:
    """Chance to win less chance to lose [1326, 1326], for opponents of the ranges."""
    found = np.zeros((1326, 1326))
    for hand in HELD:
        alone = np.zeros(1326)
        alone[hand] = 1
        found[:, hand] = np.nan_to_num(2 * es.equities(alone, board) - 1)
    return found


class CheckedDown(StandIn):
    """Hands are worth their equity, as where nobody bets any more."""

    def __call__(self, boards: np.ndarray, depths: np.ndarray, ranges: np.ndarray) -> np.ndarray:
        met = np.maximum(unblocked_weights(ranges)[:, ::-1], 1e-30)
        others = ranges[:, ::-1, HELD].reshape(-1, len(HELD))
        won = (others @ wins()[:, HELD].T).reshape(ranges.shape)
        return (won / met / 2).astype(np.float32)


def stages(iterations: int = 80, net: ValueNet | None = None) -> FlopStages:
    def entry(_state: State, _board: tuple[int, ...], _seat: int) -> EndgameEntry:
        return EndgameEntry(RANGES, None, np.zeros(1326))

    approach = FlopApproach(net or CheckedDown((), 3), 1e9, menus=lambda: (MENU,))
    return FlopStages(approach, entry, lambda: Standard(Limits(1e-6, iterations), inf))


def told(found: FlopStages, state: State) -> tuple[tuple[int, ...], Floats]:
    stage = found.solve(state, FLOP, UNTIMED)
    assert isinstance(stage, Stage)
    return stage.actions, stage.endgame.strategy(stage.node)


def best_response(found: FlopStages, seat: int, odd: bool) -> float:
    """Chips that the opponent wins, by bets of the menu or by odd ones as well."""
    apart = ~conflicts()[:, HELD]

    def walk(state: State, reach: Floats) -> Floats:
        if state.finished or state.round > 1:
            stake = min(state.spent)
            if state.finished and not state.showdown:
                return (stake if state.folded[seat] else -stake) * (apart @ reach[HELD])
            return stake * (wins()[:, HELD] @ reach[HELD])
        if state.actor == seat:
            actions, rows = told(found, state)
            parts = [(a, reach * row) for a, row in zip(actions, rows, strict=True)]
            return sum((walk(state.apply(a), r) for a, r in parts if r.any()), np.zeros(1326))
        return np.max([walk(state.apply(a), reach) for a in answers(state, odd)], axis=0)

    own, other = RANGES[seat], RANGES[1 - seat]
    return float(other @ walk(START, own) / (other @ (apart @ own[HELD])))


def answers(state: State, odd: bool) -> list[int]:
    actions = [FOLD, CALL] if state.can_fold() else [CALL]
    bounds = state.raise_bounds()
    if bounds is not None and state.raises < 2:
        sizes = [GAME.stacks[0]]
        if not state.raises:
            sizes += [state.max_spent * 3] + [round(state.max_spent * 1.74)] * odd
        actions += sizes
    return actions


@pytest.fixture(scope="module")
def worth() -> float:
    """Chips that the flop is worth to the first player, by a solve of the whole spot."""
    ranges = [es.format_range(weights) for weights in RANGES]
    bets, none = {"bet": "100%, a", "raise": "a"}, {"bet": "", "raise": ""}
    spot = es.parse_spot(
        {"board": es.format_cards(FLOP), "pot": POT, "stack": GAME.stacks[0] - POT // 2,
         "ranges": ranges, "max_raises": 2, "flop": bets, "turn": none, "river": none}
    )  # fmt: skip
    return POT * float(es.solve(spot, target=2e-3).value)


@pytest.mark.parametrize("seat", [0, 1])
def test_a_best_response_wins_what_the_flop_is_worth(worth: float, seat: int) -> None:
    """And next to nothing more by a bet of no menu, which is put into the tree."""
    found, due = stages(), worth if seat else -worth
    assert best_response(found, seat, odd=False) == pytest.approx(due, abs=0.01 * POT)
    assert best_response(found, seat, odd=True) <= due + 0.02 * POT


def test_the_turn_is_entered_as_the_flop_was_played() -> None:
    """By Bayes' rule, by what was told at each decision; an off-tree bet tells what it told."""
    found, seat = stages(60), 1
    bet = START.apply(1566)
    stage = found.solve(bet, FLOP, UNTIMED)
    assert isinstance(stage, Stage)
    calls = stage.endgame.strategy(stage.node)[stage.actions.index(CALL)]
    root = found.root
    assert root is not None
    bets = root.endgame.strategy(0)[root.actions.index(1566)]
    entry = found.leave(bet.apply(CALL), BOARD[:4], seat, UNTIMED)
    assert isinstance(entry, EndgameEntry)
    for player, chances in enumerate((bets, calls)):
        expected = RANGES[player] * chances * live_hands(BOARD[:4])
        got = entry.ranges[player]
        assert got / got.sum() == pytest.approx(expected / expected.sum(), abs=1e-4)
    came, left = (weights / weights.sum() for weights in (RANGES[0], entry.ranges[0]))
    assert abs(came - left).max() > 0.01  # some hands bet more than others


def test_what_is_asked_before_changes_nothing() -> None:
    one, two = stages(8), stages(8)
    checked, odd = START.apply(CALL), START.apply(2345)
    first = told(one, checked)
    told(two, odd)
    again = told(two, checked)
    assert first[0] == again[0]
    assert np.array_equal(first[1], again[1])
    raised = checked.apply(2700).apply(GAME.stacks[0])
    assert told(two, raised)[0] == (FOLD, CALL)
    ours = two.solve(checked.apply(2345).apply(GAME.stacks[0]), FLOP, UNTIMED)
    assert ours == Unsolved("our own bet is not one of this endgame's")


def test_run_outs_are_equities() -> None:
    shares = run_out_shares(FLOP)
    held = np.flatnonzero(RANGES[0])
    assert shares[:, held] == pytest.approx(wins()[:, held], abs=1e-9)
    assert np.array_equal(shares, -shares.T)


def test_plans_fit_the_time() -> None:
    """At most three seconds of two cores, whatever the pot, with a hundred iterations at least."""
    for line in ("cc/", "r300c/", "r900c/", "r300r900r2700c/"):
        plan = plan_flop(parse_betting(GAME, line), FLOP_SECONDS)[0]
        assert plan.iterations >= 100
        assert plan.seconds <= FLOP_SECONDS
    poor = plan_flop(START, 1e-3)[0]
    assert (poor.sizing, poor.iterations) == (flop_menus()[-1], 1)


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> NestedAgent:
    folder: Path = tmp_path_factory.mktemp("flop")
    save_net(folder / "flop.net", new_net(3, 8, 2, np.random.default_rng(1)), {})
    file = small_blueprint(tmp_path_factory.getbasetemp()).path
    options = f"file={file},flop=net,net={folder / 'flop.net'},work=3,bound=100,hand=1000,move=1000"
    made = make_agent(f"blueprint+nested,{options}", GAME)
    assert isinstance(made, NestedAgent)
    return made


def test_the_agent_solves_flops_and_comes_to_turns_by_them(agent: NestedAgent) -> None:
    hole = tuple(parse_cards("QdJc"))
    for extra in (0, 1, 10**6):
        agent.begin(1)
        state = parse_betting(GAME, "cc/")
        while not state.finished and state.round < 3:
            board = BOARD[: GAME.board_sizes[state.round]]
            if state.actor == 1:
                state = state.apply(agent.act(state, hole, board))
                continue
            bounds = state.raise_bounds()
            raising = bounds is not None and state.raises < 2
            state = state.apply(min(bounds[0] + extra, bounds[1]) if raising and bounds else CALL)
        on_flop = [thought for thought in agent.thoughts if len(thought.board) == 3]
        assert on_flop
        assert all(thought.source == BY_NET for thought in on_flop)
        assert "valued by a net" in on_flop[0].why
        assert on_flop[0].own.sum() > 0
    assert not agent.fallbacks
    agent.begin(1)
    turn = parse_betting(GAME, "cc/r300c/")
    assert agent.flops is not None
    left = agent.flops.leave(turn, BOARD[:4], 1, UNTIMED)
    entry = agent._entry(turn, BOARD[:4], 1)
    assert isinstance(left, EndgameEntry)
    assert isinstance(entry, EndgameEntry)
    assert np.array_equal(left.ranges, entry.ranges)


def test_flops_are_solved_in_full_and_remembered_in_a_hurry(
    agent: NestedAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, hole = parse_betting(GAME, "cc/"), tuple(parse_cards("QdJc"))
    solved: list[int | None] = []
    solve = FlopEndgame.solve

    def noted(self: FlopEndgame, limits: Limits) -> float:
        solved.append(limits.iterations)
        return solve(self, limits)

    def asked() -> list[list[float]]:
        choice = agent.policy(state, [hole], FLOP)
        assert choice is not None
        return choice.probabilities.tolist()

    assert agent.flops is not None
    monkeypatch.setattr(agent.flops, "approach", replace(agent.flops.approach, work=0.2))
    monkeypatch.setattr(FlopEndgame, "solve", noted)
    agent.begin(1)
    true = asked()
    agent.begin(1)
    with agent.hurried(0.02):
        assert asked() == true
    assert asked() == true
    first, hurried = solved  # and never again
    assert first == hurried
    assert first is not None
    assert first > 5


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ("flop=yes", "option flop is net or blueprint, not 'yes'"),
        ("flop=blueprint,net=x", "option net is of flop=net"),
        ("flop=net,net=x,street=river", "flop=net cannot be: it is entered before the turn"),
        ("flop=net,net=x,exploit=5", "flop=net cannot be: opponents are exploited from the turn"),
        ("flop=net,net=none.net", r"none\.net"),
    ],
)
def test_bad_options_are_refused(options: str, complaint: str) -> None:
    with pytest.raises(EndspielError, match=complaint):
        make_agent(f"blueprint+nested,{options}", GAME)


def test_the_net_is_of_no_limit() -> None:
    with pytest.raises(EndspielError, match="the net is of no-limit hold'em"):
        make_agent("blueprint+nested,flop=net", load_rules("limit-holdem"))

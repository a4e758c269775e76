"""What a model expects of an opponent, from what was seen; and blueprints with a leak."""

import numpy as np
import pytest

from endspiel.agent import make_agent
from endspiel.agent.leaky import LeakyAgent
from endspiel.agent.opponent_model import (
    CALLS,
    FOLDS,
    PRIOR,
    RAISES,
    DecisionKind,
    OpponentModel,
    SeenDecision,
    TreeDecision,
    due_acts,
)
from endspiel.betting.from_state import state_tree
from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.cards.text import parse_cards
from endspiel.errors import EndspielError
from endspiel.ranges.fitting import fit_frequencies
from endspiel.rules.acpc import parse_betting
from endspiel.rules.builtin import load_rules
from endspiel.rules.state import CALL, FOLD
from tests.blueprint_fixture import small_blueprint

GAME = load_rules("nolimit-holdem")
MENU = Sizing.same(StreetMenu.parse("50%, 100%, 200%", "100%"), max_raises=2)
TREE = state_tree(parse_betting(GAME, "r900c/cc/cc/"), MENU)
DUE = np.array([0.5, 0.3, 0.2])
FACED = DecisionKind(3, 2)


def watched(act: int, times: int, kind: DecisionKind = FACED) -> OpponentModel:
    model = OpponentModel()
    for _ in range(times):
        model.observe(SeenDecision(kind, act, DUE))
    return model


def test_decisions_are_alike_by_street_and_by_the_bet_faced() -> None:
    kinds = [TreeDecision(TREE, 0).kind]
    kinds += [TreeDecision(TREE, child).kind for child in TREE.children(0)]
    assert kinds == [
        DecisionKind(3, 0),
        DecisionKind(3, 0),
        DecisionKind(3, 1),
        DecisionKind(3, 2),
        DecisionKind(3, 3),
    ]
    bet = TreeDecision(TREE, list(TREE.children(0))[2])
    assert bet.pot == 1800 + 1800
    assert bet.acts == [FOLDS, CALLS, RAISES]
    due = due_acts(TreeDecision(TREE, 0), np.array([0.4, 0.1, 0.2, 0.3]))
    assert due == pytest.approx([0, 0.4, 0.6])


def test_few_decisions_move_little_and_many_all_the_way() -> None:
    assert OpponentModel().factors(FACED).tolist() == [1, 1, 1]
    shares = [DUE * watched(CALLS, times).factors(FACED) for times in (1, 10, 1000)]
    assert 0.3 < shares[0][CALLS] < shares[1][CALLS] < shares[2][CALLS]
    assert shares[2] == pytest.approx([0, 1, 0], abs=0.01)
    assert shares[0] == pytest.approx((np.eye(3)[CALLS] + PRIOR * DUE) / (1 + PRIOR))


def test_what_is_seen_elsewhere_counts_where_nothing_is() -> None:
    model = watched(CALLS, 100)
    other, free = DecisionKind(1, 3), DecisionKind(3, 0)
    assert model.factors(other)[FOLDS] < 0.2
    pooled = model.factors(other)
    model.observe(SeenDecision(other, FOLDS, DUE))  # which then weighs against all that
    mixed = (np.eye(3)[FOLDS] + PRIOR * DUE * pooled) / (1 + PRIOR)
    assert DUE * model.factors(other) == pytest.approx(mixed)
    assert model.factors(free).tolist() == [1, 1, 1]  # facing no bet is another matter


def test_hands_change_that_lose_least() -> None:
    spot = TreeDecision(TREE, list(TREE.children(0))[2])
    strategy = np.zeros((3, 40))
    strategy[FOLDS, :20], strategy[CALLS, 20:] = 1.0, 1.0
    lost = np.zeros((3, 40))
    lost[CALLS, :20] = np.linspace(0.0, 1.0, 20)
    lost[FOLDS, 20:] = lost[RAISES] = 1.0
    weight = np.full(40, 1 / 40)
    assert OpponentModel().tilt(spot, strategy, lost, weight) is strategy
    calls = watched(CALLS, 4).tilt(spot, strategy, lost, weight)
    assert calls.sum(axis=0) == pytest.approx(np.ones(40))
    assert 0.55 < float(calls[CALLS] @ weight) < 0.8
    assert calls[CALLS, 0] > 0.9
    assert calls[CALLS, 19] < 0.02
    folds = watched(FOLDS, 12).tilt(spot, strategy, lost, weight)
    assert float(folds[CALLS] @ weight) < 0.45


@pytest.mark.parametrize("seed", range(8))
def test_any_frequencies_are_met(seed: int) -> None:
    rng = np.random.default_rng(seed)
    actions = 2 + seed % 4
    strategy = rng.dirichlet(np.full(actions, 0.1), 200).T
    lost = rng.exponential(0.5, (actions, 200))
    weight = rng.dirichlet(np.full(200, 0.3))
    wanted = rng.dirichlet(np.full(actions, 0.2))
    wanted[wanted < 1e-4] = 0.0
    wanted /= wanted.sum()
    fitted = fit_frequencies(strategy, lost, weight, wanted)
    assert fitted @ weight == pytest.approx(wanted, abs=2e-6)
    assert fitted.sum(axis=0) == pytest.approx(np.ones(200))


def test_the_model_is_told() -> None:
    assert OpponentModel().tell() == "nothing seen yet"
    assert watched(CALLS, 4).tell() == (
        "4 decisions seen: folds 0% for 50%, calls 100% for 30%, raises 0% for 20%"
    )


def leaky(folder: pytest.TempPathFactory, options: str) -> LeakyAgent:
    agent = make_agent(f"leaky:{options},file={small_blueprint(folder.getbasetemp()).path}", GAME)
    assert isinstance(agent, LeakyAgent)
    return agent


def test_a_leak_moves_folds_and_calls_alone(tmp_path_factory: pytest.TempPathFactory) -> None:
    state = parse_betting(GAME, "r300")
    file = small_blueprint(tmp_path_factory.getbasetemp()).path
    whole = make_agent(f"blueprint:{file}", GAME).strategy(state, ())  # type: ignore[attr-defined]
    rows = dict(zip(*whole, strict=True))
    calls = dict(zip(*leaky(tmp_path_factory, "call=0.25").strategy(state, ()), strict=True))
    folds = dict(zip(*leaky(tmp_path_factory, "fold=1").strategy(state, ()), strict=True))
    assert calls[FOLD] == pytest.approx(0.75 * rows[FOLD])
    assert calls[CALL] == pytest.approx(rows[CALL] + 0.25 * rows[FOLD])
    assert folds[CALL] == pytest.approx(np.zeros(1326))
    for action in set(rows) - {FOLD, CALL}:
        assert np.array_equal(calls[action], rows[action])


def test_it_acts_as_it_tells(tmp_path_factory: pytest.TempPathFactory) -> None:
    agent, state = leaky(tmp_path_factory, "call=0.5"), parse_betting(GAME, "r300")
    hole = tuple(parse_cards("7h2c"))
    taken = []
    for seed in range(600):
        agent.begin(seed * 7919)
        taken.append(agent.act(state, hole, ()))
        assert agent.thoughts[0].actions[agent.thoughts[0].chosen] == taken[-1]
    choice = agent.policy(state, [hole], ())
    for action, chance in zip(choice.actions, choice.probabilities[0], strict=True):
        assert taken.count(action) / 600 == pytest.approx(chance, abs=0.08)
    checked = parse_betting(GAME, "c")
    assert FOLD not in agent.strategy(checked, ())[0]


@pytest.mark.parametrize("options", ["call=2", "fold=x", "raise=1", "half"])
def test_bad_leaks_are_refused(options: str) -> None:
    with pytest.raises(EndspielError, match=r"a share from 0 to 1|no option"):
        make_agent(f"leaky:{options}", GAME)

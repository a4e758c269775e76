"""Bots from outside: their answers become an agent's, or one sentence on what is wrong."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import endspiel as es
from endspiel.agent.base import make_agent, named_files
from endspiel.agent.bots import BotAgent, PublicState
from endspiel.agent.net_bots import NetBot, onnx_model, torch_model
from endspiel.agent.simple import PotOdds
from endspiel.arena.estimators.shares import all_holes
from endspiel.arena.responses import ResponsePlan, measure_response
from endspiel.errors import AgentError, EndspielError
from endspiel.rules.builtin import load_rules
from endspiel.rules.state import CALL, FOLD, start

HOLDEM, LEDUC = load_rules("nolimit-holdem"), load_rules("leduc")


class AtOnce:
    """The pot odds of an agent of ours, all hands at once."""

    def __init__(self, rules: es.GameDef) -> None:
        self.agent = PotOdds(rules)

    def policy(self, state: PublicState, hands: np.ndarray) -> dict[int, np.ndarray]:
        holes = [tuple(hand) for hand in hands.tolist()]
        choice = self.agent.policy(state.table, holes, state.board)
        return dict(zip(choice.actions, choice.probabilities.T, strict=True))


class OneByOne:
    """The same hand by hand, as arrays over actions that it names."""

    def __init__(self, rules: es.GameDef) -> None:
        self.agent = PotOdds(rules)

    def actions(self, state: PublicState) -> list[int]:
        return [CALL, FOLD] if state.to_call else [CALL]

    def strategy(self, state: PublicState, hand: tuple[int, ...]) -> list[float]:
        calls = self.agent.act(state.table, hand, state.board) == CALL
        return [calls, not calls] if state.to_call else [1]


def lost(agent: str, game: es.GameDef, boards: int = 6) -> list[float]:
    plan = ResponsePlan(game, agent, "fcpa", boards=boards, seed=2)
    units: list[float] = measure_response(plan, workers=1).units.tolist()
    return units


@pytest.mark.parametrize("bot", ["AtOnce", "OneByOne"])
def test_a_bot_loses_what_the_agent_that_plays_the_same_loses(bot: str) -> None:
    assert lost(f"{__name__}:{bot}", LEDUC) == pytest.approx(lost("pot-odds", LEDUC))
    ours = make_agent("pot-odds", HOLDEM).policy(start(HOLDEM), all_holes(HOLDEM)[:99], ())
    theirs = make_agent(f"{__name__}:{bot}", HOLDEM).policy(
        start(HOLDEM), all_holes(HOLDEM)[:99], ()
    )
    assert ours is not None
    assert theirs is not None
    for action in (FOLD, CALL):
        assert np.array_equal(ours.chances(action), theirs.chances(action))


def test_hands_are_played_as_often_as_the_bot_says() -> None:
    class Mixed:
        def strategy(self, state: PublicState, hand: tuple[int, ...]) -> dict[int, float]:
            return {CALL: 0.25, 300: 0.75}

    agent, calls = BotAgent(Mixed(), HOLDEM), 0
    for seed in range(400):
        agent.begin(seed)
        calls += agent.act(start(HOLDEM), (0, 5), ()) == CALL
    assert 70 < calls < 130  # 100 ± 3.5 standard deviations


def test_hands_that_the_board_blocks_are_not_asked_for() -> None:
    asked: list[np.ndarray] = []

    class Watching:
        def policy(self, state: PublicState, hands: np.ndarray) -> np.ndarray:
            asked.append(hands)
            return np.full((len(hands), len(state.actions)), 1 / len(state.actions))

    flop = start(HOLDEM).apply(CALL).apply(CALL)
    board = (0, 1, 2)
    choice = BotAgent(Watching(), HOLDEM).policy(flop, all_holes(HOLDEM), board)
    assert len(asked[0]) == 49 * 48 // 2
    assert not np.isin(asked[0], board).any()
    np.testing.assert_allclose(choice.probabilities.sum(axis=1), 1)


def at_once(answer: Any, actions: Any = None) -> Any:
    """A bot that gives one answer everywhere."""

    class Given:
        def policy(self, state: PublicState, hands: np.ndarray) -> Any:
            if isinstance(answer, Exception):
                raise answer
            return answer

    if actions is not None:
        Given.actions = lambda self, state: actions  # type: ignore[attr-defined]
    return Given()


WRONG = {
    "shape": (np.ones((3, 4)) / 4, "gives probabilities of shape (3, 4), not (2, 4)"),
    "row of a mapping": ({CALL: np.ones(3)}, "gives probabilities of shape (3,) for 2 hands"),
    "sum": ({CALL: 0.5, 300: 0.4}, "with a sum of 1"),
    "negative": ({CALL: 1.5, 300: -0.5}, "plays 2c3c with probabilities [1.5, -0.5]"),
    "nan": ({CALL: float("nan")}, "which are not from 0 to 1"),
    "illegal": ({150: 1.0}, "plays an illegal action: no raise to 150 after ''"),
    "not an action": ({"call": 1.0}, "names dict_keys(['call']) as its actions"),
    "nothing": ({}, "must name one action or more"),
    "none": (None, "gives None where probabilities belong"),
    "text": ("all-in", "gives 'all-in' where probabilities belong"),
    "error": (KeyError("AA"), "failed in policy after '': KeyError: 'AA'"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_answer_is_one_sentence(case: str) -> None:
    answer, sentence = WRONG[case]
    agent = BotAgent(at_once(answer), HOLDEM, "mine:Bot")
    with pytest.raises(AgentError) as caught:
        agent.policy(start(HOLDEM), [(0, 4), (8, 12)], ())
    assert str(caught.value).startswith("bot mine:Bot ")
    assert sentence in str(caught.value)


@pytest.mark.parametrize("actions", [[CALL, CALL], [1e9], ["call"], []])
def test_wrong_actions_are_refused(actions: list[Any]) -> None:
    with pytest.raises(AgentError, match="action"):
        BotAgent(at_once([[1.0]], actions), HOLDEM).policy(start(HOLDEM), [(0, 4)], ())


def test_what_is_no_bot_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EndspielError, match="int is no bot: it has no method policy or strategy"):
        BotAgent(3, HOLDEM)
    path = tmp_path / "broken.py"
    path.write_text("class Bot:\n    def __init__(self): raise OSError('no weights')\n")
    path.write_text(path.read_text() + "    def policy(self, state, hands): ...\n")
    with pytest.raises(AgentError, match="makes no bot: OSError: no weights"):
        make_agent(f"{path}:Bot", HOLDEM)
    with pytest.raises(EndspielError, match=r"there is no file gone\.py"):
        make_agent("gone.py:Bot", HOLDEM)


def test_bots_are_found_in_the_current_folder_and_in_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    text = "class Bot:\n    def strategy(self, state, hand):\n        return {0: 1.0}\n"
    for name in ("bot_of_this_folder.py", "other.py"):
        (tmp_path / name).write_text(text)
    for spec in ("bot_of_this_folder:Bot", "other.py:Bot", f"{tmp_path}/other.py:Bot"):
        assert make_agent(spec, LEDUC).act(start(LEDUC), (42,), ()) == CALL
        assert len(named_files(spec)) == 1  # whose contents decide whether finished boards count
    assert named_files("blueprint+nested") == []


def test_a_changed_bot_is_measured_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bot, state = tmp_path / "changing.py", tmp_path / "state"
    text = "class Bot:\n    def strategy(self, state, hand):\n        return {ACTION: 1.0}\n"
    plan = ResponsePlan(LEDUC, f"{bot}:Bot", "fcpa", boards=2)
    lost = []
    for action in ("0", "(-1 if state.to_call else 0)"):
        bot.write_text(text.replace("ACTION", action))
        lost.append(measure_response(plan, workers=1, state=state).units.tolist())
    assert lost[0] != lost[1]


def test_raises_by_shares_of_the_pot() -> None:
    def public(*actions: int) -> PublicState:
        state = start(HOLDEM)
        for action in actions:
            state = state.apply(action)
        return PublicState(state, ())

    assert public().raise_to(1.0) == 300  # 100 to call, 200 in the pot then
    assert public(300).raise_to(0.5) == 600
    assert public(300).raise_to(0.01) == 500  # the least
    assert public(300).raise_to(1e9) == 20_000
    assert public(20_000).raise_to(1.0) is None


def test_scores_of_a_network_are_shared_among_legal_actions() -> None:
    scores = np.log([[1.0, 2.0, 3.0, 4.0], [8.0, 1.0, 1.0, 0.5]])
    bot = NetBot(
        lambda features: scores,
        features=lambda state, hands: hands,
        actions=lambda state: (FOLD, CALL, state.raise_to(0.5), state.raise_to(0.01)),
    )
    facing = start(HOLDEM).apply(19_900)  # every raise is all-in: two scores stand for one action
    found = BotAgent(bot, HOLDEM).policy(facing, [(0, 4), (8, 12)], ())
    assert found.actions == (FOLD, CALL, 20_000)
    np.testing.assert_allclose(
        found.probabilities, [[0.1, 0.2, 0.7], [8 / 10.5, 1 / 10.5, 1.5 / 10.5]]
    )
    free = start(HOLDEM).apply(CALL)
    found = BotAgent(bot, HOLDEM).policy(free, [(0, 4), (8, 12)], ())
    assert FOLD not in found.actions
    np.testing.assert_allclose(found.probabilities.sum(axis=1), 1)


def test_a_network_of_another_shape_is_refused() -> None:
    bot = NetBot(lambda x: np.ones((1, 2)), lambda s, h: h, lambda state: (FOLD, CALL, 300))
    with pytest.raises(AgentError, match=r"scores of shape \(1, 2\), not \(2, 3\)"):
        BotAgent(bot, HOLDEM).policy(start(HOLDEM), [(0, 4), (8, 12)], ())


def test_models_without_their_library_or_file_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, make in (("torch", torch_model), ("onnxruntime", onnx_model)):
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(EndspielError, match="pip install"):
            make(tmp_path / "none")

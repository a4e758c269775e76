"""The endgame-solving agent: legal whatever is bet, in time, the same under its seed."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endspiel.agent import make_agent
from endspiel.agent.base import Agent
from endspiel.agent.endgame import EndgameAgent
from endspiel.agent.thoughts import tell
from endspiel.arena.estimators.shares import all_holes
from endspiel.cards.deck import NUM_CARDS
from endspiel.errors import EndspielError, RulesError
from endspiel.rules.acpc import history, parse_betting
from endspiel.rules.builtin import load_rules
from endspiel.rules.state import CALL, FOLD, State, start
from tests.blueprint_fixture import small_blueprint

GAME = load_rules("nolimit-holdem")
TECHNIQUES = ("unsafe-lp", "unsafe", "resolve", "maxmargin", "reach-maxmargin")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(small_blueprint(tmp_path_factory.getbasetemp()).path)


def agent_of(file: str, technique: str, *options: str) -> Agent:
    return make_agent(",".join([f"blueprint+{technique}", f"file={file}", *options]), GAME)


def wish_for(state: State, wish: float) -> int:
    """Mostly calls, so that rivers come, and raises of all sizes."""
    bounds = state.raise_bounds()
    if wish < 0.6 or bounds is None:
        return CALL
    least, most = bounds
    return least + round((most - least) * ((wish - 0.6) / 0.4) ** 4)


def play(agent: Agent, seat: int, seed: int, wishes: list[float]) -> list[int]:
    """One hand against an opponent who does what the wishes say; the agent's actions."""
    cards = tuple(np.random.default_rng(seed).permutation(NUM_CARDS)[:9].tolist())
    agent.begin(seed)
    state, done = start(GAME), []
    for wish in wishes:
        if state.finished:
            break
        if state.actor == seat:
            board = cards[4 : 4 + GAME.board_sizes[state.round]]
            action = agent.act(state, cards[2 * seat : 2 * seat + 2], board)
            done.append(action)
        else:
            action = wish_for(state, wish)
        state = state.apply(action)  # refuses what is not legal
    return done


hands = given(
    seat=st.integers(0, 1),
    seed=st.integers(0, 2**32),
    wishes=st.lists(st.floats(0, 1), min_size=40, max_size=40),
)


@pytest.mark.parametrize("technique", TECHNIQUES[1:])
@settings(max_examples=12, deadline=None)
@hands
def test_legal_and_the_same_under_the_seed(
    file: str, technique: str, seat: int, seed: int, wishes: list[float]
) -> None:
    plays_the_same(file, technique, seat, seed, wishes)


@settings(max_examples=5, deadline=None)  # a linear program takes a second
@hands
def test_programs_are_legal_and_the_same_under_the_seed(
    file: str, seat: int, seed: int, wishes: list[float]
) -> None:
    plays_the_same(file, TECHNIQUES[0], seat, seed, wishes)


def plays_the_same(file: str, technique: str, seat: int, seed: int, wishes: list[float]) -> None:
    options = ("iterations=30,bound=100", "target=0.1", "hand=1000", "move=1000")
    agent = agent_of(file, technique, *options)
    assert isinstance(agent, EndgameAgent)
    assert play(agent, seat, seed, wishes) == play(agent, seat, seed, wishes)
    for thought in agent.thoughts:
        assert thought.strategy.shape == (len(thought.actions), 1326)
        assert all(isinstance(line, str) for line in tell(thought))


def test_from_the_turn_on(file: str) -> None:
    """Checked down to the river, the agent has solved two streets."""
    for technique in ("unsafe", "maxmargin"):
        agent = agent_of(
            file, technique, "turn=yes", "iterations=3,bound=100", "hand=1000", "move=1000"
        )
        for seed in range(20):
            play(agent, 0, seed, [0.0] * 40)
            streets = {len(t.board) for t in agent.thoughts if t.source.startswith("endgame")}
            if streets == {4, 5}:
                break
        else:
            raise AssertionError("no hand came to the river")


def test_without_time_the_blueprint_is_played(file: str) -> None:
    agent = agent_of(file, "unsafe", "hand=0")
    plain = make_agent(f"blueprint:{file},post=purify", GAME)
    for seed in range(10):
        assert play(agent, 0, seed, [0.0] * 40) == play(plain, 0, seed, [0.0] * 40)
        assert all(thought.source == "blueprint" for thought in agent.thoughts)


@pytest.mark.parametrize("technique", TECHNIQUES)
def test_the_clock_is_kept(file: str, technique: str) -> None:
    """What cannot be reached in time is not waited for: a target of zero ends with the move."""
    agent = agent_of(file, technique, "target=0", "iterations=1000000", "move=0.4")
    play(agent, 0, 1, [0.0] * 40)  # whatever must be loaded
    begin = time.thread_time()  # what others take does not count, nor what waits
    for seed in range(4):
        play(agent, 1, seed, [0.0] * 40)
    assert time.thread_time() - begin < 4 * 3 * 2 * 0.4 + 4  # moves of the river, and the trunk


@pytest.mark.slow
@pytest.mark.parametrize("technique", TECHNIQUES)
def test_hundreds_of_absurd_hands(technique: str) -> None:
    """Against bets of all sizes with the shipped blueprint: legal, no crash, what was told kept."""
    agent = make_agent(f"blueprint+{technique},iterations=50,bound=100", GAME)
    rng = np.random.default_rng(7)
    for number in range(300):
        play(agent, number % 2, number, rng.random(40).tolist())
        for thought in agent.thoughts:
            state = parse_betting(GAME, thought.line)
            choice = agent.policy(state, all_holes(GAME), thought.board)
            assert choice is not None
            assert choice.actions == thought.actions
            assert np.array_equal(
                choice.probabilities[thought.hand], thought.strategy[:, thought.hand]
            )
            assert all(state.can(action) for action in choice.actions)


def history_of(line: str) -> list[int]:
    """The actions of a line."""
    return [action for street in history(parse_betting(GAME, line)) for action in street]


def test_the_policy_is_what_is_played(file: str) -> None:
    agent = agent_of(file, "unsafe", "iterations=30,bound=100")
    for seed in range(20):
        play(agent, 0, seed, [0.0] * 40)
        told = [t for t in agent.thoughts if t.source == "endgame unsafe"]
        if told:
            break
    thought = told[0]
    state = start(GAME)
    for betting in history_of(thought.line):
        state = state.apply(betting)
    agent.begin(seed)
    choice = agent.policy(state, all_holes(GAME), thought.board)
    assert choice is not None
    assert choice.actions == thought.actions
    assert np.allclose(choice.probabilities.sum(axis=1), 1)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ("target=-1", "option target is a number"),
        ("move=soon", "option move is a number"),
        ("turn=maybe", "option turn is yes or no"),
        ("speed=9", "no option 'speed=9'"),
        ("fast", "no option 'fast'"),
        ("file=", "no option 'file='"),
        ("iterations=0", "a whole number from 1 up"),
        ("rake=5", "as in '5%'"),
        ("rake_cap=5", "rake_cap is given without a rake"),
        ("iterations=1.5", "a whole number from 1 up"),
        ("file=nowhere.blueprint", "no strategy file"),
    ],
)
def test_bad_options_are_refused(options: str, reason: str) -> None:
    with pytest.raises(EndspielError, match=reason):
        make_agent(f"blueprint+unsafe,{options}", GAME)


def test_limit_games_are_refused(file: str) -> None:
    with pytest.raises(RulesError):
        make_agent(f"blueprint+unsafe,file={file}", load_rules("limit-holdem"))


def test_an_endgame_may_be_folded(file: str) -> None:
    """Facing all chips with nothing, some hands are given up on the river."""
    agent = agent_of(file, "unsafe", "iterations=200,bound=100")
    folded = False
    for seed in range(60):
        wishes = [0.0] * 12 + [1.0] * 28
        folded |= FOLD in play(agent, 1, seed, wishes)
    assert folded


def test_a_bet_outside_the_tree_leaves_the_real_pot(file: str) -> None:
    """The 2015 paper's example: 5,000 in the pot, 17,500 behind, and a bet of 10,000.

    The blueprint takes the bet for another; the river is solved with the pot of 25,000 and the
    7,500 behind that there really are.
    """
    agent = agent_of(file, "unsafe", "iterations=20,bound=100")
    state = start(GAME)
    for action in (2500, CALL, CALL, CALL, 12_500, CALL):
        state = state.apply(action)
    assert (state.pot, GAME.stacks[0] - state.max_spent) == (25_000, 7_500)
    follower = agent.follower
    agent.begin(3)
    tree, node = agent.blueprint.tree, follower.node(state)
    assert tree.spent[node].sum() != 25_000  # the blueprint is elsewhere
    agent.act(state, (8, 33), (0, 13, 26, 40, 51))
    (thought,) = [t for t in agent.thoughts if t.source == "endgame unsafe"]
    bets = [action for action in thought.actions if action > 0]
    assert max(bets) == 20_000
    assert all(12_500 < bet <= 20_000 for bet in bets)


def test_endgames_may_be_raked(file: str) -> None:
    agent = agent_of(file, "unsafe", "iterations=20,bound=100", "rake=5%", "rake_cap=300")
    state = start(GAME)
    for action in (2500, CALL, CALL, CALL, CALL, CALL):
        state = state.apply(action)
    agent.begin(3)
    agent.act(state, (8, 33), (0, 13, 26, 40, 51))
    root = agent.stages.root
    assert root is not None
    assert str(root.endgame.tree.rake) == "5% of the pot, at most 300 chips"
    with pytest.raises(EndspielError, match="resolve solves zero-sum endgames"):
        agent_of(file, "resolve", "rake=5%")

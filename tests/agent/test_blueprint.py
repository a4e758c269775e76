"""The blueprint agent: legal whatever happens, the same under its seed, true to its strategy."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endspiel.agent import make_agent
from endspiel.agent.base import Draws
from endspiel.agent.blueprint import BlueprintAgent
from endspiel.agent.follow import NOWHERE, Follower
from endspiel.arena.estimators.shares import all_holes
from endspiel.arena.match import run_match
from endspiel.arena.plan import MatchPlan
from endspiel.betting.limit import limit_tree
from endspiel.betting.translation import DEFAULT_MAPPING, MAPPINGS, Bet, choices
from endspiel.betting.tree import DECISION
from endspiel.blueprint.blueprint import Blueprint, save_blueprint
from endspiel.cards.deck import hand_index
from endspiel.cards.live import live_mask
from endspiel.errors import BettingError, EndspielError, FileError, RulesError
from endspiel.game.post import Post
from endspiel.ranges.line import ranges_along
from endspiel.rules.acpc import parse_betting
from endspiel.rules.builtin import load_rules
from endspiel.rules.state import CALL, FOLD, State, start
from tests.blueprint_fixture import small_abstraction, small_blueprint

HOLDEM = load_rules("nolimit-holdem")
BOARD = (0, 13, 26, 40, 51)
HOLE = (8, 33)


@pytest.fixture(scope="module")
def blueprint(tmp_path_factory: pytest.TempPathFactory) -> Blueprint:
    return small_blueprint(tmp_path_factory.getbasetemp())


def spread(state: State, wish: float) -> int:
    """An action of the other player for a number from 0 to 1: all kinds, absurd sizes too."""
    bounds = state.raise_bounds()
    if wish < 0.05 and state.can_fold():
        return FOLD
    if wish < 0.35 or bounds is None:
        return CALL
    least, most = bounds
    return least + round((most - least) * ((wish - 0.35) / 0.65) ** 6)


def board_of(state: State) -> tuple[int, ...]:
    return BOARD[: state.game.board_sizes[state.round]]


@settings(max_examples=300, deadline=None)
@given(
    stack=st.sampled_from((100, 150, 250, 1000, 3_700, 20_000, 100_000)),
    seat=st.integers(0, 1),
    seed=st.integers(0, 2**64 - 1),
    mapping=st.sampled_from(sorted(MAPPINGS)),
    wishes=st.lists(st.floats(0, 1), min_size=60, max_size=60),
)
def test_legal_whatever_the_other_bets(
    blueprint: Blueprint, stack: int, seat: int, seed: int, mapping: str, wishes: list[float]
) -> None:
    game = replace(HOLDEM, stacks=(stack, stack))
    agent = BlueprintAgent(game, blueprint, mapping)
    agent.begin(seed)
    state = start(game)
    for wish in wishes:
        if state.finished:
            break
        ours = state.actor == seat
        action = agent.act(state, HOLE, board_of(state)) if ours else spread(state, wish)
        if ours:
            state.verify(action)
            policy = agent.policy(state, [HOLE], board_of(state))
            assert policy.probabilities[0, policy.actions.index(action)] > 0
            assert sum(policy.probabilities[0]) == pytest.approx(1)
        state = state.apply(action)
    steps = agent.follower.steps(state)
    assert all(blueprint.tree.kind[step.node] == DECISION for step in steps)
    assert all(blueprint.tree.player[step.node] == step.player for step in steps)


def test_thousands_of_hands_against_a_random_player(blueprint: Blueprint) -> None:
    spec = f"blueprint:{blueprint.path}"
    result = run_match(MatchPlan(HOLDEM, (spec, "random"), 3000, seed=5), workers=1)
    assert result.chips.shape == (2, 1500)  # every action was verified, all chips were counted
    again = run_match(MatchPlan(HOLDEM, (spec, "random"), 3000, seed=5), workers=1)
    assert (result.chips == again.chips).all()
    other = run_match(MatchPlan(HOLDEM, (spec, "random"), 3000, seed=6), workers=1)
    assert (result.chips != other.chips).any()


def test_inside_the_tree_every_line_is_followed_to_its_node(blueprint: Blueprint) -> None:
    tree, follower = blueprint.tree, Follower(blueprint, HOLDEM)
    rng = np.random.default_rng(1)
    for _ in range(200):
        node, state = 0, start(HOLDEM)
        while not state.finished:
            assert follower.node(state) == node
            place = int(rng.integers(tree.num_children[node]))
            action = follower.table_action(state, node, place)
            child = tree.children(node)[place]
            assert action <= CALL or action == tree.spent[child].max()
            assert follower.table_actions(state, node)[place] == action
            state, node = state.apply(action), child
            while tree.num_children[node] == 1:
                node = tree.children(node)[0]
            step = follower.steps(state)[-1]
            assert (step.node, step.actions) == (int(tree.parent[child]), (place,))


def test_play_is_what_the_rows_say(blueprint: Blueprint) -> None:
    state = parse_betting(HOLDEM, "r300c/")
    agent = BlueprintAgent(HOLDEM, blueprint)
    choice = agent.policy(state, [HOLE], BOARD[:3])
    node = blueprint.tree.find("r300 c /")
    row = blueprint.row(node, blueprint.abstraction.bucket(1, HOLE, BOARD[:3]))
    assert choice.actions == (CALL, 300 + 450, 20_000)
    assert choice.probabilities[0] == pytest.approx(row)
    counts = dict.fromkeys(choice.actions, 0)
    for seed in range(3000):
        agent.begin(seed * 0x9E3779B97F4A7C15)
        counts[agent.act(state, HOLE, BOARD[:3])] += 1
    for action, chance in zip(choice.actions, row, strict=True):
        assert counts[action] / 3000 == pytest.approx(chance, abs=4 * (0.25 / 3000) ** 0.5)


def test_purified_play_is_always_the_same(blueprint: Blueprint) -> None:
    agent = make_agent(f"blueprint:{blueprint.path},post=purify", HOLDEM)
    state = parse_betting(HOLDEM, "c")
    for hole in all_holes(HOLDEM)[::97]:
        bucket = blueprint.abstraction.bucket(0, hole)
        best = int(blueprint.row(blueprint.tree.find("c"), bucket).argmax())
        played = set()
        for seed in range(20):
            agent.begin(seed * 0x9E3779B97F4A7C15)
            played.add(agent.act(state, hole, ()))
        assert played == {(CALL, 300, 20_000)[best]}


def test_off_tree_bets_are_mapped_as_often_as_the_mapping_says(blueprint: Blueprint) -> None:
    state = parse_betting(HOLDEM, "r300c/cr900")  # a pot: three quarters or all-in
    tree, follower = blueprint.tree, Follower(blueprint, HOLDEM)
    node = tree.find("r300 c / c")
    wanted = dict(choices(tree, node, Bet(600 / 600), follower.mapping))
    assert len(wanted) == 2
    counts = dict.fromkeys(wanted, 0)
    for seed in range(2000):
        follower.begin(seed * 0x9E3779B97F4A7C15)
        at = follower.node(state)
        assert at == follower.node(state)
        counts[at] += 1
    for child, chance in wanted.items():
        assert counts[child] / 2000 == pytest.approx(chance, abs=4 * (0.25 / 2000) ** 0.5)


def test_a_hand_that_outruns_the_tree_goes_on_at_the_nearest_node(blueprint: Blueprint) -> None:
    follower = Follower(blueprint, HOLDEM, "deterministic-arithmetic")
    # Taken for all-in and called: the tree's hand is over, the table's is not.
    state = parse_betting(HOLDEM, "cr15000c/")
    node = follower.node(state)
    assert node != NOWHERE
    assert blueprint.tree.street[node] == 1
    assert blueprint.tree.player[node] == state.actor
    assert len(follower.steps(state)) == 3
    # More raises than any tree has.
    line = "r200r300r400r500r600r700r800c/r900r1000r1100r1200r1300r1400"
    state = parse_betting(HOLDEM, line)
    node = follower.node(state)
    assert blueprint.tree.street[node] == 1
    assert blueprint.tree.player[node] == state.actor
    assert blueprint.tree.spent[node].max() > blueprint.tree.spent[node].min()


@pytest.fixture
def lost(blueprint: Blueprint) -> Follower:
    """Of a tree without decisions on the flop, which loses hands that leave it before."""
    follower = Follower(blueprint, HOLDEM)
    none = tuple(column[:0] for column in follower._decisions[1][0])
    follower._decisions[1] = [none, none]
    return follower


def test_a_lost_hand_is_found_again_on_the_next_street(
    blueprint: Blueprint, lost: Follower
) -> None:
    """Where the tree has no decision nothing is followed; what comes later is."""
    tree = blueprint.tree
    for seed in range(40):
        lost.begin(seed * 0x9E3779B97F4A7C15)
        flop = parse_betting(HOLDEM, "cr15000c/")  # taken for all-in and called, or not
        if lost.node(flop) != NOWHERE:
            continue
        before = lost.steps(flop)
        assert [step.street for step in before] == [0, 0, 0]
        checked = parse_betting(HOLDEM, "cr15000c/c")
        assert lost.node(checked) == NOWHERE
        assert lost.steps(checked) == before
        turn = parse_betting(HOLDEM, "cr15000c/cc/")
        node = lost.node(turn)
        assert (tree.street[node], tree.player[node]) == (2, turn.actor)
        assert lost.steps(turn) == before
        after = lost.steps(parse_betting(HOLDEM, "cr15000c/cc/c"))
        assert after[:-1] == before
        assert (after[-1].node, after[-1].street) == (node, 2)
        return
    raise AssertionError("no seed loses the hand")


def test_what_an_off_tree_bet_is_taken_for_depends_on_its_number_alone(
    blueprint: Blueprint, lost: Follower
) -> None:
    """Also where the tree lost the hand before: actions at the table are counted on."""
    state = parse_betting(HOLDEM, "cr15000c/cc/r16500")  # the sixth action, numbered from 0
    seen = set()
    for seed in range(200):
        lost.begin(seed * 0x9E3779B97F4A7C15)
        if lost.node(parse_betting(HOLDEM, "cr15000c/")) != NOWHERE:
            continue
        step = lost.steps(state)[-1]
        before = parse_betting(HOLDEM, "cr15000c/cc/")
        bet = Bet((16_500 - 15_000) / 30_000)
        (low, chance), *more = choices(blueprint.tree, step.node, bet, lost.mapping)
        draws = Draws(seed * 0x9E3779B97F4A7C15 ^ (5 + 1) * 0x9E3779B97F4A7C15)
        draws.uniform()
        first = int(blueprint.tree.first_child[step.node])
        wanted = low if draws.uniform() < chance else more[0][0]
        assert step.node == lost.node(before)
        assert step.actions == (wanted - first,)
        seen.add(wanted)
    assert len(seen) == 2


def test_bets_that_fall_together_add_up(blueprint: Blueprint) -> None:
    """With few chips several of the tree's bets are one at the table."""
    game = replace(HOLDEM, stacks=(250, 250))
    agent = BlueprintAgent(game, blueprint, DEFAULT_MAPPING)
    actions, rows = agent.strategy(start(game), ())
    assert len(actions) < blueprint.tree.num_children[0]
    assert rows.sum(axis=0) == pytest.approx(np.ones(len(rows[0])), abs=1e-6)


def test_other_chips_are_other_names_for_the_same_bets(blueprint: Blueprint) -> None:
    small = replace(HOLDEM, blinds=(2, 1), stacks=(400, 400))  # 50 and 100 chips are 1 and 2
    here, there = Follower(blueprint, HOLDEM), Follower(blueprint, small)
    for line, scaled in (("r300", "r6"), ("r300c/", "r6c/"), ("r300c/cr750", "r6c/cr15")):
        state = parse_betting(small, scaled)
        node = there.node(state)
        assert node == here.node(parse_betting(HOLDEM, line))
        sizes = here.table_actions(parse_betting(HOLDEM, line), node)
        for own, whole in zip(there.table_actions(state, node), sizes, strict=True):
            assert own == whole or abs(own - whole / 50) <= 0.5


def test_limit_games(tmp_path: Path) -> None:
    game, abstraction = load_rules("limit-holdem"), small_abstraction()
    tree = limit_tree(game)

    def uniform(node: int) -> np.ndarray:
        shape = int(tree.num_children[node]), abstraction.sizes[tree.street[node]]
        return np.full(shape, 1 / shape[0])

    save_blueprint(tmp_path / "limit", game, None, abstraction, uniform, {})
    spec = f"blueprint:{tmp_path / 'limit'}"
    result = run_match(MatchPlan(game, (spec, "random"), 400), workers=1)
    assert np.isfinite(result.chips).all()
    agent = make_agent(spec, game)
    state = parse_betting(game, "rrc/crr")
    assert agent.follower.node(state) == tree.find("r20 r30 c / c b10 r20")
    assert state.can(agent.act(state, HOLE, BOARD[:3]))


def test_reach_is_the_product_of_the_rows(blueprint: Blueprint) -> None:
    state = parse_betting(HOLDEM, "r300c/cr750c/")
    agent = BlueprintAgent(HOLDEM, blueprint)
    found = ranges_along(BOARD[:4], agent.follower.line(state, BOARD[:4]))
    reach = np.stack([one.weights for one in found])
    assert (reach[:, ~live_mask(BOARD[:4])] == 0).all()
    product = np.ones(2)
    for line, size in (("", 0), ("r300", 0), ("r300c/", 3), ("r300c/c", 3), ("r300c/cr750", 3)):
        before = parse_betting(HOLDEM, line)
        following = {"": 300, "r300": CALL, "r300c/": CALL, "r300c/c": 750, "r300c/cr750": CALL}
        choice = agent.policy(before, [HOLE], BOARD[:size])
        chance = choice.probabilities[0, choice.actions.index(following[line])]
        product[before.actor] *= chance
    assert reach[:, hand_index(*HOLE)] == pytest.approx(product)


def test_thoughts_tell_every_decision(blueprint: Blueprint) -> None:
    agent = BlueprintAgent(HOLDEM, blueprint.played(Post("threshold")))
    agent.begin(7)
    state = parse_betting(HOLDEM, "r300c/")
    action = agent.act(state, HOLE, BOARD[:3])
    (thought,) = agent.thoughts
    assert thought.actions[thought.chosen] == action
    assert thought.strategy.shape == (3, 1326)
    assert thought.own.shape == thought.other.shape == (1326,)
    agent.begin(8)
    assert not agent.thoughts


@pytest.mark.parametrize(
    ("spec", "error", "text"),
    [
        ("blueprint:nowhere.blueprint", FileError, "there is no strategy file nowhere.blueprint"),
        ("blueprint:{},post=best", EndspielError, "there is no post-processing 'best'"),
        ("blueprint:{},map=best", BettingError, "there is no mapping 'best'"),
        ("blueprint:{},speed=9", EndspielError, "no option 'speed=9' of a blueprint agent"),
        ("blueprint:{},post=none,post=none", EndspielError, "option post is given twice"),
    ],
)
def test_bad_specs(blueprint: Blueprint, spec: str, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        make_agent(spec.format(blueprint.path), HOLDEM)


def test_other_games_are_refused(blueprint: Blueprint) -> None:
    for name, what in (("leduc", "hole cards"), ("flop-holdem", "board cards")):
        with pytest.raises(RulesError, match=what):
            make_agent(f"blueprint:{blueprint.path}", load_rules(name))
    with pytest.raises(RulesError, match="no-limit betting"):
        make_agent(f"blueprint:{blueprint.path}", load_rules("limit-holdem"))

"""One line, one strategy, one range: whoever asks, and also where no hand takes an action.

The truth is worked out here, hand by hand along the blueprint's rows.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pytest

from endspiel.agent.base import Agent, make_agent
from endspiel.agent.follow import Follower
from endspiel.agent.moves import moves_of
from endspiel.arena.estimators.endgame_value import EndgameValue
from endspiel.arena.estimators.local_best_response import Opponent
from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.betting.tree import BY_CALL, BY_FOLD, CHANCE
from endspiel.blueprint.blueprint import Blueprint
from endspiel.cards.deck import NUM_HANDS, hand_cards
from endspiel.cards.live import live_hands
from endspiel.cards.ranges import parse_range
from endspiel.cards.text import parse_cards
from endspiel.errors import EndspielError
from endspiel.games.spot import Spot
from endspiel.kernels.arrays import Floats
from endspiel.ranges.line import ranges_along
from endspiel.ranges.prior import hand_prior
from endspiel.rules.builtin import load_rules
from endspiel.rules.state import CALL, State, start
from endspiel.solving.door import solve
from endspiel.solving.solution import SpotSolution
from endspiel.solving.spots import SpotOptions
from endspiel.web.reviews import Notes
from endspiel.web.views import answer_node
from tests.blueprint_fixture import small_blueprint

GAME = load_rules("nolimit-holdem")
BOARD = tuple(parse_cards("Ks Th 7s 4d 2c"))
HOLE = tuple(parse_cards("Qd Jc"))
LINE = "c c b c b c"  # before the river, as the small blueprint's tree has it
BET, CALLED = 4, 5  # actions of the turn, by number in the line
MISTAKE = 1e-3


class Step(NamedTuple):
    """A decision of the blueprint's tree and what was done there."""

    node: int
    place: int
    player: int
    street: int


class Case(NamedTuple):
    """A hand that has come to the river."""

    blueprint: Blueprint
    state: State
    truth: tuple[Floats, Floats]  # [1326] by position, the largest 1
    odd: bool  # whether the line has an action that no hand takes


def follow(blueprint: Blueprint) -> tuple[State, list[Step]]:
    """The table after the line, and the line in the blueprint's tree."""
    tree, node, state, steps = blueprint.tree, 0, start(GAME), []
    for word in LINE.split():
        while tree.kind[node] == CHANCE:
            node = int(tree.first_child[node])
        children = list(tree.children(node))
        bets = [c for c in children if tree.action[c] not in (BY_CALL, BY_FOLD)]
        child = bets[0] if word == "b" else next(c for c in children if tree.action[c] == BY_CALL)
        place, player = children.index(child), int(tree.player[node])
        steps.append(Step(node, place, player, int(tree.street[node])))
        chips = tree.pot // 2 + int(tree.spent[child].max())
        state, node = state.apply(chips if word == "b" else CALL), child
    return state, steps


def plain_range(blueprint: Blueprint, steps: list[Step], player: int, least: float) -> Floats:
    """How often each hand [1326] does what the player did, mistakes included, row by row."""
    weights = np.zeros(NUM_HANDS)
    for hand, cards in enumerate(hand_cards().tolist()):
        weights[hand] = not {*cards} & {*BOARD}
    for step in steps:
        if step.player == player:
            seen = BOARD[: GAME.board_sizes[step.street]]
            buckets, rows = blueprint.abstraction.board_buckets(seen), blueprint.rows(step.node)
            for hand in np.flatnonzero(weights).tolist():
                weights[hand] *= max(rows[step.place, buckets[hand]], least)
    return weights


@pytest.fixture(
    scope="module", params=[None, BET, CALLED], ids=["played", "never bet", "never called"]
)
def case(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Case]:
    """The small blueprint as it is, or one that never takes an action of the line."""
    blueprint = small_blueprint(tmp_path_factory.mktemp("callers"))
    state, steps = follow(blueprint)
    odd, plain = None if request.param is None else steps[request.param], Blueprint.rows

    def rows(self: Blueprint, node: int) -> Floats:
        found = plain(self, node).copy()
        if odd is not None and node == odd.node:
            found[odd.place - 1] += found[odd.place]
            found[odd.place] = 0.0
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Blueprint, "rows", rows)
        truth = []
        for player in (0, 1):
            errs = odd is not None and player == odd.player
            weights = plain_range(blueprint, steps, player, MISTAKE if errs else 0.0)
            truth.append(weights / weights.max())
        assert all(len(np.unique(weights)) > 3 for weights in truth)  # else nothing is seen here
        yield Case(blueprint, state, (truth[0], truth[1]), odd is not None)


def plain_agent(case: Case) -> Agent:
    agent = make_agent(f"blueprint:{case.blueprint.path}", GAME)
    agent.begin(1)
    return agent


def same(found: Floats, truth: Floats) -> None:
    np.testing.assert_allclose(found / found.max(), truth, rtol=1e-9, atol=1e-15)


def test_the_prior_and_the_follower(case: Case) -> None:
    line = Follower(case.blueprint, GAME).line(case.state, BOARD)
    prior, ranges = hand_prior(BOARD, line), ranges_along(BOARD, line)
    for player in (0, 1):
        same(prior.ranges[player], case.truth[player])
        same(ranges[player].weights, case.truth[player])
    assert any(prior.mistaken) == case.odd


@pytest.mark.parametrize("technique", ["unsafe", "resolve"])
def test_the_agent_solves_with_it(case: Case, technique: str) -> None:
    """Also a safe solve believes it; of our own range we may hold a little of every hand."""
    options = f"file={case.blueprint.path},post=none,iterations=1,bound=100,hand=1000,move=1000"
    agent = make_agent(f"blueprint+{technique},{options}", GAME)
    agent.begin(1)
    agent.act(case.state, HOLE, BOARD)
    (thought,) = [t for t in agent.thoughts if t.source == f"endgame {technique}"]
    seat = case.state.actor
    same(thought.other, case.truth[1 - seat])
    live = [not {*cards} & {*BOARD} for cards in hand_cards().tolist()]
    same(thought.own, np.where(live, np.maximum(case.truth[seat], 1e-5), 0.0))


def test_a_blueprint_agent_thinks_of_it(case: Case) -> None:
    agent = plain_agent(case)
    agent.act(case.state, HOLE, BOARD)
    (thought,) = agent.thoughts
    same(thought.own, case.truth[case.state.actor])
    same(thought.other, case.truth[1 - case.state.actor])


def test_the_local_best_response_reckons_with_it(case: Case) -> None:
    """But for hands with a card of its own."""
    opponent = Opponent(GAME, plain_agent(case), "blueprint")
    opponent.begin(1)
    held = [bool({*cards} & {*HOLE}) for cards in hand_cards().tolist()]
    truth = np.where(held, 0.0, case.truth[1 - case.state.actor])
    same(opponent.weights(case.state, HOLE, BOARD), truth / truth.max())


def test_endgame_values_weigh_with_it_or_refuse(case: Case) -> None:
    agents = [plain_agent(case)] * 2
    values = EndgameValue(GAME)
    if case.odd:
        with pytest.raises(EndspielError, match="never plays"):
            values.ranges(agents, case.state, BOARD)
        return
    for found, truth in zip(values.ranges(agents, case.state, BOARD), case.truth, strict=True):
        same(found, truth)


@pytest.mark.parametrize("player", [0, 1])
def test_a_review_tells_it(case: Case, player: int) -> None:
    agent, notes = plain_agent(case), Notes()
    for state, action in moves_of(case.state):
        if state.actor == player:
            board = BOARD[: GAME.board_sizes[state.round]]
            notes.add(agent, state, (HOLE, board), (action, 0.0))
    same(notes.range_on(BOARD), case.truth[player])


@pytest.fixture(scope="module")
def locked() -> SpotSolution:
    """A river on which the first player never bets."""
    menu = StreetMenu.parse("50%", "100%")
    ranges = parse_range("AA,KQs:0.5,98s"), parse_range("QQ-88,AKs:0.25")
    spot = Spot(BOARD, 100, 300, ranges, Sizing.same(menu))
    locks = (": c 1", "b50: f 0.5, c 0.5", "c: c 0.25, b50 0.75")
    return solve(spot, options=SpotOptions(locks=locks), iterations=20)


def test_the_page_shows_it(locked: SpotSolution) -> None:
    """Where nobody bets, a bet tells nothing: the range is the one that the spot begins with."""
    dealt = [weights * live_hands(BOARD) for weights in locked.spot.ranges]
    assert not locked.reach("b50", 0).any()
    for line in ("b50", "b50 c"):
        answer = answer_node(locked, line, "job", final=True)
        shown = [view.combos for view in answer.ranges]
        calls = 0.5 if "c" in line else 1.0
        assert shown == pytest.approx([dealt[0].sum(), calls * dealt[1].sum()])

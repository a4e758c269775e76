"""The nested agent before the flop: charts of the game's depth, and bets that they lack."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import endspiel as es
from endspiel.agent import make_agent
from endspiel.agent.nested import NestedAgent
from endspiel.cards.classes import NUM_CLASSES, class_names, hand_classes
from endspiel.cards.deck import hand_index
from endspiel.cards.text import parse_cards
from endspiel.errors import EndspielError
from endspiel.games.preflop_charts import PreflopCharts
from endspiel.preflop import played_charts
from endspiel.preflop.played_charts import PlayedCharts, hand_weights, obstacle
from endspiel.preflop.shipped import OPENS, RAISES, RERAISES
from endspiel.ranges.line import ranges_along
from endspiel.rules.acpc import parse_betting
from endspiel.rules.builtin import load_rules
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import CALL, FOLD, start

GAME = load_rules("nolimit-holdem")
FLOP = tuple(parse_cards("Ks Th 7s"))


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Small products in two threads wait for each other."""
    with threadpool_limits(1):
        yield


def of_depth(blinds: float) -> GameDef:
    chips = round(100 * blinds)
    return replace(GAME, stacks=(chips, chips))


def nested(game: GameDef, options: str = "") -> NestedAgent:
    agent = make_agent(f"blueprint+nested{options}", game)
    assert isinstance(agent, NestedAgent)
    agent.begin(1)
    return agent


@pytest.fixture(scope="module")
def deep() -> NestedAgent:
    return nested(GAME)


def chances(agent: NestedAgent, line: str, hand: str) -> dict[int, float]:
    state = parse_betting(agent._game, line)
    choice = agent.policy(state, [tuple(parse_cards(hand))], ())
    assert choice is not None
    return dict(zip(choice.actions, choice.probabilities[0].tolist(), strict=True))


def test_every_hand_of_a_class_is_played_alike(deep: NestedAgent) -> None:
    actions, strategy = deep.strategy(start(GAME), ())
    assert actions == (FOLD, CALL, 200, 300, 20_000)
    np.testing.assert_allclose(strategy.sum(axis=0), 1.0, atol=1e-9)
    for kind in range(NUM_CLASSES):
        rows = strategy[:, hand_classes() == kind]
        assert (rows == rows[:, :1]).all()


def test_aces_are_raised_and_trash_is_not(deep: NestedAgent) -> None:
    assert chances(deep, "", "AsAh")[CALL] < 0.3
    assert chances(deep, "", "7h2c")[FOLD] > 0.9
    answer = chances(deep, "r300", "AsAh")
    assert answer[900] > 0.9
    assert chances(deep, "r300", "7h2c")[FOLD] > 0.95
    assert chances(deep, "r300", "KsTs")[FOLD] == pytest.approx(0, abs=0.01)


def test_short_stacks_play_charts_of_their_own_depth() -> None:
    ten = nested(of_depth(10))
    assert chances(ten, "", "Jh5c").get(300, 0.0) < 0.02  # the 200-blind strategy raises it
    assert chances(ten, "", "AsAh")[FOLD] < 0.01
    assert chances(ten, "", "7h2c")[FOLD] > 0.99
    hundred = nested(of_depth(100))
    assert chances(hundred, "", "AsAh")[CALL] < 0.15
    assert chances(hundred, "", "7h2c")[FOLD] > 0.99
    assert "charts of 10 big blinds" in ten.charts.why(start(of_depth(10)))  # type: ignore[union-attr]


def test_below_six_blinds_it_is_push_or_fold_exactly() -> None:
    five = nested(of_depth(5))
    exact = es.solve(es.games.push_fold(stack=5), "lp").profile.behavior[0]
    push = exact.reshape(-1)[1:].reshape(2, NUM_CLASSES)[1]
    actions, strategy = five.strategy(start(of_depth(5)), ())
    assert actions == (FOLD, 500)
    np.testing.assert_allclose(strategy[1], hand_weights(push), atol=1e-7)
    # A limp is not in that game: it is answered by a tree that has it.
    assert CALL in chances(five, "c", "7h2c")
    assert chances(five, "r500", "AsAh")[CALL] == pytest.approx(1.0)


@pytest.mark.parametrize("bet", ["r250", "r777", "r20000"])
def test_a_bet_that_the_charts_lack_is_put_into_the_tree(deep: NestedAgent, bet: str) -> None:
    state = parse_betting(GAME, bet)
    assert deep.charts is not None
    assert ("solved again with a bet" in deep.charts.why(state)) == (bet != "r20000")
    answer = chances(deep, bet, "AsAh")
    assert answer.get(FOLD, 0.0) < 0.01
    assert chances(deep, bet, "7h2c")[FOLD] > 0.6
    # What it is taken for by translation is another bet: the bets answered are this one's.
    raised = {action for action in answer if action > 0}
    assert raised == ({20_000, 3 * int(bet[1:])} if bet != "r20000" else set())


def test_a_bet_put_in_is_answered_as_in_the_whole_tree_that_has_it() -> None:
    """A solve of the rest leaves the one who bets no more than a solve of everything does."""
    rules = of_depth(20)
    rest = PlayedCharts(rules).decision([(start(rules), 250)])
    whole = PlayedCharts(rules)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(played_charts, "OPENS", "2x, 2.5x, 3x, a")
        played_charts._whole_tree.cache_clear()
        whole = PlayedCharts(rules)
    played_charts._whole_tree.cache_clear()
    told = whole.decision([(start(rules), 250)])
    assert (rest.again, told.again) == (1, 0)
    assert rest.actions == told.actions
    sizes = np.bincount(hand_classes(), minlength=NUM_CLASSES)
    apart = np.abs(rest.strategy[0] - told.strategy[0]) @ sizes / sizes.sum()
    assert apart < 0.12  # how often each hand folds
    fold = [one.strategy[0] @ sizes / sizes.sum() for one in (rest, told)]
    assert fold[0] == pytest.approx(fold[1], abs=0.05)


def test_ranges_on_the_flop_come_from_the_charts(deep: NestedAgent) -> None:
    deep.begin(1)
    opened, answer = parse_betting(GAME, ""), parse_betting(GAME, "r300")
    flop = parse_betting(GAME, "r300c/")
    (first, opens), (second, calls) = (deep.strategy(at, ()) for at in (opened, answer))
    own, other = deep._ranges(flop, FLOP, 0)
    dead = [hand_index(*parse_cards(hand)) for hand in ("KsQs", "Th9h", "7s2c")]
    for found, weights in (
        (own, calls[second.index(CALL)]), (other, opens[first.index(300)]),
    ):  # fmt: skip
        truth = weights / weights.max()
        assert (found[dead] == 0).all()
        alive = found > 0
        np.testing.assert_allclose(found[alive] / found.max(), truth[alive], rtol=1e-6)
    line = deep._line(flop, FLOP)
    assert [one.weights.sum() > 0 for one in ranges_along(FLOP, line)] == [True, True]


def test_a_thought_names_the_charts_and_seeds_repeat(deep: NestedAgent) -> None:
    hole = tuple(parse_cards("9h8h"))
    for line in ("", "r300", "r250"):
        state, played = parse_betting(GAME, line), []
        for _ in range(2):
            deep.begin(7)
            played.append(deep.act(state, hole, ()))
        (thought,) = deep.thoughts
        assert played[0] == played[1] == thought.actions[thought.chosen]
        assert (thought.source, "charts of 200" in thought.why) == ("charts", True)
        assert thought.own.shape == (1326,)


def test_a_bet_outside_the_charts_is_made_by_the_hands_that_lose_least_by_it() -> None:
    rules, names = of_depth(100), class_names()
    played = PlayedCharts(rules)
    small, large = (played.decision([(start(rules), bet)]).ranges[1] for bet in (250, 4000))
    assert small[names.index("72o")] < 0.05 * small.max()  # a good bet: weak hands fold
    assert small[names.index("AA")] > 0.3 * small.max()
    assert large.min() >= 0
    assert large.max() < 0.05  # a bad bet: every hand makes it by mistake alone
    assert large[names.index("AA")] < 0.3 * large[names.index("AKo")]  # aces win more otherwise


def test_games_that_have_no_charts_are_played_by_the_file() -> None:
    assert obstacle(GAME) == ""
    limit = load_rules("limit-holdem")
    for game, said in (
        (limit, "no-limit"),
        (of_depth(1), "stacks over one big blind"),
        (of_depth(1000), "stacks over one big blind"),
        (replace(GAME, blinds=(100, 100)), "one smaller"),
    ):
        assert said in obstacle(game)
    assert nested(GAME, ",preflop=blueprint").charts is None
    assert nested(GAME, ",flop=blueprint,work=1").charts is None
    for options, said in (
        ("preflop=file", "charts or blueprint"),
        ("preflop=charts,exploit=1", "cannot be: what is risked"),
    ):
        with pytest.raises(EndspielError, match=said):
            nested(GAME, f",{options}")


def test_uneven_stacks_are_played_for_the_smaller() -> None:
    uneven = replace(GAME, stacks=(20_000, 2_000))
    played = PlayedCharts(uneven)
    assert played.depth == 20
    first = played.decision([])
    assert first.actions[-1] == 2000
    shoved = played.decision([(start(uneven), 300), (start(uneven).apply(300), 20_000)])
    assert shoved.actions == (FOLD, CALL)
    assert shoved.again == 0


def test_charts_are_those_of_the_command() -> None:
    """Not another tree: the strategy is within a thousandth of a big blind of unexploitable."""
    played = PlayedCharts(of_depth(20))
    setting = played_charts.setting_of(of_depth(20))
    assert (setting.opens, setting.reraises, setting.max_raises) == (OPENS, RERAISES, RAISES)
    tree = played._whole
    profile = es.Profile(tuple(np.concatenate([[1.0], rows.reshape(-1)]) for rows in tree.behavior))
    shares = {line: one.share() for line, one in played_charts.starts_for(tree.preflop).items()}
    tree.preflop.shares.update(shares)
    game = tree.preflop.game()
    assert es.exploitability(game, profile).mean < 0.1  # hundredths of a big blind
    charts = PreflopCharts(tree.preflop, game, profile)
    assert charts.node_charts()[0]["classes"]["AA"][0] < 1e-3
    tree.preflop.shares.clear()

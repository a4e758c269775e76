"""Laws of ranges along a line: brute-force Bayes in fractions, and the policy exactly as stated."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.betting.no_limit import no_limit_tree
from endspiel.betting.tree import DECISION, BettingTree
from endspiel.cards.deck import NUM_HANDS, hand_cards
from endspiel.errors import RangeError
from endspiel.ranges.line import (
    OFF_PATH,
    Action,
    OffPath,
    came_with,
    range_along,
    ranges_along,
    reach_along,
    tree_line,
    with_every_hand,
)
from endspiel.ranges.prior import hand_prior, index_map

K = 6
EIGHTHS = st.sampled_from([0.0, 0.0, 0.0, 0.125, 0.5, 1.0, 2.0**-12])  # exact in binary
rows = st.lists(EIGHTHS, min_size=K, max_size=K)
lines = st.lists(st.tuples(st.integers(0, 1), rows), max_size=6)
BOARD = (3, 17, 25, 40, 51)


def as_line(drawn: list[tuple[int, list[float]]]) -> list[Action]:
    return [Action(player, np.array(row)) for player, row in drawn]


def plain(start: list[float], line: list[Action], player: int) -> tuple[list[Fraction], bool]:
    """The range in fractions that sum to 1, and whether it takes mistakes."""
    for least in (Fraction(0), Fraction(OFF_PATH.mistake)):
        weights = [Fraction(weight) for weight in start]
        for actor, chances in line:
            if actor == player:
                weights = [
                    w * max(Fraction(p), least) for w, p in zip(weights, chances, strict=True)
                ]
        if sum(weights):
            return [w / sum(weights) for w in weights], least > 0
    raise AssertionError("no hand to start with")


@given(lines, st.integers(0, 1), rows.filter(any))
def test_a_range_is_bayes_rule_and_else_the_fewest_mistakes(
    drawn: list[tuple[int, list[float]]], player: int, start: list[float]
) -> None:
    line = as_line(drawn)
    found = range_along(np.array(start), line, player)
    expected, mistaken = plain(start, line, player)
    assert found.mistaken == mistaken
    share = found.weights / found.weights.sum()
    assert share == pytest.approx([float(w) for w in expected], rel=1e-12, abs=0)
    assert not found.weights[np.array(start) == 0].any()
    reach = reach_along(np.array(start), line, player)
    if mistaken:
        assert not reach.any()
        assert found.weights.max() == pytest.approx(max(start))
        assert (found.weights > 0).tolist() == [weight > 0 for weight in start]
    else:
        assert np.array_equal(found.weights, reach)


@given(st.lists(rows, min_size=2, max_size=4))
def test_the_order_of_actions_does_not_matter(drawn: list[list[float]]) -> None:
    line, start = as_line([(0, row) for row in drawn]), np.ones(K)
    first = range_along(start, line, 0)
    for other in permutations(line):
        found = range_along(start, other, 0)
        assert found.mistaken == first.mistaken
        assert found.weights == pytest.approx(first.weights, rel=1e-12, abs=0)


@given(lines, rows)
def test_an_action_that_no_hand_takes_tells_nothing(
    drawn: list[tuple[int, list[float]]], start: list[float]
) -> None:
    """Beside the mistakes that must then be reckoned with: the others are as likely as before."""
    line, weights = as_line(drawn), np.array(start)
    likely = [Action(player, np.maximum(p, OFF_PATH.mistake)) for player, p in line]
    odd = range_along(weights, [*line, Action(0, np.zeros(K))], 0)
    even = range_along(weights, likely, 0)
    assert odd.mistaken == bool(weights.any())
    if weights.any():
        share = odd.weights / odd.weights.sum()
        assert share == pytest.approx(even.weights / even.weights.sum(), rel=1e-12, abs=0)
    assert range_along(weights, line, 0).weights == pytest.approx(
        range_along(weights, [*line, Action(1, np.zeros(K))], 0).weights
    )  # nor does what the other player does


def test_hands_that_need_fewer_mistakes_weigh_more() -> None:
    line = as_line([(0, [1, 1, 0, 0, 0, 1]), (0, [0, 0.5, 0, 1, 0, 0]), (0, [0] * 6)])
    found = range_along(np.ones(K), line, 0).weights
    assert found == pytest.approx([2e-3, 1, 2e-6, 2e-3, 2e-6, 2e-3])
    bold = range_along(np.ones(K), line, 0, OffPath(0.1)).weights
    assert bold == pytest.approx([0.2, 1, 0.02, 0.2, 0.02, 0.2])


@pytest.mark.parametrize("mistake", [0.0, -1e-3, 1.5, float("nan")])
def test_a_mistake_has_a_probability(mistake: float) -> None:
    with pytest.raises(RangeError, match="above 0"):
        OffPath(mistake)


def test_no_hand_to_start_with_stays_none() -> None:
    found = range_along(np.zeros(K), as_line([(0, [0.0] * K)]), 0)
    assert not found.weights.any()
    assert not found.mistaken


def test_long_lines_do_not_underflow() -> None:
    tiny = np.full(K, 1e-30)
    tiny[2] = 2e-30
    found = range_along(np.ones(K), [Action(0, tiny)] * 40, 0)
    assert not found.mistaken
    share = found.weights / found.weights.max()
    assert share == pytest.approx([2.0**-40] * 2 + [1] + [2.0**-40] * 3)


def few_hands(rng: np.random.Generator) -> np.ndarray:
    """Probabilities of some hands of eight cards, all others never."""
    chances = np.zeros(NUM_HANDS)
    count = rng.integers(1, 7)
    chances[rng.choice(28, count, replace=False)] = rng.integers(1, 9, count) / 8
    return chances


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1), st.integers(1, 2))
def test_the_joint_distribution_is_brute_force_over_pairs(seed: int, depth: int) -> None:
    """Pair by pair in fractions: hands of the lowest eight cards, which often share one."""
    rng = np.random.default_rng(seed)
    base = [few_hands(rng), few_hands(rng)]
    line = [Action(p, base[p] * rng.integers(0, 3, NUM_HANDS) / 2) for p in (0, 1) * depth]
    prior = hand_prior(BOARD, line)
    cards = [set(pair) for pair in hand_cards().tolist()]
    hands = [h for h in range(NUM_HANDS) if not cards[h] & set(BOARD)]

    def weigh(player: int, least: Fraction) -> dict[int, Fraction]:
        weights = dict.fromkeys(hands, Fraction(1))
        for actor, chances in line:
            if actor == player:
                weights = {h: w * max(Fraction(chances[h]), least) for h, w in weights.items()}
        return {h: w for h, w in weights.items() if w}

    least = Fraction(OFF_PATH.mistake)
    both = [weigh(player, Fraction(0)) for player in (0, 1)]
    erring = [not side for side in both]
    if all(both) and all(cards[a] & cards[b] for a in both[0] for b in both[1]):
        erring = [True, True]
    both = [weigh(p, least) if errs else both[p] for p, errs in enumerate(erring)]
    assert list(prior.mistaken) == erring
    joint, where = prior.joint, {int(h): i for i, h in enumerate(index_map(BOARD))}
    assert joint.sum() == pytest.approx(1)
    some = [sorted(side, key=side.__getitem__)[-15:] for side in both]
    pairs = {(a, b): both[0][a] * both[1][b] for a in some[0] for b in some[1]}
    pairs = {(a, b): w for (a, b), w in pairs.items() if not cards[a] & cards[b]}
    found = {pair: joint[where[pair[0]], where[pair[1]]] for pair in pairs}
    if pairs:
        one = max(pairs, key=pairs.__getitem__)
        for pair, weight in pairs.items():
            assert found[pair] / found[one] == pytest.approx(float(weight / pairs[one]), rel=1e-9)
    if not any(erring):
        assert np.count_nonzero(joint) == sum(
            not cards[a] & cards[b] for a in both[0] for b in both[1]
        )


def test_both_err_where_all_their_hands_share_a_card() -> None:
    only = np.zeros(NUM_HANDS)
    only[0] = 0.5
    one, two = ranges_along(BOARD, [Action(0, only), Action(1, only)])
    assert one.mistaken
    assert two.mistaken
    assert one.weights[0] == two.weights[0] == 1.0
    assert one.weights[1] == pytest.approx(1e-3 / 0.5)


@pytest.fixture(scope="module")
def tree() -> BettingTree:
    menu = StreetMenu.parse("50%, a", "100%")
    return no_limit_tree(100, 300, 2, Sizing.same(menu))


def test_a_line_of_a_tree_multiplies_from_the_root_down(tree: BettingTree) -> None:
    rng = np.random.default_rng(4)
    rows = {
        node: rng.dirichlet(np.ones(tree.num_children[node]), K).T
        for node in range(tree.num_nodes)
        if tree.kind[node] == DECISION
    }
    reach = {0: np.ones((2, K))}
    for node in range(tree.num_nodes):
        for at, child in enumerate(tree.children(node)):
            reach[child] = reach[node].copy()
            if node in rows:
                reach[child][tree.player[node]] *= rows[node][at]
    assert len(reach) == tree.num_nodes
    for node, expected in reach.items():
        line = tree_line(tree, node, rows.__getitem__)
        for player in (0, 1):
            assert reach_along(np.ones(K), line, player) == pytest.approx(expected[player])


def test_a_range_goes_on_where_it_was() -> None:
    weights = np.array([4, 0, 1, 0.5, 0, 2]) * 1e-9
    action = Action(1, np.array([0, 1, 1, 1, 1, 0.5]))
    found = range_along(np.ones(K), [came_with(1, weights), action], 1).weights
    assert found == pytest.approx([0, 0, 0.25, 0.125, 0, 0.25])


def test_every_hand_gets_a_little_weight() -> None:
    weights = np.zeros(NUM_HANDS)
    weights[[0, 1, 6]] = 0.5, 0.25, 1e-9
    found = with_every_hand(weights, BOARD)
    live = [not {*pair} & {*BOARD} for pair in hand_cards().tolist()]
    assert found[[0, 1]].tolist() == [0.5, 0.25]
    assert ((found > 0) == live).all()
    assert found[6] == found[900] == 0.5 * 1e-5

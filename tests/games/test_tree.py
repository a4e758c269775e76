"""The builder: any tree of histories becomes treeplexes and payoffs, or is refused by name."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endspiel.engine.schemes import SCHEMES
from endspiel.errors import GameError
from endspiel.game import Profile, best_response, expected_value
from endspiel.games import tree
from endspiel.games.tree import Chance, Decision, Leaf, build
from endspiel.solvers.firstorder.cfr import CFR


def nested(node):
    """Expand a tree given as nested nodes."""
    return node


def choice(player, infoset, **children):
    return Decision(player, infoset, list(children.items()))


def forgetful():
    def second(first):
        def payoff(then):
            return Leaf(1 if first == then else -1)

        return choice(1, "other", l=choice(0, "second", a=payoff("a"), b=payoff("b")), r=Leaf(0))

    return choice(0, "first", a=second("a"), b=second("b"))


def test_an_infoset_after_different_own_moves_shares_a_row():
    game = build(forgetful(), nested)
    plex = game.plexes[0]
    assert plex.rows is not None
    assert game.plexes[1].rows is None
    assert plex.num_infosets == 2
    assert plex.num_sequences == 1 + 3 * 2  # the second infoset is two states
    assert plex.rows.size == 1 + 2 * 2
    with pytest.raises(GameError, match="second"):
        game.require_perfect_recall("this")


def test_solvers_play_alike_where_a_row_is_shared():
    game = build(forgetful(), nested)
    solver = CFR(game, SCHEMES["cfr"])
    for _ in range(50):
        solver.step()
    labels = game.labels[0]
    probabilities = {}
    for infoset, action, sequence in labels.walk(game.plexes[0]):
        p = solver.average().behavior[0][sequence]
        assert probabilities.setdefault((infoset, action), p) == p


def test_inconsistent_actions_are_refused_by_name():
    tree = Chance(
        [
            (0.5, choice(1, "spot", fold=Leaf(0), call=Leaf(1))),
            (0.5, choice(1, "spot", fold=Leaf(0), shove=Leaf(1))),
        ]
    )
    with pytest.raises(GameError, match=r"player 1's infoset 'spot'.*call.*shove"):
        build(tree, nested)


def test_actions_in_another_order_are_refused():
    tree = Chance(
        [
            (0.5, choice(0, "spot", a=Leaf(0), b=Leaf(1))),
            (0.5, choice(0, "spot", b=Leaf(1), a=Leaf(0))),
        ]
    )
    with pytest.raises(GameError, match="spot"):
        build(tree, nested)


def test_chance_is_summed_up_in_order_on_every_python() -> None:
    tenths = tree._total(Chance([(0.1, Leaf(0.0))] * 10))
    assert tenths == 0.9999999999999999  # sum() says 1.0 from Python 3.12 on


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        (Chance([(0.5, Leaf(1)), (0.4, Leaf(0))]), "0.9"),
        (Chance([(1.5, Leaf(1)), (-0.5, Leaf(0))]), "nonnegative"),
        (Chance([(float("nan"), Leaf(1))]), "nan"),
        (Chance([(float("inf"), Leaf(1)), (-float("inf"), Leaf(1))]), "nan"),
        (Chance([]), "sum to 0"),
        (Leaf(float("nan")), "no finite number"),
        (Leaf(float("inf")), "no finite number"),
        (choice(2, "x", a=Leaf(0)), "player 2"),
        (choice(0, "x"), "no action"),
        (Decision(0, "x", [("a", Leaf(0)), ("a", Leaf(1))]), "two actions of one name"),
    ],
)
def test_refusals(tree, message):
    with pytest.raises(GameError, match=message):
        build(tree, nested)


def test_zero_probability_branches_are_dropped():
    tree = Chance(
        [
            (1.0, choice(0, "seen", a=Leaf(1), b=Leaf(0))),
            (0.0, choice(0, "unseen", a=Leaf(1), b=Leaf(0))),
        ]
    )
    game = build(tree, nested)
    assert game.num_infosets == 1
    assert game.labels[0].infosets == (("seen",),)


def test_chance_that_misses_one_by_rounding_is_normalized():
    p = 0.3333333
    game = build(Chance([(p, Leaf(3)), (p, Leaf(3)), (p, Leaf(3))]), nested)
    assert expected_value(game, Profile.uniform(game)) == pytest.approx(3, abs=1e-15)


def test_a_game_without_decisions_is_worth_its_chance():
    game = build(Chance([(0.25, Leaf(4)), (0.75, Leaf(0))]), nested)
    assert game.num_infosets == 0
    assert expected_value(game, Profile.uniform(game)) == 1
    assert game.span == 4


def test_deep_trees_need_no_recursion():
    depth = 30_000

    def expand(state):
        if state == depth or state < 0:
            return Leaf(float(state == depth))
        return Decision(0, state, [("on", state + 1), ("off", -1)])

    game = build(0, expand)
    assert game.num_infosets == depth
    value, behavior = best_response(game, 0, Profile.uniform(game))
    assert value == 1
    assert behavior.sum() == 1 + depth


def trees():
    """Random trees of perfect information: every decision is an infoset of its own."""
    payoffs = st.integers(-5, 5).map(float).map(Leaf)

    def grow(children):
        pairs = st.lists(children, min_size=2, max_size=3)
        chance = pairs.map(lambda c: Chance([(1 / len(c), child) for child in c]))
        moves = st.tuples(st.integers(0, 1), pairs)
        return chance | moves.map(
            lambda m: Decision(m[0], object(), [(str(i), c) for i, c in enumerate(m[1])])
        )

    return st.recursive(payoffs, grow, max_leaves=25)


def brute_value(node, behavior):
    """Player 0's payoff by plain recursion."""
    if isinstance(node, Leaf):
        return node.payoff
    if isinstance(node, Chance):
        return sum(p * brute_value(child, behavior) for p, child in node.outcomes)
    weights = behavior[node.infoset]
    return sum(
        w * brute_value(child, behavior)
        for w, (_, child) in zip(weights, node.actions, strict=True)
    )


def minimax(node):
    if isinstance(node, Leaf):
        return node.payoff
    if isinstance(node, Chance):
        return sum(p * minimax(child) for p, child in node.outcomes)
    values = [minimax(child) for _, child in node.actions]
    return max(values) if node.player == 0 else min(values)


@settings(max_examples=60, deadline=None)
@given(trees(), st.randoms(use_true_random=False))
def test_values_equal_plain_recursion(tree, random):
    infosets = {}

    def expand(node):
        if isinstance(node, Decision):
            infosets.setdefault(str(node.infoset), node.infoset)
        return node

    game = build(tree, expand)
    behavior = [np.ones(plex.num_sequences) for plex in game.plexes]
    by_infoset = {}
    for player in (0, 1):
        for infoset, action, sequence in game.labels[player].walk(game.plexes[player]):
            weights = by_infoset.setdefault(infosets[infoset], [])
            assert int(action) == len(weights)
            weights.append(random.random() + 0.01)
            behavior[player][sequence] = weights[-1]
    # Values are multilinear, so weights need not sum to one for the two ways to agree.
    found = expected_value(game, Profile((behavior[0], behavior[1])))
    assert found == pytest.approx(brute_value(tree, by_infoset), abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(trees())
def test_best_responses_enclose_the_value_of_backward_induction(tree):
    game = build(tree, nested)
    solver = CFR(game, SCHEMES["cfr+"])
    for _ in range(200):
        solver.step()
    profile = solver.average()
    low = -best_response(game, 1, profile)[0]
    high = best_response(game, 0, profile)[0]
    assert low - 1e-9 <= minimax(tree) <= high + 1e-9

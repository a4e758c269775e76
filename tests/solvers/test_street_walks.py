"""A street's betting in plain NumPy, told node by node in the test itself."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endspiel.betting.streets import cut_streets
from endspiel.betting.tree import DECISION, BettingTree
from endspiel.solvers.boards.plans import add_decisions, behavior_of, plan_of
from tests.betting.strategies import spot_trees

HANDS = 3


@settings(max_examples=40, deadline=None)
@given(spot_trees())
def test_decisions_tell_their_sequences(tree: BettingTree) -> None:
    for street in cut_streets(tree):
        for player in (0, 1):
            owner = [None] * len(street.starts)
            for own in street.own(player):
                assert street.decision_at(player, own.node) == own
                assert own.rows.start == own.span.start - len(street.starts)
                assert len(owner) == own.first
                owner += [own] * own.actions
            found = [street.decision_of(player, s) for s in range(street.size[player])]
            assert found == owner


@pytest.mark.parametrize("player", [0, 1])
@settings(max_examples=30, deadline=None)
@given(tree=spot_trees(), seed=st.integers(0, 99))
def test_plans_and_values_are_those_of_a_walk(tree: BettingTree, seed: int, player: int) -> None:
    rng, street = np.random.default_rng(seed), cut_streets(tree)[0]
    rows = street.size[player] - 1
    behavior = behavior_of(street, player, rng.normal(size=(rows, HANDS)))
    root, worth = rng.random((1, HANDS)), rng.normal(size=(rows + 1, HANDS))
    plan, values, best = plan_of(street, player, root, behavior), worth.copy(), worth.copy()
    add_decisions(street, player, values, behavior)
    add_decisions(street, player, best, None)
    first = {own.node: own.first for own in street.own(player)}

    def below(node: int, reach: np.ndarray, most: bool) -> np.ndarray:
        """What the player's decisions from a node on add to the sequence that led there."""
        children = tree.children(node) if tree.kind[node] == DECISION else range(0)
        if int(tree.player[node]) != player or not children:
            return sum((below(child, reach, most) for child in children), np.zeros(HANDS))
        shares = behavior[first[node] - 1 : first[node] - 1 + len(children)]
        found = []
        for a, child in enumerate(children):
            taken = reach * shares[a]
            assert np.allclose(plan[first[node] + a], taken)
            found.append(worth[first[node] + a] + below(child, taken, most))
        assert np.allclose(shares.sum(axis=0), 1.0)
        return np.max(found, axis=0) if most else np.sum(shares * found, axis=0)

    assert np.allclose(values[0], worth[0] + below(0, root[0], False))
    assert np.allclose(best[0], worth[0] + below(0, root[0], True))

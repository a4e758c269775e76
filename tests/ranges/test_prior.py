"""Priors: the paper's indices, Bayes' rule along a history, and impossible histories."""

from itertools import combinations

import numpy as np
import pytest

from endspiel.cards.deck import NUM_HANDS, hand_cards, hand_index, hand_masks
from endspiel.errors import GameError
from endspiel.ranges.prior import hand_prior, index_full, index_holes, index_map

BOARD = (3, 17, 25, 40, 51)


def test_indices_are_the_papers() -> None:
    for low, high in combinations(range(52), 2):
        assert index_holes(high, low) == index_holes(low, high) == high * (high - 1) // 2 + low
    live = [card for card in range(52) if card not in BOARD]
    seen = [index_full(BOARD, high, low) for low, high in combinations(live, 2)]
    assert sorted(seen) == list(range(1081))
    hands = index_map(BOARD)
    for low, high in combinations(live, 2):
        assert hands[index_full(BOARD, low, high)] == hand_index(low, high)


def test_a_history_is_weighed_by_bayes_rule() -> None:
    rng = np.random.default_rng(1)
    history = [(player, rng.uniform(size=NUM_HANDS)) for player in (0, 1, 1, 0, 1)]
    prior = hand_prior(BOARD, history)
    live = (hand_masks() & np.uint64(sum(1 << card for card in BOARD))) == 0
    for player in (0, 1):
        chances = [p for actor, p in history if actor == player]
        expected = np.prod(chances, axis=0) * live
        np.testing.assert_allclose(prior.ranges[player], expected / expected.sum(), atol=1e-15)
    assert prior.mistaken == (False, False)


def test_the_joint_distribution_leaves_out_shared_cards() -> None:
    rng = np.random.default_rng(2)
    prior = hand_prior(BOARD, [(0, rng.uniform(size=NUM_HANDS)), (1, rng.uniform(size=NUM_HANDS))])
    joint, hands = prior.joint, index_map(BOARD)
    assert joint.shape == (1081, 1081)
    assert joint.sum() == pytest.approx(1)
    one, two = (prior.ranges[p][hands] for p in (0, 1))
    masks = hand_masks()[hands]
    apart = (masks[:, None] & masks) == 0
    expected = np.outer(one, two) * apart
    np.testing.assert_allclose(joint, expected / expected.sum(), atol=1e-18)
    for i in range(0, 1081, 97):
        for j in range(0, 1081, 29):
            shared = set(hand_cards()[hands[i]]) & set(hand_cards()[hands[j]])
            assert (joint[i, j] == 0) == bool(shared)


def test_an_action_that_no_hand_takes_tells_nothing() -> None:
    rng = np.random.default_rng(3)
    first = rng.uniform(0.01, 1, size=NUM_HANDS)
    plain = hand_prior(BOARD, [(0, first)])
    odd = hand_prior(BOARD, [(0, first), (0, np.zeros(NUM_HANDS))])
    assert odd.mistaken == (True, False)
    np.testing.assert_allclose(odd.ranges[0], plain.ranges[0], atol=1e-15)


def test_ranges_that_cannot_meet_are_softened() -> None:
    only = np.zeros(NUM_HANDS)
    only[hand_index(0, 1)] = 1.0
    prior = hand_prior(BOARD, [(0, only), (1, only)])
    assert prior.mistaken == (True, True)
    assert prior.joint.sum() == pytest.approx(1)
    assert prior.ranges[0].argmax() == hand_index(0, 1)


def test_long_histories_do_not_underflow() -> None:
    tiny = np.full(NUM_HANDS, 1e-30)
    tiny[hand_index(4, 5)] = 1e-29
    prior = hand_prior(BOARD, [(1, tiny)] * 60)
    assert prior.ranges[1].sum() == pytest.approx(1)
    assert prior.ranges[1].argmax() == hand_index(4, 5)


@pytest.mark.parametrize(
    "action", [(2, np.ones(NUM_HANDS)), (0, np.ones(5)), (0, np.full(1326, 2))]
)
def test_bad_actions_are_named(action: tuple[int, np.ndarray]) -> None:
    with pytest.raises(GameError, match="action 0"):
        hand_prior(BOARD, [action])

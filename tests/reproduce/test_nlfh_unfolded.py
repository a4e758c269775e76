"""Flop hold'em's exploitability on twelve cards: the folded best response against brute force.

The brute force deals all 220 flops, looks a hand's strategy up on the flop that is stored by a suit
permutation, and takes every maximum for each hand on its own. Nothing is averaged over suits.
"""

from itertools import combinations

import numpy as np
import pytest

from endspiel.betting.tree import CHANCE, DECISION, FOLD
from endspiel.cards.deck import hand_masks
from endspiel.cards.isomorphism import hand_permutations, suit_permutations
from endspiel.cards.strength import board_strengths
from endspiel.reproduce.last_street.boards import AVERAGE, board_behavior
from endspiel.reproduce.nlfh_game import FLOP, PREFLOP, UNIT, FlopGame
from endspiel.reproduce.nlfh_solvers import Flops, StreamFlops, WholeSolver

GAME = FlopGame("small", 3)
HANDS = len(GAME.cards.streets[PREFLOP][0].hands[0])
MASKS = hand_masks()[:HANDS]
APART = ((MASKS[:, None] & MASKS) == 0).astype(float)


class BruteForce:
    """The unfolded game, and a strategy that is stored for folded flops."""

    def __init__(self, whole: WholeSolver, seed: int) -> None:
        self.whole, self.rng = whole, np.random.default_rng(seed)
        self.stored = {tuple(sorted(b.cards)): b for b in GAME.cards.streets[FLOP]}
        self.known: dict[int, list[np.ndarray]] = {}  # behavior of both by stored flop
        self.flops = list(combinations(range(GAME.cards.deck), 3))
        self.before = self._by_node(PREFLOP, [behavior(whole, PREFLOP, 0, p) for p in (0, 1)])
        self.play = [self._on(flop) for flop in self.flops]

    def _by_node(self, street: int, both: list[np.ndarray]) -> dict[int, np.ndarray]:
        """Probabilities [A, H] by node."""
        plan = GAME.whole.streets[street]
        found = {}
        for player in (0, 1):
            lists = plan.decisions[player], plan.first[player], plan.actions[player]
            for node, first, actions in zip(*lists, strict=True):
                start = first - len(plan.starts)
                found[node] = both[player][start : start + actions]
        return found

    def _on(self, flop: tuple[int, ...]) -> tuple[dict[int, np.ndarray], np.ndarray, np.ndarray]:
        """The strategy on a flop, which hands are live, and who wins [H, H]."""
        ways = []
        for number, suits in enumerate(suit_permutations()):
            image = tuple(sorted(card - card % 4 + int(suits[card % 4]) for card in flop))
            ways += [(image, number)] if image in self.stored else []
        image, number = ways[self.rng.integers(len(ways))]
        b = GAME.cards.streets[FLOP].index(self.stored[image])
        moved = hand_permutations()[number][:HANDS]
        if b not in self.known:
            self.known[b] = [behavior(self.whole, FLOP, b, player) for player in (0, 1)]
        both = [rows[:, moved] for rows in self.known[b]]
        live = (MASKS & np.uint64(sum(1 << card for card in flop))) == 0
        strength = board_strengths(flop)[:HANDS].astype(int)
        wins = np.sign(strength[:, None] - strength) * APART * live[:, None] * live
        return self._by_node(FLOP, both), live.astype(float), wins

    def best(self, player: int) -> float:
        """What a player wins at best, in big blinds."""
        total = self._value(player, 0, np.ones(HANDS), -1).sum()
        return float(total / UNIT / GAME.whole.pairs)

    def _value(self, player: int, node: int, reach: np.ndarray, at: int) -> np.ndarray:
        """What each hand [H] wins at a node that the other comes to with these reaches [H]."""
        tree, children = GAME.betting, GAME.betting.children(node)
        kind, mover = tree.kind[node], int(tree.player[node])
        if kind == DECISION and mover == player:
            return np.max([self._value(player, c, reach, at) for c in children], axis=0)
        if kind == DECISION:
            shares = (self.before if at < 0 else self.play[at][0])[node]
            parts = zip(children, shares, strict=True)
            return np.sum([self._value(player, c, reach * s, at) for c, s in parts], axis=0)
        if kind == CHANCE:
            dealt = [
                live * self._value(player, children[0], reach * live, f)
                for f, (_, live, _) in enumerate(self.play)
            ]
            return np.sum(dealt, axis=0) * GAME.cards.chance[FLOP]
        if kind == FOLD:
            lost = tree.pot / 2 + tree.spent[node, mover]
            return (-lost if mover == player else lost) * (APART @ reach)
        return (tree.pot / 2 + tree.spent[node, 0]) * (self.play[at][2] @ reach)


def behavior(whole: WholeSolver, street: int, b: int, player: int) -> np.ndarray:
    """Probability [S - L, H] of each action of a board, in the street's order, by hand."""
    hands = GAME.cards.streets[street][b].hands[player]
    if street == PREFLOP:
        rows = whole.average_behavior(player)
    else:
        flop = whole.flop
        rows = board_behavior(flop.street, player, flop.read(AVERAGE, player))[b]
        rows, hands = rows[:, flop.hand[b] >= 0], flop.hand[b][flop.hand[b] >= 0]
    found = np.zeros((len(rows), HANDS))
    found[:, hands] = rows
    return found


def uneven(flops: Flops) -> WholeSolver:
    whole, rng = WholeSolver(GAME, flops), np.random.default_rng(3)
    whole.advance(10 if isinstance(flops, Flops) else 1)
    for player in (0, 1):
        whole.average[player] *= rng.random(whole.average[player].shape)
        rows = whole.flop.read(AVERAGE, player)
        whole.flop.write(AVERAGE, player, rows * rng.random(rows.shape, np.float32) ** 8)
    return whole


@pytest.mark.parametrize("flops", [Flops(), StreamFlops()], ids=["boards", "streams"])
def test_what_is_told_of_an_even_strategy_is_the_truth(flops: Flops) -> None:
    whole = uneven(flops)
    right = BruteForce(whole, 1).best(0)
    assert abs(whole.best(0).sum() - right) > 1e-3 * right  # suits count: not the truth
    whole.even_out()
    truth = BruteForce(whole, 2)  # whatever permutation a flop is looked up by
    best = [truth.best(player) for player in (0, 1)]
    assert [whole.best(player).sum() for player in (0, 1)] == pytest.approx(best, rel=1e-6)
    assert whole.exploitability() == pytest.approx(sum(best) / 2, rel=1e-6)


def test_a_symmetric_strategy_stays_as_it_is() -> None:
    whole = WholeSolver(GAME, Flops())
    whole.advance(3)
    before = [whole.flop.read(AVERAGE, player) for player in (0, 1)]
    whole.even_out()
    for player in (0, 1):
        after = whole.flop.read(AVERAGE, player)
        assert after == pytest.approx(before[player], rel=1e-5, abs=1e-7)

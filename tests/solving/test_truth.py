"""Solved spots against closed forms, equities, linear programs and a plain walk of the tree."""

from itertools import product

import numpy as np
import pytest

from endspiel import solve
from endspiel.betting.tree import CHANCE, FOLD, SHOWDOWN
from endspiel.cards.deck import NUM_HANDS, hand_cards, hand_masks
from endspiel.cards.equity import range_equity
from endspiel.cards.strength import board_strengths
from endspiel.cards.text import format_card, format_hand
from endspiel.games.dense import dense_game
from endspiel.solvers import solve as games
from endspiel.solving.solution import SpotSolution
from endspiel.solving.spots import card_game
from tests.solving.spots import (
    CLAIRVOYANT,
    FLOP,
    RIVER,
    SYMMETRIC_FLOP,
    SYMMETRIC_TURN,
    TURN,
    checked_down,
    spot,
)

METHODS = ("dcfr", "cfr+", "linear", "pcfr+", "egt", "lp", "undominated")


@pytest.mark.parametrize(("method", "size"), [*product(METHODS, [100]), ("lp", 50), ("dcfr", 300)])
def test_nuts_or_air_against_a_bluff_catcher(method: str, size: int) -> None:
    """Bet all nuts and size / (pot + size) bluffs to each; the call makes bluffs worth nothing."""
    limits = {} if method in ("lp", "undominated") else {"target": 1e-5}
    tried = spot(CLAIRVOYANT, river={"bet": [f"{size}%", ""]})
    solution = solve(tried, method, **limits)
    bet, pot = f"b{size}", 100
    bluffs = size / (pot + size)  # for each nuts; there are two hands of air
    assert solution.strategy("", "KhKc")[bet] == pytest.approx(1, abs=1e-3)
    assert 2 * solution.strategy("", "4c3c,4h3h")[bet] == pytest.approx(bluffs, abs=1e-2)
    assert solution.strategy(bet, "AsAh")["c"] == pytest.approx(pot / (pot + size), abs=1e-2)
    assert solution.ev("", "KhKc") == pytest.approx(pot + size * pot / (pot + size), abs=1)
    assert solution.ev("", "4c3c") == pytest.approx(0, abs=1)
    assert solution.ev(bet, "AsAh") == pytest.approx(0, abs=1)
    mean = (pot + size * pot / (pot + size)) / 3
    assert solution.value == pytest.approx(mean / pot - 0.5, abs=2e-5)
    assert solution.exploitability <= 1e-5


@pytest.mark.parametrize("content", [RIVER, TURN, SYMMETRIC_TURN, SYMMETRIC_FLOP])
def test_checking_down_is_worth_the_equity(content: dict[str, object]) -> None:
    quiet = checked_down(content)
    solution = solve(quiet, iterations=1)
    first = range_equity(*quiet.weights, quiet.board).equity
    assert solution.value == pytest.approx(first - 0.5, abs=1e-6)
    assert solution.exploitability == pytest.approx(0, abs=1e-6)
    for node in ("", "c"):
        view = solution.view(node)
        assert np.allclose(view.ev, view.equity * quiet.pot, atol=1e-3)


@pytest.mark.parametrize("content", [RIVER, TURN, pytest.param(FLOP, marks=pytest.mark.slow)])
def test_linear_program_and_cfr_agree(content: dict[str, object]) -> None:
    """In 64-bit floats to a millionth of the pot; the board kernels' 32 bits give about 1e-5."""
    tried = spot(content)
    exact = solve(tried, "lp")
    assert exact.exploitability <= 1e-9
    twin = dense_game(card_game(tried, symmetry=False))
    assert games.solve(twin, "pcfr+", target=5e-7).value == pytest.approx(exact.value, abs=1e-6)
    fast = solve(tried, "dcfr", target=2e-5)
    assert fast.value == pytest.approx(exact.value, abs=4e-5)  # a value is off by twice the mean
    assert exact.boards.exploitability() == pytest.approx(0, abs=1e-6)
    assert exact.boards.value() == pytest.approx(exact.value, abs=1e-6)


@pytest.mark.parametrize("content", [RIVER, TURN, SYMMETRIC_TURN])
def test_values_add_up_to_the_pot(content: dict[str, object]) -> None:
    tried = spot(content)
    solution = solve(tried, iterations=30)
    root, checked = solution.view(""), solution.view("c")
    assert root.mean(root.ev) == pytest.approx(tried.pot * (0.5 + solution.value), abs=1e-3)
    taken = root.weight * root.strategy[0]
    after_check = float(taken @ root.action_ev[0] / taken.sum())
    assert after_check + checked.mean(checked.ev) == pytest.approx(tried.pot, abs=1e-3)


@pytest.mark.parametrize("content", [RIVER, TURN])
def test_folding_is_worth_nothing(content: dict[str, object]) -> None:
    solution = solve(spot(content), iterations=20)
    folds = [view for view in solution.views() if view.actions[0] == "f"]
    assert folds
    for view in folds:
        met = view.met > 0
        assert np.allclose(view.action_ev[0, met], 0, atol=1e-2)
        assert np.isnan(view.action_ev[:, ~met]).all()


class Walk:
    """The value of one hand by a plain walk over lines and cards, one opposing hand at a time."""

    def __init__(self, solution: SpotSolution, player: int, hand: int) -> None:
        self.solution, self.player, self.hand = solution, player, hand
        self.tree = solution.game.betting
        self.shares: dict[str, np.ndarray] = {}

    def share(self, text: str, hand: int) -> np.ndarray:
        """Probabilities [A] of a hand at a node; every node is looked up once."""
        if text not in self.shares:
            view = self.solution.view(text)
            self.shares[text] = np.zeros((NUM_HANDS, len(view.actions)))
            self.shares[text][view.hands] = view.strategy.T
        return self.shares[text][hand]

    def value(self, node: int, text: str, cards: tuple[int, ...], other: int) -> float:
        """Chips that the hand ends with beyond what it had at the root, against one other hand."""
        tree, kind = self.tree, self.tree.kind[node]
        spent = tree.spent[node]
        total = tree.pot + int(spent.sum())
        if kind == FOLD:
            return (total if tree.player[node] != self.player else 0) - int(spent[self.player])
        if kind == SHOWDOWN:
            strength = board_strengths(cards).astype(int)
            won = (np.sign(strength[self.hand] - strength[other]) + 1) / 2
            return float(total * won) - int(spent[self.player])
        if kind == CHANCE:
            dead = {*cards, *hand_cards()[self.hand].tolist(), *hand_cards()[other].tolist()}
            live = [card for card in range(52) if card not in dead]
            child = int(tree.first_child[node])
            below = [
                self.value(child, f"{text} / {format_card(card)}", (*cards, card), other)
                for card in live
            ]
            return sum(below) / len(live)
        acting = self.hand if tree.player[node] == self.player else other
        shares = self.share(text, acting)
        return sum(
            share * self.value(child, f"{text} {word}".strip(), cards, other)
            for share, child, word in zip(
                shares, tree.children(node), tree.words(node), strict=True
            )
            if share > 0
        )


@pytest.mark.parametrize(
    ("content", "node", "hands"),
    [
        (RIVER, "", ["TdTc", "AsJs"]),
        (RIVER, "c b100", ["9c8c", "AsJs"]),
        (TURN, "c", ["JdJc"]),
        (SYMMETRIC_TURN, "c c / 3d", ["AcAd", "AdAs"]),
    ],
)
def test_values_equal_a_plain_walk(content: dict[str, object], node: str, hands: list[str]) -> None:
    solution = solve(spot(content), iterations=25)
    place, view = solution.node(node), solution.view(node)
    against = solution.reach(node, 1 - place.player)
    for name in hands:
        hand = int(view.hands[view.chosen(name)[0]])
        walk = Walk(solution, place.player, hand)
        apart = (hand_masks() & hand_masks()[hand]) == 0
        others = np.flatnonzero((against > 0) & apart)
        values = [walk.value(place.node, place.text, place.cards, int(o)) for o in others]
        spent = int(solution.game.betting.spent[place.node, place.player])
        wanted = np.average(values, weights=against[others]) + spent
        assert solution.ev(node, format_hand(hand_cards()[hand].tolist())) == pytest.approx(
            wanted, abs=0.01
        )

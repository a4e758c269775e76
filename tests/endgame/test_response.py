"""Safe responses, held to values worked out hand by hand and to a linear program.

On small rivers with any ranges, models and allowances: no hand of the opponent can get more than it
is allowed, what is won from the model is what was said, and it is nearly the most there is.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pytest

from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.betting.tree import BY_CALL
from endspiel.cards.live import live_numbers
from endspiel.cards.text import parse_cards
from endspiel.endgame.safe.live import LiveEndgame
from endspiel.endgame.safe.response import BOARD, Model, SafeResponse, respond
from endspiel.engine.limits import Limits
from endspiel.errors import GameError
from endspiel.kernels.arrays import Floats, Ints
from endspiel.rules.acpc import parse_betting
from endspiel.rules.builtin import load_rules
from tests.endgame.plain_river import PlainRiver, Strategy, pair_forms

GAME = load_rules("nolimit-holdem")
CARDS = tuple(parse_cards("Ks Th 7s 4d 2c"))
MENU = Sizing.same(StreetMenu.parse("100%", "a"), max_raises=2)
START = parse_betting(GAME, "r3000c/cc/cc/")
POT, ROUNDING, HANDS = 6000, 0.5, 9  # chips


@dataclass(frozen=True, eq=False)
class Spot:
    """A river between two small ranges, and a model of player 1 - `player`."""

    seed: int
    player: int
    callers: bool = False  # whether the model checks and calls, else it plays at random

    @cached_property
    def rng(self) -> np.random.Generator:
        return np.random.default_rng(self.seed)

    @cached_property
    def ranges(self) -> tuple[Floats, Floats]:
        both = []
        for _ in range(2):
            weights = np.zeros(1326)
            weights[self.rng.choice(live_numbers(CARDS), HANDS, replace=False)] = 1.0
            both.append(weights)
        return both[0], both[1]

    @cached_property
    def endgame(self) -> LiveEndgame:
        solved = LiveEndgame(START, CARDS, self.ranges, MENU)
        solved.solve(Limits(1e-4, 2000))
        return solved

    @cached_property
    def model(self) -> Model:
        other, game = 1 - self.player, self.endgame.game
        behavior = self.endgame.solver.store.behavior(*BOARD, other)
        street, tree = game.streets[0], self.endgame.tree
        for node, first, actions in zip(
            street.decisions[other], street.first[other], street.actions[other], strict=True
        ):
            rows = behavior[first - 1 : first - 1 + actions]
            if self.callers:
                rows[:] = [[tree.action[child] == BY_CALL] for child in tree.children(node)]
            else:
                rows[:] = self.rng.dirichlet(np.full(actions, 0.5), rows.shape[1]).T
        weights = self.ranges[other] * (0.2 + self.rng.random(1326))
        return Model(weights, behavior)

    @cached_property
    def truth(self) -> PlainRiver:
        """Pairs meet by the player's range and any hand of the opponent's."""
        met, won = pair_forms(CARDS, self.ranges)
        one, two = self.hands
        tree = self.endgame.tree
        return PlainRiver(tree, met[np.ix_(one, two)], won[np.ix_(one, two)], POT)

    @property
    def hands(self) -> tuple[Ints, Ints]:
        """Numbers of both players' hands [H], in the order of behaviors."""
        one, two = self.endgame.game.tree.streets[0][0].hands
        return one, two

    @property
    def mass(self) -> Floats:
        """How likely each of the opponent's hands [H] meets one of the player's."""
        return self.truth.met.sum(axis=self.player)

    def of(self, behavior: Floats, player: int) -> Strategy:
        """A behavior [S - 1, K] as a strategy by node."""
        street = self.endgame.game.streets[0]

        def strategy(node: int) -> Floats:
            at = street.decisions[player].index(node)
            first = street.first[player][at] - 1
            rows: Floats = behavior[first : first + street.actions[player][at]]
            return rows

        return strategy

    def best(self, behavior: Floats) -> Floats:
        """Chips that each hand [H] of the opponent gets by best play against the player's."""
        values = self.truth.values(1 - self.player, self.of(behavior, self.player))
        return POT * np.divide(values, self.mass, out=0 * values, where=self.mass > 0)

    def won(self, behavior: Floats) -> float:
        """Chips that the player gets from the model."""
        other = 1 - self.player
        answer, own = self.of(self.model.behavior, other), self.of(behavior, self.player)
        values = self.truth.values(other, own, answer)  # of the model's hands
        weights = self.model.weights[self.hands[other]]
        return -POT * float(weights @ values) / float(weights @ self.mass)

    def most(self, allowance: Floats) -> float:
        """Chips that any strategy gets from the model within the allowances, by the program."""
        other = 1 - self.player
        weights = self.model.weights[self.hands[other]]
        answer = self.truth.plan(other, weights, self.of(self.model.behavior, other))
        limit = self.mass * (self.best(self.solution) + allowance[self.hands[other]]) / POT
        return POT * self.truth.response(self.player, answer, limit) / float(weights @ self.mass)

    @cached_property
    def solution(self) -> Floats:
        return self.endgame.solver.store.behavior(*BOARD, self.player)

    def respond(self, allowance: Floats, iterations: int = 300) -> SafeResponse:
        limits = Limits(iterations=iterations)
        return respond(self.endgame, self.player, self.model, allowance, limits)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("even", [True, False])
def test_no_hand_gets_more_than_it_is_allowed(seed: int, even: bool) -> None:
    """Nor is more or less won than is said; all hands alike, almost the most that could be."""
    spot = Spot(seed, seed % 2)
    uneven = np.random.default_rng(seed).exponential(200, 1326)
    allowance = np.full(1326, 150.0) if even else uneven
    before = spot.best(spot.solution)
    found = spot.respond(allowance)
    held = spot.hands[1 - spot.player]
    rise = spot.best(found.behavior) - before
    assert (rise <= allowance[held] + ROUNDING).all()
    assert found.rise[held][spot.mass > 0] == pytest.approx(rise[spot.mass > 0], abs=ROUNDING)
    more = spot.won(found.behavior) - spot.won(spot.solution)
    assert found.expected == pytest.approx(more, abs=ROUNDING)
    best = spot.most(allowance) - spot.won(spot.solution)
    assert (0.9 if even else 0.2) * best - ROUNDING <= more <= best + 2 * ROUNDING


def test_a_solve_cut_short_risks_no_more() -> None:
    """Whatever three iterations find, its share is as large as the allowances let it be."""
    spot = Spot(11, 0)
    allowance = np.full(1326, 60.0)
    found = spot.respond(allowance, iterations=3)
    assert 0 < found.share < 1
    assert found.expected > 0
    rise = spot.best(found.behavior) - spot.best(spot.solution)
    assert rise.max() <= 60 + ROUNDING


def test_nothing_allowed_is_the_solution() -> None:
    spot = Spot(3, 1)
    found = spot.respond(np.zeros(1326), iterations=20)
    assert found.share == 0
    assert np.array_equal(found.behavior, spot.solution)


@pytest.mark.parametrize("player", [0, 1])
def test_a_caller_pays_more_than_in_equilibrium(player: int) -> None:
    """More with more at risk, and many times what is risked."""
    spot = Spot(2, player, callers=True)
    base = spot.won(spot.solution)
    won = [
        spot.won(spot.respond(np.full(1326, float(k)), 200).behavior) - base
        for k in (30, 300, 6000)
    ]
    assert 0 < won[0] < won[1] < won[2]
    assert won[2] > 0.02 * POT


def test_only_a_last_street_has_responses() -> None:
    spot = Spot(0, 0)
    turn = LiveEndgame(parse_betting(GAME, "r3000c/cc/"), CARDS[:4], spot.ranges, MENU)
    with pytest.raises(GameError, match="on the last street"):
        respond(turn, 0, Model(spot.ranges[1], np.zeros((1, 1))), np.zeros(1326), Limits())

"""The gadgets' root: against linear programs of the gadgets, alone and on boards."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog

from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.cards.deck import hand_masks
from endspiel.cards.strength import board_strengths
from endspiel.cards.text import parse_cards
from endspiel.endgame.safe.live import LiveEndgame, Offer
from endspiel.endgame.safe.techniques import HALF_DEALT, PLAYED
from endspiel.engine.gadget import GadgetRoot, GadgetSolve, Terms
from endspiel.engine.limits import Limits
from endspiel.engine.schemes import SCHEMES, Answer
from endspiel.errors import EndspielError
from endspiel.kernels.arrays import Floats
from endspiel.rules.builtin import load_rules
from endspiel.rules.state import CALL, start
from tests.endgame.plain_river import PlainRiver
from tests.engine.layouts import BACKENDS, GAMES

BOARD = tuple(parse_cards("Ks Th 7s 4d 2s"))
SIZING = Sizing.same(StreetMenu.parse("100%", "100%"), max_raises=2)
OPPONENT, PLAYER = 0, 1


def learn(terms: Terms, values: Floats, iterations: int) -> tuple[GadgetRoot, Floats]:
    """Entries worth values [C, A] by the player's action; its average answer [A] to the choice."""
    entrance, regret = GadgetRoot(terms), np.zeros(values.shape[1])
    average = np.zeros(values.shape[1])
    for t in range(1, iterations + 1):
        positive = np.maximum(regret, 0)
        play = (
            positive / positive.sum() if positive.any() else np.full(len(regret), 1 / len(regret))
        )
        by = SCHEMES["cfr+"].at(t)
        entrance.remember(by)
        entrance.learn(values @ play, by)
        reach = entrance.reach()
        gain = -reach @ values
        regret = np.maximum(regret + gain - gain @ play, 0)
        average += t * play
    return entrance, average / average.sum()


def random_terms(free: bool) -> tuple[Terms, Floats]:
    rng = np.random.default_rng(4)
    values, target, weight = rng.normal(size=(6, 4)), rng.normal(size=6), rng.random(6) + 0.2
    which, none = np.ones(6, dtype=bool), np.zeros(6, dtype=bool)
    which[2] = False  # an entry that cannot be taken
    one = (which, none) if free else (none, which)
    return Terms(one[0], target, weight, one[1], target, np.ones(6)), values


def test_free_entries_are_maxmargins_gadget() -> None:
    """The player makes the largest gain over the cost, by weight, as small as a program can."""
    terms, values = random_terms(free=True)
    entrance, play = learn(terms, values, 4000)
    some = np.flatnonzero(terms.free)
    found = linprog(
        c=[0, 0, 0, 0, 1],
        A_ub=np.column_stack([values[some], -terms.weight[some]]),
        b_ub=terms.target[some],
        A_eq=[[1, 1, 1, 1, 0]],
        b_eq=[1],
        bounds=[(0, None)] * 4 + [(None, None)],
    )
    assert float(entrance.best(values @ play)) == pytest.approx(found.fun, abs=2e-3)
    free, held = entrance.mean
    assert (free * terms.weight).sum() == pytest.approx(1)
    assert free[2] == 0
    assert not held.any()


def test_held_entries_are_resolvings_gadget() -> None:
    """Each is taken where it pays; what they gain together is as little as a program leaves."""
    terms, values = random_terms(free=False)
    entrance, play = learn(terms, values, 4000)
    some = np.flatnonzero(terms.held)
    found = linprog(
        c=np.concatenate([np.zeros(4), np.ones(5)]),
        A_ub=np.column_stack([values[some], -np.identity(5)]),
        b_ub=terms.limit[some],
        A_eq=[[1, 1, 1, 1, 0, 0, 0, 0, 0]],
        b_eq=[1],
    )
    assert float(entrance.best(values @ play)) == pytest.approx(found.fun, abs=2e-3)
    free, held = entrance.mean
    assert not free.any()
    assert ((held >= 0) & (held <= 1)).all()
    assert held[2] == 0


class Small:
    """A river with some hands each, as an endgame on boards and as a plain one."""

    def __init__(self) -> None:
        state = start(load_rules("nolimit-holdem"))
        for action in (6000, CALL, CALL, CALL, CALL, CALL):
            state = state.apply(action)
        rng = np.random.default_rng(8)
        strength = board_strengths(BOARD).astype(np.int64)
        live = np.flatnonzero(strength)
        self.hands = [np.sort(rng.choice(live, 24, replace=False)) for _ in range(2)]
        self.own = np.zeros(1326)
        self.own[self.hands[PLAYER]] = rng.random(24) + 0.1
        entering = np.zeros(1326)
        entering[self.hands[OPPONENT]] = 1.0
        self.endgame = LiveEndgame(state, BOARD, (entering, self.own), SIZING)
        one, two = self.hands
        apart = (hand_masks()[one][:, None] & hand_masks()[two]) == 0
        met = apart * self.own[two]
        won = met * np.sign(strength[one][:, None] - strength[two])
        self.plain = PlainRiver(self.endgame.tree, met, won, unit=1.0)  # in chips
        self.mass = met.sum(axis=1)  # [24] of the opponent's hands

    def leaves(self, iterations: int, shift: float) -> Floats:
        """What the opponent's hands have elsewhere: some values, a third shifted.

        After few iterations the strategy is poor; after many nobody can be given less for nothing.
        """
        before = LiveEndgame(
            self.endgame.state, BOARD, (np.ones(1326) * (self.endgame.ranges[0] > 0), self.own),
            SIZING,
        )  # fmt: skip
        before.solve(Limits(0.0, iterations))
        values = before.root_values(OPPONENT)
        values[self.hands[OPPONENT][::3]] += shift
        return values

    def solve(self, technique: str, leaves: Floats, gifts: Floats) -> Floats:
        """What each of the opponent's hands [24] can get after a safe solve, in chips."""
        offer = Offer(leaves, gifts, self.endgame.ranges[OPPONENT])
        rule = {**PLAYED, HALF_DEALT.name: HALF_DEALT}[technique]
        self.endgame.solve_safely(PLAYER, rule, offer, Limits(0.0, 3000))
        return self.endgame.root_values(OPPONENT)[self.hands[OPPONENT]]


@pytest.mark.parametrize("gifted", [0.0, 900.0])
@pytest.mark.parametrize("technique", ["maxmargin", "reach-maxmargin"])
def test_margins_on_boards_are_the_programs(technique: str, gifted: float) -> None:
    """To a thousandth of the pot; gifts count for Reach-Maxmargin alone."""
    small = Small()
    leaves, gifts = small.leaves(5, 0.0), np.zeros(1326)
    entering = small.hands[OPPONENT]
    gifts[entering] = gifted * np.random.default_rng(2).random(len(entering))
    got = small.solve(technique, leaves, gifts)
    target = leaves[entering] + (gifts[entering] if technique == "reach-maxmargin" else 0.0)
    best = -small.plain.gadget(PLAYER, small.mass * target, small.mass)
    within = 1e-3 * small.endgame.pot
    assert small.endgame.diagnostics["gap"] < within
    assert (target - got).min() == pytest.approx(best, abs=within)
    assert small.endgame.diagnostics["margin"] == pytest.approx(best, abs=within)


def test_resolving_on_boards_is_the_program() -> None:
    """Where a third of the hands cannot be kept to what they are promised, little is lost."""
    small = Small()
    leaves = small.leaves(2000, -2000.0)
    got = small.solve("resolve", leaves, np.zeros(1326))
    limit = leaves[small.hands[OPPONENT]]
    least = small.plain.gadget(PLAYER, small.mass * limit, None)
    lost = float(small.mass @ np.maximum(got - limit, 0))
    per_deal = small.mass.sum() * small.endgame.pot
    assert least / per_deal > 0.01
    assert lost / per_deal == pytest.approx(least / per_deal, abs=1e-3)
    assert small.endgame.diagnostics["margin"] == pytest.approx((limit - got).min(), abs=1.0)


@pytest.mark.parametrize("most", [0.0, 3000.0])
def test_hands_half_dealt_gain_little_each_and_together(most: float) -> None:
    """No other technique leaves a smaller sum of the largest gain and the mean gain.

    Where every hand can be kept from gaining, the smallest margin is Maxmargin's.
    """
    small, rng = Small(), np.random.default_rng(1)
    leaves, hands = small.leaves(2000 if most else 5, 0.0), small.hands[OPPONENT]
    leaves[hands] -= most * rng.random(len(hands)) ** 3
    least, mean = {}, {}
    for technique in (HALF_DEALT.name, "maxmargin", "resolve"):
        margin = leaves[hands] - Small().solve(technique, leaves, np.zeros(1326))
        least[technique] = float(margin.min())
        mean[technique] = float(small.mass @ np.maximum(-margin, 0) / small.mass.sum())
    within, half = 2e-3 * small.endgame.pot, HALF_DEALT.name
    if not most:
        assert least[half] == pytest.approx(least["maxmargin"], abs=within)
        assert least[half] > 0
        return
    assert mean[half] < mean["maxmargin"] - within
    assert least[half] > least["resolve"] + within
    for other in ("maxmargin", "resolve"):
        assert mean[half] - least[half] < mean[other] - least[other] - within


def mixed_solve(backend: str, scheme: str = "dcfr") -> GadgetSolve:
    """A solve of a river whose opponent comes by free and by held entries, on a backend."""
    made = BACKENDS[backend][0](GAMES["river"]().own)
    mass = made.root(OPPONENT).copy()
    free = np.arange(len(mass)) % 2 == 0
    each, none = np.ones(len(mass)), np.zeros(len(mass))
    terms = Terms(free, none, each, ~free, none, mass)
    return GadgetSolve(made, SCHEMES[scheme], PLAYER, terms, 0.1 * mass)


@pytest.mark.parametrize("backend", ["treeplex", "boards", "streams"])
def test_a_gadget_goes_on_from_its_state_to_the_bit(backend: str) -> None:
    whole, first, second = (mixed_solve(backend) for _ in range(3))
    whole.advance(12)
    first.advance(5)
    state = {name: np.array(array) for name, array in first.state().items()}
    first.advance(3)  # what was taken down stays as it was
    second.restore(state)
    assert second.iteration == 5
    second.advance(7)
    one, two = whole.root.state(), second.root.state()
    assert one.keys() == two.keys()
    assert all(np.array_equal(one[name], two[name]) for name in one)
    for player in (0, 1):
        ends = (each.backend.best_values(player) for each in (whole, second))
        assert np.array_equal(*ends)
    assert (whole.gap(), whole.margin()) == (second.gap(), second.margin())


@pytest.mark.parametrize("backend", ["treeplex", "boards"])
def test_a_gadget_refuses_schemes_that_it_cannot_follow(backend: str) -> None:
    solve = mixed_solve(backend)
    for scheme in (
        SCHEMES["dcfr"].answering(Answer("current")),
        replace(SCHEMES["dcfr"], alternating=False),
    ):
        with pytest.raises(EndspielError, match="a gadget is solved by alternating schemes"):
            GadgetSolve(solve.backend, scheme, PLAYER, solve.root.terms)
    with pytest.raises(EndspielError, match="without prediction"):
        mixed_solve("boards", "pcfr+")

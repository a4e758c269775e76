"""The gadgets' root: against linear programs of the gadgets, alone and on boards."""

import numpy as np
import pytest
from scipy.optimize import linprog

from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.cards.text import parse_cards
from endspiel.endgame.entrance import Entrance, Terms
from endspiel.engine.schemes import SCHEMES
from endspiel.kernels.arrays import Floats

BOARD = tuple(parse_cards("Ks Th 7s 4d 2s"))
SIZING = Sizing.same(StreetMenu.parse("100%", "100%"), max_raises=2)
OPPONENT, PLAYER = 0, 1


def learn(terms: Terms, values: Floats, iterations: int) -> tuple[Entrance, Floats]:
    """Entries worth values [C, A] by the player's action; its average answer [A] to the choice."""
    entrance, regret = Entrance(terms), np.zeros(values.shape[1])
    average = np.zeros(values.shape[1])
    for t in range(1, iterations + 1):
        positive = np.maximum(regret, 0)
        play = (
            positive / positive.sum() if positive.any() else np.full(len(regret), 1 / len(regret))
        )
        by = SCHEMES["cfr+"].at(t)
        entrance.remember(by)
        entrance.learn(values @ play, by)
        reach = entrance.choice().sum(axis=0)
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

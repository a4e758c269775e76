"""Appendix C on Leduc: which ways to pair two versions' hands are biased, exactly and by play."""

from collections import defaultdict
from typing import NamedTuple

import numpy as np
import pytest

from endspiel.agent.base import Agent
from endspiel.arena.deals import DealSource
from endspiel.arena.estimators.estimates import Estimate, milli_blinds
from endspiel.arena.estimators.paired import (
    Run,
    all_hands,
    both_endgames,
    either_endgame,
    same_endgame,
    trunk,
)
from endspiel.arena.play import HandBlock, MatchTable
from endspiel.errors import EndspielError
from endspiel.rules.acpc import parse_betting
from endspiel.rules.builtin import load_rules
from tests.arena.endgame_versions import BASE, OPPONENT, OTHER, endgames
from tests.arena.leduc import RULES, Exact

HANDS = 20_000


class Means(NamedTuple):
    """Exact means of the estimators, in mbb, at position 0."""

    difference: float  # per hand
    per_endgame: float
    same: float  # independent deals
    both_same_deals: float


def exact_means() -> Means:
    deals = [((a,), (b,)) for a in RULES.deck for b in RULES.deck if a != b]
    reach = worth = squares = same_deals = 0.0
    lines: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for holes in deals:
        base, other = (endgames((agent, OPPONENT), holes) for agent in (BASE, OTHER))
        chance = sum(r.chance for r in base.values())
        gain = sum(base[line].chance * (other[line].value - base[line].value) for line in base)
        reach += chance / len(deals)
        worth += gain / len(deals)
        squares += chance**2 / len(deals)
        same_deals += chance * gain / len(deals)
        for line, (share, value) in base.items():
            lines[line][0] += share / len(deals)
            lines[line][1] += share * (other[line].value - value) / len(deals)
    alike = sum(p * gain for p, gain in lines.values()) / sum(p * p for p, _ in lines.values())
    scale = 1000 / RULES.big_blind
    return Means(scale * worth, scale * worth / reach, scale * alike, scale * same_deals / squares)


def run(agent: Agent, seed: int, agent_seed: int) -> Run:
    """Hands of an agent at position 0 against the opponent."""
    words = DealSource(RULES, seed).words(2 * HANDS)
    hands = MatchTable(RULES, (agent, OPPONENT)).play(HandBlock(agent_seed, 0, 0, words))[::2]
    roots = [trunk(hand.state, 1) for hand in hands]
    return Run(
        milli_blinds(RULES, [hand.payoffs[0] for hand in hands]),
        np.array([root is not None for root in roots]),
        tuple(root or "" for root in roots),
    )


@pytest.fixture(scope="module")
def truth() -> Means:
    return exact_means()


@pytest.fixture(scope="module")
def base() -> Run:
    return run(BASE, 1, 1)


@pytest.fixture(scope="module")
def independent() -> Run:
    return run(OTHER, 2, 2)


@pytest.fixture(scope="module")
def same_deals() -> Run:
    return run(OTHER, 1, 3)


def off(found: Estimate, truth: float) -> float:
    """Distance from a value in standard errors."""
    assert found.error
    return abs(found.mean - truth) / found.error


def test_the_difference_is_that_of_the_endgames(truth: Means) -> None:
    values = [Exact((agent, OPPONENT)).root() for agent in (BASE, OTHER)]
    assert truth.difference == pytest.approx(1000 * (values[1] - values[0]))


def test_estimates_of_independent_deals(truth: Means, base: Run, independent: Run) -> None:
    """Those by both endgames and by either have no bias; that by the same endgame has."""
    assert off(both_endgames(base, independent), truth.per_endgame) < 4
    found = same_endgame(base, independent)
    assert off(found, truth.same) < 4  # it estimates something else
    assert off(found, truth.per_endgame) > 5
    assert off(either_endgame(base, independent), truth.difference) < 4
    assert off(all_hands(base, independent), truth.difference) < 4


def test_estimates_of_the_same_deals(truth: Means, base: Run, same_deals: Run) -> None:
    """Those by both endgames have a bias, those by either have none."""
    found = both_endgames(base, same_deals)
    assert off(found, truth.both_same_deals) < 4
    assert abs(truth.both_same_deals - truth.per_endgame) > 40  # exact, in mbb
    assert off(either_endgame(base, same_deals), truth.difference) < 4
    assert off(all_hands(base, same_deals), truth.difference) < 4


@pytest.mark.parametrize(
    ("line", "root"),
    [
        ("r300c/cc/cc/r900f", "r300c/cc/cc"),
        ("r300c/cc/r900f", None),
        ("r300c/cc/r20000c/", None),  # nothing is left to decide
        ("cc/cc/cc/cc", "cc/cc/cc"),
    ],
)
def test_trunks(line: str, root: str | None) -> None:
    assert trunk(parse_betting(load_rules("nolimit-holdem"), line), 3) == root


def test_runs_that_cannot_be_compared(base: Run) -> None:
    short = Run(np.zeros(3), np.zeros(3, np.bool_), ("",) * 3)
    with pytest.raises(EndspielError, match="cannot be paired"):
        both_endgames(base, short)
    with pytest.raises(EndspielError, match="play more"):
        both_endgames(short, short)

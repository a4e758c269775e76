"""Appendix C on Leduc: which ways to pair two versions' hands are biased, exactly and by play."""

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pytest

from endspiel.agent.base import Agent
from endspiel.arena.deals import DealSource
from endspiel.arena.estimates import Estimate, milli_blinds
from endspiel.arena.paired import (
    Run,
    all_hands,
    both_endgames,
    either_endgame,
    same_endgame,
    trunk,
)
from endspiel.arena.play import Table, Task
from endspiel.errors import EndspielError
from endspiel.rules.acpc import parse_betting
from endspiel.rules.builtin import load_game
from endspiel.rules.state import State, start
from tests.arena.leduc import RULES, Exact, ProfileAgent, agent_of, random_profile

HANDS = 20_000
RAISES = {"0": 0.1, "1": 0.3, "2": 0.6}  # how often a rank raises first


def trunk_of_habit(name: str, actions: dict[str, float]) -> dict[str, float]:
    """First-round play that depends on the card, so that deals differ in where they lead."""
    raises = RAISES[name[0]]
    if "f" not in actions:
        return {"c": 1 - raises, "r": raises}
    rest = raises / 2 if "r" in actions else 0.0
    folds = {"0": 0.7, "1": 0.2, "2": 0.0}[name[0]]
    return {"f": folds, "c": 1 - folds - rest, "r": rest}


def played(fold_after_raises: float) -> ProfileAgent:
    """An agent with two ways to answer bets in endgames after raises."""

    def choose(name: str, actions: dict[str, float]) -> dict[str, float]:
        if "|" not in name:
            habit = trunk_of_habit(name, actions)
            return {action: habit[action] for action in actions}
        if "f" in actions and "r" in name.split(":")[1].split("/")[0]:
            left = (1 - fold_after_raises) / (len(actions) - 1)
            return {action: fold_after_raises if action == "f" else left for action in actions}
        return {action: 1 / len(actions) for action in actions}

    tables = agent_of(random_profile(1)).tables
    return ProfileAgent([{n: choose(n, actions) for n, actions in t.items()} for t in tables])


BASE, OTHER = played(0.0), played(1.0)
OPPONENT = played(0.1)


class Reached(NamedTuple):
    """One way into an endgame for one deal of the private cards."""

    chance: float  # of the betting, given the cards
    value: float  # chips of position 0


def endgames(agents: Sequence[Agent], holes: tuple[tuple[int], tuple[int]]) -> dict[str, Reached]:
    """Every betting line into the second round, with its chance and its value."""
    exact = Exact(agents)
    found = {}

    def walk(state: State, chance: float) -> None:
        if state.finished:
            return
        if state.round == 1:
            found[state.line] = Reached(chance, exact.value(state, holes, ()))
            return
        choice = agents[state.actor].policy(state, [holes[state.actor]], ())
        assert choice is not None
        for action, share in zip(choice.actions, choice.probabilities[0], strict=True):
            walk(state.apply(action), chance * share)

    walk(start(RULES), 1.0)
    return found


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
    hands = Table(RULES, (agent, OPPONENT)).play(Task(agent_seed, 0, 0, words))[::2]
    roots = [trunk(hand.state, 1) for hand in hands]
    return Run(
        milli_blinds(RULES, [hand.payoffs[0] for hand in hands]),
        np.array([root is not None for root in roots]),
        tuple(root or "" for root in roots),
    )


TRUTH = exact_means()
RUN = run(BASE, 1, 1)
INDEPENDENT = run(OTHER, 2, 2)
SAME_DEALS = run(OTHER, 1, 3)


def off(found: Estimate, truth: float) -> float:
    """Distance from a value in standard errors."""
    assert found.error
    return abs(found.mean - truth) / found.error


def test_the_difference_is_that_of_the_endgames() -> None:
    values = [Exact((agent, OPPONENT)).root() for agent in (BASE, OTHER)]
    assert TRUTH.difference == pytest.approx(1000 * (values[1] - values[0]))


def test_both_endgames_has_no_bias_with_independent_deals() -> None:
    assert off(both_endgames(RUN, INDEPENDENT), TRUTH.per_endgame) < 4


def test_the_same_endgame_is_biased() -> None:
    found = same_endgame(RUN, INDEPENDENT)
    assert off(found, TRUTH.same) < 4  # it estimates something else
    assert off(found, TRUTH.per_endgame) > 5


def test_both_endgames_with_the_same_deals_is_biased() -> None:
    found = both_endgames(RUN, SAME_DEALS)
    assert off(found, TRUTH.both_same_deals) < 4
    assert abs(TRUTH.both_same_deals - TRUTH.per_endgame) > 40  # exact, in mbb


@pytest.mark.parametrize("other", [INDEPENDENT, SAME_DEALS], ids=["independent", "same deals"])
def test_either_endgame_has_no_bias(other: Run) -> None:
    assert off(either_endgame(RUN, other), TRUTH.difference) < 4
    assert off(all_hands(RUN, other), TRUTH.difference) < 4


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
    assert trunk(parse_betting(load_game("nolimit-holdem"), line), 3) == root


def test_runs_that_cannot_be_compared() -> None:
    short = Run(np.zeros(3), np.zeros(3, np.bool_), ("",) * 3)
    with pytest.raises(EndspielError, match="cannot be paired"):
        both_endgames(RUN, short)
    with pytest.raises(EndspielError, match="play more"):
        both_endgames(short, short)

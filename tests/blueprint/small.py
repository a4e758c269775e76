"""A small abstraction and betting that the blueprint's tests share."""

from functools import cache

import numpy as np

from endspiel.abstraction.abstraction import Abstraction
from endspiel.abstraction.boards import some_boards
from endspiel.abstraction.pipeline import make_abstraction
from endspiel.abstraction.plan import Detail, Plan
from endspiel.abstraction.streets import ClusteringEffort
from endspiel.abstraction.work import Store, Workers
from endspiel.betting.model import BettingModel, parse_model
from endspiel.blueprint.joint import Joint, count_joint
from endspiel.blueprint.training import Setting
from endspiel.rules.builtin import load_rules

MODEL = """
name = "small"
[[rule]]
street = ["preflop", "river"]
raises = 0
sizes = "100%"
"""


@cache
def cards() -> Abstraction:
    """A few buckets over the boards of two flops."""
    plan = Plan((3, 2, 2, 3), detail=Detail(9, 12, 10), effort=ClusteringEffort(500, 1))
    return make_abstraction(plan, some_boards(2), Store(None), Workers())


@cache
def joint() -> Joint:
    """Its pairs of buckets."""
    return count_joint(cards())


def made_up_joint(*branching: int) -> Joint:
    """Pairs of buckets that no cards have: stronger buckets win more often."""
    rng = np.random.default_rng(3)
    parents, count = [], branching[0]
    for children in branching[1:]:
        parents.append(np.repeat(np.arange(count), children))
        count *= children
    strength = rng.permutation(count)
    pairs = rng.integers(1, 60, (count, count))
    pairs = pairs + pairs.T
    won = (pairs * (0.5 + 0.45 * np.sign(strength[:, None] - strength))).astype(np.int64)
    won = np.triu(won, 1) + np.tril((pairs - won.T), -1)  # what one loses the other wins
    return Joint(won + np.diag(np.diag(pairs) // 2), tuple(parents))


def model() -> BettingModel:
    """One bet of the pot preflop and on the river, and all-in."""
    return parse_model(MODEL)


@cache
def setting() -> Setting:
    """The small abstract game."""
    return Setting(load_rules("nolimit-holdem"), model(), joint(), "small")

"""Reverse mapping (action translation): which bet of a tree stands for one that is not in it.

A bet x lies between two sizes of the tree, A <= x <= B. A mapping is the probability f(x) with
which x is taken for A; otherwise it is taken for B. Sizes are shares of the pot after calling, as
in a menu; a check or a call has size 0. The formulas are those of the Tartanian5 paper (2012).

| mapping                    | f(x)                                                     |
|----------------------------|----------------------------------------------------------|
| `deterministic-arithmetic` | 1 below (A + B) / 2, else 0                              |
| `randomized-arithmetic`    | (B - x) / (B - A)                                        |
| `deterministic-geometric`  | 1 below sqrt(AB), else 0                                 |
| `randomized-geometric-1`   | g / (g + h), g = A/x - A/B, h = x/B - A/B                |
| `randomized-geometric-2`   | A (B^2 - x^2) / ((B - A) (x^2 + AB))                     |
| `pseudo-harmonic`          | (B - x) (1 + A) / ((B - A) (1 + x))                      |
| `threshold-harmonic`       | 1 below (A + B + 2AB) / (A + B + 2), else 0              |

A size that the tree has is always itself: f(A) = 1 and f(B) = 0, also where a formula has no value.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from endspiel.betting.tree import BY_CALL, BY_FOLD, DECISION, BettingTree
from endspiel.errors import BettingError

Floats = NDArray[np.float64]
# Sizes x [N], A, B and the pot, all in one unit, to the probability of A [N].
Formula = Callable[[Floats, float, float, float], Floats]


@dataclass(frozen=True)
class Mapping:
    """The probability of taking a bet between two known sizes for the smaller one."""

    name: str
    formula: Formula
    deterministic: bool

    def __call__(self, x: ArrayLike, low: float, high: float, pot: float = 1.0) -> Floats:
        """f(x) for bets x [N] (or one bet) between two sizes; the pot is in the bets' unit."""
        bets = np.asarray(x, dtype=np.float64)
        if not (0 <= low < high < np.inf and 0 < pot < np.inf):
            raise BettingError(
                f"a mapping needs sizes 0 <= A < B and a pot above 0, "
                f"not A = {low}, B = {high} and a pot of {pot}"
            )
        outside = ~((bets >= low) & (bets <= high))
        if outside.any():
            first = bets[outside].ravel()[0]
            raise BettingError(f"{self.name} maps bets from {low} to {high}, not {first}")
        with np.errstate(invalid="ignore", divide="ignore"):  # 0/0 at x = A = 0, replaced below
            chance = self.formula(bets, float(low), float(high), float(pot))
        chance = np.where(bets == low, 1.0, np.where(bets == high, 0.0, chance))
        return np.clip(chance, 0.0, 1.0)


def _deterministic_arithmetic(x: Floats, A: float, B: float, pot: float) -> Floats:
    return (x < (A + B) / 2).astype(np.float64)


def _randomized_arithmetic(x: Floats, A: float, B: float, pot: float) -> Floats:
    return (B - x) / (B - A)


def _deterministic_geometric(x: Floats, A: float, B: float, pot: float) -> Floats:
    return (x * x < A * B).astype(np.float64)


def _randomized_geometric_1(x: Floats, A: float, B: float, pot: float) -> Floats:
    # Both are taken times B, as the quotient x/B of a tiny bet would vanish.
    g, h = A / x * (B - x), x - A
    return g / (g + h)


def _randomized_geometric_2(x: Floats, A: float, B: float, pot: float) -> Floats:
    ratio = A / x  # the formula divided by x, as the square of a tiny bet would vanish
    return (B - x) / (B - A) * (ratio * (B + x) / (x + ratio * B))


def _pseudo_harmonic(x: Floats, A: float, B: float, pot: float) -> Floats:
    # The only mapping that calls x as often as 1 / (1 + x) asks, if A and B are called so.
    return (B - x) * (pot + A) / ((B - A) * (pot + x))


def _threshold_harmonic(x: Floats, A: float, B: float, pot: float) -> Floats:
    middle = (pot * (A + B) + 2 * A * B) / (A + B + 2 * pot)  # pseudo-harmonic is 1/2 there
    return (x < middle).astype(np.float64)


MAPPINGS: Final = {
    mapping.name: mapping
    for mapping in (
        Mapping("deterministic-arithmetic", _deterministic_arithmetic, True),
        Mapping("randomized-arithmetic", _randomized_arithmetic, False),
        Mapping("deterministic-geometric", _deterministic_geometric, True),
        Mapping("randomized-geometric-1", _randomized_geometric_1, False),
        Mapping("randomized-geometric-2", _randomized_geometric_2, False),
        Mapping("pseudo-harmonic", _pseudo_harmonic, False),
        Mapping("threshold-harmonic", _threshold_harmonic, True),
    )
}
DEFAULT_MAPPING: Final = "pseudo-harmonic"


def find_mapping(name: str) -> Mapping:
    """The mapping of a name; an error lists the names there are."""
    if name not in MAPPINGS:
        raise BettingError(f"there is no mapping {name!r}: mappings are {', '.join(MAPPINGS)}")
    return MAPPINGS[name]


@dataclass(frozen=True)
class Bet:
    """A bet or raise as it was made at the table, whose pot need not be the tree's."""

    share: float  # of the pot after calling, as a menu's percent
    all_in: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.share < np.inf:
            raise BettingError(f"a bet or raise is more than a call, not {self.share} of the pot")

    @classmethod
    def of_chips(cls, chips: int, last_bet: int, pot: int, all_in: bool = False) -> "Bet":
        """A bet or raise to a total of chips on its street, into the pot as it is after calling."""
        if pot <= 0 or chips <= last_bet:
            raise BettingError(
                f"a bet to {chips} over a last bet of {last_bet} into a pot of {pot}: "
                "chips must exceed the last bet, and the pot 0"
            )
        return cls((chips - last_bet) / pot, all_in)

    @classmethod
    def in_tree(cls, tree: BettingTree, node: int, chips: int) -> "Bet":
        """A bet or raise to a total of chips on its street, at a node of the tree."""
        level, begun = int(tree.spent[node].max()), street_begun(tree, node)
        total = begun + chips
        if total > tree.stack:
            raise BettingError(f"a bet to {chips} chips: only {tree.stack - begun} are left")
        return cls.of_chips(chips, level - begun, tree.pot + 2 * level, total == tree.stack)


def street_begun(tree: BettingTree, node: int) -> int:
    """What each player had spent, beside the tree's pot, when a node's street began."""
    at = node
    while at > 0 and tree.street[tree.parent[at]] == tree.street[node]:
        action = int(tree.action[at])
        if action > BY_CALL:  # a bet or raise states its total on the street
            return int(tree.spent[at, tree.player[tree.parent[at]]]) - action
        at = int(tree.parent[at])
    if at > 0:
        return int(tree.spent[at].max())
    # The root's street may have begun before the root, with blinds: see its first raise.
    for child in tree.children(0):
        if tree.action[child] > BY_CALL:
            return int(tree.spent[child, tree.player[0]]) - int(tree.action[child])
    return int(tree.spent[0].max())


def tree_sizes(tree: BettingTree, node: int) -> tuple[list[int], list[float]]:
    """The children that a bet may be taken for, and their shares of the pot, ascending.

    A check or call, of size 0, is among them only where the other player decides next: elsewhere
    it would end the street in the tree while a bet at the table waits for its answer. Where the
    tree has no raise left, the call is all there is, and the table's betting outruns the tree's.
    """
    if tree.kind[node] != DECISION:
        raise BettingError(f"no player bets at node {node} ({tree.line(node) or 'the root'})")
    actor, level = int(tree.player[node]), int(tree.spent[node].max())
    pot = tree.pot + 2 * level
    actions = [child for child in tree.children(node) if tree.action[child] != BY_FOLD]
    call, raises = actions[0], actions[1:]
    shares = [(int(tree.spent[child, actor]) - level) / pot for child in raises]
    if not raises or tree.kind[call] == DECISION:
        return [call, *raises], [0.0, *shares]
    return raises, shares


def choices(
    tree: BettingTree, node: int, bet: Bet, mapping: Mapping
) -> tuple[tuple[int, float], ...]:
    """The one or two children that a bet at a node may be taken for, with their probabilities.

    All-in is the largest: it is the tree's all-in, where the tree has one. Any other bet beyond
    the tree's sizes is the nearest of them.
    """
    children, sizes = tree_sizes(tree, node)
    goes_all_in = bool(tree.spent[children[-1]].max() == tree.stack)
    if bet.share >= sizes[-1] or (bet.all_in and goes_all_in):
        return ((children[-1], 1.0),)
    if bet.share <= sizes[0]:
        return ((children[0], 1.0),)
    above = int(np.searchsorted(sizes, bet.share, side="right"))
    low = float(mapping(bet.share, sizes[above - 1], sizes[above]))
    both = ((children[above - 1], low), (children[above], 1.0 - low))
    return tuple(choice for choice in both if choice[1] > 0.0)


def translate(
    tree: BettingTree, node: int, bet: Bet, mapping: Mapping, rng: np.random.Generator
) -> int:
    """The child that a bet at a node is taken for; chance decides only where both may be."""
    options = choices(tree, node, bet, mapping)
    if len(options) == 1 or rng.random() < options[0][1]:
        return options[0][0]
    return options[1][0]

"""A player's reach and range along a line of play, with one policy for lines of reach 0.

A line is a sequence of actions, each with the probability that a strategy takes it with every hand.
The *reach* of a hand is the product of its owner's probabilities: what counterfactual values are
weighed with, and 0 where the strategy never goes. The *range* is what the owner is believed to hold
once the line has been played. By Bayes' rule it is the reach, up to scale, as long as some hand
that can be held takes every action. Where none does, the line is impossible under the strategy, yet
it was played, and `OffPath` decides the range.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.betting.tree import DECISION, BettingTree
from endspiel.cards.live import Cards, live_hands
from endspiel.cards.removal import can_meet
from endspiel.errors import RangeError

Floats = NDArray[np.float64]
FAINTEST: Final = 1e-5  # of the likeliest hand: the weight of hands that should never have come
_SMALL: Final = 2.0**-500  # weights below this are scaled up, lest long lines underflow


class Action(NamedTuple):
    """One action of a line.

    Examples:
        >>> import endspiel as es
        >>> bet = es.Action(0, es.parse_range("QQ+,AQs:0.5"))  # how often each hand bets
        >>> bet.player, len(bet.chances)
        (0, 1326)
    """

    player: int
    chances: NDArray[np.floating]  # [K] probability that the strategy takes it with each hand


def came_with(player: int, weights: Floats) -> Action:
    """All that led to a range [K], taken as one action: where a line goes on from it."""
    return Action(player, weights / weights.max())


@dataclass(frozen=True)
class OffPath:
    """The range of a player on a line that no hand takes: the hands that err least.

    Every action of the player is then taken to be made by mistake with a probability of `mistake`
    at least, whatever the hand, and Bayes' rule applied to that. So an action that no hand takes
    leaves the range as it was, the other actions still count, hands that need fewer mistakes weigh
    more, every hand that can be held keeps some weight, and the order of the actions does not
    matter. The rules that this replaces lack one or the other: passing an action over depends on
    which comes first, any live hand alike forgets what the other actions told, and weights of zero
    are no range. Where the line is possible the policy changes nothing.

    Examples:
        >>> import endspiel as es
        >>> board = es.parse_cards("Qs Jh 2h 4c 8d")
        >>> never = es.Action(0, es.parse_range("AA:0"))  # no hand takes this action
        >>> first, second = es.ranges_along(board, [never], es.OffPath(mistake=0.01))
        >>> first.mistaken, second.mistaken, float(first.weights.sum())
        (True, False, 1081.0)
    """

    mistake: float = 1e-3

    def __post_init__(self) -> None:
        if not 0 < self.mistake <= 1:
            raise RangeError(f"mistakes have a probability above 0 and up to 1, not {self.mistake}")

    def chances(self, chances: NDArray[np.floating]) -> Floats:
        """The probabilities [K] of an action, mistakes included."""
        return np.maximum(np.asarray(chances, np.float64), self.mistake)


OFF_PATH: Final = OffPath()  # everywhere


class HandRange(NamedTuple):
    """What a player is believed to hold.

    Examples:
        >>> import endspiel as es
        >>> board = es.parse_cards("Qs Jh 2h 4c 8d")
        >>> bet = es.Action(0, es.parse_range("QQ+,AQs:0.5"))
        >>> first, second = es.ranges_along(board, [bet])
        >>> float(first.weights.sum()), first.mistaken, float(second.weights.sum())
        (16.5, False, 1081.0)
    """

    weights: Floats  # [K] the reach, or with mistakes as large as what the player starts with
    mistaken: bool  # whether the line is impossible unless the player makes mistakes


def reach_along(start: NDArray[np.floating], line: Iterable[Action], player: int) -> Floats:
    """How often a player takes a line with each hand [K], from the weights it starts with."""
    reach = start.astype(np.float64)
    for action in line:
        if action.player == player:
            reach *= action.chances
    return reach


def range_along(
    start: NDArray[np.floating],  # [K] hands that can be held, by weight; all others stay at 0
    line: Sequence[Action],
    player: int,
    off_path: OffPath = OFF_PATH,
) -> HandRange:
    """What a player holds [K] after a line."""
    weights = _weigh(start, [action.chances for action in line if action.player == player])
    if weights.any() or not start.any():
        return HandRange(weights, mistaken=False)
    return _erring(start, line, player, off_path)


def _erring(
    start: NDArray[np.floating], line: Sequence[Action], player: int, off_path: OffPath
) -> HandRange:
    """The range where any action of the player may be a mistake."""
    own = [off_path.chances(action.chances) for action in line if action.player == player]
    weights = _weigh(start, own)
    return HandRange(weights * (start.max() / weights.max()), mistaken=True)


def ranges_along(
    board: Cards, line: Sequence[Action], off_path: OffPath = OFF_PATH
) -> tuple[HandRange, HandRange]:
    """What both players hold [1326] on a board after a line.

    Each range may be possible and both together not, as all their pairs of hands share a card. Then
    both players' actions are taken for mistakes.

    Examples:
        >>> import endspiel as es
        >>> board = es.parse_cards("Qs Jh 2h 4c 8d")
        >>> bet = es.Action(0, es.parse_range("QQ+,AQs:0.5"))
        >>> first, second = es.ranges_along(board, [bet])
        >>> float(first.weights.sum()), first.mistaken, float(second.weights.sum())
        (16.5, False, 1081.0)
    """
    live = live_hands(board)
    one, two = (range_along(live, line, player, off_path) for player in (0, 1))
    if can_meet(one.weights, two.weights):
        return one, two
    first, second = (_erring(live, line, player, off_path) for player in (0, 1))
    return first, second


def _weigh(start: NDArray[np.floating], factors: Iterable[NDArray[np.floating]]) -> Floats:
    """The product of weights [K], scaled up by powers of two, which is exact, where it is small."""
    weights = start.astype(np.float64)
    for factor in factors:
        weights *= factor
        largest = float(weights.max(initial=0.0))
        if 0 < largest < _SMALL:
            weights = np.ldexp(weights, -int(np.frexp(largest)[1]))
    return weights


def tree_line(
    tree: BettingTree, node: int, strategy: Callable[[int], NDArray[np.floating]]
) -> list[Action]:
    """The line from a betting tree's root to a node, by the strategy [A, K] at each decision."""
    line = []
    while node > 0:
        parent = int(tree.parent[node])
        if tree.kind[parent] == DECISION:
            chances = strategy(parent)[node - int(tree.first_child[parent])]
            line.append(Action(int(tree.player[parent]), chances))
        node = parent
    return line[::-1]


def with_every_hand(weights: Floats, board: Cards, least: float = FAINTEST) -> Floats:
    """A range in which even hands that should not be there have a little weight: [1326].

    A player may hold one all the same, after bets that its strategy does not know. `least` is of
    the likeliest hand's weight.
    """
    live = live_hands(board)
    seen: Floats = weights * live
    return np.maximum(seen, least * float(seen.max()) * live)

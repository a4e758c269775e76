"""Both players' hands as the actions so far tell them: Algorithms 2 to 4 of the 2015 paper.

A player's range is the product, over the player's own actions, of the probability that a strategy
takes the action with each hand: one look at the strategy per action and hand. The joint
distribution is the product of the two ranges for hands that share no card.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from endspiel.cards.deck import NUM_HANDS, hand_index
from endspiel.cards.live import live_numbers
from endspiel.cards.removal import conflicts
from endspiel.cards.strength import checked_board
from endspiel.errors import GameError
from endspiel.ranges.line import OFF_PATH, Action, OffPath, ranges_along

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def index_holes(first: int, second: int) -> int:
    """Algorithm 3: the number of a pair of hole cards among all 1326, as everywhere here."""
    return hand_index(first, second)


def index_full(board: Sequence[int], first: int, second: int) -> int:
    """Algorithm 4: the number of a pair of hole cards among those that a board leaves."""
    low, high = (card - sum(other < card for other in board) for card in (first, second))
    return index_holes(low, high)


def index_map(board: Sequence[int]) -> Ints:
    """The paper's IndexMap [1081 on the river]: hand number of each hand that a board leaves.

    Taking cards away keeps the order of the others, so these are the live hands in order.
    """
    return live_numbers(checked_board(board))


@dataclass(frozen=True, eq=False)
class Prior:
    """Both players' distributions of hands on a board.

    Examples:
        >>> import endspiel as es
        >>> prior = es.hand_prior(es.parse_cards("Qs Jh 2h 4c 8d"), [])
        >>> prior.joint.shape, round(float(prior.joint.sum()), 6)
        ((1081, 1081), 1.0)
    """

    board: tuple[int, ...]
    ranges: tuple[Floats, Floats]  # [1326] each; sum 1, 0 for hands that the board rules out
    mistaken: tuple[bool, bool]  # whether each player's line is impossible without mistakes

    @cached_property
    def joint(self) -> Floats:
        """Probability of each pair of hands [H, H], both in the order of `index_map`; sums to 1."""
        hands = index_map(self.board)
        one, two = (weights[hands] for weights in self.ranges)
        both = np.where(conflicts()[np.ix_(hands, hands)], 0.0, np.outer(one, two))
        together: Floats = both / both.sum()
        return together


def hand_prior(
    board: Sequence[int],
    history: Iterable[tuple[int, NDArray[np.floating]]],
    off_path: OffPath = OFF_PATH,
) -> Prior:
    """Algorithm 2: the hands of both players after a history of actions, by Bayes' rule.

    An action is a player and the probability [1326] that a strategy takes it with each hand. What a
    history that is impossible under the strategy means, `OffPath` says.

    Examples:
        >>> import endspiel as es
        >>> board = es.parse_cards("Qs Jh 2h 4c 8d")
        >>> bets = es.parse_range("QQ+,AQs:0.5")  # how often each hand of player 0 makes the bet
        >>> prior = es.hand_prior(board, [(0, bets)])
        >>> es.format_range((prior.ranges[0] > 0).astype(float)), prior.mistaken
        ('KK+,AhQh,AdQd,AcQc,QhQd,QhQc,QdQc', (False, False))
    """
    cards = checked_board(board)
    line = [_checked(at, action) for at, action in enumerate(history)]
    one, two = ranges_along(cards, line, off_path)
    ranges = one.weights / one.weights.sum(), two.weights / two.weights.sum()
    return Prior(tuple(cards.tolist()), ranges, (one.mistaken, two.mistaken))


def _checked(at: int, action: tuple[int, NDArray[np.floating]]) -> Action:
    player, probabilities = action
    values = np.asarray(probabilities, dtype=np.float64)
    if player not in (0, 1) or values.shape != (NUM_HANDS,):
        raise GameError(
            f"action {at}: player {player} with probabilities of shape {values.shape}, "
            f"where player 0 or 1 and {NUM_HANDS} probabilities are needed"
        )
    if not ((values >= 0) & (values <= 1 + 1e-6)).all():
        raise GameError(f"action {at}: probabilities lie between 0 and 1")
    return Action(player, values)

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

from endspiel.cards.deck import NUM_HANDS, hand_cards, hand_index
from endspiel.cards.live import live_hands, live_numbers
from endspiel.cards.removal import can_meet, conflicts
from endspiel.cards.strength import checked_board
from endspiel.errors import GameError, RangeError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Action = tuple[int, Floats]  # who acts, and the probability [1326] of what was done, by hand
MISTAKE = 1e-3  # least probability of any action, once a history is impossible without mistakes


def index_holes(first: int, second: int) -> int:
    """Algorithm 3: the number of a pair of hole cards among all 1326, as everywhere here."""
    return hand_index(first, second)


def index_full(board: Sequence[int], first: int, second: int) -> int:
    """Algorithm 4: the number of a pair of hole cards among those that a board leaves."""
    low, high = sorted((first, second))
    low -= sum(card < low for card in board)
    high -= sum(card < high for card in board)
    return high * (high - 1) // 2 + low


def index_map(board: Sequence[int]) -> Ints:
    """The paper's IndexMap [1081 on the river]: hand number of each hand that a board leaves."""
    live = live_numbers(checked_board(board))
    cards = list(map(int, board))
    places = [index_full(cards, int(a), int(b)) for a, b in hand_cards()[live]]
    hands = np.empty(len(live), np.int64)
    hands[places] = live
    return hands


@dataclass(frozen=True, eq=False)
class Prior:
    """Both players' distributions of hands on a board."""

    board: tuple[int, ...]
    ranges: tuple[Floats, Floats]  # [1326] each; sum 1, 0 for hands that the board rules out
    mistaken: bool  # whether the history is impossible unless somebody makes mistakes

    @cached_property
    def joint(self) -> Floats:
        """Probability of each pair of hands [H, H], both in the order of `index_map`; sums to 1."""
        hands = index_map(self.board)
        one, two = (weights[hands] for weights in self.ranges)
        both = np.where(conflicts()[np.ix_(hands, hands)], 0.0, np.outer(one, two))
        together: Floats = both / both.sum()
        return together


def hand_prior(board: Sequence[int], history: Iterable[Action]) -> Prior:
    """The hands of both players after a history of actions, by Bayes' rule.

    A history may be impossible under the strategy: no hand of a player takes all of the player's
    actions, or all pairs that are left share a card. Then every action is taken to be made by
    mistake with a probability of `MISTAKE` at least, whatever the hand: an action that no hand
    takes tells nothing, and among the hands those that need fewest mistakes weigh most.
    """
    cards = checked_board(board)
    live = live_hands(cards)
    actions = [_checked(at, action) for at, action in enumerate(history)]
    for least in (0.0, MISTAKE):
        one, two = (_range(live, actions, player, least) for player in (0, 1))
        if can_meet(one, two):
            return Prior(tuple(cards.tolist()), (one, two), mistaken=least > 0)
    raise RangeError(f"a board of {len(cards)} cards leaves no two hands")


def _checked(at: int, action: Action) -> Action:
    player, probabilities = action
    values = np.asarray(probabilities, dtype=np.float64)
    if player not in (0, 1) or values.shape != (NUM_HANDS,):
        raise GameError(
            f"action {at}: player {player} with probabilities of shape {values.shape}, "
            f"where player 0 or 1 and {NUM_HANDS} probabilities are needed"
        )
    if not ((values >= 0) & (values <= 1 + 1e-6)).all():
        raise GameError(f"action {at}: probabilities lie between 0 and 1")
    return player, values


def _range(live: Floats, actions: Sequence[Action], player: int, least: float) -> Floats:
    """One player's range [1326], normalized; all zero where no hand is left."""
    weights = live
    for actor, probabilities in actions:
        if actor == player:
            weights = weights * np.maximum(probabilities, least)
            weights = weights / (weights.max() or 1.0)  # long histories must not underflow
    normal: Floats = weights / (weights.sum() or 1.0)
    return normal

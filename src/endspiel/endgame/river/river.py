"""A river endgame as it is met at the table: real pot, real stacks, both ranges, and equities.

Bets before the river that no blueprint knows do no harm here: whatever strategy the ranges were
read from, pot and stacks are the table's own (the 2015 paper's section 3.4).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from endspiel.cards.deck import NUM_HANDS, hand_cards
from endspiel.cards.equity import equities
from endspiel.cards.live import live_mask
from endspiel.cards.strength import board_strengths, checked_board
from endspiel.cards.text import format_hand
from endspiel.errors import CardError, GameError, RangeError
from endspiel.games.card_tree import FAINT
from endspiel.kernels.arrays import Float64s

PLAYERS = ("out of position", "in position")
BOARD_CARDS = 5


@dataclass(frozen=True, eq=False)
class River:
    """The state of a hand before the last betting round; use `River.of`, which checks it."""

    board: tuple[int, ...]  # five cards
    pot: int
    stack: int  # what the shorter stack has behind: the most that a player can win or lose
    ranges: tuple[
        Float64s, Float64s
    ]  # [1326] out of position first; largest weight 1, dead hands 0

    @classmethod
    def of(
        cls, board: Sequence[int], pot: int, stacks: int | Sequence[int], ranges: ArrayLike
    ) -> "River":
        """What a table gives: one stack or both, and the weights of both players' hands [2, 1326].

        Weights need not be normalized; those of hands that the board rules out do not count.
        """
        cards = checked_board(board)
        if len(cards) != BOARD_CARDS:
            raise CardError(f"a river has a board of {BOARD_CARDS} cards, not of {len(cards)}")
        behind = stacks if isinstance(stacks, int) else min(stacks)
        if pot < 1 or behind < 0:
            raise GameError(
                f"a river has a pot of 1 or more and 0 or more behind, not {pot}, {behind}"
            )
        live = np.where(live_mask(cards), _checked_weights(ranges), 0.0)
        for player, name in enumerate(PLAYERS):
            if not live[player].any():
                raise RangeError(f"the range {name} has no hand that the board allows")
            live[player] /= live[player].max()
        live[live < FAINT] = 0.0
        live.flags.writeable = False
        river = cls(tuple(cards.tolist()), int(pot), int(behind), (live[0], live[1]))
        if np.isnan(river.equities[0][live[0] > 0]).all():
            raise RangeError("the two ranges share a card in every pair of hands: nothing is dealt")
        return river

    @cached_property
    def strengths(self) -> NDArray[np.uint16]:
        """Every hand's strength [1326]; 0 where the board rules it out."""
        return board_strengths(self.board)

    @cached_property
    def equities(self) -> tuple[Float64s, Float64s]:
        """Each player's share of the pot by hand [1326], against the other's range (Algorithm 1).

        It does not depend on the player's own weights, so hands that the player is not supposed
        to hold have one too. NaN where no hand of the other's can be held against a hand.
        """
        one, two = self.ranges
        return equities(two, self.board), equities(one, self.board)


def _checked_weights(ranges: ArrayLike) -> Float64s:
    """Two ranges as an array of their own, or the reason why they are none."""
    weights = np.array(ranges, dtype=np.float64)
    if weights.shape != (2, NUM_HANDS):
        raise RangeError(f"a river has 2 ranges of {NUM_HANDS} weights, not shape {weights.shape}")
    bad = np.argwhere(~(np.isfinite(weights) & (weights >= 0)))
    if len(bad):
        player, hand = bad[0]
        name = format_hand(hand_cards()[hand].tolist())
        raise RangeError(
            f"the weight of {name} {PLAYERS[player]} is {weights[player, hand]}: weights are "
            "finite and not negative"
        )
    return weights

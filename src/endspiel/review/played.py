"""A played hand from any source: cards, chips and the actions of two players.

Players are 0, who acts first after the flop, and 1. Chips are whole numbers; an action is given by
all that its player has put in over the hand, antes and blinds included.
"""

from dataclasses import dataclass
from typing import Final, NamedTuple

from endspiel.errors import StateError

FOLDED: Final = -1
STREETS: Final = ("preflop", "flop", "turn", "river")
BOARD_CARDS: Final = (0, 3, 4, 5)


class PlayedAction(NamedTuple):
    """What one of the two players did."""

    street: int  # 0 preflop to 3 river
    player: int
    chips: int  # all that the player has in after it, or FOLDED


class StreetStart(NamedTuple):
    """The chips where a street begins."""

    pot: int  # everybody's, those who folded included
    spent: tuple[int, int]  # the two players' part of it


class PlayedPreflop(NamedTuple):
    """The actions of two players before the flop, where all others folded."""

    small_blind: int  # of the button
    ante: int  # of each
    straddle: int  # of the button, in place of the small blind; 0 where there is none
    actions: tuple[PlayedAction, ...]


@dataclass(frozen=True)
class PlayedHand:
    """A hand that two players played from some street on."""

    name: str  # as its file has it
    line: int  # of the file, where it begins
    big_blind: int
    players: tuple[str, str]
    stacks: tuple[int, int]  # before anything was posted
    holes: tuple[tuple[int, ...], tuple[int, ...]]  # empty where they were never seen
    board: tuple[int, ...]
    starts: dict[int, StreetStart]  # by street from the flop on; empty where none was dealt
    actions: tuple[PlayedAction, ...]  # from there on
    unit: float = 1.0  # chips in the file's own money
    raises: int = 0  # before the flop
    preflop: PlayedPreflop | None = None  # None where others played, too, or posts were unusual

    def behind(self, street: int) -> int:
        """What both players can still put in when a street begins."""
        spent = self.starts[street].spent
        return min(stack - chips for stack, chips in zip(self.stacks, spent, strict=True))


class RootedAction(NamedTuple):
    """An action counted from a street's start on, as a betting tree counts."""

    street: int
    player: int
    chips: int  # since the root, or FOLDED
    board: tuple[int, ...]


def actions_from(hand: PlayedHand, street: int) -> tuple[RootedAction, ...]:
    """The actions from a street on; chips beyond what the other player has do not count."""
    spent, most = hand.starts[street].spent, hand.behind(street)
    return tuple(
        RootedAction(
            action.street,
            action.player,
            FOLDED if action.chips == FOLDED else min(action.chips - spent[action.player], most),
            hand.board[: BOARD_CARDS[action.street]],
        )
        for action in hand.actions
        if action.street >= street
    )


class BrokenHand(NamedTuple):
    """A hand, or what looks like one, that could not be read."""

    name: str
    line: int
    reason: str


def check_cards(hand: PlayedHand) -> PlayedHand:
    """Return the hand; refuse one in which a card is dealt twice."""
    cards = [*hand.board, *hand.holes[0], *hand.holes[1]]
    if len(set(cards)) < len(cards):
        raise StateError("a card is dealt twice")
    return hand

"""The order of moves, which a `Game` forgets, for those who cut endgames out of it."""

from typing import NamedTuple, Protocol, runtime_checkable

from endspiel.kernels.arrays import Floats, Ints


class Visits(NamedTuple):
    """The histories at which one player moves; those that only nature can tell apart are one."""

    state: Ints  # [V] the player's state, as the sequence of its first action
    other: Ints  # [V] the other player's last sequence
    chance: Floats  # [V] nature's part in the histories' probability, given the roots


@runtime_checkable
class Histories(Protocol):
    """What remembers the order of moves; a game's `nodes` may."""

    def visits(self, player: int) -> Visits:
        """The histories at which a player moves."""


class WalkedHistories(NamedTuple):
    """Histories that were walked one by one."""

    one: Visits  # of player 0
    two: Visits  # of player 1

    def visits(self, player: int) -> Visits:
        return self.one if player == 0 else self.two

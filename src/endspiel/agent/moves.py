"""The actions of a hand so far, each with the state before it."""

from typing import NamedTuple

from endspiel.rules.acpc import history
from endspiel.rules.state import State, start


class Move(NamedTuple):
    """An action at the table and the state before it."""

    state: State
    action: int


def moves_of(end: State) -> list[Move]:
    """All actions that lead to a state."""
    state, moves = start(end.game), []
    for action in (action for street in history(end) for action in street):
        moves.append(Move(state, action))
        state = state.apply(action)
    return moves


def street_moves(end: State, street: int | None = None) -> list[Move]:
    """The actions of a street, the present one by default."""
    wanted = end.round if street is None else street
    return [move for move in moves_of(end) if move.state.round == wanted]

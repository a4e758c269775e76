"""Nested solving, step by step, over any backend: what is played is followed, or solved again.

The 2017 paper's inexpensive way. Play is followed through a solved subgame for as long as its tree
has the actions. An off-tree action of the opponent begins a subgame of its own, solved by a
gadget whose alternative values are carried over from where the action was taken: CBV(I) by the
strategy found last, and what the opponent gave away until then. Answers so found are never
given up: what follows a second off-tree action is solved against the answer to the first.
"""

from collections.abc import Iterable
from typing import Generic, NamedTuple, Protocol, TypeVar

Place = TypeVar("Place")  # a solved subgame and where play stands in it
Entry = TypeVar("Entry")  # a subgame to solve, and what its gadget offers the opponent
Action = TypeVar("Action")
Action_contra = TypeVar("Action_contra", contravariant=True)


class Unsolved(NamedTuple):
    """A subgame that cannot be solved, for a reason that play itself may bring."""

    reason: str


class NestedBackend(Protocol[Place, Entry, Action_contra]):
    """What nested solving asks of subgames, however they are laid out."""

    def follow(self, place: Place, action: Action_contra) -> Place | None:
        """Where an action leads in the same subgame; None if it is off-tree there."""

    def carry(self, place: Place, action: Action_contra) -> Entry | Unsolved:
        """The subgame after an off-tree action, with the values that its gadget offers."""

    def enter(self, entry: Entry) -> Place | Unsolved:
        """Solve a subgame by its gadget; play stands where it begins."""


class NestedSolve(Generic[Place, Entry, Action]):
    """Play in solved subgames, one within the other."""

    def __init__(self, backend: NestedBackend[Place, Entry, Action], start: Place) -> None:
        self.backend = backend
        self.root = start  # where the newest subgame begins
        self.place = start  # where play stands

    def observe(self, actions: Iterable[Action]) -> Place | Unsolved:
        """Where actions lead, each off-tree one into a subgame solved for it."""
        for action in actions:
            following = self.backend.follow(self.place, action)
            if following is None:
                entry = self.backend.carry(self.place, action)
                nested = entry if isinstance(entry, Unsolved) else self.backend.enter(entry)
                if isinstance(nested, Unsolved):
                    return nested
                following = self.root = nested
            self.place = following
        return self.place

"""The betting tree: every line of a two-player game as flat arrays, without cards.

Nodes are numbered breadth first, so parents come before children and the children of a node are
contiguous: fold, then check or call, then bets and raises from small to large. A line is written
``b100 c / c b50``: words of one street separated by spaces, ``/`` where cards are dealt. ``c`` is
a check or a call, ``b150`` and ``r400`` bet and raise to that many chips on this street.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.arrays import Int8s, Int32s, Ints
from endspiel.betting.prizes import PrizeMap
from endspiel.betting.rake import NO_RAKE, Outcomes, Rake
from endspiel.errors import BettingError

DECISION: Final = 0
CHANCE: Final = 1  # the street is over and cards are dealt; one child
SHOWDOWN: Final = 2
FOLD: Final = 3
KIND_NAMES: Final = ("decision", "chance", "showdown", "fold")

# What led to a node, where it is not the chips of a bet or raise.
BY_CHANCE: Final = -2
BY_FOLD: Final = -1
BY_CALL: Final = 0

NOBODY: Final = -1  # player of a node where no one decides; parent of the root

NUM_STREETS: Final = 4


class Counts(NamedTuple):
    """How many nodes there are of each kind, in all or of one street."""

    decisions: int
    chances: int
    showdowns: int
    folds: int

    @property
    def nodes(self) -> int:
        """Nodes of every kind."""
        return sum(self)


@dataclass(frozen=True, eq=False)
class BettingTree:
    """Every line of the betting. N nodes; node 0 is the root."""

    pot: int  # chips that were in the pot before the root, both players' together
    stack: int  # most chips each player may have put in, blinds included
    kind: Int8s  # [N]
    player: Int8s  # [N] who decides, or who folded; 0 is out of position, NOBODY elsewhere
    street: Int8s  # [N] 0 preflop to 3 river; a chance node belongs to the street it ends
    spent: Ints  # [N, 2] chips of each player beside the pot: since the root, and blinds
    parent: Int32s  # [N] NOBODY at the root
    first_child: Int32s  # [N] where children begin, also where there are none
    num_children: Int32s  # [N]
    action: Ints  # [N] what led here: BY_CHANCE, BY_FOLD, BY_CALL, or chips on this street
    rake: Rake = NO_RAKE  # what the house takes of pots
    prizes: PrizeMap | None = None  # what chips are worth where they are not what is played for

    @property
    def num_nodes(self) -> int:
        """N."""
        return len(self.kind)

    @cached_property
    def stake(self) -> NDArray[np.float64]:
        """What is lost at each node where the betting is over: [N], read-only.

        By the player who folded, or the worse hand at a showdown: half the pot before the root, and
        what the loser has put in since; before the last cards of an all-in too.
        """
        folded = self.kind == FOLD
        lost = np.where(folded, self.spent[np.arange(self.num_nodes), self.player], 0)
        stake = self.pot / 2 + np.where(folded, lost, self.spent.min(axis=1))
        stake.flags.writeable = False
        return stake

    @property
    def zero_sum(self) -> bool:
        """Whether what one player wins, the other loses."""
        return not self.rake and self.prizes is None

    def outcomes(self, node: int) -> Outcomes | None:
        """What both get where the betting is over; None where that is the stake, won or lost."""
        if self.prizes is not None:
            return self.prizes.outcomes(float(self.stake[node]))
        if self.zero_sum:
            return None
        flop_seen = self.kind[node] != FOLD or self.street[node] > 0
        return self.rake.outcomes(float(self.stake[node]), bool(flop_seen))

    def check_zero_sum(self, what: str) -> None:
        """Refuse a game with rake or prizes where something solves zero-sum games only."""
        if not self.zero_sum:
            why = f"a rake of {self.rake}" if self.rake else "prizes"
            raise BettingError(f"{what} solves zero-sum games, and with {why} this is none")

    def given_up(self, node: int, player: int) -> float:
        """What a player gets who gives the pot up at a node: less than nothing."""
        lost = self.pot / 2 + float(self.spent[node, player])
        return -lost if self.prizes is None else self.prizes.in_chips(player, -lost)

    def gains(self, nodes: NDArray[np.integer] | int, player: int) -> NDArray[np.float64]:
        """What a player gets at terminals by folds [...], and the better hand at showdowns."""
        folds = (self.kind[nodes] == FOLD) & (self.player[nodes] == player)
        gains: NDArray[np.float64] = np.where(folds, -1.0, 1.0) * self.stake[nodes]
        return gains

    def children(self, node: int) -> range:
        """The nodes that follow a node."""
        first = int(self.first_child[node])
        return range(first, first + int(self.num_children[node]))

    def first_decisions(self) -> frozenset[int]:
        """The decisions before which their player has not acted."""
        found: set[int] = set()
        open_nodes: list[tuple[int, frozenset[int]]] = [(0, frozenset())]  # and who has acted
        while open_nodes:
            node, acted = open_nodes.pop()
            player = int(self.player[node])
            if self.kind[node] == DECISION and player not in acted:
                found.add(node)
                acted |= {player}
            if len(acted) < 2:
                open_nodes += [(child, acted) for child in self.children(node)]
        return frozenset(found)

    def word(self, node: int) -> str:
        """What led to a node: ``f``, ``c``, ``b150``, ``r400``, ``/``; empty at the root."""
        action = int(self.action[node])
        if action == BY_FOLD:
            return "f"
        if action == BY_CALL:
            return "c"
        parent = int(self.parent[node])
        if action == BY_CHANCE:
            return "/" if parent >= 0 else ""
        # A bet opens the street: until then no player had more in than when the street began.
        begun = self.spent[node, self.player[parent]] - action
        return f"{'b' if self.spent[parent].max() == begun else 'r'}{action}"

    def words(self, node: int) -> list[str]:
        """What may follow a node, in the order of its children."""
        return [self.word(child) for child in self.children(node)]

    def line(self, node: int) -> str:
        """The betting from the root to a node."""
        words = []
        while node > 0:
            words.append(self.word(node))
            node = int(self.parent[node])
        return " ".join(reversed(words))

    def find(self, line: str) -> int:
        """The node at the end of a line; an error names the first word that does not fit."""
        node = 0
        words = line.split()
        for at, word in enumerate(words):
            following = self.words(node)
            if word not in following:
                after = f"after {' '.join(words[:at])!r}" if at else "at the start"
                there = f"there are {', '.join(following)}" if following else "the hand is over"
                raise BettingError(f"no {word[:20]!r} {after}: {there}")
            node = int(self.first_child[node]) + following.index(word)
        return node

    def counts(self, boards: Sequence[int] | None = None) -> Counts:
        """Nodes of each kind, or with boards a street (root's street first) those of the full tree.

        A flop game whose turn and river cards are all distinct has boards (1, 49, 49 * 48).
        """
        weights = np.ones(NUM_STREETS, dtype=object)
        if boards is not None:
            first, last = int(self.street[0]), int(self.street.max())
            if len(boards) != last - first + 1:
                raise BettingError(
                    f"boards of {len(boards)} streets; this tree has {last - first + 1}"
                )
            weights[first : last + 1] = [int(count) for count in boards]
        return Counts(*(int(row @ weights) for row in self.street_counts().astype(object)))

    def street_counts(self) -> Ints:
        """How many nodes there are of each kind on each street: [4 kinds, 4 streets]."""
        kinds = len(KIND_NAMES)
        cells = self.kind.astype(np.int64) * NUM_STREETS + self.street
        return np.bincount(cells, minlength=kinds * NUM_STREETS).reshape(kinds, NUM_STREETS)

    def show(self, depth: int | None = None) -> str:
        """The tree as indented text, one node a line, down to a number of words from the root."""
        lines = []
        open_nodes = [(0, 0)]
        while open_nodes:
            node, level = open_nodes.pop()
            word = self.word(node) or "root"
            lines.append(f"{'  ' * level}{word}  {self._describe(node)}")
            if depth is None or level < depth:
                open_nodes += [(child, level + 1) for child in reversed(self.children(node))]
        return "\n".join(lines) + "\n"

    def _describe(self, node: int) -> str:
        kind, player = int(self.kind[node]), int(self.player[node])
        pot = self.pot + int(self.spent[node].sum())
        if kind == DECISION:
            return f"player {player} to act, pot {pot}"
        if kind == FOLD:
            return f"player {player} folded, pot {pot}"
        return f"{KIND_NAMES[kind]}, pot {pot}"

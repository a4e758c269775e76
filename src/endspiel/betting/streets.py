"""A betting tree cut into streets: each player's decisions and terminals, local to a board."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from endspiel.arrays import Bools
from endspiel.betting.rake import Outcomes
from endspiel.betting.sequences import SequencePair, number_sequences
from endspiel.betting.tree import CHANCE, FOLD, BettingTree

_SAME = 1e-9  # of what is won: a tie so near the middle of winning and losing is the middle


class ShownPay(NamedTuple):
    """A showdown's pay in three parts, as sums over the other's hands are had fast."""

    stake: float  # what the better hand wins of the worse
    either: float = 0.0  # what either hand gets besides
    tie: float = 0.0  # and what is added for hands that tie


class StreetEnd(NamedTuple):
    """The end of a line: both players' last sequences and what it pays each player."""

    node: int  # of the betting tree
    seqs: SequencePair
    folder: int  # -1 at a showdown
    stake: float  # what the loser (or the player who folds) loses
    outcomes: Outcomes | None = None  # of each player, where the other does not get the stake

    def gain(self, player: int) -> float:
        """What a player gets by a fold, or the better hand at a showdown."""
        if self.outcomes is not None:
            own = self.outcomes[player]
            return own.lose if self.folder == player else own.win
        return -self.stake if self.folder == player else self.stake

    @property
    def rake(self) -> float:
        """Chips that neither player gets."""
        return 0.0 if self.outcomes is None else -(self.outcomes[0].win + self.outcomes[1].lose)

    def shown(self, player: int) -> ShownPay:
        """How a showdown pays a player."""
        if self.outcomes is None:
            return ShownPay(self.stake)
        win, tie, lose = self.outcomes[player]
        middle = (win + lose) / 2
        if abs(tie - middle) <= _SAME * (win - lose):
            return ShownPay((win - lose) / 2, tie)
        return ShownPay((win - lose) / 2, middle, tie - middle)


class OwnDecision(NamedTuple):
    """A player's decision on a street, by the numbers of its own sequences."""

    node: int  # of the betting tree
    first: int
    actions: int
    parent: int  # sequence that leads to it
    lines: int  # sequences that come into the street: no action's

    @property
    def span(self) -> slice:
        """Its actions among all sequences [S]."""
        return slice(self.first, self.first + self.actions)

    @property
    def rows(self) -> slice:
        """Its actions among those of all decisions [S - L]."""
        return slice(self.first - self.lines, self.first - self.lines + self.actions)


@dataclass
class Street:
    """One street of the betting while it is cut out; sequences are local to a board."""

    starts: list[int]  # node that each incoming line begins with
    size: list[int] = field(default_factory=list)  # sequences of each player
    decisions: tuple[list[int], list[int]] = field(default_factory=lambda: ([], []))  # nodes
    first: tuple[list[int], list[int]] = field(default_factory=lambda: ([], []))
    parent: tuple[list[int], list[int]] = field(default_factory=lambda: ([], []))
    actions: tuple[list[int], list[int]] = field(default_factory=lambda: ([], []))
    out: list[SequencePair] = field(default_factory=list)
    terminals: list[StreetEnd] = field(default_factory=list)
    allowed: Bools | None = None  # [N] nodes of the tree that it may have, where not all

    def own(self, player: int) -> list[OwnDecision]:
        """A player's decisions, parents before children."""
        lists = self.decisions[player], self.first[player], self.actions[player]
        lines = [len(self.starts)] * len(lists[0])
        return list(map(OwnDecision, *lists, self.parent[player], lines))

    def decision_of(self, player: int, sequence: int) -> OwnDecision | None:
        """A player's decision that a sequence is an action of; None for a line that comes in."""
        place = bisect_right(self.first[player], sequence) - 1
        return self.own(player)[place] if sequence >= len(self.starts) else None

    def decision_at(self, player: int, node: int) -> OwnDecision:
        """A player's decision at a node of the betting tree."""
        return self.own(player)[self.decisions[player].index(node)]


def cut_streets(tree: BettingTree, node: int = 0, allowed: Bools | None = None) -> list[Street]:
    """The streets of a betting tree from a node on, each with the lines that come into it."""
    return cut_lines(tree, [node], allowed)


def cut_lines(
    tree: BettingTree, starts: Sequence[int], allowed: Bools | None = None
) -> list[Street]:
    """The streets from some nodes of one street on, each of these a line of its own."""
    streets = [Street(list(starts))]
    while True:
        following = _cut(tree, streets[-1], allowed)
        if not following:
            return streets
        streets.append(Street(following))


def cut_street(tree: BettingTree, starts: Sequence[int], allowed: Bools | None = None) -> Street:
    """The betting from some nodes of one street on, each a line of its own.

    Where some nodes are not allowed [N], it is as if the tree did not have them.
    """
    street = Street(list(starts))
    _cut(tree, street, allowed)
    return street


def _cut(tree: BettingTree, street: Street, allowed: Bools | None = None) -> list[int]:
    """Fill in a street; the nodes that begin the next one."""
    numbered = number_sequences(tree, street.starts, allowed)
    street.allowed = allowed
    street.size = numbered.sizes
    for node, player, first, actions, seqs in numbered.decisions:
        street.decisions[player].append(node)
        street.first[player].append(first)
        street.parent[player].append(seqs[player])
        street.actions[player].append(actions)
    following: list[int] = []
    for node, seqs in numbered.ends:
        if tree.kind[node] == CHANCE:
            street.out.append(seqs)
            following.append(int(tree.first_child[node]))
        else:
            folder = int(tree.player[node]) if tree.kind[node] == FOLD else -1
            pays = float(tree.stake[node]), tree.outcomes(node)
            street.terminals.append(StreetEnd(node, seqs, folder, *pays))
    return following


def last_sequences(tree: BettingTree, street: Street) -> dict[int, SequencePair]:
    """Both players' last sequences before each decision of a street of the whole tree."""
    return {d.node: d.seqs for d in number_sequences(tree, street.starts).decisions}

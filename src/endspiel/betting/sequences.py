"""The numbers of both players' own sequences in a part of a betting tree.

A part begins with some nodes and ends where cards are dealt or the hand is over. A player's first
sequences are those that it comes in with, one for each of the nodes; each decision then adds one
for each of its actions, in the order in which decisions are met.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.betting.tree import DECISION, BettingTree

Pair = tuple[int, int]


class NumberedDecision(NamedTuple):
    """A decision: its player's sequences first .. first + actions - 1 follow."""

    node: int
    player: int
    first: int
    actions: int
    seqs: Pair  # each player's last sequence before it


class NumberedEnd(NamedTuple):
    """Where the part ends: a chance node or a terminal."""

    node: int
    seqs: Pair  # each player's last sequence


class Numbering(NamedTuple):
    """A part of a betting tree, numbered."""

    sizes: list[int]  # [2] sequences of each player
    decisions: list[NumberedDecision]  # parents before children
    ends: list[NumberedEnd]

    def reached(self) -> Iterator[NumberedEnd]:
        """Every node of the part, a decision or an end, and the sequences that lead to it."""
        for decision in self.decisions:
            yield NumberedEnd(decision.node, decision.seqs)
        yield from self.ends

    def with_forced(self, lines: int) -> "Numbering":
        """Add a decision of one action for each player who reaches an end without one.

        So both players' last sequences there are of this part, not of the lines that come in.
        """
        sizes, decisions, ends = list(self.sizes), list(self.decisions), []
        for node, seqs in self.ends:
            after = list(seqs)
            for player in (0, 1):
                if seqs[player] < lines:
                    after[player] = sizes[player]
                    decisions.append(NumberedDecision(node, player, sizes[player], 1, seqs))
                    sizes[player] += 1
            ends.append(NumberedEnd(node, (after[0], after[1])))
        return Numbering(sizes, decisions, ends)


def number_sequences(
    tree: BettingTree,
    starts: Sequence[int],
    allowed: NDArray[np.bool_] | None = None,  # [N] as if the tree had no other nodes
    *,
    depth_first: bool = False,
) -> Numbering:
    """Number what follows some nodes, breadth first or each subtree before the next."""
    found = Numbering([len(starts), len(starts)], [], [])
    waiting: deque[tuple[int, Pair]] = deque((node, (i, i)) for i, node in enumerate(starts))
    while waiting:
        node, seqs = waiting.popleft()
        if tree.kind[node] != DECISION:
            found.ends.append(NumberedEnd(node, seqs))
            continue
        player = int(tree.player[node])
        children = [c for c in tree.children(node) if allowed is None or allowed[c]]
        first = found.sizes[player]
        found.sizes[player] += len(children)
        found.decisions.append(NumberedDecision(node, player, first, len(children), seqs))
        own = range(first, first + len(children))
        after = [(seq, seqs[1]) if player == 0 else (seqs[0], seq) for seq in own]
        following = zip(children, after, strict=True)
        if depth_first:
            waiting.extendleft(reversed(list(following)))
        else:
            waiting.extend(following)
    return found

"""Newton's equations of a one-street game, solved exactly along its public tree.

An interior point step for ``max over x, min over y of x'Ay`` is the saddle point of a quadratic
form in both players' changes. What happens below a decision touches the rest of the game only
through the two sequences that lead to it, so a decision's whole subtree can be replaced by a
quadratic form in those two (K0 + K1 numbers), from the leaves up:

    value(x, y) = 1/2 |L x|^2 - x'B y - 1/2 |Y y|^2 - g'x + h'y

with x the acting player's sequence and y the other's. Two actions a and b, which share x between
them, are merged into one, until one is left. All of it is done on square roots L and Y of the
quadratic parts, by orthogonal triangularization: near a solution these parts grow apart by more
than the sixteen digits that forming them would leave.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from endspiel.betting.tree import DECISION, FOLD, BettingTree
from endspiel.games.street_plans import Street
from endspiel.kernels.arrays import Floats

Pair = tuple[Floats, Floats]  # one array for each player: [S0, K0], [S1, K1]


@dataclass
class Action:
    """One action of a decision: a terminal with what it pays, or the way to the next decision."""

    seq: int  # the actor's sequence
    child: "Decision | None"
    kind: int  # of a terminal: 0 a fold, 1 a showdown
    stake: float  # of a terminal: what the actor gets times the form of its kind


class Merge(NamedTuple):
    """Two actions made one; h is what the first takes beyond the states it has as its own."""

    first: Floats  # [K] whether the first action keeps the state: the one with less to lose
    root: Floats  # [K, K] inverse of the triangle of both quadratic parts together
    pull: Floats  # [K, K] what the sequence that is shared does to h
    push: Floats  # [K, K'] what the other player's sequence does to h


@dataclass
class Decision:
    """A public decision and what is left of the subtree below it."""

    player: int
    number: int  # among the actor's decisions
    own: int  # the actor's sequence that leads here
    other: int  # the other player's
    actions: list[Action] = field(default_factory=list)  # terminals first
    merges: list[Merge] = field(default_factory=list)
    L: Floats = field(default_factory=lambda: np.zeros((0, 0)))  # [K, K] or its diagonal [K]
    B: Floats = field(default_factory=lambda: np.zeros((0, 0)))  # [K, K']
    Y: list[Floats] = field(default_factory=list)  # row blocks [*, K']


def public_tree(tree: BettingTree, street: Street) -> list[Decision]:
    """The decisions of a street's betting, parents first; stakes are shares of the pot."""
    place = [{node: d for d, node in enumerate(street.decisions[p])} for p in (0, 1)]
    nodes = [(0, Decision(0, 0, 0, 0))] if tree.kind[0] == DECISION else []
    for node, decision in nodes:  # grows while it is walked
        player = decision.player
        for a, child in enumerate(tree.children(node)):
            seq, below = street.first[player][decision.number] + a, None
            if tree.kind[child] == DECISION:
                below = Decision(1 - player, place[1 - player][child], decision.other, seq)
                nodes.append((child, below))
            decision.actions.append(_action(tree, child, player, (seq, below)))
        decision.actions.sort(key=lambda action: action.child is not None)
    return [decision for _, decision in nodes]


def _action(tree: BettingTree, node: int, player: int, to: tuple[int, Decision | None]) -> Action:
    shown = tree.kind[node] != FOLD
    folder = player if shown else int(tree.player[node])
    lost = (tree.pot / 2 + float(tree.spent[node, folder])) / tree.pot
    return Action(*to, kind=int(shown), stake=lost if shown or folder != player else -lost)


class Newton:
    """The equations of one step, factored: D is a diagonal [S, K] of each player's part.

    The solution is the saddle point, over changes of both plans that keep their sums but for what
    is missing, of ``1/2 x'Dx - x'Ay - 1/2 y'Dy - g'x + g'y``.
    """

    def __init__(self, nodes: list[Decision], forms: Pair, D: Pair) -> None:
        self.nodes, self.D = nodes, D
        self.forms = forms  # [2, K, K'] what each player's own payoffs are
        for node in reversed(nodes):
            self._fold(node)

    def _fold(self, node: Decision) -> None:
        """Replace a decision, its children replaced already, by its form."""
        node.merges, node.Y = [], []
        L, B = self._form(node, node.actions[0])
        for action in node.actions[1:]:
            nextL, nextB = self._form(node, action)
            merge, L, B = _merge((L, B), (nextL, nextB))
            node.merges.append(merge)
            node.Y.append(merge.push)
        node.L, node.B = L, B

    def _form(self, node: Decision, action: Action) -> tuple[Floats, Floats]:
        """The square root and the bilinear part of one action; its part in y goes to the node."""
        d = np.sqrt(self.D[node.player][action.seq])
        child = action.child
        if child is None:
            return d, action.stake * self.forms[node.player][action.kind]
        node.Y.append(child.L if child.L.ndim == 2 else np.diag(child.L))
        return np.linalg.qr(np.vstack([np.diag(d), *child.Y]), mode="r"), -child.B.T

    def solve(self, g: Pair, missing: Pair) -> tuple[Pair, Pair]:
        """Changes of both plans [S, K], and of the values [D, K] of all decisions' states.

        ``missing`` [D, K] is what the actions of each decision sum up to beyond their parent.
        """
        upward: dict[int, tuple[Floats, Floats]] = {}  # by decision: its form's linear parts
        kept = [self._gather(node, g, missing, upward) for node in reversed(self.nodes)]
        changes = np.zeros_like(g[0]), np.zeros_like(g[1])
        values = np.zeros_like(missing[0]), np.zeros_like(missing[1])
        for node, (total, news) in zip(self.nodes, reversed(kept), strict=True):
            own = changes[node.player]
            x = own[node.own] - missing[node.player][node.number]
            y = changes[1 - node.player][node.other]
            values[node.player][node.number] = node.B @ y + total - _square(node.L, x)
            for at in range(len(node.merges) - 1, -1, -1):
                merge = node.merges[at]
                h = -_apply(merge.root, _apply(merge.pull, x) + merge.push @ y + news[at])
                own[node.actions[at + 1].seq] = np.where(merge.first, 0.0, x) - h
                x = np.where(merge.first, x, 0.0) + h
            own[node.actions[0].seq] = x
        return changes, values

    def _gather(
        self, node: Decision, g: Pair, missing: Pair, upward: dict[int, tuple[Floats, Floats]]
    ) -> tuple[Floats, list[Floats]]:
        """The linear part of a decision's form, and what its merges have to remember."""
        h, parts = np.zeros(node.B.shape[1]), []
        for action in node.actions:
            part = g[node.player][action.seq]
            if action.child is not None:
                theirs, ours = upward.pop(id(action.child))
                part, h = part + ours, h + theirs
            parts.append(part)
        total, news = parts[0], []
        for merge, part in zip(node.merges, parts[1:], strict=True):
            new = _apply_transposed(merge.root, part - total)
            total = np.where(merge.first, total, part) + _apply_transposed(merge.pull, new)
            h = h - new @ merge.push
            news.append(new)
        short = missing[node.player][node.number]
        upward[id(node)] = total + _square(node.L, short), h + short @ node.B
        return total, news


def _merge(one: tuple[Floats, Floats], two: tuple[Floats, Floats]) -> tuple[Merge, Floats, Floats]:
    """The form of two actions that share a sequence, from both forms.

    In each state the action with the smaller quadratic part keeps the sequence, and h moves from
    the other to it: with x and h as variables nothing large is subtracted from anything large.
    """
    (A, B_one), (B, B_two) = one, two
    apart = B_two - B_one
    if A.ndim == 1 and B.ndim == 1:
        size = np.hypot(A, B)
        first = A < B
        pull = np.where(first, A, -B) * (np.minimum(A, B) / size)
        push = apart / size[:, None]
        mixed = np.where(first[:, None], B_one, B_two) + pull[:, None] * push
        return Merge(first, 1 / size, pull, push), A * (B / size), mixed
    A, B = (part if part.ndim == 2 else np.diag(part) for part in (A, B))
    K = len(A)
    first = np.einsum("ij,ij->j", A, A) < np.einsum("ij,ij->j", B, B)
    stack = np.block([[A, A * first], [-B, B * ~first]])
    triangle = np.linalg.qr(stack, mode="r")
    root = np.linalg.inv(triangle[:K, :K])
    pull, push = triangle[:K, K:], root.T @ apart
    mixed = np.where(first[:, None], B_one, B_two) + pull.T @ push
    return Merge(first, root, pull, push), triangle[K:, K:], mixed


def _apply(matrix: Floats, vector: Floats) -> Floats:
    """Matrix times vector, for a matrix or its diagonal."""
    result: Floats = matrix * vector if matrix.ndim == 1 else matrix @ vector
    return result


def _apply_transposed(matrix: Floats, vector: Floats) -> Floats:
    result: Floats = matrix * vector if matrix.ndim == 1 else vector @ matrix
    return result


def _square(root: Floats, vector: Floats) -> Floats:
    """L'L times a vector."""
    return _apply_transposed(root, _apply(root, vector))

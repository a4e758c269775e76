"""A river worked out plainly: pair by pair, node by node, and by a linear program of its own.

Nothing of the solvers is used here, nor of what puts hands into buckets: the betting tree and the
strengths of hands are given, all else follows from the rules.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from endspiel.betting.tree import DECISION, FOLD, BettingTree
from endspiel.cards.deck import hand_masks
from endspiel.cards.strength import board_strengths
from endspiel.kernels.arrays import Floats, Ints

Strategy = Callable[[int], Floats]  # of a node: [A, H]


def pair_forms(board: Sequence[int], ranges: Sequence[Floats]) -> tuple[Floats, Floats]:
    """Chance that two hands meet, and that the first wins less that it loses: [1326, 1326]."""
    strength = board_strengths(board).astype(np.int64)
    apart = (hand_masks()[:, None] & hand_masks()) == 0
    live = np.outer(strength > 0, strength > 0)
    met = np.outer(*ranges) * apart * live
    met /= met.sum()
    return met, met * np.sign(strength[:, None] - strength)


def plain_equities(board: Sequence[int], other: Floats) -> Floats:
    """Share of the pot [1326] that each hand has against a range; NaN where it meets nothing."""
    strength = board_strengths(board).astype(np.int64)
    apart = (hand_masks()[:, None] & hand_masks()) == 0
    met = apart * np.where(strength > 0, other, 0.0)
    beaten = np.sign(strength[:, None] - strength) / 2 + 0.5
    with np.errstate(invalid="ignore"):
        return np.where(strength > 0, (met * beaten).sum(axis=1) / met.sum(axis=1), np.nan)


def algorithm_5(equity: Floats, held: Ints, k: int, alpha: float) -> Ints:
    """Bucket [1326] of each of the held hands, the used intervals numbered; -1 for the others."""
    interval = {}
    for hand in held.tolist():
        e = 0.5 if np.isnan(equity[hand]) else equity[hand]
        interval[hand] = k - 1 if e >= alpha else min(int(e // (alpha / (k - 1))), k - 2)
    used = sorted(set(interval.values()))
    bucket = np.full(len(equity), -1)
    for hand, at in interval.items():
        bucket[hand] = used.index(at)
    return bucket


@dataclass(frozen=True, eq=False)
class PlainRiver:
    """A betting tree over states that meet and beat each other as two forms say."""

    tree: BettingTree
    met: Floats  # [H0, H1]
    won: Floats  # [H0, H1]
    unit: float | None = None  # chips that payoffs are told in; the tree's pot by default

    def in_buckets(self, buckets: Sequence[Ints]) -> "PlainRiver":
        """The same where hands of a bucket [H] play alike."""
        sets = []
        for of in buckets:
            member = np.zeros((len(of), of.max() + 1))
            member[np.flatnonzero(of >= 0), of[of >= 0]] = 1
            sets.append(member)
        one, two = sets
        return PlainRiver(self.tree, one.T @ self.met @ two, one.T @ self.won @ two)

    def stake(self, node: int) -> tuple[float, int]:
        """What player 0 gets at a terminal times a form, and the form: 0 a fold, 1 a showdown."""
        tree, unit = self.tree, self.unit or self.tree.pot
        if tree.kind[node] == FOLD:
            loser = int(tree.player[node])
            lost = tree.pot / 2 + float(tree.spent[node, loser])
            return (-lost if loser == 0 else lost) / unit, 0
        return (tree.pot / 2 + float(tree.spent[node].max())) / unit, 1

    def values(self, player: int, other: Strategy, own: Strategy | None = None) -> Floats:
        """Counterfactual value [H] of each state: by best play, or by a strategy of its own."""
        forms = (self.met, self.won) if player == 0 else (-self.met.T, -self.won.T)

        def walk(node: int, reach: Floats) -> Floats:
            if self.tree.kind[node] != DECISION:
                stake, form = self.stake(node)
                return stake * (forms[form] @ reach)
            children = list(self.tree.children(node))
            if self.tree.player[node] != player:
                shares = other(node)
                return sum(
                    walk(child, reach * share)
                    for child, share in zip(children, shares, strict=True)
                )
            found = np.stack([walk(child, reach) for child in children])
            return found.max(axis=0) if own is None else (own(node) * found).sum(axis=0)

        return walk(0, np.ones(self.met.shape[1 - player]))

    @cached_property
    def optimum(self) -> float:
        """Player 0's value as a share of the pot, by scipy's HiGHS over the sequence form."""
        (E, first), (F, second) = self._sums(0), self._sums(1)
        form = self._payoffs(first, second)
        rows, columns = F.shape[0], E.shape[1]
        found = linprog(
            c=np.concatenate([np.zeros(columns), -self._roots(1, rows)]),
            A_ub=sparse.hstack([-form.T, F.T]),
            b_ub=np.zeros(form.shape[1]),
            A_eq=sparse.hstack([E, sparse.csr_matrix((E.shape[0], rows))]),
            b_eq=self._roots(0, E.shape[0]),
            bounds=[(0, None)] * columns + [(None, None)] * rows,
        )
        assert found.status == 0, found.message
        return -float(found.fun)

    def gadget(self, player: int, limit: Floats, weight: Floats | None) -> float:
        """What a player's best strategy leaves the other at a gadget, whose entries cost a limit.

        The other's state h is worth v(h) by its best play. With weights, the largest of
        (v - limit) / weight is made as small as can be (Maxmargin's gadget); without, the sum of
        all v - limit above zero (Re-solving's).
        """
        sums = self._sums(0), self._sums(1)
        (E, _), (F, _) = sums[player], sums[1 - player]
        form = self._payoffs(sums[0][1], sums[1][1])
        earned = form if player == 1 else -form.T  # the other's, by its sequences: [S', S]
        H, S, rows = len(limit), E.shape[1], F.shape[0]
        over = 1 if weight is not None else H
        charge = -weight[:, None] if weight is not None else -np.identity(H)
        worth = sparse.hstack([earned, -F.T, sparse.csr_matrix((earned.shape[0], over))])
        enter = sparse.hstack(
            [
                sparse.csr_matrix((H, S)),
                sparse.identity(H, format="csr"),
                sparse.csr_matrix((H, rows - H)),
                sparse.csr_matrix(charge),
            ]
        )
        found = linprog(
            c=np.concatenate([np.zeros(S + rows), np.ones(over)]),
            A_ub=sparse.vstack([worth, enter]),
            b_ub=np.concatenate([np.zeros(earned.shape[0]), limit]),
            A_eq=sparse.hstack([E, sparse.csr_matrix((E.shape[0], rows + over))]),
            b_eq=self._roots(player, E.shape[0]),
            bounds=[(0, None)] * S
            + [(None, None)] * rows
            + [(None if weight is not None else 0, None)] * over,
        )
        assert found.status == 0, found.message
        return float(found.fun)

    def plan(self, player: int, weights: Floats, strategy: Strategy) -> Floats:
        """A player's plan [S * H] that comes with weights [H], as the linear programs have it."""
        numbers = self._sums(player)[1]
        plan = np.zeros((max(numbers.values()) + 1, len(weights)))
        plan[0] = weights
        for node in range(self.tree.num_nodes):
            if self.tree.kind[node] == DECISION and self.tree.player[node] == player:
                for child, share in zip(self.tree.children(node), strategy(node), strict=True):
                    plan[numbers[child]] = plan[numbers[node]] * share
        return plan.ravel()

    def response(self, player: int, answer: Floats, limit: Floats) -> float:
        """The most that a player gets from a plan of the other's, its states held to a limit [H].

        In counterfactual units, as `values` has them; a share of the pot.
        """
        sums = self._sums(0), self._sums(1)
        (E, _), (F, _) = sums[player], sums[1 - player]
        form = self._payoffs(sums[0][1], sums[1][1])
        own = form if player == 0 else -form.T  # the player's, by its sequences: [S, S']
        S, rows = E.shape[1], F.shape[0]
        found = linprog(
            c=np.concatenate([-(own @ answer), np.zeros(rows)]),
            A_ub=sparse.hstack([-own.T, -F.T]),
            b_ub=np.zeros(own.shape[1]),
            A_eq=sparse.hstack([E, sparse.csr_matrix((E.shape[0], rows))]),
            b_eq=self._roots(player, E.shape[0]),
            bounds=[(0, None)] * S
            + [(None, most) for most in limit]
            + [(None, None)] * (rows - len(limit)),
        )
        assert found.status == 0, found.message
        return -float(found.fun)

    def _roots(self, player: int, rows: int) -> Floats:
        return np.concatenate([np.ones(self.met.shape[player]), np.zeros(rows)])[:rows]

    def _sums(self, player: int) -> tuple[sparse.csr_matrix, dict[int, int]]:
        """A player's sums of plans [rows, columns], and the last sequence before each node."""
        tree, last = self.tree, {0: 0}
        triples, number, row = [(0, 0, 1.0)], 1, 1
        for node in range(tree.num_nodes):
            decides = tree.kind[node] == DECISION and tree.player[node] == player
            if decides:
                triples.append((row, last[node], -1.0))
            for child in tree.children(node):
                last[child] = last[node]
                if decides:
                    last[child] = number
                    triples.append((row, number, 1.0))
                    number += 1
            row += decides
        rows, columns, signs = zip(*triples, strict=True)
        betting = sparse.csr_matrix((signs, (rows, columns)), shape=(row, number))
        return sparse.kron(betting, sparse.identity(self.met.shape[player])).tocsr(), last

    def _payoffs(self, first: dict[int, int], second: dict[int, int]) -> sparse.csr_matrix:
        """What each pair of sequences and states pays player 0."""
        forms = (np.zeros((max(first.values()) + 1, max(second.values()) + 1)) for _ in range(2))
        folds, shows = forms
        for node in range(self.tree.num_nodes):
            if self.tree.kind[node] != DECISION:
                stake, form = self.stake(node)
                (folds, shows)[form][first[node], second[node]] += stake
        parts = (
            sparse.kron(sparse.csr_matrix(stakes), sparse.csr_matrix(form))
            for stakes, form in ((folds, self.met), (shows, self.won))
        )
        return sum(parts).tocsr()

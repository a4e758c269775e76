"""One-street games of whole hands as a sparse linear program for HiGHS.

Who wins a showdown is a matter of order, so what a hand gets from a plan is the weight below it
less the weight above it: two entries, once running sums over the opponent's hands by strength are
variables of the program (after Zhang and Sandholm 2020; Farina and Sandholm 2022). Pairs that
share a card cannot meet and are taken out again one by one. Of the K entries that a hand has at
each terminal of the plain program (`sequence_form`), a tenth or so is left.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from endspiel.betting.streets import Street
from endspiel.game import Game, showdown_form
from endspiel.kernels.arrays import Floats, Ints
from endspiel.solvers.lp.highs import UNBOUNDED, LinearProgram, Optimum
from endspiel.solvers.lp.task import Equilibrium, Options, ProgramTask

Entries = tuple[Ints, Ints, Floats]  # rows, columns and numbers, [M] each


@dataclass(frozen=True, eq=False)
class Showdown:
    """Hands that meet with the product of their weights, unless they are blocked."""

    strengths: tuple[Ints, Ints]  # [K0], [K1] the higher wins
    weights: tuple[Floats, Floats]  # [K0], [K1]
    blocked: NDArray[np.bool_]  # [K0, K1] pairs that share a card

    @cached_property
    def forms(self) -> Floats:
        """What a fold and a showdown of stake 1 pay player 0, in all: [2, K0, K1]."""
        met = np.where(self.blocked, 0.0, np.outer(*self.weights))
        one, two = self.strengths
        return np.stack([met, showdown_form(one, two, met)])


class SparseForm:
    """Player 0's linear program with running sums, and the way back to plans.

    Columns are player 0's plan x in shares of mass, the running sums c of its sequences that end
    the game, and the values v of player 1's states; rows are player 1's sequences, player 0's
    states, and what defines the sums.
    """

    def __init__(self, game: Game, street: Street, showdown: Showdown) -> None:
        self.game, self.street, self.showdown = game, street, showdown
        strengths, theirs = showdown.strengths
        levels, self.level = np.unique(strengths, return_inverse=True)
        self.L = len(levels)
        self.below = np.searchsorted(levels, theirs, "left")  # [K1] levels that a hand beats
        self.up_to = np.searchsorted(levels, theirs, "right")  # [K1] and those it ties with
        self.ending = np.unique([ends.seqs[0] for ends in street.terminals])

    def program(self) -> LinearProgram:
        """The program for HiGHS; payoffs in shares of the largest stake."""
        (E, e), (F, f) = (plex.constraints() for plex in self.game.plexes)
        S0, (states, S1) = E.shape[1], F.shape
        sums = len(self.ending) * self.L
        matrix = sparse.bmat(
            [
                [-self._payoffs(S0, S1), F.T],
                [sparse.hstack([E, sparse.csr_matrix((E.shape[0], sums))]), None],
                [self._sums(S0), None],
            ],
            format="csr",
        )
        matrix.sort_indices()
        fixed, free = np.concatenate([e > 0, np.zeros(sums)]), np.full(states, -UNBOUNDED)
        return LinearProgram(
            matrix=matrix,
            cost=np.concatenate([np.zeros(S0 + sums), f > 0]),
            lower=np.concatenate([np.zeros(S0 + sums), free]),
            upper=np.full(S0 + sums + states, UNBOUNDED),
            row_lower=np.concatenate([np.full(S1, -UNBOUNDED), fixed]),
            row_upper=np.concatenate([np.zeros(S1), fixed]),
        )

    def plans(self, found: Optimum) -> tuple[Floats, Floats]:
        """Both players' plans, masses put back, noise below zero clipped."""
        shares = (found.z, found.row_dual)
        x, y = (
            plex.mass * np.maximum(share[: plex.num_sequences], 0).astype(np.float64)
            for plex, share in zip(self.game.plexes, shares, strict=True)
        )
        return x, y

    def _payoffs(self, S0: int, S1: int) -> sparse.csr_matrix:
        """What x and its sums pay player 0 at each of player 1's sequences: [S1, S0 + sums]."""
        one, two = self.showdown.weights
        K0, K1 = len(one), len(two)
        mine, yours = np.nonzero(self.showdown.blocked)
        apart = np.sign(self.showdown.strengths[0][mine] - self.showdown.strengths[1][yours])
        removed = one[mine] * two[yours]
        largest = max(ends.stake for ends in self.street.terminals)
        place = {int(seq): S0 + n * self.L - 1 for n, seq in enumerate(self.ending)}
        hands = np.arange(K1)
        entries: list[Entries] = []
        for ends in self.street.terminals:
            pay, shown = ends.gain(0) / largest, ends.folder < 0
            x, y, base = ends.seqs[0] * K0, ends.seqs[1] * K1, place[ends.seqs[0]]
            entries.append((y + hands, np.full(K1, base + self.L), pay * two))
            if shown:
                for level in (self.below, self.up_to):
                    some = level > 0
                    entries.append((y + hands[some], base + level[some], -pay * two[some]))
            entries.append((y + yours, x + mine, -pay * removed * (apart if shown else 1)))
        payoffs = _matrix(entries, (S1, S0 + len(self.ending) * self.L))
        payoffs.eliminate_zeros()
        return payoffs

    def _sums(self, S0: int) -> sparse.csr_matrix:
        """The rows of running sums: each is the one below it and the hands of its level."""
        weights, levels = self.showdown.weights[0], np.arange(self.L)
        K0 = len(weights)
        entries: list[Entries] = []
        for n, seq in enumerate(self.ending):
            here = n * self.L + levels
            entries.append((here, S0 + here, np.ones(self.L)))
            entries.append((here[1:], S0 + here[:-1], -np.ones(self.L - 1)))
            entries.append((n * self.L + self.level, seq * K0 + np.arange(K0), -weights))
        sums = len(self.ending) * self.L
        return _matrix(entries, (sums, S0 + sums))


def solve_sparse(
    game: Game, street: Street, showdown: Showdown, options: Options | None = None
) -> Equilibrium:
    """One equilibrium by the sparse program, certified by best responses in the game itself."""
    task = ProgramTask(game, options or Options())
    return task.finish(task.solve_form(SparseForm(game, street, showdown)))


def _matrix(entries: list[Entries], shape: tuple[int, int]) -> sparse.csr_matrix:
    """A matrix from rows, columns and numbers; those that meet are added up."""
    rows, columns, numbers = (np.concatenate(part) for part in zip(*entries, strict=True))
    return sparse.csr_matrix((numbers, (rows, columns)), shape=shape)

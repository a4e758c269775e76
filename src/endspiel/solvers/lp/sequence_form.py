"""The sequence form of a game as a linear program, and the way back to plans.

Player 0 maximizes what a best-responding player 1 leaves (Koller, Megiddo and von Stengel 1996):

    maximize f'v   subject to   F'v <= A'x,   Ex = e,   x >= 0.

v is what player 1's states are worth; the duals of the first rows are player 1's plan. Plans are
counted in shares of their root mass, so that every variable lies between 0 and 1 whatever the
ranges, and payoffs in shares of the largest entry.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from scipy import sparse

from endspiel.game import Game, Sparse, Treeplex
from endspiel.kernels.arrays import Floats
from endspiel.solvers.lp.highs import INFINITE, LinearProgram, Optimum


@dataclass(frozen=True)
class ProgramSize:
    """How large a game's linear program is, known before anything is built."""

    rows: int
    columns: int
    nonzeros: int

    @property
    def memory_bytes(self) -> int:
        """Estimate: our rows, HiGHS's rows and columns at 12 bytes an entry, and vectors."""
        return 3 * 12 * self.nonzeros + 16 * 8 * (self.rows + self.columns)

    @classmethod
    def of(cls, game: Game) -> Self:
        """Count without building the payoff matrix; entries that meet are counted apart."""
        one, two = game.plexes
        states = [int(plex.num_roots + plex.arrays.states.sum()) for plex in game.plexes]
        nonzeros = sum(plex.num_sequences + int(plex.arrays.states.sum()) for plex in game.plexes)
        for group in game.groups:
            payoff = group.payoff
            K0, K1 = payoff.shape
            entries = payoff.matrix.nnz if isinstance(payoff, Sparse) else K0 * K1
            nonzeros += entries * len(group.stakes)
        return cls(two.num_sequences + states[0], one.num_sequences + states[1], nonzeros)


@dataclass(frozen=True)
class SequenceForm:
    """One player's linear program, and the way back to plans.

    With lower bounds on the players' plans the variables are what lies above them.
    """

    plexes: tuple[Treeplex, Treeplex]  # the maximizing player's first
    matrix: sparse.csr_matrix  # [S0, S1] the first player's payoffs
    lower: tuple[Floats, Floats]  # [S0], [S1] least plans, in shares of root mass

    @classmethod
    def of(cls, game: Game, lower: tuple[Floats, Floats] | None = None) -> Self:
        """Player 0's side of a game; plans are bounded by zero by default."""
        S0, S1 = (plex.num_sequences for plex in game.plexes)
        return cls(game.plexes, game.matrix, lower or (np.zeros(S0), np.zeros(S1)))

    def flip(self) -> Self:
        """The other player's side of the same game."""
        matrix = sparse.csr_matrix(-self.matrix.T)
        return replace(self, plexes=self.plexes[::-1], matrix=matrix, lower=self.lower[::-1])

    @cached_property
    def mass(self) -> tuple[Floats, Floats]:
        """Root mass of each sequence; 1 where it is zero, and no share is to be had."""
        one, two = (np.where(plex.mass > 0, plex.mass, 1.0) for plex in self.plexes)
        return one, two

    @cached_property
    def scale(self) -> float:
        """The largest entry of the payoff matrix in shares of mass."""
        return float(np.abs(self._weighed.data).max(initial=0.0)) or 1.0

    @cached_property
    def _weighed(self) -> sparse.csr_matrix:
        one, two = self.mass
        return sparse.csr_matrix(sparse.diags_array(one) @ self.matrix @ sparse.diags_array(two))

    @cached_property
    def payoffs(self) -> sparse.csr_matrix:
        """A [S0, S1], in shares of mass and of the largest entry; zeros dropped."""
        payoffs = self._weighed / self.scale
        payoffs.eliminate_zeros()
        return payoffs

    @cached_property
    def constraints(self) -> tuple[tuple[sparse.csr_matrix, Floats], ...]:
        """E, e and F, f, in shares of mass, for the plans above the lower bounds."""
        both = []
        for plex, lower in zip(self.plexes, self.lower, strict=True):
            E, e = plex.constraints()
            both.append((E, (e > 0) - E @ lower))
        return tuple(both)

    def program(self) -> LinearProgram:
        """Player 0's side: columns are x (above its bound), v; rows y's sequences, x's states."""
        (E, e), (F, f) = self.constraints
        A, (low0, low1) = self.payoffs, self.lower
        S0, (states1, S1) = E.shape[1], F.shape
        matrix = sparse.bmat([[-A.T, F.T], [E, None]], format="csr")
        matrix.sort_indices()
        return LinearProgram(
            matrix=matrix,
            cost=np.concatenate([A @ low1, f]),
            lower=np.concatenate([np.zeros(S0), np.full(states1, -INFINITE)]),
            upper=np.full(S0 + states1, INFINITE),
            row_lower=np.concatenate([np.full(S1, -INFINITE), e]),
            row_upper=np.concatenate([A.T @ low0, e]),
        )

    def plans(self, found: Optimum) -> tuple[Floats, Floats]:
        """Both players' plans, bounds and masses put back, noise below the bounds clipped."""
        S0, S1 = (plex.num_sequences for plex in self.plexes)
        above = found.z[:S0], found.row_dual[:S1]
        x, y = (
            mass * np.asarray(low + np.maximum(extra, 0), dtype=np.float64)
            for mass, low, extra in zip(self.mass, self.lower, above, strict=True)
        )
        return x, y

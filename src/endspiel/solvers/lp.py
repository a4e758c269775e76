"""Exact equilibria by linear programming over the sequence form, each with its certificate.

Player 0 maximizes what a best-responding player 1 leaves (Koller, Megiddo and von Stengel 1996):

    maximize f'v   subject to   F'v <= A'x,   Ex = e,   x >= 0.

v is what player 1's states are worth; the duals of the first rows are player 1's plan. Plans are
counted in shares of their root mass, so that every variable lies between 0 and 1 whatever the
ranges, and payoffs in shares of the largest entry.
"""

import warnings
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import perf_counter
from typing import Self

import numpy as np
from scipy import sparse

from endspiel.game import Game, Profile, Sparse, Treeplex, exploitability
from endspiel.kernels.arrays import Floats
from endspiel.solvers.highs import (
    INFINITE,
    SMALLEST_ENTRY,
    LinearProgram,
    Optimum,
    Solver,
)

TOLERANCE = 1e-9  # largest certified gap, as a share of the game's payoff range
REFINED = 1e-19  # what refinement aims at: about the precision of extended numbers


class PrecisionWarning(UserWarning):
    """An answer that is less exact than its method promises; the message says by how much."""


@dataclass(frozen=True)
class Options:
    """How to run the linear program."""

    solver: str = "auto"  # "simplex", "ipm" (interior points, then crossover), or by size
    time_limit: float = INFINITE  # seconds
    tolerance: float = TOLERANCE


@dataclass(frozen=True)
class Size:
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
class Equilibrium:
    """An equilibrium and the evidence that it is one."""

    profile: Profile
    value: float  # player 0's payoff
    gap: float  # exploitability: the mean of both best-response gains
    seconds: float
    solver: str  # "simplex" or "ipm"
    iterations: int
    size: Size
    warnings: tuple[str, ...] = field(default=())


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
        """Player 0's side of a game; plans are bounded by zero unless told otherwise."""
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


def solve(game: Game, options: Options | None = None) -> Equilibrium:
    """One equilibrium of a game with perfect recall, its gap certified by best responses."""
    task = Task(game, options or Options())
    form = SequenceForm.of(game)
    solver, found = task.solve(form.program())
    profile = Profile.from_plans(game, *form.plans(found))
    if exploitability(game, profile).mean > task.allowed:
        found = task.refine(solver, found)
        profile = Profile.from_plans(game, *form.plans(found))
    return task.finish(profile)


class Task:
    """One solve: its clock, what it cost so far, and what there is to warn of."""

    def __init__(self, game: Game, options: Options) -> None:
        game.require_perfect_recall("LP")
        self.game, self.options = game, options
        self.start = perf_counter()
        self.solver, self.iterations = options.solver, 0
        self.warnings: list[str] = []

    @property
    def allowed(self) -> float:
        """The widest gap that still certifies an equilibrium, in the game's units."""
        return self.options.tolerance * self.game.payoff_range

    def solve(self, program: LinearProgram) -> tuple[Solver, Optimum]:
        """Solve one program in the time that is left."""
        small = int((np.abs(program.matrix.data) < SMALLEST_ENTRY).sum())
        if small:
            self.warnings.append(
                f"HiGHS drops {small} payoffs under {SMALLEST_ENTRY} of the largest"
            )
        left = self.options.time_limit - (perf_counter() - self.start)
        solver = Solver(program, self.options.solver, left)
        found = solver.solve()
        self.iterations += found.iterations
        self.solver = found.solver
        return solver, found

    def refine(self, solver: Solver, found: Optimum) -> Optimum:
        """Sharpen an optimum as far as extended precision goes."""
        refined = solver.refine(found, REFINED)
        self.iterations += refined.iterations - found.iterations
        return refined

    def finish(self, profile: Profile, allowed: float | None = None) -> Equilibrium:
        """The equilibrium with its certificate, a warning in it where the gap is too wide.

        The profile is the one handed out, after clipping and normalizing, and the game is the
        game itself: nothing of the linear program is trusted.
        """
        answer = exploitability(self.game, profile)
        allowed = self.allowed if allowed is None else allowed
        if answer.mean > allowed:
            self.warnings.append(
                f"best responses gain {answer.mean:.3g}, more than the certified {allowed:.3g}"
            )
        for warning in self.warnings:
            warnings.warn(f"{self.game.name}: {warning}", PrecisionWarning, stacklevel=3)
        return Equilibrium(
            profile=profile,
            value=answer.value,
            gap=answer.mean,
            seconds=perf_counter() - self.start,
            solver=self.solver,
            iterations=self.iterations,
            size=Size.of(self.game),
            warnings=tuple(self.warnings),
        )

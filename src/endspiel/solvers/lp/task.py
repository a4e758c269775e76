"""What every solve by linear programming shares: options, clock, warnings, and the certificate."""

import warnings
from dataclasses import dataclass, field
from time import perf_counter
from typing import Protocol

import numpy as np

from endspiel.errors import GameError
from endspiel.game import Game, Profile, exploitability
from endspiel.kernels.arrays import Floats
from endspiel.solvers.lp.highs import SMALLEST_ENTRY, UNBOUNDED, LinearProgram, Optimum, Solver
from endspiel.solvers.lp.sequence_form import ProgramSize

TOLERANCE = 1e-9  # largest certified gap, as a share of the game's payoff range
MOST_NONZEROS = 100_000_000  # of a program that is tried: hours, and gigabytes
REFINED = 1e-19  # what refinement aims at: about the precision of extended numbers


class PrecisionWarning(UserWarning):
    """An answer that is less exact than its method promises; the message says by how much."""


@dataclass(frozen=True)
class Options:
    """How to run the linear program."""

    solver: str = "auto"  # "simplex", "ipm" (interior points, then crossover), or by size
    time_limit: float = UNBOUNDED  # seconds
    tolerance: float = TOLERANCE
    shortlist: bool = True  # with "auto", leave out sequences that CFR gives up, where that pays


@dataclass(frozen=True)
class Equilibrium:
    """An equilibrium and the evidence that it is one."""

    profile: Profile
    value: float  # player 0's payoff
    gap: float  # exploitability: the mean of both best-response gains
    seconds: float
    solver: str  # "simplex" or "ipm"
    iterations: int
    size: ProgramSize
    warnings: tuple[str, ...] = field(default=())


class ProgramForm(Protocol):
    """A game as a linear program, and the way back to plans."""

    def program(self) -> LinearProgram: ...

    def plans(self, found: Optimum) -> tuple[Floats, Floats]: ...


def check_size(game: Game) -> ProgramSize:
    """How large a game's linear program is; one that would run for days is refused unbuilt."""
    size = ProgramSize.of(game)
    if size.nonzeros > MOST_NONZEROS:
        raise GameError(
            f"the linear program of {game.name} has {size.rows:,} rows, {size.columns:,} columns "
            f"and {size.nonzeros:,} entries, and at most {MOST_NONZEROS:,} are tried: solve it by "
            "another method, as cfr+ or egt"
        )
    return size


class ProgramTask:
    """One solve: its clock, what it cost so far, and what there is to warn of."""

    def __init__(self, game: Game, options: Options) -> None:
        game.require_perfect_recall("LP")
        check_size(game)
        self.game, self.options = game, options
        self.start = perf_counter()
        self.solver, self.iterations = options.solver, 0
        self.warnings: list[str] = []
        self._dropped = 0

    @property
    def allowed(self) -> float:
        """The widest gap that still certifies an equilibrium, in the game's units."""
        span = self.game.payoff_range or float(np.abs(self.game.matrix.data).max(initial=0.0))
        return self.options.tolerance * span

    def solve(self, program: LinearProgram, auto: str = "auto") -> tuple[Solver, Optimum]:
        """Solve one program in the time that is left; `auto` decides where the options do not."""
        self._dropped = int((np.abs(program.matrix.data) < SMALLEST_ENTRY).sum())
        left = self.options.time_limit - (perf_counter() - self.start)
        choice = auto if self.options.solver == "auto" else self.options.solver
        solver = Solver(program, choice, left)
        found = solver.solve()
        self.iterations += found.iterations
        self.solver = found.solver
        return solver, found

    def refine(self, solver: Solver, found: Optimum, target: float = REFINED) -> Optimum:
        """Sharpen an optimum, as far as extended precision goes unless less will do."""
        refined = solver.refine(found, target)
        self.iterations += refined.iterations - found.iterations
        return refined

    def solve_form(self, form: "ProgramForm") -> Profile:
        """Both plans from the primal and the dual of one program, refined if they fall short."""
        solver, found = self.solve(form.program())
        profile = Profile.from_plans(self.game, *form.plans(found))
        if exploitability(self.game, profile).mean > self.allowed:
            profile = Profile.from_plans(self.game, *form.plans(self.refine(solver, found)))
        return profile

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
            if self._dropped:
                self.warnings.append(
                    f"HiGHS drops {self._dropped} payoffs under {SMALLEST_ENTRY} of the largest"
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
            size=ProgramSize.of(self.game),
            warnings=tuple(self.warnings),
        )

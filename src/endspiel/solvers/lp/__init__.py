"""Exact equilibria by linear programming, and what refines them.

equilibrium      the front door: one equilibrium with its certificate
task             what is asked of a program, and what comes of it
sequence_form    the plain program of a game; shortlist the short ones of larger games
sparse_showdown  programs whose showdowns are running sums by strength
interior         interior points along the public tree; public_tree lays its arrays out
refinements      undominated and quasi-perfect equilibria
highs            HiGHS behind one interface
"""

from endspiel.solvers.lp.equilibrium import (
    Equilibrium,
    Options,
    PrecisionWarning,
    SolverError,
    solve,
)

__all__ = ["Equilibrium", "Options", "PrecisionWarning", "SolverError", "solve"]

"""The best smallest margin by a linear program of its own, without a gadget or our solvers."""

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from endspiel.endgame.safe.problem import Problem
from endspiel.kernels.arrays import Bools, Floats


def best_margin(problem: Problem, free: Bools, target: Floats, limit: Floats) -> float:
    """The largest smallest margin at the free entries, divided by the problem's own weights."""
    return largest_margin(problem, free, target, limit, problem.weights)[0]


def largest_margin(
    problem: Problem, free: Bools, target: Floats, limit: Floats, divisors: Floats
) -> tuple[float, Floats]:
    """Maximize m with v(q) <= target(q) - m divisor(q) at free entries and v(q) <= limit(q) at all.

    Variables: the player's plan y, what the opponent's roots and states are worth w, and m. Gives
    m and the plan.
    """
    game, player, opponent = problem.entered.game, problem.player, problem.opponent
    E, _ = game.plexes[opponent].constraints()
    F, f = game.plexes[player].constraints()
    payoffs = game.matrix if opponent == 0 else -game.matrix.T
    S, (rows, _), Q = F.shape[1], E.shape, len(target)
    worth = sparse.hstack([payoffs, -E.T, sparse.csr_matrix((payoffs.shape[0], 1))])
    entry = sparse.eye_array(Q, rows)
    held = sparse.hstack([sparse.csr_matrix((Q, S)), entry, sparse.csr_matrix((Q, 1))])
    margin = sparse.hstack([sparse.csr_matrix((Q, S)), entry, divisors[:, None]])
    above = sparse.vstack([worth, held, sparse.csr_matrix(margin)[np.flatnonzero(free)]])
    found = linprog(
        c=np.concatenate([np.zeros(S + rows), [-1.0]]),
        A_ub=above,
        b_ub=np.concatenate([np.zeros(payoffs.shape[0]), limit, target[free]]),
        A_eq=sparse.hstack([F, sparse.csr_matrix((F.shape[0], rows + 1))]),
        b_eq=f,
        bounds=[(0, None)] * S + [(None, None)] * (rows + 1),
    )
    assert found.status == 0, found.message
    return -float(found.fun), found.x[:S]

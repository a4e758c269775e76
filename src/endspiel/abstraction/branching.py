"""How many children each node gets: an integer program over the errors of its clusterings.

After Gilpin, Sandholm and Sorensen, "Potential-Aware Automated Abstraction of Sequential Games"
(2007): for node i let c(i, k) be the error of clustering its hands into k, weighted by how often
they come. Choose one k for every node,

    minimize sum c(i, k) x(i, k)   subject to   sum_k x(i, k) = 1,   sum k x(i, k) <= budget.
"""

from collections.abc import Sequence

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from endspiel.abstraction.errors import AbstractionError
from endspiel.kernels.arrays import Float64s, Ints

RELATIVE_GAP = 1e-6


def allocate(errors: Sequence[Float64s], budget: int) -> Ints:
    """Children of every node [nodes]; errors[i][k - 1] is node i's error with k children."""
    if budget < len(errors):
        raise AbstractionError(
            f"a budget of {budget} buckets for {len(errors)} nodes leaves some without a child"
        )
    lengths = np.array([len(row) for row in errors])
    if lengths.sum() == len(errors):
        return np.ones(len(errors), np.int64)
    node = np.repeat(np.arange(len(errors)), lengths)
    children = np.concatenate([np.arange(1, length + 1) for length in lengths])
    cost = np.concatenate(errors)
    scale = cost.max() or 1.0  # the solver's tolerances are absolute
    one_each = csr_array((np.ones(len(node)), (node, np.arange(len(node)))))
    result = milp(
        cost / scale,
        integrality=np.ones(len(cost)),
        bounds=Bounds(0, 1),
        constraints=[
            LinearConstraint(one_each, 1, 1),
            LinearConstraint(children[None, :], -np.inf, budget),
        ],
        options={"mip_rel_gap": RELATIVE_GAP},
    )
    if result.x is None:
        raise AbstractionError(f"the branching program was not solved: {result.message}")
    chosen = result.x > 0.5
    counts: Ints = np.zeros(len(errors), np.int64)
    counts[node[chosen]] = children[chosen]
    return counts

"""Linear programs some of whose variables take whole numbers only, by HiGHS's branch and bound."""

from typing import Any

import highspy
import numpy as np
from numpy.typing import NDArray

from endspiel.kernels.arrays import Floats
from endspiel.solvers.lp.highs import LinearProgram, SolverError, pass_program

TOLERANCE = 1e-9  # what bounds, and whole numbers, may be missed by


def solve_integer(program: LinearProgram, whole: NDArray[np.bool_]) -> tuple[Floats, float]:
    """An optimal answer [C], whole numbers where marked [C], and a proven bound of its worth."""
    highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    highs.setOptionValue("output_flag", False)
    for option in ("primal_feasibility_tolerance", "mip_feasibility_tolerance"):
        highs.setOptionValue(option, TOLERANCE)
    for option in ("mip_rel_gap", "mip_abs_gap"):
        highs.setOptionValue(option, 0.0)
    pass_program(highs, program, whole.astype(np.int32))
    # Presolve sometimes takes a program with an answer for one without.
    for presolve in ("choose", "off"):
        highs.setOptionValue("presolve", presolve)
        highs.clearSolver()
        highs.run()
        status = highs.getModelStatus()
        if status == highspy.HighsModelStatus.kOptimal:
            break
    else:
        reason = highs.modelStatusToString(status).lower()
        raise SolverError(f"the integer program was not solved: {reason}")
    return np.array(highs.getSolution().col_value), float(highs.getInfo().mip_dual_bound)

"""A thin wrapper of HiGHS: linear programs as arrays, and answers sharper than its tolerances.

HiGHS stops once no bound is missed by more than a tolerance (1e-10 at best). `Solver.refine` goes
on from there by iterative refinement (Gleixner, Steffy and Wolter 2016): the residuals of the
answer are computed in extended precision, blown up, and given to HiGHS as a program of their own,
which starts from the last basis; its answer, shrunk again, corrects the first.
"""

from dataclasses import dataclass
from time import perf_counter
from typing import Any

import highspy
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from endspiel.errors import EndspielError
from endspiel.kernels.arrays import Floats

INFINITE = float(highspy.kHighsInf)
SMALL_PROGRAM = 20_000  # nonzeros up to which simplex is tried first
SMALLEST_ENTRY = 1e-12  # HiGHS drops matrix entries below this, its lowest setting
BLOW_UP = 1e6  # most that a round of refinement magnifies by, beyond the round before
FAR = 1e6  # magnified costs and bounds beyond this are cut off
TIGHTEST = 1e-10  # HiGHS takes no smaller tolerance
SOLVERS = ("auto", "simplex", "ipm")

Extended = NDArray[np.longdouble]


class SolverError(EndspielError):
    """A linear program that was not solved; the message says why."""


class OutOfTime(SolverError):  # noqa: N818  (a plain statement, as the other refusals are)
    """A linear program that its time limit stopped."""


@dataclass(frozen=True)
class LinearProgram:
    """Maximize cost'z, where z and matrix z each lie between a lower and an upper bound."""

    matrix: sparse.csr_matrix  # [R, C]
    cost: Floats  # [C]
    lower: Floats  # [C]
    upper: Floats  # [C]
    row_lower: Floats  # [R]
    row_upper: Floats  # [R]


@dataclass(frozen=True)
class Optimum:
    """An optimal basis' answer, primal and dual."""

    z: Extended  # [C]
    row_dual: Extended  # [R] what one more of a row's bound would bring
    solver: str  # the algorithm that ran: "simplex" or "ipm"
    iterations: int
    primal_miss: float  # most that a bound is missed by
    dual_miss: float  # most that a dual sign is missed by

    @property
    def miss(self) -> float:
        return max(self.primal_miss, self.dual_miss)


class Solver:
    """One program inside HiGHS, kept there so that later solves start from the last basis."""

    def __init__(
        self, program: LinearProgram, solver: str = "auto", time_limit: float = INFINITE
    ) -> None:
        if solver not in SOLVERS:
            raise SolverError(f"LP solver must be one of {', '.join(SOLVERS)}, not {solver!r}")
        self.program = program
        small = program.matrix.nnz <= SMALL_PROGRAM
        self.solver = ("simplex" if small else "ipm") if solver == "auto" else solver
        self._ends = perf_counter() + time_limit
        self._highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        self._set("output_flag", False)
        self._set("small_matrix_value", SMALLEST_ENTRY)
        self._set("primal_feasibility_tolerance", TIGHTEST)
        self._set("dual_feasibility_tolerance", TIGHTEST)
        self._set("solver", self.solver)
        pass_program(self._highs, program, np.zeros(len(program.cost), np.int32))

    def solve(self) -> Optimum:
        """Solve from scratch, interior points followed by a crossover to a basis.

        Where that ends without an optimum, simplex goes on, and at last does without presolve,
        whose tolerances can take a tight program for an infeasible one.
        """
        for option, value in (("solver", "simplex"), ("presolve", "off"), (None, None)):
            try:
                z, dual, iterations = self._run()
            except OutOfTime:
                raise
            except SolverError:
                if option is None:
                    raise
                self._set(option, value)
                self.solver = "simplex"
            else:
                break
        return _measure(self.program, z, dual, self.solver, iterations)

    def refine(self, found: Optimum, target: float, rounds: int = 6) -> Optimum:
        """Correct an answer until it misses bounds and signs by no more than the target."""
        if found.miss <= target:
            return found
        twin = Solver(_with_slacks(self.program), "simplex", self._ends - perf_counter())
        twin._start_like(self)
        best = found
        for number in range(1, rounds + 1):
            if best.miss <= target:
                break
            primal = min(BLOW_UP**number, 1 / max(best.primal_miss, target))
            dual = min(BLOW_UP**number, 1 / max(best.dual_miss, target))
            twin._change(_residual(self.program, best, primal, dual))
            try:
                z, duals, iterations = twin._run()
            except SolverError:
                break  # the residual program is beyond HiGHS; the answer so far stands
            corrected = _measure(
                self.program,
                best.z + z[: len(best.z)] / primal,
                best.row_dual + duals / dual,
                found.solver,
                best.iterations + iterations,
            )
            if corrected.miss >= best.miss:
                break
            best = corrected
        return best

    def _start_like(self, other: "Solver") -> None:
        """Take over the basis of the same program without slacks."""
        theirs, basis = other._highs.getBasis(), highspy.HighsBasis()
        basis.col_status = [*theirs.col_status, *theirs.row_status]
        basis.row_status = [highspy.HighsBasisStatus.kLower] * len(theirs.row_status)
        basis.valid = True
        self._highs.setBasis(basis)

    def _set(self, option: str, value: Any) -> None:
        if self._highs.setOptionValue(option, value) != highspy.HighsStatus.kOk:
            raise SolverError(f"HiGHS {self._highs.version()} refuses {option} = {value!r}")

    def _change(self, program: LinearProgram) -> None:
        """Replace cost and bounds; the basis stays."""
        R, C = len(program.row_lower), len(program.cost)
        columns, rows = np.arange(C, dtype=np.int32), np.arange(R, dtype=np.int32)
        self._highs.changeColsCost(C, columns, program.cost)
        self._highs.changeColsBounds(C, columns, program.lower, program.upper)
        self._highs.changeRowsBounds(R, rows, program.row_lower, program.row_upper)

    def _run(self) -> tuple[Extended, Extended, int]:
        left = self._ends - perf_counter()
        if left <= 0:
            raise OutOfTime("the linear program was not solved within its time limit")
        self._set("time_limit", min(self._highs.getRunTime() + left, INFINITE))
        self._highs.run()
        status = self._highs.getModelStatus()
        if status == highspy.HighsModelStatus.kTimeLimit:
            raise OutOfTime("the linear program was not solved within its time limit")
        if status != highspy.HighsModelStatus.kOptimal:
            reason = self._highs.modelStatusToString(status).lower()
            raise SolverError(f"the linear program was not solved: {reason}")
        info, solution = self._highs.getInfo(), self._highs.getSolution()
        counts = info.ipm_iteration_count, info.crossover_iteration_count
        iterations = sum(max(n, 0) for n in (*counts, info.simplex_iteration_count))
        z = np.array(solution.col_value, dtype=np.longdouble)
        return z, np.array(solution.row_dual, dtype=np.longdouble), iterations


def pass_program(highs: Any, program: LinearProgram, whole: NDArray[np.int32]) -> None:
    """Give HiGHS a program, some of whose columns [C] (1 for those) take whole numbers only."""
    rows, columns = program.matrix.shape
    matrix = program.matrix
    status = highs.passModel(
        columns,
        rows,
        matrix.nnz,
        int(highspy.MatrixFormat.kRowwise),
        int(highspy.ObjSense.kMaximize),
        0.0,
        program.cost,
        program.lower,
        program.upper,
        program.row_lower,
        program.row_upper,
        matrix.indptr.astype(np.int32),
        matrix.indices.astype(np.int32),
        matrix.data,
        whole,
    )
    if status == highspy.HighsStatus.kError:
        raise SolverError("HiGHS refuses the linear program")


def _measure(
    program: LinearProgram, z: Extended, row_dual: Extended, solver: str, iterations: int
) -> Optimum:
    """An answer with its misses, in extended precision.

    A dual that pushes against a bound is a miss only as far as the bound is not reached, so each
    sign is held against the smaller of dual and distance.
    """
    matrix = program.matrix.astype(np.longdouble)
    activity = matrix @ z
    reduced = program.cost - matrix.T @ row_dual
    misses = [
        _misses(z, program.lower, program.upper, reduced),
        _misses(activity, program.row_lower, program.row_upper, row_dual),
    ]
    primal, dual = (float(max(pair)) for pair in zip(*misses, strict=True))
    return Optimum(z, row_dual, solver, iterations, primal, dual)


def _misses(value: Extended, lower: Floats, upper: Floats, dual: Extended) -> tuple[float, float]:
    """Most that bounds are missed by, and most that a dual has no bound to push against."""
    if not len(value):
        return 0.0, 0.0
    below, above = value - lower, upper - value
    primal = max(float(np.max(-below)), float(np.max(-above)), 0.0)
    up, down = np.maximum(dual, 0), np.maximum(-dual, 0)
    wrong = np.maximum(np.minimum(up, above), np.minimum(down, below))
    return primal, max(float(np.max(wrong)), 0.0)


def _with_slacks(program: LinearProgram) -> LinearProgram:
    """Rewrite a program with each row's activity as a column of its own, and rows that equal 0.

    Refinement needs it: the cost left over on a row must be a column's cost.
    """
    R = program.matrix.shape[0]
    return LinearProgram(
        sparse.hstack([program.matrix, -sparse.eye_array(R)], format="csr"),
        np.concatenate([program.cost, np.zeros(R)]),
        np.concatenate([program.lower, program.row_lower]),
        np.concatenate([program.upper, program.row_upper]),
        np.zeros(R),
        np.zeros(R),
    )


def _residual(program: LinearProgram, at: Optimum, primal: float, dual: float) -> LinearProgram:
    """What is left to do after an answer, magnified: the corrections' program, with slacks."""
    matrix = program.matrix.astype(np.longdouble)
    activity = matrix @ at.z
    rows = np.zeros(len(activity))  # corrections of activities follow those of z exactly
    return LinearProgram(
        program.matrix,
        _near(np.concatenate([program.cost - matrix.T @ at.row_dual, at.row_dual]) * dual),
        _near(np.concatenate([program.lower - at.z, program.row_lower - activity]) * primal),
        _near(np.concatenate([program.upper - at.z, program.row_upper - activity]) * primal),
        rows,
        rows,
    )


def _near(values: NDArray[np.floating]) -> Floats:
    """Magnified numbers that HiGHS copes with: corrections are small, so far is as good as farther.

    Infinite bounds stay infinite.
    """
    near = np.clip(values.astype(np.float64), -FAR, FAR)
    plain: Floats = np.where(np.isinf(values), values, near).astype(np.float64)
    return plain

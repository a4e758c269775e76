"""Solved spots as files: the spot, the averages and the record, in one checked container."""

import tomllib
from pathlib import Path
from typing import Any

from endspiel import files
from endspiel.betting.grow import DEFAULT_LIMIT as MAX_NODES
from endspiel.errors import EndspielError, FileError
from endspiel.games.spot import parse_spot
from endspiel.solvers.board_cfr import SPOT_SCHEMES, BoardCFR
from endspiel.solvers.solution import TracePoint
from endspiel.solvers.spot import DEFAULT_METHOD, card_game
from endspiel.strategy.spot_solution import SpotSolution

KIND = "spot-solution"
_PLAIN = (
    "method", "value", "exploitability", "iterations", "seconds", "parameters", "stopped",
    "threads", "memory_bytes", "symmetry",
)  # fmt: skip


def save_solution(path: str | Path, solution: SpotSolution) -> None:
    """Write a whole solution to one file, atomically."""
    record: dict[str, Any] = {name: getattr(solution, name) for name in _PLAIN}
    record |= {
        "spot": solution.spot.dump(),
        "trace": [(p.iteration, p.seconds, p.exploitability) for p in solution.trace],
        "warnings": list(solution.warnings),
        "locks": list(solution.locks),
    }
    kept = solution.solver.kept
    files.save(path, KIND, record, {"average": kept.average, "locked": kept.locked})


def load_solution(path: str | Path) -> SpotSolution:
    """Read a solution back; its strategies are the same to the last bit."""
    record, arrays = files.load(path, KIND)
    try:
        plain = {name: record[name] for name in _PLAIN}
        spot = parse_spot(tomllib.loads(record["spot"]))
        game = card_game(spot, symmetry=bool(record["symmetry"]), tree_limit=MAX_NODES)
        solver = BoardCFR(game, SPOT_SCHEMES[DEFAULT_METHOD], max(1, int(record["threads"])))
        solver.kept.average[:] = arrays["average"]
        solver.kept.locked[:] = arrays["locked"]
        solver.iteration = int(record["iterations"])
        trace = tuple(TracePoint(*point) for point in record["trace"])
        warnings, locks = tuple(record["warnings"]), tuple(record["locks"])
    except (KeyError, TypeError, ValueError, EndspielError) as error:
        raise FileError(f"{path} is no whole solution of a spot: {error}") from error
    return SpotSolution(
        spot=spot, solver=solver, trace=trace, warnings=warnings, locks=locks, **plain
    )

"""Solved spots as files: the spot, the averages and the record, in one checked container."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from endspiel import files
from endspiel.betting.grow import DEFAULT_LIMIT as MAX_NODES
from endspiel.checking import read_record, take
from endspiel.engine.record import SolveFields
from endspiel.errors import EndspielError, FileError
from endspiel.games.spot import Spot, parse_spot
from endspiel.kernels.lanes import zeros
from endspiel.processors import processors
from endspiel.solvers.boards.strategy import BoardStrategy
from endspiel.solving.solution import SpotSolution
from endspiel.solving.spots import card_game

KIND = "spot-solution"
_PLAIN = ("threads", "memory_bytes", "symmetry", "locks")


class _SpotRecord(SolveFields):
    """A solution's file but for the arrays."""

    spot: str
    threads: Annotated[int, msgspec.Meta(ge=1)]
    memory_bytes: int
    symmetry: bool
    locks: tuple[str, ...]


def save_solution(path: str | Path, solution: SpotSolution) -> None:
    """Write a whole solution to one file, atomically.

    Examples:
        >>> import endspiel as es
        >>> river = es.parse_spot(
        ...     {
        ...         "board": "Qs Jh 2h 4c 8d",
        ...         "pot": 200,
        ...         "stack": 300,
        ...         "ranges": ["QQ,AJs,T9s", "JJ,KQo,A5s"],
        ...         "river": {"bet": "50%, a", "raise": "a"},
        ...     }
        ... )
        >>> from pathlib import Path
        >>> from tempfile import mkdtemp
        >>> file = Path(mkdtemp()) / "river.solution"
        >>> es.save_solution(file, es.solve(river, iterations=10))
        >>> es.load_solution(file).iterations
        10
    """
    save_parts(path, solution_parts(solution))


SolutionParts = tuple[dict[str, Any], dict[str, NDArray[Any]]]  # the record and the arrays


def solution_parts(solution: SpotSolution) -> SolutionParts:
    """All that a file holds of a solution, which is all of it."""
    record = {name: getattr(solution, name) for name in _PLAIN}
    record |= {"spot": solution.spot.dump(), **solution.as_dict()}
    boards = solution.boards
    return record, {"average": boards.average, "locked": boards.locked}


def save_parts(path: str | Path, parts: SolutionParts) -> None:
    """Write a solution that came in parts."""
    files.save(path, KIND, *parts)


def load_solution(
    path: str | Path, make_room: Callable[[int], None] = lambda needed: None
) -> SpotSolution:
    """Read a solution back; its strategies are the same to the last bit.

    The bytes that it needs are known before anything large is allocated.

    Examples:
        >>> import endspiel as es
        >>> river = es.parse_spot(
        ...     {
        ...         "board": "Qs Jh 2h 4c 8d",
        ...         "pot": 200,
        ...         "stack": 300,
        ...         "ranges": ["QQ,AJs,T9s", "JJ,KQo,A5s"],
        ...         "river": {"bet": "50%, a", "raise": "a"},
        ...     }
        ... )
        >>> from pathlib import Path
        >>> from tempfile import mkdtemp
        >>> file = Path(mkdtemp()) / "river.solution"
        >>> es.save_solution(file, es.solve(river, iterations=10))
        >>> es.load_solution(file).iterations
        10
    """
    return of_parts(files.load(path, KIND), path, make_room)


def of_parts(
    parts: SolutionParts, path: str | Path, make_room: Callable[[int], None] = lambda needed: None
) -> SpotSolution:
    """The solution of its parts, which came from a path or are said to."""
    record, arrays = parts
    try:
        about = read_record(record, _SpotRecord)
        average = take(arrays, "average", np.float32, (None,), 0.0)
        spot = _read_spot(about.spot)
        game = card_game(spot, symmetry=about.symmetry, tree_limit=_most_nodes(len(average)))
        if game.store_size != len(average):
            raise FileError(f"it holds {len(average)} numbers; its spot has {game.store_size}")
        locked = take(arrays, "locked", np.uint8, (game.num_nodes,), 0, 1)
        threads = min(about.threads, processors())
        make_room(game.memory(threads))
        boards = BoardStrategy(game, zeros(len(average)), locked.copy(), threads)
        boards.average[:] = average
    except (ValueError, RecursionError, EndspielError) as error:
        raise FileError(f"{path} is no whole solution of a spot: {error}") from error
    plain = {name: value for name, value in msgspec.structs.asdict(about).items() if name != "spot"}
    return SpotSolution(spot=spot, boards=boards, **plain)


def _read_spot(text: str) -> Spot:
    content = tomllib.loads(text)
    if "ranges_file" in content:
        raise FileError("its spot names another file")
    return parse_spot(content)


def _most_nodes(numbers: int) -> int:
    """The most betting nodes of a spot, from the count of its averages.

    Every action of every decision has at least one, and at most three deals follow an action.
    """
    return min(MAX_NODES, 4 * numbers + 1)

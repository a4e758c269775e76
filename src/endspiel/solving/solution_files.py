"""Solved spots as files: the spot, the averages and the record, in one checked container."""

import hashlib
import tomllib
from collections.abc import Callable, Mapping
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
from endspiel.games.card_game import CardGame
from endspiel.games.spot import Spot, parse_spot
from endspiel.kernels.arrays import UInt8s
from endspiel.kernels.board_arrays import ShortSums
from endspiel.kernels.lanes import zeros
from endspiel.processors import processors
from endspiel.solvers.boards.pieces import DIGEST, PIECE, Pieces, piece_digests
from endspiel.solvers.boards.short_sums import LEAST_POWER
from endspiel.solvers.boards.store import arrays_of
from endspiel.solvers.boards.strategy import BoardStrategy
from endspiel.solving.solution import SpotSolution
from endspiel.solving.spots import card_game

KIND = "spot-solution"
_PLAIN = ("threads", "memory_bytes", "symmetry", "locks")
MAPPED = 1 << 28  # bytes from which a file's averages stay in it
READ_FIRST = "locked", "average_powers", "pieces"


class _SpotRecord(SolveFields):
    """A solution's file but for the arrays."""

    spot: str
    threads: Annotated[int, msgspec.Meta(ge=1)]
    memory_bytes: int
    symmetry: bool
    locks: tuple[str, ...]
    read_first: str = ""  # the checksum of what is read when averages stay in their file


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
    arrays = {**arrays_of(boards.average, "average"), "locked": boards.locked}
    if boards.storage == 16:
        if boards.pieces is not None:
            boards.pieces.check()
        arrays["pieces"] = piece_digests(boards.average.numbers)
        record["read_first"] = _digest_of(arrays)
    return record, arrays


def _digest_of(arrays: Mapping[str, NDArray[Any]]) -> str:
    """A checksum of all that is read when a file is opened in parts."""
    digest = hashlib.blake2b(digest_size=16)
    for name in READ_FIRST:
        if name not in arrays:
            raise FileError(f"it lacks the array {name}")
        digest.update(np.ascontiguousarray(arrays[name]).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


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
    if Path(path).is_file() and Path(path).stat().st_size >= MAPPED:
        record, arrays = files.map_header(path, KIND)
        if record.get("read_first"):
            return of_parts((record, arrays), path, make_room, mapped=True)
    return of_parts(files.load(path, KIND), path, make_room)


def of_parts(
    parts: SolutionParts,
    path: str | Path,
    make_room: Callable[[int], None] = lambda needed: None,
    mapped: bool = False,
) -> SpotSolution:
    """The solution of its parts, which came from a path or are said to.

    Averages that are mapped stay in their file; each piece is checked when it is first read.
    """
    record, arrays = parts
    try:
        about = read_record(record, _SpotRecord)
        count = len(arrays.get("average", ()))
        spot = _read_spot(about.spot)
        game = card_game(spot, symmetry=about.symmetry, tree_limit=_most_nodes(count))
        if game.store_size != count:
            raise FileError(f"it holds {count} numbers; its spot has {game.store_size}")
        average = _averages(game, arrays, mapped)
        locked = take(arrays, "locked", np.uint8, (game.num_nodes,), 0, 1)
        threads = min(about.threads, processors())
        storage = 16 if isinstance(average, ShortSums) else 32
        make_room(game.memory(threads, 0 if mapped else 2, storage))
        pieces = None
        if mapped:
            if _digest_of(arrays) != about.read_first:
                raise FileError("it is damaged: what is read first does not match its checksum")
            pieces = Pieces(path, average.numbers, _pieces_of(arrays, count))
        boards = BoardStrategy(game, average, locked.copy(), threads, pieces)
    except (ValueError, RecursionError, EndspielError) as error:
        raise FileError(f"{path} is no whole solution of a spot: {error}") from error
    plain = msgspec.structs.asdict(about)
    del plain["spot"], plain["read_first"]
    return SpotSolution(spot=spot, boards=boards, **plain)


def _averages(game: CardGame, arrays: Mapping[str, NDArray[Any]], mapped: bool) -> Any:
    """The averages of a file: floats, or numbers of 16 bits."""
    if arrays["average"].dtype == np.float32:
        average = zeros(game.store_size)
        average[:] = take(arrays, "average", np.float32, (None,), 0.0)
        return average
    powers = take(arrays, "average_powers", np.uint8, (game.num_powers,), LEAST_POWER).copy()
    if mapped and arrays["average"].dtype == np.int16:  # any number is a weight, or none
        return ShortSums(arrays["average"].reshape(-1), powers)
    return ShortSums(take(arrays, "average", np.int16, (None,), 0).copy(), powers)


def _pieces_of(arrays: Mapping[str, NDArray[Any]], count: int) -> UInt8s:
    """The checksums of a file's pieces, as many as there are."""
    return take(arrays, "pieces", np.uint8, (-(-count // PIECE), DIGEST)).copy()


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

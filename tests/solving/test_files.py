"""Saved solutions and checkpoints, memory, and the one `solve` for games and spots."""

from pathlib import Path

import numpy as np
import pytest

from endspiel import files, solve
from endspiel.engine.limits import Limits
from endspiel.errors import EndspielError, FileError, GameError
from endspiel.games.leduc_holdem import leduc
from endspiel.solvers.memory import available_memory, format_bytes, parse_bytes
from endspiel.solvers.solution import Solution
from endspiel.solving.solution_files import load_solution, save_solution
from endspiel.solving.spots import SpotOptions, card_game, dense_bytes
from endspiel.solving.task import prepare
from tests.solving.spots import RIVER, SYMMETRIC_TURN, TURN, spot


@pytest.mark.parametrize(
    ("content", "method", "locks"),
    [(RIVER, "dcfr", ()), (SYMMETRIC_TURN, "cfr+", ("c: c 1",)), (RIVER, "lp", ())],
)
def test_solutions_come_back_to_the_last_bit(
    content: dict[str, object], method: str, locks: tuple[str, ...], tmp_path: Path
) -> None:
    limits = {} if method == "lp" else {"iterations": 30}
    solution = solve(spot(content), method, options=SpotOptions(locks=locks), **limits)
    save_solution(tmp_path / "solution", solution)
    loaded = load_solution(tmp_path / "solution")
    assert loaded.spot == solution.spot
    for name in ("method", "value", "exploitability", "iterations", "seconds", "trace", "locks"):
        assert getattr(loaded, name) == getattr(solution, name)
    for one, two in zip(solution.views(), loaded.views(), strict=True):
        assert one.node == two.node
        assert np.array_equal(one.strategy, two.strategy)
        assert np.array_equal(one.ev, two.ev, equal_nan=True)


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "solution"
    save_solution(path, solve(spot(RIVER), iterations=3))
    whole = path.read_bytes()
    for damaged in (whole[: len(whole) // 2], whole[:-1] + b"\1", b"", b"nonsense"):
        path.write_bytes(damaged)
        with pytest.raises(FileError, match="damaged"):
            load_solution(path)
    files.save(path, "spot-solution", {"spot": "board = 1"}, {})
    with pytest.raises(FileError, match="no whole solution of a spot"):
        load_solution(path)
    files.save(path, "solution", {}, {})
    with pytest.raises(FileError, match="holds a solution, not a spot-solution"):
        load_solution(path)


def test_checkpoints_go_on_where_they_stopped(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint"
    task = prepare(spot(TURN))
    straight = task.run(Limits(iterations=45))
    task.run(Limits(iterations=25, checkpoint=path))
    resumed = prepare(spot(TURN)).run(Limits(iterations=45, checkpoint=path))
    assert resumed.iterations == 45
    assert np.array_equal(resumed.boards.average, straight.boards.average)
    assert [p.iteration for p in resumed.trace] == [p.iteration for p in straight.trace]
    with pytest.raises(FileError, match="checkpoint of another game, spot with its locks"):
        prepare(spot(TURN, pot=210)).run(Limits(iterations=45, checkpoint=path))
    with pytest.raises(FileError, match="made with method dcfr, not cfr"):
        prepare(spot(TURN), "cfr").run(Limits(iterations=45, checkpoint=path))


def test_memory_is_refused_before_anything_is_built() -> None:
    with pytest.raises(EndspielError, match=r"by dcfr needs .* and 10 KB are allowed"):
        prepare(spot(TURN), options=SpotOptions(memory=10_000))
    wide = spot(TURN, ranges=["random", "random"])
    with pytest.raises(EndspielError, match=r"by lp needs .* GB and 2 GB are allowed: use dcfr"):
        prepare(wide, "lp", SpotOptions(memory=2_000_000_000))
    with pytest.raises(EndspielError, match="1 thread or more, not 0"):
        SpotOptions(threads=0)
    small = card_game(spot(RIVER), symmetry=False)
    assert 0 < dense_bytes(small, "egt") < dense_bytes(small, "lp") < 1e8


@pytest.mark.parametrize(
    ("text", "count"),
    [("8GB", 8e9), ("500 MB", 5e8), ("2GiB", 2 * 2**30), ("1.5k", 1500), ("1000", 1000)],
)
def test_bytes_are_read(text: str, count: float) -> None:
    assert parse_bytes(text) == count


def test_bytes_are_written() -> None:
    assert [format_bytes(n) for n in (999, 1500, 2e9, 3e13)] == [
        "999 bytes",
        "1.5 KB",
        "2 GB",
        "30 TB",
    ]
    for text in ("", "much", "8XB", "-1GB"):
        with pytest.raises(EndspielError, match="is not written like 8GB"):
            parse_bytes(text)
    free = available_memory()
    assert free is None or free > 0


def test_one_solve_for_games_and_spots() -> None:
    assert isinstance(solve(leduc(), iterations=5), Solution)
    assert solve(spot(RIVER), iterations=5).method == "dcfr"
    assert solve(spot(RIVER)).exploitability <= 1e-3
    with pytest.raises(GameError, match="only a Game or a Spot can be solved, not str"):
        solve("kuhn")  # type: ignore[call-overload]
    with pytest.raises(EndspielError, match="there is no method 'magic'"):
        solve(spot(RIVER), "magic")


def test_threads_find_the_same() -> None:
    one = solve(spot(TURN), iterations=20)
    two = solve(spot(TURN), options=SpotOptions(threads=2), iterations=20)
    assert two.threads == 2
    assert two.value == pytest.approx(one.value, abs=1e-5)

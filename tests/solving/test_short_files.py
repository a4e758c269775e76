"""Saved solutions of 16 bits: what comes back, and files that are read in parts."""

from pathlib import Path

import numpy as np
import pytest

from endspiel import files, solve
from endspiel.errors import FileError
from endspiel.solvers.boards import pieces
from endspiel.solving import solution_files
from endspiel.solving.solution_files import load_solution, save_solution
from tests.solving.spots import TURN, spot


@pytest.fixture
def in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file is read in parts, each of a few numbers."""
    monkeypatch.setattr(solution_files, "MAPPED", 0)
    for module in (solution_files, pieces):
        monkeypatch.setattr(module, "PIECE", 256)


def test_what_was_stored_comes_back_to_the_last_bit(tmp_path: Path) -> None:
    solution = solve(spot(TURN), storage=16, iterations=20)
    save_solution(tmp_path / "turn", solution)
    loaded = load_solution(tmp_path / "turn")
    for one, two in zip(solution.boards.average, loaded.boards.average, strict=True):
        assert np.array_equal(one, two)
    assert loaded.exploitability == solution.exploitability
    assert loaded.boards.exploitability() == pytest.approx(solution.exploitability, abs=1e-6)


def test_a_file_has_half_the_size_and_says_what_it_is_worth(tmp_path: Path) -> None:
    whole = solve(spot(TURN), iterations=60)
    short = whole.for_file()
    sizes = []
    for name, solution in (("whole", whole), ("short", short)):
        save_solution(tmp_path / name, solution)
        sizes.append((tmp_path / name).stat().st_size)
    assert sizes[1] < 0.6 * sizes[0]
    loaded = load_solution(tmp_path / "short")
    assert loaded.exploitability == pytest.approx(loaded.boards.exploitability(), abs=1e-7)
    assert loaded.exploitability == pytest.approx(whole.exploitability, abs=2e-4)
    assert loaded.for_file() is loaded


@pytest.mark.usefixtures("in_parts")
def test_a_mapped_file_says_the_same(tmp_path: Path) -> None:
    solution = solve(spot(TURN), storage=16, iterations=20)
    save_solution(tmp_path / "turn", solution)
    loaded = load_solution(tmp_path / "turn")
    assert loaded.boards.pieces is not None
    assert not loaded.boards.average.numbers.flags.writeable
    assert not loaded.boards.pieces._seen.any()
    for node in ("", "c"):
        ours, theirs = solution.view(node), loaded.view(node)
        assert np.array_equal(ours.strategy, theirs.strategy)
        assert np.array_equal(ours.ev, theirs.ev, equal_nan=True)
    assert loaded.boards.value() == solution.boards.value()
    save_solution(tmp_path / "again", loaded)
    assert (tmp_path / "again").read_bytes() == (tmp_path / "turn").read_bytes()


@pytest.mark.usefixtures("in_parts")
def test_damage_is_found_when_it_is_read(tmp_path: Path) -> None:
    solution = solve(spot(TURN), storage=16, iterations=5)
    path = tmp_path / "turn"
    save_solution(path, solution)
    content = bytearray(path.read_bytes())
    numbers = solution.boards.average.numbers.tobytes()
    at = bytes(content).index(numbers)
    content[at + len(numbers) - 1] ^= 1
    path.write_bytes(content)
    loaded = load_solution(path)
    assert loaded.boards.behavior(0, 0, 0).shape  # another piece
    with pytest.raises(FileError, match="damaged: its averages do not match a checksum"):
        loaded.boards.exploitability()
    last = len(loaded.game.tree.streets[1]) - 1
    with pytest.raises(FileError, match="damaged"):
        loaded.boards.action_values(1, last, 1)


@pytest.mark.usefixtures("in_parts")
def test_what_is_read_first_is_checked_when_it_is_opened(tmp_path: Path) -> None:
    solution = solve(spot(TURN), storage=16, iterations=5)
    path = tmp_path / "turn"
    save_solution(path, solution)
    content = bytearray(path.read_bytes())
    at = bytes(content).index(solution.boards.average.powers.tobytes())
    content[at] ^= 1
    path.write_bytes(content)
    with pytest.raises(FileError, match="damaged"):
        load_solution(path)
    record, arrays = files.map_header(path, solution_files.KIND)
    del arrays["pieces"]
    files.save(path, solution_files.KIND, record, arrays)
    with pytest.raises(FileError, match="lacks the array pieces"):
        load_solution(path)

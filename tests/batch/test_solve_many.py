"""Many spots at once: the same digits as one by one, none twice, none stopped by another."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import endspiel as es
import endspiel.executor.executor as executor_module
from endspiel.batch import running
from endspiel.batch.planning import plan_memory
from endspiel.batch.spot_jobs import SpotJob, SpotOutcome, SpotOutcomes, SpotStart
from endspiel.cards.text import format_cards
from endspiel.errors import EndspielError, FileError
from endspiel.progress import Progress
from endspiel.solving.spots import PreparedSpot
from tests.batch.rivers import RIVER_CARDS, flop, river

SPOTS = [river(card) for card in RIVER_CARDS]


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is: what is patched or counted here is not in other processes."""
    monkeypatch.setattr(executor_module, "PATIENCE", 600.0)


@pytest.fixture
def solved(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Boards that are solved from here on, in the order begun."""
    begun: list[str] = []
    run = PreparedSpot.run

    def counted(task: PreparedSpot, *arguments: Any) -> Any:
        begun.append(format_cards(task.spot.board))
        return run(task, *arguments)

    monkeypatch.setattr(PreparedSpot, "run", counted)
    return begun


@pytest.mark.parametrize("workers", [1, 2, 7])
def test_each_result_is_that_of_one_solve(workers: int) -> None:
    spots = [*SPOTS, flop()]
    results = es.solve_many(spots, iterations=40, workers=workers)
    assert [result.name for result in results] == [f"spot {n}" for n in range(1, 6)]
    for spot, result in zip(spots, results, strict=True):
        alone = es.solve(spot, iterations=40)
        assert (result.record["exploitability"], result.record["value"]) == (
            alone.exploitability,
            alone.value,
        )
        found = result.solution
        assert (found.view("").strategy == alone.view("").strategy).all()


def test_the_target_and_the_method_are_those_asked_for() -> None:
    (result,) = es.solve_many([river()], "cfr+", target=0.02)
    assert result.record["method"] == "cfr+"
    assert result.record["stopped"] == "target"
    assert 0 < result.record["exploitability"] <= 0.02


def test_a_spot_that_fails_stops_no_other(tmp_path: Path) -> None:
    good = tmp_path / "good.toml"
    river().save(good)
    bad = tmp_path / "bad.toml"
    bad.write_text(good.read_text().replace("stack = 300", "stack = -1"))
    results = es.solve_many([tmp_path / "none.toml", good, bad, river("8d")], iterations=20)
    assert [bool(result.error) for result in results] == [True, False, True, False]
    assert results[0].error == f"there is no file {tmp_path / 'none.toml'}"
    assert str(bad) in results[2].error
    assert "stack is -1" in results[2].error
    with pytest.raises(EndspielError, match=r"was not solved: .*stack is -1"):
        _ = results[2].solution
    assert results[1].solution.value == es.solve(river(), iterations=20).value


def test_what_breaks_in_a_solve_is_its_result(monkeypatch: pytest.MonkeyPatch) -> None:
    run = PreparedSpot.run

    def breaking(task: PreparedSpot, *arguments: Any) -> Any:
        if task.spot.board == SPOTS[1].board:
            raise MemoryError
        if task.spot.board == SPOTS[2].board:
            raise ZeroDivisionError("by nothing")
        return run(task, *arguments)

    monkeypatch.setattr(PreparedSpot, "run", breaking)
    errors = [result.error for result in es.solve_many(SPOTS, iterations=10)]
    assert errors == ["", "out of memory", "a bug, ZeroDivisionError: by nothing", ""]


def test_nothing_is_solved_twice(tmp_path: Path, solved: list[str]) -> None:
    state = tmp_path / "state"
    first = es.solve_many(SPOTS[:3], iterations=20, state=state, keep=False)
    assert len(solved) == 3
    again = es.solve_many(SPOTS, iterations=20, state=state, keep=False)
    assert len(solved) == 4
    assert [result.resumed for result in again] == [True, True, True, False]
    assert [result.record for result in again[:3]] == [result.record for result in first]
    es.solve_many(SPOTS, iterations=21, state=state, keep=False)
    assert len(solved) == 8  # another question has another answer
    es.solve_many([river(pot=201)], iterations=20, state=state, keep=False)
    assert len(solved) == 9


def test_saved_solutions_are_read_back(tmp_path: Path, solved: list[str]) -> None:
    folder = tmp_path / "solutions"
    results = es.solve_many(SPOTS, iterations=20, save=folder)
    assert len({result.path for result in results}) == len(SPOTS)
    again = es.solve_many(SPOTS, iterations=20, save=folder)
    assert len(solved) == len(SPOTS)
    for result, spot in zip(again, SPOTS, strict=True):
        assert result.resumed
        assert result.held is None
        assert result.solution.spot == spot
        assert result.solution.exploitability == result.record["exploitability"]
    assert again[2].path is not None
    again[2].path.unlink()
    assert [r.resumed for r in es.solve_many(SPOTS, iterations=20, save=folder)] == [
        True, True, False, True,
    ]  # fmt: skip


def test_a_torn_line_is_dropped_and_a_damaged_one_told(tmp_path: Path, solved: list[str]) -> None:
    state = tmp_path / "state"
    es.solve_many(SPOTS[:2], iterations=10, state=state, keep=False)
    whole = state.read_bytes()
    state.write_bytes(whole[:-5])
    es.solve_many(SPOTS[:2], iterations=10, state=state, keep=False)
    assert len(solved) == 3
    lines = whole.splitlines(keepends=True)
    assert len(state.read_bytes().splitlines()) == len(lines) == 3
    state.write_bytes(b"".join([lines[0], lines[1][:-9] + b"\n", lines[2]]))
    with pytest.raises(FileError, match="line 2, is damaged"):
        es.solve_many(SPOTS[:2], state=state)
    state.write_text("board = 'Qs Jh 2h'\n")
    with pytest.raises(FileError, match="is no list of finished work"):
        es.solve_many(SPOTS[:2], state=state)
    assert state.read_text() == "board = 'Qs Jh 2h'\n"


def test_two_batches_do_not_share_a_state(tmp_path: Path) -> None:
    state = tmp_path / "state"

    def meddle(progress: Progress) -> None:
        with pytest.raises(FileError, match="another run is writing"):
            es.solve_many([river()], state=state)

    es.solve_many([river()], iterations=5, state=state, keep=False, observe=meddle)


def test_an_interrupted_batch_keeps_what_is_done(tmp_path: Path, solved: list[str]) -> None:
    state, threads = tmp_path / "state", threading.active_count()

    def interrupt(progress: Progress) -> None:
        if progress.finished == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        es.solve_many(SPOTS, iterations=20, state=state, keep=False, workers=1, observe=interrupt)
    assert threading.active_count() == threads
    begun = len(solved)
    results = es.solve_many(SPOTS, iterations=20, state=state, keep=False, workers=1)
    assert [result.resumed for result in results[:2]] == [True, True]
    assert len(solved) - begun == sum(not result.resumed for result in results)


def test_a_solve_that_is_cut_short_is_not_taken_for_finished(tmp_path: Path) -> None:
    """The second spot runs without end when the first one's result ends the batch."""
    state = tmp_path / "state"

    def interrupt(progress: Progress) -> None:
        if progress.finished:
            raise KeyboardInterrupt

    endless = SPOTS[1]
    bad = tmp_path / "none.toml"
    with pytest.raises(KeyboardInterrupt):
        es.solve_many([bad, endless], target=0, state=state, keep=False, observe=interrupt)
    assert len(state.read_text().splitlines()) == 1


def test_progress_counts_up() -> None:
    seen: list[Progress] = []
    es.solve_many([*SPOTS, "none.toml"], iterations=5, workers=2, observe=seen.append)
    assert [progress.finished for progress in seen] == [1, 2, 3, 4, 5]
    assert [progress.failed for progress in seen] == [1] * 5
    assert {progress.total for progress in seen} == {5}
    assert {progress.what for progress in seen} == {"spots"}


def test_memory_is_planned_ahead() -> None:
    assert plan_memory([5, 9, 7], 3, 21).workers == 3
    fewer = plan_memory([5, 9, 7], 3, 20)
    assert (fewer.workers, fewer.memory_bytes) == (2, 16)
    assert fewer.note == (
        "3 spots side by side need 21 bytes and 20 bytes may be used: 2 at a time"
    )
    assert plan_memory([5, 9, 7], 8, None).workers == 3  # no more than there are


def test_a_spot_that_does_not_fit_fails_and_fewer_workers_take_the_others() -> None:
    small, large = river(), flop()
    seen: list[Progress] = []
    need = es.solve_many([small], iterations=1)[0].record["memory_bytes"]
    options = es.SpotOptions(memory=int(2.5 * need))
    results = es.solve_many(
        [small, large, small, small], iterations=1, options=options, workers=3, keep=False,
        observe=seen.append,
    )  # fmt: skip
    assert [bool(result.error) for result in results] == [False, True, False, False]
    assert "are allowed" in results[1].error
    assert seen[0].note.endswith(": 2 at a time")
    with pytest.raises(EndspielError, match="holding the solutions of 3 spots needs"):
        es.solve_many([small] * 3, iterations=1, options=options)


def test_refusals() -> None:
    with pytest.raises(EndspielError, match="workers are a number of processes from 1"):
        es.solve_many(SPOTS, workers=0)
    with pytest.raises(EndspielError, match="there is no device 'tpu'"):
        es.solve_many(SPOTS, device="tpu")
    (result,) = es.solve_many([river()], iterations=1, keep=False)
    with pytest.raises(EndspielError, match="was not kept"):
        _ = result.solution
    assert es.solve_many([]) == []


class _Whole:
    """A backend that takes all jobs before it solves them, and hands them back last first."""

    def solve(self, jobs: Iterator[SpotJob], start: SpotStart) -> SpotOutcomes:
        tasks = [(job, start.prepare(job)) for job in jobs]
        for job, task in reversed(tasks):
            found = start.finish(task.run(start.how.limits))
            yield SpotOutcome(job.number, found)


def test_a_backend_may_solve_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = es.solve_many(SPOTS, iterations=20)
    monkeypatch.setattr(running, "backend", lambda device, executor, largest: _Whole())
    whole = es.solve_many(SPOTS, iterations=20)
    assert [r.record["value"] for r in whole] == [r.record["value"] for r in plain]

"""`endspiel solve` with several spots, as the terminal runs it."""

import json
import signal
import sys
from pathlib import Path

import pytest

from endspiel.cli.progress import Reporter
from endspiel.progress import Progress
from endspiel.solving.solution_files import load_solution
from tests.batch.rivers import RIVER_CARDS, river
from tests.children import ended, output_of, started
from tests.cli.commands import Run, runner
from tests.hostile.surroundings import only_sentence


@pytest.fixture
def solve(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return runner("solve", monkeypatch, capsys)


@pytest.fixture
def spots(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / f"river-{card}.toml" for card in RIVER_CARDS]
    for path, card in zip(paths, RIVER_CARDS, strict=True):
        river(card).save(path)
    return paths


def test_one_object_has_every_result(solve: Run, spots: list[Path], tmp_path: Path) -> None:
    done = solve(*spots, "--iterations", 20, "--workers", 2, "--json", "-")
    assert done.status == 0
    found = done.json
    totals = {name: found[name] for name in ("spots", "solved", "failed", "resumed", "workers")}
    assert totals == {"spots": 4, "solved": 4, "failed": 0, "resumed": 0, "workers": 2}
    assert found["iterations"] == 80
    assert [entry["spot"] for entry in found["results"]] == [str(path) for path in spots]
    for path, entry in zip(spots, found["results"], strict=True):
        alone = solve(path, "--iterations", 20, "--threads", 1, "--json", "-").json
        timed = {"spot", "seconds", "resumed"}
        assert {k: v for k, v in entry.items() if k not in timed} == {
            k: v for k, v in alone.items() if k != "seconds"
        }


def test_a_table_tells_each_spot(solve: Run, spots: list[Path]) -> None:
    done = solve(*spots, "--iterations", 20)
    assert done.status == 0
    assert done.out.count("Qs Jh 2h 4c") == 4
    assert "spots: 4 of 4" in done.err


def test_a_failure_is_told_and_the_others_are_kept(
    solve: Run, spots: list[Path], tmp_path: Path
) -> None:
    spots[1].write_text(spots[1].read_text().replace("pot = 200", "pot = 0"))
    out, folder = tmp_path / "out.json", tmp_path / "solved"
    done = solve(*spots, "--iterations", 20, "--save", folder, "--json", out)
    assert done.status == 2
    assert done.err.splitlines()[-1] == "endspiel: 1 of 4 spots failed; the others are solved"
    entries = json.loads(out.read_text())["results"]
    assert "pot is 0" in entries[1]["error"]
    assert "exploitability" not in entries[1]
    for at in (0, 2, 3):
        assert load_solution(entries[at]["saved"]).exploitability == entries[at]["exploitability"]


WORKERS = "workers are a number of processes from 1 to 4096, ray, auto or ray://HOST:PORT, not '0'"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--node", "c", "--tree"), "--tree, --node are of a single spot, not of a batch"),
        (("--workers", 0), WORKERS),
        (("--device", "abacus"), "there is no device 'abacus': there are cpu, cuda"),
        (
            ("--threads", 0),
            "--threads takes a whole number from 1 to 4,096, not 0. Try 'endspiel solve --help'.",
        ),
    ],
)
def test_refusals(
    solve: Run, spots: list[Path], arguments: tuple[object, ...], sentence: str
) -> None:
    done = solve(*spots, *arguments)
    assert done.status == 2
    assert done.err.splitlines()[-1] == f"endspiel: {sentence}"


def test_files_that_are_in_each_others_way(solve: Run, spots: list[Path]) -> None:
    done = solve(*spots, "--resume", spots[0])
    assert done.status == 2
    assert "are the same file" in only_sentence(done.err)
    done = solve(*spots, "--save", spots[0])
    assert done.status == 2
    assert "of many spots it is a folder" in only_sentence(done.err)


def test_a_device_that_is_none_is_refused_for_one_spot_too(solve: Run, spots: list[Path]) -> None:
    done = solve(spots[0], "--device", "cuda:7")
    assert done.status == 2
    assert "cuda:7" in only_sentence(done.err)


STOPPED = """
import os, signal
from endspiel.cli import main
from endspiel.cli.progress import Reporter

tell = Reporter.__call__

def stop(self, progress):
    tell(self, progress)
    if progress.finished == 2:
        {stop}

Reporter.__call__ = stop
main()
"""
STOPS = {
    -signal.SIGKILL: "os.kill(os.getpid(), signal.SIGKILL)",
    # To the workers too, as schedulers and containers send it.
    143: "os.killpg(os.getpid(), signal.SIGTERM)",
}


@pytest.mark.parametrize("status", STOPS)
def test_an_ended_batch_goes_on(spots: list[Path], tmp_path: Path, status: int) -> None:
    """It stops itself once two of the four spots are solved."""
    state = tmp_path / "state"
    words = ["solve", *spots, "--resume", state, "--iterations", 20, "--workers", 1, "--json", "-"]
    program = STOPPED.format(stop=STOPS[status])
    first = started([sys.executable, "-c", program, *words], start_new_session=True)
    _, said = ended(first, status)
    assert state.read_bytes().count(b"\n") == 3  # what the file is, and two spots
    if status > 0:
        assert only_sentence(said) == (
            f"endspiel: stopped: 2 of 4 spots are solved and kept in {state}; "
            "the same command goes on from there"
        )
    second = output_of([sys.executable, "-m", "endspiel", *words])
    assert json.loads(second)["resumed"] == 2
    assert state.read_bytes().count(b"\n") == 5


def test_the_plan_is_told_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    from endspiel.batch.planning import plan_memory

    plan = plan_memory([5, 9, 7], 3, 20)
    Reporter()(Progress("spots", 0, 3, note=plan.note))
    assert "3 spots side by side need 21 bytes" in capsys.readouterr().err

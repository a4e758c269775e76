"""`endspiel report` as the terminal runs it."""

import json
import os
from pathlib import Path

import pytest

from endspiel.batch.report import BoardReport
from tests.batch.rivers import flop
from tests.cli.commands import STOPS, Run, runner
from tests.hostile.surroundings import only_sentence


@pytest.fixture
def report(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return runner("report", monkeypatch, capsys)


@pytest.fixture
def spot(tmp_path: Path) -> Path:
    path = tmp_path / "flop.toml"
    flop().save(path)
    return path


@pytest.fixture
def flops(tmp_path: Path) -> Path:
    path = tmp_path / "flops.txt"
    path.write_text("Qs Jh 2h 2\n9s 8s 7s 1\n")
    return path


def test_a_row_is_the_flop_solved_alone(
    report: Run,
    spot: Path,
    flops: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    done = report(spot, "--flops", flops, "--iterations", 10, "--json", "-")
    assert done.status == 0
    found = done.json
    assert [(row["board"], row["weight"]) for row in found["flops"]] == [
        ("Qs Jh 2h", 2.0),
        ("9s 8s 7s", 1.0),
    ]
    solve = runner("solve", monkeypatch, capsys)
    asked = ("--iterations", 10, "--threads", 1, "--node", "", "--json", "-")
    alone = solve(spot, *asked).json
    row = found["flops"][0]
    assert row["exploitability"] == alone["exploitability"]
    assert row["frequencies"] == alone["node"]["actions"]
    assert row["evs"][0] == alone["node"]["ev"]
    assert row["equities"][0] == alone["node"]["equity"]
    for name in ("evs", "equities"):
        by_hand = [(2 * a + b) / 3 for a, b in zip(*(r[name] for r in found["flops"]), strict=True)]
        assert found["mean"][name] == pytest.approx(by_hand)
    assert found["missing"] == 0
    assert found["failed"] == []


def test_files_and_table(report: Run, spot: Path, tmp_path: Path) -> None:
    files = ("--csv", tmp_path / "r.csv", "--html", tmp_path / "r.html", "--json", tmp_path / "r")
    done = report(spot, "--turns", "4c 9h", "--iterations", 5, "--node", "c", *files)
    assert done.status == 0
    assert "Qs Jh 2h 4c" in done.out
    assert "EQR" in done.out
    found = json.loads((tmp_path / "r").read_text())
    assert [row["board"] for row in found["turns"]] == ["Qs Jh 2h 4c", "Qs Jh 2h 9h"]
    assert (tmp_path / "r.csv").read_text().count("\n") == 4
    assert '<b class="h">9h</b>' in (tmp_path / "r.html").read_text()


@pytest.mark.parametrize(("number", "status"), STOPS)
@pytest.mark.usefixtures("default_sigterm")
def test_a_stop_keeps_what_is_done(
    number: int,
    status: int,
    report: Run,
    spot: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from endspiel.cli.progress import Reporter

    def interrupt(self: object, progress: object) -> None:
        if getattr(progress, "finished", 0) == 2:
            os.kill(os.getpid(), number)

    state = tmp_path / "state"
    asked = (spot, "--turns", "4c 9h Td As", "--iterations", 5, "--workers", 1, "--resume", state)
    with monkeypatch.context() as patched:
        patched.setattr(Reporter, "__call__", interrupt)
        done = report(*asked, "--json", tmp_path / "r.json")
    assert done.status == status
    found = json.loads((tmp_path / "r.json").read_text())
    kept = len(found["turns"])
    assert kept >= 2
    assert found["missing"] == 4 - kept
    assert f"{kept} of 4 turns are in the report and kept in {state}" in done.err
    again = report(*asked, "--json", "-")
    assert again.status == 0
    assert again.json["turns"][:kept] == found["turns"]
    assert f"{kept} from before" in again.err or kept == 4


def test_a_board_that_fails_stops_no_other(
    report: Run, spot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from endspiel.batch import report as module

    plain = module.report_row

    def fail(solution: object, node: str) -> object:
        if solution.spot.board[-1] == 51:
            raise ZeroDivisionError("by nothing")
        return plain(solution, node)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "report_row", fail)
    done = report(spot, "--turns", "4c As", "--iterations", 5, "--json", "-")
    assert done.status == 2
    assert [row["board"] for row in done.json["turns"]] == ["Qs Jh 2h 4c"]
    assert done.json["failed"] == [
        {"board": "Qs Jh 2h As", "error": "a bug, ZeroDivisionError: by nothing"}
    ]
    assert "1 of 2 turns failed" in done.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "a report is over --flops, --turns or --rivers: give one of the three"),
        (("--flops", "25", "--turns", "all"), "give one of the three"),
        (("--flops", "26"), "there is no set of 26 flops"),
        (("--flops", "none.txt"), "there is no file none.txt"),
        (("--rivers", "all"), "a river follows 4 cards and the board has fewer"),
        (("--turns", "all", "--node", "x"), "no 'x' at the start"),
        (("--turns", "all", "--device", "abacus"), "there is no device 'abacus'"),
        (("--turns", "all", "--target", -1), "--target takes a number from 0 to"),
        (("--turns", "all", "--html", "no/where.html"), "there is no folder"),
    ],
)
def test_refusals(report: Run, spot: Path, arguments: tuple[object, ...], sentence: str) -> None:
    done = report(spot, *arguments)
    assert done.status == 2
    assert sentence in done.err.splitlines()[-1]


def test_a_flop_that_leaves_a_range_empty(report: Run, tmp_path: Path) -> None:
    path, flops = tmp_path / "spot.toml", tmp_path / "flops.txt"
    flop(ranges=("AA", "QQ")).save(path)
    flops.write_text("Qs Jh 2h\nAs Ah Ad\n")
    done = report(path, "--flops", flops)
    assert done.status == 2
    assert only_sentence(done.err) == (
        "endspiel: on As Ah Ad: the range out of position has no hand that the board allows"
    )


def test_the_default_target_is_half_a_percent(
    report: Run, spot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[float | None] = []

    def look(self: BoardReport, observe: object) -> None:
        seen.append(self.batch.how.limits.target_units)

    monkeypatch.setattr(BoardReport, "run", look)
    assert report(spot, "--turns", "4c").status == 0
    assert report(spot, "--turns", "4c", "--target", 2).status == 0
    assert report(spot, "--turns", "4c", "--iterations", 2).status == 0
    assert seen == [0.005, 0.02, None]

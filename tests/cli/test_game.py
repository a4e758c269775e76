"""``endspiel game``: results, files, refusals, Ctrl-C."""

import json
import os
import signal
import sys
from itertools import takewhile
from pathlib import Path

import pytest

from endspiel.cli.game import STRATEGY_ENDINGS
from endspiel.cli.progress import Reporter
from endspiel.engine.limits import Limits, TracePoint
from endspiel.game import exploitability
from endspiel.games.export import load_strategy, save_strategy
from endspiel.games.toy import kuhn
from endspiel.progress import unobserved
from endspiel.solvers.methods import METHODS
from endspiel.solvers.solution import Solution
from endspiel.solvers.solve import solve
from endspiel.solving.forecast import SolveWatch
from tests.children import ended, started
from tests.cli.commands import Run, runner


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return runner("game", monkeypatch, capsys)


@pytest.mark.parametrize("method", METHODS)
def test_json_alone_on_standard_output(method: str, run: Run) -> None:
    outcome = run("kuhn", "--method", method, "--json", "-")
    assert outcome.status == 0, outcome.err
    result = outcome.json
    assert result["method"] == method
    assert result["value"] == pytest.approx(-1 / 18, abs=2e-3)
    assert result["exploitability"] <= 1e-3
    assert result["milli_big_blinds"] == pytest.approx(1000 * result["exploitability"])
    assert result["infosets"] == 12
    assert result["iterations"] > 0
    assert result["seconds"] >= 0
    assert result["threads"] == 1
    assert result["memory_bytes"] > 1e6


def test_text_for_people(run: Run, tmp_path: Path) -> None:
    outcome = run("kuhn:cards=4", "--iterations", 50, "--json", tmp_path / "result.json")
    assert outcome.status == 0
    assert "16 infosets" in outcome.out
    assert "milli big blinds" in outcome.out
    assert "3pb" in outcome.out
    assert "ended by iterations" in outcome.out
    assert "iteration 10," in outcome.err
    assert json.loads((tmp_path / "result.json").read_text())["iterations"] == 50


def test_every_file(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    save, picture = tmp_path / "kuhn.solution", tmp_path / "kuhn.png"
    table = tmp_path / "kuhn.csv"
    files = ("--save", save, "--export", table, "--plot", picture)
    assert run("kuhn", "--target", 1e-3, *files).status == 0
    game = kuhn()
    solution = Solution.load(save, game)
    assert exploitability(game, solution.profile).mean == solution.exploitability <= 1e-3
    exported = load_strategy(table, game)
    for ours, theirs in zip(exported.behavior, solution.profile.behavior, strict=True):
        assert ours.tobytes() == theirs.tobytes()
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_endings_are_those_of_export(tmp_path: Path) -> None:
    game = kuhn()
    for ending in STRATEGY_ENDINGS:
        save_strategy(tmp_path / f"strategy{ending}", game, solve(game, iterations=1).profile)


def test_simultaneous_updates_and_checkpoints(run: Run, tmp_path: Path) -> None:
    common = ("kuhn", "--method", "cfr", "--simultaneous", "--json", "-")
    path = tmp_path / "run"
    run(*common, "--iterations", 40, "--resume", path)
    resumed = run(*common, "--iterations", 90, "--resume", path).json
    whole = run(*common, "--iterations", 90).json
    assert resumed["exploitability"] == whole["exploitability"]
    other = run("kuhn", "--method", "cfr", "--iterations", 90, "--resume", path)
    assert other.status == 2
    assert "was made with alternating" in other.err


def damaged(path: Path) -> Path:
    solve(kuhn(), iterations=10, checkpoint=path)
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    return path


BAD = {
    "no such game": (["chess"], "there is no game 'chess'"),
    "bad parameter": (["kuhn:cards=1"], "at least two cards"),
    "missing file": (["missing.efg"], "missing.efg"),
    "no such method": (["kuhn", "--method", "magic"], "there is no method 'magic'"),
    "negative target": (["kuhn", "--target", "-1"], "--target takes a number from 0 to"),
    "no number": (["kuhn", "--target", "nan"], "--target takes a number from 0 to"),
    "negative iterations": (
        ["kuhn", "--iterations", "-5"],
        "--iterations takes a whole number from 0",
    ),
    "negative seconds": (
        ["kuhn", "--method", "lp", "--seconds", "-5"],
        "--seconds takes a number from 0",
    ),
    "no folder": (["kuhn", "--save", "nowhere/file"], "cannot write nowhere/file"),
    "a folder": (["kuhn", "--save", "."], "something else than a file"),
    "no folder for json": (["kuhn", "--json", "nowhere/file"], "cannot write nowhere/file"),
    "bad ending": (["kuhn", "--export", "strategy.txt"], "kept as .json or .csv"),
    "bad picture": (["kuhn", "--plot", "picture.xyz"], "pictures end in"),
    "nothing to plot": (["kuhn", "--method", "lp", "--plot", "a.png"], "no iterations to plot"),
    "lp in pieces": (["kuhn", "--method", "lp", "--resume", "run"], "lp takes no checkpoint"),
    "damaged checkpoint": (["kuhn", "--resume", "damaged"], "is damaged"),
    "another game": (["coin-toss", "--resume", "kuhn"], "checkpoint of another game, kuhn"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input(case: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "--plot" in BAD[case][0]:
        pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    damaged(tmp_path / "damaged")
    solve(kuhn(), iterations=10, checkpoint="kuhn")
    arguments, sentence = BAD[case]
    outcome = run(*arguments)
    assert outcome.status == 2
    assert outcome.out == ""
    last = outcome.err.strip().splitlines()[-1]
    assert last.startswith("endspiel: ")
    assert sentence in last
    assert "Traceback" not in outcome.err


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_read_only_folder(run: Run, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert "is not writable" in run("kuhn", "--save", tmp_path / "file").err


COMMAND = [sys.executable, "-c", "from endspiel.cli import main; main()", "game", "leduc"]


def test_interrupt_gives_the_best_so_far(tmp_path: Path) -> None:
    arguments = ["--target", "1e-12", "--json", "-", "--save", str(tmp_path / "leduc")]
    worker = started([*COMMAND, *arguments])
    assert worker.stderr is not None
    said = list(takewhile(lambda line: not line.startswith("iteration"), worker.stderr))
    assert worker.poll() is None, said
    worker.send_signal(signal.SIGINT)
    out, _ = ended(worker)
    result = json.loads(out)
    assert result["stopped"] == "interrupted"
    assert Solution.load(tmp_path / "leduc").exploitability == result["exploitability"]


def test_time_left() -> None:
    reporter = SolveWatch(unobserved, Limits(target_units=1e-3, iterations=1000, seconds=50.0))
    assert reporter.seconds_left() is None
    for i in range(1, 9):
        reporter(TracePoint(10 * i, float(i), 1 / i))
    # Exploitability falls as 1 / seconds, so 1e-3 comes at 1000 s, iteration 1000 at 100 s.
    assert reporter.seconds_left() == pytest.approx(42.0)
    reporter.limits = Limits(target_units=1e-3)
    assert reporter.seconds_left() == pytest.approx(992.0)
    reporter.limits = Limits(iterations=1000)
    assert reporter.seconds_left() == pytest.approx(92.0)
    reporter.limits = Limits(target_units=0.5)
    assert reporter.seconds_left() == 0.0


def test_live_line_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    with Reporter().live() as reporter:
        watch = SolveWatch(reporter, Limits(target_units=1e-3))
        watch(TracePoint(10, 0.1, 0.5))
        watch(TracePoint(20, 0.2, 0.2))
    assert len(watch.points) == 2
    assert reporter.last is not None
    assert reporter.last.counts == "iteration 20, exploitability 0.2"


def test_the_current_strategy_and_a_delayed_average(run: Run) -> None:
    found = {}
    for name, options in {
        "average": (),
        "current": ("--solution", "current"),
        "late": ("--delay", "150"),
        "even": ("--weights", "0"),
    }.items():
        outcome = run("leduc", "--iterations", "300", *options, "--json", "-")
        assert outcome.status == 0, outcome.err
        found[name] = outcome.json["exploitability"]
    assert max(found.values()) < 0.05
    assert found["average"] < found["even"]  # early strategies are bad
    assert len(set(found.values())) == 4


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("kuhn", "--solution", "newest"), "average or the current"),
        (("kuhn", "--solution", "current", "--delay", "3"), "of an average"),
        (("kuhn", "--delay", "-1"), "--delay takes a whole number from 0 to"),
        (("kuhn", "--weights", "-1"), "--weights takes a number from 0 to 100, not -1"),
        (("kuhn", "--method", "lp", "--solution", "current"), "lp takes no answer but the average"),
        (("limit-holdem",), "TB"),
        (("limit-holdem:ranks=3,suits=3", "--bits", "8"), "give --workers too"),
        (("limit-holdem:ranks=3,suits=3", "--secure-every", "1"), "give --workers too"),
        (("limit-holdem:ranks=3,suits=3", "--keep-every", "1"), "give --workers too"),
        (
            ("limit-holdem:ranks=3,suits=3", "--workers", "1", "--secure-every", "0"),
            "--secure-every takes a whole number from 1 to",
        ),
        (
            ("limit-holdem:ranks=3,suits=3", "--threads", "0"),
            "--threads takes a whole number from 1 to",
        ),
        (("limit-holdem:ranks=2",), "will not do"),
        (("limit-holdem:ranks=3", "--method", "pcfr+"), "does not solve whole hold'em"),
        (("limit-holdem:ranks=3,suits=3", "--save", "x.es"), "--resume alone"),
    ],
)
def test_solutions_and_decks_that_there_are_not(
    arguments: tuple[str, ...], told: str, run: Run
) -> None:
    outcome = run(*arguments)
    assert outcome.status == 2
    assert told in outcome.err


def test_whole_holdem_is_solved_and_goes_on(run: Run, tmp_path: Path) -> None:
    game, file = "limit-holdem:ranks=3,suits=3,max_raises=0", str(tmp_path / "run.es")
    options = (game, "--solution", "current", "--resume", file, "--json", "-")
    first = run(*options, "--iterations", "3").json
    second = run(*options, "--iterations", "6").json
    whole = run(game, "--solution", "current", "--iterations", "6", "--json", "-").json
    assert (first["iterations"], second["iterations"]) == (3, 6)
    assert second["exploitability"] == whole["exploitability"]
    assert whole["milli_big_blinds"] == 1000 * whole["exploitability"]
    assert whole["boards"] == [1, 20, 93, 429]
    assert run(game, "--iterations", "1").status == 0
    parts = (game, "--solution", "current", "--workers", "1", "--bits", "10", "--json", "-")
    packed = run(*parts, "--iterations", "6").json
    assert packed["exploitability"] == pytest.approx(whole["exploitability"], abs=1e-3)
    blocks = ("--resume", str(tmp_path / "blocks"))
    run(*parts, *blocks, "--iterations", "3")
    assert (
        run(*parts, *blocks, "--iterations", "6").json["exploitability"]
        == (packed["exploitability"])
    )
    refused = run(*parts, "--resume", file)
    assert refused.status == 2
    assert "it is a file, not a folder" in refused.err

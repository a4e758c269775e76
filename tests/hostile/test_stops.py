"""Each command that works for long, stopped by Ctrl-C or SIGTERM: what it says, and what is there.

A signal is sent where the command says how far it is; the same command then goes on from there.
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from endspiel.blueprint.blueprint import load_blueprint
from endspiel.cli.progress import Reporter
from endspiel.engine.limits import TracePoint
from endspiel.rules.builtin import load_rules
from endspiel.solving.forecast import SolveWatch
from tests.blueprint.small import MODEL, cards
from tests.blueprint_fixture import save_small
from tests.cli.commands import STOPS, Outcome, runner
from tests.hostile.surroundings import only_sentence

pytestmark = [
    pytest.mark.parametrize(("number", "status"), STOPS),
    pytest.mark.usefixtures("default_sigterm"),
]
RANDOM = ("always-call", "random", "--game", "leduc", "--hands", 400, "--workers", 1)
Stop = Callable[..., Outcome]


@pytest.fixture
def stop(
    number: int,
    status: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Stop:
    """Runs a command that is stopped as soon as some of its work is done, and checks its status."""
    show = Reporter.show

    def stop(self: Reporter, text: str, done: float, total: float | None) -> None:
        show(self, text, done, total)
        if done > 0:
            os.kill(os.getpid(), number)

    def run(command: str, *words: object) -> str:
        with monkeypatch.context() as patched:
            patched.setattr(Reporter, "show", stop)
            done = runner(command, monkeypatch, capsys)(*words)
        assert done.status == status, done.err
        return only_sentence(done.err)

    return run


@pytest.fixture
def again(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Stop:
    """Runs a command to its end."""

    def run(command: str, *words: object) -> Outcome:
        done = runner(command, monkeypatch, capsys)(*words, "--json", "-")
        assert done.status == 0, done.err
        return done

    return run


def test_a_match_keeps_its_hands(stop: Stop, again: Stop, tmp_path: Path) -> None:
    log = tmp_path / "m.log"
    words = (*RANDOM, "--log", log)
    said = stop("match", *words)
    assert said == f"endspiel: stopped; --resume {log} continues it"
    assert 0 < again("match", *words[:-2], "--resume", log).json["resumed"] < 400
    assert stop("match", *RANDOM) == "endspiel: stopped; no log was written"


def test_a_comparison_keeps_its_hands(stop: Stop, again: Stop, tmp_path: Path) -> None:
    log = tmp_path / "m.log"
    words = (*RANDOM, "--base", "pot-odds", "--log", log)
    said = stop("match", *words)
    assert said == f"endspiel: stopped; --resume {log} continues it"
    assert 0 < again("match", *words[:-2], "--resume", log).json["resumed"] < 400


def test_a_bound_keeps_its_boards(stop: Stop, tmp_path: Path) -> None:
    state = tmp_path / "state"
    words = ("always-call", "--setting", "fcpa-turn", "--boards", 2, "--workers", 1)
    said = stop("lbr", *words, "--resume", state)
    assert said.startswith("endspiel: stopped: boards: 1 of 2, ")
    assert said.endswith(f" mbb/h; what is done is in {state}")
    assert state.read_bytes().count(b"\n") == 2  # what is asked, and a board


def test_charts_keep_their_rounds(stop: Stop, tmp_path: Path) -> None:
    flops, state = tmp_path / "flops.txt", tmp_path / "state"
    flops.write_text("Ks 8h 3d\n")
    tree = ("--stack", 8, "--opens", "a", "--max-raises", 1, "--target", 0.05)
    said = stop("preflop", *tree, "--flops-by", "net", "--flops", flops, "--resume", state)
    assert said == (
        "endspiel: stopped: the charts are those of the rounds that were over; "
        f"{state} goes on from there"
    )
    assert state.exists()


def test_nets_keep_their_turns(stop: Stop, again: Stop, tmp_path: Path) -> None:
    folder = tmp_path / "nets"
    small = "--shards 2 --turns 2 --iterations 2 --steps 2 --batch 4 --width 4 --workers 1"
    words = (folder, *small.split())
    said = stop("train-values", *words)
    assert said == f"endspiel: stopped: what is done is in {folder}, and --resume continues from it"
    (shard,) = folder.glob("turns-*")
    before = shard.stat().st_mtime_ns
    assert again("train-values", *words).json["turns"] == 4
    assert shard.stat().st_mtime_ns == before


WORK = {
    "book": "endspiel.arena.estimators.book_solves.BookSolver.solve",
    "exploit": "endspiel.arena.estimators.real_sampling.real_exploitability",
    "abstract": "endspiel.abstraction.work.Workers.each",
}


@pytest.fixture(scope="module")
def strategy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("stops") / "small.blueprint"
    return save_small(file, limit=load_rules("limit-holdem"))


def test_others_name_the_place(
    number: int, strategy: Path, stop: Stop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of flops and stages, which take long; what is written after each has tests of its own."""
    file, out = strategy, tmp_path / "out"
    for work in WORK.values():
        monkeypatch.setattr(work, lambda *_: os.kill(os.getpid(), number))
    said = stop("book", file, "--device", "cpu", "--boards", 2, "--out", out)
    assert said == f"endspiel: stopped: what is solved is in {out}"
    said = stop("exploit", file, "--resume", out)
    assert said == f"endspiel: stopped; what is done is in {out}"
    said = stop("abstract", "--flops", 1, "--out", tmp_path / "cards")
    assert f"that were finished are kept in {tmp_path / 'cards.work'}" in said


@pytest.mark.usefixtures("status")
def test_a_training_is_saved_and_goes_on(
    number: int, again: Stop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cards().save(tmp_path / "cards.es")
    (tmp_path / "model.toml").write_text(MODEL)
    given = ("--abstraction", tmp_path / "cards.es", "--model", tmp_path / "model.toml")
    given += ("--threads", 1, "--resume", tmp_path / "state")
    report = SolveWatch.__call__

    def stop(self: SolveWatch, point: TracePoint) -> None:
        report(self, point)
        if point.iteration:
            os.kill(os.getpid(), number)

    with monkeypatch.context() as patched:
        patched.setattr(SolveWatch, "__call__", stop)
        found = again("train", *given, "--target", 0, "--out", tmp_path / "made").json
    assert found["stopped"] == "interrupted"
    assert load_blueprint(tmp_path / "made").exploitability == found["exploitability"]
    last = found["iterations"]
    assert last > 0
    monkeypatch.setattr(SolveWatch, "__call__", lambda self, point: seen.append(point.iteration))
    seen: list[int] = []
    assert again("train", *given, "--iterations", last + 1).json["iterations"] == last + 1
    assert min(seen) >= last

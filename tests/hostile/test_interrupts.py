"""Ctrl-C: the library raises, the commands keep; nothing that is being written is lost.

Commands treat SIGTERM, by which containers and schedulers stop programs, in the same way.
"""

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import endspiel as es
from endspiel import files, interrupts
from endspiel.abstraction.boards import some_boards
from endspiel.abstraction.pipeline import make_abstraction
from endspiel.abstraction.plan import Plan
from endspiel.abstraction.work import Store, Workers
from endspiel.blueprint import joint
from endspiel.cli.output import saving
from endspiel.engine.limits import TracePoint
from endspiel.errors import Stopped
from endspiel.interrupts import held_back
from endspiel.progress import Progress
from tests.children import finished
from tests.cli.commands import STOPS, Outcome, runner
from tests.hostile.surroundings import only_sentence


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def terminate() -> None:
    os.kill(os.getpid(), signal.SIGTERM)


def at_thirty(point: TracePoint) -> None:
    if point.iteration == 30:
        interrupt()


def test_a_loop_over_solves_can_be_left() -> None:
    solved = []

    def loop() -> None:
        for game in (es.games.kuhn(), es.games.leduc()):
            solved.append(es.solve(game, target=0, observe=at_thirty))

    with pytest.raises(KeyboardInterrupt):
        loop()
    assert solved == []


def test_the_best_so_far_is_kept_for_who_asks() -> None:
    before = signal.getsignal(signal.SIGINT)
    found = es.solve(es.games.kuhn(), target=0, observe=at_thirty, keep_on_interrupt=True)
    assert found.stopped == "interrupted"
    assert found.iterations >= 30
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize(("number", "status"), STOPS)
@pytest.mark.usefixtures("default_sigterm")
def test_commands_keep_it(
    number: int, status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from endspiel.solving.forecast import SolveWatch

    def stop_at_thirty(self: SolveWatch, point: TracePoint) -> None:
        if point.iteration == 30:
            os.kill(os.getpid(), number)

    monkeypatch.setattr(SolveWatch, "__call__", stop_at_thirty)
    done = runner("game", monkeypatch, capsys)("kuhn", "--target", 0, "--json", "-")
    assert done.status == 0
    assert done.json["stopped"] == "interrupted"


@pytest.mark.parametrize(("number", "status"), STOPS)
@pytest.mark.usefixtures("default_sigterm")
def test_a_command_that_keeps_nothing_says_so(
    number: int, status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        "endspiel.games.registry.load_game", lambda *_: os.kill(os.getpid(), number)
    )
    done = runner("game", monkeypatch, capsys)("kuhn")
    assert done.status == status
    assert only_sentence(done.err) == "endspiel: stopped"


def stopped_while_loading(
    stop: Callable[[], object],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Outcome:
    """The command that is stopped while it loads its game."""
    monkeypatch.setattr("endspiel.games.registry.load_game", lambda *_: stop())
    return runner("game", monkeypatch, capsys)("kuhn")


@pytest.mark.usefixtures("default_sigterm")
def test_what_a_shell_runs_in_the_background_is_stopped_by_sigterm(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        done = stopped_while_loading(terminate, monkeypatch, capsys)
    finally:
        signal.signal(signal.SIGINT, before)
    assert (done.status, only_sentence(done.err)) == (143, "endspiel: stopped")


@pytest.mark.usefixtures("default_sigterm")
def test_a_sigterm_sent_twice_is_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """GNU timeout sends one to the process and one to its group; one much later is another."""
    saved, clock = [], [100.0]

    def save(seconds: float) -> None:
        with saving("the game"):
            terminate()
            clock[0] += seconds
            terminate()
            saved.append(seconds)

    monkeypatch.setattr(interrupts, "monotonic", lambda: clock[0])
    for seconds in (0.01, 60):
        done = stopped_while_loading(lambda s=seconds: save(s), monkeypatch, capsys)
        assert done.status == 143
    assert saved == [0.01]


@pytest.mark.parametrize(("number", "status"), STOPS)
@pytest.mark.usefixtures("default_sigterm")
def test_an_interruption_in_a_finalizer_is_not_lost(
    number: int, status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Python drops what is raised where nothing can be: in finalizers, in compiled code's calls."""

    class Finalized:
        def __del__(self) -> None:
            os.kill(os.getpid(), number)

    def wait() -> None:
        Finalized()
        time.sleep(20)
        raise AssertionError("the interruption was lost")

    done = stopped_while_loading(wait, monkeypatch, capsys)
    assert (done.status, done.err) == (status, "endspiel: stopped\n")


def test_an_interruption_of_an_import_is_no_bug(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def load() -> None:
        raise ImportError("initialization failed") from KeyboardInterrupt()

    done = stopped_while_loading(load, monkeypatch, capsys)
    assert (done.status, only_sentence(done.err)) == (130, "endspiel: stopped")


def test_a_save_is_finished_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, write = tmp_path / "file", files.save_file

    def slow(*arguments: Any) -> None:
        interrupt()
        write(*arguments)

    monkeypatch.setattr(files, "save_file", slow)
    with pytest.raises(KeyboardInterrupt):
        files.save(path, "test", {"a": 1}, {})
    assert files.load(path, "test")[0] == {"a": 1}


def test_saving_is_told_and_can_be_abandoned(capsys: pytest.CaptureFixture[str]) -> None:
    done = []

    def save(times: int) -> None:
        with saving("the strategy"):
            for _ in range(times):
                interrupt()
            done.append(times)

    with pytest.raises(KeyboardInterrupt):
        save(1)
    assert done == [1]
    assert only_sentence(capsys.readouterr().err) == (
        "endspiel: the strategy is being saved first; Ctrl-C again loses it"
    )
    with pytest.raises(KeyboardInterrupt):
        save(2)
    assert done == [1]
    with held_back():
        done.append(0)
    assert done == [1, 0]


def test_a_trained_strategy_survives_a_second_interruption(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Trained:
        def record(self) -> dict[str, Any]:
            return {}

    def save(out: Path, *_: object) -> dict[str, Any]:
        interrupt()
        out.write_text("strategy")
        return {}

    monkeypatch.setattr("endspiel.abstraction.abstraction.load_abstraction", lambda path: None)
    monkeypatch.setattr("endspiel.cli.train._train_counted", lambda *_: Trained())
    monkeypatch.setattr("endspiel.cli.train._save", save)
    train = runner("train", monkeypatch, capsys)
    out = tmp_path / "strategy"
    done = train("--abstraction", tmp_path / "cards", "--iterations", 1, "--out", out)
    assert done.status == 130
    assert out.read_text() == "strategy"
    assert "the strategy is being saved first" in done.err
    assert done.err.endswith("endspiel: stopped\n")


PLAN = Plan((3, 2, 2, 2))


@pytest.fixture(scope="module")
def abstraction() -> Any:
    return make_abstraction(PLAN, some_boards(2), Store(None), Workers())


def test_pairs_counted_so_far_are_kept(
    abstraction: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(joint, "PIECE", 16)
    whole = joint.count_joint(abstraction)
    path, told = tmp_path / "pairs", []

    def stop(progress: Progress) -> None:
        told.append(progress)
        if len(told) == 2:
            interrupt()

    with pytest.raises(Stopped, match=r"stopped; \d+% of the pairs of buckets .* kept in .*pairs"):
        joint.count_joint(abstraction, path, progress=stop)
    kept, _ = files.load(path, joint.KIND)
    assert 16 <= kept["done"] < len(abstraction.boards.turns)
    shares: list[float] = []
    again = joint.count_joint(
        abstraction, path, progress=lambda p: shares.append(p.finished / p.total)
    )
    assert shares[0] > 0
    assert (again.halves == whole.halves).all()
    with pytest.raises(Stopped, match="not kept"):
        joint.count_joint(abstraction, progress=lambda _: interrupt())


def test_stages_of_others_are_not_removed(tmp_path: Path) -> None:
    boards = some_boards(1)

    def make(branching: tuple[int, int, int, int], shared: bool) -> Store:
        store = Store(tmp_path, shared)
        make_abstraction(Plan(branching), boards, store, Workers())
        return store

    make((3, 2, 2, 2), shared=True)  # kept
    there = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    (tmp_path / "turn").unlink()
    make((3, 2, 2, 2), shared=True).clear()
    assert {path.name for path in tmp_path.iterdir()} == there.keys() - {"turn"}
    make((3, 2, 2, 2), shared=False).clear()
    assert not tmp_path.exists()


def test_pieces_that_have_not_begun_are_not_waited_for() -> None:
    begun = []

    def work(piece: int) -> None:
        begun.append(piece)
        if piece == 0:
            raise KeyError(piece)

    with pytest.raises(KeyError):
        Workers(1).each("stage", work, 10_000)
    assert len(begun) < 10_000


MODULE = """
import os, signal, runpy
import endspiel.games.registry as registry

def load(*_):
    try:
        exec("raise KeyboardInterrupt")  # compiled from a text, as methods of dataclasses are
    except KeyboardInterrupt:
        os.kill(os.getpid(), signal.SIGTERM)

registry.load_game = load
runpy.run_module("endspiel", run_name="__main__", alter_sys=True)
"""


def test_a_stopped_module_ends_with_the_status_of_the_command(tmp_path: Path) -> None:
    (tmp_path / "stopped.py").write_text(MODULE)
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "stopped", "game", "kuhn"]
    done = finished(command, 143, env=os.environ | {"PYTHONPATH": path})
    assert done.stderr == "endspiel: stopped\n"

"""Agents that raise, and bugs: a sentence that names them, the traceback behind --debug."""

from pathlib import Path

import pytest

from endspiel.cli import endings
from endspiel.errors import EndspielError
from endspiel.executor import Executor, WorkerJob, WorkerTraceback
from tests.cli.commands import Outcome, runner
from tests.hostile.surroundings import endspiel, only_sentence

AGENTS = """
import sys
from endspiel.agent.base import Agent


class Tired(Agent):
    hands = 0

    def begin(self, seed):
        super().begin(seed)
        self.hands += 1

    def act(self, state, hole, board):
        if self.hands > 150:
            raise ZeroDivisionError("I am\\ntired")
        return 0


class Illegal(Tired):
    def act(self, state, hole, board):
        return 7


class Rude(Tired):
    def close(self):
        raise OSError("I stay")


def tired(game, text):
    return Tired()


def illegal(game, text):
    return Illegal()


def rude(game, text):
    return Rude()


def unmade(game, text):
    raise ValueError("not today")
"""


@pytest.fixture
def match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> object:
    (tmp_path / "rough_agents.py").write_text(AGENTS)
    (tmp_path / "broken_agents.py").write_text("1 / 0\n")
    monkeypatch.syspath_prepend(tmp_path)
    run = runner("match", monkeypatch, capsys)

    def play(agent: str, *more: object, first: tuple[str, ...] = ()) -> Outcome:
        rest = () if first else ("always-call",)
        return run(*first, agent, *rest, "--game", "leduc", "--workers", 1, *more)

    return play


def test_the_agent_the_hand_and_the_message_are_named(match, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    log = tmp_path / "m.log"
    done = match("rough_agents:tired", "--hands", 400, "--log", log)
    assert done.status == 2
    assert only_sentence(done.err) == (
        "endspiel: agent rough_agents:tired failed in hand 150 of section 1: ZeroDivisionError: "
        f"I am tired; {log} keeps the 100 hands before, and can be resumed"
    )
    assert log.read_text().count("STATE:") == 100
    again = match("rough_agents:tired", "--hands", 400, "--resume", log)
    assert again.status == 2
    assert log.read_text().count("STATE:") == 200, "each run is good for some hands"


@pytest.mark.parametrize(
    ("agent", "sentence"),
    [
        ("rough_agents:illegal", "agent rough_agents:illegal failed in hand 0 of section 1: "),
        ("rough_agents:rude", "agent rough_agents:rude failed when the match was over: OSError"),
        ("rough_agents:unmade", "makes no agent of a game and a text: ValueError: not today"),
        ("broken_agents:x", "cannot load agent broken_agents:x: ZeroDivisionError: division"),
    ],
)
def test_other_ways_to_fail(match, agent: str, sentence: str) -> None:  # type: ignore[no-untyped-def]
    done = match(agent, "--hands", 100)
    assert done.status == 2
    assert sentence in only_sentence(done.err)


def test_the_right_one_is_named(match) -> None:  # type: ignore[no-untyped-def]
    done = match("rough_agents:illegal", "--hands", 100, first=("always-call",))
    assert "agent rough_agents:illegal failed in hand 0" in only_sentence(done.err)


def test_the_traceback_is_there_for_those_who_ask(tmp_path: Path) -> None:
    (tmp_path / "rough_agents.py").write_text(AGENTS)
    play = ("match", "rough_agents:tired", "random", "--game", "leduc", "--hands", 400)
    done = endspiel("--debug", *play, status=2, folder=tmp_path, traced=True)
    assert "Traceback" in done.stderr
    assert "in act" in done.stderr
    assert done.stderr.rstrip().endswith("ZeroDivisionError: I am tired")


def test_a_bug_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def bug(*_: object) -> None:
        raise LookupError("nowhere")

    monkeypatch.setattr("endspiel.games.registry.load_game", bug)
    run = runner("game", monkeypatch, capsys)
    done = run("kuhn")
    assert done.status == 1
    assert "a bug, LookupError: nowhere; endspiel --debug" in only_sentence(done.err)
    monkeypatch.setenv(endings.DEBUG, "1")
    assert "in bug" in run("kuhn").err


class Failing:
    """A worker that raises what cannot be pickled, or what can."""

    def __init__(self, _: object) -> None:
        pass

    def work(self, job: str) -> None:
        if job == "ours":
            raise EndspielError("a sentence")

        class LocalError(Exception):
            pass

        raise LocalError("unspeakable")

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("job", "kind", "text"),
    [("ours", EndspielError, "^a sentence$"), ("local", RuntimeError, "LocalError: unspeakable")],
)
def test_errors_of_workers_come_home(job: str, kind: type[Exception], text: str) -> None:
    with Executor(2) as executor, pytest.raises(kind, match=text) as caught:
        list(executor.results(WorkerJob(Failing, None), [job, job], patience=0))
    assert isinstance(caught.value.__cause__, WorkerTraceback)
    assert "in work" in str(caught.value.__cause__)

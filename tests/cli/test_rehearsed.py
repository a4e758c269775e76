"""Every way to a table loads kernels and tables before the first hand is dealt."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from endspiel.agent import nested
from endspiel.agent.clock import Clock
from endspiel.agent.flop import FlopStages
from endspiel.arena.protocol import wire
from endspiel.cli.acpc import acpc
from endspiel.cli.match import match
from endspiel.cli.play import play
from endspiel.endgame.safe.live import LiveEndgame
from endspiel.errors import EndspielError
from endspiel.rules.builtin import load_rules
from endspiel.rules.state import start
from endspiel.web.messages import PlayAsked
from endspiel.web.opponents import Opponents
from tests.blueprint_fixture import small_blueprint

LOADED = ["flop", "river", "run-outs", "turn"]  # what is solved or looked up in thought
HAND = "hand"


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What happens: solves by street, tables, and hands; the first decision ends the match."""
    found: list[str] = []

    def note(owner: Any, name: str, word: Callable[[Any], str]) -> None:
        method = getattr(owner, name)

        def noted(self: Any, *given: Any, **named: Any) -> Any:
            found.append(word(self))
            return method(self, *given, **named)

        monkeypatch.setattr(owner, name, noted)

    def begun(_clock: Clock) -> None:
        found.append(HAND)
        raise EndspielError("the first hand is dealt")

    streets = {3: "flop", 4: "turn", 5: "river"}
    note(FlopStages, "solve", lambda _stages: "flop")
    note(LiveEndgame, "solve", lambda endgame: streets[len(endgame.board)])
    note(LiveEndgame, "solve_safely", lambda endgame: streets[len(endgame.board)])
    note(nested, "run_out_shares", lambda _flop: "run-outs")
    monkeypatch.setattr(Clock, "begin_hand", begun)
    return found


def run(command: Callable[..., None], *arguments: str) -> None:
    """A command until the agent is asked for its first decision."""
    app = typer.Typer()
    app.command()(command)
    done = CliRunner().invoke(app, list(arguments), input="q\n")
    assert isinstance(done.exception, EndspielError), done.output
    assert "the first hand" in str(done.exception)


class OneState:
    """A dealer that deals one hand."""

    name = "the dealer"

    def send(self, _text: str) -> None:
        """Hear what the client says."""

    def receive(self) -> str:
        """The state in which the button acts first."""
        return "MATCHSTATE:1:0::|AsKd\r\n"

    def close(self) -> None:
        """Nothing is open."""


def by_play(file: Path, folder: Path, _patch: pytest.MonkeyPatch) -> None:
    run(play, "--strategy", str(file), "--seed", "1", "--history", str(folder / "hands.phhs"))


def by_match(file: Path, _folder: Path, _patch: pytest.MonkeyPatch) -> None:
    run(match, f"blueprint+nested,file={file}", "always-fold", "--hands", "2", "--workers", "1")


def by_acpc(file: Path, _folder: Path, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(wire, "connect", lambda _host, _port: OneState())
    run(acpc, "127.0.0.1", "1", "--agent", f"blueprint+nested,file={file}")


def by_page(file: Path, _folder: Path, _patch: pytest.MonkeyPatch) -> None:
    asked, game = PlayAsked(agent=f"file:{file.stem}", technique="nested"), "nolimit-holdem"
    agent = Opponents([file]).seat(asked, load_rules(game))
    agent.begin(1)
    with pytest.raises(EndspielError, match="the first hand"):
        agent.act(start(load_rules(game)), (0, 5), ())


@pytest.mark.parametrize("way", [by_play, by_match, by_acpc, by_page])
def test_what_must_be_loaded_is_loaded_before_the_first_hand(
    way: Callable[[Path, Path, pytest.MonkeyPatch], None],
    seen: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    way(small_blueprint(tmp_path).path, tmp_path, monkeypatch)
    assert seen.count(HAND) == 1
    before = seen[: seen.index(HAND)]
    assert sorted(set(before)) == LOADED

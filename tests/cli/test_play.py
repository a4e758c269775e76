"""A person's words at the table, and whole hands played against a simple agent."""

import json
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from endspiel.agent.base import Agent, register
from endspiel.arena.protocol.phh import read_phh
from endspiel.cli.app import app
from endspiel.cli.typed_bets import describe, help_of, offers, parse_bet
from endspiel.errors import IllegalAction
from endspiel.review.played import PlayedHand
from endspiel.review.sources import read_hands
from endspiel.rules.acpc import parse_betting, parse_state
from endspiel.rules.builtin import load_rules
from endspiel.rules.state import CALL, FOLD, State, start
from tests.blueprint_fixture import small_blueprint

GAME = load_rules("nolimit-holdem")
LIMIT = load_rules("limit-holdem")


def after(*actions: int) -> State:
    state = start(GAME)
    for action in actions:
        state = state.apply(action)
    return state


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("f", FOLD),
        ("call", CALL),
        ("c", CALL),
        ("r 300", 300),
        ("R300", 300),
        ("raise to 1,250", 1250),
        ("300", 300),
        ("pot", 300),  # a call makes 200, a raise of the pot 200 more
        ("1/2", 200),
        ("150%", 400),
        ("2x", 500),
        ("min", 200),
        ("allin", 20_000),
        ("shove", 20_000),
    ],
)
def test_words_before_the_flop(text: str, action: int) -> None:
    assert parse_bet(text, start(GAME)) == action


def test_sizes_count_on_the_street() -> None:
    flop = after(300, CALL)
    assert parse_bet("b 200", flop) == 500
    assert parse_bet("pot", flop) == 900
    assert offers(flop) == "check (k), bet 100 to 19700 (r CHIPS, pot, 1/2, allin)"
    assert describe(flop, 500) == "bets 200"
    assert describe(flop, 20_000) == "bets 19700 and is all-in"
    assert describe(flop.apply(500), 1100) == "raises to 800"


@pytest.mark.parametrize(
    ("state", "text", "reason"),
    [
        (start(GAME), "k", "no check against a bet: call 50"),
        (start(GAME), "r 150", "150 chips is no legal size: 200 to 20000 on this street"),
        (start(GAME), "r 20001", "no legal size"),
        (start(GAME), "raise the roof", "is no bet"),
        (start(GAME), "", "is no bet"),
        (start(GAME), "1/0", "is no bet"),
        (after(CALL), "f", "checking is free"),
        (after(20_000), "r 500", "no raise is legal here"),
    ],
)
def test_other_words_are_refused_with_a_reason(state: State, text: str, reason: str) -> None:
    with pytest.raises(IllegalAction, match=reason):
        parse_bet(text, state)


@given(st.text(max_size=20))
def test_any_words_give_a_legal_action_or_a_reason(text: str) -> None:
    state = after(300, CALL, CALL, 450)
    try:
        action = parse_bet(text, state)
    except IllegalAction:
        return
    assert state.can(action)


def test_limit_has_one_bet_a_street() -> None:
    turn = parse_betting(LIMIT, "rc/cc/")
    assert offers(turn) == "check (k), bet 20 (r)"
    assert {parse_bet(word, turn) for word in ("r", "bet", "b 20", "20")} == {40}
    assert offers(turn.apply(40)) == "fold (f), call 20 (c), raise to 40 (r)"
    assert "allin" not in help_of(turn)
    for word, reason in (("r 30", "no legal size: the limit is 20"), ("pot", "is no bet")):
        with pytest.raises(IllegalAction, match=reason):
            parse_bet(word, turn)
    with pytest.raises(IllegalAction, match="is no bet"):
        parse_bet("allin", turn)


def test_limit_is_played_against_a_strategy_file(tmp_path: Path) -> None:
    """The file says the game; a name of another is refused."""
    file, history = small_blueprint(tmp_path, limit=True).path, tmp_path / "hands.phhs"
    options = ["play", "--strategy", str(file), "--endgame", "none", "--history", str(history)]
    words = "\n".join(["allin", *["r"] * 30, "q"])
    done = CliRunner().invoke(app, [*options, "--seed", "5", "--hands", "2"], input=words)
    assert done.exit_code == 0, done.output
    assert "'allin' is no bet" in done.output
    records = read_phh(LIMIT, history)
    assert len(records) == 2
    assert any("r" in record.shown.state.line for record in records)
    for more, reason in (
        (["--game", "nolimit-holdem"], "which has no-limit betting False"),
        (["--agent", "random"], "a strategy file is for the blueprint to play"),
    ):
        other = ["--history", str(tmp_path / "other.phhs")]
        refused = CliRunner().invoke(app, [*options, *more, *other])
        assert reason in str(refused.exception)


def test_a_session_is_played_and_saved(tmp_path: Path) -> None:
    history = tmp_path / "hands.phhs"
    words = ["?", "r 5", "pot", *["c"] * 40, "q"]
    done = CliRunner().invoke(
        app,
        "play --agent always-call --seed 7 --hands 6 --explain "
        f"--history {history} --json {tmp_path / 'out.json'}",
        input="\n".join(words) + "\n",
    )
    assert done.exit_code == 0, done.output
    assert "no legal size" in done.output
    found = json.loads((tmp_path / "out.json").read_text())
    records = read_phh(GAME, history)
    assert found["hands"] == len(records) == 6
    mine = sum(r.payoffs[0] if r.names[0] == "you" else r.payoffs[1] for r in records)
    assert found["chips"] == mine


def test_an_agent_that_watches_sees_how_hands_end(tmp_path: Path) -> None:
    class Watcher(Agent):
        watches = True
        lines: ClassVar[list[str]] = []

        def act(self, state: State, hole: tuple[int, ...], board: tuple[int, ...]) -> int:
            return CALL

        def watch(self, line: str) -> None:
            self.lines.append(line)

    register("watcher", lambda game, options: Watcher())
    options = ["play", "--agent", "watcher", "--hands", "1", "--history", str(tmp_path / "h.phhs")]
    done = CliRunner().invoke(app, options, input="c\n" * 8)
    assert done.exit_code == 0, done.output
    assert len(Watcher.lines) == 9  # before each action, and in the end
    seen = parse_state(GAME, Watcher.lines[-1])
    assert seen.state.finished
    assert seen.position == 1
    assert all(len(hole) == 2 for hole in seen.holes)


def test_nothing_is_written_without_asking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    options = ["play", "--agent", "always-call", "--seed", "7", "--hands", "1"]
    done = CliRunner().invoke(app, options, input="c\n" * 8)
    assert done.exit_code == 0, done.output
    assert "They are in" not in done.output
    assert list(tmp_path.iterdir()) == []


def test_a_person_at_a_terminal_is_asked_for_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("endspiel.cli.play._at_terminal", lambda: True)
    options = ["play", "--agent", "always-call", "--seed", "7", "--hands", "1"]
    done = CliRunner().invoke(app, options, input="c\nc\nc\nc\n\n")
    assert "Save these hands?" in done.output
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "there.phhs").write_text("precious")
    typed = "c\nc\nc\nc\nthere.phhs\nmine.txt\n"
    done = CliRunner().invoke(app, options, input=typed)
    assert "there.phhs exists" in done.output
    assert "The hands are in mine.txt" in done.output
    (hand,) = read_hands(tmp_path / "mine.txt")
    assert isinstance(hand, PlayedHand)
    assert "you" in hand.players


def test_leaving_in_the_middle_keeps_the_hands_before(tmp_path: Path) -> None:
    history = tmp_path / "hands.phhs"
    done = CliRunner().invoke(
        app,
        ["play", "--agent", "always-call", "--seed", "7", "--history", str(history)],
        input="\n".join(["c"] * 6),  # then the input ends
    )
    assert done.exit_code == 0
    assert len(read_phh(GAME, history)) == 1


@pytest.mark.parametrize(
    "text", ["9" * 400 + "x", "1" + "0" * 400 + "/3", "1/0", "0x" * 9, "r -5", "\x00", "r 1e9"]
)
def test_absurd_words_are_no_bets(text: str) -> None:
    with pytest.raises(IllegalAction):
        parse_bet(text, start(GAME))


def test_an_earlier_session_is_not_written_over(tmp_path: Path) -> None:
    kept = tmp_path / "hands.phhs"
    kept.write_text("precious")
    result = CliRunner().invoke(app, ["play", "--agent", "random", "--history", str(kept)])
    assert "exists: name another file" in str(result.exception)
    assert kept.read_text() == "precious"


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--seed", "-5"], "--seed takes a whole number from 0 to 4,294,967,295, not -5"),
        (["--game", "holdem.nolimit.3p"], "two play here"),
        (["--agent", "os:getcwd"], "makes no agent"),
        (["--agent", "builtins:print"], "not an agent"),
        (["--json", "no/such/folder.json"], "there is no folder"),
    ],
)
def test_bad_options_are_refused(options: list[str], reason: str, tmp_path: Path) -> None:
    command = ["play", "--history", str(tmp_path / "h.phhs"), *options]
    result = CliRunner().invoke(app, command)
    assert result.exit_code != 0
    assert reason in f"{result.exception} {result.output}"

"""``endspiel dealer`` and ``endspiel acpc``, each a process of its own, on the loopback."""

import json
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from endspiel.cli.dealer import dealer
from endspiel.errors import EndspielError
from endspiel.rules.replay import replay_log
from tests.children import Child, ended, first_line, killed, started

SCRIPT = """
import sys
import typer
from endspiel.cli.acpc import acpc
from endspiel.cli.dealer import dealer
from endspiel.errors import EndspielError
app = typer.Typer(pretty_exceptions_enable=False)
for command in (acpc, dealer):
    app.command()(command)
try:
    app()
except EndspielError as error:
    print(error, file=sys.stderr)
    sys.exit(2)
"""


def start(*arguments: str) -> Child:
    return started([sys.executable, "-c", SCRIPT, *arguments])


def test_a_match(tmp_path: Path) -> None:
    log = tmp_path / "m.log"
    table = start("dealer", "nolimit-holdem", "20", "42", "Alice", "Bob", "--log", str(log))
    ports = first_line(table).split()
    assert len(ports) == 2
    players = [
        start("acpc", "127.0.0.1", port, "--agent", name, "--json", "-")
        for port, name in zip(ports, ("random", "always-call"), strict=True)
    ]
    told = [ended(player) for player in players]
    out, err = ended(table)
    answers = [json.loads(text) for text, _ in told]
    assert [answer["hands"] for answer in answers] == [20, 20]
    assert answers[0]["chips"] == -answers[1]["chips"]
    assert out == f"SCORE:{answers[0]['chips']}|{answers[1]['chips']}:Alice|Bob\n"
    assert err.startswith(
        "# name/game/hands/seed match holdem.nolimit.2p.reverse_blinds.game 20 42"
    )
    assert err.count("\nTO 1 at ") == err.count("\nTO 2 at ") > 40
    assert replay_log(log).mismatches == []


def test_a_dealer_that_dies(tmp_path: Path) -> None:
    table = start("dealer", "leduc", "100000", "1", "--log", str(tmp_path / "m.log"))
    assert table.stderr is not None
    ports = first_line(table).split()
    players = [start("acpc", "127.0.0.1", p, "--agent", "random", "--game", "leduc") for p in ports]
    assert any(line.startswith("TO 1") and ":30:" in line for line in table.stderr)
    killed(table)
    for player in players:
        # Between two hands a dealer that dies looks like one that is done.
        _, err = ended(player, (0, 2))
        if player.returncode == 2:
            assert "closed the connection during hand" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["leduc", "5", "1", "OnlyOne"], "1 names of players; leduc.limit.2p has 2"),
        (["leduc", "5", "1", "--ports", "a,b"], "ports are numbers with commas between"),
        (["leduc", "5", "1", "--ports", "1,99999"], "ports are numbers up to 65535"),
        (["leduc", "5", "1", "--start-timeout", "50"], "seat 1 did not connect in time"),
    ],
)
def test_refusals(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    app = typer.Typer()
    app.command()(dealer)
    result = CliRunner().invoke(app, arguments)
    assert isinstance(result.exception, EndspielError)
    assert message in str(result.exception)
    if "timeout" not in " ".join(arguments):  # only a match that began has a log
        assert list(tmp_path.iterdir()) == []

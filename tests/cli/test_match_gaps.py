"""A match on busy cores: nothing with a wide gap is played, and every decision is counted."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from endspiel.agent.attempts import PLAYABLE
from endspiel.agent.moves import moves_of
from endspiel.cli.app import app
from endspiel.rules.acpc import parse_betting
from endspiel.rules.builtin import load_rules
from tests.blueprint_fixture import small_blueprint
from tests.children import killed, started

FLOP = 1
HANDS = 20
STREETS = {"flop", "turn", "river"}


BUSY = """
import os
parent = os.getppid()
while os.getppid() == parent:
    pass
"""


@pytest.fixture
def busy() -> Iterator[None]:
    """Both cores are kept busy meanwhile, by processes that end where the tests are killed."""
    others = [started([sys.executable, "-c", BUSY]) for _ in range(2)]
    yield
    for other in others:
        killed(other)


@pytest.mark.usefixtures("busy")
def test_no_decision_on_busy_cores_has_a_wide_gap(tmp_path: Path) -> None:
    """By the default agent, but for its strategy file, less work a solve and less time."""
    file, log, out = small_blueprint(tmp_path).path, tmp_path / "log", tmp_path / "match.json"
    agent = f"blueprint+nested,file={file},work=20,hand=1"
    command = ["match", agent, "always-call", "--hands", str(HANDS), "--seed", "3"]
    done = CliRunner().invoke(
        app, [*command, "--workers", "1", "--log", str(log), "--json", str(out)]
    )
    assert done.exit_code == 0, done.output
    record = json.loads(out.read_text())
    (name,) = record["gaps"]
    gaps, solves, fallbacks = (record[key][name] for key in ("gaps", "solves", "fallbacks"))
    assert gaps.keys() <= STREETS
    for street, found in gaps.items():
        assert found["decisions"] >= 1
        assert 0 <= found["median"] <= found["p95"] <= found["worst"] <= PLAYABLE
        assert f"{street}: {found['decisions']:,} decisions solved" in " ".join(done.output.split())
    solved = sum(found["decisions"] for found in gaps.values())
    assert solved == sum(solves.values())
    assert solved + sum(fallbacks.values()) == decisions(log, name)


def decisions(log: Path, name: str) -> int:
    """A player's decisions from the flop on, by a match log."""
    game, found = load_rules("nolimit-holdem"), 0
    lines = [line for line in log.read_text().splitlines() if line.startswith("STATE")]
    assert len(lines) == HANDS
    for line in lines:
        betting, seats = line.split(":")[2], line.split(":")[-1].split("|")
        moves = moves_of(parse_betting(game, betting))
        late = [move.state for move in moves if move.state.round >= FLOP]
        found += sum(seats[state.actor] == name for state in late)
    return found

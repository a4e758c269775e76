"""Programs as agents: started, played against over the protocol, and cleaned up after."""

import sys
from pathlib import Path

import numpy as np
import pytest

from endspiel.agent import make_agent
from endspiel.arena.match import MatchResult, run_match
from endspiel.arena.plan import MatchPlan
from endspiel.arena.protocol import external
from endspiel.arena.tournament import TournamentPlan, run_tournament
from endspiel.errors import EndspielError
from endspiel.rules.builtin import load_rules

HOLDEM = load_rules("nolimit-holdem")
PLAYER = """
import socket, sys
connection = socket.create_connection((sys.argv[1], int(sys.argv[2])))
connection.sendall(b"VERSION:2.0.0\\n# a comment\\n")
for line in connection.makefile("rb"):
    connection.sendall(b"MATCHSTATE:0:99::AsAh|:c\\r\\n" + line.strip() + b":c\\r\\n")
"""


@pytest.fixture(autouse=True)
def _bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(external, "RESPONSE_SECONDS", 300.0)


def player(tmp_path: Path, text: str) -> str:
    path = tmp_path / "player.py"
    path.write_text(text)
    return f"acpc:{sys.executable} {path}"


def test_an_external_caller_plays_like_ours(tmp_path: Path) -> None:
    """It answers every line, asked or not, and much else; only the right answers count."""
    ours = run_match(MatchPlan(HOLDEM, ("always-call", "random"), 40, 3))
    theirs = run_match(
        MatchPlan(HOLDEM, (player(tmp_path, PLAYER), "random"), 40, 3), tmp_path / "m.log"
    )
    assert np.array_equal(ours.chips, theirs.chips)
    again = run_match(theirs.plan, tmp_path / "m.log", resume=True)
    assert again.resumed == 40


@pytest.mark.parametrize("name", ["nolimit-holdem", "limit-holdem"])
def test_against_programs_our_side_is_estimated_by_aivat(name: str, tmp_path: Path) -> None:
    """In a match and in a tournament, as against an agent of ours that plays the same."""
    game = load_rules(name)
    program = player(tmp_path, PLAYER)
    ours = run_match(MatchPlan(game, ("always-raise", "always-call"), 20, 3, aivat=True))
    plan = TournamentPlan(game, ("always-raise", program), 20, 3, aivat=True)
    found: list[MatchResult] = []
    outcome = run_tournament(plan, report=found.append)
    assert found[0].aivat is not None
    assert ours.aivat is not None
    assert np.array_equal(found[0].chips, ours.chips)
    rate = 1000 / game.big_blind * found[0].aivat.mean()
    assert outcome.means[0, 1] == found[0].main.mean == pytest.approx(rate)
    assert found[0].aivat.std() < 0.8 * found[0].chips.std()


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("acpc:/no/such/program", "cannot start /no/such/program: No such file"),
        (f"acpc:{sys.executable} -c pass", "ended before it connected"),
        ("acpc:'unclosed", "cannot read the command"),
        ("acpc: ", "needs a command"),
    ],
)
def test_programs_that_do_not_play(spec: str, message: str) -> None:
    with pytest.raises(EndspielError, match=message):
        make_agent(spec, HOLDEM)


def test_a_program_that_leaves_ends_the_match(tmp_path: Path) -> None:
    leaves = PLAYER.replace("for line in", "for _, line in zip(range(3),").replace("):", ")):")
    plan = MatchPlan(HOLDEM, (player(tmp_path, leaves), "always-call"), 40, 3)
    with pytest.raises(EndspielError, match="closed the connection"):
        run_match(plan)

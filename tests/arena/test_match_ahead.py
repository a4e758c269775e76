"""Blocks of a match that were played before their turn: a killed match plays none of them again."""

import os
import signal
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import endspiel as es
from endspiel.arena.deals import hand_seeds
from endspiel.arena.match import run_match
from endspiel.arena.plan import MatchPlan, PlayedBlock
from endspiel.arena.protocol.match_ahead import SUFFIX, AheadFile
from endspiel.errors import FileError
from endspiel.rules.builtin import load_rules
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import State
from tests.children import finished, wait_until

HANDS, SEED = 1000, 3
LEDUC = load_rules("leduc")


class Counted(es.Agent):
    """Notes the hands that it begins; at the first of all it waits for others, and kills."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.notes, self.ahead = folder / "notes", folder / f"match.log{SUFFIX}"
        self.first = hand_seeds(SEED, 0, 0, 1)[0][0]

    def begin(self, seed: int) -> None:
        super().begin(seed)
        with self.notes.open("a") as file:
            file.write(f"{seed}\n")
        if seed == self.first and os.environ.get("DEADLY"):
            wait_until(lambda: self.ahead.exists() and self.ahead.read_bytes().count(b"\n") >= 3)
            os.kill(os.getppid(), signal.SIGKILL)

    def act(self, state: State, hole: tuple[int, ...], board: tuple[int, ...]) -> int:
        return 0


def counted(game: GameDef, options: str) -> es.Agent:
    return Counted(Path(os.environ["COUNTED"]))


PLAN = MatchPlan(LEDUC, (f"{__name__}:counted", "always-call"), HANDS, SEED)

SCRIPT = """
import sys
from pathlib import Path
import endspiel.executor.executor as executor
from endspiel.arena.match import run_match
from tests.arena.test_match_ahead import PLAN
if __name__ == "__main__":
    executor.PATIENCE = 0.0
    run_match(PLAN, Path(sys.argv[1]), workers=2)
"""


def test_a_killed_match_plays_no_hand_twice_that_it_had_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first block never ends: all others wait for it, and only the log's order keeps them."""
    monkeypatch.setenv("COUNTED", str(tmp_path))
    script, log = tmp_path / "play.py", tmp_path / "match.log"
    script.write_text(SCRIPT)
    environment = os.environ | {"DEADLY": "1", "PYTHONPATH": str(Path(__file__).parents[2])}
    finished([sys.executable, script, log], -signal.SIGKILL, env=environment)
    waited = sum(b.count(b"STATE") for b in Path(f"{log}{SUFFIX}").read_bytes().splitlines())
    assert waited >= 300
    before = Counter((tmp_path / "notes").read_text().split())
    resumed = run_match(PLAN, log, workers=1)
    assert resumed.resumed == waited
    assert not Path(f"{log}{SUFFIX}").exists()
    after = Counter((tmp_path / "notes").read_text().split())
    assert (after - before).total() == HANDS - waited
    fresh = run_match(PLAN, tmp_path / "fresh.log", workers=1)
    assert np.array_equal(resumed.chips, fresh.chips)
    assert log.read_bytes() == (tmp_path / "fresh.log").read_bytes()


def leave_ahead(plan: MatchPlan, log: Path, *firsts: int) -> Path:
    """Let blocks of a finished log be ahead of it, with a line that was cut off by a kill."""
    hands = [line for line in log.read_text().splitlines() if line.startswith("STATE")]
    with closing(AheadFile(plan, log)) as ahead:
        for first in firsts:
            lines = hands[first : first + 100]
            nothing = np.zeros(len(lines))
            ahead.put(PlayedBlock(0, first, nothing, nothing, nothing, lines))
    with ahead.path.open("a") as file:
        file.write('{"section": 0, "fir')
    return ahead.path


@pytest.mark.parametrize(("cut", "aivat"), [(0, False), (130, True), (250, False), (390, False)])
def test_hands_ahead_are_taken_over_wherever_the_log_stops(
    tmp_path: Path, cut: int, aivat: bool
) -> None:
    """Blocks from hand 100 and from hand 300 are ahead; the log may have some of their hands."""
    plan = MatchPlan(LEDUC, ("random", "always-call"), 400, SEED, duplicate=False, aivat=aivat)
    log = tmp_path / "match.log"
    whole, text = run_match(plan, log, workers=1), log.read_text()
    ahead = leave_ahead(plan, log, 100, 300)
    log.write_text(text[: text.index("STATE:" + f"{cut}:")])
    again = run_match(plan, log, resume=True, workers=1)
    assert again.resumed == len({*range(cut), *range(100, 200), *range(300, 400)})
    assert log.read_text() == text
    for name in ("chips", "expected", "aivat"):
        assert np.array_equal(getattr(again, name), getattr(whole, name))
    assert not ahead.exists()


def test_what_another_match_left_ahead_is_refused(tmp_path: Path) -> None:
    plan = MatchPlan(LEDUC, ("random", "always-call"), 400, SEED, duplicate=False)
    log = tmp_path / "match.log"
    run_match(plan, log, workers=1)
    left = leave_ahead(plan, log, 100)
    log.unlink()
    others = {
        "hand 100 of section 1 is not this match's": MatchPlan(
            LEDUC, plan.agents, 400, 4, duplicate=False
        ),
        "a section has 150 hands, not 200": MatchPlan(
            LEDUC, plan.agents, 150, SEED, duplicate=False
        ),
    }
    for said, other in others.items():
        with pytest.raises(FileError, match=rf"line 1: .*{said}; without this file"):
            run_match(other, log, workers=1)
    left.write_text("nonsense\n")
    with pytest.raises(FileError, match=r"line 1: .*; without this file the match plays"):
        run_match(plan, log, workers=1)

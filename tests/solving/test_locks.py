"""Locks: what they fix, what the other player makes of it, and what is refused."""

from pathlib import Path

import numpy as np
import pytest

from endspiel.errors import BettingError, EndspielError, FileError, RangeError
from endspiel.solving.door import solve
from endspiel.solving.node_files import write_csv
from endspiel.solving.solution import SpotSolution
from endspiel.solving.spots import SpotOptions
from endspiel.solving.task import prepare
from tests.solving.spots import CLAIRVOYANT, RIVER, SYMMETRIC_TURN, TURN, spot


def locked(content: dict[str, object], *locks: str, iterations: int = 400) -> SpotSolution:
    return solve(spot(content), options=SpotOptions(locks=locks), iterations=iterations)


def test_the_other_player_exploits_a_lock() -> None:
    """Against calls at 40% bluffing pays, against calls at 60% it does not."""
    loose = locked(CLAIRVOYANT, "b100: f 40%, c 60%")
    tight = locked(CLAIRVOYANT, "b100: f 0.6 c 0.4")
    assert loose.strategy("b100", "AsAh") == pytest.approx({"f": 0.4, "c": 0.6})
    assert loose.strategy("", "4c3c,4h3h")["b100"] == pytest.approx(0, abs=1e-2)
    assert tight.strategy("", "4c3c,4h3h")["b100"] == pytest.approx(1, abs=1e-2)
    assert tight.ev("", "4c3c") == pytest.approx(0.6 * 100 - 0.4 * 100, abs=0.5)
    # The locked player cannot depart from the lock, so the locked game is solved all the same.
    assert max(loose.exploitability, tight.exploitability) < 1e-3


def test_locks_by_hands_and_what_never_gets_there() -> None:
    by_hand = "b100: random f 1, QQ JJ c 0.25 r340 75%, AQs c 1"
    solution = locked(RIVER, ": b100 1", by_hand, iterations=30)
    assert solution.strategy("", "TT")["b100"] == 1
    assert solution.strategy("b100", "JcJd")["r340"] == pytest.approx(0.75)
    assert solution.strategy("b100", "AcQc")["c"] == 1
    assert solution.strategy("b100", "T9s")["f"] == 1
    # Nobody checks, so nobody gets to the node; the lock is told there too.
    unseen = locked(RIVER, ": b100 1", "c b100: f 0.3 c 0.7", iterations=30)
    assert unseen.strategy("c b100", "TT")["f"] == pytest.approx(0.3)


def test_a_lock_on_one_board_only() -> None:
    solution = locked(SYMMETRIC_TURN, "c c / 3d: b75 1", iterations=20)
    assert not solution.symmetry  # clubs and diamonds differ now
    assert solution.strategy("c c / 3d", "AA")["b75"] == 1
    assert solution.strategy("c c / 3c", "AA")["b75"] != 1
    everywhere = locked(SYMMETRIC_TURN, "c c /: b75 1", iterations=20)
    assert everywhere.symmetry
    for card in ("3d", "3c", "Kd"):
        assert everywhere.strategy(f"c c / {card}", "AA")["b75"] == 1
    suited = locked(SYMMETRIC_TURN, ": random c 1, AcAd b75 1", iterations=5)
    assert not suited.symmetry
    assert suited.strategy("", "AcAd")["b75"] == 1
    assert suited.strategy("", "AcAs")["b75"] == 0


def test_an_exported_node_is_a_lock(tmp_path: Path) -> None:
    free = solve(spot(RIVER), iterations=100)
    write_csv(tmp_path / "node.csv", [free.view("b100")], False)
    fixed = locked(RIVER, f"b100 = {tmp_path / 'node.csv'}", iterations=10)
    assert np.allclose(fixed.view("b100").strategy, free.view("b100").strategy, atol=1e-6)


@pytest.mark.parametrize(
    ("lock", "message"),
    [
        ("b100", "is not of the form 'NODE: SPEC'"),
        ("b7: c 1", "no 'b7' at the start"),
        ("b100: b50 1", "no action 'b50' there: there are f, c, r340"),
        ("b100: c 0.5", "sum to 0.5, not to 1"),
        ("b100: c 2", "'c' needs a probability from 0 to 1 after it, not '2'"),
        ("b100: c", "'c' needs a probability from 0 to 1 after it, not ''"),
        ("b100: JJ c 1", "has no strategy; begin with 'random' to name all hands"),
        ("b100: JJ", "an action with its probability is missing"),
        ("b100:", "an action with its probability is missing"),
        ("b100: XX c 1", "'XX' at position 1"),
        ("b100 f: c 1", "no player decides after 'b100 f'"),
        ("b100 = missing.csv", "there is no file missing.csv"),
    ],
)
def test_bad_locks(lock: str, message: str) -> None:
    with pytest.raises((BettingError, RangeError, FileError)) as error:
        prepare(spot(RIVER), options=SpotOptions(locks=[lock]))
    assert message in str(error.value)
    assert "lock" in str(error.value)


def test_bad_lock_files(tmp_path: Path) -> None:
    path = tmp_path / "lock.csv"
    for text, message in (
        ("hand,f,c\nQQ,0,1\n", "has no column 'r340'"),
        ("hand,f,c,r340\nrandom,0,x,1\n", "line 2, c: a probability goes from 0 to 1, not 'x'"),
        ("hand,f,c,r340\nQQ,0,1,0\n", "has no strategy"),
        ("", "has no column 'hand'"),
    ):
        path.write_text(text)
        with pytest.raises(EndspielError) as error:
            prepare(spot(RIVER), options=SpotOptions(locks=[f"b100={path}"]))
        assert message in str(error.value)


def test_exact_methods_refuse_locks() -> None:
    with pytest.raises(EndspielError, match="lp takes no locks on a spot before the river: cfr"):
        prepare(spot(TURN), "lp", SpotOptions(locks=[": c 1"]))

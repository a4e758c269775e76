"""A decomposed run with packed regrets: its cost, and what is left of it when it is killed."""

import os
import signal
import sys
import traceback
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import endspiel as es
from endspiel import files
from endspiel.betting.limit import limit_tree
from endspiel.engine.limits import Limits
from endspiel.engine.run import RunTask, run
from endspiel.engine.schemes import SCHEMES, Answer, Scheme
from endspiel.errors import EndspielError, FileError, GameError
from endspiel.games.card_game import CardGame
from endspiel.games.card_tree import holdem_tree
from endspiel.kernels.packing import LARGEST
from endspiel.rules.builtin import load_rules
from endspiel.solvers.boards.backend import BoardBackend
from endspiel.solvers.boards.cfr import BoardCFR
from endspiel.solvers.boards.holdem import BlockCheckpoint
from endspiel.solvers.boards.subgames import AVERAGE, MOST_BITS_OF_AVERAGES, packed_scale
from endspiel.solvers.boards.trunk import Decomposition, TrunkCFR

CURRENT = SCHEMES["cfr+"].answering(Answer("current"))
BITS = 12
TASK = RunTask("nine cards", "thin", "cfr+")


@pytest.fixture(scope="module")
def game() -> CardGame:
    betting = limit_tree(replace(load_rules("limit-holdem"), max_raises=(0, 0, 1, 0)))
    return CardGame(betting, holdem_tree(3, 3), unit=10)


def test_fixed_point_costs_little(game: CardGame) -> None:
    """At most 0.1 mbb/g beside floats, and the words are far fewer than the floats."""
    floats, packed = BoardCFR(game, CURRENT), TrunkCFR(game, CURRENT, Decomposition(1, BITS))
    for solver in (floats, packed):
        solver.advance(60)
    cost = packed.exploitability() - floats.exploitability()
    assert 1000 * cost <= 0.1
    store = packed.backend.gathered()
    assert store.regret.any()
    assert not np.array_equal(store.regret, floats.store.regret)
    words = sum(a.nbytes for name, a in packed.state().items() if name.startswith("packed"))
    assert words < 0.25 * floats.store.regret.nbytes


def test_coarse_steps_cost_more(game: CardGame) -> None:
    coarse = TrunkCFR(game, CURRENT, Decomposition(1, -4))
    fine = TrunkCFR(game, CURRENT, Decomposition(1, BITS))
    for solver in (coarse, fine):
        solver.advance(40)
    assert coarse.exploitability() > fine.exploitability() + 1e-3


def checkpointed(game: CardGame, folder: Path, iterations: int) -> TrunkCFR:
    solver = TrunkCFR(game, CURRENT, Decomposition(1, BITS))
    limits = Limits(iterations=iterations)
    run(solver, lambda: 1.0, limits, BlockCheckpoint(folder, TASK, 0.0), every=100)
    return solver


def kill_at(game: CardGame, folder: Path, write: int) -> bool:
    """Go on with a run until just before, or in the middle of, a write; whether it was killed."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            seen, save = [0], files.save

            def deadly(*arguments: object) -> None:
                if seen[0] == write:
                    os.kill(os.getpid(), signal.SIGKILL)
                seen[0] += 1
                save(*arguments)  # type: ignore[arg-type]

            files.save = deadly  # type: ignore[assignment]
            checkpointed(game, folder, 3)
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, -signal.SIGKILL), f"exit status {status}"
    return status != 0


def test_a_run_that_is_killed_at_any_write_goes_on(game: CardGame, tmp_path: Path) -> None:
    """Each write of a version and of the manifest: what counts is always one whole version."""
    straight = TrunkCFR(game, CURRENT, Decomposition(1, BITS))
    straight.advance(4)
    checkpointed(game, tmp_path, 1)
    killed = 0
    for write in (0, 1, 10, 20, 21, 22, 30, 43):
        killed += kill_at(game, tmp_path, write)
        read = BlockCheckpoint(tmp_path, TASK).read()
        assert read is not None
        assert 1 <= read[0]["iteration"] <= 3
    assert killed > 4
    resumed = checkpointed(game, tmp_path, 4)
    assert resumed.iteration == 4
    assert np.array_equal(resumed.backend.gathered().regret, straight.backend.gathered().regret)


def test_blocks_that_do_not_belong_are_refused(game: CardGame, tmp_path: Path) -> None:
    solver, there = TrunkCFR(game, CURRENT, Decomposition(1, BITS)), BlockCheckpoint(tmp_path, TASK)
    for _ in range(2):
        solver.step()
        there.save(solver, [], 0.0)
    stale, block = tmp_path / "flop-3.0.es", tmp_path / "flop-3.1.es"
    with pytest.raises(FileError, match="checkpoint of another game"):
        BlockCheckpoint(tmp_path, replace(TASK, fingerprint="other")).load(solver)
    kept = block.read_bytes()
    block.write_bytes(stale.read_bytes())
    with pytest.raises(FileError, match="is of iteration 1, not 2"):
        there.read()
    block.write_bytes(kept[:-1] + bytes([kept[-1] ^ 1]))
    with pytest.raises(FileError, match="checksum"):
        there.read()
    block.unlink()
    with pytest.raises(FileError):
        there.read()


def test_packed_averages_go_on(game: CardGame) -> None:
    """Put down and taken up again, they are what they were to the bit; and gathered they are."""
    first, second = (TrunkCFR(game, SCHEMES["cfr+"], Decomposition(1, BITS)) for _ in range(2))
    first.advance(2)
    second.restore({name: np.array(array) for name, array in first.state().items()})
    for solver in (first, second):
        solver.advance(1)
    one, two = (solver.backend.gathered() for solver in (first, second))
    assert np.array_equal(one.average, two.average)
    assert np.array_equal(one.regret, two.regret)
    whole = BoardBackend(game)
    whole.store.average[:] = one.average
    for player in (0, 1):
        assert np.array_equal(whole.best_values(player), first.backend.best_values(player))


def test_bits_are_those_of_a_float(game: CardGame) -> None:
    with pytest.raises(GameError, match="-24 to 24 bits"):
        TrunkCFR(game, CURRENT, Decomposition(1, 99))


def test_whole_holdem_is_solved_in_parts(tmp_path: Path) -> None:
    """By the front door: packed, put down in a folder, and taken up again."""
    game = es.load_game("limit-holdem:ranks=3,suits=3,max_raises=0")
    assert isinstance(game, es.Holdem)
    how = {"answer": Answer("current"), "decompose": es.Decomposition(1, bits=BITS)}
    es.solve(game, iterations=3, checkpoint=tmp_path / "run", **how)
    resumed = es.solve(game, iterations=5, checkpoint=tmp_path / "run", **how)
    straight = es.solve(game, iterations=5, **how)
    assert resumed.exploitability == straight.exploitability
    assert (tmp_path / "run" / "manifest.es").exists()
    assert straight.strategy("", "4c4d") == resumed.strategy("", "4c4d")
    with pytest.raises(EndspielError, match="takes no workers"):
        es.solve(es.games.kuhn(), decompose=es.Decomposition(1))


def test_averages_leave_room_for_their_sums(game: CardGame) -> None:
    """More bits than a long average has room for are refused at once; so many last."""
    with pytest.raises(GameError, match="-24 to 14 bits where averages are packed too"):
        TrunkCFR(game, SCHEMES["cfr+"], Decomposition(1, 15))
    TrunkCFR(game, CURRENT, Decomposition(1, 24))
    assert 4096 * packed_scale(game.tree, 2, MOST_BITS_OF_AVERAGES, AVERAGE) <= LARGEST


@pytest.mark.parametrize("method", ["cfr+", "dcfr"])
def test_negative_regrets_are_stored_where_they_count(
    game: CardGame, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CFR+ forgets them at the next iteration: without them it learns the same, to the bit."""
    scheme = SCHEMES[method].answering(Answer("current"))

    def learned() -> np.ndarray:
        solver = TrunkCFR(game, scheme, Decomposition(1, BITS))
        solver.advance(4)
        return solver.backend.gathered().regret[len(solver.backend.regret) :]

    found = learned()
    monkeypatch.setattr(Scheme, "floors", False)
    whole = learned()
    assert whole.min() < 0
    assert np.array_equal(found, np.maximum(whole, 0) if method == "cfr+" else whole)

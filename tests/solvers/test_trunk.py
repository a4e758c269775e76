"""Whole hold'em decomposed: the same digits as the undivided solve, whoever does the work."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from endspiel.betting.limit import limit_tree
from endspiel.engine.schemes import SCHEMES, Answer
from endspiel.errors import GameError
from endspiel.executor import Executor
from endspiel.games.card_game import CardGame
from endspiel.games.card_tree import holdem_tree
from endspiel.rules.builtin import load_rules
from endspiel.solvers.boards.cfr import BoardCFR
from endspiel.solvers.boards.trunk import Decomposition, TrunkCFR
from tests.games.spots import menu_sizing, small_game

CFR_PLUS = SCHEMES["cfr+"]
CURRENT = CFR_PLUS.answering(Answer("current"))


@pytest.fixture(scope="module")
def game() -> CardGame:
    """A deck of nine cards, a bet on the flop and on the river."""
    betting = limit_tree(replace(load_rules("limit-holdem"), max_raises=(0, 1, 0, 1)))
    return CardGame(betting, holdem_tree(3, 3), unit=10)


@pytest.fixture(scope="module")
def whole(game: CardGame) -> BoardCFR:
    solver = BoardCFR(game, CFR_PLUS)
    solver.advance(4)
    return solver


@pytest.mark.parametrize("workers", [1, 2])
def test_regrets_are_the_undivided_ones_to_the_last_digit(
    game: CardGame, whole: BoardCFR, workers: int
) -> None:
    solver = TrunkCFR(game, CFR_PLUS, Decomposition(workers))
    try:
        solver.advance(4)
        assert len([name for name in solver.state() if "regret_" in name]) == 20 * 3
        found = solver.backend.gathered()
        assert np.array_equal(found.regret, whole.store.regret)
        assert np.array_equal(found.average, whole.store.average)
        assert whole.store.regret.any()
        for player in (0, 1):
            for values in ("best_values", "average_values"):
                one, two = (getattr(each.backend, values)(player) for each in (solver, whole))
                assert np.array_equal(one, two)
    finally:
        solver.backend.close()


def test_a_killed_worker_costs_one_iteration_and_no_digit(
    game: CardGame, whole: BoardCFR, tmp_path: Path
) -> None:
    """Killed after a half and after a whole iteration: regrets are read from what a disk kept."""
    solver = TrunkCFR(game, CFR_PLUS, Decomposition(2, folder=tmp_path))
    with closing(solver.backend):
        blocks = solver.backend.blocks
        step, at = blocks.step, iter(range(100))

        def deadly(messages: list[Any]) -> list[Any]:
            if next(at) in {3, 6}:
                blocks.workers._workers[1].process.kill()  # type: ignore[attr-defined]
            return step(messages)

        blocks.step = deadly  # type: ignore[assignment, method-assign]
        solver.advance(4)
        owned = len(blocks._owned(1))
        assert 0 < owned < game.tree.num_boards[1]
        assert blocks.repeated == (2 + 1) * owned  # half iterations of the flops that it had
        assert not list(tmp_path.iterdir())  # no names: a killed run leaves nothing behind
        kept = Path(blocks.workers._shelves[0].paths[0])  # type: ignore[attr-defined]
        assert kept.stat().st_dev == tmp_path.stat().st_dev
        found = solver.backend.gathered()
    assert np.array_equal(found.regret, whole.store.regret)
    assert np.array_equal(found.average, whole.store.average)


def test_current_strategies_go_on_from_a_state(game: CardGame) -> None:
    undivided = BoardCFR(game, CURRENT)
    undivided.advance(5)
    first, second = TrunkCFR(game, CURRENT), TrunkCFR(game, CURRENT)
    first.advance(2)
    state = {name: np.array(array) for name, array in first.state().items()}
    assert not any(name.startswith("average") for name in state)
    first.advance(1)  # goes its own way
    second.restore(state)
    second.advance(3)
    assert second.iteration == 5
    assert second.exploitability() == undivided.exploitability()
    assert np.array_equal(second.backend.gathered().regret, undivided.store.regret)


def test_what_does_not_begin_before_the_flop_is_not_decomposed() -> None:
    river = small_game("Qs Jh 2h 4c 9d", ("AKs,QQ", "JJ,55"), menu_sizing("50%"))
    with pytest.raises(GameError, match="whole hold'em is decomposed"):
        TrunkCFR(river, CFR_PLUS)


def test_memory_counts_what_is_kept_for_a_killed_worker() -> None:
    """Floats: in workers, twice kept, and gathered; alone in this process nobody can be lost."""
    assert Decomposition(1).stores(2) == 4
    assert Decomposition(4).stores(2) == Decomposition("ray").stores(2) == 8
    packed = Decomposition(2, bits=12)
    assert packed.stores(2, gathered=False) == 3 * (12 + 16) / 32
    assert packed.stores(1, gathered=False) == 3 * 12 / 32
    on_disk = packed._replace(folder=Path())
    assert on_disk.stores(2, gathered=False) == (12 + 16) / 32
    assert on_disk._replace(workers="ray").stores(2) == packed.stores(2)


@pytest.mark.parametrize("never", ["keep_every", "secure_every"])
def test_states_are_not_kept_every_no_iteration(game: CardGame, never: str) -> None:
    parts = Decomposition(1)._replace(**{never: 0})
    with pytest.raises(GameError, match="kept every 1 iteration or more, not 0"):
        TrunkCFR(game, CFR_PLUS, parts)


def test_states_come_home_as_often_as_is_asked(
    game: CardGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(Executor, "blocks", lambda self, *how: asked.append((how[2], how[3])))
    for parts in (Decomposition(1), Decomposition(1, keep_every=3, secure_every=1)):
        TrunkCFR(game, CFR_PLUS, parts)
    assert asked == [(2, 40), (6, 2)]  # halves of iterations

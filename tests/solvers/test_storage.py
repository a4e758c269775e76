"""Regrets and averages of 16 bits: solves of every kind, what is stored, and what it takes."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import endspiel as es
from endspiel.engine.limits import Limits
from endspiel.engine.schemes import SPOT_SCHEMES, Answer
from endspiel.errors import EndspielError
from endspiel.game import exploitability
from endspiel.games.card_game import CardGame
from endspiel.games.dense import dense_game
from endspiel.kernels.board_arrays import ShortSums
from endspiel.solvers.boards.backend import BoardBackend
from endspiel.solvers.boards.cfr import BoardCFR
from endspiel.solvers.boards.short_sums import short_rows, street_parts
from endspiel.solvers.boards.store import BoardStore, untile
from endspiel.solving.spots import SpotOptions, lay_out
from endspiel.solving.task import prepare
from tests.games.spots import menu_sizing, small_game

DCFR = SPOT_SCHEMES["dcfr"]
RIVER = {
    "board": "Qs Jh 2h 4c 8d",
    "pot": 200,
    "stack": 500,
    "ranges": ["QQ-99,AJs+,KQ,T9s,A5s", "JJ-66,KQ,AJ,A5s,87s"],
    "river": {"bet": "50%, a", "raise": "a"},
}
TURN = {
    **RIVER,
    "board": "Qs Jh 2h 4c",
    "turn": {"bet": "60%", "raise": "a"},
    "river": {"bet": "70%"},
}
FLOP = {**TURN, "board": "Qs Jh 2h", "ranges": ["QQ,AKs,T9s", "JJ,KQs,A5s"], "flop": {"bet": "50%"}}
SPOTS = {"river": RIVER, "turn": TURN, "flop": FLOP}


def spot(name: str, **more: Any) -> es.Spot:
    return es.parse_spot({**SPOTS[name], **more})


@pytest.mark.parametrize(
    ("name", "method", "iterations"),
    [
        *(("river", method, 150) for method in ("dcfr", "cfr+", "linear")),
        *(("turn", method, 100) for method in ("dcfr", "cfr+")),
        ("flop", "dcfr", 30),
    ],
)
def test_half_the_memory_takes_as_many_iterations(name: str, method: str, iterations: int) -> None:
    long, short = (es.solve(spot(name), method, storage=b, iterations=iterations) for b in (32, 16))
    assert short.boards.storage == 16
    assert short.exploitability <= 1.35 * long.exploitability + 2e-5
    assert short.value == pytest.approx(long.value, abs=2e-3)


def test_exploitability_is_of_what_is_stored() -> None:
    game = small_game("Qs Jh 2h 4c", ("AhKh,QQ:0.5,T9s", "JJ,AhTh:0.7"), menu_sizing("50%", "a"))
    solve = BoardCFR(game, DCFR, storage=16)
    solve.advance(9)
    truth = exploitability(dense_game(game), solve.backend.strategy().profile())
    assert solve.exploitability() == pytest.approx(truth.mean, abs=1e-5)
    assert solve.value() == pytest.approx(truth.value, abs=1e-5)


def test_an_average_is_that_of_floats_beside_it() -> None:
    """The sums grow in place of being discounted: a weight of 32 bits says by how much."""
    game = small_game("Qs Jh 2h 4c Kd", ("22+,AK", "55+,AQ"), menu_sizing("50%", "a"))
    long, short = (BoardCFR(game, DCFR, storage=b) for b in (32, 16))
    for _ in range(3):
        long.advance(1)
        short.advance(1)
    for player in (0, 1):
        grown = short.store.grown[player]
        rows = short.store.read(short.store.average, 0, 0, player) / grown
        floats = long.store.read(long.store.average, 0, 0, player)
        assert np.abs(rows - floats).max() < 2e-3 * floats.max()


def test_weights_that_have_grown_are_made_smaller() -> None:
    game = small_game("Qs Jh 2h 4c Kd", ("22+,AK", "55+,AQ"), menu_sizing("50%", "a"))
    solve = BoardCFR(game, DCFR, storage=16)
    solve.advance(20)
    store = solve.store
    behavior, rows = store.behavior(0, 0, 0), store.read(store.average, 0, 0, 0)
    assert isinstance(store.average, ShortSums)
    for player in (0, 1):
        store.grown[player] *= 2.0**50
        powers = street_parts(game, store.average, 0, player)[1]
        powers += 50
    solve.advance(0)
    store.pace(0, np.zeros((0, 7)))
    assert store.grown[0] < 2
    assert np.array_equal(store.behavior(0, 0, 0), behavior)
    assert store.read(store.average, 0, 0, 0).max() < 2 * rows.max()


def test_threads_give_the_same_again() -> None:
    found = []
    for _ in range(2):
        task = prepare(spot("turn"), "dcfr", SpotOptions(threads=2, storage=16))
        found.append(task.run(Limits(iterations=20)).boards.average)
    for one, two in zip(*found, strict=True):
        assert np.array_equal(one, two)


def test_padding_stays_zero() -> None:
    """It is left from other boards, and must not decide how the hands beside it are rounded."""
    solve = BoardCFR(prepare(spot("turn"), "dcfr").game, DCFR, storage=16)
    solve.advance(6)
    game, store = solve.game, solve.store
    for street, boards in enumerate(game.tree.streets):
        for b, board in enumerate(boards):
            for player in (0, 1):
                for sums in (store.regret, store.average):
                    rows = untile(short_rows(game, sums, street, b, player))
                    assert not rows[:, len(board.hands[player]) :].any()


def test_a_run_goes_on_as_if_it_had_not_stopped(tmp_path: Path) -> None:
    file = tmp_path / "run"
    for iterations in (13, 31):
        resumed = es.solve(spot("turn"), storage=16, iterations=iterations, checkpoint=file)
    straight = es.solve(spot("turn"), storage=16, iterations=31)
    for one, two in zip(resumed.boards.average, straight.boards.average, strict=True):
        assert np.array_equal(one, two)
    with pytest.raises(EndspielError, match="storage"):
        es.solve(spot("turn"), storage=32, iterations=40, checkpoint=file)


@pytest.mark.parametrize("lock", ["random f 0.25, c 0.75", "random c 1, JJ f 0.3 c 0.7"])
def test_locks_hold(lock: str) -> None:
    options = SpotOptions(locks=[f"b100: {lock}"], storage=16)
    short = es.solve(spot("river"), options=options, iterations=400)
    long = es.solve(spot("river"), options=replace(options, storage=32), iterations=100)
    for hand in ("JdJs", "KdQd"):
        played = short.strategy("b100", hand)
        assert played == pytest.approx(long.strategy("b100", hand), abs=1e-6)
    assert short.exploitability < 2e-4


def test_rake_is_paid() -> None:
    long, short = (
        es.solve(spot("river", rake="5%", rake_cap=20), storage=b, iterations=200) for b in (32, 16)
    )
    assert short.rake == pytest.approx(long.rake, rel=5e-3)


def test_the_best_average_of_deep_stakes_comes_back() -> None:
    found = es.solve(spot("river"), "cubic", storage=16, iterations=60)
    assert found.boards.exploitability() == pytest.approx(found.exploitability, abs=1e-6)


def test_current_strategies_need_no_average() -> None:
    game = small_game("Qs Jh 2h 4c Kd", ("22+,AK", "55+,AQ"), menu_sizing("50%", "a"))
    solve = BoardCFR(game, SPOT_SCHEMES["cfr+"].answering(Answer("current")), storage=16)
    solve.advance(100)
    assert solve.store.is_current
    assert solve.exploitability() < 0.2


def test_a_gadget_is_solved_in_half_the_memory() -> None:
    """Halves by themselves, with changing reaches at the root: what gadgets ask of a backend."""
    game = small_game("Qs Jh 2h 4c Kd", ("22+,AK", "55+,AQ"), menu_sizing("50%", "a"))
    backends = [BoardBackend(game, storage=b) for b in (32, 16)]
    for t in range(1, 60):
        for backend in backends:
            for player in (1, 0):
                backend.set_root(1, np.full(len(backend.root(1)), 0.5 + 0.5 / t))
                backend.learn(player, DCFR.at(t))
    long, short = (backend.best_values(0) for backend in backends)
    assert np.abs(long - short).max() < 0.02 * np.abs(long).max()


def counted(game: CardGame, storage: int) -> int:
    """Bytes of what a solve allocates: stored, in flight, and the game's arrays."""
    backend = BoardBackend(game, storage=storage)
    arrays = [*backend.store.state().values(), backend._work, backend._values]
    tables = [*game.tables, backend.tables.root]
    cards = [array for street in game.cards for owner in (street, *street.sides) for array in owner]
    hands = [hands for boards in game.tree.streets for board in boards for hands in board.hands]
    everything = (*arrays, *tables, *cards, *hands)
    return sum(array.nbytes for array in everything if isinstance(array, np.ndarray))


@pytest.mark.parametrize("storage", [16, 32])
@pytest.mark.parametrize("name", ["river_a.toml", "turn.toml"])
def test_what_a_solve_takes_is_known_before(name: str, storage: int) -> None:
    found = es.load_spot(Path(__file__).parents[1] / "data" / "spots" / name)
    task = prepare(found, "dcfr", SpotOptions(storage=storage))
    taken = counted(task.game, storage)
    assert taken <= task.memory_bytes <= 1.05 * taken


def test_sixteen_bits_are_half() -> None:
    game = prepare(spot("turn"), "dcfr").game
    stored = [sum(array.nbytes for array in BoardStore(game, b).state().values()) for b in (32, 16)]
    assert stored[1] < 0.53 * stored[0]


def test_memory_decides_where_no_number_is_given() -> None:
    needed = [prepare(spot("turn"), "dcfr", SpotOptions(storage=b)).memory_bytes for b in (32, 16)]
    between = SpotOptions(memory=(needed[0] + needed[1]) // 2)
    task = lay_out(spot("turn"), "dcfr", between)
    assert (task.storage, task.memory_bytes) == (16, needed[1])
    assert "in 32 this spot needs" in task.why_short
    assert task.run(Limits(iterations=2)).boards.storage == 16
    with pytest.raises(EndspielError, match="are allowed"):
        lay_out(spot("turn"), "dcfr", replace(between, storage=32))
    plenty = lay_out(spot("turn"), "dcfr", SpotOptions(memory=needed[0]))
    assert (plenty.storage, plenty.why_short) == (32, "")


@pytest.mark.parametrize(
    ("method", "options", "device", "message"),
    [
        ("lp", {"storage": 16}, "cpu", "lp takes no storage"),
        ("egt", {"storage": 16}, "cpu", "egt takes no storage"),
        ("dcfr", {"storage": 8}, "cpu", "storage is 16 or 32 bits, not 8"),
    ],
)
def test_storage_is_refused_in_a_sentence(
    method: str, options: dict[str, Any], device: str, message: str
) -> None:
    with pytest.raises(EndspielError, match=message):
        es.solve(spot("river"), method, options=SpotOptions(**options), device=device, iterations=1)


def test_a_gpu_stores_32_bits() -> None:
    with pytest.raises(EndspielError, match="16 bits are stored on the processors alone"):
        lay_out(spot("river"), "dcfr", SpotOptions(storage=16), device="cuda")


def test_small_games_take_no_storage() -> None:
    with pytest.raises(EndspielError, match="takes no storage"):
        es.solve(es.games.kuhn(), options=SpotOptions(storage=16))


def test_rows_read_back_as_behavior() -> None:
    game = small_game("Qs Jh 2h 4c Kd", ("22+,AK", "55+,AQ"), menu_sizing("50%", "a"))
    solve = BoardCFR(game, DCFR, storage=16)
    solve.advance(30)
    assert isinstance(solve.store.average, ShortSums)
    rows = short_rows(game, solve.store.average, 0, 0, 0)
    assert (rows >= 0).all()
    behavior = solve.store.behavior(0, 0, 0)
    for own in game.streets[0].own(0):
        assert behavior[own.rows].sum(axis=0) == pytest.approx(1)

"""Spots solved in one batch against each alone on the processors."""

from collections.abc import Sequence
from pathlib import Path
from sys import getswitchinterval
from threading import Event, active_count
from typing import Any

import numpy as np
import pytest

import endspiel as es
from endspiel.batch import together
from endspiel.batch.planning import SpotMethod
from endspiel.batch.report import report_row, root_row
from endspiel.batch.spot_jobs import SpotJob, SpotOutcome, SpotStart
from endspiel.batch.together import SpotsTogether
from endspiel.engine.limits import Limits
from endspiel.engine.schemes import SPOT_SCHEMES
from endspiel.errors import EndspielError
from endspiel.games.card_game import CardGame
from endspiel.games.spot import Spot, parse_spot
from endspiel.gpu import backend
from endspiel.gpu.backend import Maker, StreamBatch, numpy_machine
from endspiel.gpu.layout import game_bytes, lay_out
from endspiel.gpu.twin import Twin
from endspiel.solvers.boards.strategy import BoardStrategy
from endspiel.solving.spots import SpotOptions
from endspiel.solving.streams import Together, check_room, run_alone
from endspiel.solving.task import prepare
from tests.children import PATIENCE
from tests.games.spots import menu_sizing, small_game
from tests.gpu.test_backend import TURN, mixed_rivers

DCFR = SPOT_SCHEMES["dcfr"]


def spot(board: str = "Qs Jh 2h 4c 8d", stack: int = 300, bet: str = "50%, a") -> Spot:
    ranges = ["QQ,AJs,T9s:0.5", "JJ,KQo,A5s"]
    streets = {name: {"bet": bet, "raise": "a"} for name in ("turn", "river")}
    return parse_spot({"board": board, "pot": 200, "stack": stack, "ranges": ranges, **streets})


def solved(
    spots: list[Spot], room: int, maker: Maker = numpy_machine, **limits: float
) -> list[SpotOutcome]:
    backend = SpotsTogether(maker, lambda: room, workers=2)
    how = SpotMethod(None, SpotOptions(), Limits(**limits))
    start = SpotStart(how, lambda solution: solution.exploitability)
    jobs = (SpotJob(number, one, 0) for number, one in enumerate(spots))
    return sorted(backend.solve(jobs, start), key=lambda one: one.number)


def test_every_spot_of_a_batch_is_solved_to_its_target() -> None:
    spots = [spot(), spot("Qs Jh 2h 4c 9d"), spot(stack=150), spot(bet="a")]
    outcomes = solved(spots, 10**9, target_units=0.004)
    assert [one.number for one in outcomes] == [0, 1, 2, 3]
    for one in outcomes:
        assert one.error is None
        assert 0 <= one.found <= 0.004


def test_a_batch_that_does_not_fit_is_solved_in_parts_and_one_too_large_is_refused() -> None:
    small, large = spot(), spot("Qs Jh 2h 4c")
    room = int(2.5 * game_bytes(prepare(small).game) / 0.8)
    outcomes = solved([small, large, small, small, small, small], room, iterations=20)
    assert [one.error is None for one in outcomes] == [True, False, True, True, True, True]
    assert "on the GPU needs" in str(outcomes[1].error)
    assert len({one.found for one in outcomes if one.error is None}) == 1


def test_a_batch_is_no_larger_than_keeps_a_gpu_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def counted(games: Sequence[CardGame]) -> Twin:
        sizes.append(len(games))
        return numpy_machine(games)

    monkeypatch.setattr(together, "BUSY", 2)
    outcomes = solved([spot()] * 5, 10**9, counted, iterations=2)
    assert [one.number for one in outcomes] == [0, 1, 2, 3, 4]
    assert not any(one.error for one in outcomes)
    assert sizes == [2, 2, 1]


def test_the_next_batch_is_set_up_while_one_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    second, run = Event(), Together.run
    made: list[int] = []

    def counted(games: Sequence[CardGame]) -> Twin:
        made.append(len(games))
        if len(made) == 2:
            second.set()
        return numpy_machine(games)

    def waiting(self: Together, *finish: Any) -> None:
        assert second.wait(PATIENCE), "nothing is set up"
        run(self, *finish)

    monkeypatch.setattr(together, "BUSY", 1)
    monkeypatch.setattr(Together, "run", waiting)
    outcomes = solved([spot()] * 2, 10**9, counted, iterations=2)
    assert [one.error for one in outcomes] == [None, None]


def test_a_batch_that_is_closed_ends_and_leaves_nothing_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(together, "BUSY", 1)
    before = active_count(), getswitchinterval()
    how = SpotMethod(None, SpotOptions(), Limits(iterations=5))
    jobs = (SpotJob(number, spot(), 0) for number in range(12))
    solving = SpotsTogether(numpy_machine, lambda: 10**9).solve(
        jobs, SpotStart(how, lambda solution: solution.exploitability)
    )
    assert next(solving).error is None
    solving.close()
    assert (active_count(), getswitchinterval()) == before
    assert next(jobs, None) is not None


def test_batches_that_do_not_fit_side_by_side_are_set_up_in_turn() -> None:
    held = [0, 0]  # machines now, and at most

    class Counted(Twin):
        def close(self) -> None:
            held[0] -= 1
            super().close()

    def maker(games: Sequence[CardGame]) -> Twin:
        held[0] += 1
        held[1] = max(held)
        return Counted(lay_out(games, lambda shape, street: 13))

    room = int(1.5 * game_bytes(prepare(spot()).game) / 0.8)
    outcomes = solved([spot()] * 3, room, maker, iterations=2)
    assert [one.error for one in outcomes] == [None] * 3
    assert held == [0, 1]


@pytest.mark.parametrize("board", ["Qs Jh 2h 4c 8d", "Qs Jh 2h 4c"])
def test_a_report_of_the_root_needs_no_boards_below(board: str) -> None:
    """The same row as that of the whole solution, however it is made."""
    how = SpotMethod(None, SpotOptions(), Limits(iterations=20))
    rows = []
    for finish_root in (None, root_row):
        backend = SpotsTogether(numpy_machine, lambda: 10**9)
        start = SpotStart(how, report_row, finish_root)
        (outcome,) = backend.solve(iter([SpotJob(0, spot(board), 0)]), start)
        assert outcome.error is None
        rows.append(outcome.found)
    whole, root = rows
    assert whole.keys() == root.keys()
    for name in ("frequencies", "evs", "equities", "eqrs", "pairs", "reach", "exploitability"):
        assert root[name] == pytest.approx(whole[name], rel=1e-4, abs=1e-4), name
    for name in ("player", "pot", "iterations", "stopped"):
        assert root[name] == whole[name]


def test_a_solution_says_what_the_processors_say() -> None:
    task = prepare(spot("Qs Jh 2h 4c"), "dcfr")
    ours = run_alone(task, Limits(iterations=12), numpy_machine)
    alone = task.run(Limits(iterations=12))
    assert ours.iterations == alone.iterations == 12
    assert ours.value == pytest.approx(alone.value, abs=5e-3)
    assert max(ours.exploitability, alone.exploitability) < 0.2
    assert ours.boards.exploitability() == pytest.approx(ours.exploitability, abs=1e-5)
    assert ours.boards.value() == pytest.approx(ours.value, abs=1e-5)
    node = "c c / 8d"
    one, two = (each.strategy(node, "QhQd") for each in (ours, alone))
    assert one.keys() == two.keys()
    assert sum(one.values()) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("symmetry", [False, True])
def test_averages_are_copied_hand_by_hand(symmetry: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    ranges = ("AKs,QQ:0.5", "JJ,KTs")
    games = [small_game(TURN, ranges, menu_sizing("50%"), symmetry=symmetry), mixed_rivers()[0]]
    monkeypatch.setattr(backend, "COPIED", 7)
    batch = StreamBatch(games)
    batch.iterate([DCFR.at(t) for t in range(1, 4)])
    for number, game in enumerate(games):
        found = BoardStrategy.made(game)
        batch.copy_averages(number, game, found.average)
        assert found.exploitability() == pytest.approx(batch.exploitability()[number], abs=1e-5)


def test_locks_are_kept() -> None:
    options = SpotOptions(locks=("c b100: f 0.25, c 0.5, r300 0.25",))
    task = prepare(spot(), "dcfr", options)
    run = run_alone(task, Limits(iterations=30), numpy_machine)
    found = run.strategy("c b100", "QhQd")
    assert found == pytest.approx({"f": 0.25, "c": 0.5, "r300": 0.25})
    alone = task.run(Limits(iterations=30))
    assert run.exploitability == pytest.approx(alone.exploitability, abs=0.01)


def test_schemes_that_get_worse_again_keep_their_best() -> None:
    run = run_alone(prepare(spot(), "cubic"), Limits(iterations=40), numpy_machine)
    assert run.exploitability == min(point.exploitability for point in run.trace)
    assert run.boards.exploitability() == pytest.approx(run.exploitability, abs=1e-5)


def test_a_solve_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    task, path = prepare(spot(), "dcfr"), tmp_path / "run"
    whole = run_alone(task, Limits(iterations=40), numpy_machine)
    run_alone(task, Limits(iterations=25, checkpoint=path), numpy_machine)
    rest = run_alone(task, Limits(iterations=40, checkpoint=path), numpy_machine)
    assert rest.iterations == 40
    assert rest.exploitability == pytest.approx(whole.exploitability, abs=1e-7)


def test_what_cannot_run_there_is_refused() -> None:
    with pytest.raises(EndspielError, match="there are cpu, cuda"):
        es.solve(spot(), device="abacus")
    with pytest.raises(
        EndspielError, match="a small game takes no device but the cpu: whole hold'em, a spot"
    ):
        es.solve(es.games.kuhn(), device="cuda")
    with pytest.raises(EndspielError, match="egt takes no device but the cpu on a river: cfr, "):
        check_room(prepare(spot(), "egt"), 10**12)
    with pytest.raises(EndspielError, match=r"needs .* are free there"):
        check_room(prepare(spot(), "dcfr"), 1000)
    assert np.isfinite(es.solve(spot(), device="cpu", iterations=5).exploitability)

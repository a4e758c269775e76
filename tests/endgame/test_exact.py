"""River endgames by linear programming: against HiGHS, on random endgames, and on the clock."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from endspiel.cards.text import parse_board
from endspiel.endgame.river import exact
from endspiel.endgame.river.exact import RiverOptions, build_river, solve_river
from endspiel.endgame.river.river import River
from endspiel.engine import limits, run
from endspiel.errors import BettingError, CardError, GameError
from endspiel.game import Profile, exploitability
from endspiel.solvers.boards.cfr import BoardCFR
from endspiel.solvers.firstorder.cfr import CFR
from endspiel.solvers.lp import Options, interior, solve
from endspiel.solvers.lp.interior import InteriorSolver
from endspiel.solvers.lp.public_tree import public_tree
from tests.endgame.rivers import random_river

SMALL = RiverOptions(budget=500)


@pytest.mark.parametrize("seed", range(8))
def test_the_value_is_highs(seed: int) -> None:
    river = random_river(seed)
    found = solve_river(river, SMALL)
    plain = solve(build_river(river, SMALL).game, Options(shortlist=False))
    assert found.method == "lp"
    assert found.exploitability <= 1e-9
    assert found.value == pytest.approx(plain.value, abs=1e-9)


def test_random_endgames_are_solved_exactly() -> None:
    for seed in range(100, 120):
        found = solve_river(random_river(seed), SMALL)
        assert found.exploitability <= 1e-6, seed


@pytest.mark.slow
def test_a_thousand_endgames_are_solved_exactly() -> None:
    for seed in range(1000):
        found = solve_river(random_river(seed), RiverOptions(budget=1500))
        assert found.exploitability <= 1e-9, seed
        assert found.method == "lp", seed


def test_iterations_over_all_hands_know_their_gap() -> None:
    river = random_river(21)
    found = solve_river(river, RiverOptions("dcfr", budget=None, target=1e-3))
    assert found.exploitability <= 1e-3
    again = exploitability(found.game.game, found.profile)
    assert again.mean == pytest.approx(found.exploitability, abs=1e-5)
    assert again.value == pytest.approx(found.value, abs=1e-5)


def test_unabstracted_programs_are_exact() -> None:
    rng = np.random.default_rng(5)
    ranges = (rng.uniform(size=(2, 1326)) < 0.02) * rng.uniform(size=(2, 1326))
    river = River.of(parse_board("Jc 6s 2c Kd Qc"), 100, 150, ranges)
    found = solve_river(river, RiverOptions(budget=None))
    assert found.method == "lp"
    assert found.game.buckets[0].count == np.count_nonzero(river.ranges[0])


def test_probabilities_are_by_hand() -> None:
    river = random_river(2)
    found = solve_river(river, SMALL)
    rows = found.probabilities("")
    live = river.strengths > 0
    assert rows.shape == (len(found.actions("")), 1326)
    np.testing.assert_allclose(rows[:, live].sum(axis=0), 1, atol=1e-12)
    assert not rows[:, ~live].any()
    hand = [card for card in range(52) if card not in river.board][:2]
    assert found.probabilities("c", hand).sum() == pytest.approx(1)
    with pytest.raises(CardError, match="card of the board"):
        found.probabilities("", (river.board[0], hand[0]))
    with pytest.raises(BettingError, match="no player decides"):
        found.probabilities("c c")


def test_without_chips_behind_there_is_only_a_showdown() -> None:
    river = random_river(2)
    bare = River.of(river.board, river.pot, 0, river.ranges)
    found = solve_river(bare)
    assert found.method == "lp"
    assert found.exploitability == 0
    game = build_river(bare, RiverOptions())
    assert found.value == pytest.approx(game.advantage.sum() / 2)


class Clock:
    """A clock that stands still but where the work says how long it takes."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def slow(self, work: Callable[..., Any], seconds: float) -> Callable[..., Any]:
        """The same work, taking so long; once for each iteration where a number is given."""

        def timed(solver: Any, given: Any) -> Any:
            self.now += seconds * (given if isinstance(given, int) else 1)
            return work(solver, given)

        return timed


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """A clock on which an iteration takes 1 ms and a step of the linear program 10 s."""
    fake = Clock()
    for module in (exact, interior, limits, run):
        monkeypatch.setattr(module, "perf_counter", fake)
    monkeypatch.setattr(CFR, "advance", fake.slow(CFR.advance, 0.001))
    monkeypatch.setattr(BoardCFR, "advance", fake.slow(BoardCFR.advance, 0.001))
    monkeypatch.setattr(InteriorSolver, "_step", fake.slow(InteriorSolver._step, 10.0))
    return fake


@pytest.mark.parametrize("options", [RiverOptions(), RiverOptions("dcfr", budget=None, target=0)])
def test_without_time_one_iteration_answers(options: RiverOptions, clock: Clock) -> None:
    found = solve_river(random_river(2), replace(options, seconds=0.0))
    assert found.method == "dcfr"
    assert found.iterations == 1
    gap = exploitability(found.game.game, found.profile).mean
    assert gap == pytest.approx(found.exploitability, abs=1e-5)


@pytest.mark.parametrize("options", [SMALL, RiverOptions("dcfr", budget=None, target=0)])
@pytest.mark.parametrize("seconds", [0.02, 0.1, 0.5])
def test_iterations_stop_before_the_deadline(
    options: RiverOptions, seconds: float, clock: Clock
) -> None:
    found = solve_river(random_river(2), replace(options, seconds=seconds))
    assert found.method == "dcfr"
    assert found.seconds <= seconds
    assert found.iterations >= 1000 * (seconds - 0.014)  # all but what is kept for the end


@pytest.mark.parametrize(("seconds", "steps"), [(2.0, 1), (14.0, 1), (26.0, 2), (38.0, 3)])
def test_steps_that_would_end_late_are_not_begun(seconds: float, steps: int, clock: Clock) -> None:
    """The first step's time is an estimate, of much less than 10 s; the others' the last one's."""
    taken: list[int] = []

    def observe(step: int, gap: float) -> bool:
        taken.append(step)
        return False

    found = solve_river(random_river(2), replace(SMALL, seconds=seconds, observe=observe))
    assert taken == list(range(1, steps + 1))
    assert found.seconds == pytest.approx(1.5 + 10 * steps)


@pytest.mark.parametrize("seed", [2, 6])
def test_scouting_is_counted_apart(seed: int) -> None:
    """Iterations of a program are its steps; those of CFR before it have a number of their own."""
    taken: list[int] = []

    def observe(step: int, gap: float) -> bool:
        taken.append(step)
        return False

    found = solve_river(random_river(seed), replace(SMALL, observe=observe))
    assert (found.method, found.scouting_iterations) == ("lp", exact.SCOUTING)
    assert found.iterations == taken[-1] == len(taken) < 100
    scouted = solve_river(random_river(seed), RiverOptions("dcfr", budget=500, target=1e-3))
    assert scouted.scouting_iterations == 0 < scouted.iterations


def test_a_program_that_is_stopped_is_called_so() -> None:
    """The best of its steps is no solution, and it is not what scouting found."""
    gaps: list[float] = []

    def observe(step: int, gap: float) -> bool:
        gaps.append(gap)
        return gap < gaps[0]

    found = solve_river(random_river(2), replace(SMALL, observe=observe))
    assert exact.CERTIFIED < found.exploitability == pytest.approx(gaps[-1])
    assert (found.method, found.iterations) == (exact.UNFINISHED, len(gaps))
    assert found.scouting_iterations == exact.SCOUTING
    first = solve_river(random_river(2), replace(SMALL, observe=lambda step, gap: True))
    assert first.exploitability == pytest.approx(gaps[0])
    assert (first.method, first.iterations) == ("dcfr", exact.SCOUTING)
    assert first.scouting_iterations == 0


def test_no_start_is_made_where_no_step_would_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """With all hands a start takes half a second, which the deadline does not have."""
    game, steps = build_river(random_river(2), SMALL), []
    monkeypatch.setattr(InteriorSolver, "_start", lambda *given: steps.append("start"))
    tree = public_tree(game.tree, game.street, (game.buckets[0].count, game.buckets[1].count))
    program = InteriorSolver(game.game, game.street, tree, np.stack([game.joint, game.advantage]))
    found = program.solve(Profile.uniform(game.game), exact.EXACT_GAP, 0.0)
    assert (found.stopped, found.steps, steps) == ("time", 0, [])


def test_unknown_methods_are_named() -> None:
    with pytest.raises(GameError, match="'simplex'"):
        RiverOptions("simplex")

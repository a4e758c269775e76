"""Limits: what ends a run, and what is said of limits that there are not."""

import pytest

import endspiel as es
from endspiel.engine.limits import Limits, TracePoint, limits_of
from endspiel.engine.run import LEAST_ITERATIONS, run
from endspiel.games.spot import parse_spot
from tests.solving.spots import RIVER


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ({"taget": 3}, " (did you mean target?)"),
        ({"iteration": 3}, " (did you mean iterations?)"),
        ({"second": 3}, " (did you mean seconds?)"),
        ({"target_units": 3}, " (did you mean target?)"),
        ({"volume": 11}, ""),
    ],
)
@pytest.mark.parametrize("solved", ["game", "spot"])
def test_a_misspelled_limit_gets_one_sentence(
    given: dict[str, float], hint: str, solved: str
) -> None:
    game = es.games.kuhn() if solved == "game" else parse_spot(RIVER)
    name = next(iter(given))
    with pytest.raises(es.EndspielError) as caught:
        es.solve(game, **given)
    assert str(caught.value) == (
        f"a solve has no limit {name!r}{hint}: limits are target, iterations, seconds, observe, "
        "checkpoint, checkpoint_seconds, halt, keep_on_interrupt"
    )


@pytest.mark.parametrize("name", ["target", "iterations", "seconds"])
@pytest.mark.parametrize("wrong", [-1, float("nan"), "many"])
def test_a_wrong_limit_gets_one_sentence(name: str, wrong: object) -> None:
    with pytest.raises(es.EndspielError) as caught:
        es.solve(es.games.kuhn(), **{name: wrong})
    assert str(caught.value) == f"{name} must be a number from 0 on, not {wrong}"


def test_names_take_the_place_of_limits_given_together() -> None:
    limits = limits_of(Limits(0.5, 10), {"target": 0.25, "seconds": 3.0})
    assert (limits.target_units, limits.iterations, limits.seconds) == (0.25, 10, 3.0)


class Counter:
    """A solver that only counts."""

    def __init__(self) -> None:
        self.iteration = 0

    def step(self) -> None:
        self.iteration += 1

    def state(self) -> dict[str, object]:
        return {}

    def restore(self, arrays: dict[str, object]) -> None:
        raise AssertionError


def test_measurements_may_come_every_so_many_iterations() -> None:
    seen: list[TracePoint] = []
    solver = Counter()
    trace, why = run(solver, lambda: 1.0, Limits(iterations=60, observe=seen.append), every=25)
    assert [point.iteration for point in trace] == [25, 50, 60]
    assert (trace, why) == (seen, "iterations")


class Clock:
    """A clock that only work moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of runs and limits."""
    made = Clock()
    for module in ("endspiel.engine.run", "endspiel.engine.limits"):
        monkeypatch.setattr(f"{module}.perf_counter", made)
    return made


class Loading:
    """A solver whose first iterations load code, by a clock of its own."""

    def __init__(self, clock: Clock, first: float) -> None:
        self.clock, self.first, self.iteration = clock, first, 0

    def step(self) -> None:
        self.clock.now += self.first if self.iteration < 3 else 0.01
        self.iteration += 1


def test_a_deadline_leaves_time_for_a_measurement_and_one_iteration_is_made(clock: Clock) -> None:
    def measure() -> float:
        clock.now += 0.06
        return 1.0

    solver, deadline = Loading(clock, 0.01), clock.now + 1.0
    assert run(solver, measure, Limits(deadline_seconds=deadline), every=20)[1] == "deadline"
    assert deadline - 0.1 <= clock.now <= deadline
    late = Counter()
    assert run(late, measure, Limits(deadline_seconds=deadline - 10))[1] == "deadline"
    assert late.iteration == 1


@pytest.mark.parametrize("first", [0.01, 0.2, 0.9])
def test_slow_first_iterations_do_not_end_a_run_early(clock: Clock, first: float) -> None:
    solver, deadline = Loading(clock, first), clock.now + 4.0
    trace, why = run(solver, lambda: 1.0, Limits(deadline_seconds=deadline), every=25)
    assert why == "deadline"
    assert deadline - 0.1 <= clock.now <= deadline
    assert trace[-1].iteration == solver.iteration


def test_a_least_number_of_iterations_is_made_while_time_is_left(clock: Clock) -> None:
    solver = Loading(clock, 0.3)
    run(solver, lambda: 1.0, Limits(deadline_seconds=clock.now + 1.1), every=25)
    assert solver.iteration == LEAST_ITERATIONS  # after 1.07 s


def test_a_run_without_an_end_is_refused() -> None:
    with pytest.raises(es.EndspielError, match=r"^a solve needs a target, a number of iterations"):
        run(Counter(), lambda: 1.0, Limits())

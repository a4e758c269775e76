"""Stakes of many pots: the scheme that forgets is taken, and what is out of reach is told."""

from pathlib import Path

import pytest

from endspiel.engine.limits import Limits, TracePoint
from endspiel.engine.schemes import CUBIC, SPOT_SCHEMES, Scheme
from endspiel.games.spot import Spot, load_spot
from endspiel.solvers.boards.cfr import KeepingBoardCFR
from endspiel.solving.door import solve
from endspiel.solving.forecast import seconds_left
from endspiel.solving.spots import default_method
from endspiel.solving.task import prepare
from tests.cli.commands import runner
from tests.hostile.surroundings import only_sentence

TOML = """
board = "{board}"
pot = 2
stack = {stack}
ranges = ["AA,KK,AK", "AA,QQ,T9s"]
{menus}
"""
MENU = '[{street}]\nbet = "100%"\nraise = "2.0x"\n'
RIVER = "Qs Jh 2h 4c 7d"


@pytest.fixture
def spot(tmp_path: Path):  # type: ignore[no-untyped-def]
    def make(stack: int, board: str = RIVER, more: str = "") -> Spot:
        streets = ("river",) if board == RIVER else ("turn", "river")
        menus = more + "".join(MENU.format(street=street) for street in streets)
        path = tmp_path / "spot.toml"
        path.write_text(TOML.format(board=board, stack=stack, menus=menus))
        return load_spot(path)

    return make


def test_a_billion_is_solved_where_discounts_stand_still(spot) -> None:  # type: ignore[no-untyped-def]
    deep = spot(10**9)
    found = solve(deep, iterations=2000)
    assert found.method == CUBIC
    assert found.exploitability < 2e-3
    exact = solve(deep, "lp")
    assert found.value == pytest.approx(exact.value, abs=4e-3)
    stuck = solve(deep, "dcfr", iterations=2000)
    assert stuck.exploitability > 0.1
    assert "dcfr hardly outweighs its first regrets" in stuck.warnings[0]


def test_without_limits_it_ends(spot) -> None:  # type: ignore[no-untyped-def]
    assert prepare(spot(10**9)).limits(Limits()).target_units == pytest.approx(3e-3)
    assert prepare(spot(10**6)).limits(Limits()).target_units == 1e-3
    assert prepare(spot(10**9)).limits(Limits(target_units=1e-4)).target_units == 1e-4
    found = solve(spot(10**9))
    assert found.stopped == "target"
    assert found.exploitability <= 3e-3


def test_what_is_kept_is_the_best_measured(spot) -> None:  # type: ignore[no-untyped-def]
    found = solve(spot(10**8), iterations=3000)
    measured = [point.exploitability for point in found.trace]
    assert found.exploitability == min(measured)
    again = found.boards.exploitability()
    assert again == pytest.approx(found.exploitability, rel=1e-5, abs=1e-6)


def test_the_method_follows_the_stakes(spot) -> None:  # type: ignore[no-untyped-def]
    assert default_method(spot(300)) == "dcfr"
    assert default_method(spot(500)) == CUBIC
    assert default_method(spot(500, "Qs Jh 2h 4c")) == "dcfr"
    few = spot(10**9, more="max_raises = 2\n")
    assert default_method(few) == "dcfr", "the stack is deep, the bets are not"
    assert prepare(few).depth < 10


def test_doubts_are_told_before_the_work(spot) -> None:  # type: ignore[no-untyped-def]
    assert prepare(spot(10**6)).doubts(1e-3) == ()
    (doubt,) = prepare(spot(10**9)).doubts(1e-4)
    assert "500,000,000 pots are at stake: 32-bit floats may leave 0.15%" in doubt
    assert "--method lp" in doubt
    (doubt,) = prepare(spot(10**6), "linear").doubts(1e-3)
    assert "linear hardly outweighs" in doubt
    (doubt,) = prepare(spot(10**5, "Qs Jh 2h 4c")).doubts(1e-3)
    assert "fewer raises" in doubt
    assert prepare(spot(10**9), "lp").doubts(1e-3) == ()


def test_the_command_says_which_and_why(
    spot,  # type: ignore[no-untyped-def]
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    spot(10**9)
    run = runner("solve", monkeypatch, capsys)
    done = run(tmp_path / "spot.toml", "--iterations", 20, "--target", "0.1", "--json", "-")
    assert done.json["method"] == CUBIC
    assert "500,000,000 pots are at stake: solved by cubic" in done.err
    assert "the target is 0.1%" in only_sentence(done.err)


def test_weights_are_a_power_of_the_iteration() -> None:
    scheme = SPOT_SCHEMES[CUBIC]
    kept = 1.0
    for t in range(2, 11):
        by = scheme.at(t)
        assert by[0] == by[1] == pytest.approx(((t - 1) / t) ** 3)
        kept *= by[0]
    assert kept == pytest.approx(1 / 10**3)  # weight of iteration 1 beside that of iteration 10
    assert "power" not in Scheme(1, 1, 1).parameters()
    assert scheme.parameters()["power"] == 3


def test_a_trend_that_says_ages_says_nothing() -> None:
    points = [TracePoint(10 * i, 10.0 * i, 1.0 - 1e-9 * i) for i in range(1, 9)]
    assert seconds_left(points, Limits(target_units=1e-3)) is None


def test_falling_back_takes_the_average_that_was_kept(spot) -> None:  # type: ignore[no-untyped-def]
    solver = KeepingBoardCFR(prepare(spot(10**3)).game, SPOT_SCHEMES[CUBIC])
    solver.fall_back()
    solver.advance(20)
    solver.keep()
    kept = solver.store.average.copy()
    solver.advance(20)
    assert (solver.store.average != kept).any()
    solver.fall_back()
    assert (solver.store.average == kept).all()

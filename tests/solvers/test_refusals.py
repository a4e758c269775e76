"""The solvers' refusals in full, and limits and options as they are passed on."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from endspiel.engine.limits import Limits, TracePoint
from endspiel.engine.run import Checkpoint, RunTask
from endspiel.engine.schemes import SCHEMES, Answer
from endspiel.errors import EndspielError
from endspiel.game import Game
from endspiel.games.toy import kuhn
from endspiel.solvers.firstorder.dilated import weights_for
from endspiel.solvers.firstorder.egt import EGTOptions
from endspiel.solvers.lp import Options
from endspiel.solvers.lp import solve as solve_lp
from endspiel.solvers.lp.refinements import quasi_perfect
from endspiel.solvers.methods import METHODS
from endspiel.solvers.solve import limits_for, solve
from endspiel.solving.spots import SpotOptions
from endspiel.solving.task import prepare
from tests.solving.spots import RIVER, spot


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (
            lambda: EGTOptions(recenter=1.0),
            "EGT recenters at a share of the gap below 1, not 1.0",
        ),
        (
            lambda: EGTOptions(aggressive=False),
            "EGT by Nesterov's schedule keeps its center: recenter must be 0",
        ),
        (
            lambda: weights_for("even", kuhn(), 0, Game.gradient),
            "EGT knows no weights named 'even', only one, global, treeplex, spread",
        ),
        (lambda: Limits(target_units=-1.0), "target must be a number from 0 on, not -1.0"),
        (lambda: Limits(iterations=-1), "iterations must be a number from 0 on, not -1"),
        (lambda: Limits(seconds=-0.5), "seconds must be a number from 0 on, not -0.5"),
        (
            lambda: Limits(iterations=10**20),
            f"iterations must be a number up to 1,000,000,000, not {10**20}",
        ),
        (lambda: Limits(seconds=math.inf), "seconds must be a number up to 1,000,000,000, not inf"),
        (
            lambda: Limits(target_units=1e300),
            "target must be a number up to 1,000,000,000,000, not 1e+300",
        ),
        (
            lambda: SCHEMES["cfr+"].answering(Answer(weights=math.nan)),
            "an average weighs iterations by a power from 0 on, up to 100, not nan",
        ),
        (
            lambda: SCHEMES["cfr+"].answering(Answer(weights=1e300)),
            "an average weighs iterations by a power from 0 on, up to 100, not 1e+300",
        ),
        (
            lambda: SCHEMES["cfr+"].answering(Answer(delay=10**20)),
            f"an average is delayed by 0 iterations or more, up to 1,000,000,000, not {10**20}",
        ),
        (
            lambda: solve(kuhn(), "magic"),
            f"there is no method 'magic': methods are {', '.join(METHODS)}",
        ),
        (
            lambda: solve(kuhn(), "lp", checkpoint="run"),
            "lp takes no checkpoint on a small game: cfr, cfr+, linear, dcfr, dcfr+, pcfr+, "
            "sapcfr+, egt do",
        ),
        (
            lambda: solve_lp(kuhn(), Options("barrier")),
            "LP solver must be one of auto, simplex, ipm, not 'barrier'",
        ),
        (
            lambda: solve_lp(kuhn(), Options(time_limit=0.0)),
            "the linear program was not solved within its time limit",
        ),
        (
            lambda: quasi_perfect(kuhn(), 0.75),
            "epsilon must lie above 0 and not above 1/2, the share of an action among kuhn's "
            "widest choice, not be 0.75",
        ),
        (lambda: SpotOptions(threads=0), "a solve has 1 thread or more, not 0"),
        (lambda: SpotOptions(tree_limit=0), "a tree has 1 node or more, not 0"),
        (
            lambda: prepare(spot(RIVER), "egt", SpotOptions(locks=[": c 1"])),
            "egt takes no locks on a river: cfr, cfr+, linear, dcfr, dcfr+, cubic do",
        ),
    ],
)
def test_sentences(build: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(EndspielError) as caught:
        build()
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("method", "hint"),
    [
        ("dcfr", "use fewer bet sizes, narrower ranges or fewer threads, or allow more"),
        ("egt", "use dcfr, which solves it on the board kernels, narrower ranges, or allow more"),
    ],
)
def test_what_needs_too_much_memory_is_told_what_to_do(method: str, hint: str) -> None:
    sentence = rf"^solving this spot by {method} needs .* and 1 KB are allowed: {hint}$"
    with pytest.raises(EndspielError, match=sentence):
        prepare(spot(RIVER), method, SpotOptions(memory=1000))


def test_bounds_themselves_are_allowed() -> None:
    assert EGTOptions(recenter=0.0).recenter == 0.0
    assert EGTOptions("global", aggressive=False, recenter=0.0).weights == "global"
    assert Limits(0.0, 0, 0.0).iterations == 0
    assert quasi_perfect(kuhn(), 0.5).epsilon == 0.5  # everything is played evenly
    assert SpotOptions(threads=1, tree_limit=1).tree_limit == 1


def test_the_first_limit_that_is_reached_is_named() -> None:
    limits = Limits(0.5, 10, 2.0)
    assert limits.reached(9, 1.9) == ""
    assert limits.reached(10, 5.0) == "iterations"
    assert limits.reached(9, 2.0) == "seconds"
    assert Limits(halt=lambda iteration, seconds: iteration > 3).reached(4, 0.0) == "interrupted"


def test_limits_are_passed_on_or_the_default_is() -> None:
    game, halts, told = kuhn(), lambda iteration, seconds: False, list[TracePoint]().append
    for given in ({"target_units": 0.25}, {"iterations": 7}, {"seconds": 3.0}):
        limits = Limits(**given, halt=halts, observe=told)
        assert limits.or_target(0.5) is limits
        assert limits_for(game, limits) is limits
    none = Limits(halt=halts, observe=told)
    assert none.or_target(0.5) == Limits(0.5, halt=halts, observe=told)
    assert limits_for(game, none).target_units == 1e-4 * game.payoff_range


def test_a_checkpoint_is_kept_where_and_as_often_as_told() -> None:
    task = RunTask("kuhn", "print", "cfr")
    assert Checkpoint.of(Limits(), lambda: task) is None
    told = Checkpoint.of(Limits(checkpoint="run", checkpoint_seconds=5.0), lambda: task)
    assert told == Checkpoint(Path("run"), task, 5.0)

"""Gadget games: what they pay, and that solving them maximizes the smallest margin."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endspiel.endgame.safe import refine as refining
from endspiel.endgame.safe.alternatives import plain, with_reach
from endspiel.endgame.safe.gadgets import gadget
from endspiel.endgame.safe.problem import Problem
from endspiel.endgame.safe.refine import construct, refine
from endspiel.endgame.safe.techniques import SAFE, named
from endspiel.engine.gadget import Terms
from endspiel.engine.limits import Limits
from endspiel.errors import GameError
from endspiel.game import Profile, best_response
from endspiel.solvers.solve import solve
from tests.endgame.direct import best_margin
from tests.endgame.publicgames import (
    disjoint,
    endgame_at,
    lines_of,
    random_game,
    random_profile,
)

SEEDS = st.integers(0, 10_000)
few = settings(max_examples=10, deadline=None)


def some_problem(seed: int, many: bool = False) -> Problem | None:
    """A random endgame of a random game, alone or beside others."""
    game, tree = random_game(seed)
    rng = np.random.default_rng(seed)
    lines = disjoint(lines_of(tree), rng)
    if not lines:
        return None
    endgames = [endgame_at(game, line) for line in lines]
    others = tuple(endgames[1:]) if many else ()
    return Problem(endgames[0], int(rng.integers(2)), random_profile(game, seed), others)


@few
@given(SEEDS)
def test_a_best_response_to_the_gadget_takes_the_worst_margin_and_every_breach(seed: int) -> None:
    problem = some_problem(seed)
    if problem is None:
        return
    rng = np.random.default_rng(seed)
    count, plex = len(problem.entries), problem.entered.game.plexes[problem.player]
    terms = Terms(
        free=rng.random(count) < 0.6,
        target=rng.normal(size=count),
        weight=rng.exponential(size=count),
        held=rng.random(count) < 0.6,
        limit=rng.normal(size=count),
        penalty=rng.exponential(size=count),
    )
    built = gadget(problem.entered.game, problem.player, terms)
    assert built.unit == problem.entered.game.unit
    behavior = plex.behavior(rng.exponential(size=plex.num_sequences))
    both = [np.concatenate([[1.0], behavior])] * 2
    paid, _ = best_response(built, problem.opponent, Profile((both[0], both[1])))
    values = problem.entered.values(behavior)
    worst = max(((values - terms.target) / terms.weight)[terms.free], default=0.0)
    breaches = terms.penalty * np.maximum(values - terms.limit, 0.0)
    assert paid == pytest.approx(worst + breaches[terms.held].sum(), abs=1e-12)


@pytest.mark.parametrize("many", [False, True], ids=["alone", "many"])
@pytest.mark.parametrize("technique", ["maxmargin", "reach-maxmargin", "reach-maxmargin-improved"])
@few
@given(seed=SEEDS)
def test_the_smallest_margin_is_the_largest_there_is(technique: str, many: bool, seed: int) -> None:
    problem = some_problem(seed, many)
    if problem is None or problem.weights.max() < 1e-9:
        return
    found = refine(problem, technique)
    construction = construct(problem, named(technique))
    free = construction.terms.free
    alternatives = found.alternatives
    assert (found.values <= alternatives.limit + 1e-7).all()
    best = best_margin(problem, free, alternatives.target, alternatives.limit)
    assert found.shares[free].min() == pytest.approx(best, abs=1e-5)


@few
@given(SEEDS)
def test_cfr_finds_the_margins_of_the_program(seed: int) -> None:
    problem = some_problem(seed)
    if problem is None:
        return
    for technique in ("maxmargin", "reach-maxmargin"):
        exact = refine(problem, technique)
        found = refine(problem, technique, "cfr+", Limits(iterations=1000))
        # The gadget's value is the smallest margin, so a gap in one is at most twice a gap there.
        gap = 2 * found.solution.exploitability + 1e-9
        if problem.weights.max() > 1e-9:
            assert exact.min_margin - gap <= found.min_margin <= exact.min_margin + 1e-5


@few
@given(SEEDS)
def test_a_path_gives_away_what_its_infosets_would_have_had(seed: int) -> None:
    """Targets are never below the plain ones, nor above when others' endgames are uncertain."""
    problem, beside = some_problem(seed), some_problem(seed, many=True)
    if problem is None or beside is None:
        return
    alone, many = with_reach(problem), with_reach(beside)
    assert (alone.target >= plain(problem).target - 1e-12).all()
    assert (many.target <= alone.target + 1e-12).all()
    assert (many.limit >= many.base - 1e-12).all()


def test_gadgets_are_games_for_every_solver() -> None:
    problem = some_problem(3)
    assert problem is not None
    built = construct(problem, named("reach-maxmargin-improved")).game
    value = solve(built, "lp").value
    for method in ("cfr+", "dcfr", "pcfr+", "egt"):
        found = solve(built, method, iterations=3000)
        assert found.value == pytest.approx(value, abs=2 * found.exploitability + 1e-9)
        assert found.exploitability < 1e-2


def test_there_is_no_other_technique() -> None:
    problem = some_problem(3)
    assert problem is not None
    with pytest.raises(GameError, match="no technique 'safe': techniques are unsafe, resolve"):
        refine(problem, "safe")


def test_a_solved_gadget_passes_no_limit() -> None:
    problem = some_problem(8, many=True)
    assert problem is not None
    for technique in SAFE:
        found = refine(problem, technique)
        assert found.passed == ()
        assert found.excess.max() < 1e-7


def test_a_short_solve_tells_which_limits_it_passes() -> None:
    problem = some_problem(8)
    assert problem is not None
    found = refine(problem, "resolve", "cfr", Limits(iterations=2))
    behavior = found.profile.behavior[problem.player]
    values = problem.entered.values(problem.entered.cut.behavior(problem.player, behavior))
    over = values - problem.entry_values  # Re-solve's limits are what the base strategy gives
    assert found.excess == pytest.approx(np.maximum(over, 0.0))
    assert found.passed == tuple(np.array(found.entries)[over > 1e-6])
    assert found.passed


def test_penalties_that_are_too_small_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Held entries whose penalties are never raised enough stay over their limits."""
    problem = some_problem(51, many=True)
    assert problem is not None
    assert refine(problem, "reach-maxmargin-improved").passed == ()
    built = construct(problem, named("reach-maxmargin-improved"))
    assert built.terms is not None
    terms = replace(built.terms, penalty=1e-9 * built.terms.penalty)
    weak = replace(built, game=gadget(problem.entered.game, problem.player, terms), terms=terms)
    monkeypatch.setattr(refining, "construct", lambda problem, technique: weak)
    monkeypatch.setattr(refining, "ESCALATIONS", 1)
    assert refine(problem, "reach-maxmargin-improved").passed
    monkeypatch.setattr(refining, "ESCALATIONS", 10)
    assert refine(problem, "reach-maxmargin-improved").passed == ()

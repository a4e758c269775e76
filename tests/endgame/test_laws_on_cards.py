"""The 2017 paper's theorems on real cards, over the backends that the table solves endgames on.

`SOLVES` runs all laws on the board kernels, turns on one thread and on two, and on treeplexes. Op
streams, which measure what the table loses, keep two of the laws on a river, in the last test.

A spot's base strategy is crude; an endgame inside it is solved again by the gadgets' root above a
backend, and put back. What it should be comes from linear programs of the gadget and of the
margins themselves, and from best responses in the whole spot.
"""

from functools import cache, partial
from itertools import product

import pytest

from endspiel.endgame.safe.gadgets import gadget
from endspiel.endgame.safe.nested import OffTree, moves
from endspiel.endgame.safe.problem import Problem
from endspiel.endgame.safe.refine import construct, refine
from endspiel.endgame.safe.techniques import SAFE, named
from endspiel.engine.gadget import GadgetSolve, Terms
from endspiel.game import Profile, best_response
from endspiel.solvers.solve import solve
from tests.endgame.cards import CardEndgame, entry_values
from tests.endgame.direct import best_margin

CASES = {
    "river": ("Ks Th 7s 4d 2s", "c", 24),
    "turn": ("Ks Th 7s 4d", "c", 6),
}
CLOSE = 1e-4  # of the pot
# To which gadgets are solved: as far as values may be from the programs'. Large penalties on
# entries that are let go slow the improvement down; its values are closer than its gap.
GAPS = {name: 4 * CLOSE if name == "reach-maxmargin-improved" else 0.9 * CLOSE for name in SAFE}
ON_TURNS = "boards on threads"  # a river is one board, which one thread walks
SOLVES = [
    *product(("treeplex", "boards"), (("river", 0), ("river", 1), ("turn", 1))),
    (ON_TURNS, ("turn", 1)),
]
every_case = pytest.mark.parametrize(
    ("backend", "case", "player"), [(backend, *case) for backend, case in SOLVES]
)


@cache
def endgame(case: str) -> CardEndgame:
    return CardEndgame.random(*CASES[case])


@cache
def problem_of(case: str, player: int) -> Problem:
    return endgame(case).problem(player)


@cache
def terms_of(case: str, player: int, technique: str) -> Terms:
    return endgame(case).terms(player, technique)


@cache
def solved(case: str, backend: str, player: int, technique: str) -> tuple[GadgetSolve, Profile]:
    terms = terms_of(case, player, technique)
    return endgame(case).solve(backend, problem_of(case, player), terms, GAPS[technique])


@cache
def program(case: str, player: int, technique: str) -> float:
    """What the opponent gets in the gadget `Game` of the endgame cut out, by linear programming."""
    problem = problem_of(case, player)
    built = gadget(problem.entered.game, player, terms_of(case, player, technique))
    value = solve(built, "lp").value
    return value if player == 1 else -value


@every_case
@pytest.mark.parametrize("technique", SAFE)
def test_a_gadget_on_a_backend_is_the_gadgets_program(
    case: str, backend: str, player: int, technique: str
) -> None:
    found, _ = solved(case, backend, player, technique)
    got = float(found.root.best(found.backend.best_values(found.opponent)))
    assert got == pytest.approx(program(case, player, technique), abs=CLOSE)


@every_case
@pytest.mark.parametrize("technique", SAFE)
def test_safe_solving_on_cards_is_safe(
    case: str, backend: str, player: int, technique: str
) -> None:
    """Theorem 1: the whole spot is no more exploitable, and less by what entries then lose."""
    problem, terms = problem_of(case, player), terms_of(case, player, technique)
    _, profile = solved(case, backend, player, technique)
    values = entry_values(problem, profile)
    over = ((values - terms.limit) / terms.weight)[terms.free | terms.held]
    assert over.max() < 2 * CLOSE
    before, _ = best_response(problem.game, problem.opponent, problem.base)
    after, response = best_response(problem.game, problem.opponent, profile)
    plan = problem.game.plexes[problem.opponent].walk_down(response)[problem.entries]
    assert after <= before - plan @ (terms.target - values) + CLOSE
    assert after <= before + CLOSE


@every_case
def test_margins_on_cards_are_the_programs(case: str, backend: str, player: int) -> None:
    """The smallest margins are those of a program without gadgets; Reach's are no smaller."""
    problem, smallest = problem_of(case, player), []
    for technique in ("maxmargin", "reach-maxmargin"):
        terms = terms_of(case, player, technique)
        _, profile = solved(case, backend, player, technique)
        shares = ((terms.target - entry_values(problem, profile)) / terms.weight)[terms.free]
        best = best_margin(problem, terms.free, terms.target, terms.target)
        assert shares.min() == pytest.approx(best, abs=CLOSE)
        smallest.append(shares.min())
    assert smallest[1] >= smallest[0] - CLOSE
    if player == 1:  # whose opponent has checked, with hands that should not
        assert smallest[0] > 100 * CLOSE
        assert smallest[1] > smallest[0] + 10 * CLOSE


NESTED = {
    "river": ("Ks Th 7s 4d 2s", "b20", 24, "50%, 100%"),
    "turn": ("Ks Th 7s 4d", "b20", 5, "50%, 100%"),
}


@cache
def off_tree(case: str) -> tuple[CardEndgame, OffTree, Profile, float]:
    """A spot whose base strategy knows no bet of the pot by player 0, and player 0's value then."""
    spot = CardEndgame.random(*NESTED[case])
    names = [name for block in spot.dense.labels[0].infosets for name in block]
    first = [name for name in names if not name.split(":")[1]]
    off = OffTree(spot.dense, 1, (moves(spot.dense, 0, NESTED[case][1], first),))
    part = off.abstraction()
    found = solve(part.game, "lp")
    return spot, off, part.embed(found.profile, Profile.uniform(off.game)), found.value


@pytest.mark.parametrize(
    ("backend", "case"),
    [*product(("treeplex", "boards"), NESTED), (ON_TURNS, "turn")],
)
@pytest.mark.parametrize("technique", SAFE)
def test_a_nested_answer_on_cards_costs_at_most_its_shortfall(
    case: str, backend: str, technique: str
) -> None:
    """The bound of inexpensive nested solving, by best responses in the spot with the bet."""
    spot, off, base, value = off_tree(case)
    found = off.answer(base, spot.refiner(backend, technique, GAPS[technique]))
    shortfall, values = found.shortfall, found.refinements[0].values
    after, _ = best_response(off.game, 0, found.profile)
    assert value - CLOSE <= after <= value + shortfall + CLOSE
    even, _ = best_response(off.game, 0, base)
    assert after < even - 100 * CLOSE  # an answer, not what the base happens to do there
    if technique == "resolve":  # no answer gives all hands together less
        exact = off.answer(base, partial(refine, technique=technique))
        assert shortfall == pytest.approx(exact.shortfall, abs=10 * CLOSE)
        return
    problem = off.problem(0, base)
    terms = construct(problem, named(technique)).terms
    assert terms is not None
    if not terms.held.any():
        shares = ((terms.target - values) / terms.weight)[terms.free]
        best = best_margin(problem, terms.free, terms.target, terms.target)
        assert shares.min() == pytest.approx(best, abs=10 * CLOSE)


STREAMS = [pytest.param(name, marks=[pytest.mark.slow] * (name == "resolve")) for name in SAFE]


@pytest.mark.parametrize("technique", STREAMS)
def test_the_stream_backend_obeys_the_same_laws(technique: str) -> None:
    """On the river alone, as its twin in NumPy is slow: Re-solve takes half a minute."""
    test_a_gadget_on_a_backend_is_the_gadgets_program("river", "streams", 1, technique)
    test_safe_solving_on_cards_is_safe("river", "streams", 1, technique)

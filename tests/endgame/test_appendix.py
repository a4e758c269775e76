"""Reach-Maxmargin's margins divided as the 2017 paper's appendix has it, and as they are here.

In the appendix the opponent first chooses I', the earliest infoset of a path, and nature then
draws a history of it: what it is paid is divided by the chance of I'. Here it is divided by the
chance that the endgame comes about, which is smaller where others may leave the path. Both are
written down as linear programs on the same problem; nothing of the techniques is in them.
"""

import numpy as np
import pytest

from endspiel.endgame.safe.alternatives import with_reach
from endspiel.endgame.safe.problem import Problem
from endspiel.endgame.safe.refine import refine
from endspiel.endgame.safe.subgame import counterfactual_reach
from endspiel.game import Profile, best_response
from tests.endgame.direct import largest_margin
from tests.endgame.test_gadgets import some_problem

CLOSE = 1e-6
DIFFERENT = (8,)  # seeds of endgames on which both smallest margins differ


def chance_of_the_path(problem: Problem) -> np.ndarray:
    """Others' part in reaching I' [Q]: the earliest infoset from which only one entry follows."""
    plex = problem.game.plexes[problem.opponent]
    reach = counterfactual_reach(problem.game, problem.opponent, problem.base)
    above: dict[int, tuple[int, list[int]]] = {}  # a sequence's parent and its infoset's sequences
    for block in plex:
        for k, parent in enumerate(block.parent.tolist()):
            own = [block.first + a * block.num_states + k for a in range(block.num_actions)]
            above |= dict.fromkeys(own, (parent, own))

    def entries_below(infoset: list[int]) -> int:
        lines = [lineage(int(entry)) for entry in problem.entries]
        return sum(any(sequence in line for sequence in infoset) for line in lines)

    def lineage(sequence: int) -> list[int]:
        return [sequence, *(lineage(above[sequence][0]) if sequence in above else [])]

    chances = []
    for entry in problem.entries.tolist():
        chance, sequence = reach[entry], entry
        while sequence in above and entries_below(above[sequence][1]) == 1:
            chance = reach[sequence]
            sequence = above[sequence][0]
        chances.append(chance)
    return np.array(chances)


def solved(problem: Problem, divisors: np.ndarray) -> tuple[np.ndarray, float]:
    """Margins [Q] by the program with given divisors, and what a best response then gets."""
    alternatives = with_reach(problem)
    reached = problem.weights > 1e-9
    terms = (reached, alternatives.target, alternatives.limit, divisors)
    margin, plan = largest_margin(problem, *terms)
    inside = problem.entered.game.plexes[problem.player].behavior(plan)
    margins = alternatives.target - problem.entered.values(inside)
    assert (margins / divisors)[reached].min() == pytest.approx(margin, abs=CLOSE)
    behavior = list(problem.base.behavior)
    never = problem.entered.game.plexes[problem.player].mass == 0
    cut = problem.entered.cut
    behavior[problem.player] = cut.put_back(problem.player, inside, behavior[problem.player], never)
    profile = Profile((behavior[0], behavior[1]))
    return margins, best_response(problem.game, problem.opponent, profile)[0]


@pytest.mark.parametrize("seed", [*range(7), *DIFFERENT])
def test_both_divisions(seed: int) -> None:
    problem = some_problem(seed)
    if problem is None or problem.weights.max() < 1e-9:
        return
    ways = {"here": problem.weights, "appendix": chance_of_the_path(problem)}
    reached = problem.weights > 1e-9
    assert (ways["here"] <= ways["appendix"] + CLOSE).all()
    found = {way: solved(problem, divisors) for way, divisors in ways.items()}
    before, _ = best_response(problem.game, problem.opponent, problem.base)
    least = {(way, by): (found[way][0] / ways[by])[reached].min() for way in ways for by in ways}
    assert least["here", "here"] >= least["appendix", "here"] - CLOSE
    assert least["appendix", "appendix"] >= least["here", "appendix"] - CLOSE
    if seed in DIFFERENT:
        assert least["here", "here"] > least["appendix", "here"] + CLOSE
        assert least["appendix", "appendix"] > least["here", "appendix"] + CLOSE
    for margins, after in found.values():
        assert margins.min() >= -CLOSE
        assert after <= before + CLOSE
    ours = refine(problem, "reach-maxmargin")
    assert ours.min_margin == pytest.approx(least["here", "here"], abs=1e-5)

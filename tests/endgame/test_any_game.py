"""Endgames of every kind of game: products of betting and boards, spots, rivers in buckets.

The order of moves is worked out from the public tree there, not remembered. What is true of it
comes from elsewhere: the chance of an endgame from the betting and the cards alone, what entries
are worth from the payoffs, and that safe solving is safe from best responses in the whole game.
"""

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from endspiel.endgame.river.buckets import equity_buckets
from endspiel.endgame.river.game import RiverGame, river_tree
from endspiel.endgame.river.river import River
from endspiel.endgame.safe.problem import Problem
from endspiel.endgame.safe.refine import refine
from endspiel.endgame.safe.subgame import Endgame
from endspiel.endgame.safe.techniques import SAFE
from endspiel.game import Game, Profile, best_response, counterfactual_values
from endspiel.games.dense import dense_game
from endspiel.games.leduc_holdem import leduc
from endspiel.games.rhode_island_holdem import rhode_island
from endspiel.kernels.arrays import Floats
from endspiel.solvers.solve import solve
from tests.endgame.rivers import random_river
from tests.games.spots import menu_sizing, small_game

EXACT = 1e-7


def bucketed_river() -> Game:
    river = random_river(4)
    tree = river_tree(River(river.board, 20, 40, river.ranges), menu_sizing("100%", "100%"))
    one, two = (equity_buckets(river, player, 6) for player in (0, 1))
    return RiverGame(River(river.board, 20, 40, river.ranges), tree, (one, two)).named()


def spot(board: str) -> Game:
    ranges = ("AKs,QQ:0.5,T8s", "JJ,KTs:0.25,98s")
    return dense_game(small_game(board, ranges, menu_sizing("100%", "")), named=True)


# A game, which infosets make the endgame, and its chance when everybody plays anything.
CASES: dict[str, tuple[Callable[[], Game], Callable[[str], bool], float]] = {
    "leduc": (leduc, lambda name: ":cc/" in name, 1 / 4),
    "rhode island": (lambda: rhode_island(3, 2, 1), lambda name: ":c c / c c /" in name, 1 / 16),
    "rhode island unfolded": (
        lambda: rhode_island(3, 2, 1, symmetry=False),
        lambda name: ":c c / c c /" in name,
        1 / 16,
    ),
    "bucketed river": (bucketed_river, lambda name: ":c b20" in name, 1 / 4),
    "river": (lambda: spot("Qs Jh 2h 4c 9d"), lambda name: ":c b20" in name, 1 / 4),
    "turn": (lambda: spot("Qs Jh 2h 4c"), lambda name: ":c c /" in name, 1 / 4),
}
every_game = pytest.mark.parametrize("case", CASES)


@cache
def built(case: str) -> tuple[Game, Endgame]:
    game = CASES[case][0]()
    return game, Endgame.where(game, lambda player, name: CASES[case][1](name))


def crude(game: Game) -> Profile:
    """A poor strategy that goes everywhere."""
    return solve(game, "cfr+", iterations=4).profile


@every_game
def test_chance_of_an_endgame_is_that_of_its_betting(case: str) -> None:
    game, endgame = built(case)
    assert endgame.probability(Profile.uniform(game)) == pytest.approx(CASES[case][2])


@every_game
def test_entries_are_worth_what_best_responses_say(case: str) -> None:
    game, endgame = built(case)
    profile = crude(game)
    for player in (0, 1):
        problem = Problem(endgame, player, profile)
        values = counterfactual_values(game, 1 - player, profile)[problem.entries]
        assert problem.entry_values + problem.beside == pytest.approx(values, abs=1e-12)


def response(game: Game, opponent: int, profile: Profile) -> tuple[float, Floats]:
    value, behavior = best_response(game, opponent, profile)
    return value, game.plexes[opponent].walk_down(behavior)


@every_game
@pytest.mark.parametrize("player", [0, 1])
def test_safe_solving_is_safe(case: str, player: int) -> None:
    """Theorem 1; and Reach-Maxmargin has margins at least as large as Maxmargin."""
    game, endgame = built(case)
    problem = Problem(endgame, player, crude(game))
    before, _ = response(game, 1 - player, problem.base)
    smallest = {}
    for technique in SAFE:
        found = refine(problem, technique)
        after, plan = response(game, 1 - player, found.profile)
        assert found.margins.min() >= -EXACT
        assert after <= before - plan[problem.entries] @ found.margins + EXACT
        smallest[technique] = found.min_margin
    assert smallest["reach-maxmargin"] >= smallest["maxmargin"] - 1e-5


@pytest.mark.parametrize(
    ("case", "line"), [("leduc", ":c"), ("rhode island", ":c c / c"), ("turn", ":c")]
)
def test_endgames_by_names_by_moves_and_around_are_the_same(case: str, line: str) -> None:
    game, endgame = built(case)
    moves = game.labels[1].walk(game.plexes[1])
    checks = [s for name, action, s in moves if name.endswith(line) and action == "c"]
    firsts = [name for block in game.labels[0].infosets for name in block if CASES[case][1](name)]
    for same in (Endgame.after(game, 1, checks), Endgame.around(game, 0, firsts)):
        for one, two in zip(same.inside, endgame.inside, strict=True):
            assert np.array_equal(one, two)

"""The papers' theorems, with measured margins, on random games and on Leduc with weak blueprints.

`x` is a best response to the new strategy and q an entry of the endgame S. Margins are
counterfactual, so Theorem 1 reads: the best response loses at least the sum of x(q) margin(q).
"""

from collections.abc import Sequence
from functools import cache, partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endspiel.endgame.safe import alternatives
from endspiel.endgame.safe.problem import Problem
from endspiel.endgame.safe.refine import Refinement, refine, refine_all
from endspiel.endgame.safe.subgame import Endgame
from endspiel.endgame.safe.techniques import SAFE
from endspiel.engine.limits import Limits
from endspiel.game import Game, Profile, best_response
from endspiel.game.post import Post
from endspiel.games.leduc_holdem import leduc
from endspiel.games.tree import Chance, Decision, Leaf, Node, build
from endspiel.solvers.solve import solve
from tests.endgame.publicgames import (
    disjoint,
    endgame_at,
    lines_of,
    random_game,
    random_profile,
)

SEEDS = st.integers(0, 10_000)
few = settings(max_examples=8, deadline=None)
EXACT = 1e-7


def response(game: Game, player: int, profile: Profile) -> tuple[float, np.ndarray]:
    """The opponent's best payoff against the player's strategy, and the plan that gets it."""
    value, behavior = best_response(game, 1 - player, profile)
    return value, game.plexes[1 - player].walk_down(behavior)


def check_theorem_1(problem: Problem, found: Refinement, tolerance: float = EXACT) -> None:
    """No more exploitable, and less by what the best response gives up at each entry."""
    before, _ = response(problem.game, problem.player, problem.base)
    after, plan = response(problem.game, problem.player, found.profile)
    assert found.margins.min() >= -tolerance
    assert after <= before - plan[problem.entries] @ found.margins + EXACT
    assert after <= before + tolerance * plan[problem.entries].sum() + EXACT


def check_theorem_2(
    endgames: Sequence[Endgame], player: int, base: Profile, technique: str
) -> None:
    """Each of many endgames lowers exploitability, the others being what they are."""
    game = endgames[0].game
    profile, found = refine_all(endgames, player, base, partial(refine, technique=technique))
    after, plan = response(game, player, profile)
    assert after <= response(game, player, base)[0] + EXACT
    for endgame, refinement in zip(endgames, found, strict=True):
        behavior = [b.copy() for b in profile.behavior]
        inside = endgame.inside[player]
        behavior[player][inside] = base.behavior[player][inside]
        without, _ = response(game, player, Profile((behavior[0], behavior[1])))
        entries = Problem(endgame, player, base).entries
        assert refinement.margins.min() >= -EXACT
        assert after <= without - plan[entries] @ refinement.margins + EXACT


@few
@given(SEEDS)
def test_one_endgame_of_a_random_game(seed: int) -> None:
    game, tree = random_game(seed)
    rng = np.random.default_rng(seed)
    for line in rng.permutation(lines_of(tree))[:2]:
        problem = Problem(endgame_at(game, line), int(rng.integers(2)), random_profile(game, seed))
        found = {technique: refine(problem, technique) for technique in SAFE}
        for refinement in found.values():
            check_theorem_1(problem, refinement)
        assert found["reach-maxmargin"].min_margin >= found["maxmargin"].min_margin - 1e-5


@few
@given(SEEDS)
def test_many_endgames_of_a_random_game(seed: int) -> None:
    game, tree = random_game(seed)
    rng = np.random.default_rng(seed)
    endgames = [endgame_at(game, line) for line in disjoint(lines_of(tree), rng)]
    if endgames:
        for technique in SAFE:
            player = int(rng.integers(2))
            check_theorem_2(endgames, player, random_profile(game, seed), technique)


@pytest.mark.parametrize("method", ["cfr", "cfr+", "dcfr"])
@few
@given(seed=SEEDS)
def test_cfr_is_as_safe_as_it_is_solved(method: str, seed: int) -> None:
    game, tree = random_game(seed)
    rng = np.random.default_rng(seed)
    for line in lines_of(tree)[:1]:
        problem = Problem(endgame_at(game, line), int(rng.integers(2)), random_profile(game, seed))
        for technique in SAFE:
            found = refine(problem, technique, method, Limits(iterations=300))
            # What the gadget's solution lacks is the most by which a margin can be negative.
            check_theorem_1(problem, found, 2 * found.solution.exploitability + EXACT)


def signaled_coin_toss(signals: int) -> Game:
    """Coin Toss in which nature shows one of some signals to both before the guess."""

    def expand(state: tuple[str, ...]) -> Node:
        match state:
            case ():
                return Chance([(0.5, ("Heads",)), (0.5, ("Tails",))])
            case (coin,):
                return Decision(0, coin, [(a, (coin, a)) for a in ("Left", "Right")])
            case (coin, "Left"):
                return Leaf(0.5 if coin == "Heads" else -0.5)
            case (_, _):
                return Chance([(1 / signals, (*state, str(i))) for i in range(signals)])
            case (_, _, signal):
                return Decision(1, signal, [(a, (*state, a)) for a in ("Heads", "Tails")])
            case (coin, _, _, guess):
                return Leaf(-1.0 if coin == guess else 1.0)
        raise AssertionError(state)

    return build((), expand, "signaled-coin-toss")


def test_endgames_do_not_use_up_the_same_slack(monkeypatch: pytest.MonkeyPatch) -> None:
    """On Heads the base gives up 0.01 by Right. Three endgames follow Right; only one may use it.

    By the paper's constraint alone, CBV'(I) <= CBV(I) from each endgame's own view, all three do.
    """
    game = signaled_coin_toss(3)
    guess = np.ones(game.plexes[1].num_sequences)
    for signal, action, sequence in game.labels[1].walk(game.plexes[1]):
        assert signal in "012"
        guess[sequence] = 0.26 if action == "Heads" else 0.74
    base = Profile((game.plexes[0].uniform(), guess))
    endgames = [Endgame.where(game, lambda p, name, s=s: p == 1 and name == s) for s in "012"]
    refiner = partial(refine, technique="reach-maxmargin-improved")
    before, _ = response(game, 1, base)
    after, _ = response(game, 1, refine_all(endgames, 1, base, refiner)[0])
    assert before == pytest.approx(0.01)
    assert after <= before + EXACT

    def nothing(problem: Problem) -> np.ndarray:
        return np.zeros(game.plexes[problem.opponent].num_sequences, dtype=bool)

    monkeypatch.setattr(alternatives, "_shared", nothing)
    after, _ = response(game, 1, refine_all(endgames, 1, base, refiner)[0])
    assert after == pytest.approx(0.02)


LINES = ("cc", "crc", "rc", "rrc", "crrc")  # of Leduc's first round


@cache
def leduc_game() -> Game:
    return leduc()


@cache
def blueprint(kind: str) -> Profile:
    game = leduc_game()
    if kind == "even":
        return Profile.uniform(game)
    profile = solve(game, "cfr+", iterations=8).profile
    return Post("purify").profile(game, profile) if kind == "purified" else profile


def second_round(line: str, board: str = "") -> Endgame:
    """Leduc's second round after a line, before the board is seen or on one board."""

    def inside(player: int, name: str) -> bool:
        cards, betting = name.split(":")
        return "/" in betting and betting.split("/")[0] == line and cards.endswith(board)

    return Endgame.where(leduc_game(), inside)


@pytest.mark.parametrize("kind", ["even", "short", "purified"])
@pytest.mark.parametrize("player", [0, 1])
def test_one_endgame_of_leduc(kind: str, player: int) -> None:
    base = blueprint(kind)
    for endgame in (second_round("cc"), second_round("rrc"), second_round("crc", "1a")):
        problem = Problem(endgame, player, base)
        found = {technique: refine(problem, technique) for technique in SAFE}
        for refinement in found.values():
            check_theorem_1(problem, refinement)
        assert found["reach-maxmargin"].min_margin >= found["maxmargin"].min_margin - 1e-5


@pytest.mark.parametrize("kind", ["short", "purified"])
@pytest.mark.parametrize("player", [0, 1])
def test_many_endgames_of_leduc(kind: str, player: int) -> None:
    endgames = [second_round(line) for line in LINES]
    for technique in SAFE:
        check_theorem_2(endgames, player, blueprint(kind), technique)


@pytest.mark.parametrize("player", [0, 1])
def test_many_boards_of_leduc(player: int) -> None:
    """Endgames after the board card: many of them follow each of the opponent's moves."""
    boards = [f"{rank}{suit}" for rank in "012" for suit in "ab"]
    endgames = [second_round(line, board) for line in ("cc", "rc") for board in boards]
    for technique in ("maxmargin", "reach-maxmargin", "reach-maxmargin-improved"):
        check_theorem_2(endgames, player, blueprint("short"), technique)


@pytest.mark.parametrize("player", [0, 1])
def test_safe_solving_helps_leduc(player: int) -> None:
    """Beyond being safe: by how much margins help when every line is solved again."""
    base, game = blueprint("short"), leduc_game()
    value = solve(game, "lp").value * (1 if player == 1 else -1)
    before = response(game, player, base)[0] - value
    endgames = [second_round(line) for line in LINES]
    for technique in ("maxmargin", "reach-maxmargin", "reach-maxmargin-improved"):
        profile, _ = refine_all(endgames, player, base, partial(refine, technique=technique))
        assert response(game, player, profile)[0] - value < 0.6 * before

"""Refinements: undominated strategies whatever the order of actions, and sane play off the path."""

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog

from endspiel.errors import GameError
from endspiel.game import Game, Profile
from endspiel.games.leduc_holdem import leduc
from endspiel.games.toy import choose_endgame, coin_toss, guess_the_ace, kuhn
from endspiel.games.tree import Decision, Leaf, Node, build
from endspiel.solvers.lp import Options, PrecisionWarning, solve
from endspiel.solvers.lp.refinements import quasi_perfect, undominated
from tests.oracles import Oracle, each
from tests.solvers.test_lp import forgetful, named, random_game

WEAK = [[0, 0], [0, 1], [-1, 2]]  # value 0: row 1 does all that row 0 does, and more


def could_gain(game: Game, profile: Profile, player: int) -> float:
    """What a strategy that loses nowhere can gain against uniform play; 0 when undominated.

    By SciPy: over plans x' and v with F'v <= A'(x' - x) and f'v >= 0 (never worse than x against
    any plan), the most that x' earns beyond x against an opponent who plays everything.
    """
    (E, e), (F, f) = (game.plexes[p].constraints() for p in (player, 1 - player))
    A = game.matrix if player == 0 else sparse.csr_matrix(-game.matrix.T)
    own = profile.plan(game, player)
    against = A @ Profile.uniform(game).plan(game, 1 - player)
    answer = linprog(
        np.concatenate([-against, np.zeros(F.shape[0])]),
        A_ub=sparse.bmat([[-A.T, F.T], [None, sparse.csr_matrix(-f)]], format="csr"),
        b_ub=np.append(-(A.T @ own) + 1e-11, 1e-11),
        A_eq=sparse.hstack([E, sparse.csr_matrix((E.shape[0], F.shape[0]))], format="csr"),
        b_eq=e,
        bounds=[(0, None)] * len(own) + [(None, None)] * F.shape[0],
    )
    assert answer.success
    return float(-answer.fun - against @ own)


@pytest.mark.parametrize("rows", list(itertools.permutations(range(3))))
@pytest.mark.parametrize("columns", [(0, 1), (1, 0)])
def test_undominated_whatever_the_order(rows: tuple[int, ...], columns: tuple[int, ...]) -> None:
    matrix = [[WEAK[i][j] for j in columns] for i in rows]
    game = choose_endgame([matrix])
    found = undominated(game)
    behavior = named(game, Profile((found.profile.behavior[0], np.ones_like(game.plexes[1].mass))))
    assert behavior["G1", str(rows.index(1))] == pytest.approx(1)
    assert found.value == pytest.approx(0, abs=1e-12)
    assert found.gap <= 1e-12


def test_plain_equilibria_may_be_dominated() -> None:
    """The check itself finds domination: row 0 is optimal, and dominated by row 1."""
    game = choose_endgame([WEAK])
    first = Profile.uniform(game)
    assert game.labels is not None
    for infoset, action, s in game.labels[0].walk(game.plexes[0]):
        first.behavior[0][s] = float(action == "0") if infoset == "G1" else 1.0
    assert could_gain(game, first, 0) == pytest.approx(0.5)
    plain = [
        could_gain(game, solve(game).profile, 0)
        for rows in itertools.permutations(range(3))
        for game in [choose_endgame([[WEAK[i] for i in rows]])]
    ]
    assert max(plain) > 0.4  # the plain program falls for it in some order


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 5))
def test_never_dominated_in_games_full_of_ties(seed: int, m: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    endgames = [rng.integers(0, 3, size=(m, n)).tolist() for _ in range(int(rng.integers(1, 3)))]
    game = choose_endgame(endgames)
    found = undominated(game)
    assert found.value == pytest.approx(solve(game).value, abs=1e-9)
    assert not found.warnings
    for player in (0, 1):
        assert could_gain(game, found.profile, player) <= 1e-7


@each()
def test_undominated_is_an_equilibrium(oracle: Oracle) -> None:
    game = oracle.build()
    found = undominated(game)
    assert found.value == pytest.approx(oracle.value, abs=1e-9 + oracle.digits)
    assert found.gap <= 1e-9 * game.payoff_range
    if game.num_infosets < 100:
        assert could_gain(game, found.profile, 0) <= 1e-7
        assert could_gain(game, found.profile, 1) <= 1e-7


@pytest.mark.parametrize("seed", range(8))
def test_undominated_with_ranges(seed: int) -> None:
    game = random_game(seed)
    found = undominated(game)
    assert found.value == pytest.approx(solve(game).value, abs=1e-8)
    assert found.gap <= 1e-9 * game.payoff_range


def test_undominated_kuhn_picks_from_the_family() -> None:
    game = kuhn()
    behavior = named(game, undominated(game).profile)
    alpha = behavior["0", "b"]
    assert 0 <= alpha <= 1 / 3 + 1e-12
    assert behavior["2", "b"] == pytest.approx(3 * alpha, abs=1e-12)


@pytest.mark.parametrize("epsilon", [1e-1, 1e-2, 1e-4, 1e-6])
def test_guesses_well_when_asked_against_expectation(epsilon: float) -> None:
    """Player 0 had better not offer the guess; player 1 still guesses the 51 cards, not the one."""
    game = guess_the_ace()
    found = quasi_perfect(game, epsilon)
    behavior = named(game, found.profile)
    assert behavior["guess", "other"] >= 1 - epsilon - 1e-12
    assert behavior["", "quit"] >= 1 - epsilon - 1e-12
    assert not found.warnings


def test_forfeits_no_more_than_it_trembles() -> None:
    found = quasi_perfect(coin_toss(), 1e-3)
    behavior = named(coin_toss(), found.profile)
    assert behavior["Right", "Forfeit"] == pytest.approx(1e-3, abs=1e-12)
    assert behavior["Right", "Heads"] + behavior["Right", "Tails"] == pytest.approx(0.999)


def test_kuhn_converges_to_its_value() -> None:
    """The value of the perturbed play tends to -1/18 linearly in epsilon."""
    misses = [abs(quasi_perfect(kuhn(), epsilon).value + 1 / 18) for epsilon in (1e-2, 1e-3, 1e-4)]
    assert misses[1] / misses[0] == pytest.approx(0.1, rel=0.05)
    assert misses[2] / misses[1] == pytest.approx(0.1, rel=0.05)


def test_kuhn_plays_off_path_hands_by_themselves() -> None:
    """A king that was passed (never, in this equilibrium) calls; a jack folds, beyond trembling."""
    behavior = named(kuhn(), quasi_perfect(kuhn(), 1e-3).profile)
    assert behavior["2pb", "b"] >= 0.998
    assert behavior["0pb", "p"] >= 0.998
    assert behavior["2b", "b"] >= 0.998


@pytest.mark.parametrize("epsilon", [1e-2, 1e-3])
@each()
def test_every_decision_is_best_beside_its_trembles(oracle: Oracle, epsilon: float) -> None:
    game = oracle.build()
    deepest = max(int(plex.depth.max()) for plex in game.plexes)
    with warnings.catch_warnings():
        warnings.simplefilter("error" if epsilon**deepest > 1e-15 else "ignore")
        found = quasi_perfect(game, epsilon)
    assert found.perturbed_gap <= 1e-9 * game.payoff_range
    for plex, plan in zip(
        game.plexes, (found.profile.plan(game, 0), found.profile.plan(game, 1)), strict=True
    ):
        assert (plan >= epsilon**plex.depth * (1 - 1e-6)).all()
    if not found.warnings:
        assert found.worst_mistake <= 1e-6
        assert found.tremble == pytest.approx(epsilon**deepest)


@pytest.mark.parametrize("seed", range(8))
def test_quasi_perfect_with_ranges(seed: int) -> None:
    game = random_game(seed)
    found = quasi_perfect(game, 1e-2)
    assert found.perturbed_gap <= 1e-9 * game.payoff_range
    assert found.worst_mistake <= 1e-6


def deep(moves: int) -> Game:
    """Player 0 may go on at each of many moves, player 1 then guesses which way it ended."""

    def expand(state: tuple[str, ...]) -> Node:
        if len(state) == moves + 1:
            return Leaf(float(state[-2] == state[-1]) - 1.0)
        if len(state) == moves:
            return Decision(1, "guess", [(guess, (*state, guess)) for guess in "ab"])
        return Decision(0, "".join(state), [(move, (*state, move)) for move in "ab"])

    return build((), expand, "deep")


def test_trembles_too_small_are_owned_up_to() -> None:
    with pytest.warns(PrecisionWarning, match="too small for this game"):
        found = quasi_perfect(deep(6), 1e-4)
    assert any("hardly exceeds" in warning for warning in found.warnings)
    assert found.tremble == pytest.approx(1e-24)


def test_refinement_resolves_trembles_below_the_tolerances() -> None:
    """Leduc at 1e-3 has trembles of 1e-12, a hundredth of HiGHS's tightest tolerance."""
    found = quasi_perfect(leduc(), 1e-3)
    assert found.tremble == pytest.approx(1e-12)
    assert found.worst_mistake < 1e-9
    assert not found.warnings


@pytest.mark.parametrize("epsilon", [0.0, -1e-3, 0.51, float("nan")])
def test_refuses_epsilon(epsilon: float) -> None:
    with pytest.raises(GameError, match="epsilon must lie above 0 and not above 1/2"):
        quasi_perfect(kuhn(), epsilon)


def test_needs_perfect_recall() -> None:
    for method in (undominated, quasi_perfect):
        with pytest.raises(GameError, match="LP needs perfect recall"):
            method(forgetful(), options=Options())

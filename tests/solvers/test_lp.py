"""LP: exact values, certificates, laws over random games, and the short list's equality."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from endspiel.errors import GameError
from endspiel.game import Game, Matrix, Profile, TerminalGroup, exploitability
from endspiel.games.leduc_holdem import leduc
from endspiel.games.toy import choose_endgame, clairvoyance, coin_toss, kuhn
from endspiel.games.tree import Chance, Decision, Leaf, Node, build
from endspiel.kernels.arrays import Floats
from endspiel.solvers.lp import Options, PrecisionWarning, solve
from endspiel.solvers.lp.equilibrium import solve_short
from endspiel.solvers.lp.highs import Solver, SolverError
from endspiel.solvers.lp.sequence_form import ProgramSize, SequenceForm
from endspiel.solvers.lp.task import ProgramTask
from tests.kernels.test_equal import random_plex
from tests.oracles import LARGE_ORACLES, Oracle, each, liars_dice

seeds = st.integers(0, 2**32 - 1)


def random_game(seed: int) -> Game:
    """Two random treeplexes with several roots each, and a full matrix of payoffs."""
    rng = np.random.default_rng(seed)
    plexes = random_plex(rng), random_plex(rng)
    payoffs = Matrix(rng.normal(size=(plexes[0].num_sequences, plexes[1].num_sequences)))
    zero = np.zeros(1, dtype=np.int64)
    return Game(plexes, [TerminalGroup(payoffs, np.ones(1), zero, zero)]).validate()


def matrix_value(matrix: Floats) -> float:
    """A matrix game's value by SciPy: the largest v that every column leaves a mixture of rows."""
    m, n = matrix.shape
    answer = linprog(
        np.append(np.zeros(m), -1),
        A_ub=np.hstack([-matrix.T, np.ones((n, 1))]),
        b_ub=np.zeros(n),
        A_eq=[np.append(np.ones(m), 0)],
        b_eq=[1],
        bounds=[(0, None)] * m + [(None, None)],
    )
    return float(answer.x[-1])


@pytest.mark.parametrize("solver", ["simplex", "ipm"])
@each()
def test_values(oracle: Oracle, solver: str) -> None:
    game = oracle.build()
    assert game.num_infosets == oracle.infosets
    found = solve(game, Options(solver))
    assert found.value == pytest.approx(oracle.value, abs=1e-9 + oracle.digits)
    assert found.gap <= 1e-9 * game.payoff_range
    assert found.solver == solver
    assert not found.warnings


@each(LARGE_ORACLES)
def test_large_values(oracle: Oracle) -> None:
    game = oracle.build()
    assert game.num_infosets == oracle.infosets
    found = solve(game)
    assert found.value == pytest.approx(oracle.value, abs=1e-12 + oracle.digits)
    assert found.gap <= 1e-12


@pytest.mark.parametrize("bet", [0.25, 0.5, 1.0, 2.0, 7.0])
def test_clairvoyance_strategies(bet: float) -> None:
    game = clairvoyance(bet)
    behavior = named(game, solve(game).profile)
    assert behavior["win", "bet"] == pytest.approx(1)
    assert behavior["lose", "bet"] == pytest.approx(bet / (1 + bet), abs=1e-12)
    assert behavior["b", "call"] == pytest.approx(1 / (1 + bet), abs=1e-12)


def test_kuhn_family() -> None:
    """Every equilibrium of Kuhn bets the king three times as often as it bluffs the jack."""
    game = kuhn()
    behavior = named(game, solve(game).profile)
    alpha = behavior["0", "b"]
    assert -1e-12 <= alpha <= 1 / 3 + 1e-12
    assert behavior["2", "b"] == pytest.approx(3 * alpha, abs=1e-12)
    assert behavior["1pb", "b"] == pytest.approx(alpha + 1 / 3, abs=1e-12)
    assert behavior["0p", "b"] == pytest.approx(1 / 3, abs=1e-12)
    assert behavior["1b", "b"] == pytest.approx(1 / 3, abs=1e-12)


def named(game: Game, profile: Profile) -> dict[tuple[str, str], float]:
    """Both players' probabilities by infoset and action."""
    assert game.labels is not None
    return {
        (infoset, action): float(profile.behavior[player][s])
        for player in (0, 1)
        for infoset, action, s in game.labels[player].walk(game.plexes[player])
    }


@settings(max_examples=40, deadline=None)
@given(seeds, st.integers(1, 6), st.integers(1, 6))
def test_matrix_games_agree_with_scipy(seed: int, m: int, n: int) -> None:
    matrix = np.random.default_rng(seed).integers(-5, 6, size=(m, n)).astype(float)
    game = choose_endgame([matrix.tolist()])
    assert solve(game).value == pytest.approx(matrix_value(matrix), abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_primal_equals_dual(seed: int) -> None:
    """Player 0's program and player 1's own give one value; each side's plans are plans."""
    game = random_game(seed)
    form = SequenceForm.of(game)
    values = []
    for side in (form, form.flip()):
        program = side.program()
        found = Solver(program, "simplex").solve()
        primal = program.cost @ found.z
        dual = np.where(np.isinf(program.row_upper), 0, program.row_upper) @ found.row_dual
        assert float(primal) == pytest.approx(float(dual), abs=1e-8)
        values.append(float(primal) * side.scale)
        for plex, plan in zip(side.plexes, side.plans(found), strict=True):
            E, e = plex.constraints()
            assert E @ plan == pytest.approx(e, abs=1e-9)
    assert values[0] == pytest.approx(-values[1], abs=1e-8)
    assert solve(game).value == pytest.approx(values[0], abs=1e-8)


@settings(max_examples=25, deadline=None)
@given(seeds)
def test_certified(seed: int) -> None:
    game = random_game(seed)
    found = solve(game)
    assert exploitability(game, found.profile).mean <= 1e-9 * game.payoff_range
    for plex, behavior in zip(game.plexes, found.profile.behavior, strict=True):
        assert (behavior >= 0).all()
        assert (behavior <= 1).all()
        assert behavior.shape == (plex.num_sequences,)


def test_masses_of_any_size() -> None:
    """Root masses scale the value and leave the strategies' quality alone."""
    game = random_game(5)
    shrunk = replace(
        game,
        plexes=tuple(replace(plex, root=plex.root * 1e-6) for plex in game.plexes),  # type: ignore[arg-type]
    )
    assert solve(shrunk).value == pytest.approx(solve(game).value * 1e-12, rel=1e-9)


def test_payoffs_of_any_size() -> None:
    game = leduc()
    group = replace(game.groups[0], stakes=np.array([2.5e7]))
    large = replace(game, groups=[group], span=None)
    found = solve(large)
    assert found.value == pytest.approx(-0.0856064240780005 * 2.5e7, rel=1e-12)
    assert not found.warnings


@pytest.mark.parametrize("sides", [3, 4])
def test_short_list_equals_whole(sides: int) -> None:
    game = liars_dice(sides)
    found = solve_short(ProgramTask(game, Options()))
    whole = solve(game, Options(shortlist=False))
    if found is not None:  # None where the lists would not be short
        answer = exploitability(game, found)
        assert answer.mean <= 1e-12
        assert answer.value == pytest.approx(whole.value, abs=1e-12)


def test_short_list_is_used_where_it_pays() -> None:
    assert solve_short(ProgramTask(liars_dice(5), Options())) is not None
    assert solve_short(ProgramTask(leduc(), Options())) is None


@pytest.mark.parametrize("solver", ["simplex", "ipm"])
def test_refinement_sharpens(solver: str) -> None:
    """Iterative refinement takes misses from double to extended precision."""
    engine = Solver(SequenceForm.of(leduc()).program(), solver)
    found = engine.solve()
    refined = engine.refine(found, 1e-19)
    assert refined.miss < found.miss
    assert refined.miss < 1e-17


def test_size_is_known_before() -> None:
    game = kuhn()
    size, program = ProgramSize.of(game), SequenceForm.of(game).program()
    assert (size.rows, size.columns) == program.matrix.shape
    assert size.nonzeros >= program.matrix.nnz
    assert solve(game).size == size


def test_an_impossible_tolerance_is_reported() -> None:
    with pytest.warns(PrecisionWarning, match="more than the certified"):
        found = solve(leduc(), Options(tolerance=1e-30))
    assert found.warnings


def test_refusals() -> None:
    with pytest.raises(SolverError, match="one of auto, simplex, ipm, not 'barrier'"):
        solve(kuhn(), Options("barrier"))
    with pytest.raises(SolverError, match="time limit"):
        solve(leduc(), Options(time_limit=0.0))
    with pytest.raises(GameError, match="LP needs perfect recall"):
        solve(forgetful())


def forgetful() -> Game:
    """Player 0 forgets the first of two own moves."""

    def expand(state: tuple[str, ...]) -> Node:
        if len(state) == 2:
            return Leaf(float(state[0] == state[1]))
        name = "first" if not state else "second"
        return Decision(0, name, [(move, (*state, move)) for move in "ab"])

    return build((), expand, "forgetful")


def test_no_decision_at_all() -> None:
    def expand(state: int | None) -> Node:
        return Chance([(0.5, 1), (0.5, 4)]) if state is None else Leaf(state)

    assert solve(build(None, expand)).value == pytest.approx(2.5)


def test_constant_payoffs_need_no_warning() -> None:
    assert solve(choose_endgame([[[3.1, 3.1], [3.1, 3.1]]])).warnings == ()


def test_coin_toss_is_played_as_the_paper_plays_it() -> None:
    game = coin_toss()
    behavior = named(game, solve(game).profile)
    assert behavior["Right", "Heads"] == pytest.approx(0.25, abs=0.25 + 1e-9)
    assert behavior["Right", "Forfeit"] == pytest.approx(0, abs=1e-12)

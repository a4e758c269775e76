"""EGT: the condition it keeps, its certificate, its order of convergence, and its distance."""

import io
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endspiel.engine.schemes import SCHEMES
from endspiel.errors import GameError
from endspiel.game import Game, Matrix, TerminalGroup, Treeplex, exploitability
from endspiel.games import toy
from endspiel.games.leduc_holdem import leduc
from endspiel.games.tree import Decision, Leaf, Node, build
from endspiel.kernels.arrays import Floats
from endspiel.solvers.firstorder.cfr import CFR
from endspiel.solvers.firstorder.dilated import DilatedEntropy, behavior_of, weights_for
from endspiel.solvers.firstorder.egt import EGT, PLAIN, EGTOptions
from tests.kernels.test_equal import random_plex

WEIGHTS = ["one", "global", "treeplex", "spread"]
ONE_CENTER = EGTOptions(recenter=0.0)
FIGURE_2 = [[[0, 2], [1, 0]], [[3, -1], [-2, 4], [0, 1]]]
GAMES: dict[str, Callable[[], Game]] = {
    "kuhn": toy.kuhn,
    "kuhn5": lambda: toy.kuhn(5),
    "coin-toss": toy.coin_toss,
    "rps": toy.rock_paper_scissors,
    "clairvoyance": toy.clairvoyance,
    "choose-endgame": lambda: toy.choose_endgame(FIGURE_2),
    "leduc": leduc,
}
seeds = st.integers(0, 2**32 - 1)


def random_game(rng: np.random.Generator) -> Game:
    """Two random treeplexes with several roots each, and a full matrix of payoffs."""
    plexes = random_plex(rng), random_plex(rng)
    payoffs = Matrix(rng.normal(size=(plexes[0].num_sequences, plexes[1].num_sequences)))
    zero = np.zeros(1, dtype=np.int64)
    return Game(plexes, [TerminalGroup(payoffs, np.ones(1), zero, zero)]).validate()


def distance(entropy: DilatedEntropy, plan: Floats) -> float:
    """The dilated divergence from its center, state by state as it is defined."""
    total = 0.0
    behavior = behavior_of(entropy.plex, plan)
    for block in entropy.plex:
        for k in range(block.num_states):
            actions = block.first + k + block.num_states * np.arange(block.num_actions)
            p, c = behavior[actions], entropy.center[actions]
            logs = np.log(np.divide(p, c, out=np.ones_like(p), where=p > 0))
            total += entropy.weights[actions[0]] * plan[block.parent[k]] * (p @ logs)
    return total


def random_entropy(rng: np.random.Generator) -> DilatedEntropy:
    game = random_game(rng)
    name = WEIGHTS[int(rng.integers(len(WEIGHTS)))]
    weights = weights_for(name, game, 0, game.gradient)
    entropy = DilatedEntropy(game.plexes[0], weights, game.plexes[0].uniform())
    if rng.random() < 0.5:
        return entropy
    return entropy.recentered(game.plexes[0].random_plan(rng), 0.1)


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_smoothed_response_attains_the_maximum(seed: int) -> None:
    rng = np.random.default_rng(seed)
    entropy = random_entropy(rng)
    gradient, mu = rng.normal(size=entropy.plex.num_sequences), 10 ** rng.uniform(-2, 1)
    value, plan = entropy.respond(gradient, mu)
    assert value == pytest.approx(gradient @ plan - mu * distance(entropy, plan), abs=1e-9)
    for _ in range(5):
        other = entropy.plex.random_plan(rng)
        for mixed in (other, plan + 0.01 * (other - plan)):
            assert gradient @ mixed - mu * distance(entropy, mixed) <= value + 1e-9


def test_masses_too_small_to_divide_by_leave_a_behavior() -> None:
    plex = Treeplex.from_blocks(np.ones(1), [(np.array([0]), 2), (np.array([1]), 2)])
    behavior = behavior_of(plex, np.array([1.0, 1e-315, 1.0, 1e-315, 0.0]))
    assert behavior == pytest.approx([1, 0, 1, 0.5, 0.5])


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_diameter_is_the_largest_distance(seed: int) -> None:
    rng = np.random.default_rng(seed)
    entropy = random_entropy(rng)
    assert distance(entropy, entropy.plex.walk_down(entropy.center)) == pytest.approx(0, abs=1e-12)
    pure = [
        entropy.plex.walk_down(
            entropy.plex.best_response(rng.normal(size=entropy.plex.num_sequences))[1]
        )
        for _ in range(20)
    ]
    assert all(-1e-12 <= distance(entropy, plan) <= entropy.diameter + 1e-9 for plan in pure)


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_bregman_step_is_a_smoothed_response_to_the_mixed_gradient(seed: int) -> None:
    rng = np.random.default_rng(seed)
    entropy = random_entropy(rng)
    plex, tau, mu = entropy.plex, rng.uniform(0.1, 0.9), 1.5
    first, second = 0.3 * rng.normal(size=(2, plex.num_sequences))
    around = DilatedEntropy(plex, entropy.weights, behavior_of(plex, entropy.respond(first, mu)[1]))
    if (around.center[plex.num_roots :] < 1e-200).any():
        return  # beyond what a logarithm can take back
    _, step = around.respond(tau / (1 - tau) * second, mu)
    _, response = entropy.respond((1 - tau) * first + tau * second, (1 - tau) * mu)
    np.testing.assert_allclose(step, response, atol=1e-8)


@settings(max_examples=40, deadline=None)
@given(seeds, st.sampled_from(["global", "treeplex"]))
def test_strong_convexity_is_as_claimed(seed: int, name: str) -> None:
    rng = np.random.default_rng(seed)
    game = random_game(rng)
    plex = game.plexes[0]
    entropy = DilatedEntropy(plex, weights_for(name, game, 0, game.gradient), plex.uniform())
    for _ in range(5):
        x, y = plex.random_plan(rng), plex.random_plan(rng)
        bregman = distance(DilatedEntropy(plex, entropy.weights, plex.behavior(y)), x)
        if plex.num_blocks:
            assert bregman >= 0.5 * entropy.modulus * np.abs(x - y).sum() ** 2 - 1e-12


@settings(max_examples=30, deadline=None)
@given(seeds, st.sampled_from([EGTOptions(w) for w in WEIGHTS] + [ONE_CENTER, PLAIN]))
def test_condition_and_certificates_hold_at_every_step(seed: int, options: EGTOptions) -> None:
    game = random_game(np.random.default_rng(seed))
    solver = EGT(game, options)
    for _ in range(25):
        assert solver.excess() <= 0
        assert smoothed_sum(solver) <= 1e-10
        true = 2 * exploitability(game, solver.average()).mean
        assert solver.gap == pytest.approx(true, abs=1e-10)
        assert solver.bound >= true - 1e-10
        solver.step()


def smoothed_sum(solver: EGT) -> float:
    """Both smoothed values from the plans alone: no stored gradient, no certificate."""
    total = 0.0
    for player, (entropy, mu) in enumerate(zip(solver.distances, solver.pair.mu, strict=True)):
        slope = solver.game.gradient(player, solver.pair.plans[1 - player])
        plan = entropy.respond(slope, mu)[1]
        total += float(slope @ plan) - mu * distance(entropy, plan)
    return total


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("options", [EGTOptions(), ONE_CENTER], ids=["recentered", "one-center"])
def test_every_small_game_converges(name: str, options: EGTOptions) -> None:
    game = GAMES[name]()
    solver = EGT(game, options)
    goal = 2e-3 if name == "leduc" else 2e-4
    gaps = [solver.gap]
    while solver.gap > 2 * goal and solver.gradients < 4000:
        solver.step()
        gaps.append(solver.gap)
    assert exploitability(game, solver.average()).mean <= goal
    assert solver.gap == pytest.approx(2 * exploitability(game, solver.average()).mean, abs=1e-12)
    assert all(np.diff(gaps) <= 0)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_every_weighting_solves_kuhn(weights: str) -> None:
    game = toy.kuhn()
    solver = EGT(game, EGTOptions(weights))
    while solver.gap > 2e-4 and solver.gradients < 4000:
        solver.step()
    profile = solver.average()
    assert exploitability(game, profile).mean <= 1e-4
    assert exploitability(game, profile).value == pytest.approx(-1 / 18, abs=2e-4)


def slope(solver: EGT, iterations: int) -> float:
    """Fitted exponent of the gap in the number of steps, over the last factor of sixteen."""
    marks = np.unique(np.geomspace(iterations / 16, iterations, 12).astype(int))
    gaps = []
    for mark in marks:
        while solver.iteration < mark:
            solver.step()
        gaps.append(solver.gap)
    return float(np.polyfit(np.log(marks), np.log(gaps), 1)[0])


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
@pytest.mark.parametrize("options", [ONE_CENTER, EGTOptions("global", recenter=0.0)])
def test_gap_falls_as_one_over_the_steps(name: str, options: EGTOptions) -> None:
    assert slope(EGT(GAMES[name](), options), 4000) <= -0.85


def test_certificate_of_the_schedule_falls_as_one_over_the_steps() -> None:
    solver = EGT(toy.kuhn(), PLAIN)
    bounds = []
    for _ in range(1024):
        solver.step()
        bounds.append(solver.bound)
    assert np.log(bounds[1023] / bounds[63]) / np.log(16) == pytest.approx(-1, abs=0.05)


def test_leduc_needs_few_gradients_beside_cfr_plus() -> None:
    game = leduc()
    cfr = CFR(game, SCHEMES["cfr+"])
    while exploitability(game, cfr.average()).mean > 1e-3:
        cfr.step()
    egt = EGT(game)
    while egt.gap / 2 > 1e-3 and egt.gradients < 10 * cfr.iteration:
        egt.step()
    assert exploitability(game, egt.average()).mean <= 1e-3
    assert egt.gradients <= 2 * (2 * cfr.iteration)


def test_gradients_counts_every_product() -> None:
    game, calls = toy.kuhn(), 0
    plain = Game.gradient

    def counted(self: Game, player: int, plan: Floats) -> Floats:
        nonlocal calls
        calls += 1
        return plain(self, player, plan)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Game, "gradient", counted)
        solver = EGT(game)
        for _ in range(200):
            solver.step()
    assert solver.gradients == calls
    assert solver.recenterings > 0


@pytest.mark.parametrize("options", [EGTOptions(), ONE_CENTER, PLAIN])
@pytest.mark.parametrize("at", [3, 60, 151])
def test_going_on_from_a_file_is_bit_identical(options: EGTOptions, at: int) -> None:
    game = toy.kuhn(4)
    whole, first = EGT(game, options), EGT(game, options)
    for _ in range(at):
        first.step()
    file = io.BytesIO()
    np.savez(file, **first.state())
    file.seek(0)
    second = EGT(game, options)
    second.restore(dict(np.load(file)))
    for _ in range(200 - at):
        second.step()
    for _ in range(200):
        whole.step()
    assert whole.state().keys() == second.state().keys()
    for name, array in whole.state().items():
        np.testing.assert_array_equal(array, second.state()[name], err_msg=name)


def test_going_on_after_the_last_bit_is_harmless() -> None:
    game = toy.coin_toss()
    solver = EGT(game, EGTOptions(recenter=0.5))
    for _ in range(6000):
        solver.step()
    assert np.isfinite(solver.bound)
    assert all(np.isfinite(plan).all() for plan in solver.pair.plans)
    assert exploitability(game, solver.average()).mean < 1e-9


def test_a_player_without_decisions_is_fine() -> None:
    plexes = (
        Treeplex.from_blocks(np.array([0.5, 0.5]), [(np.array([0, 1]), 2)]),
        Treeplex(np.ones(1), Treeplex.from_blocks(np.ones(1), []).arrays),
    )
    payoffs = Matrix(np.array([[0.0], [0], [1], [2], [3], [-1]]))
    zero = np.zeros(1, dtype=np.int64)
    game = Game(plexes, [TerminalGroup(payoffs, np.ones(1), zero, zero)])
    for options in (EGTOptions(), PLAIN):
        solver = EGT(game, options)
        for _ in range(100):
            solver.step()
        assert exploitability(game, solver.average()).mean < (1e-12 if options != PLAIN else 0.1)
    assert EGT(game).pair.plans[1] == pytest.approx([1])


def test_forgetful_players_are_refused() -> None:
    def expand(state: tuple[int, ...]) -> Node:
        if len(state) == 2:
            return Leaf(float(state[0] == state[1]))
        actions = [("a", (*state, 0)), ("b", (*state, 1))]
        return Decision(0, "first" if not state else "second", actions)

    with pytest.raises(GameError, match="EGT needs perfect recall"):
        EGT(build((), expand))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: EGT(toy.kuhn(), EGTOptions("heavy")), "no weights named 'heavy'"),
        (lambda: EGTOptions(recenter=1.5), "below 1, not 1.5"),
        (lambda: EGTOptions(aggressive=False), "keeps its center"),
        (lambda: EGT(toy.kuhn(), EGTOptions("one", False, 0.0)), "no known strong convexity"),
    ],
)
def test_bad_options_are_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(GameError, match=message):
        make()

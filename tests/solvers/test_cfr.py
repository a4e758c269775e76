"""What is proved about CFR (Bowling et al. 2015, supplement), and shared rows."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endspiel.engine.schemes import SCHEMES, Scheme
from endspiel.errors import GameError
from endspiel.game import Game, Profile, Treeplex, exploitability
from endspiel.games.leduc_holdem import leduc
from endspiel.games.toy import coin_toss, kuhn
from endspiel.kernels.arrays import Floats
from endspiel.solvers.firstorder.cfr import CFR
from endspiel.solvers.solve import solve
from tests.solvers.coarse import by_name, coarsened, kuhn_with_deals, shared
from tests.solvers.test_egt import random_game

INFINITE = float("inf")
SIMULTANEOUS = Scheme(INFINITE, INFINITE, 0, alternating=False)
GAMES: dict[str, tuple[Game, float]] = {
    "kuhn": (kuhn(), -1 / 18),
    "kuhn-5": (kuhn(5), -1 / 15),
    "coin-toss": (coin_toss(), 0.0),
    "leduc": (leduc(), -0.0856064240780005),
}
seeds = st.integers(0, 2**32 - 1)
each_game = pytest.mark.parametrize("name", GAMES)


class Watched:
    """CFR with everything noted down that its proofs speak of.

    Updates are simultaneous, so that both players face the same sequence of profiles 1..T, and
    the stored regrets are the supplement's R^T(I, a) of equation 3: nothing is discounted.
    """

    def __init__(self, game: Game, iterations: int) -> None:
        self.game, self.T = game, iterations
        self.solver = CFR(game, SIMULTANEOUS)
        self.plans: tuple[list[Floats], list[Floats]] = [], []  # of iterations 1 to T
        self.squares = [np.zeros_like(learner.regret) for learner in self.solver.learners]
        for _ in range(iterations):
            self._note()
            before = [learner.regret.copy() for learner in self.solver.learners]
            self.solver.step()
            for player, learner in enumerate(self.solver.learners):
                self.squares[player] += (learner.regret - before[player]) ** 2

    def _note(self) -> None:
        for player, learner in enumerate(self.solver.learners):
            self.plans[player].append(learner.plan.copy())

    def overall_regret(self, player: int) -> float:
        """Equation 6: best fixed strategy less own play."""
        gradients = [self.game.gradient(player, y) for y in self.plans[1 - player]]
        plex = self.game.plexes[player]
        values, _ = plex.best_response(np.sum(gradients, axis=0))
        played = zip(self.plans[player], gradients, strict=True)
        return float(plex.root @ values[: plex.num_roots]) - sum(x @ g for x, g in played)

    def states(self, player: int) -> list[tuple[Floats, Floats, float]]:
        """Each state's regrets [A], sums of squared increments [A], and root mass behind it."""
        found = []
        plex = self.game.plexes[player]
        regret = self.solver.learners[player].regret
        for block in plex:
            span = slice(block.first, block.first + block.num_actions * block.num_states)
            regrets = regret[span].reshape(block.num_actions, -1)
            squares = self.squares[player][span].reshape(block.num_actions, -1)
            masses = plex.mass[block.parent]
            found += [(regrets[:, k], squares[:, k], masses[k]) for k in range(len(masses))]
        return found


@each_game
@pytest.mark.parametrize("iterations", [1, 7, 150])
def test_regret_of_each_infoset_and_of_the_whole(name: str, iterations: int) -> None:
    game, _ = GAMES[name]
    watched = Watched(game, iterations)
    delta = game.payoff_range  # bounds counterfactual values too: others reach with at most 1
    for player, plex in enumerate(game.plexes):
        total = 0.0
        for regrets, _, _ in watched.states(player):
            assert regrets.max() <= delta * np.sqrt(len(regrets) * iterations)  # equation 5
            total += max(0.0, regrets.max())
        overall = watched.overall_regret(player)
        widest = plex.arrays.actions.max()
        assert overall <= total + 1e-9  # equation 7, left
        assert total <= plex.num_infosets * delta * np.sqrt(widest * iterations)  # and right


@settings(max_examples=25, deadline=None)
@given(seeds, st.integers(1, 40))
def test_regrets_on_random_games(seed: int, iterations: int) -> None:
    """Regret matching's potential: the positive regrets' squares grow by each step's at most."""
    watched = Watched(random_game(np.random.default_rng(seed)), iterations)
    for player in (0, 1):
        total = 0.0
        for regrets, squares, mass in watched.states(player):
            positive = np.maximum(regrets, 0)
            assert positive @ positive <= squares.sum() * (1 + 1e-9) + 1e-12
            total += mass * positive.max()
        assert watched.overall_regret(player) <= total + 1e-9 * (1 + total)


@each_game
def test_averages_are_as_good_as_regrets_are_small(name: str) -> None:
    """Two players with regrets of at most e a round: their averages are a 2e-equilibrium.

    What both lost to each other cancels, so that exploitability is just the mean average regret.
    The stored average holds the plans that iterations 1 to T played, as equation 8 has it.
    """
    game, _ = GAMES[name]
    watched = Watched(game, 60)
    regrets = [watched.overall_regret(player) / watched.T for player in (0, 1)]
    measured = exploitability(game, watched.solver.average())
    assert measured.mean == pytest.approx(sum(regrets) / 2, abs=1e-12)
    assert max(measured.gains) <= 2 * max(regrets) + 1e-12


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_current_strategy_of_cfr_plus_approaches_equilibrium(name: str) -> None:
    game, _ = GAMES[name]
    solver = CFR(game, SCHEMES["cfr+"])
    start = exploitability(game, solver.current()).mean
    means = []
    for until in (100, 400, 1600):
        solver.advance(until - solver.iteration)
        window = []
        for _ in range(50):
            solver.step()
            window.append(exploitability(game, solver.current()).mean)
        means.append(np.mean(window))
    assert means[0] > means[1] > means[2]
    assert means[-1] < 0.05 * start


def random_profile(game: Game, rng: np.random.Generator) -> Profile:
    """Random play, some of it nearly pure."""
    weights = [rng.exponential(size=plex.num_sequences) ** 3 for plex in game.plexes]
    return Profile((game.plexes[0].behavior(weights[0]), game.plexes[1].behavior(weights[1])))


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(GAMES)), seeds)
def test_exploitability_bounds_epsilon(name: str, seed: int) -> None:
    game, value = GAMES[name]
    measured = exploitability(game, random_profile(game, np.random.default_rng(seed)))
    gains, own = measured.gains, measured.against(value)
    assert measured.value - gains[1] >= value - own[0] - 1e-12  # equation 11
    assert -measured.value - gains[0] >= -value - own[1] - 1e-12  # equation 12
    assert min(*gains, *own) >= -1e-12
    assert max(gains) <= sum(gains) + 1e-12  # equation 13, step by step
    assert sum(gains) <= sum(own) + 1e-12
    assert sum(own) == pytest.approx(2 * measured.mean, abs=1e-12)


def test_milli_big_blinds() -> None:
    game, _ = GAMES["leduc"]
    measured = exploitability(game, Profile.uniform(game))
    assert measured.milli_big_blinds == pytest.approx(1000 * measured.mean)
    assert exploitability(coin_toss(), Profile.uniform(coin_toss())).unit is None
    with pytest.raises(GameError, match="no big blind"):
        _ = exploitability(coin_toss(), Profile.uniform(coin_toss())).milli_big_blinds


def merge_low(name: str) -> str:
    """Cards 0 and 1 look the same: the private card is the name's first letter."""
    return "1" + name[1:] if name[0] == "0" else name


def start_anywhere(solver: CFR, player: int, regrets: dict[tuple[str, str], float]) -> None:
    """Give a player regrets by merged names, as if from iterations before.

    From the usual start, regrets can tie at zero, and rounding alone then decides what is played.
    """
    game, learner = solver.backend.game, solver.learners[player]
    assert game.labels is not None
    rows = game.plexes[player].rows
    for name, action, sequence in game.labels[player].walk(game.plexes[player]):
        at = sequence if rows is None else rows.of[sequence]
        learner.regret[at] = regrets[merge_low(name), action]
    solver.iteration = 1


def follow(fine: Game, coarse: Game, scheme: Scheme) -> None:
    """Both games by one scheme: the same strategy wherever the fine game's names are merged."""
    rng = np.random.default_rng(1)
    solvers = CFR(fine, scheme), CFR(coarse, scheme)
    for player, plex in enumerate(coarse.plexes):
        regrets = by_name(coarse, player, rng.normal(scale=0.1, size=plex.num_sequences))
        for solver in solvers:
            start_anywhere(solver, player, regrets)
    for solver in solvers:
        solver.advance(20)
    for get in (CFR.average, CFR.current):
        ours, theirs = get(solvers[0]), get(solvers[1])
        for player in (0, 1):
            merged = by_name(coarse, player, theirs.behavior[player])
            for (name, action), share in by_name(fine, player, ours.behavior[player]).items():
                assert share == pytest.approx(merged[merge_low(name), action], abs=1e-12)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("seed", range(3))
def test_shared_rows_equal_the_coarsened_game(scheme: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    deals = np.where(np.eye(4), 0, rng.random((4, 4)))
    deals /= deals.sum()
    masses = rng.random(4) + 0.1, rng.random(4) + 0.1
    fine = shared(kuhn_with_deals(deals), merge_low, masses)
    assert [plex.num_roots for plex in fine.plexes] == [4, 4]
    follow(fine, kuhn_with_deals(deals, merge_low), SCHEMES[scheme])


# The plus variants forget negative regrets, so that ties at zero come up again and again.
@pytest.mark.parametrize("scheme", ["cfr", "linear", "dcfr"])
def test_shared_rows_in_leduc(scheme: str) -> None:
    fine = shared(leduc(), merge_low)
    coarse = coarsened(leduc(), merge_low)
    assert fine.num_infosets == coarse.num_infosets < 936
    follow(fine, coarse, SCHEMES[scheme])


def test_mass_matters_among_shared_rows() -> None:
    """Without its mass a state would count as much as one that is seldom dealt."""
    deals = np.where(np.eye(3), 0, np.array([[6.0], [1.0], [2.0]]) @ np.ones((1, 3)))
    masses = np.array([5.0, 0.1, 1.0]), np.array([0.2, 1.0, 3.0])
    game = shared(kuhn_with_deals(deals / deals.sum()), merge_low, masses)
    plexes = game.plexes
    bare = tuple(Treeplex(plex.root, plex.arrays, plex.rows) for plex in plexes)
    for plex in bare:
        vars(plex)["mass"] = np.ones(plex.num_sequences)
    unweighted = Game((bare[0], bare[1]), game.groups, labels=game.labels)
    results = [
        exploitability(game, solve(each, "cfr+", iterations=500).profile).mean
        for each in (game, unweighted)
    ]
    assert abs(results[0] - results[1]) > 1e-3


@pytest.mark.parametrize("make", [kuhn, leduc, lambda: shared(kuhn(4), merge_low)])
def test_many_steps_at_once_are_the_same_steps(make: Callable[[], Game]) -> None:
    one, many = CFR(make(), SCHEMES["dcfr"]), CFR(make(), SCHEMES["dcfr"])
    for _ in range(30):
        one.step()
    many.advance(17)
    many.advance(13)
    assert one.iteration == many.iteration == 30
    for ours, theirs in zip(one.state().values(), many.state().values(), strict=True):
        assert ours.tobytes() == theirs.tobytes()


def test_shared_rows_leave_the_roots_sure() -> None:
    """Who holds a hand holds it: only what follows is played by the average."""
    game = shared(leduc(), merge_low)
    solver = CFR(game, SCHEMES["dcfr"])
    solver.advance(3)
    for plex, learner in zip(game.plexes, solver.learners, strict=True):
        assert (learner.average_behavior()[: plex.num_roots] == 1).all()

"""The board kernels' solves against the dense game, linear programs and a plain 64-bit loop."""

from functools import cache

import numpy as np
import pytest

from endspiel.cards.equity import range_equity
from endspiel.engine.schemes import SPOT_SCHEMES, Scheme
from endspiel.game import Game, Profile, counterfactual_values, exploitability
from endspiel.games.card_game import CardGame
from endspiel.games.card_tree import CardTree, card_tree
from endspiel.games.dense import dense_game, spread
from endspiel.kernels.board import BEST, EXPECTED
from endspiel.solvers.boards.cfr import BoardCFR
from endspiel.solvers.lp import solve as solve_lp
from tests.games.spots import menu_sizing, random_game, small_game, spot_game
from tests.kernels import reference
from tests.solvers.boards import DCFR, DONK, assert_same, kept_vector

RIVER, TURN, FLOP = "Jc 6s 2c Kd Qc", "Qs Jh 2h 4c", "Qs Jh 2h"
CASES = {
    "river": (RIVER, ("AA:0.5,QJs,T9s,77", "KK,T9s:0.25,A5s,66"), menu_sizing("50%, a", "60%"), 60),
    "one hand": (RIVER, ("AcAd", "AcKc:0.3,7h2d"), menu_sizing(["33%", ""], ["", "a"]), 90),
    "blockers": (RIVER, ("AsAh,AsKs", "AsKh:0.1,AhKc,TcTs"), menu_sizing("a"), 40),
    "wide": (RIVER, ("22+,A2s+,K9s+:0.3", "random"), menu_sizing("33%, 75%", "60%, a"), 90),
    "turn": (TURN, ("AhKh,QQ:0.5,T9s,A5s", "JJ,AhTh:0.7,99,K2s"), menu_sizing("50%", "a"), 30),
    "donk": (TURN, ("AKs,QQ", "JJ,KTs"), DONK, 60),
    "all-in turn": (TURN, ("AKs,QQ", "JJ,KTs:0.2,AhTh"), menu_sizing("a"), 15),
    "nobody bets": (TURN, ("AKs,QQ:0.5,T9s", "JJ,AhTh:0.7,99"), menu_sizing(""), 20),
    "flop": (FLOP, ("AKs,QcQd:0.5", "JJ,AhTh:0.7"), menu_sizing("a"), 20),
    "one-sided flop": (FLOP, ("KhTh,QcQd", "JJ:0.4"), menu_sizing(["", "50%"]), 30),
}


@cache
def case(name: str) -> tuple[CardGame, Game]:
    board, ranges, sizing, stack = CASES[name]
    game = small_game(board, ranges, sizing, stack=stack)
    return game, dense_game(game)


def tolerance(game: CardGame) -> float:
    """What rounding may cost: a millionth of the largest pot, as a share of the starting one."""
    return 1e-6 * (1 + 2 * game.betting.stack / game.betting.pot)


def expected_values(game: Game, player: int, profile: Profile) -> np.ndarray:
    """What each sequence is worth [S] when the player goes on with the profile."""
    values = game.gradient(player, profile.plan(game, 1 - player))
    for span, shape, parent in reversed(list(reference.blocks(game.plexes[player].arrays))):
        shares = profile.behavior[player][span].reshape(shape)
        np.add.at(values, parent, (shares * values[span].reshape(shape)).sum(axis=0))
    return values


@pytest.mark.parametrize("name", CASES)
def test_values_equal_the_dense_game(name: str) -> None:
    game, dense = case(name)
    solve = BoardCFR(game, DCFR)
    for steps in (0, 7):
        solve.advance(steps)
        truth = exploitability(dense, solve.backend.strategy().profile())
        close = tolerance(game)
        assert solve.exploitability() == pytest.approx(truth.mean, abs=close)
        assert solve.value() == pytest.approx(truth.value, abs=close)
        for player in (0, 1):
            best = game.tree.ranges[player][game.tree.streets[0][0].hands[player]] @ (
                solve.backend.best_values(player)
            )
            assert best == pytest.approx(truth.best[player], abs=close)


@pytest.mark.parametrize("name", CASES)
def test_action_values_equal_the_dense_game(name: str) -> None:
    game, dense = case(name)
    solve = BoardCFR(game, DCFR)
    solve.advance(3)
    profile = solve.backend.strategy().profile()
    rng = np.random.default_rng(3)
    for player in (0, 1):
        where = spread(game, player)
        truths = {
            BEST: counterfactual_values(dense, player, profile),
            EXPECTED: expected_values(dense, player, profile),
        }
        for street, boards in enumerate(game.tree.streets):
            lines = len(game.streets[street].starts)
            for b in rng.choice(len(boards), min(len(boards), 12), replace=False).tolist():
                for mode, truth in truths.items():
                    values = solve.backend.action_values(street, b, player, mode)[lines:]
                    start = where.base[street][b]
                    right = truth[start : start + values.size].reshape(values.shape)
                    np.testing.assert_allclose(values, right, atol=1e-6)


@pytest.mark.parametrize("seed", range(12))
def test_values_of_random_games_equal_the_dense_game(seed: int) -> None:
    rng = np.random.default_rng(seed)
    game = random_game(rng, int(rng.choice([2, 3])), largest=25)
    apart = CardGame(game.betting, without_symmetry(game))
    solve = BoardCFR(apart, SPOT_SCHEMES["cfr+"])
    solve.advance(4)
    truth = exploitability(dense_game(apart), solve.backend.strategy().profile())
    assert solve.exploitability() == pytest.approx(truth.mean, abs=tolerance(game))
    assert solve.value() == pytest.approx(truth.value, abs=tolerance(game))


def without_symmetry(game: CardGame) -> CardTree:
    return card_tree(game.tree.streets[0][0].cards, game.tree.ranges, symmetry=False)


@pytest.mark.parametrize(
    ("board", "ranges"),
    [
        (RIVER, ("22+,A2s+:0.4", "random")),
        (TURN, ("random", "JJ-99,AhTh:0.7")),
        (FLOP, ("AKs,QQ:0.5", "JJ,AhTh,99")),
    ],
)
@pytest.mark.parametrize("symmetry", [False, True])
def test_always_checking_is_worth_the_equity(
    board: str, ranges: tuple[str, str], symmetry: bool
) -> None:
    game = small_game(board, ranges, menu_sizing(""), symmetry=symmetry)
    solve = BoardCFR(game, DCFR)
    solve.advance(2)
    equity = range_equity(*game.tree.ranges, game.tree.streets[0][0].cards).equity
    assert solve.value() == pytest.approx(equity - 0.5, abs=1e-6)
    assert solve.exploitability() == pytest.approx(0, abs=1e-6)


# Iterations.


class PlainLoop:
    """The same scheme on the dense game, in 64-bit floats: the loop as one would write it."""

    def __init__(self, game: Game, scheme: Scheme) -> None:
        self.game, self.scheme, self.iteration = game, scheme, 0
        self.regret = [np.zeros(plex.num_sequences) for plex in game.plexes]
        self.average = [np.zeros(plex.num_sequences) for plex in game.plexes]

    def current(self, player: int) -> tuple[np.ndarray, np.ndarray]:
        """Behavior and plan that the regrets play."""
        plex = self.game.plexes[player]
        behavior = plex.behavior(self.regret[player])
        return behavior, plex.walk_down(behavior)

    def advance(self, count: int) -> None:
        for _ in range(count):
            self.iteration += 1
            for player in (0, 1):
                self.learn(player)

    def learn(self, player: int) -> None:
        """One player's half of an iteration."""
        by = self.scheme.at(self.iteration)
        behavior, plan = self.current(player)
        self.average[player] = by.average * self.average[player] + plan
        advantage = self.game.gradient(player, self.current(1 - player)[1])
        reference.advantages(self.game.plexes[player].arrays, behavior, advantage)
        old = self.regret[player]
        kept = np.where(old > 0, by.positive * old, by.negative * old)
        self.regret[player] = kept + advantage
        self.regret[player][: self.game.plexes[player].num_roots] = 0


@pytest.mark.parametrize("scheme", SPOT_SCHEMES)
@pytest.mark.parametrize("name", ["river", "one hand", "blockers", "turn", "donk", "all-in turn"])
def test_every_iteration_equals_the_plain_loop(name: str, scheme: str) -> None:
    """Each half of 25 iterations, from the same regrets.

    Where a regret is all but zero its sign, and so a whole strategy, hangs on rounding: runs left
    to themselves drift apart.
    """
    game, dense = case(name)
    solve, plain = BoardCFR(game, SPOT_SCHEMES[scheme]), PlainLoop(dense, SPOT_SCHEMES[scheme])
    for _ in range(25):
        solve.step()
        plain.iteration += 1
        for player, plex in enumerate(dense.plexes):
            plain.learn(player)
            regret = kept_vector(solve, solve.store.regret, player) / game.pairs
            average = kept_vector(solve, solve.store.average, player)
            rest = slice(plex.num_roots, None)
            np.testing.assert_allclose(regret[rest], plain.regret[player][rest], atol=1e-5)
            np.testing.assert_allclose(average[rest], plain.average[player][rest], atol=2e-5)
            plain.regret[player], plain.average[player] = regret, average


@pytest.mark.parametrize("name", ["river", "one hand", "wide", "donk"])
def test_runs_stay_near_the_plain_loop(name: str) -> None:
    game, dense = case(name)
    solve, plain = BoardCFR(game, DCFR), PlainLoop(dense, DCFR)
    for steps, close in ((5, 1e-5), (15, 1e-3)):
        solve.advance(steps)
        plain.advance(steps)
        average = Profile.from_plans(dense, *plain.average)
        truth = exploitability(dense, average)
        assert solve.exploitability() == pytest.approx(truth.mean, abs=close)
        assert solve.value() == pytest.approx(truth.value, abs=close)


@pytest.mark.parametrize("name", ["river", "one hand", "blockers", "donk", "all-in turn"])
def test_long_runs_reach_the_value_of_the_linear_program(name: str) -> None:
    game, dense = case(name)
    solution = BoardCFR(game, DCFR)
    solution.advance(2000)
    gap = solution.exploitability()
    assert gap < 1e-3
    # Each player's best response bounds the value from one side.
    assert solution.value() == pytest.approx(solve_lp(dense).value, abs=2 * gap + 1e-6)


@pytest.mark.parametrize(("name", "steps"), [("river_b", 300), ("river_a", 30)])
def test_single_precision_costs_less_than_a_millionth_of_the_pot(name: str, steps: int) -> None:
    game = spot_game(name, symmetry=False)
    solve = BoardCFR(game, DCFR)
    solve.advance(steps)
    truth = exploitability(dense_game(game), solve.backend.strategy().profile())
    assert solve.exploitability() == pytest.approx(truth.mean, abs=1e-6)
    assert solve.value() == pytest.approx(truth.value, abs=1e-6)


def test_very_long_runs_do_not_drift() -> None:
    """What rounds away in 32-bit averages stays small beside what an iteration adds to them."""
    ranges = ("TT-77,AQs", "KQo,99")
    game = small_game("Qs Jh 2h 4c 7d", ranges, menu_sizing("50%", "60%"), stack=90)
    solve = BoardCFR(game, SPOT_SCHEMES["cfr+"])
    solve.advance(400_000)
    assert solve.exploitability() < 1e-5


@pytest.mark.parametrize("faint", [2.0**-50, 2.0**-130, 2.0**-600])
def test_faint_ranges_are_solved_as_well(faint: float) -> None:
    """Only ratios of weights matter, however small all of them are."""
    game, _ = case("river")
    first, second = game.tree.ranges
    dim = CardGame(
        game.betting, card_tree(game.tree.streets[0][0].cards, (first * faint, second * faint))
    )
    solves = BoardCFR(game, DCFR), BoardCFR(dim, DCFR)
    for solution in solves:
        solution.advance(50)
    assert solves[0].exploitability() == pytest.approx(solves[1].exploitability(), rel=1e-5)
    assert solves[0].value() == pytest.approx(solves[1].value(), rel=1e-5)


# Running, stopping, locking.


def test_strategies_are_probabilities() -> None:
    game, _ = case("turn")
    solve = BoardCFR(game, DCFR)
    solve.advance(5)
    for street, boards in enumerate(game.tree.streets):
        plan = game.streets[street]
        for player in (0, 1):
            shares = solve.store.behavior(street, len(boards) - 1, player)
            assert (shares >= 0).all()
            for first, actions in zip(plan.first[player], plan.actions[player], strict=True):
                start = first - len(plan.starts)
                np.testing.assert_allclose(shares[start : start + actions].sum(axis=0), 1)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", ["river", "turn"])
def test_a_resumed_run_is_the_same_to_the_bit(name: str, threads: int) -> None:
    game, _ = case(name)
    whole = BoardCFR(game, DCFR, threads)
    whole.advance(20)
    first = BoardCFR(game, DCFR, threads)
    first.advance(7)
    state = {key: array.copy() for key, array in first.state().items()}
    first.advance(5)  # goes its own way: the state must not follow
    second = BoardCFR(game, DCFR, threads)
    second.restore(state)
    assert second.iteration == 7
    second.exploitability()  # looking changes nothing
    for count in (6, 7):
        second.advance(count)
    assert_same(whole, second)
    assert whole.exploitability() == second.exploitability()


@pytest.mark.parametrize("name", ["turn", "donk", "flop"])
def test_threads_change_nothing_but_rounding(name: str) -> None:
    game, _ = case(name)
    one, two = BoardCFR(game, DCFR), BoardCFR(game, DCFR, threads=2)
    assert (one.backend.threads, two.backend.threads) == (1, 2)
    for _ in range(4):
        two.restore(one.state())
        one.step()
        two.step()
        assert_same(one, two, 1e-5)
        assert one.exploitability() == pytest.approx(two.exploitability(), abs=1e-6)
        assert one.value() == pytest.approx(two.value(), abs=1e-6)


@pytest.mark.parametrize("name", ["river", "donk"])
def test_locked_decisions_never_learn(name: str) -> None:
    game, _ = case(name)
    rng = np.random.default_rng(0)
    solve = BoardCFR(game, DCFR)
    solve.store.regret[:] = rng.random(game.store_size)
    solve.store.locked[:] = rng.integers(0, 2, len(solve.store.locked))
    before = [kept_vector(solve, solve.store.regret, player) for player in (0, 1)]
    solve.advance(5)
    changed = total = 0
    at = 0
    for street, boards in enumerate(game.tree.streets):
        plan = game.streets[street]
        for player in (0, 1):
            after = kept_vector(solve, solve.store.regret, player)
            where = spread(game, player)
            for b, board in enumerate(boards):
                for first, actions in zip(plan.first[player], plan.actions[player], strict=True):
                    K = len(board.hands[player])
                    start = where.base[street][b] + (first - len(plan.starts)) * K
                    span = slice(start, start + actions * K)
                    same = np.array_equal(before[player][span], after[span])
                    if solve.store.locked[at]:
                        assert same
                    elif actions > 1:
                        total += 1
                        changed += not same
                    at += 1
    assert at == len(solve.store.locked)
    assert changed > 0.9 * total


def test_locked_decisions_bound_the_best_response() -> None:
    """A player who may not change anything gains nothing; who may change all, most."""
    game, _ = case("river")
    solve = BoardCFR(game, DCFR)
    solve.advance(3)
    gains = []
    for locked in (1, 0):
        solve.store.locked[:] = locked
        gains.append(solve.exploitability())
    assert gains[0] == pytest.approx(0, abs=1e-6)
    assert gains[1] > 1e-3

"""Every backend's average is of the strategies that iterations 1 to T play: equation 8.

One plain NumPy loop is held against all of them, and after one iteration each has to tell the
uniform strategy, which is what the first iteration plays.
"""

from collections.abc import Callable

import numpy as np
import pytest

from endspiel.betting.tree import DECISION
from endspiel.blueprint.sampled import SampledCFR, SampledGame, Sampling
from endspiel.blueprint.train import Trainer
from endspiel.engine.gadget import GadgetRoot, Terms
from endspiel.engine.schemes import SCHEMES, SPOT_SCHEMES, Scheme
from endspiel.game import Game, Profile
from endspiel.games.dense import dense_game
from endspiel.games.leduc_holdem import leduc
from endspiel.reproduce.nlfh_buckets import bucket_count, flop_buckets
from endspiel.reproduce.nlfh_game import FlopGame
from endspiel.reproduce.nlfh_solvers import Flops, StreamFlops, WholeSolver
from endspiel.solvers.boards.cfr import BoardCFR
from endspiel.solvers.firstorder.cfr import CFR
from tests.blueprint.small import setting
from tests.blueprint.test_sampled import BOARD, Listed, Mixed, short_tree
from tests.games.spots import menu_sizing, small_game
from tests.kernels import reference
from tests.solvers.coarse import kuhn_with_deals, shared

ITERATIONS = 4
Played = tuple[Game, Profile]


def twin(game: Game, scheme: Scheme, iterations: int = ITERATIONS) -> Profile:
    """CFR as the supplement writes it down, in 64 bits; iteration t has weight t^gamma."""
    form = game.matrix
    regret = [np.zeros(plex.num_sequences) for plex in game.plexes]
    total = [np.zeros(plex.num_sequences) for plex in game.plexes]
    news = [np.zeros(plex.num_sequences) for plex in game.plexes]
    for t in range(1, iterations + 1):
        for player, plex in enumerate(game.plexes):
            predicted = [
                old + new * scheme.predictive for old, new in zip(regret, news, strict=True)
            ]
            own = matched(game, player, predicted[player])
            other = plan_of(game, 1 - player, matched(game, 1 - player, predicted[1 - player]))
            total[player] += t**scheme.gamma * plan_of(game, player, own)
            values = form @ other if player == 0 else -(form.T @ other)
            for block in reversed(list(plex)):
                span = slice(block.first, block.first + block.num_actions * block.num_states)
                gains = values[span].reshape(block.num_actions, -1)
                worth = (gains * own[span].reshape(gains.shape)).sum(axis=0)
                news[player][span] = (gains - worth).ravel()
                np.add.at(values, block.parent, worth)
            kept = [discount(t - 1, exponent) for exponent in (scheme.alpha, scheme.beta)]
            regret[player] *= np.where(regret[player] > 0, *kept)
            regret[player] += news[player]
    return Profile((matched(game, 0, total[0]), matched(game, 1, total[1])))


def discount(t: int, exponent: float) -> float:
    """t^e / (t^e + 1)."""
    if abs(exponent) == np.inf:
        return float(exponent > 0)
    return t**exponent / (t**exponent + 1) if t else 0.0


def matched(game: Game, player: int, weights: np.ndarray) -> np.ndarray:
    """Behavior [S] in proportion to the positive weights [S] of each state's actions."""
    behavior = np.ones(len(weights))
    for block in game.plexes[player]:
        span = slice(block.first, block.first + block.num_actions * block.num_states)
        positive = np.maximum(weights[span], 0).reshape(block.num_actions, -1)
        even = np.full(positive.shape, 1 / block.num_actions)
        sums = positive.sum(axis=0)
        behavior[span] = np.divide(positive, sums, out=even, where=sums > 0).ravel()
    return behavior


def plan_of(game: Game, player: int, behavior: np.ndarray) -> np.ndarray:
    """The plan [S] of a behavior [S]."""
    plex = game.plexes[player]
    plan = np.concatenate([plex.root, np.zeros(len(behavior) - plex.num_roots)])
    for block in plex:
        for a in range(block.num_actions):
            at = block.first + a * block.num_states + np.arange(block.num_states)
            plan[at] = behavior[at] * plan[block.parent]
    return plan


def by_kernels(scheme: str) -> Played:
    game = leduc()
    solver = CFR(game, SCHEMES[scheme])
    solver.advance(ITERATIONS)
    return game, solver.average()


def by_reference_kernels(scheme: str) -> Played:
    game = leduc()
    solver = CFR(game, SCHEMES[scheme])
    one, two = solver.learners
    schedule = np.array([SCHEMES[scheme].at(t + 1) for t in range(ITERATIONS)])
    reference.iterate(one.side(game.matrix), two.side(-game.matrix.T), schedule, True)
    return game, solver.average()


def by_shared_rows(scheme: str) -> Played:
    game = shared(kuhn_with_deals((1 - np.eye(4)) / 12), lambda name: name)
    solver = CFR(game, SCHEMES[scheme])
    solver.advance(ITERATIONS)
    return game, solver.average()


def by_card_payoffs(scheme: str) -> Played:
    game = dense_game(small_game("Jc 6s 2c Kd Qc", ("AA:0.5,QJs", "KK,T9s"), menu_sizing("50%")))
    solver = CFR(game, SCHEMES[scheme])
    solver.advance(ITERATIONS)
    return game, solver.average()


def by_boards(scheme: str, threads: int = 1) -> Played:
    game = small_game("Qs Jh 2h 4c", ("AKs,QQ:0.5", "JJ,AhTh:0.7"), menu_sizing("50%"))
    solver = BoardCFR(game, SPOT_SCHEMES[scheme], threads)
    solver.advance(ITERATIONS)
    return dense_game(game), solver.backend.strategy().profile()


def by_boards_on_threads(scheme: str) -> Played:
    return by_boards(scheme, threads=2)


def by_training(scheme: str) -> Played:
    game = setting().abstract_game(np.float32)
    trainer = Trainer(game, SCHEMES[scheme], threads=2)
    for _ in range(ITERATIONS):
        trainer.step()
    sums = [learner.average.astype(np.float64) for learner in trainer.learners]
    return game, Profile((matched(game, 0, sums[0]), matched(game, 1, sums[1])))


BACKENDS: dict[str, tuple[Callable[[str], Played], float]] = {
    "kernels": (by_kernels, 1e-12),
    "reference kernels": (by_reference_kernels, 1e-12),
    "shared rows": (by_shared_rows, 1e-12),
    "card payoffs": (by_card_payoffs, 1e-9),
    "boards": (by_boards, 1e-4),
    "boards on threads": (by_boards_on_threads, 1e-4),
    "training": (by_training, 1e-3),
}


CASES = [
    (backend, scheme)
    for backend in BACKENDS
    for scheme in ("cfr", "cfr+", "linear", "sapcfr+")
    if scheme in SPOT_SCHEMES or "boards" not in backend  # the board kernels do not predict
]


@pytest.mark.parametrize(("backend", "scheme"), CASES)
def test_averages_are_those_of_a_plain_loop(backend: str, scheme: str) -> None:
    play, close = BACKENDS[backend]
    game, found = play(scheme)
    schemes = SPOT_SCHEMES if "boards" in backend else SCHEMES
    right = twin(game, schemes[scheme])
    for player in (0, 1):
        ours, theirs = (
            plan_of(game, player, profile.behavior[player]) for profile in (found, right)
        )
        differ = np.abs(ours - theirs) > close
        # In 32 bits rounding decides what is played where nothing is at stake.
        assert differ.mean() <= (0.0 if close < 1e-6 else 0.02)


def test_sampled_training_starts_from_uniform_play() -> None:
    game = SampledGame(short_tree(), Mixed(), Listed(np.array([BOARD], np.uint8)), 100.0)
    solver = SampledCFR(game, SCHEMES["cfr+"], Sampling(boards=1))
    solver.step()
    for node in np.flatnonzero(game.tree.kind == DECISION).tolist():
        assert solver.strategy(node) == pytest.approx(1 / int(game.tree.num_children[node]))


@pytest.mark.parametrize("kind", [None, "strength"])
def test_flop_holdem_starts_from_uniform_play(kind: str | None) -> None:
    game = FlopGame("small", 4)
    buckets = kind and flop_buckets(game.cards, bucket_count(game.cards), kind)
    for flops in (Flops(), StreamFlops()):
        solver = WholeSolver(game, flops, buckets)
        before = solver.exploitability()  # of no average at all, which counts as uniform
        solver.advance(1)
        assert solver.exploitability() == pytest.approx(before, rel=1e-5)


def test_a_gadgets_root_starts_from_an_even_choice() -> None:
    none, each = np.zeros(3, dtype=bool), np.ones(3)
    entrance = GadgetRoot(Terms(~none, 0 * each, each, none, 0 * each, each))
    by = SCHEMES["cfr+"].at(1)
    entrance.remember(by)
    entrance.learn(np.array([3.0, 1.0, 0.0]), by)
    assert entrance.mean[0] == pytest.approx(each / 3)
    assert entrance.choice()[0][0] > 1 / 2

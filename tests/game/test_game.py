"""The core: treeplexes, gradients, best responses and exploitability against other ways to them."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from endspiel.errors import GameError
from endspiel.game import (
    Game,
    Matrix,
    Profile,
    Sparse,
    TerminalGroup,
    Treeplex,
    best_response,
    counterfactual_values,
    expected_value,
    exploitability,
)
from endspiel.games.export import to_tabular_policy
from endspiel.games.leduc_holdem import leduc
from endspiel.games.openspiel import from_openspiel
from endspiel.games.toy import coin_toss, kuhn, rock_paper_scissors
from endspiel.games.tree import Decision, Leaf, Node, build
from endspiel.kernels.arrays import Floats
from tests.kernels.test_equal import random_plex
from tests.solvers.test_egt import random_game

seeds = st.integers(0, 2**32 - 1)
ZERO = np.zeros(1, dtype=np.int64)


def random_profile(game: Game, rng: np.random.Generator) -> Profile:
    weights = [rng.exponential(size=plex.num_sequences) for plex in game.plexes]
    return Profile((game.plexes[0].behavior(weights[0]), game.plexes[1].behavior(weights[1])))


@settings(max_examples=60, deadline=None)
@given(seeds)
def test_plans_and_behavior(seed: int) -> None:
    rng = np.random.default_rng(seed)
    plex = random_plex(rng)
    behavior = plex.behavior(rng.random(plex.num_sequences))
    plan = plex.walk_down(behavior)
    E, e = plex.constraints()
    np.testing.assert_allclose(E @ plan, e, atol=1e-12)
    assert (plan >= 0).all()
    np.testing.assert_allclose(plex.behavior(plan), behavior, atol=1e-9)
    np.testing.assert_allclose(plex.mass, plex.walk_down(np.ones_like(plan)))
    assert plex.num_infosets == E.shape[0] - plex.num_roots
    uniform = plex.uniform()
    for block in plex:
        span = slice(block.first, block.first + block.num_actions * block.num_states)
        np.testing.assert_allclose(uniform[span], 1 / block.num_actions)
        assert (plex.depth[span] == np.tile(plex.depth[block.parent] + 1, block.num_actions)).all()


@settings(max_examples=60, deadline=None)
@given(seeds)
def test_gradients_are_the_matrix(seed: int) -> None:
    rng = np.random.default_rng(seed)
    game = random_game(rng)
    profile = random_profile(game, rng)
    x, y = profile.plan(game, 0), profile.plan(game, 1)
    np.testing.assert_allclose(game.gradient(0, y), game.matrix @ y, atol=1e-9)
    np.testing.assert_allclose(game.gradient(1, x), -(game.matrix.T @ x), atol=1e-9)
    assert expected_value(game, profile) == pytest.approx(x @ game.matrix @ y)


def test_groups_with_many_terminals_add_up() -> None:
    """Terminals that share a payoff, dense or sparse, pay their stakes where they point."""
    rng = np.random.default_rng(3)
    plex = Treeplex.from_blocks(np.ones(2), [(np.array([0, 1]), 3)])
    form = rng.normal(size=(2, 2))
    seqs0, seqs1, stakes = np.array([2, 4, 6]), np.array([6, 2, 2]), np.array([1.0, -2.0, 0.5])
    dense = np.zeros((8, 8))
    for stake, s0, s1 in zip(stakes, seqs0, seqs1, strict=True):
        dense[s0 : s0 + 2, s1 : s1 + 2] += stake * form
    for payoff in (Matrix(form), Sparse(sparse.csr_matrix(form))):
        game = Game((plex, plex), [TerminalGroup(payoff, stakes, seqs0, seqs1)]).validate()
        np.testing.assert_allclose(game.matrix.toarray(), dense)
        y = rng.random(8)
        np.testing.assert_allclose(game.gradient(0, y), dense @ y)
        np.testing.assert_allclose(game.gradient(1, y), -dense.T @ y)


def pure_plans(plex: Treeplex) -> list[Floats]:
    """Every pure plan, by brute force over the actions of all states."""
    states = [(block, k) for block in plex for k in range(block.num_states)]
    plans = []
    for choice in product(*(range(block.num_actions) for block, _ in states)):
        behavior = np.zeros(plex.num_sequences)
        behavior[: plex.num_roots] = 1
        for (block, k), a in zip(states, choice, strict=True):
            behavior[block.first + a * block.num_states + k] = 1
        plans.append(plex.walk_down(behavior))
    return plans


@pytest.mark.parametrize("game", [kuhn(), coin_toss(), rock_paper_scissors()], ids=lambda g: g.name)
def test_best_responses_by_brute_force(game: Game) -> None:
    profile = random_profile(game, np.random.default_rng(0))
    for player in (0, 1):
        gradient = game.gradient(player, profile.plan(game, 1 - player))
        value, behavior = best_response(game, player, profile)
        assert value == pytest.approx(max(x @ gradient for x in pure_plans(game.plexes[player])))
        assert game.plexes[player].walk_down(behavior) @ gradient == pytest.approx(value)
        values = counterfactual_values(game, player, profile)
        assert values[0] == pytest.approx(value)


@pytest.mark.parametrize("name", ["kuhn_poker", "leduc_poker", "liars_dice(dice_sides=3)"])
def test_exploitability_is_open_spiels(name: str) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    from open_spiel.python.algorithms.exploitability import nash_conv

    theirs = pyspiel.load_game(name)
    game = from_openspiel(name)
    profile = random_profile(game, np.random.default_rng(1))
    policy = to_tabular_policy(game, profile, theirs)
    measured = exploitability(game, profile)
    assert 2 * measured.mean == pytest.approx(nash_conv(theirs, policy), abs=1e-9)
    assert sum(measured.gains) == pytest.approx(2 * measured.mean)


def test_payoff_range() -> None:
    assert kuhn().payoff_range == 4
    assert leduc().payoff_range == 26
    bounded = replace(kuhn(), span=None)
    assert bounded.payoff_range >= 4


def test_fingerprints_tell_games_apart() -> None:
    games = [kuhn(), kuhn(4), coin_toss(), coin_toss(0.25), rock_paper_scissors(), leduc()]
    assert len({game.fingerprint for game in games}) == len(games)
    assert kuhn().fingerprint == replace(kuhn(), name="another name").fingerprint


def forgetful() -> Game:
    """A player who forgets the own first move."""

    def expand(state: tuple[str, ...]) -> Node:
        if len(state) == 2:
            return Leaf(1.0 if state == ("a", "b") else 0.0)
        return Decision(0, f"move {len(state)}", [(m, (*state, m)) for m in "ab"])

    return build((), expand, "forgetful")


def test_forgetting_is_refused_by_name() -> None:
    kuhn().require_perfect_recall("LP")
    with pytest.raises(GameError, match=r"LP needs perfect recall.*player 0.*move 1"):
        forgetful().require_perfect_recall("LP")


def group(seq: int = 0, stake: float = 1.0) -> TerminalGroup:
    return TerminalGroup(Matrix(np.ones((1, 1))), np.array([stake]), ZERO + seq, ZERO)


def test_what_does_not_fit_is_refused() -> None:
    plex = Treeplex.from_blocks(np.ones(1), [(ZERO, 2)])
    Game((plex, plex), [group()]).validate()
    with pytest.raises(GameError, match="points outside player 0's sequences"):
        Game((plex, plex), [group(seq=3)]).validate()
    with pytest.raises(GameError, match="stake that is not a finite number"):
        Game((plex, plex), [group(stake=np.inf)]).validate()
    for bad, sentence in (
        (Treeplex.from_blocks(-np.ones(1), []), "root masses"),
        (Treeplex.from_blocks(np.ones(1), [(ZERO, 0)]), "needs a state and an action"),
        (Treeplex.from_blocks(np.ones(1), [(ZERO + 1, 2)]), "does not come before it"),
    ):
        with pytest.raises(GameError, match=sentence):
            Game((plex, bad), [group()]).validate()

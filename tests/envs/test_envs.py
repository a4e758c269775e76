"""Environments: the libraries' own checks, and the games that they play."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test

import endspiel as es
from endspiel.envs.gym import HOLDEM_ID, SMALL_ID, HoldemEnv, SmallGameEnv
from endspiel.envs.pettingzoo import holdem_env, small_game_env
from endspiel.envs.play import HoldemPlay, SmallPlay
from endspiel.errors import EndspielError
from endspiel.games.registry import choose_endgame_example

SMALL = ("kuhn", "leduc", "coin-toss", "rps", "clairvoyance", "choose-endgame")


@pytest.mark.parametrize(
    ("name", "options"), [(HOLDEM_ID, {"opponent": "always-call"}), (SMALL_ID, {"game": "kuhn"})]
)
def test_gymnasium_finds_nothing_wrong(name: str, options: dict[str, Any]) -> None:
    env = gymnasium.make(name, **options)
    check_env(env.unwrapped, skip_render_check=True)
    env.close()


@pytest.mark.filterwarnings("ignore:.*:UserWarning")  # of agents' names and observations' kinds
@pytest.mark.parametrize("make", [holdem_env, lambda: small_game_env("leduc")])
def test_pettingzoo_finds_nothing_wrong(make: Any, capsys: pytest.CaptureFixture[str]) -> None:
    api_test(make(), num_cycles=200)
    seed_test(make, num_cycles=50)


def random_play(play: Any, rng: np.random.Generator) -> tuple[float, float]:
    play.begin(rng)
    while play.actor >= 0:
        legal = np.flatnonzero(play.mask())
        play.act(int(rng.choice(legal)))
    found: tuple[float, float] = play.payoffs()
    return found


@pytest.mark.parametrize("name", SMALL)
def test_a_small_game_pays_what_it_is_worth(name: str) -> None:
    """Played at random it pays in the mean what uniform strategies are worth."""
    game = choose_endgame_example() if name == "choose-endgame" else es.load_game(name)
    assert isinstance(game, es.Game)
    play, rng = SmallPlay(game), np.random.default_rng(1)
    won = np.array([random_play(play, rng)[0] for _ in range(3000)])
    worth = es.expected_value(game, es.Profile.uniform(game))
    assert abs(won.mean() - worth) < 4 * won.std() / np.sqrt(len(won)) + 1e-12
    assert len(set(won.tolist())) > 1


def test_every_move_of_a_small_game_is_named() -> None:
    play = SmallPlay(es.games.kuhn())
    play.begin(np.random.default_rng(2))
    seen = play.told(play.actor)
    assert seen["actions"] == ["p", "b"]
    assert seen["infoset"] in ("0", "1", "2")
    assert play.told(1 - play.actor) == {}


def test_a_solved_strategy_beats_random_play() -> None:
    game = es.games.kuhn()
    solved = es.solve(game, "lp").profile
    env = SmallGameEnv(game, solved, seat=0)
    rng, won = np.random.default_rng(3), []
    for seed in range(800):
        seen, _ = env.reset(seed=seed)
        over, reward = False, 0.0
        while not over:
            action = int(rng.choice(np.flatnonzero(seen["action_mask"])))
            seen, reward, over, _, _ = env.step(action)
        won.append(reward)
    mixed = es.Profile((es.Profile.uniform(game).behavior[0], solved.behavior[1]))
    worth = es.expected_value(game, mixed)
    assert worth < -0.05
    assert np.mean(won) == pytest.approx(worth, abs=4 * np.std(won) / np.sqrt(len(won)))


def test_hands_are_paid_by_the_rules() -> None:
    env = HoldemEnv("always-call", seat=1)
    for seed in range(30):
        seen, info = env.reset(seed=seed)
        assert info["player"] == 1
        over, reward = False, 0.0
        while not over:
            legal = np.flatnonzero(seen["action_mask"])
            seen, reward, over, cut, info = env.step(legal[seed % len(legal)])
            assert not cut
        table = env.play
        assert isinstance(table, HoldemPlay)
        assert reward == table.state.payoffs(table.deal)[1] / 100
        assert not seen["action_mask"].any()
    env.close()


def test_the_menu_has_no_two_names_of_one_bet() -> None:
    play = HoldemPlay(bets=(0.01, 0.02, 1.0, 500.0))
    play.begin(np.random.default_rng(1))
    assert play.chips() == [-1, 0, 200, None, 300, 20000, None]
    assert play.mask().tolist() == [1, 1, 1, 0, 1, 1, 0]
    play.act(6)  # all-in, which stands before
    assert play.state.line == "r20000"
    play.act(2)  # nothing to raise: a call
    assert play.state.finished
    assert sum(play.payoffs()) == 0
    assert len(play.board) == 5


def test_a_player_sees_its_own_cards_alone() -> None:
    play = HoldemPlay()
    play.begin(np.random.default_rng(4))
    one, two = play.observation(0), play.observation(1)
    assert np.flatnonzero(one[:52]).tolist() == list(play.deal.holes[0])
    assert np.flatnonzero(two[:52]).tolist() == list(play.deal.holes[1])
    assert not one[52:104].any()
    play.act(1)
    play.act(1)
    assert np.flatnonzero(play.observation(0)[52:104]).tolist() == sorted(play.board)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: HoldemEnv("nobody"), "no agent 'nobody'"),
        (lambda: HoldemEnv(game="leduc"), "is not heads-up hold'em with 52 cards"),
        (lambda: HoldemEnv("always-call", bets=(0.0,)), "above 0"),
        (lambda: HoldemEnv("always-call", seat=2), "a seat is 0, 1 or None"),
        (lambda: SmallGameEnv("limit-holdem:ranks=3"), "is no small game"),
        (lambda: small_game_env("pond"), "there is no game 'pond'"),
        (lambda: SmallGameEnv("push-fold"), "does not remember the order of its moves"),
    ],
)
def test_bad_input_is_refused(make: Any, said: str) -> None:
    with pytest.raises(EndspielError, match=said):
        make()

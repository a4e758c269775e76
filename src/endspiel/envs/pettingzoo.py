"""Environments of PettingZoo (AEC): both players are yours."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv

from endspiel.envs.gym import observation_space, seen_in
from endspiel.envs.play import BETS, HoldemPlay, PlayedGame, SmallPlay
from endspiel.errors import EndspielError
from endspiel.game import Game
from endspiel.games.registry import load_game
from endspiel.rules.builtin import load_rules

PLAYERS: Final = ("player_0", "player_1")


class TwoSided(AECEnv):
    """A game of two players; rewards come at the end."""

    metadata: Final = {"name": "endspiel_v0", "is_parallelizable": False, "render_modes": ["ansi"]}

    def __init__(self, play: PlayedGame, render_mode: str | None = None) -> None:
        super().__init__()
        self.play, self.render_mode = play, render_mode
        self.possible_agents = list(PLAYERS)
        self.agents = list(PLAYERS)
        self.observation_spaces = {
            name: observation_space(play, player) for player, name in enumerate(PLAYERS)
        }
        self.action_spaces = {name: spaces.Discrete(play.num_actions) for name in PLAYERS}
        self._random: Any = np.random.default_rng()

    def observation_space(self, agent: str) -> Any:
        """What a player may see."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """What a player may do."""
        return self.action_spaces[agent]

    def observe(self, agent: str) -> dict[str, Any]:
        """What a player sees now."""
        return seen_in(self.play, PLAYERS.index(agent))

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal again."""
        if seed is not None:
            self._random, _ = seeding.np_random(seed)
        self.play.begin(self._random)
        self.agents = list(PLAYERS)
        self.rewards = dict.fromkeys(PLAYERS, 0.0)
        self._cumulative_rewards = dict.fromkeys(PLAYERS, 0.0)
        self.terminations = dict.fromkeys(PLAYERS, False)
        self.truncations = dict.fromkeys(PLAYERS, False)
        self._note()

    def step(self, action: Any) -> None:
        """Act for the player whose turn it is."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self.play.act(int(action))
        self._note()
        self._accumulate_rewards()

    def _note(self) -> None:
        actor = self.play.actor
        self.infos = {name: self.play.told(player) for player, name in enumerate(PLAYERS)}
        if actor >= 0:
            self.agent_selection = PLAYERS[actor]
            return
        self.rewards = dict(zip(PLAYERS, map(float, self.play.payoffs()), strict=True))
        self.terminations = dict.fromkeys(PLAYERS, True)
        self.agent_selection = PLAYERS[0]

    def render(self) -> str:
        """The game in words."""
        return repr(self.infos)

    def close(self) -> None:
        """Nothing is held."""


def holdem_env(
    bets: Sequence[float] = BETS, game: str = "nolimit-holdem", render_mode: str | None = None
) -> TwoSided:
    """Heads-up hold'em: player_0 has the big blind; rewards are in big blinds."""
    return TwoSided(HoldemPlay(load_rules(game), bets), render_mode)


def small_game_env(game: str | Game = "leduc", render_mode: str | None = None) -> TwoSided:
    """A small game, by name, file or object."""
    found = load_game(game) if isinstance(game, str) else game
    if not isinstance(found, Game):
        raise EndspielError(f"{game!r} is no small game")
    return TwoSided(SmallPlay(found), render_mode)

"""Environments of Gymnasium: one player learns, an agent of ours or a strategy plays the other.

import endspiel.envs.gym
env = gymnasium.make("endspiel/Holdem-v0", opponent="blueprint")
"""

from collections.abc import Sequence
from typing import Any, Final

import gymnasium
import numpy as np
from gymnasium import spaces

from endspiel.agent.base import Agent
from endspiel.arrays import Int8s
from endspiel.envs.opponents import AgentOpponent, OtherSide, ProfileOpponent
from endspiel.envs.play import BETS, HoldemPlay, PlayedGame, SmallPlay
from endspiel.errors import EndspielError
from endspiel.game import Game, Profile
from endspiel.games.registry import load_game
from endspiel.rules.builtin import load_rules

HOLDEM_ID, SMALL_ID = "endspiel/Holdem-v0", "endspiel/Small-v0"
SEATS: Final = (None, 0, 1)


def space_of(play: PlayedGame, player: int) -> Any:
    """What a player may see, beside the mask of its actions."""
    if isinstance(play, HoldemPlay):
        return spaces.Box(0.0, 1.0, (play.observation_size,), np.float32)
    assert isinstance(play, SmallPlay)
    return spaces.Discrete(max(1, play.num_states[player]))


def seen_in(play: PlayedGame, player: int) -> dict[str, Any]:
    """What a player sees, with the mask of its actions: all 0 where the other acts."""
    mask: Int8s = play.mask() if play.actor == player else np.zeros(play.num_actions, np.int8)
    return {"observation": play.observation(player), "action_mask": mask}


def observation_space(play: PlayedGame, player: int) -> Any:
    """The space of observations with their masks."""
    mask = spaces.Box(0, 1, (play.num_actions,), np.int8)
    return spaces.Dict({"observation": space_of(play, player), "action_mask": mask})


class _OneSided(gymnasium.Env):
    """One player against an opponent; the reward comes at the end, and is what was won.

    An action that the mask excludes is taken as the nearest legal one.
    """

    metadata: Final = {"render_modes": ["ansi"]}

    def __init__(
        self, play: PlayedGame, opponent: OtherSide, seat: int | None, render_mode: str | None
    ) -> None:
        if seat not in SEATS:
            raise EndspielError(f"a seat is 0, 1 or None for either, not {seat}")
        self.play, self.opponent, self.seat = play, opponent, seat
        self.render_mode = render_mode
        self.player = seat or 0
        self.action_space = spaces.Discrete(play.num_actions)
        self.observation_space = self._space(seat)

    def _space(self, seat: int | None) -> Any:
        either = seat is None and isinstance(self.play, SmallPlay)
        sizes = self.play.num_states if isinstance(self.play, SmallPlay) else [0]
        return observation_space(self.play, int(np.argmax(sizes)) if either else seat or 0)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        super().reset(seed=seed)
        while True:
            self.player = int(self.np_random.integers(2)) if self.seat is None else self.seat
            self.play.begin(self.np_random)
            self.opponent.begin(self.np_random)
            self._let_opponent_move()
            if self.play.actor >= 0:
                return seen_in(self.play, self.player), self._info()

    def step(self, action: Any) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        self.play.act(int(action))
        self._let_opponent_move()
        over = self.play.actor < 0
        reward = float(self.play.payoffs()[self.player]) if over else 0.0
        return seen_in(self.play, self.player), reward, over, False, self._info()

    def _let_opponent_move(self) -> None:
        while self.play.actor == 1 - self.player:
            self.opponent.move()

    def _info(self) -> dict[str, Any]:
        return {"player": self.player, **self.play.told(self.player)}

    def render(self) -> str:
        """The hand in words."""
        return repr(self._info())

    def close(self) -> None:
        self.opponent.close()


class HoldemEnv(_OneSided):
    """Heads-up hold'em against an agent, in big blinds.

    `seat` 0 has the big blind, 1 the button; None changes at random. Hands that the opponent gives
    up before we act are dealt again.
    """

    def __init__(
        self,
        opponent: str | Agent = "blueprint",
        bets: Sequence[float] = BETS,
        game: str = "nolimit-holdem",
        seat: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        play = HoldemPlay(load_rules(game), bets)
        super().__init__(play, AgentOpponent(play, opponent), seat, render_mode)


class SmallGameEnv(_OneSided):
    """A small game, by name, file or object, against a strategy: uniform or solved."""

    def __init__(
        self,
        game: str | Game = "leduc",
        opponent: Profile | None = None,
        seat: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        found = load_game(game) if isinstance(game, str) else game
        if not isinstance(found, Game):
            raise EndspielError(f"{game!r} is no small game")
        play = SmallPlay(found)
        super().__init__(play, ProfileOpponent(play, opponent), seat, render_mode)


for _id, _made in ((HOLDEM_ID, "HoldemEnv"), (SMALL_ID, "SmallGameEnv")):
    if _id not in gymnasium.registry:
        gymnasium.register(_id, f"{__name__}:{_made}")

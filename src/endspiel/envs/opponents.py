"""Who sits on the other side of an environment: agents of hold'em, strategies of small games."""

from typing import Protocol

import numpy as np

from endspiel.agent.base import Agent, make_agent
from endspiel.envs.play import HoldemPlay, SmallPlay, held_by
from endspiel.game import Profile

_SEED = 2**63


class OtherSide(Protocol):
    """Plays one side."""

    def begin(self, rng: np.random.Generator) -> None:
        """A new hand."""

    def move(self) -> None:
        """Act in its game."""

    def close(self) -> None:
        """Give back what is held."""


class AgentOpponent:
    """An agent of hold'em, by its name or as an object; it may take any legal action."""

    def __init__(self, play: HoldemPlay, agent: str | Agent) -> None:
        self.play = play
        self.agent = make_agent(agent, play.game) if isinstance(agent, str) else agent

    def begin(self, rng: np.random.Generator) -> None:
        self.agent.begin(int(rng.integers(_SEED)))

    def move(self) -> None:
        state = self.play.state
        hole, board = held_by(state, self.play.deal)
        self.play.play(state.mend(self.agent.act(state, hole, board)))

    def close(self) -> None:
        self.agent.close()


class ProfileOpponent:
    """A strategy of a small game; without one, every action alike."""

    def __init__(self, play: SmallPlay, profile: Profile | None = None) -> None:
        self.play = play
        self.profile = profile or Profile.uniform(play.game)
        self._rng = np.random.default_rng(0)

    def begin(self, rng: np.random.Generator) -> None:
        self._rng = rng

    def move(self) -> None:
        chances = self.play.chances(self.profile.behavior[self.play.actor])
        self.play.act(int(self._rng.choice(len(chances), p=chances / chances.sum())))

    def close(self) -> None:
        """Nothing is held."""

"""The agent's thinking while it solves: iterations and gap of its endgame, as they are measured."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

from endspiel.agent import Agent
from endspiel.endgame.live import Limit

Tell = Callable[[dict[str, Any]], None]


def _nobody(news: dict[str, Any]) -> None:
    """For limits that nobody watches."""


@dataclass(frozen=True)
class WatchedLimit(Limit):
    """A limit that tells of every look at the solve that it is asked to end."""

    tell: Tell = field(default=_nobody, compare=False)

    def over(self, iteration: int, gap: float) -> bool:
        news: dict[str, Any] = {"iteration": iteration}
        if gap < inf:
            news["gap_percent"] = round(100 * gap, 4)
        self.tell(news)
        return super().over(iteration, gap)


def watch_endgames(agent: Agent, tell: Tell) -> None:
    """Be told of the endgames that an agent solves, where it is one that does."""
    stages = getattr(agent, "stages", None)
    approach = getattr(stages, "approach", None)
    limit = getattr(approach, "limit", None)
    if stages is None or approach is None or not isinstance(limit, Limit):
        return
    watched = WatchedLimit(limit.target, limit.iterations, limit.deadline, tell)
    stages.approach = replace(approach, limit=watched)

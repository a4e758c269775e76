"""The agent's thinking while it solves: iterations and gap of its endgame, as they are measured."""

from collections.abc import Callable
from typing import Any

from endspiel.agent import Agent
from endspiel.agent.stages import SolvesEndgames
from endspiel.engine.limits import TracePoint

Tell = Callable[[dict[str, Any]], None]


def watch_endgames(agent: Agent, tell: Tell) -> None:
    """Observe the endgames that an agent solves, if it solves any."""

    def observe(point: TracePoint) -> None:
        gap = round(100 * point.exploitability, 4)
        tell({"iteration": point.iteration, "gap_percent": gap})

    if isinstance(agent, SolvesEndgames):
        agent.stages.observe(observe)

"""Players: what an agent is, how one is named, and the simple ones that others are measured by."""

from endspiel.agent.base import (
    Agent,
    AgentForm,
    AgentOption,
    Choice,
    Draws,
    agent_forms,
    agent_names,
    make_agent,
    register,
)

__all__ = [
    "Agent",
    "AgentForm",
    "AgentOption",
    "Choice",
    "Draws",
    "agent_forms",
    "agent_names",
    "make_agent",
    "register",
]

for _name in ("random", "always-fold", "always-call", "always-raise", "pot-odds"):
    register(_name, f"endspiel.agent.simple:{_name.replace('-', '_')}")
register("blueprint", "endspiel.agent.blueprint:blueprint")
register("leaky", "endspiel.agent.leaky:leaky")

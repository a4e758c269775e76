"""Whom the page may play against: agents by registered name, and how each is asked for.

A spec of the command line may name a file or a module to import. The page may not: what it sends
is looked up among the names known here, and options are put together from numbers.
"""

from typing import Any, Final

from endspiel.agent import Agent, agent_names, make_agent
from endspiel.agent.blueprint import NESTED
from endspiel.endgame.safe.techniques import PLAYED
from endspiel.errors import EndspielError
from endspiel.rules.game_def import GameDef
from endspiel.web.messages import Refused

SOLVES: Final = "blueprint"  # the agent that endgame techniques belong to
TEXTS: Final = {
    "blueprint": (
        "Blueprint",
        "plays a strategy computed beforehand; with a technique it solves the end of each hand "
        "anew at the table",
    ),
    "pot-odds": ("Pot odds", "calls when its chance against a random hand pays for the call"),
    "random": ("Random", "folds, calls or raises, whichever are legal, equally often"),
    "always-call": ("Always calls", "checks and calls, whatever it holds"),
    "always-fold": ("Always folds", "folds to every bet"),
    "always-raise": ("Always raises", "raises by the least it may"),
}
TECHNIQUE_TEXTS: Final = {
    "nested": "every decision from the turn on, its bets as they are; no hand of yours gains by it",
    "unsafe-lp": "the endgame in few buckets, solved exactly by a linear program",
    "unsafe": "the endgame alone, with the ranges that both strategies lead to",
    "resolve": "no hand of yours may gain over the blueprint",
    "maxmargin": "every hand of yours loses as much as can be had",
    "reach-maxmargin": "as maxmargin, with what you gave away on the way here allowed for",
}


def names() -> list[str]:
    """The agents that may sit down here, the strongest first.

    Others that are registered reach beyond this program, to files or other machines.
    """
    return [name for name in TEXTS if name in agent_names()]


def opponents() -> list[dict[str, Any]]:
    """The agents, as the page offers them."""
    return [
        {
            "spec": name,
            "title": TEXTS[name][0],
            "text": TEXTS[name][1],
            "techniques": [
                {"name": technique, "text": TECHNIQUE_TEXTS.get(technique, "")}
                for technique in _techniques(name)
            ],
        }
        for name in names()
    ]


def _techniques(name: str) -> tuple[str, ...]:
    """The endgame techniques that an agent may use here."""
    return (NESTED, *PLAYED) if name == SOLVES else ()


def seat_opponent(name: str, technique: str, clock: float, game: GameDef) -> Agent:
    """An agent ready to play a game."""
    if name not in names():
        raise Refused(f"no agent {name[:40]!r}: there are {', '.join(names())}", "agent")
    if technique and technique not in _techniques(name):
        known = ", ".join(_techniques(name)) or "none"
        raise Refused(f"no technique {technique[:40]!r} of {name}: there are {known}", "technique")
    if not 0.1 <= clock <= 600:
        raise Refused(f"the clock is 0.1 to 600 seconds a move, not {clock:g}", "clock")
    spec = f"{name}+{technique},hand={2 * clock:g},move={clock:g}" if technique else name
    try:
        return make_agent(spec, game)
    except EndspielError as error:
        raise Refused(str(error), "agent") from error

"""Whom the page may play against: agents by registered name, and how each is asked for.

A spec of the command line may name a file or a module to import. The page may not: what it sends
is looked up among the names known here, and options are put together from numbers. Strategy files
that it may play against are those that the server was started with.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from endspiel.agent import Agent, agent_names, make_agent
from endspiel.agent.blueprint import NESTED
from endspiel.agent.follow import check_game
from endspiel.blueprint.blueprint import Blueprint, default_path, load_blueprint
from endspiel.endgame.safe.techniques import PLAYED
from endspiel.errors import EndspielError, RulesError
from endspiel.rules.builtin import load_rules
from endspiel.rules.game_def import GameDef
from endspiel.web.messages import PlayAsked, Refused
from endspiel.web.play import GAMES

SOLVES: Final = "blueprint"  # the agent that endgame techniques belong to
FILE: Final = "file:"  # begins the names of strategies that the server was given


class NamedOpponent(NamedTuple):
    """An opponent that is named for how it plays."""

    title: str
    text: str
    spec: str  # of the agent behind it
    timed: bool = False  # whether it solves on a clock


LEVELS: Final = {
    "strong": NamedOpponent(
        "Strong",
        "solves every decision from the flop on, with your bets as they are",
        f"{SOLVES}+{NESTED}",
        timed=True,
    ),
    "charts": NamedOpponent(
        "By the charts",
        "looks each decision up in a strategy that was computed beforehand, and answers at once",
        SOLVES,
    ),
    "calls-too-much": NamedOpponent(
        "Calls too much",
        "plays by the charts, but calls half of the times that they fold",
        "leaky:call=0.5",
    ),
    "folds-too-much": NamedOpponent(
        "Folds too much",
        "plays by the charts, but folds half of the times that they call",
        "leaky:fold=0.5",
    ),
}
TEXTS: Final = {
    "blueprint": (
        "Blueprint",
        "plays a strategy computed beforehand; with a technique it solves the end of each hand "
        "again at the table",
    ),
    "pot-odds": ("Pot odds", "calls when its chance against a random hand pays for the call"),
    "random": ("Random", "folds, calls or raises, whichever are legal, equally often"),
    "always-call": ("Always calls", "checks and calls, whatever it holds"),
    "always-fold": ("Always folds", "folds to every bet"),
    "always-raise": ("Always raises", "raises by the least it may"),
}
TECHNIQUE_TEXTS: Final = {
    "nested": "every decision from the flop on, your bets as they are, each within the last solve",
    "unsafe-lp": "the endgame in few buckets, solved exactly by a linear program",
    "unsafe": "the endgame alone, with the ranges that both strategies lead to",
    "resolve": "each hand of yours is held to what the blueprint left it, as far as the bets allow",
    "maxmargin": "every hand of yours loses as much as can be had",
    "reach-maxmargin": "as maxmargin, with what you gave away on the way here allowed for",
}


class Opponents:
    """The agents that may sit down: those known by name, and strategies of the server's own."""

    def __init__(self, strategies: Sequence[Path] = ()) -> None:
        self._files: dict[str, Path] = {}
        for path in strategies:
            name = f"{FILE}{path.stem}"
            if name in self._files:
                raise EndspielError(f"two strategies are called {path.stem}: rename one of them")
            if "," in str(path):
                raise EndspielError(f"the strategy file {path} has a comma in its name")
            self._files[name] = path.absolute()
        self._games = {
            name: tuple(game for game in GAMES if suits(load_blueprint(path), load_rules(game)))
            for name, path in self._files.items()
        }

    @property
    def names(self) -> list[str]:
        """All of them, the strongest first.

        Others that are registered reach beyond this program, to files or other machines.
        """
        first, *rest = (name for name in TEXTS if name in agent_names())
        return [*LEVELS, first, *self._files, *rest]

    def games(self, name: str) -> tuple[str, ...]:
        """The games that one of them plays."""
        if name in LEVELS and not LEVELS[name].spec.startswith(SOLVES):
            return GAMES[:1]
        if name == SOLVES or name in LEVELS:
            return tuple(game for game in GAMES if default_path(load_rules(game)).exists())
        return self._games.get(name, GAMES)

    def offered(self) -> list[dict[str, Any]]:
        """The agents, as the page offers them."""
        return [
            {
                "spec": name,
                "title": self._text(name)[0],
                "text": self._text(name)[1],
                "games": list(self.games(name)),
                "usual": name in LEVELS,
                "techniques": [
                    {"name": technique, "text": TECHNIQUE_TEXTS.get(technique, "")}
                    for technique in self._techniques(name)
                ],
            }
            for name in self.names
        ]

    def _text(self, name: str) -> tuple[str, str]:
        if name in self._files:
            return self._files[name].stem, f"plays the strategy of {self._files[name].name}"
        return LEVELS[name][:2] if name in LEVELS else TEXTS[name]

    def _techniques(self, name: str) -> tuple[str, ...]:
        """The endgame techniques that an agent may use here."""
        return (NESTED, *PLAYED) if name == SOLVES or name in self._files else ()

    def seat(self, asked: PlayAsked, game: GameDef) -> Agent:
        """An agent ready to play a game."""
        name, technique, clock = asked.agent, asked.technique, asked.clock
        if name not in self.names:
            there = ", ".join(self.names)
            raise Refused(f"no agent {name[:40]!r}: there are {there}", "agent")
        if asked.game not in self.games(name):
            plays = ", ".join(self.games(name))
            raise Refused(f"{name} does not play {asked.game}, but {plays or 'nothing'}", "agent")
        if technique and technique not in self._techniques(name):
            known = ", ".join(self._techniques(name)) or "none"
            raise Refused(
                f"no technique {technique[:40]!r} of {name}: there are {known}", "technique"
            )
        if not 0.1 <= clock <= 600:
            raise Refused(f"the clock is 0.1 to 600 seconds a move, not {clock:g}", "clock")
        try:
            return make_agent(self._spec(name, technique, clock), game)
        except EndspielError as error:
            raise Refused(str(error), "agent") from error

    def _spec(self, name: str, technique: str, clock: float) -> str:
        """The spec of an agent that is known here."""
        time = f",hand={2 * clock:g},move={clock:g}"
        if name in LEVELS:
            return LEVELS[name].spec + (time if LEVELS[name].timed else "")
        file = self._files.get(name)
        if not technique:
            return name if file is None else f"{SOLVES}:{file}"
        chosen = "" if file is None else f",file={file}"
        return f"{SOLVES}+{technique}{chosen}{time}"


def suits(blueprint: Blueprint, game: GameDef) -> bool:
    """Whether a blueprint is for a game."""
    try:
        check_game(blueprint, game)
    except RulesError:
        return False
    return True

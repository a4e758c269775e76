"""The agent that solves every decision from the turn on: exactly, nested and safe.

Spec: ``blueprint+nested``, then options separated by commas:

| option           | values                                                                  |
|------------------|-------------------------------------------------------------------------|
| ``file``         | a strategy file; the one that comes with the package by default         |
| ``post``, ``map``| as for ``blueprint``, for play before the turn                          |
| ``safe``         | resolve, maxmargin or reach-maxmargin (default), of all but the first   |
|                  | endgame of a hand                                                       |
| ``trust``        | how much it believes the opponent's range; 0, see `Offer`               |
| ``target``       | exploitability, or the gadget's gap, to reach; 0.003 of the pot         |
| ``work``         | entries updated in an endgame from the turn on, in millions; 2000 are   |
|                  | 5 s of one core. Rivers get a quarter of it. More makes menus richer     |
| ``street``       | the first that is solved: ``turn`` (default) or ``river``               |
| ``threads``      | that share a turn's boards; 2                                           |
| ``hand``,``move``| seconds a hand on average, and a move at most; 7 and 10                 |

Menu and iterations follow from the pot, the stacks and the ranges (`planning`), so a seed gives the
same play again; `nested_stages` says which endgames are solved. The clock only cuts a solve short,
and the thought tells where it did.
"""

from typing import Final

from endspiel.agent.base import Agent
from endspiel.agent.blueprint import parse_options
from endspiel.agent.clock import Clock
from endspiel.agent.endgame import (
    EndgameAgent,
    EndgameOptions,
    option_count,
    option_number,
)
from endspiel.agent.nested_stages import THREADS, NestedApproach, NestedStages
from endspiel.agent.planning import WORK, StreetWork
from endspiel.agent.stages import Cards, Stage
from endspiel.betting.menu import STREET_NAMES
from endspiel.betting.translation import DEFAULT_MAPPING
from endspiel.blueprint.blueprint import load_blueprint
from endspiel.endgame.safe.techniques import PLAYED, REACH_MAXMARGIN
from endspiel.engine.limits import Limits
from endspiel.errors import EndspielError
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import State
from endspiel.strategy.post import Post

OPTIONS: Final = (
    "file", "post", "map", "safe", "trust", "target", "work", "street", "threads", "hand", "move",
)  # fmt: skip
SAFE: Final = {name: technique for name, technique in PLAYED.items() if technique.is_safe}
_RIVER_SHARE: Final = WORK.river / WORK.turn


class NestedAgent(EndgameAgent):
    """Plays a blueprint until the turn, and from there on what it finds at each decision."""

    source = "endgame nested"
    stages: NestedStages  # type: ignore[assignment]

    def use(self, approach: NestedApproach) -> None:
        """Solve endgames by an approach."""
        self.stages = NestedStages(approach, self._entry)

    def _solve(self, state: State, board: Cards, deadline: float) -> Stage | None:
        found = self.stages.solve(state, board, deadline)
        at = state.line, board
        if isinstance(found, Stage):
            self._answers[at] = found.actions, self.stages.strategy(found)
            return found
        self._answers[at], self._unsolved[at] = None, found.reason
        return None


def nested_agent(game: GameDef, options: str) -> Agent:
    """The agent of a spec's options."""
    stray, given = parse_options(options, OPTIONS)
    if stray:
        raise EndspielError(f"no option {stray!r} of a nested agent: write name=value")
    safe = given.get("safe", REACH_MAXMARGIN.name)
    if safe not in SAFE:
        raise EndspielError(f"option safe is {', '.join(SAFE)}, not {safe!r}")
    clock = Clock(
        option_number(given, "hand", Clock.hand), option_number(given, "move", Clock.move)
    )
    turn = 1e6 * option_number(given, "work", WORK.turn / 1e6)
    approach = NestedApproach(
        SAFE[safe],
        Limits(option_number(given, "target", 0.003)),
        StreetWork(turn, _RIVER_SHARE * turn),
        _street(given.get("street", "turn")),
        option_number(given, "trust", 0.0),
        option_count(given, "threads", THREADS),
    )
    agent = NestedAgent(
        game,
        load_blueprint(given.get("file")),
        Post.parse(given.get("post", "none")),
        given.get("map", DEFAULT_MAPPING),
        EndgameOptions(street=approach.street, clock=clock),
    )
    agent.use(approach)
    agent.rehearse()
    return agent


def _street(text: str) -> int:
    if text not in ("turn", "river"):
        raise EndspielError(f"option street is turn or river, not {text!r}")
    return STREET_NAMES.index(text)

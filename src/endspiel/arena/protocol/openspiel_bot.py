"""An agent as a bot of OpenSpiel, for its ``universal_poker`` with two players.

OpenSpiel is an extra: ``pip install endspiel[openspiel]``.
"""

import re
from typing import Any, Final

from endspiel.agent.base import Agent, make_agent
from endspiel.arena.deals import hand_seeds
from endspiel.bounds import DEFAULT_SEED
from endspiel.cards.text import parse_cards
from endspiel.errors import EndspielError, RulesError
from endspiel.rules.acpc import parse_betting
from endspiel.rules.game_def import GameDef, parse_game
from endspiel.rules.state import CALL, FOLD, State

_FIELD: Final = re.compile(r"\[(Private|Public|Sequences): ?([^\]]*)\]")
_FOLD, _CALL = 0, 1  # OpenSpiel's numbers; higher ones are bets
_KEYS: Final = {
    "stack", "blind", "raiseSize", "firstPlayer", "maxRaises", "numSuits", "numRanks",
    "numHoleCards", "numBoardCards",
}  # fmt: skip


def rules_of(parameters: dict[str, Any]) -> GameDef:
    """The rules of ``universal_poker`` with these parameters."""
    betting = str(parameters["betting"])
    lines = [
        "GAMEDEF",
        betting,
        f"numPlayers = {parameters['numPlayers']}",
        f"numRounds = {parameters['numRounds']}",
    ]
    for key in sorted(_KEYS):
        value = str(parameters.get(key, "")).strip()
        if value and not (key == "raiseSize" and betting == "nolimit"):
            lines.append(f"{key} = {value}")
    return parse_game("\n".join([*lines, "END GAMEDEF"]), "universal_poker")


def seen_by(game: GameDef, text: str) -> tuple[State, tuple[int, ...], tuple[int, ...]]:
    """Betting, hole cards and board of an information state, as OpenSpiel writes it."""
    fields = dict(_FIELD.findall(text))
    if len(fields) != 3:
        raise RulesError(f"{text[:80]!r} is no information state of universal_poker")
    state = parse_betting(game, fields["Sequences"].replace("|", "/"))
    hole = tuple(sorted(parse_cards(fields["Private"])))
    return state, hole, tuple(parse_cards(fields["Public"]))


def play_step(agent: Agent, game: GameDef, state: Any) -> int:
    """OpenSpiel's number of what an agent does at a state of universal_poker."""
    table, hole, board = seen_by(game, state.information_state_string())
    action, legal = table.mend(agent.act(table, hole, board)), state.legal_actions()
    if action == FOLD:
        return _FOLD if _FOLD in legal else _CALL
    bets: list[int] = [number for number in legal if number > _CALL]
    if action == CALL or not bets:
        return _CALL
    if action in bets:  # the whole game: a bet's number is what it raises to
        return action

    def raised_to(number: int) -> int:
        """What a bet of an abstraction raises to."""
        return max(int(chips) for chips in _spent(state.child(number)))

    return min(bets, key=lambda number: abs(raised_to(number) - action))


def _spent(state: Any) -> list[str]:
    return re.findall(r"P[01]: ([0-9]+)", str(state).partition("Spent:")[2].partition("]")[0])


def make_bot(game: Any, spec: str, seed: int = DEFAULT_SEED) -> Any:
    """A ``pyspiel.Bot`` that plays either seat of a ``universal_poker`` game by an agent's spec.

    Examples:
        >>> import pyspiel
        >>> from endspiel.arena.protocol.openspiel_bot import make_bot
        >>> bot = make_bot(pyspiel.load_game("universal_poker"), "always-call")
    """
    try:
        import pyspiel
    except ImportError as error:
        raise EndspielError("OpenSpiel is not here: pip install endspiel[openspiel]") from error
    if game.get_type().short_name != "universal_poker":
        raise RulesError(f"agents play universal_poker, not {game.get_type().short_name}")
    rules = rules_of(game.get_parameters())
    agent = make_agent(spec, rules)

    class Bot(pyspiel.Bot):  # type: ignore[misc]
        """Begins a new hand of the agent whenever it is restarted."""

        def __init__(self) -> None:
            super().__init__()
            self._hand = 0
            self.restart()

        def restart(self) -> None:
            agent.begin(hand_seeds(seed, 0, self._hand, 1)[0][0])
            self._hand += 1

        def restart_at(self, state: Any) -> None:
            self.restart()

        def step(self, state: Any) -> int:
            return play_step(agent, rules, state)

    return Bot()

"""Agents as bots of OpenSpiel, and OpenSpiel's policies as bots here, for ``universal_poker``.

OpenSpiel is an extra: ``pip install endspiel[openspiel]``.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

from endspiel.agent.base import Agent, make_agent
from endspiel.agent.bots import PublicState
from endspiel.agent.moves import moves_of
from endspiel.arena.deals import hand_seeds
from endspiel.bounds import DEFAULT_SEED
from endspiel.cards.deck import rank_of, suit_of
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
    return state, tuple(sorted(_cards(game, fields["Private"]))), _cards(game, fields["Public"])


def _cards(game: GameDef, text: str) -> tuple[int, ...]:
    """Cards of a game: OpenSpiel's short decks have the lowest cards, ours the highest."""
    deck = sorted(game.deck)
    places = (rank_of(card) * game.num_suits + suit_of(card) for card in parse_cards(text))
    return tuple(deck[place] for place in places)


def play_step(agent: Agent, game: GameDef, state: Any) -> int:
    """OpenSpiel's number of what an agent does at a state of universal_poker."""
    table, hole, board = seen_by(game, state.information_state_string())
    return number_of(state, table.mend(agent.act(table, hole, board)))


def number_of(state: Any, action: int) -> int:
    """OpenSpiel's number of an action; of a bet that the game lacks, the nearest."""
    legal = state.legal_actions()
    if action == FOLD:
        return _FOLD if _FOLD in legal else _CALL
    bets: list[int] = [number for number in legal if number > _CALL]
    if action == CALL or not bets:
        return _CALL
    if action in bets:  # the whole game: a bet's number is what it raises to
        return action
    return min(bets, key=lambda number: abs(_raised_to(state, number) - action))


def _raised_to(state: Any, number: int) -> int:
    """What a bet raises to."""
    return max(int(chips) for chips in _spent(state.child(number)))


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


class OpenSpielPolicy:
    """A policy of OpenSpiel on a game of ``universal_poker``, as a bot.

    The policy needs the method ``action_probabilities(state)``, as OpenSpiel's have. A bet that the
    game's abstraction lacks is taken as the nearest that it has.

    Examples:
        >>> import pyspiel
        >>> from open_spiel.python.policy import UniformRandomPolicy
        >>> from endspiel.arena.protocol.openspiel_bot import OpenSpielPolicy
        >>> game = pyspiel.load_game("universal_poker")
        >>> bot = OpenSpielPolicy(game, UniformRandomPolicy(game))
    """

    def __init__(self, game: Any, policy: Any) -> None:
        if game.get_type().short_name != "universal_poker":
            raise RulesError(f"bots play universal_poker, not {game.get_type().short_name}")
        self.game = game
        self.openspiel_policy = policy
        self.rules = rules_of(game.get_parameters())
        first = game.new_initial_state()
        self._numbers = {}  # OpenSpiel's of each card
        for number in first.legal_actions():
            text = dict(_FIELD.findall(first.child(number).information_state_string(0)))
            self._numbers[_cards(self.rules, text["Private"])[0]] = number

    def strategy(self, state: PublicState, hand: tuple[int, ...]) -> dict[int, float]:
        """Probabilities by action, of one hand."""
        at = self._state(state, hand)
        found: dict[int, float] = {}
        for number, chance in self.openspiel_policy.action_probabilities(at).items():
            action = self._action(state, at, number)
            found[action] = found.get(action, 0.0) + float(chance)
        return found

    def _action(self, state: PublicState, at: Any, number: int) -> int:
        """An action of OpenSpiel as one at the table."""
        if number == _FOLD:
            return FOLD
        if number == _CALL:
            return CALL
        return state.table.mend(_raised_to(at, number))

    def _state(self, state: PublicState, hand: tuple[int, ...]) -> Any:
        """OpenSpiel's state where the player to act holds a hand; the other holds any cards."""
        deck = [card for card in self._numbers if card not in hand and card not in state.board]
        dealt = [*deck[: len(hand)], *hand] if state.position else [*hand, *deck[: len(hand)]]
        cards = iter([*dealt, *state.board])
        at = self.game.new_initial_state()
        for move in moves_of(state.table):
            at = self._after_deals(at, cards)
            at.apply_action(number_of(at, move.action))
        return self._after_deals(at, cards)

    def _after_deals(self, at: Any, cards: Iterator[int]) -> Any:
        while at.is_chance_node():
            at.apply_action(self._numbers[next(cards)])
        return at

"""OpenSpiel's games as `Game`: any two-player zero-sum game whose players move in turn."""

import random
from math import inf, log, log10, sqrt
from typing import Any, Final

from endspiel.errors import GameError
from endspiel.game import Game
from endspiel.games.tree import (
    MOST_HISTORIES,
    Chance,
    Decision,
    Leaf,
    Node,
    Observe,
    build,
    check_histories,
)

PROBES: Final = 300  # random plays that estimate how large a game is
DOUBT: Final = 1e-6  # chance that a game which could be walked is refused as too large
FARTHEST: Final = 2 * log10(MOST_HISTORIES) + 4  # digits after which a random play may stop
_TURN_BASED = "turn_based_simultaneous_game"


def import_pyspiel() -> Any:
    """OpenSpiel's module, or one sentence on how to get it."""
    try:
        import pyspiel
    except ImportError as error:
        raise GameError(
            "OpenSpiel is not installed: pip install 'endspiel[openspiel]' to use its games"
        ) from error
    return pyspiel


def load_openspiel(name: str) -> Any:
    """OpenSpiel's own object for a name such as ``leduc_poker(players=2)``."""
    pyspiel = import_pyspiel()
    short = name.split("(", 1)[0].strip()
    if short not in pyspiel.registered_names():
        raise GameError(f"OpenSpiel has no game {short!r}")
    try:
        return pyspiel.load_game(name)
    except (pyspiel.SpielError, RuntimeError, ValueError) as error:
        reason = (str(error).strip().splitlines() or ["no reason given"])[-1]
        raise GameError(f"OpenSpiel refuses the game {name!r}: {reason}") from error


def from_openspiel(source: Any, observe: Observe | None = None) -> Game:
    """The game of an OpenSpiel name or `pyspiel.Game`.

    Infosets are named by OpenSpiel's information states and actions by its action strings, so
    strategies can be handed back (`endspiel.games.export.to_tabular_policy`).
    """
    spiel_game = load_openspiel(source) if isinstance(source, str) else source
    if not isinstance(spiel_game, import_pyspiel().Game):
        raise GameError(f"{source!r} is neither the name of an OpenSpiel game nor such a game")
    name = str(spiel_game)
    _require_supported(spiel_game.get_type(), spiel_game.num_players(), name)
    _check_size(spiel_game, name)
    expand = _Expander(spiel_game, name)
    return build(spiel_game.new_initial_state(), expand, f"openspiel:{name}", observe=observe)


def _check_size(spiel_game: Any, name: str) -> None:
    """Refuse a game with too many histories, as random plays show, before it is walked."""
    digits = _least_digits(_random_plays(spiel_game))
    if digits > log10(MOST_HISTORIES):
        check_histories(f"openspiel:{name}", inf, f"10^{digits:.0f} histories or more")


def _least_digits(plays: list[float]) -> float:
    """Digits of a number of plays that a game has at least, but for a chance of `DOUBT`.

    The product of the numbers of moves along a random play is, in the mean, how many plays there
    are (Knuth 1975). That mean is at least any x times the share of random plays whose product
    exceeds x; of few plays that share is known to within `error` (Dvoretzky, Kiefer, Wolfowitz).
    """
    error = sqrt(log(2 / DOUBT) / (2 * len(plays)))
    shares = ((digits, 1 - at / len(plays) - error) for at, digits in enumerate(sorted(plays)))
    return max((digits + log10(share) for digits, share in shares if share > 0), default=0.0)


def about_histories(name: str) -> float:
    """Estimate how many histories a game of this name has, by random plays."""
    return sum(10**digits for digits in _random_plays(load_openspiel(name))) / PROBES


def _random_plays(spiel_game: Any) -> list[float]:
    rng = random.Random(1)
    return [_random_play(spiel_game, rng) for _ in range(PROBES)]


def _random_play(spiel_game: Any, rng: random.Random) -> float:
    """Digits of the product of the numbers of moves along one play."""
    state, digits = spiel_game.new_initial_state(), 0.0
    while not state.is_terminal() and digits <= FARTHEST:
        moves = state.legal_actions()
        if not moves:
            break
        digits += log10(len(moves))
        state.apply_action(rng.choice(moves))
    return digits


def _require_supported(kind: Any, players: int, name: str) -> None:
    """Refuse, in one sentence, what is not a two-player zero-sum game of explicit moves."""
    pyspiel = import_pyspiel()
    if players != 2:
        raise GameError(f"{name} has {players} player{'s' * (players != 1)}: two must play")
    if kind.dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        raise GameError(
            f"players of {name} move simultaneously: wrap it, {_TURN_BASED}(game={name})"
        )
    if kind.dynamics != pyspiel.GameType.Dynamics.SEQUENTIAL:
        raise GameError(f"players of {name} do not move in turn")
    if kind.utility != pyspiel.GameType.Utility.ZERO_SUM:
        raise GameError(f"{name} is not zero-sum (OpenSpiel: {kind.utility.name})")
    if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        raise GameError(f"{name} only samples its chance moves: their probabilities are needed")
    perfect = kind.information == pyspiel.GameType.Information.PERFECT_INFORMATION
    if not (perfect or kind.provides_information_state_string):
        raise GameError(f"{name} does not say what its players know (no information states)")


class _Expander:
    """Says what an OpenSpiel state is.

    Names of actions are asked once for each infoset; afterwards only the legal actions are
    compared, since strings are what makes a walk slow.
    """

    def __init__(self, spiel_game: Any, name: str) -> None:
        self._name = name
        self._named = bool(spiel_game.get_type().provides_information_state_string)
        # (player, infoset) to the legal actions and their names
        self._actions: dict[tuple[int, str], tuple[list[int], list[str]]] = {}

    def __call__(self, state: Any) -> Node:
        player = state.current_player()
        if player >= 0:
            return self._decision(state, player)
        if state.is_terminal():
            return Leaf(state.returns()[0])
        if state.is_chance_node():
            return Chance([(p, state.child(action)) for action, p in state.chance_outcomes()])
        raise GameError(f"{self._name} has a state that is no player's, no end and no chance move")

    def _decision(self, state: Any, player: int) -> Decision:
        # With perfect information a history is what both players know.
        infoset = state.information_state_string() if self._named else state.history_str()
        legal = state.legal_actions()
        known = self._actions.get((player, infoset))
        if known is None or known[0] != legal:
            known = legal, action_names(state, player, legal)
            self._actions[player, infoset] = known
        children = [(name, state.child(a)) for name, a in zip(known[1], legal, strict=True)]
        return Decision(player, infoset, children)


def action_names(state: Any, player: int, legal: list[int]) -> list[str]:
    """OpenSpiel's names of a state's legal actions, numbered where two would read the same."""
    names = [state.action_to_string(player, action) for action in legal]
    if len(set(names)) == len(names):
        return names
    return [f"{name} [{action}]" for name, action in zip(names, legal, strict=True)]

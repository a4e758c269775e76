"""OpenSpiel's games as `Game`: any two-player zero-sum game whose players move in turn."""

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from math import log10
from typing import Any, Final

import numpy as np

from endspiel.errors import GameError
from endspiel.game import Game
from endspiel.games.tree import (
    MOST_HISTORIES,
    Chance,
    Decision,
    Leaf,
    Node,
    build,
    too_large,
)
from endspiel.progress import Observe, Progress

PLAYS: Final = 3000  # random ones that estimate how large a game is, before it is walked
MORE_PLAYS: Final = 1000  # with each 10,000 histories that are walked
DOUBT: Final = 1e-6  # chance that a game which could be walked is refused as too large
FARTHEST: Final = 1e18  # histories: a random play that counts more may stop
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


def from_openspiel(
    source: Any, observe: Observe | None = None, histories: int | None = None
) -> Game:
    """Return the game of an OpenSpiel name or `pyspiel.Game`, if it has at most `histories`.

    Infosets are named by OpenSpiel's information states and actions by its action strings, so
    strategies can be handed back (`endspiel.games.export.to_tabular_policy`).
    """
    spiel_game = load_openspiel(source) if isinstance(source, str) else source
    if not isinstance(spiel_game, import_pyspiel().Game):
        raise GameError(f"{source!r} is neither the name of an OpenSpiel game nor such a game")
    name, most = str(spiel_game), histories or MOST_HISTORIES
    _require_supported(spiel_game.get_type(), spiel_game.num_players(), name)
    size = _SizeTest(spiel_game, f"openspiel:{name}", most)
    size.play(PLAYS)

    def watch(walked: Progress) -> None:
        size.play(MORE_PLAYS)
        if observe is not None:
            observe(replace(walked, text=f"about {size.mean:.0e} by random plays, {walked.text}"))

    start, expand = spiel_game.new_initial_state(), _Expander(spiel_game, name)
    return build(start, expand, size.name, observe=watch, histories=most)


class _SizeTest:
    """Refuses a game with more than `most` histories, once random plays show that it has.

    Each play multiplies a wealth of 1 by a factor whose mean is at most 1, unless the game has more
    histories than `most`. The wealth of few walkable games in a million ever reaches a million
    (Ville 1939), however many plays there are: they go on while the game is walked.
    """

    def __init__(self, spiel_game: Any, name: str, most: int) -> None:
        self.name, self.most = name, most
        self._plays = _random_plays(spiel_game)
        self._stakes = np.geomspace(1e-4, 0.99, 13)  # of the wealth at hand: each has its own
        self._wealth = np.ones(len(self._stakes))
        self._sum, self._number = 0.0, 0

    @property
    def mean(self) -> float:
        """Histories of the game, as plays estimate it."""
        return self._sum / self._number

    def play(self, number: int) -> None:
        """Play a number of times more."""
        for count in islice(self._plays, number):
            self._sum, self._number = self._sum + count, self._number + 1
            self._wealth *= 1 + self._stakes * (count / self.most - 1)
            if self._wealth.mean() >= 1 / DOUBT:
                digits = log10(self.mean)
                size = f"about 10^{digits:.0f} histories by random plays"
                raise too_large(self.name, size, self.most)


def _random_plays(spiel_game: Any) -> Iterator[float]:
    """By one random play each, how many histories a game has: right in the mean (Knuth 1975).

    A history counts as often as there are plays that part before it: the product of the numbers of
    moves on the way. A play that is longer than any walk stops, and counts less.
    """
    rng = random.Random(1)
    while True:
        state, weight, count = spiel_game.new_initial_state(), 1.0, 1.0
        while not state.is_terminal() and weight <= FARTHEST:
            moves = state.legal_actions()
            if not moves:
                break
            weight *= len(moves)
            count += weight
            state.apply_action(rng.choice(moves))
        yield count


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

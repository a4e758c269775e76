"""A blueprint with a leak, which exploiting players are measured by.

Spec: ``leaky:call=0.5`` plays the blueprint, but calls half of the times that it would fold;
``leaky:fold=0.5`` folds half of the times that it would call a bet. See `OPTIONS`.
"""

from typing import Final

import numpy as np

from endspiel.agent.base import Agent, AgentForm, AgentOption
from endspiel.agent.blueprint import FILE, MAP, BlueprintAgent, Cards, parse_options
from endspiel.agent.blueprint import OPTIONS as BLUEPRINT_OPTIONS
from endspiel.betting.translation import DEFAULT_MAPPING
from endspiel.blueprint.blueprint import Blueprint, load_blueprint
from endspiel.errors import EndspielError
from endspiel.game.post import Post
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import CALL, FOLD, State

OPTIONS: Final = {
    "call": AgentOption("0 to 1", "0", "Share of its folds that it calls instead."),
    "fold": AgentOption("0 to 1", "0", "Share of its calls that it folds instead."),
    "file": FILE,
    "post": BLUEPRINT_OPTIONS["post"],
    "map": MAP,
}


class LeakyAgent(BlueprintAgent):
    """Plays a blueprint, with some of its folds called or of its calls folded."""

    def __init__(
        self, game: GameDef, blueprint: Blueprint, mapping: str, leaks: tuple[float, float]
    ) -> None:
        super().__init__(game, blueprint, mapping)
        self.calls, self.folds = leaks  # share of the folds that it calls, and the other way round

    def act(self, state: State, hole: Cards, board: Cards) -> int:
        action = super().act(state, hole, board)
        leak = {FOLD: (self.calls, CALL), CALL: (self.folds, FOLD)}.get(action)
        if leak is None or not state.can_fold():
            return action
        share, other = leak
        if self.draws.uniform() >= share:
            return action
        self._decided[-1] = self._decided[-1]._replace(action=other)
        return other

    def strategy(self, state: State, board: Cards) -> tuple[Cards, np.ndarray]:
        actions, rows = super().strategy(state, board)
        if not state.can_fold():
            return actions, rows
        every = tuple(dict.fromkeys((FOLD, CALL, *actions)))
        leaky = np.zeros((len(every), rows.shape[1]))
        for action, row in zip(actions, rows, strict=True):
            leaky[every.index(action)] = row
        folded, called = leaky[0].copy(), leaky[1].copy()
        leaky[0] = (1 - self.calls) * folded + self.folds * called
        leaky[1] = (1 - self.folds) * called + self.calls * folded
        return every, leaky


def leaky(game: GameDef, options: str) -> Agent:
    """The factory of ``leaky`` specs."""
    stray, given = parse_options(options, OPTIONS)
    if stray:
        raise EndspielError(f"no option {stray!r} of a leaky agent: write call=0.5 or fold=0.5")
    played = load_blueprint(given.get("file")).played(Post.parse(given.get("post", "none")))
    leaks = _share(given, "call"), _share(given, "fold")
    return LeakyAgent(game, played, given.get("map", DEFAULT_MAPPING), leaks)


def forms() -> tuple[AgentForm, ...]:
    """Return the spec of this agent."""
    text = "Plays a strategy file with a leak, to measure exploiting agents by."
    return (AgentForm("leaky", "leaky", text, OPTIONS, ":"),)


def _share(given: dict[str, str], name: str) -> float:
    try:
        share = float(given.get(name, 0.0))
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise EndspielError(f"option {name} is a share from 0 to 1, not {given[name]!r}")
    return share

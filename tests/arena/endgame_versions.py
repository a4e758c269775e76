"""Leduc agents that differ in endgames only, and every way into those, with chance and value."""

from collections.abc import Sequence
from typing import NamedTuple

from endspiel.agent.base import Agent
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import State, start
from tests.arena.leduc import RULES, Exact, ProfileAgent, agent_of, random_profile

RAISES = {"0": 0.1, "1": 0.3, "2": 0.6}  # how often a rank raises first


def trunk_of_habit(
    name: str, actions: dict[str, float], habit: dict[str, float]
) -> dict[str, float]:
    """First-round play that depends on the card, so that deals differ in where they lead."""
    raises = habit[name[0]]
    if "f" not in actions:
        return {"c": 1 - raises, "r": raises}
    rest = raises / 2 if "r" in actions else 0.0
    folds = {"0": 0.7, "1": 0.2, "2": 0.0}[name[0]]
    return {"f": folds, "c": 1 - folds - rest, "r": rest}


def played(fold_after_raises: float, raises: dict[str, float] = RAISES) -> ProfileAgent:
    """An agent with two ways to answer bets in endgames after raises."""

    def choose(name: str, actions: dict[str, float]) -> dict[str, float]:
        if "|" not in name:
            habit = trunk_of_habit(name, actions, raises)
            return {action: habit[action] for action in actions}
        if "f" in actions and "r" in name.split(":")[1].split("/")[0]:
            left = (1 - fold_after_raises) / (len(actions) - 1)
            return {action: fold_after_raises if action == "f" else left for action in actions}
        return {action: 1 / len(actions) for action in actions}

    tables = agent_of(random_profile(1)).tables
    return ProfileAgent([{n: choose(n, actions) for n, actions in t.items()} for t in tables])


BASE, OTHER = played(0.0), played(1.0)
OPPONENT = played(0.1)


class Reached(NamedTuple):
    """One way into an endgame for one deal of the private cards."""

    chance: float  # of the betting, given the cards
    value: float  # chips of position 0


def endgames(agents: Sequence[Agent], holes: tuple[tuple[int], tuple[int]]) -> dict[str, Reached]:
    """Every betting line into the second round, with its chance and its value."""
    exact = Exact(agents)
    found = {}

    def walk(state: State, chance: float) -> None:
        if state.finished:
            return
        if state.round == 1:
            found[state.line] = Reached(chance, exact.value(state, holes, ()))
            return
        choice = agents[state.actor].policy(state, [holes[state.actor]], ())
        assert choice is not None
        for action, share in zip(choice.actions, choice.probabilities[0], strict=True):
            walk(state.apply(action), chance * share)

    walk(start(RULES), 1.0)
    return found


def base(game: GameDef, options: str) -> Agent:
    """The base version, for a match."""
    return BASE


def other(game: GameDef, options: str) -> Agent:
    """The other version."""
    return OTHER


def opponent(game: GameDef, options: str) -> Agent:
    """Whom both play."""
    return OPPONENT


def loose(game: GameDef, options: str) -> Agent:
    """The other version with aces raised more often in the first round."""
    return played(1.0, RAISES | {"2": 0.8})


class Shifted(ProfileAgent):
    """Throws other dice than its like."""

    def begin(self, seed: int) -> None:
        super().begin(seed)
        self.draws.uniform()


def shifted(game: GameDef, options: str) -> Agent:
    """The other version with dice of its own."""
    return Shifted(OTHER.tables)

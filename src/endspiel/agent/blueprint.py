"""The agent that plays a blueprint: looks its hand's bucket up and does what the row says.

Specs: ``blueprint`` plays the shipped strategy, ``blueprint:FILE`` another. Options follow,
separated by commas: see `OPTIONS`. `follow` maps bets that the blueprint's tree lacks.
"""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from endspiel.agent.base import Agent, AgentForm, AgentOption, Choice
from endspiel.agent.follow import NOWHERE, Follower
from endspiel.agent.thoughts import Thought
from endspiel.betting.translation import DEFAULT_MAPPING, MAPPINGS
from endspiel.blueprint.blueprint import Blueprint, load_blueprint
from endspiel.cards.deck import hand_index
from endspiel.cards.live import live_hands
from endspiel.endgame.safe.techniques import PLAYED
from endspiel.errors import EndspielError, FileError
from endspiel.game.post import Post
from endspiel.ranges.line import Action, ranges_along
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import CALL, State

FILE: Final = AgentOption("FILE", "the shipped strategy", "The strategy file.")
MAP: Final = AgentOption(
    ", ".join(MAPPINGS), DEFAULT_MAPPING, "The reverse mapping for bets that the tree lacks."
)
BOOK: Final = AgentOption(
    "FOLDER", "", "Flops solved hand by hand for this strategy file, by endspiel book."
)
_POSTS: Final = "none, purify, purify-after-first, threshold:LEVEL"
OPTIONS: Final = {
    "post": AgentOption(
        _POSTS,
        "none",
        "How the strategy is read: as stored, its most probable action alone, the same after a "
        "player's first decision, or without actions below LEVEL (0.15).",
    ),
    "map": MAP,
    "book": BOOK,
}
NESTED: Final = "nested"
ENDGAMES: Final = (NESTED, *PLAYED, "none")
Cards = tuple[int, ...]


class Decided(NamedTuple):
    """A decision that was taken."""

    state: State
    hole: Cards
    board: Cards
    action: int


class BlueprintAgent(Agent):
    """Plays the strategy of a file."""

    def __init__(self, game: GameDef, blueprint: Blueprint, mapping: str = DEFAULT_MAPPING) -> None:
        self.blueprint = blueprint
        self.follower = Follower(blueprint, game, mapping)
        self._buckets: list[int] = []  # of our hand, by street, as far as they were needed
        self._decided: list[Decided] = []

    def begin(self, seed: int) -> None:
        super().begin(seed)
        self.follower.begin(seed)
        self._buckets = []
        self._decided = []

    def act(self, state: State, hole: Cards, board: Cards) -> int:
        action = self._choose(state, hole, board)
        self._decided.append(Decided(state, hole, board, action))
        return action

    def _choose(self, state: State, hole: Cards, board: Cards) -> int:
        node = self.follower.node(state)
        if node == NOWHERE:  # the tree has no decision of ours on this street
            return CALL
        place = self.draws.choose(self._row(node, state, hole, board).tolist())
        return self.follower.table_action(state, node, place)

    def _row(self, node: int, state: State, hole: Cards, board: Cards) -> np.ndarray:
        """Probabilities [A] of our hand's actions."""
        if self._by_book(node, board):
            found: np.ndarray = self.blueprint.hands(node, board)[:, hand_index(*hole)]
            return found
        return self.blueprint.row(node, self._bucket(state.round, hole, board))

    def policy(self, state: State, holes: Sequence[Cards], board: Cards) -> Choice:
        actions, strategy = self.strategy(state, board)
        hands = [hand_index(*hole) for hole in holes]
        rows = strategy[:, hands].T
        dead = rows.sum(axis=1) == 0
        rows[dead] = 1 / len(actions)  # hands that hit the board are never held
        return Choice(actions, rows)

    def strategy(self, state: State, board: Cards) -> tuple[Cards, np.ndarray]:
        """The actions at the table, and how often every hand takes each: [A, 1326], 0 if dead."""
        node = self.follower.node(state)
        if node == NOWHERE:
            return (CALL,), live_hands(board)[None]
        table = self.follower.table_actions(state, node)
        rows = self.blueprint.hands(node, board)
        actions = tuple(dict.fromkeys(table))
        merged = np.zeros((len(actions), rows.shape[1]))
        for action, row in zip(table, rows, strict=True):
            merged[actions.index(action)] += row
        return actions, merged

    @property
    def thoughts(self) -> Sequence[Thought]:
        return [self._thought(decision) for decision in self._decided]

    def _thought(self, decision: Decided) -> Thought:
        state, hole, board, action = decision
        actions, strategy = self.strategy(state, board)
        ranges = [one.weights for one in ranges_along(board, self._line(state, board))]
        node = self.follower.node(state)
        line = (
            "no node" if node == NOWHERE else repr(self.blueprint.tree.line(node) or "the blinds")
        )
        return Thought(
            line=state.line,
            board=board,
            hand=hand_index(*hole),
            source="book" if self._by_book(node, board) else "blueprint",
            why=f"its tree's line {line!r}" if node != NOWHERE else "its tree does not go so far",
            actions=actions,
            strategy=strategy,
            own=ranges[state.actor],
            other=ranges[1 - state.actor],
            chosen=actions.index(action),
            seconds=0.0,
        )

    def _line(
        self, state: State, board: Cards, by: tuple[Blueprint, Blueprint] | None = None
    ) -> list[Action]:
        """What was done so far, and how often it is done with each hand: see `Follower.line`."""
        return self.follower.line(state, board, by)

    def _by_book(self, node: int, board: Cards) -> bool:
        return node != NOWHERE and self.blueprint.in_book(node, board) is not None

    def _bucket(self, street: int, hole: Cards, board: Cards) -> int:
        """The bucket of our hand; those of earlier streets are remembered during the hand."""
        known, abstraction = self._buckets, self.blueprint.abstraction
        while len(known) <= street:
            before = known[-1] if known else None
            known.append(abstraction.bucket(len(known), hole, board, before))
        return known[street]


def blueprint(game: GameDef, options: str) -> Agent:
    """The factory of ``blueprint`` specs; one that begins with a technique solves endgames."""
    technique, _, rest = options.partition(",")
    if technique == NESTED:
        from endspiel.agent.nested import nested_agent

        return nested_agent(game, rest)
    if technique in ENDGAMES:
        from endspiel.agent.endgame import endgame_agent

        return endgame_agent(game, technique, rest)
    file, given = parse_options(options, OPTIONS)
    if file and not Path(file).exists():
        raise FileError(
            f"there is no strategy file {file}, nor an endgame technique of that name: these are "
            + ", ".join(ENDGAMES)
        )
    post = Post.parse(given.get("post", "none"))
    found = booked(load_blueprint(file or None, game), given)
    return BlueprintAgent(game, found.played(post), given.get("map", DEFAULT_MAPPING))


def forms() -> tuple[AgentForm, ...]:
    """Return the specs that begin with ``blueprint``."""
    from endspiel.agent import endgame, nested

    file = {"FILE": FILE}
    return (
        AgentForm("blueprint", "blueprint", "Plays a strategy file.", file | OPTIONS, ":"),
        *endgame.forms(),
        *nested.forms(),
    )


def booked(blueprint: Blueprint, given: dict[str, str]) -> Blueprint:
    """A blueprint with the book of flops that options name, if they do."""
    folder = given.get("book")
    if folder is None:
        return blueprint
    if not Path(folder).is_dir():
        raise FileError(f"there is no folder {folder}: endspiel book makes one of solved flops")
    return blueprint.with_book(folder)


def parse_options(text: str, known: Collection[str]) -> tuple[str, dict[str, str]]:
    """A file (or nothing) and options by name from ``FILE,name=value,...``."""
    file, given = "", {}
    for at, part in enumerate(text.split(",") if text else ()):
        name, equals, value = part.partition("=")
        if value and name in known:
            if name in given:
                raise EndspielError(f"option {name} is given twice in {text!r}")
            given[name] = value
        elif at == 0 and not equals:
            file = part
        else:
            raise EndspielError(
                f"no option {part!r} of a blueprint agent: write FILE,name=value,... "
                f"with the names {', '.join(known)}"
            )
    return file, given

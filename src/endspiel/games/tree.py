"""Any game given as a tree of histories, laid out as a `Game`.

A game is a start state and a function `expand` that says what a state is: a `Leaf`, a `Chance`
move or a `Decision`. Histories are walked once, depth first. Infosets of one player with the same
number of own moves behind them and the same number of actions become one block, so that kernels
work on long vectors whatever the game. A `Game` forgets in which order the players moved; the
`Visits` left in `Game.nodes` remember it for those who cut endgames out of it.
"""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add
from typing import Any, NamedTuple

import numpy as np

from endspiel.errors import GameError
from endspiel.game import Game, Labels, Rows, Sparse, TerminalGroup, Treeplex
from endspiel.game.histories import Visits, WalkedHistories
from endspiel.kernels.arrays import Ints, PlexArrays
from endspiel.progress import Observe, Progress


class Leaf(NamedTuple):
    """The end: what player 0 gets (and player 1 pays)."""

    payoff: float


class Chance(NamedTuple):
    """Nature moves: a probability and a state for each outcome."""

    outcomes: Sequence[tuple[float, Any]]


class Decision(NamedTuple):
    """A player moves, knowing only the infoset: a name and a state for each action."""

    player: int
    infoset: Hashable
    actions: Sequence[tuple[str, Any]]


Node = Leaf | Chance | Decision


MOST_HISTORIES = 10_000_000  # that are walked unless more are allowed: minutes, and gigabytes
OBSERVED_EVERY = 10_000  # histories between two reports of a walk
PROBABILITY_TOLERANCE = 1e-6  # OpenSpiel's decimal exports miss one by a few 1e-7


@dataclass
class _Infoset:
    """A private state while the tree is walked: an infoset reached by one own sequence."""

    name: Hashable
    actions: tuple[str, ...]
    parent: "_Sequence"
    depth: int


class _Sequence(NamedTuple):
    """A player's own sequence while the tree is walked: number of the state, action."""

    state: int  # -1 for the empty sequence
    action: int


_EMPTY = _Sequence(-1, 0)


@dataclass
class _TreeSide:
    """What the walk learns about one player."""

    states: list[_Infoset] = field(default_factory=list)
    by_key: dict[tuple[Hashable, _Sequence], int] = field(default_factory=dict)
    actions_of: dict[Hashable, tuple[str, ...]] = field(default_factory=dict)

    def visit(self, node: Decision, parent: _Sequence) -> int:
        """Number of the state that this decision and own past make."""
        key = (node.infoset, parent)
        if key in self.by_key:
            number = self.by_key[key]
            known = self.states[number].actions
            if len(known) == len(node.actions) and all(
                name == action[0] for name, action in zip(known, node.actions, strict=True)
            ):
                return number
        names = tuple(name for name, _ in node.actions)
        where = f"player {node.player}'s infoset {node.infoset!r}"
        if not names:
            raise GameError(f"{where} has no action")
        if len(set(names)) < len(names):
            raise GameError(f"{where} has two actions of one name: {list(names)}")
        if self.actions_of.setdefault(node.infoset, names) != names:
            known = self.actions_of[node.infoset]
            raise GameError(f"{where} has actions {list(known)} here and {list(names)} there")
        depth = self.states[parent.state].depth + 1 if parent.state >= 0 else 0
        self.by_key[key] = len(self.states)
        self.states.append(_Infoset(node.infoset, names, parent, depth))
        return len(self.states) - 1


@dataclass
class _Walk:
    """The whole walk: both sides and every terminal."""

    sides: tuple[_TreeSide, _TreeSide] = field(default_factory=lambda: (_TreeSide(), _TreeSide()))
    visits: tuple[dict[tuple[int, _Sequence], float], ...] = field(default_factory=lambda: ({}, {}))
    terminals: dict[tuple[_Sequence, _Sequence], float] = field(default_factory=dict)
    low: float = float("inf")
    high: float = float("-inf")
    histories: int = 0


def build(
    start: Any,
    expand: Callable[[Any], Node],
    name: str = "game",
    *,
    observe: Observe | None = None,
    histories: int | None = None,
    **about: Any,
) -> Game:
    """Walk every history of a game and lay it out; `about` is passed on to `Game`.

    `observe` is called during the walk, now and then. A walk of more than `histories` is refused,
    by default of more than `MOST_HISTORIES`. A player who forgets (one infoset after
    different own moves) gets shared rows: solvers that need perfect recall refuse the game, the
    CFR family takes it.
    """
    walk = _walk(start, expand, name, observe, histories or MOST_HISTORIES)
    if not walk.terminals:
        raise GameError(f"{name} has no history that chance allows to end")
    layouts = _layout(walk.sides[0]), _layout(walk.sides[1])
    group = _terminals(walk, layouts)
    game = Game(
        plexes=(layouts[0].plex, layouts[1].plex),
        groups=[group],
        name=name,
        labels=(layouts[0].labels, layouts[1].labels),
        span=walk.high - walk.low,
        nodes=WalkedHistories(_visits(walk, layouts, 0), _visits(walk, layouts, 1)),
    )
    return replace(game, **about).validate() if about else game.validate()


def check_histories(name: str, count: float, told: str = "") -> None:
    """Refuse a game of too many histories before they are walked."""
    if count > MOST_HISTORIES:
        raise too_large(name, told or f"{count:,} histories", MOST_HISTORIES)


def too_large(name: str, size: str, most: int) -> GameError:
    """The refusal of a game by its size."""
    more = " unless --histories allows more" if name.startswith("openspiel:") else ""
    return GameError(f"{name} has {size}, and at most {most:,} can be walked{more}")


def _walk(
    start: Any, expand: Callable[[Any], Node], name: str, observe: Observe | None, most: int
) -> _Walk:
    walk = _Walk()
    stack: list[tuple[Any, float, _Sequence, _Sequence]] = [(start, 1.0, _EMPTY, _EMPTY)]
    while stack:
        state, chance, seq0, seq1 = stack.pop()
        node = expand(state)
        walk.histories += 1
        known = walk.histories + len(stack)
        if known > most:
            raise too_large(name, f"more than {most:,} histories, how many is unknown", most)
        if observe is not None and walk.histories % OBSERVED_EVERY == 0:
            text = f"{len(stack):,} waiting; the limit is {most:,}"
            observe(Progress("histories", walk.histories, text=text))
        if isinstance(node, Leaf):
            if not math.isfinite(node.payoff):
                raise GameError(f"a terminal pays {node.payoff}, which is no finite number")
            key = (seq0, seq1)
            walk.terminals[key] = walk.terminals.get(key, 0.0) + chance * node.payoff
            walk.low, walk.high = min(walk.low, node.payoff), max(walk.high, node.payoff)
        elif isinstance(node, Chance):
            scale = chance / _total(node)
            stack += [(s, scale * p, seq0, seq1) for p, s in reversed(node.outcomes) if p > 0]
        elif node.player == 0:
            number = walk.sides[0].visit(node, seq0)
            walk.visits[0][number, seq1] = walk.visits[0].get((number, seq1), 0.0) + chance
            for a in range(len(node.actions) - 1, -1, -1):
                stack.append((node.actions[a][1], chance, _Sequence(number, a), seq1))
        elif node.player == 1:
            number = walk.sides[1].visit(node, seq1)
            walk.visits[1][number, seq0] = walk.visits[1].get((number, seq0), 0.0) + chance
            for a in range(len(node.actions) - 1, -1, -1):
                stack.append((node.actions[a][1], chance, seq0, _Sequence(number, a)))
        else:
            raise GameError(f"infoset {node.infoset!r} is player {node.player}'s: two may play")
    return walk


def _total(node: Chance) -> float:
    """Sum of a chance move's probabilities, by which they are divided: one but for rounding."""
    probabilities = [p for p, _ in node.outcomes]
    total = reduce(add, probabilities, 0)  # in order; sum() compensates from Python 3.12 on
    # Written so that a probability that is not a number is refused too.
    if not (abs(total - 1.0) <= PROBABILITY_TOLERANCE and min(probabilities) >= 0):
        shown = ", ".join(f"{p!r}" for p in probabilities[:8])
        more = ", ..." if len(probabilities) > 8 else ""
        raise GameError(
            f"chance probabilities ({shown}{more}) sum to {total!r}: they must be nonnegative "
            "and sum to 1"
        )
    return total


@dataclass(frozen=True)
class _Layout:
    plex: Treeplex
    labels: Labels
    first: Ints  # [states] sequence of each state's first action
    stride: Ints  # [states] distance between a state's actions

    def sequence(self, seq: _Sequence) -> int:
        if seq.state < 0:
            return 0
        return int(self.first[seq.state] + seq.action * self.stride[seq.state])


def _layout(side: _TreeSide) -> _Layout:
    """Sort states into blocks by depth and number of actions, and number their sequences."""
    groups: dict[tuple[int, int], list[int]] = {}
    for number, state in enumerate(side.states):
        groups.setdefault((state.depth, len(state.actions)), []).append(number)
    first = np.zeros(len(side.states), dtype=np.int64)
    stride = np.zeros(len(side.states), dtype=np.int64)
    blocks: list[tuple[Ints, int]] = []
    infosets, actions = [], []
    end = 1
    for (_, A), members in sorted(groups.items()):
        K = len(members)
        first[members], stride[members] = end + np.arange(K), K
        parents = [side.states[number].parent for number in members]
        blocks.append((_sequences(parents, first, stride), A))
        infosets.append(tuple(str(side.states[number].name) for number in members))
        actions.append(tuple(side.states[number].actions for number in members))
        end += A * K
    plex = Treeplex.from_blocks(np.ones(1), blocks, _rows(side, groups, end))
    return _Layout(plex, Labels(tuple(infosets), tuple(actions)), first, stride)


def _sequences(parents: list[_Sequence], first: Ints, stride: Ints) -> Ints:
    state = np.array([parent.state for parent in parents])
    action = np.array([parent.action for parent in parents])
    return np.where(state < 0, 0, first[state] + action * stride[state])


def _rows(side: _TreeSide, groups: dict[tuple[int, int], list[int]], end: int) -> Rows | None:
    """Shared rows, where an infoset is reached by more than one own sequence."""
    if len(side.actions_of) == len(side.states):
        return None
    of_sequence = np.zeros(end, dtype=np.int64)
    by_width: dict[int, list[Hashable]] = {}
    for name, names in side.actions_of.items():
        by_width.setdefault(len(names), []).append(name)
    where: dict[Hashable, tuple[int, int]] = {}
    at, firsts, counts, widths = 1, [], [], []
    for width, names_of_width in sorted(by_width.items()):
        count = len(names_of_width)
        where.update({name: (at + i, count) for i, name in enumerate(names_of_width)})
        firsts.append(at)
        counts.append(count)
        widths.append(width)
        at += width * count
    sequence = 1
    for (_, A), members in sorted(groups.items()):
        for a in range(A):
            for number in members:
                row, step = where[side.states[number].name]
                of_sequence[sequence] = row + a * step
                sequence += 1
    nothing = np.zeros(len(firsts), dtype=np.int64)
    states, actions = np.array(counts), np.array(widths)
    arrays = PlexArrays(np.array(firsts), states, actions, nothing, nothing, nothing, states)
    return Rows(of_sequence, arrays, at)


def _visits(walk: _Walk, layouts: tuple[_Layout, _Layout], player: int) -> Visits:
    found = walk.visits[player]
    states = np.array([number for number, _ in found], dtype=np.int64)
    other = layouts[1 - player]
    return Visits(
        layouts[player].first[states],
        np.array([other.sequence(seq) for _, seq in found], dtype=np.int64),
        np.array(list(found.values()), dtype=np.float64),
    )


def _terminals(walk: _Walk, layouts: tuple[_Layout, _Layout]) -> TerminalGroup:
    from scipy import sparse

    rows = np.array([layouts[0].sequence(s0) for s0, _ in walk.terminals], dtype=np.int64)
    columns = np.array([layouts[1].sequence(s1) for _, s1 in walk.terminals], dtype=np.int64)
    data = np.array(list(walk.terminals.values()))
    shape = (layouts[0].plex.num_sequences, layouts[1].plex.num_sequences)
    matrix = sparse.csr_matrix((data, (rows, columns)), shape=shape)
    zero = np.zeros(1, dtype=np.int64)
    return TerminalGroup(Sparse(matrix), np.ones(1), zero, zero)

"""A betting tree times a card tree, laid out as a `Game`: for games where K states are few.

The betting tree knows no cards, the boards know no bets. Sequences are numbered board by board:
all that one player can do on one board, over all lines that reach it, is contiguous, and boards of
a street follow those of the street before. Chance lives in the boards' payoffs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np

from endspiel.betting.sequences import number_sequences
from endspiel.betting.tree import CHANCE, DECISION, FOLD, SHOWDOWN, BettingTree
from endspiel.errors import GameError
from endspiel.game import Game, Labels, Matrix, TerminalGroup, Treeplex
from endspiel.game.histories import Visits
from endspiel.kernels.arrays import Floats, Ints, PlexArrays

SOLVE_VECTORS: Final = 9  # vectors [S] a player that a CFR solve holds at its peak, as it measures
LABELED: Final = 200_000  # infosets; names of more would take more memory than the solve


@dataclass(frozen=True)
class ProductBoard:
    """One board: what either player can hold on it, and what each pair of holdings is worth.

    Chances are given the players' ranges: that of the board and of both states together, divided
    by the root masses behind the states.
    """

    name: str
    parent: int  # number of the board on the street before; -1 on the first
    above: Ints  # [K] each state's own state on the parent board
    states: tuple[str, ...]  # [K] names
    chance: Floats  # [K, K]
    showdown: Floats | None = None  # [K, K] chance times 1, 0 or -1; on the last street


@dataclass
class _StreetSide:
    """One player's sequences on one street, counted in units of K: the same on every board."""

    size: int = 0
    node: list[int] = field(default_factory=list)  # [D] betting node of each decision
    first: list[int] = field(default_factory=list)  # [D]
    actions: list[int] = field(default_factory=list)  # [D]
    parent: list[int] = field(default_factory=list)  # [D] own sequence before it
    enters: list[bool] = field(default_factory=list)  # [D] whether that is on the street before


class _StreetTerminals(NamedTuple):
    """Terminals of one kind on one street, T of them."""

    stakes: Floats  # [T]
    last: Ints  # [T, 2] each player's last sequence, in units of K


class GameSize(NamedTuple):
    """How large a game is, both players together."""

    infosets: int
    sequences: int  # of both players; their roots, one for each of the first street's states, too

    @classmethod
    def of(cls, tree: BettingTree, states: Sequence[int]) -> "GameSize":
        """Sizes of a tree's decisions by states a street; nothing is decided after an all-in.

        The same as `BettingLines.size` of the tree without what follows an all-in.
        """
        nodes = np.flatnonzero(tree.kind == DECISION)
        counts = np.array(states)[tree.street[nodes] - int(tree.street[0])]  # [D]
        return cls(int(counts.sum()), int(counts @ tree.num_children[nodes]) + 2 * states[0])

    @property
    def bytes(self) -> int:
        """Memory that a solve by CFR takes at its peak, in 64-bit floats."""
        return 8 * SOLVE_VECTORS * self.sequences


class BettingLines:
    """A betting tree as each player's own sequences, street by street.

    A player with no decision on a street (after an all-in) gets one with one action, so that every
    terminal is a pair of sequences on its own board.
    """

    def __init__(self, tree: BettingTree) -> None:
        self.tree = tree
        first, last = int(tree.street[0]), int(tree.street.max())
        self.streets = [(_StreetSide(), _StreetSide()) for _ in range(last - first + 1)]
        for side in self.streets[0]:
            side.size = 1  # the roots
        self.shows: list[_StreetTerminals] = []
        self.folds: list[_StreetTerminals] = []
        # [N, 2] each player's last sequence at every node, and the street that it is on.
        self.last = np.zeros((tree.num_nodes, 2), dtype=np.int64)
        self.street_of = np.zeros((tree.num_nodes, 2), dtype=np.int64)
        self._walk()
        for street in range(first, last + 1):
            here = tree.street == street
            self.shows.append(self._ends(np.flatnonzero(here & (tree.kind == SHOWDOWN))))
            self.folds.append(self._ends(np.flatnonzero(here & (tree.kind == FOLD))))

    def _walk(self) -> None:
        """Lay the sequences of each street out in the order of the tree's nodes."""
        tree, starts = self.tree, [0]
        for street, sides in enumerate(self.streets):
            numbered = number_sequences(tree, starts)
            if street > 0:
                numbered = numbered.with_forced(len(starts))
            # Our number of each of its sequences: of those that come in, on the street before.
            ours = [np.zeros(size, dtype=np.int64) for size in numbered.sizes]
            for player in (0, 1):
                ours[player][: len(starts)] = self.last[starts, player]
            for node, player, first, actions, seqs in sorted(numbered.decisions):
                side = sides[player]
                side.node.append(node)
                side.first.append(side.size)
                side.actions.append(actions)
                side.parent.append(int(ours[player][seqs[player]]))
                side.enters.append(street > 0 and seqs[player] < len(starts))
                ours[player][first : first + actions] = np.arange(side.size, side.size + actions)
                side.size += actions
            for node, seqs in numbered.reached():
                self.last[node] = ours[0][seqs[0]], ours[1][seqs[1]]
                self.street_of[node] = [street - (street > 0 and s < len(starts)) for s in seqs]
            dealt = [end.node for end in numbered.ends if tree.kind[end.node] == CHANCE]
            starts = [int(tree.first_child[node]) for node in dealt]
            self.last[starts] = self.last[dealt]

    def _ends(self, nodes: Ints) -> _StreetTerminals:
        """Terminals with what they pay player 0 (at a showdown, the winner)."""
        return _StreetTerminals(self.tree.gains(nodes, 0), self.last[nodes])

    def size(self, states: Sequence[int]) -> GameSize:
        """Size of the product by states a street, all boards together."""
        infosets = sequences = 0
        for sides, count in zip(self.streets, states, strict=True):
            infosets += count * sum(len(side.node) for side in sides)
            sequences += count * sum(side.size for side in sides)
        return GameSize(infosets, sequences)


@dataclass(frozen=True)
class Product:
    """Where things are in the product of a betting tree and boards; the game's public tree."""

    lines: BettingLines
    streets: Sequence[Sequence[ProductBoard]]
    starts: tuple[tuple[Ints, ...], tuple[Ints, ...]]  # [boards] a street: first sequence on each

    def sequences(self, player: int, street: int, board: int, node: int) -> Ints:
        """Sequences [A, K] of a player's decision at a betting node, on a board of a street."""
        side = self.lines.streets[street][player]
        if node not in side.node:
            raise GameError(f"player {player} does not decide at betting node {node}")
        d, K = side.node.index(node), len(self.streets[street][board].states)
        first = int(self.starts[player][street][board]) + side.first[d] * K
        return first + np.arange(side.actions[d] * K).reshape(-1, K)

    def visits(self, player: int) -> Visits:
        """The histories at which a player moves: every pair of states that chance allows."""
        found = []
        for street, boards in enumerate(self.streets):
            side = self.lines.streets[street][player]
            for number, board in enumerate(boards):
                own, other = np.nonzero(board.chance if player == 0 else board.chance.T)
                chance = (board.chance if player == 0 else board.chance.T)[own, other]
                start, K = int(self.starts[player][street][number]), len(board.states)
                for node, first in zip(side.node, side.first, strict=True):
                    last = self._last(1 - player, street, number, node)
                    found.append((start + first * K + own, last[other], chance))
        state, other, chance = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return Visits(state, other, chance)

    def _last(self, player: int, street: int, number: int, node: int) -> Ints:
        """The last sequence [K] of a player before a betting node, by its state on a board."""
        states = np.arange(len(self.streets[street][number].states))
        while street > self.lines.street_of[node, player]:
            board = self.streets[street][number]
            states, number, street = board.above[states], board.parent, street - 1
        K = len(self.streets[street][number].states)
        start = int(self.starts[player][street][number])
        return start + int(self.lines.last[node, player]) * K + states


def product(
    lines: BettingLines,
    streets: Sequence[Sequence[ProductBoard]],
    root: Floats,
    name: str,
    unit: float,
) -> Game:
    """The game of a betting tree on boards; root masses [K] are those of the first board."""
    if len(lines.streets) != len(streets):
        raise GameError(
            f"{name}: betting on {len(lines.streets)} streets, boards of {len(streets)}"
        )
    starts = _starts(lines, streets, 0), _starts(lines, streets, 1)
    where = Product(lines, streets, starts)
    largest = max(float(np.abs(ends.stakes).max()) for ends in lines.shows if len(ends.stakes))
    size = lines.size([sum(len(board.states) for board in boards) for boards in streets])
    return Game(
        plexes=(_plex(where, 0, root), _plex(where, 1, root)),
        groups=_groups(where),
        name=name,
        labels=(_labels(where, 0), _labels(where, 1)) if size.infosets <= LABELED else None,
        unit=unit,
        span=2 * largest,
        nodes=where,
    ).validate()


def _starts(
    lines: BettingLines, streets: Sequence[Sequence[ProductBoard]], player: int
) -> tuple[Ints, ...]:
    """First sequence of each board of each street."""
    starts, end = [], 0
    for sides, boards in zip(lines.streets, streets, strict=True):
        widths = [sides[player].size * len(board.states) for board in boards]
        ends = end + np.cumsum(widths, dtype=np.int64)
        starts.append(ends - widths)
        end = int(ends[-1])
    return tuple(starts)


def _plex(where: Product, player: int, root: Floats) -> Treeplex:
    """One player's blocks; those that stay on a board share one identity map."""
    widest = max(len(board.states) for boards in where.streets for board in boards)
    maps: list[Ints] = [np.arange(widest)]
    map_end = widest
    parts = []  # five rows a board: first, states, actions, base, map_at
    for street, boards in enumerate(where.streets):
        side, starts = where.lines.streets[street][player], where.starts[player]
        first, actions = np.array(side.first), np.array(side.actions)
        parent, enters = np.array(side.parent), np.array(side.enters, dtype=bool)
        for board, start in zip(boards, starts[street], strict=True):
            K = len(board.states)
            base = start + parent * K
            if board.parent >= 0:
                K_above = len(where.streets[street - 1][board.parent].states)
                start_above = starts[street - 1][board.parent]
                base = np.where(enters, start_above + parent * K_above, base)
            map_at = np.where(enters, map_end, 0)
            parts.append(
                np.stack([start + first * K, np.full(len(first), K), actions, base, map_at])
            )
            maps.append(board.above)
            map_end += K
    first, states, actions, base, map_at = np.concatenate(parts, axis=1).astype(np.int64)
    arrays = PlexArrays(first, states, actions, base, map_at, np.concatenate(maps), states)
    return Treeplex(np.asarray(root, dtype=np.float64), arrays)


def _groups(where: Product) -> list[TerminalGroup]:
    """A group for the folds and one for the showdowns of each board."""
    groups = []
    for street, boards in enumerate(where.streets):
        kinds = [where.lines.folds[street], where.lines.shows[street]]
        for number, board in enumerate(boards):
            for ends, matrix in zip(kinds, (board.chance, board.showdown), strict=True):
                if not len(ends.stakes):
                    continue
                if matrix is None:
                    raise GameError(f"board {board.name} has showdowns but says not who wins")
                seqs = [
                    where.starts[player][street][number] + ends.last[:, player] * len(board.states)
                    for player in (0, 1)
                ]
                groups.append(TerminalGroup(Matrix(matrix), ends.stakes, seqs[0], seqs[1]))
    return groups


def _labels(where: Product, player: int) -> Labels:
    """Infosets as holding, board and line, such as ``Ks|Qs:b10 c /``."""
    tree = where.lines.tree
    infosets, actions = [], []
    for street, boards in enumerate(where.streets):
        side = where.lines.streets[street][player]
        lines = [tree.line(node) for node in side.node]
        words = [
            tuple(tree.words(node)) if tree.kind[node] == DECISION else ("-",) for node in side.node
        ]
        for board in boards:
            shown = f"|{board.name}" if board.name else ""
            for line, names in zip(lines, words, strict=True):
                infosets.append(tuple(f"{state}{shown}:{line}" for state in board.states))
                actions.append((names,) * len(board.states))
    return Labels(tuple(infosets), tuple(actions))

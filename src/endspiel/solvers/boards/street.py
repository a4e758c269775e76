"""The last street of a game on real cards, all its boards at once, whatever comes before it.

Several lines come into the street, each with reaches of its own: the same on every board, as where
one betting round leads to every flop, or others on each board, which is then an endgame for itself.
`BoardStreet` walks it by the board kernels; `gpu.street` has the same by op streams.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from endspiel.betting.streets import Street
from endspiel.betting.tree import BettingTree
from endspiel.errors import GameError
from endspiel.games.card_game import CardGame
from endspiel.games.card_tree import CardTree
from endspiel.kernels.arrays import Discounts, Floats, Ints
from endspiel.kernels.board import BEST, UPDATE
from endspiel.kernels.board_arrays import BoardWalk, Float32s, KernelStore, Meta, Seated
from endspiel.kernels.board_walk import take_up, visit, visit_last
from endspiel.kernels.regrets import shares
from endspiel.kernels.simd import LANES, padded, zeros
from endspiel.solvers.boards.backend import STAY, schedule_of
from endspiel.solvers.boards.store import BoardStore, untile

REGRET, AVERAGE = "regret", "average"  # what is kept of every action, board and hand


class BySequence(NamedTuple):
    """Numbers of a player's sequences on every board: lines first, then actions."""

    lines: Floats  # [B, L, P]
    actions: Floats  # [B, S - L, P]

    def at(self, sequence: int) -> Floats:
        """Those of one sequence [B, P]."""
        lines = self.lines.shape[1]
        found = self.lines[:, sequence] if sequence < lines else self.actions[:, sequence - lines]
        return found

    def of(self, sequences: Sequence[int]) -> Floats:
        """Those of some sequences [B, n, P]."""
        return np.stack([self.at(sequence) for sequence in sequences], axis=1)


class LastStreet(Protocol):
    """A running solve of the street. B boards, L lines, P places of hands on each board."""

    street: Street
    tree: CardTree
    hand: Ints  # [B, P] hand in each place, -1 where there is none

    def set_range(self, player: int, ranges: Floats) -> None:
        """Let a player come into each line with these reaches [L, H] of the hands before."""

    def set_board_range(self, player: int, ranges: Floats) -> None:
        """Let a player come into each line of each board with these reaches [B, L, P]."""

    def entering(self, player: int) -> Floats:
        """The reaches [B, L, P] that a player was given."""

    def learn(self, player: int, discounts: Discounts) -> Floats:
        """One player's half of an iteration; what each hand is worth at each line [L, H]."""

    def learn_boards(self, player: int, discounts: Discounts) -> Floats:
        """The same; what each hand is worth at each line of each board [B, L, P]."""

    def values(self, player: int, mode: int) -> Floats:
        """What each hand is worth at each line [L, H] against the other's average strategy."""

    def trace(self, player: int) -> tuple[BySequence, BySequence]:
        """What each sequence is worth at best, and the other's reaches.

        Of its sequences, as it comes in and then on the average, which is what counts. What was
        learned may be lost; the averages stay.
        """

    def read(self, kind: str, player: int) -> Floats:
        """Regrets, or an average's sums, of a player's actions [B, S - L, P]: a copy."""

    def write(self, kind: str, player: int, rows: Floats) -> None:
        """Put other regrets or sums [B, S - L, P] in place of a player's."""

    def state(self, kind: str, player: int) -> Floats:
        """The same in as few numbers as there may be, to be written down."""

    def restore(self, kind: str, player: int, state: Floats) -> None:
        """Go on from a state."""

    def copy_averages(self, player: int, source: Any, rows: Sequence[tuple[int, int]]) -> None:
        """Take a player's average from another solver of the same kind: rows there, and here."""

    def even_out(self, kind: str, player: int, of: Ints) -> None:
        """Give hands of one group [B, P] the mean of what is kept, by the boards' weights."""


def street_game(betting: BettingTree, tree: CardTree, street: Street, unit: float) -> CardGame:
    """A last street alone: before the board comes, nobody decides anything."""
    if len(tree.streets) != 2 or len(tree.streets[0]) > 1:
        raise GameError("a last street alone follows one board, or none")
    betting.check_zero_sum("a last street alone")
    lines = range(len(street.starts))
    before = Street(list(street.starts), [len(lines)] * 2, out=[(line, line) for line in lines])
    return CardGame(betting, tree, unit=unit, cut=(before, street))


def street_bytes(street: Street, tree: CardTree) -> int:
    """What a solve takes: regrets, averages and a copy of them, and lines, in 32 bits."""
    hands = len(tree.streets[-1]) * len(tree.streets[-1][0].hands[0])
    return 4 * hands * (4 * sum(street.size) + 2 * len(street.starts))


def behavior_of(street: Street, player: int, sums: Floats) -> Floats:
    """Probability of each action [B, S - L, P] from regrets or an average's sums."""
    found, lines = np.empty_like(sums), len(street.starts)
    for first, actions in zip(street.first[player], street.actions[player], strict=True):
        rows = slice(first - lines, first - lines + actions)
        found[:, rows] = shares(sums[:, rows], axis=1)
    return found


class BoardStreet:
    """The street by the board kernels, board after board."""

    def __init__(self, game: CardGame) -> None:
        boards = game.tree.streets[-1]
        self.street, self.tree, self.tables = game.streets[-1], game.tree, game.tables
        if len({len(hands) for board in boards for hands in board.hands}) > 1:
            raise GameError("a last street alone needs as many hands on every board")
        self.hand: Ints = np.stack([board.hands[0] for board in boards])
        self.store = store = BoardStore(game)
        self._kept = KernelStore(store.regret, store.average, store.locked, zeros(0), zeros(0))
        self._work, self._result = zeros(game.work_size), zeros(len(game.tables.root))
        self._lines = len(self.street.starts)
        before = game.tree.streets[0][0].hands[0]
        self._place = np.searchsorted(before, self.hand)  # [B, K] among the hands before
        self._hands = len(before)
        self._ranges: list[Floats] = [np.zeros((self._lines, self._hands)) for _ in (0, 1)]

    def set_range(self, player: int, ranges: Floats) -> None:
        """See `LastStreet`."""
        self._ranges[player] = ranges

    def set_board_range(self, player: int, ranges: Floats) -> None:
        """See `LastStreet`."""
        self._ranges[player] = ranges

    def entering(self, player: int) -> Floats:
        """See `LastStreet`."""
        ranges = self._ranges[player]
        return ranges if ranges.ndim == 3 else ranges[:, self._place].swapaxes(0, 1)

    def _before(self, player: int, part: Meta) -> Float32s:
        """A view [tiles, L, 16] of the lines before the board, in a work array."""
        start, tiles = int(self.tables.meta[0, player, part]), padded(self._hands) // LANES
        size = tiles * self._lines * LANES
        return self._work[start : start + size].reshape(tiles, self._lines, LANES)

    def _enter(self, player: int, b: int = -1) -> None:
        """Put a player's reaches where the kernels look for them; on one board, those there."""
        rows = np.zeros((self._lines, padded(self._hands)), np.float32)
        ranges = self._ranges[player]
        if ranges.ndim == 2:
            rows[:, : self._hands] = ranges
        else:
            rows[:, self._place[b]] = ranges[b]
        view = self._before(player, Meta.REACH)
        view[:] = rows.reshape(self._lines, -1, LANES).swapaxes(0, 1)

    def _by_hand(self, player: int, mode: int, by: Discounts) -> Floats:
        """A walk over all boards; values of the lines before them [L, H]."""
        for each in (0, 1):
            self._enter(each)
        gains, rows = self._before(player, Meta.GAIN), schedule_of([by])
        gains[:] = 0
        every = np.arange(len(self.hand))
        walk = BoardWalk(mode, self._kept, self._work, self._result)
        visit(self.tables, 1, every, (player, player + 1), rows, walk)
        take_up(self.tables, Seated(0, player, 0), rows[0], walk)
        found = gains.swapaxes(0, 1).reshape(self._lines, -1)[:, : self._hands]
        return found.astype(np.float64)

    def _by_board(self, player: int, mode: int, by: Discounts) -> Floats:
        """A walk over all boards; every sequence's values on each [B, S, K]."""
        size, hands = self.street.size[player], self.hand.shape[1]
        tiles, row = padded(hands) // LANES, schedule_of([by])[0]
        found, trace = (
            np.empty((len(self.hand), size, hands), np.float32),
            zeros(tiles * size * LANES),
        )
        walk = BoardWalk(mode, self._kept, self._work, self._result)
        for b in range(len(self.hand)):
            for each in (0, 1):
                self._enter(each, b)
            visit_last(self.tables, Seated(1, player, b), row, walk, trace)
            found[b] = untile(trace.reshape(tiles, size, LANES))[:, :hands]
        return found

    def learn(self, player: int, discounts: Discounts) -> Floats:
        """See `LastStreet`."""
        return self._by_hand(player, UPDATE, discounts)

    def learn_boards(self, player: int, discounts: Discounts) -> Floats:
        """See `LastStreet`."""
        return self._by_board(player, UPDATE, discounts)[:, : self._lines]

    def values(self, player: int, mode: int) -> Floats:
        """See `LastStreet`."""
        return self._by_hand(player, mode, STAY)

    def trace(self, player: int) -> tuple[BySequence, BySequence]:
        """See `LastStreet`."""
        both = self._by_board(player, BEST, STAY), self._plan(1 - player)
        worth, plan = (BySequence(x[:, : self._lines], x[:, self._lines :]) for x in both)
        return worth, plan

    def _plan(self, player: int) -> Floats:
        """A player's reaches [B, S, K] of its sequences, as it comes in and then on the average."""
        street = self.street
        behavior = behavior_of(street, player, self.read(AVERAGE, player))
        plan = np.concatenate([self.entering(player).astype(np.float32), behavior], axis=1)
        lists = street.first[player], street.actions[player], street.parent[player]
        for first, actions, parent in zip(*lists, strict=True):
            plan[:, first : first + actions] *= plan[:, parent, None]
        return plan

    def _tiles(self, kind: str, player: int) -> Float32s:
        """A view [B, tiles, S - L, 16] of what is kept."""
        rows = self.store.street_rows(self.store.state()[kind], 1, player)
        return rows.reshape(len(self.hand), -1, *rows.shape[1:])

    def read(self, kind: str, player: int) -> Floats:
        """See `LastStreet`."""
        tiles = self._tiles(kind, player)
        rows = tiles.swapaxes(1, 2).reshape(len(tiles), tiles.shape[2], -1)
        return rows[..., : self.hand.shape[1]].copy()

    def write(self, kind: str, player: int, rows: Floats) -> None:
        """See `LastStreet`."""
        tiles, hands = self._tiles(kind, player), self.hand.shape[1]
        wide = np.zeros((*rows.shape[:2], tiles.shape[1] * LANES), np.float32)
        wide[..., :hands] = rows
        tiles[:] = wide.reshape(*rows.shape[:2], -1, LANES).swapaxes(1, 2)

    state, restore = read, write

    def copy_averages(self, player: int, source: Any, rows: Sequence[tuple[int, int]]) -> None:
        """See `LastStreet`."""
        assert isinstance(source, BoardStreet)
        own, other = self._tiles(AVERAGE, player), source._tiles(AVERAGE, player)
        for row, to in rows:
            own[:, :, to] = other[:, :, row]

    def even_out(self, kind: str, player: int, of: Ints) -> None:
        """See `LastStreet`."""
        weight = np.array([float(board.weight) for board in self.tree.streets[-1]])
        self.write(kind, player, group_means(self.read(kind, player), of, weight))


def group_means(rows: Floats, of: Ints, weight: Floats) -> Floats:
    """Rows [B, R, P] with the mean of each group [B, P], boards by weight [B]; -1 is in none."""
    inside, found = of >= 0, np.zeros_like(rows)
    each = np.broadcast_to(weight[:, None], of.shape)[inside]
    groups = of[inside]
    total = np.bincount(groups, each)
    for r in range(rows.shape[1]):
        sums = np.bincount(groups, each * rows[:, r][inside])
        found[:, r][inside] = (sums / np.where(total > 0, total, 1))[groups]
    return found

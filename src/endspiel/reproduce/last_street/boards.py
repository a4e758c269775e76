"""The last street of a game on real cards, all its boards at once, whatever comes before it.

Several lines come into the street, each with reaches of its own: the same on every board, as where
one betting round leads to every flop, or others on each board, which is then an endgame for itself.
`BoardStreet` walks it by the board kernels, `streams` by op streams.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from endspiel.betting.streets import Street
from endspiel.betting.tree import BettingTree
from endspiel.errors import GameError
from endspiel.games.card_game import Buckets, CardGame
from endspiel.games.card_tree import CardTree
from endspiel.kernels.arrays import Discounts, Float32s, Floats, Ints
from endspiel.kernels.board import BEST, UPDATE
from endspiel.kernels.lanes import LANES, padded
from endspiel.solvers.boards.backend import BoardBackend
from endspiel.solvers.boards.plans import behavior_of, plan_of
from endspiel.solvers.boards.walks import STAY

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
        """Solve; the value of each hand at each line of each board [B, L, P]."""

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
        """The state in as few numbers as possible, for a file."""

    def restore(self, kind: str, player: int, state: Floats) -> None:
        """Go on from a state."""

    def copy_averages(self, player: int, source: Any, rows: Sequence[tuple[int, int]]) -> None:
        """Take a player's average from another solver of the same kind: rows there, and here."""

    def even_out(self, kind: str, player: int, of: Ints) -> None:
        """Give hands of one group [B, P] the mean of what is kept, by the boards' weights."""


def street_game(
    betting: BettingTree,
    tree: CardTree,
    street: Street,
    unit: float,
    buckets: Buckets | None = None,
) -> CardGame:
    """A last street alone: before the board comes, there are no decisions."""
    if len(tree.streets) != 2 or len(tree.streets[0]) > 1:
        raise GameError("a last street alone follows one board, or none")
    betting.check_zero_sum("a last street alone")
    lines = range(len(street.starts))
    before = Street(list(street.starts), [len(lines)] * 2, out=[(line, line) for line in lines])
    return CardGame(betting, tree, unit=unit, buckets=buckets, cut=(before, street))


def street_bytes(street: Street, tree: CardTree) -> int:
    """What a solve takes: regrets, averages and a copy of them, and lines, in 32 bits."""
    hands = len(tree.streets[-1]) * len(tree.streets[-1][0].hands[0])
    return 4 * hands * (4 * sum(street.size) + 2 * len(street.starts))


def board_behavior(street: Street, player: int, sums: Floats) -> Floats:
    """Probability of each action [B, S - L, P] from regrets or an average's sums."""
    return behavior_of(street, player, sums.swapaxes(0, 1)).swapaxes(0, 1)


class BoardStreet:
    """The street by the board kernels."""

    def __init__(self, game: CardGame, threads: int = 1) -> None:
        boards, before = game.tree.streets[-1], game.tree.streets[0][0].hands[0]
        self.street, self.tree, self.buckets = game.streets[-1], game.tree, game.buckets
        if len({len(hands) for board in boards for hands in board.hands}) > 1:
            raise GameError("a last street alone needs as many hands on every board")
        self.hand: Ints = np.stack([board.hands[0] for board in boards])
        self.backend = BoardBackend(game, threads)
        self._lines = len(self.street.starts)
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

    def _by_board(self, player: int, mode: int, by: Discounts) -> Floats:
        """A walk over all boards, each for itself; every sequence's values there [B, S, K]."""
        shape = len(self.hand), self.street.size[player], self.hand.shape[1]
        found, pairs = np.empty(shape, np.float32), self.backend.game.pairs
        coming = [self.entering(each) for each in (0, 1)]
        rows = np.zeros((self._lines, self._hands))
        for b, places in enumerate(self._place):
            for each in (0, 1):
                rows[:, places] = coming[each][b]
                self.backend.set_root(each, rows)
                rows[:, places] = 0
            found[b] = pairs * self.backend.action_values(1, b, player, mode, by)
        return found

    def _by_hand(self, walk: Callable[..., Floats], *how: Any) -> Floats:
        """A walk over all boards; values of the lines before them [L, H]."""
        for player, ranges in enumerate(self._ranges):
            self.backend.set_root(player, ranges)
        return np.atleast_2d(walk(*how)) * self.backend.game.pairs

    def learn(self, player: int, discounts: Discounts) -> Floats:
        """See `LastStreet`."""
        return self._by_hand(self.backend.learn, player, discounts)

    def learn_boards(self, player: int, discounts: Discounts) -> Floats:
        """See `LastStreet`."""
        return self._by_board(player, UPDATE, discounts)[:, : self._lines]

    def values(self, player: int, mode: int) -> Floats:
        """See `LastStreet`."""
        walk = self.backend.best_values if mode == BEST else self.backend.average_values
        return self._by_hand(walk, player)

    def trace(self, player: int) -> tuple[BySequence, BySequence]:
        """See `LastStreet`."""
        both = self._by_board(player, BEST, STAY), self._plan(1 - player)
        worth, plan = (BySequence(x[:, : self._lines], x[:, self._lines :]) for x in both)
        return worth, plan

    def _plan(self, player: int) -> Floats:
        """A player's reaches [B, S, K] of its sequences, as it comes in and then on the average."""
        lines = self.entering(player).astype(np.float32).swapaxes(0, 1)
        behavior = behavior_of(self.street, player, self.read(AVERAGE, player).swapaxes(0, 1))
        return plan_of(self.street, player, lines, behavior).swapaxes(0, 1)

    def _tiles(self, kind: str, player: int) -> Float32s:
        """A view [B, tiles, S - L, 16] of what is kept; of buckets, a copy."""
        store, boards = self.backend.store, len(self.hand)
        if self.buckets is None:
            rows = store.street_rows(store.state()[kind], 1, player)
            return rows.reshape(boards, -1, *rows.shape[1:])
        shared, count = self._shared(kind, player), self.buckets.count
        of = np.full((boards, padded(self.hand.shape[1])), count)
        of[:, : self.hand.shape[1]] = np.take_along_axis(self.buckets.of, self.hand, axis=1)
        found: Float32s = shared[of].reshape(boards, -1, LANES, shared.shape[1])
        return found.swapaxes(2, 3)

    def _shared(self, kind: str, player: int) -> Float32s:
        """A view [buckets + 1, S - L] of rows that hands share."""
        rows = self.street.size[player] - self._lines
        store = self.backend.store
        return store.bucket_rows(store.state()[kind], player)[:, :rows]

    def read(self, kind: str, player: int) -> Floats:
        """See `LastStreet`."""
        tiles = self._tiles(kind, player)
        rows = tiles.swapaxes(1, 2).reshape(len(tiles), tiles.shape[2], -1)
        return rows[..., : self.hand.shape[1]].copy()

    def write(self, kind: str, player: int, rows: Floats) -> None:
        """See `LastStreet`."""
        if self.buckets is not None:
            raise GameError("hands that share rows have no others to be written")
        tiles, hands = self._tiles(kind, player), self.hand.shape[1]
        wide = np.zeros((*rows.shape[:2], tiles.shape[1] * LANES), np.float32)
        wide[..., :hands] = rows
        tiles[:] = wide.reshape(*rows.shape[:2], -1, LANES).swapaxes(1, 2)

    def state(self, kind: str, player: int) -> Floats:
        """See `LastStreet`."""
        shared = self.buckets is not None
        return self._shared(kind, player).copy() if shared else self.read(kind, player)

    def restore(self, kind: str, player: int, state: Floats) -> None:
        """See `LastStreet`."""
        if self.buckets is None:
            self.write(kind, player, state)
        else:
            self._shared(kind, player)[:] = state

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

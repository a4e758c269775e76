"""The last street of a game on real cards, all its boards at once, as a graphics processor likes.

A twin of the board kernels for games whose last street has many boards with as many hands each,
such as every flop of flop hold'em. Betting is walked level by level, every board and hand in one
array of torch, or of NumPy where there is none. Several lines come into the street; each has its
own ranges.
"""

from typing import Any, NamedTuple

import numpy as np

from endspiel.betting.streets import Street
from endspiel.cards.deck import NUM_HANDS
from endspiel.errors import GameError
from endspiel.games.card_game import Buckets
from endspiel.games.card_tree import CardTree
from endspiel.kernels.arrays import Discounts, Floats
from endspiel.kernels.board import BEST
from endspiel.kernels.regrets import add_advantages, add_plans, decision_values, shares
from endspiel.solvers.boards.array_libraries import Tensor, require_memory
from endspiel.solvers.boards.fused import Fused
from endspiel.solvers.boards.tensors import BoardTensors


class DecisionRows(NamedTuple):
    """Decisions of one player that are as deep and have as many actions, in rows side by side."""

    first: int  # row
    decisions: int  # D
    actions: int  # A
    parent: Tensor  # [D] rows

    @property
    def rows(self) -> slice:
        return slice(self.first, self.first + self.decisions * self.actions)


class Terminals(NamedTuple):
    """Ends of lines of one kind: rows of the player's and of the other's last sequences."""

    own: Tensor  # [T]
    other: Tensor  # [T]
    stake: Tensor  # [T, 1, 1] the player's, in units, negative where it folds


class StreetSide:
    """One player's betting on the street: its sequences in rows, incoming lines first."""

    def __init__(self, street: Street, player: int) -> None:
        self.lines, self.size = len(street.starts), street.size[player]
        self.row = np.arange(self.size)  # [S] row of each local sequence
        firsts, counts, parents = (
            getattr(street, name)[player] for name in ("first", "actions", "parent")
        )
        level = np.zeros(self.size, dtype=np.int64)
        kinds: dict[tuple[int, int], list[int]] = {}
        for d, (first, count, parent) in enumerate(zip(firsts, counts, parents, strict=True)):
            level[first : first + count] = level[parent] + 1
            kinds.setdefault((int(level[first]), count), []).append(d)
        self.blocks: list[tuple[int, list[int], int]] = []  # first row, parents, actions
        at = self.lines
        for (_, count), decisions in sorted(kinds.items()):
            self.blocks.append((at, [int(self.row[parents[d]]) for d in decisions], count))
            for d in decisions:
                self.row[firsts[d] : firsts[d] + count] = range(at, at + count)
                at += count


def street_bytes(street: Street, tree: CardTree, kept: int | None = None) -> int:
    """What an iteration takes: regrets, averages, reaches, values and terminals, in 32 bits.

    So many numbers of each sequence are kept; as many as there are hands on all boards by default.
    """
    hands = len(tree.streets[-1]) * len(tree.streets[-1][0].hands[0])
    rows = sum(street.size) - 2 * len(street.starts)
    ends = max(len(street.terminals), 1)
    return 4 * (2 * rows * (hands if kept is None else kept) + (2 * rows + 3 * ends) * hands)


class StreetSolver:
    """A running solve of the last street by discounted regrets, for given ranges of each line."""

    def __init__(
        self, boards: BoardTensors, street: Street, unit: float, buckets: Buckets | None = None
    ) -> None:
        on = boards.on
        self.boards, self.on, self.street = boards, on, street
        self.sides = StreetSide(street, 0), StreetSide(street, 1)
        self.lines = len(street.starts)
        self.blocks = [[self._block(*block) for block in side.blocks] for side in self.sides]
        scale = boards.tree.chance[-1] / unit
        self.shows = [self._terminals(player, True, scale) for player in (0, 1)]
        self.folds = [self._terminals(player, False, scale) for player in (0, 1)]
        self.bucket = None  # [B * K]
        shape: tuple[int, ...] = (boards.num_boards, boards.num_hands)
        if buckets is not None:
            of = np.take_along_axis(buckets.of, on.numpy(boards.hand), axis=1).ravel()
            self.bucket = on.put(of.astype(np.int64))
            shape = (buckets.count,)
        sizes = [side.size - self.lines for side in self.sides]
        require_memory(on, street_bytes(street, boards.tree, int(np.prod(shape))))
        self.regret = [on.zeros((size, *shape)) for size in sizes]
        self.average = [on.zeros((size, *shape)) for size in sizes]
        self.ranges = [on.zeros((self.lines, NUM_HANDS)) for _ in (0, 1)]
        self.choice: list[Tensor] = [None, None]  # sigma [S - L, B, K] and reach [S, B, K]
        self.fused = Fused(self) if on.graphics else None

    def _block(self, first: int, parents: list[int], actions: int) -> DecisionRows:
        return DecisionRows(first, len(parents), actions, self.on.put(np.array(parents)))

    def _terminals(self, player: int, shown: bool, scale: float) -> Terminals:
        own, other, stakes = [], [], []
        if any(end.outcomes is not None for end in self.street.terminals):
            raise GameError("the batched solver solves zero-sum games, without rake")
        for end in self.street.terminals:
            if (end.folder < 0) == shown:
                own.append(int(self.sides[player].row[end.seqs[player]]))
                other.append(int(self.sides[1 - player].row[end.seqs[1 - player]]))
                stakes.append(scale * end.gain(player))
        stake = np.array(stakes, dtype=np.float32)[:, None, None]
        rows = [self.on.put(np.array(x, dtype=np.int64)) for x in (own, other)]
        if len(set(own)) < len(own):
            raise GameError("two showdowns (or folds) follow one sequence of a player")
        return Terminals(rows[0], rows[1], self.on.put(stake))

    def set_board_range(self, player: int, ranges: Tensor) -> None:
        """Let a player come into each line of each board with these reaches [L, B, K]."""
        self.ranges[player] = ranges
        self.choice[player] = None

    def entering(self, player: int) -> Tensor:
        """The reaches [L, B, K] with which a player comes into each line."""
        ranges = self.ranges[player]
        return ranges if ranges.ndim == 3 else self.boards.spread(ranges)

    def set_range(self, player: int, ranges: Floats) -> None:
        """Let a player come into each line with these reaches [L, H] of its hands."""
        held = self.boards.tree.streets[0][0].hands[player]
        wide = np.zeros((self.lines, NUM_HANDS), dtype=np.float32)
        wide[:, held] = ranges
        self.ranges[player] = self.on.put(wide)
        self.choice[player] = None

    def _down(self, player: int, sums: Tensor) -> tuple[Tensor, Tensor]:
        """Behavior [S - L, B, K] that matches regrets, or an average's sums; and reaches."""
        on, lines = self.on, self.lines
        shape = (self.boards.num_boards, self.boards.num_hands)
        sigma = on.empty((self.sides[player].size - lines, *shape))
        reach = on.empty((self.sides[player].size, *shape))
        reach[:lines] = self.entering(player)
        for block in self.blocks[player]:
            rows = slice(block.first - lines, block.rows.stop - lines)
            share = shares(sums[rows].reshape(block.decisions, block.actions, -1), axis=1)
            if self.bucket is not None:
                share = share[:, :, self.bucket]
            share = share.reshape(block.decisions, block.actions, *shape)
            sigma[rows].reshape(share.shape)[:] = share
            below = reach[block.rows].reshape(share.shape)
            on.multiply(share, reach[block.parent][:, None], out=below)
        return sigma, reach

    def _current(self, player: int) -> tuple[Tensor, Tensor]:
        if self.choice[player] is None:
            self.choice[player] = self._down(player, self.regret[player])
        found: tuple[Tensor, Tensor] = self.choice[player]
        return found

    def _ends(self, player: int, reach: Tensor) -> Tensor:
        """What terminals add to each of the player's sequences [S, B, K]."""
        on, boards = self.on, self.boards
        values = on.zeros((self.sides[player].size, boards.num_boards, boards.num_hands))
        shows, folds = self.shows[player], self.folds[player]
        if len(shows.own):
            on.add_rows(values, shows.own, boards.showdowns(reach[shows.other] * shows.stake))
        if len(folds.own):
            on.add_rows(values, folds.own, boards.folds(reach[folds.other] * folds.stake))
        return values

    def learn(self, player: int, discounts: Discounts) -> Floats:
        """One player's half of an iteration; what each hand is worth at each line [L, H]."""
        return self.boards.gather(self.learn_boards(player, discounts))

    def learn_boards(self, player: int, discounts: Discounts) -> Tensor:
        """One player's half of an iteration; what each hand is worth at each line [L, B, K]."""
        if self.fused is not None:
            return self.fused.learn_boards(player, discounts)
        sigma, reach = self._current(player)
        values = self._ends(player, self._current(1 - player)[1])
        lines = self.lines
        self._remember(player, reach[lines:], discounts)
        for block in reversed(self.blocks[player]):
            shape = (block.decisions, block.actions, *values.shape[1:])
            rows = slice(block.first - lines, block.rows.stop - lines)
            gains = values[block.rows].reshape(shape)
            worth = decision_values(gains, sigma[rows].reshape(shape), axis=1)
            self.on.add_rows(values, block.parent, worth)
            news = (gains - worth[:, None]).reshape(-1, *shape[2:])
            self._regret(player, rows, news, discounts)
        self.choice[player] = None
        return values[:lines]

    def _remember(self, player: int, reach: Tensor, discounts: Discounts) -> None:
        plans = reach if self.bucket is None else self._pooled(reach)
        add_plans(self.average[player], plans, discounts)

    def _regret(self, player: int, rows: slice, news: Tensor, discounts: Discounts) -> None:
        advantages = news if self.bucket is None else self._pooled(news)
        add_advantages(self.regret[player][rows], advantages, discounts)

    def _pooled(self, news: Tensor) -> Tensor:
        """Sums [n, buckets] over all hands of each bucket, boards with their multiplicity."""
        weighed = (news * self.boards.weight[:, None]).reshape(len(news), -1)
        return self.on.pool(weighed, self.bucket, self.regret[0].shape[1])

    def values(self, player: int, mode: int) -> Floats:
        """What each hand is worth at each line [L, H] against the other's average strategy."""
        return self.boards.gather(self.sequence_values(player, mode)[: self.lines])

    def plan(self, player: int) -> Tensor:
        """A player's reaches [S, B, K] of its sequences, by row, on the average."""
        return self._down(player, self.average[player])[1]

    def sequence_values(self, player: int, mode: int) -> Tensor:
        """What each sequence is worth [S, B, K], by row, against the other's average strategy."""
        lines = self.lines
        values = self._ends(player, self._down(1 - player, self.average[1 - player])[1])
        sigma = None if mode == BEST else self._down(player, self.average[player])[0]
        for block in reversed(self.blocks[player]):
            gains = values[block.rows].reshape(block.decisions, block.actions, *values.shape[1:])
            rows = slice(block.first - lines, block.rows.stop - lines)
            own = None if sigma is None else sigma[rows].reshape(gains.shape)
            self.on.add_rows(values, block.parent, decision_values(gains, own, axis=1))
        return values

    def spread_average(self, player: int) -> Tensor:
        """The average's behavior [S - L, B, K] hand by hand, also where hands share buckets."""
        return self._down(player, self.average[player])[0]

    def start_from(self, player: int, behavior: Tensor, size: Floats) -> None:
        """Regrets as after one iteration of a behavior [S - L, B, K], so large [L]; no average."""
        line = np.arange(self.sides[player].size)
        for first, parents, actions in self.sides[player].blocks:
            line[first : first + len(parents) * actions] = np.repeat(line[parents], actions)
        sizes = self.on.put(size[line[self.lines :]].astype(np.float32))
        self.regret[player] = behavior * sizes[:, None, None]
        self.average[player][:] = 0.0
        self.choice[player] = None

    def load(self, player: int, regret: Any, average: Any) -> None:
        """Take over arrays that another solver of the same street kept."""
        self.regret[player] = self.on.put(regret.copy())
        self.average[player] = self.on.put(average.copy())
        self.choice[player] = None

    def finish(self) -> None:
        """Keep nothing but the averages: half the memory or less."""
        self.regret = [average[:0] for average in self.average]
        self.choice = [None, None]
        if self.fused is not None:
            self.fused.reach = [None, None]

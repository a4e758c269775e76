"""Walks over the boards that measure strategies on real cards: values by best play or by both.

Nothing is learned here; `solvers.boards.backend` adds that.
"""

from collections.abc import Sequence

import numpy as np

from endspiel.games.card_game import CardGame
from endspiel.kernels.arrays import Discounts, Float32s, Float64s, Floats
from endspiel.kernels.board import BEST, EXPECTED
from endspiel.kernels.board_arrays import (
    DITHER,
    SCHEDULE_COLUMNS,
    BoardWalk,
    KernelStore,
    Meta,
    Seated,
    Tables,
)
from endspiel.kernels.board_walk import bring_down, take_up, visit, visit_last
from endspiel.kernels.lanes import LANES, zeros
from endspiel.solvers.boards.store import tiled, untile

STAY = Discounts(1.0, 1.0, 1.0, 0.0)  # of a walk that does not learn
ROOT = np.array([0])


def schedule_of(discounts: Sequence[Discounts]) -> Float64s:
    """Rows [T, 7] for the kernels; what sums of 16 bits need besides is `ShortPace`'s to add."""
    rows = np.zeros((len(discounts), SCHEDULE_COLUMNS))
    if discounts:
        rows[:, :DITHER] = [by[:DITHER] for by in discounts]
    return rows


class BoardRoots:
    """The masses that hands of both players begin with, in a game's tables of a solve's own.

    By hand [K]; where several lines come into the first street, in each of them [L, K].
    """

    def __init__(self, game: CardGame) -> None:
        # The game's ranges are its own; those that a solve begins with may change.
        self.tables: Tables = game.tables._replace(root=game.tables.root.copy())
        first = game.tree.streets[0][0]
        self._root = [game.tree.ranges[p][first.hands[p]].astype(np.float64) for p in (0, 1)]

    def root(self, player: int) -> Float64s:
        return self._root[player]

    def set_root(self, player: int, reach: Floats) -> None:
        self._root[player] = np.asarray(reach, dtype=np.float64)
        start, rows = int(self.tables.meta[0, player, Meta.ROOT]), tiled(np.atleast_2d(reach))
        self.tables.root[start : start + rows.size] = rows.ravel()


def crew_size(game: CardGame, threads: int) -> int:
    """Threads that can share a game's boards: a single board has only one."""
    return threads if len(game.streets) > 1 else 1


class BoardWalks(BoardRoots):
    """Values of strategies in an endgame on real cards, by the board kernels.

    Each thread has its view of what is stored: what it reads, and where it sums up.
    """

    def __init__(self, game: CardGame, stores: list[KernelStore]) -> None:
        super().__init__(game)
        self.game, self._measuring = game, stores
        self._values = zeros(len(self.tables.root))  # of the walking player's hands at the root
        self._crew = _Crew(game, self.tables, len(stores)) if len(stores) > 1 else None
        self._work = self._crew.work[0] if self._crew else zeros(game.work_size)

    @property
    def threads(self) -> int:
        """Threads that walk the boards; a single board has only one."""
        return len(self._measuring)

    @property
    def zero_sum(self) -> bool:
        return self.game.betting.zero_sum

    def _stores(self, mode: int) -> list[KernelStore]:
        """What each thread's walk reads and writes."""
        return self._measuring

    def _walk(self, player: int, mode: int, schedule: Float64s) -> None:
        """One player's walk over all boards, by one row of a schedule: [1, 6]."""
        if self._crew is None:
            visit(self.tables, 0, ROOT, (player, player + 1), schedule, self._alone(mode))
        else:
            self._crew.walk(player, mode, schedule, self._stores(mode), self._values)

    def _alone(self, mode: int) -> BoardWalk:
        """A walk by the calling thread."""
        return BoardWalk(mode, self._stores(mode)[0], self._work, self._values)

    def best_values(self, player: int) -> Float64s:
        self._walk(player, BEST, schedule_of([STAY]))
        return self._root_values(player)

    def average_values(self, player: int) -> Float64s:
        self._walk(player, EXPECTED, schedule_of([STAY]))
        return self._root_values(player)

    def _root_values(self, player: int) -> Float64s:
        """What the last walk, this player's, found each hand to be worth: as `root` has them."""
        side, lines = self.game.cards[0].sides[player], len(self.game.streets[0].starts)
        rows = self._values[: int(side.start[-1]) * lines * LANES].reshape(-1, lines, LANES)
        values = untile(rows)[:, : side.hands[0]].astype(np.float64) / self.game.pairs
        return values[0] if lines == 1 else values

    def action_values(
        self, street: int, b: int, player: int, mode: int = EXPECTED, discounts: Discounts = STAY
    ) -> Float64s:
        """Counterfactual value [S, K] of each local sequence on a board, as a share of the pot.

        Weighed by the other player's reach and by chance, over all pairs of hands: divide by the
        mass of hands that the other may hold (and the chance of the board) for a value a hand.
        A board of the last street may learn meanwhile, alone.
        """
        side = self.game.cards[street].sides[player]
        tiles, size = int(side.start[b + 1] - side.start[b]), self.game.streets[street].size[player]
        trace = zeros(tiles * size * LANES)
        self._fill_values(Seated(street, player, b), mode, schedule_of([discounts]), trace)
        values = untile(trace.reshape(tiles, size, LANES))[:, : side.hands[b]]
        return values.astype(np.float64) / self.game.pairs

    def path(self, street: int, b: int) -> list[int]:
        """Numbers of the boards that lead to a board, itself last."""
        path = [b]
        for s in range(street, 0, -1):
            path.append(self.game.tree.streets[s][path[-1]].parent)
        return path[::-1]

    def _fill_values(self, at: Seated, mode: int, schedule: Float64s, trace: Float32s) -> None:
        """Every sequence's value [tiles, S, 16] on a board."""
        tables, walk, (street, player, b) = self.tables, self._alone(mode), at
        for above, board in enumerate(self.path(street, b)[:-1]):
            bring_down(tables, Seated(above, player, board), schedule[0], walk)
        if street == len(self.game.streets) - 1:
            visit_last(tables, at, schedule[0], walk, trace)
            return
        bring_down(tables, at, schedule[0], walk)
        child = self.game.cards[street].child
        boards = np.arange(child[b], child[b + 1])
        visit(tables, street + 1, boards, (player, player + 1), schedule, walk)
        take_up(tables, at, schedule[0], walk)
        start = int(tables.meta[street, player, Meta.GAIN])
        trace[:] = self._work[start : start + len(trace)]


class _Crew:
    """Threads that share the boards below the root; each has its own boards in flight."""

    def __init__(self, game: CardGame, tables: Tables, threads: int) -> None:
        self.tables = tables
        self.work = [zeros(game.work_size) for _ in range(threads)]
        boards = np.arange(len(game.tree.streets[1]))
        self.shares = [boards[i::threads] for i in range(threads)]
        from concurrent.futures import ThreadPoolExecutor  # not for one thread

        self.pool = ThreadPoolExecutor(threads - 1)

    def walk(
        self, player: int, mode: int, schedule: Float64s, team: list[KernelStore], values: Float32s
    ) -> None:
        """One player's walk over all boards; the root's own work is the first thread's."""
        tables, first, root = self.tables, self.work[0], Seated(0, player, 0)
        meta = tables.meta[0, player]
        reaches, gains = slice(0, meta[Meta.SIGMA]), slice(meta[Meta.GAIN], meta[Meta.LANES_IN])
        own, *others = (
            BoardWalk(mode, sums, work, values) for sums, work in zip(team, self.work, strict=True)
        )
        bring_down(tables, root, schedule[0], own)
        for work in self.work[1:]:
            work[reaches] = first[reaches]
            work[gains] = 0
        players = player, player + 1
        walks = [
            self.pool.submit(visit, tables, 1, share, players, schedule, walk)
            for share, walk in zip(self.shares[1:], others, strict=True)
        ]
        visit(tables, 1, self.shares[0], players, schedule, own)
        for done in walks:
            done.result()
        for work in self.work[1:]:
            first[gains] += work[gains]
        take_up(tables, root, schedule[0], own)

"""The backend of `CardGame`: endgames on real cards, by the board kernels, in 32-bit floats.

Nothing but regrets and averages is stored, and a player's whole half of an iteration is one walk
over the boards.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from endspiel.engine.backend import alternate
from endspiel.engine.schemes import CURRENT, LONGEST_AVERAGE, Scheme
from endspiel.errors import GameError
from endspiel.games.card_game import CardGame
from endspiel.kernels.arrays import Discounts, Float32s, Float64s, Floats
from endspiel.kernels.board import BEST, EXPECTED, UPDATE
from endspiel.kernels.board_arrays import BoardWalk, KernelStore, Meta, Seated, Tables
from endspiel.kernels.board_walk import bring_down, take_up, visit, visit_last
from endspiel.kernels.lanes import LANES, zeros
from endspiel.kernels.regrets import discount
from endspiel.solvers.boards.store import BoardStore, tiled, untile

STAY = Discounts(1.0, 1.0, 1.0, 0.0)  # of a walk that does not learn
_ROOT = np.array([0])


def schedule_of(discounts: Sequence[Discounts]) -> Float64s:
    """Rows [T, 6] for the kernels: two more, always zero, for rows that are summed up."""
    rows = np.zeros((len(discounts), 6))
    if discounts:
        rows[:, :4] = discounts
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


class BoardBackend(BoardRoots):
    """An endgame on real cards with its strategies, and the walks over its boards."""

    longest_average = LONGEST_AVERAGE

    def __init__(self, game: CardGame, threads: int = 1) -> None:
        self.game, self.store = game, BoardStore(game)
        super().__init__(game)
        crew = threads if len(game.streets) > 1 else 1
        shared = game.store_size if game.buckets is not None else 0
        self._news = [(zeros(shared), zeros(shared)) for _ in range(crew)]
        self._fill_teams()
        self._values = zeros(len(self.tables.root))  # of the walking player's hands at the root
        self._crew = _Crew(game, self.tables, crew) if crew > 1 else None
        self._work = self._crew.work[0] if self._crew else zeros(game.work_size)

    def _fill_teams(self) -> None:
        """What each thread's walks read and write: those that measure, and those that learn."""
        store = self.store
        self._measuring = [
            KernelStore(store.regret, store.average, store.locked, *new) for new in self._news
        ]
        learned = zeros(0) if store.is_current else store.average
        self._team = [sums._replace(average=learned) for sums in self._measuring]

    @property
    def threads(self) -> int:
        """Threads that walk the boards; a single board has only one."""
        return len(self._team)

    @property
    def zero_sum(self) -> bool:
        return self.game.betting.zero_sum

    def accept(self, scheme: Scheme) -> None:
        if scheme.predictive or not scheme.alternating:
            raise GameError("the board kernels know alternating schemes without prediction")
        if scheme.solution == CURRENT and not self.store.is_current:
            self.store.drop_average()
            self._fill_teams()

    def learn(self, player: int, discounts: Discounts) -> Float64s:
        self._walk(player, UPDATE, schedule_of([discounts]))
        self._absorb(player, discounts)
        return self._root_values(player)

    def iterate(self, schedule: Sequence[Discounts], alternating: bool = True) -> None:
        if self._crew is None and self.game.buckets is None:
            visit(self.tables, 0, _ROOT, (0, 2), schedule_of(schedule), self._alone(UPDATE))
        else:
            alternate(self, schedule)

    def _walk(self, player: int, mode: int, schedule: Float64s) -> None:
        """One player's walk over all boards, by one row of a schedule: [1, 6]."""
        if self._crew is None:
            visit(self.tables, 0, _ROOT, (player, player + 1), schedule, self._alone(mode))
        else:
            team = self._team if mode == UPDATE else self._measuring
            self._crew.walk(player, mode, schedule, team, self._values)

    def _alone(self, mode: int) -> BoardWalk:
        """A walk by the calling thread."""
        team = self._team if mode == UPDATE else self._measuring
        return BoardWalk(mode, team[0], self._work, self._values)

    def _absorb(self, player: int, discounts: Discounts) -> None:
        """Let shared rows learn what an iteration summed up for them."""
        if self.game.buckets is None:
            return
        store = self.store
        regret = store.bucket_rows(store.regret, player)
        discount(regret, discounts)
        pairs = [(regret, kept.new_regret) for kept in self._team]
        if not store.is_current:
            average = store.bucket_rows(store.average, player)
            average *= discounts.average
            pairs += [(average, kept.new_average) for kept in self._team]
        for sums, news in pairs:
            new = store.bucket_rows(news, player)
            sums += new
            new[:] = 0

    @contextmanager
    def by_current(self) -> Iterator[None]:
        """Meanwhile values are those of current strategies, though averages are stored."""
        usual = self._measuring
        self._measuring = [sums._replace(average=sums.regret) for sums in usual]
        try:
            yield
        finally:
            self._measuring = usual

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

    def _path(self, street: int, b: int) -> list[int]:
        """Numbers of the boards that lead to a board, itself last."""
        path = [b]
        for s in range(street, 0, -1):
            path.append(self.game.tree.streets[s][path[-1]].parent)
        return path[::-1]

    def _fill_values(self, at: Seated, mode: int, schedule: Float64s, trace: Float32s) -> None:
        """Every sequence's value [tiles, S, 16] on a board."""
        tables, walk, (street, player, b) = self.tables, self._alone(mode), at
        for above, board in enumerate(self._path(street, b)[:-1]):
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

    def behavior(self, street: int, b: int, player: int) -> Float64s:
        """See `BoardStore.behavior`."""
        return self.store.behavior(street, b, player)

    def state(self) -> dict[str, Any]:
        return self.store.state()

    def restore(self, arrays: dict[str, Any]) -> None:
        self.store.restore(arrays)


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

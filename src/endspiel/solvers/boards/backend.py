"""The backend of `CardGame`: endgames on real cards, by the board kernels, in 32-bit floats.

Regrets and averages are stored as such floats, or in half the memory as numbers of 16 bits.

Nothing but regrets and averages is stored, and a player's whole half of an iteration is one walk
over the boards.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from endspiel.engine.backend import alternate
from endspiel.engine.schemes import CURRENT, LONGEST_AVERAGE, Scheme
from endspiel.errors import GameError
from endspiel.games.card_game import CardGame
from endspiel.kernels.arrays import Discounts, Float64s
from endspiel.kernels.board import UPDATE
from endspiel.kernels.board_arrays import KernelStore
from endspiel.kernels.board_walk import visit
from endspiel.kernels.lanes import zeros
from endspiel.kernels.regrets import discount
from endspiel.solvers.boards.store import BoardStore, kernel_store
from endspiel.solvers.boards.strategy import BoardStrategy
from endspiel.solvers.boards.walks import ROOT, BoardWalks, crew_size, schedule_of


class BoardBackend(BoardWalks):
    """An endgame on real cards with its strategies, and the walks over its boards."""

    longest_average = LONGEST_AVERAGE

    def __init__(self, game: CardGame, threads: int = 1, storage: int = 32) -> None:
        self.store = BoardStore(game, storage)
        shared = game.store_size if game.buckets is not None else 0
        self._news = [(zeros(shared), zeros(shared)) for _ in range(crew_size(game, threads))]
        super().__init__(game, self._measured())
        self._team = self._learning()

    def _measured(self) -> list[KernelStore]:
        """What each thread's walk reads to measure."""
        store = self.store
        return [kernel_store(store.regret, store.average, store.locked, new) for new in self._news]

    def _learning(self) -> list[KernelStore]:
        """What each thread's walk reads and writes to learn."""
        store = self.store
        learned = None if store.is_current else store.average
        return [kernel_store(store.regret, learned, store.locked, new) for new in self._news]

    def _stores(self, mode: int) -> list[KernelStore]:
        return self._team if mode == UPDATE else self._measuring

    def accept(self, scheme: Scheme) -> None:
        if scheme.predictive or not scheme.alternating:
            raise GameError("the board kernels know alternating schemes without prediction")
        if scheme.solution == CURRENT and not self.store.is_current:
            self.store.drop_average()
            self._measuring = self._measured()
            self._team = self._learning()

    def learn(self, player: int, discounts: Discounts) -> Float64s:
        schedule = schedule_of([discounts])
        self.store.pace(player, schedule)
        self._walk(player, UPDATE, schedule)
        self._absorb(player, discounts)
        return self._root_values(player)

    def iterate(self, schedule: Sequence[Discounts], alternating: bool = True) -> None:
        if self._crew is None and self.game.buckets is None and self.store.in_step:
            rows = schedule_of(schedule)
            for player in (0, 1):
                self.store.pace(player, rows)
            visit(self.tables, 0, ROOT, (0, 2), rows, self._alone(UPDATE))
        else:
            alternate(self, schedule)

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
        usual, store = self._measuring, self.store
        self._measuring = [
            kernel_store(store.regret, store.regret, store.locked, new) for new in self._news
        ]
        try:
            yield
        finally:
            self._measuring = usual

    def strategy(self) -> BoardStrategy:
        """The averages, which go on changing while the solve does."""
        return BoardStrategy.of(self.store, self.threads)

    def state(self) -> dict[str, Any]:
        return self.store.state()

    def restore(self, arrays: dict[str, Any]) -> None:
        self.store.restore(arrays)

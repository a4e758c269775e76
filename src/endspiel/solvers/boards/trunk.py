"""Whole hold'em decomposed: the trunk, preflop and flop, here; its subgames in workers.

A half of an iteration: (1) bring reaches down through the preflop and every flop's betting, (2) let
every subgame walk its turns and rivers with them, (3) take their values up, flop by flop. Sums are
made in the order of the undivided solve, whatever the number of workers, and regrets are the same
to the last digit. Only reaches and values travel.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from endspiel.cards.streets import FLOP
from endspiel.engine.backend import alternate
from endspiel.engine.driver import Driver
from endspiel.engine.schemes import CURRENT, LONGEST_AVERAGE, Scheme
from endspiel.errors import GameError
from endspiel.executor import BlockGroup, Executor, GivenWorkers, WorkerChoice, parse_workers
from endspiel.games.card_game import CardGame
from endspiel.kernels.arrays import Discounts, Float32s, Float64s
from endspiel.kernels.board import BEST, EXPECTED, UPDATE
from endspiel.kernels.board_arrays import BoardWalk, KernelStore, Meta, Seated
from endspiel.kernels.board_walk import bring_down, take_up
from endspiel.kernels.lanes import LANES, zeros
from endspiel.solvers.boards.plans import behavior_of
from endspiel.solvers.boards.store import BoardStore, read_board
from endspiel.solvers.boards.subgames import (
    MORE_BITS,
    FlopStart,
    FlopSubgames,
    SubgameOrder,
    check_bits,
    flop_tree_of,
    gather_subgames,
    line_rows,
)
from endspiel.solvers.boards.walks import STAY, BoardRoots, schedule_of

HALVES = 2  # walks of an iteration
FLOAT_BITS = 32


class Decomposition(NamedTuple):
    """How whole hold'em is divided: who walks its turns and rivers, and how regrets are stored.

    Examples:
        >>> import endspiel as es
        >>> game = es.load_game("limit-holdem:ranks=3,suits=3,max_raises=0")
        >>> parts = es.Decomposition(workers=1, bits=12)
        >>> current = es.Answer("current")
        >>> es.solve(game, iterations=2, answer=current, decompose=parts).iterations
        2
    """

    workers: GivenWorkers = None  # a number of processes (default: all cores), or "ray"
    bits: int | None = None  # regrets are packed, in fixed point: see `subgames.fixed_scale`
    # Iterations between two copies of all regrets, which outlive a worker: one that dies costs no
    # more. A copy is a sixth of an iteration with floats, an eighth or less with packed regrets.
    keep_every: int = 1
    # Iterations between two times that these come home from the nodes of a cluster: a node that is
    # lost costs no more. All regrets then cross the network.
    secure_every: int = 20
    # Whose disk has the copies of this machine's processes; without one they are in memory.
    folder: Path | None = None

    def stores(self, copies: int, gathered: bool = True) -> float:
        """Copies of all that is stored, as floats: subgames', two kept, and all of it if gathered.

        A packed regret takes fewer bits than its fixed point has, and so does an average.
        """
        choice = parse_workers(self.workers)
        here = choice == WorkerChoice(1) or (self.folder is not None and not choice.address)
        own = float(copies)
        if self.bits is not None:
            most = (max(self.bits, 1), max(self.bits + MORE_BITS, 1))
            own = sum(most[:copies]) / FLOAT_BITS
        return own + (0 if here else 2 * own) + (copies if gathered else 0)


_ALONE = Decomposition(workers=1)


class TrunkBackend(BoardRoots):
    """A game from before the flop on, its turns and rivers elsewhere."""

    longest_average = LONGEST_AVERAGE
    zero_sum = True

    def __init__(self, game: CardGame, parts: Decomposition) -> None:
        if len(game.streets) != 4 or game.buckets is not None:
            raise GameError("whole hold'em is decomposed, every hand by itself; this is not that")
        game.betting.check_zero_sum("a decomposed solve")
        for every in (parts.keep_every, parts.secure_every):
            if every < 1:
                raise GameError(f"states are kept every 1 iteration or more, not {every}")
        self.game, self.bits, self.parts = game, parts.bits, parts
        super().__init__(game)
        size = sum(game.store_part(street, p) for street in (0, FLOP) for p in (0, 1))
        self.regret: Float32s = zeros(size)
        self.average: Float32s = zeros(size)
        self._locked = np.zeros(game.num_nodes, dtype=np.uint8)
        self._work, self._values = zeros(game.work_size), zeros(len(self.tables.root))
        self._executor = Executor(parts.workers)
        self._blocks: BlockGroup | None = None
        self._by_current = self._floors = False

    def accept(self, scheme: Scheme) -> None:
        if scheme.predictive or not scheme.alternating:
            raise GameError("the board kernels know alternating schemes without prediction")
        if scheme.solution == CURRENT:
            self.average = self.regret
        if self.bits is not None:
            check_bits(self.bits, averages=not self.is_current)
        self._floors = scheme.floors
        starts = [self._start(flop) for flop in range(self.game.tree.num_boards[FLOP])]
        kept, secured = HALVES * self.parts.keep_every, HALVES * self.parts.secure_every
        rivers = [float(len(start.tree.streets[-1])) for start in starts]
        self._blocks = self._executor.blocks(
            FlopSubgames, starts, kept, secured, rivers, self.parts.folder
        )

    @property
    def is_current(self) -> bool:
        """Whether current strategies are the solution, and no averages are stored."""
        return self.average is self.regret

    @property
    def blocks(self) -> BlockGroup:
        """The subgames, by flop."""
        if self._blocks is None:
            raise GameError("the subgames are made when a scheme is accepted")
        return self._blocks

    def _start(self, flop: int) -> FlopStart:
        game, betting = self.game, self.game.betting
        nodes = tuple(int(betting.parent[node]) for node in game.streets[FLOP + 1].starts)
        tree = flop_tree_of(game.tree, flop)
        return FlopStart(betting, tree, game.unit, nodes, self.is_current, self.bits, self._floors)

    def close(self) -> None:
        """Let the workers go."""
        if self._blocks is not None:
            self._blocks.close()
        self._executor.close()

    def learn(self, player: int, discounts: Discounts) -> Float64s:
        return self._walk(player, UPDATE, discounts)

    def iterate(self, schedule: Sequence[Discounts], alternating: bool = True) -> None:
        alternate(self, schedule)

    @contextmanager
    def by_current(self) -> Iterator[None]:
        """Meanwhile values are those of current strategies, though averages are stored."""
        self._by_current = True
        try:
            yield
        finally:
            self._by_current = False

    def best_values(self, player: int) -> Float64s:
        return self._walk(player, BEST, STAY)

    def average_values(self, player: int) -> Float64s:
        return self._walk(player, EXPECTED, STAY)

    def _walk(self, player: int, mode: int, discounts: Discounts) -> Float64s:
        """One player's walk over the trunk and all subgames; what hands are worth [K]."""
        tables, work, rows = self.tables, self._work, schedule_of([discounts])
        average = zeros(0) if self.is_current and mode == UPDATE else self.average
        if self._by_current:
            average = self.regret
        sums = KernelStore(self.regret, average, self._locked, zeros(0), zeros(0))
        walk, root = BoardWalk(mode, sums, work, self._values), Seated(0, player, 0)
        bring_down(tables, root, rows[0], walk)
        flops = range(self.game.tree.num_boards[FLOP])
        orders, kept = [], []
        meta = tables.meta[FLOP, player]
        own = slice(int(meta[Meta.SIGMA]), int(meta[Meta.LANES_IN]))  # probabilities, values
        for flop in flops:
            bring_down(tables, Seated(FLOP, player, flop), rows[0], walk)
            orders.append(self._orders(flop, player, mode, rows))
            kept.append(work[own].copy())
        answers = self.blocks.step(orders)
        for flop in flops:
            work[own] = kept[flop]
            gains = line_rows(tables.meta, player, work, Meta.GAIN, self._tiles(flop, player))
            for line, values in zip(self._out(player), answers[flop], strict=True):
                gains[:, line] = values.reshape(-1, LANES)
            take_up(tables, Seated(FLOP, player, flop), rows[0], walk)
        take_up(tables, root, rows[0], walk)
        hands = self.game.cards[0].sides[player].hands[0]
        return self._values[:hands].astype(np.float64) / self.game.pairs

    def _tiles(self, flop: int, player: int) -> int:
        start = self.game.cards[FLOP].sides[player].start
        return int(start[flop + 1] - start[flop])

    def _out(self, player: int) -> list[int]:
        """Own sequence at the end of each line that goes on to the turn."""
        return [seqs[player] for seqs in self.game.streets[FLOP].out]

    def _orders(self, flop: int, player: int, mode: int, rows: Float64s) -> list[SubgameOrder]:
        """What each line's subgame is asked: from the flop's reaches and values in flight."""
        sides = [
            line_rows(self.tables.meta, p, self._work, Meta.REACH, self._tiles(flop, p))
            for p in (0, 1)
        ]
        gains = line_rows(
            self.tables.meta, player, self._work, Meta.GAIN, self._tiles(flop, player)
        )
        found = []
        for out in self.game.streets[FLOP].out:
            one, two = (side[:, seq].flatten() for side, seq in zip(sides, out, strict=True))
            found.append(
                SubgameOrder(
                    player,
                    mode,
                    rows,
                    (one, two),
                    gains[:, out[player]].flatten(),
                    self._by_current,
                )
            )
        return found

    def preflop(self, player: int) -> Float64s:
        """Probability [S, K] of each action before the flop, by the solution's strategy."""
        weights = read_board(self.game, self.average, 0, 0, player)
        return behavior_of(self.game.streets[0], player, weights.astype(np.float64))

    def gathered(self) -> BoardStore:
        """Everything learned, as the undivided solve stores it."""
        store = BoardStore(self.game)
        if self.is_current:
            store.drop_average()
        store.regret[: len(self.regret)] = self.regret
        if not self.is_current:
            store.average[: len(self.average)] = self.average
        gather_subgames(store, self.blocks.states(), self.bits)
        return store

    def state(self) -> dict[str, Any]:
        averages = {} if self.is_current else {"average": self.average}
        found: dict[str, Any] = {"regret": self.regret, **averages}
        for flop, lines in enumerate(self.blocks.states()):
            for line, arrays in enumerate(lines):
                found.update({f"{name}_{flop}_{line}": x for name, x in arrays.items()})
        return found

    def restore(self, arrays: dict[str, Any]) -> None:
        self.regret[:] = arrays["regret"]
        self.average[:] = self.regret if self.is_current else arrays["average"]
        lines, flops = len(self.game.streets[FLOP].out), self.game.tree.num_boards[FLOP]
        states: list[list[dict[str, Any]]] = [[{} for _ in range(lines)] for _ in range(flops)]
        for key, array in arrays.items():
            name, flop, line = part_of(key)
            if flop >= 0:
                states[flop][line][name] = array
        self.blocks.restore(states)


def part_of(key: str) -> tuple[str, int, int]:
    """Name, flop and line of an array of a state; -1 where it is the trunk's."""
    name, *numbers = key.rsplit("_", 2)
    if len(numbers) < 2:
        return key, -1, -1
    return name, int(numbers[0]), int(numbers[1])


class TrunkCFR(Driver[TrunkBackend]):
    """A running solve of whole hold'em, decomposed."""

    def __init__(self, game: CardGame, scheme: Scheme, parts: Decomposition = _ALONE) -> None:
        super().__init__(TrunkBackend(game, parts), scheme)

"""Public chance sampling: train on real cards, one random board at a time.

An iteration, for each of its boards and each player in turn: walk the whole betting tree with all
1,081 hands that the board leaves, every hand playing the row of its bucket; add each action's
advantage, summed over the hands of a bucket, to the bucket's regrets, and the players' reaches to
the averages. In expectation over boards that is the update of the whole abstract game, and nothing
is asked of the buckets: they may forget (imperfect recall), and joint matrices are never built.

Lines that are all-in early are paid by the board at hand, which is right in expectation. The sums
are discounted once an iteration, by its number, as in `solvers.firstorder.cfr`; rows move between
boards.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from endspiel.abstraction.abstraction import Abstraction
from endspiel.betting.tree import BettingTree
from endspiel.blueprint.sampled_boards import Dealer, FlopDealer, SampledBucketing, lay_out
from endspiel.blueprint.sampled_plan import LanePlan, node_shares, plan_lanes
from endspiel.engine.driver import Driver
from endspiel.engine.schemes import CURRENT, INFINITE, Scheme
from endspiel.errors import GameError
from endspiel.kernels.arrays import Discounts, Float32s, Float64s, Ints
from endspiel.kernels.lanes import LANES, zeros
from endspiel.kernels.sampled import EXPECT, LEARN, discount, go_down, go_up
from endspiel.kernels.sampled_arrays import (
    BLOCK,
    NUM_LIVE,
    TILES,
    BoardDeal,
    Lane,
    LaneTables,
    Lines,
)
from endspiel.native.boundary import packed
from endspiel.solvers.memory import check_memory

PAIRS = NUM_LIVE * 990  # pairs of hands that a full board leaves


@dataclass(frozen=True)
class Sampling:
    """How boards are drawn and shared out."""

    boards: int = 20  # an iteration
    seed: int = 1
    threads: int = 1  # the result does not depend on it
    memory: int | None = None  # most bytes to use; by default most of what is free

    def __post_init__(self) -> None:
        for name, least in (("boards", 1), ("seed", 0), ("threads", 1)):
            if getattr(self, name) < least:
                raise GameError(f"{name} is {getattr(self, name)}; it must be {least} or more")

    def generator(self, iteration: int) -> np.random.Generator:
        """What draws the boards of an iteration, whenever it is asked for."""
        return np.random.default_rng([self.seed, iteration])

    @property
    def drawn(self) -> Ints:
        """What decides which boards are drawn, for a state."""
        return np.array([self.seed, self.boards])

    def check(self, arrays: dict[str, Any]) -> int:
        """The iteration of a state; refused where its boards were drawn otherwise."""
        if arrays["sampling"].tolist() != self.drawn.tolist():
            seed, boards = arrays["sampling"].tolist()
            raise ValueError(
                f"seed {seed} and {boards} boards an iteration, not {self.drawn.tolist()}"
            )
        return int(arrays["iteration"][0])


@dataclass(frozen=True, eq=False)
class SampledGame:
    """What is trained: the betting, the buckets, and where boards come from."""

    tree: BettingTree
    buckets: SampledBucketing
    dealer: Dealer
    unit: float  # chips of a big blind, in which values are given

    @classmethod
    def of(cls, tree: BettingTree, cards: Abstraction, unit: float) -> "SampledGame":
        """A betting tree over an abstraction, all of whose flops are dealt, stratified."""
        return cls(tree, cards, FlopDealer.of(cards.boards), unit)


class SampledBackend:
    """The rows of an abstraction, and iterations that learn from boards drawn at random.

    They are no iterations of a game with root masses and best responses, only of a driver's.
    """

    longest_average = INFINITE

    def __init__(self, game: SampledGame, sampling: Sampling) -> None:
        self.game, self.sampling = game, sampling
        self.walker = Walker(game, sampling)
        self.regret = zeros(self.walker.plan.store_size)
        self.average = zeros(self.walker.plan.store_size)
        self._iteration = 0  # the newest whose boards were dealt

    def accept(self, scheme: Scheme) -> None:
        if scheme.predictive or not scheme.alternating:
            raise GameError("public chance sampling knows alternating schemes without prediction")
        if scheme.solution == CURRENT:
            raise GameError("public chance sampling has an average for its solution")

    def iterate(self, schedule: Sequence[Discounts], alternating: bool = True) -> None:
        """For each: discount, then learn from its boards."""
        for discounts in schedule:
            self._iteration += 1
            discount(self.regret, self.average, np.array(discounts))
            for board in self.boards(self._iteration):
                self._learn(board.tolist())

    def boards(self, iteration: int) -> NDArray[np.uint8]:
        """The boards of an iteration, whenever it is asked for: [count, 5]."""
        return self.game.dealer.deal(self.sampling.generator(iteration), self.sampling.boards)

    def _learn(self, board: list[int]) -> None:
        """Both players learn from one board, one after the other."""
        deal = lay_out(self.game.buckets, board)
        sources, targets = (self.regret, self.regret), (self.regret, self.average)
        for player in (0, 1):
            self.walker.walk(player, LEARN, deal, sources, targets)

    def state(self) -> dict[str, Any]:
        """Boards follow from seed and iteration."""
        rows = {"regret": self.regret, "average": self.average}
        return {"sampling": self.sampling.drawn, **rows}

    def restore(self, arrays: dict[str, Any]) -> None:
        self._iteration = self.sampling.check(arrays)
        self.regret[:] = arrays["regret"]
        self.average[:] = arrays["average"]


class SampledCFR(Driver[SampledBackend]):
    """A running training by public chance sampling."""

    def __init__(self, game: SampledGame, scheme: Scheme, sampling: Sampling | None = None) -> None:
        backend = SampledBackend(game, sampling or Sampling())
        super().__init__(backend, scheme)
        self.game, self.sampling, self.walker = game, backend.sampling, backend.walker
        self.regret, self.average = backend.regret, backend.average

    def strategy(self, node: int) -> Float64s:
        """Average probabilities of a decision by bucket: [A, K]; uniform where never reached."""
        return node_shares(self.average, self.walker.plan, node, self.game.buckets.sizes)


def memory_needed(plan: LanePlan, threads: int) -> int:
    """Bytes that training takes: regrets, averages, lines and what threads work in."""
    lines = 3 * (plan.num_groups + 1) * BLOCK
    return 4 * (2 * plan.store_size + lines + threads * plan.work_size)


class LaneCrew:
    """Threads that share out groups of lines, each with room of its own to work in."""

    def __init__(self, threads: int, room: int) -> None:
        self.work = [zeros(room) for _ in range(threads)]
        self._pool = ThreadPoolExecutor(threads - 1) if threads > 1 else None

    def each(
        self, kernel: Callable[..., None], tables: LaneTables, shares: list[Ints], *args: Any
    ) -> None:
        """Run a kernel over groups, each thread over its share."""
        own, *others = shares
        helped = [
            self._pool.submit(kernel, tables, share, *args, work)
            for share, work in zip(others, self.work[1:], strict=False)
            if self._pool is not None
        ]
        kernel(tables, own, *args, self.work[0])
        for part in helped:
            part.result()


class Walker:
    """Walks boards for one player at a time, by one thread or several.

    Threads share out the groups of a street: what a group reads and writes is its own, so that the
    result is the same whatever their number.
    """

    def __init__(self, game: SampledGame, sampling: Sampling) -> None:
        self.game, threads = game, sampling.threads
        self.plan = plan_lanes(game.tree, game.buckets.sizes, game.unit)
        check_memory(
            memory_needed(self.plan, threads),
            sampling.memory,
            "training by public chance sampling",
            "use fewer buckets or a smaller betting model",
        )
        blocks = self.plan.num_groups + 1
        self.lines = Lines(zeros(2, blocks * BLOCK), zeros(blocks * BLOCK))
        # The root's lane holds every hand; lanes without a branch are never written and stay zero.
        root = self.lines.reach[:, :BLOCK].reshape(2, TILES, LANES, LANES)[:, :, 0]
        root[:] = 1
        root[:, -1, NUM_LIVE % LANES :] = 0
        self._tables = packed(self.plan.tables)  # checked once for all calls
        self._lines = packed(self.lines, written=True)
        self._crew = LaneCrew(threads, self.plan.work_size)
        self._shares = [self._share_out(groups) for groups in self.plan.streets]

    def walk(
        self,
        player: int,
        mode: int,
        deal: BoardDeal,
        sources: tuple[Float32s, Float32s],
        targets: tuple[Float32s, Float32s],
    ) -> None:
        """One player's walk of a board: both play by their sources, targets learn."""
        deal, lines = packed(deal), self._lines
        for parts in self._shares[:-1]:
            self._each(parts, go_down, deal, sources, lines)
        for parts in reversed(self._shares):
            self._each(parts, go_up, player, mode, deal, sources, targets, lines)

    def expect(
        self, player: int, boards: NDArray[np.uint8], sources: tuple[Float32s, Float32s]
    ) -> Float64s:
        """What the player wins on boards [B, 5], in big blinds a hand, by sources: [B]."""
        found = np.empty(len(boards))
        for at, board in enumerate(boards.tolist()):
            self.walk(player, EXPECT, lay_out(self.game.buckets, board), sources, sources)
            found[at] = self.root_value()
        return found

    def root_value(self) -> float:
        """What the last walk's player wins on its board, in big blinds a hand."""
        lanes = self.lines.value[:BLOCK].reshape(TILES, LANES, LANES)
        return float(lanes[:, 0].sum(dtype=np.float64) / PAIRS)

    def _share_out(self, groups: Ints) -> list[Ints]:
        """Groups for each thread, of about the same work."""
        work = self.plan.tables.meta[groups, :, Lane.ENDS].sum(axis=1)
        order = groups[np.argsort(-work, kind="stable")]
        threads = len(self._crew.work)
        shares = [order[i::threads] for i in range(threads)]
        return [share for share in shares if len(share)]

    def _each(self, shares: list[Ints], kernel: Callable[..., None], *args: Any) -> None:
        """Run a kernel over the groups of a street, each thread over its share."""
        self._crew.each(kernel, self._tables, shares, *args)

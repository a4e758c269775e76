"""CFR-BR: an abstract player learns against a best responder in the real game.

Johanson, Bard, Burch and Bowling 2012, "Finding optimal abstract strategies in extensive-form
games". Learning against an abstract opponent ends at an equilibrium of the abstract game, which may
lose any amount on real cards; learning against a best response on real cards ends at the abstract
strategy that loses least.

An iteration draws boards of flop and turn. On each, for either player in turn:
1. the responder answers what the abstract player does now as well as possible, with every hand by
   itself, on the turn and on all rivers, or on some that stand for all;
2. before the turn, in the trunk, the responder learns by CFR from what these answers are worth;
3. the abstract player learns by CFR, by bucket, against the responder.
The two abstract players have nothing to do with one another: each has a responder of its own.

In the trunk the responder plays by buckets too, since a flop is drawn too seldom to learn anything
on it by itself: preflop and flop may be as fine as there is time to learn. With every hand a bucket
there the responder's play tends to a best response in the whole game.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np

from endspiel.betting.tree import SHOWDOWN, BettingTree
from endspiel.blueprint.cfr_br_boards import TURN, TurnDeal, TurnDealer, TurnTable, WeightedTurn
from endspiel.blueprint.sampled import LaneCrew, Sampling
from endspiel.blueprint.sampled_plan import LanePlan, lay_out_work, node_shares, plan_lanes
from endspiel.engine.driver import Driver
from endspiel.engine.schemes import CURRENT, INFINITE, Scheme
from endspiel.errors import GameError
from endspiel.kernels.arrays import Discounts, Float32s, Float64s, Ints
from endspiel.kernels.cfr_br import (
    learn_rivers,
    learn_trunk,
    learn_turns,
    respond_rivers,
    respond_street,
    send_buckets,
    send_choices,
)
from endspiel.kernels.sampled import discount
from endspiel.kernels.sampled_arrays import Lane, LaneTables, Lines
from endspiel.kernels.simd import LANES, zeros
from endspiel.solvers.memory import check_memory

TRUNK: Final = (0, 1)  # streets where the responder learns
RIVER: Final = 3
BOARDS_KEPT: Final = 128  # turn boards that are remembered as they are laid out
SMALL_DECK: Final = 16  # cards up to which they are


@dataclass(frozen=True, eq=False)
class ResponseGame:
    """What is trained: the betting, the cards as either side sees them, and where they come from.

    Nobody may be all-in before the river, as in games with fixed limits.
    """

    tree: BettingTree
    table: TurnTable
    dealer: TurnDealer
    unit: float  # chips of a big blind, in which values are given

    def __post_init__(self) -> None:
        early = (self.tree.kind == SHOWDOWN) & (self.tree.num_children == 0)
        parent = self.tree.parent[early]
        if (self.tree.street[parent] < RIVER).any() or int(self.tree.street.max()) != RIVER:
            raise GameError("CFR-BR trains four streets on which nobody is all-in before the river")


class ResponseWalker:
    """Walks turn boards for one abstract player and its responder at a time.

    Threads share out the groups of the river: what a group reads and writes is its own, so that
    the result is the same whatever their number.
    """

    def __init__(self, game: ResponseGame, sampling: Sampling) -> None:
        self.game, table, threads = game, game.table, sampling.threads
        self.plan = plan_lanes(game.tree, table.buckets.sizes, game.unit)
        if table.trunk is None:
            raise GameError("the responder of CFR-BR has buckets before the turn")
        self.trunk_plan = plan_lanes(game.tree, (*table.trunk.sizes[:2], 1, 1), game.unit)
        made = self.plan.tables
        wide = table.wide(TURN)
        room, self.work_size = lay_out_work(made.meta, (wide,) * 4, wide)
        self.tables = LaneTables(made.meta, made.ints, made.stakes, room)
        self.trunk_tables = LaneTables(self.trunk_plan.tables.meta, made.ints, made.stakes, room)
        self.size = wide * LANES
        self.kept, self.num_choices = self._place_choices()
        what = "training by CFR-BR"
        check_memory(self.memory(threads), sampling.memory, what, "use fewer buckets")
        self.choices = np.zeros(self.num_choices, np.uint8)
        blocks = self.plan.num_groups + 1
        self.lines = Lines(zeros(2, blocks * self.size), zeros(blocks * self.size))
        self._crew = LaneCrew(threads, self.work_size)
        self.work = self._crew.work[0]
        rivers = self.plan.streets[RIVER]
        self._rivers = [rivers[i::threads] for i in range(min(threads, len(rivers)))]
        self._dealers = ThreadPoolExecutor(1)
        few = 2 * sampling.boards + 1  # those of this iteration and of the next
        kept = max(few, BOARDS_KEPT) if len(table.deck) <= SMALL_DECK else few
        self.dealt = lru_cache(kept)(self._deal)

    def memory(self, threads: int) -> int:
        """Bytes that training takes."""
        stores = 3 * self.plan.store_size + 3 * self.trunk_plan.store_size
        lines = 3 * (self.plan.num_groups + 1) * self.size
        return 4 * (stores + lines + threads * self.work_size) + self.num_choices

    def _place_choices(self) -> tuple[Ints, int]:
        """Where the responder's choices of each group begin [groups], and their number in all."""
        meta, table = self.plan.tables.meta, self.game.table
        most = meta[:, :, Lane.DECISIONS].max(axis=1) * LANES
        street = meta[:, 0, Lane.STREET]
        boards = np.where(street == RIVER, table.num_rivers, (street == TURN).astype(np.int64))
        hands = np.array([table.num_hands(s) for s in range(RIVER + 1)])[street]
        ends = np.cumsum(most * boards * hands)
        return ends - most * boards * hands, int(ends[-1])

    def _deal(self, board: tuple[int, ...], rivers: tuple[int, ...]) -> "Future[TurnDeal]":
        """A board on its way: it is laid out while others are walked."""
        return self._dealers.submit(self.game.table.deal, board, self.kept, rivers)

    def walk(self, player: int, deal: TurnDeal, weight: float, rows: "ResponseRows") -> float:
        """An abstract player and its responder learn from a board; what the responder wins there.

        In big blinds, summed over pairs of hands, times the board's weight.
        """
        self.enter(player, deal, weight, rows)
        won = self.respond(1 - player, deal, rows)
        self.learn(player, deal, rows)
        return won

    def enter(self, player: int, deal: TurnDeal, weight: float, rows: "ResponseRows") -> None:
        """Bring the abstract player's reaches to the river, and the responder's to the turn."""
        lines, streets, work = self.lines, self.plan.streets, self.work
        lines.reach[:, : len(deal.own.low) * LANES : LANES] = 0
        lines.reach[:, : int(deal.own.ends[0]) * LANES : LANES] = weight
        for s in (*TRUNK, TURN):
            send_buckets(
                self.tables, streets[s], player, deal.own, s, rows.regret, lines, self.size, work
            )
        for s in TRUNK:
            send_buckets(
                self.trunk_tables, streets[s], 1 - player, deal.responder, s, rows.trunk,
                lines, self.size, work,
            )  # fmt: skip

    def respond(self, player: int, deal: TurnDeal, rows: "ResponseRows") -> float:
        """The best answers of the responder, which learns in the trunk; what it wins."""
        lines, streets, work = self.lines, self.plan.streets, self.work
        both, metas = (deal.responder, deal.own), (self.trunk_tables.meta, self.tables.meta)
        lines.value[:] = 0
        self._each(
            respond_rivers, player, deal.rivers, deal.responder, rows.regret, lines, self.choices
        )
        respond_street(
            self.tables, streets[TURN], TURN, player, both, rows.regret,
            self.kept, self.choices, lines, self.size, work,
        )  # fmt: skip
        sources, targets = (rows.trunk, rows.regret), (rows.trunk_gain, zeros(0))
        for s in reversed(TRUNK):
            learn_trunk(
                self.tables, metas, streets[s], s, player, both, sources, targets,
                lines, self.size, work,
            )  # fmt: skip
        won = float(lines.value[: self.size : LANES].sum(dtype=np.float64))
        send_choices(
            self.tables, streets[TURN], player, deal.responder, self.kept, self.choices,
            lines, self.size, work,
        )  # fmt: skip
        return won

    def learn(self, player: int, deal: TurnDeal, rows: "ResponseRows") -> None:
        """What the abstract player learns against the responder's answers."""
        lines, streets, work = self.lines, self.plan.streets, self.work
        both, metas = (deal.own, deal.responder), (self.tables.meta, self.trunk_tables.meta)
        targets = rows.gain, rows.average
        lines.value[:] = 0
        self._each(
            learn_rivers, player, deal.rivers, deal.responder, rows.regret, targets,
            lines, self.choices,
        )  # fmt: skip
        learn_turns(
            self.tables, streets[TURN], player, both, rows.regret, targets,
            self.kept, self.choices, lines, self.size, work,
        )  # fmt: skip
        for s in reversed(TRUNK):
            learn_trunk(
                self.tables, metas, streets[s], s, player, both, (rows.regret, rows.trunk),
                targets, lines, self.size, work,
            )  # fmt: skip

    def _each(self, kernel: Callable[..., None], *args: Any) -> None:
        """Run a kernel over the groups of the river, each thread over its share."""
        self._crew.each(kernel, self.tables, self._rivers, *args)


@dataclass(frozen=True, eq=False)
class ResponseRows:
    """What is kept between boards: of the abstract players, and of the responders' trunk."""

    regret: Float32s
    average: Float32s
    gain: Float32s  # what an iteration adds to the regrets
    trunk: Float32s
    trunk_gain: Float32s

    @classmethod
    def of(cls, plan: LanePlan, trunk: LanePlan) -> "ResponseRows":
        """Nothing learned yet."""
        own, other = plan.store_size, trunk.store_size
        return cls(zeros(own), zeros(own), zeros(own), zeros(other), zeros(other))


class ResponseBackend:
    """The rows of abstract players, and iterations that learn against responders."""

    longest_average = INFINITE

    def __init__(self, game: ResponseGame, sampling: Sampling) -> None:
        self.game, self.sampling = game, sampling
        self.walker = ResponseWalker(game, sampling)
        self.rows = ResponseRows.of(self.walker.plan, self.walker.trunk_plan)
        self.won: list[float] = []  # what responders win of current strategies, by iteration
        self._iteration = 0

    def accept(self, scheme: Scheme) -> None:
        if scheme.predictive:
            raise GameError("CFR-BR knows schemes without prediction")
        if scheme.solution == CURRENT:
            raise GameError("CFR-BR has an average for its solution")

    def iterate(self, schedule: Sequence[Discounts], alternating: bool = True) -> None:
        """For each: discount, then learn from so many boards, all with the same strategies."""
        rows, unused = self.rows, zeros(len(self.rows.trunk))
        for discounts in schedule:
            self._iteration += 1
            discount(rows.regret, rows.average, np.array(discounts))
            discount(rows.trunk, unused, np.array(discounts))
            boards = self._boards(self._iteration)
            dealt = [self.walker.dealt(turn.cards, turn.rivers) for turn in boards]
            for turn in self._boards(self._iteration + 1):
                self.walker.dealt(turn.cards, turn.rivers)
            won = 0.0
            for turn, coming in zip(boards, dealt, strict=True):
                deal = coming.result()
                won += sum(self.walker.walk(player, deal, turn.weight, rows) for player in (0, 1))
            pairs = self._pairs() * sum(turn.weight for turn in boards)
            self.won.append(won / 2 / pairs)
            for kept, gain in ((rows.regret, rows.gain), (rows.trunk, rows.trunk_gain)):
                kept += gain
                gain[:] = 0

    def _boards(self, iteration: int) -> Sequence[WeightedTurn]:
        """The boards of an iteration, whenever it is asked for."""
        return self.game.dealer.deal(self.sampling.generator(iteration), self.sampling.boards)

    def _pairs(self) -> float:
        """Pairs of hands that a turn board leaves."""
        left = len(self.game.table.deck) - 6
        return self.game.table.num_hands(TURN) * left * (left - 1) / 2

    def state(self) -> dict[str, Any]:
        """Boards follow from seed and iteration."""
        return {
            "sampling": self.sampling.drawn,
            "regret": self.rows.regret,
            "average": self.rows.average,
            "trunk": self.rows.trunk,
            "won": np.array(self.won),
        }

    def restore(self, arrays: dict[str, Any]) -> None:
        self._iteration = self.sampling.check(arrays)
        self.won = arrays["won"].tolist()
        for name in ("regret", "average", "trunk"):
            getattr(self.rows, name)[:] = arrays[name]


class ResponseCFR(Driver[ResponseBackend]):
    """A running training by CFR-BR."""

    def __init__(
        self, game: ResponseGame, scheme: Scheme, sampling: Sampling | None = None
    ) -> None:
        backend = ResponseBackend(game, sampling or Sampling(boards=1))
        super().__init__(backend, scheme)
        self.game, self.sampling = game, backend.sampling

    def strategy(self, node: int) -> Float64s:
        """Average probabilities of a decision by bucket: [A, K]; uniform where never reached."""
        plan, sizes = self.backend.walker.plan, self.game.table.buckets.sizes
        return node_shares(self.backend.rows.average, plan, node, sizes)

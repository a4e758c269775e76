"""The walk of CFR-BR: one abstract player and its responder on a turn board and its rivers."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from endspiel.betting.tree import SHOWDOWN, BettingTree
from endspiel.blueprint.cfr_br_boards import RIVER, TURN, TurnDeal, TurnDealer, TurnTable
from endspiel.blueprint.sampled import LaneCrew
from endspiel.blueprint.sampled_plan import LanePlan, lay_out_work, plan_lanes
from endspiel.errors import GameError
from endspiel.kernels.arrays import Float32s, Ints
from endspiel.kernels.cfr_br import (
    learn_rivers,
    learn_trunk,
    learn_turns,
    respond_rivers,
    respond_street,
    send_buckets,
    send_choices,
    take_rows,
)
from endspiel.kernels.lanes import LANES, zeros
from endspiel.kernels.sampled_arrays import BoardDeal, Lane, LaneTables, Lines
from endspiel.native.boundary import packed

TRUNK: Final = (0, 1)  # streets where the responder learns


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
            raise GameError("CFR-BR trains four streets without all-ins before the river")


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


class WalkLayout:
    """What all walks of a game go by, and what room each of them takes."""

    def __init__(self, game: ResponseGame) -> None:
        self.game, table = game, game.table
        self.plan = plan_lanes(game.tree, table.buckets.sizes, game.unit)
        if table.trunk is None:
            raise GameError("the responder of CFR-BR has buckets before the turn")
        self.trunk_plan = plan_lanes(game.tree, (*table.trunk.sizes[:2], 1, 1), game.unit)
        made = self.plan.tables
        wide = table.wide(TURN)
        room, self.work_size = lay_out_work(made.meta, (wide,) * 4, wide)
        self.tables = LaneTables(made.meta, made.ints, made.stakes, room)
        self.trunk_tables = LaneTables(self.trunk_plan.tables.meta, made.ints, made.stakes, room)
        self.size = wide * LANES  # floats of a group's lines
        self.kept, self.num_choices = self._place_choices()

    @property
    def rows_memory(self) -> int:
        """Bytes of what is kept between boards."""
        return 12 * (self.plan.store_size + self.trunk_plan.store_size)

    def memory(self, threads: int) -> int:
        """Bytes that a walker works in, beside the rows."""
        lines = 3 * (self.plan.num_groups + 1) * self.size
        return 4 * (lines + threads * self.work_size) + self.num_choices

    def _place_choices(self) -> tuple[Ints, int]:
        """Where the responder's choices of each group begin [groups], and their number in all."""
        meta, table = self.plan.tables.meta, self.game.table
        most = meta[:, :, Lane.DECISIONS].max(axis=1) * LANES
        street = meta[:, 0, Lane.STREET]
        boards = np.where(street == RIVER, table.num_rivers, (street == TURN).astype(np.int64))
        hands = np.array([table.num_hands(s) for s in range(RIVER + 1)])[street]
        ends = np.cumsum(most * boards * hands)
        return ends - most * boards * hands, int(ends[-1])


class ResponseWalker:
    """Walks turn boards for one abstract player and its responder at a time.

    Threads share out the groups of turn and river: what a group reads and writes is its own, so
    that the result is the same whatever their number.
    """

    def __init__(
        self, game: ResponseGame, threads: int = 1, layout: WalkLayout | None = None
    ) -> None:
        layout = WalkLayout(game) if layout is None else layout
        self.game, self.plan, self.trunk_plan = game, layout.plan, layout.trunk_plan
        self.tables, self.trunk_tables = layout.tables, layout.trunk_tables
        self.size, self.kept = layout.size, layout.kept
        self.choices = np.zeros(layout.num_choices, np.uint8)
        blocks = self.plan.num_groups + 1
        self.lines = Lines(zeros(2, blocks * self.size), zeros(blocks * self.size))
        # Checked once for all calls.
        self._tables, self._trunk_tables = packed(self.tables), packed(self.trunk_tables)
        self._lines = packed(self.lines, written=True)
        self._crew = LaneCrew(threads, layout.work_size)
        self.work = self._crew.work[0]
        self._shares = [
            [groups[i::threads] for i in range(min(threads, len(groups)))]
            for groups in self.plan.streets
        ]

    def walk(self, player: int, deal: TurnDeal, weight: float, rows: ResponseRows) -> float:
        """An abstract player and its responder learn from a board; what the responder wins there.

        In big blinds, summed over pairs of hands, times the board's weight.
        """
        self.enter(player, deal, weight, rows)
        won = self.respond(1 - player, deal, rows)
        self.learn(player, deal, rows)
        return won

    def enter(self, player: int, deal: TurnDeal, weight: float, rows: ResponseRows) -> None:
        """Bring the abstract player's reaches to the river, and the responder's to the turn."""
        lines, streets = self._lines, self.plan.streets
        own, responder = _packed(deal.own, deal.responder)
        self.lines.reach[:, : len(deal.own.low) * LANES : LANES] = 0
        self.lines.reach[:, : int(deal.own.ends[0]) * LANES : LANES] = weight
        for s in (*TRUNK, TURN):
            self._each(s, send_buckets, player, own, s, rows.regret, lines, self.size)
        for s in TRUNK:
            send_buckets(
                self._trunk_tables, streets[s], 1 - player, responder, s, rows.trunk,
                lines, self.size, self.work,
            )  # fmt: skip

    def respond(self, player: int, deal: TurnDeal, rows: ResponseRows) -> float:
        """The best answers of the responder, which learns in the trunk; what it wins."""
        lines, streets = self._lines, self.plan.streets
        both, metas = _packed(deal.responder, deal.own), (self.trunk_tables.meta, self.tables.meta)
        self.lines.value[:] = 0
        self._each(
            RIVER, respond_rivers, player, deal.rivers, both[0], rows.regret,
            lines, self.choices,
        )  # fmt: skip
        self._each(
            TURN, respond_street, TURN, player, both, rows.regret,
            self.kept, self.choices, lines, self.size,
        )  # fmt: skip
        sources, targets = (rows.trunk, rows.regret), (rows.trunk_gain, zeros(0))
        for s in reversed(TRUNK):
            learn_trunk(
                self._tables, metas, streets[s], s, player, both, sources, targets,
                lines, self.size, self.work,
            )  # fmt: skip
        won = float(self.lines.value[: self.size : LANES].sum(dtype=np.float64))
        self._each(TURN, send_choices, player, both[0], self.kept, self.choices, lines, self.size)
        return won

    def learn(self, player: int, deal: TurnDeal, rows: ResponseRows) -> None:
        """What the abstract player learns against the responder's answers."""
        lines, streets = self._lines, self.plan.streets
        both, metas = _packed(deal.own, deal.responder), (self.tables.meta, self.trunk_tables.meta)
        targets = rows.gain, rows.average
        self.lines.value[:] = 0
        self._each(
            RIVER, learn_rivers, player, deal.rivers, both[1], rows.regret, targets,
            lines, self.choices,
        )  # fmt: skip
        self._each(
            TURN, learn_turns, player, both, rows.regret, targets,
            self.kept, self.choices, lines, self.size,
        )  # fmt: skip
        for s in reversed(TRUNK):
            learn_trunk(
                self._tables, metas, streets[s], s, player, both, (rows.regret, rows.trunk),
                targets, lines, self.size, self.work,
            )  # fmt: skip

    def take(self, player: int, deal: TurnDeal, rows: ResponseRows) -> None:
        """Add what an abstract player and its responder gained on a board to their regrets."""
        for s in (*TRUNK, TURN):
            self._each(
                s, take_rows, player, deal.own.ids[s], deal.own.num[s], rows.gain, rows.regret
            )
        self._each(RIVER, take_rows, player, deal.met, len(deal.met), rows.gain, rows.regret)
        for s in TRUNK:
            ids, count = deal.responder.ids[s], deal.responder.num[s]
            take_rows(
                self._trunk_tables, self.plan.streets[s], 1 - player, ids, count,
                rows.trunk_gain, rows.trunk, self.work,
            )  # fmt: skip

    def _each(self, street: int, kernel: Callable[..., None], *args: Any) -> None:
        """Run a kernel over the groups of a street, each thread over its share."""
        self._crew.each(kernel, self._tables, self._shares[street], *args)


def _packed(one: BoardDeal, other: BoardDeal) -> tuple[Any, Any]:
    """Two deals, checked once for all calls of a walk."""
    return packed(one), packed(other)

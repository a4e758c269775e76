"""The best response to a limit strategy on real cards, sixteen betting lines at a time.

The values of `RealResponse`, by the kernels of CFR-BR: where no player can be all-in before
the river, lines of one street have one shape and lie side by side in a register.
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from endspiel.arena.estimators import real_response
from endspiel.arena.estimators.real_response import TURN_CARDS, Cards, RealResponse
from endspiel.arena.estimators.real_strategy import BucketsOf, RealStrategy, bucketing
from endspiel.betting.tree import DECISION, SHOWDOWN
from endspiel.blueprint.cfr_br_boards import FLOP, RIVER, TURN, TurnTable
from endspiel.blueprint.sampled_plan import lay_out_work, node_rows, plan_lanes
from endspiel.cards.deck import NUM_HANDS
from endspiel.cards.isomorphism import hand_permutations
from endspiel.errors import Stopped
from endspiel.kernels.cfr_br import respond_rivers, respond_street, send_buckets
from endspiel.kernels.lanes import LANES, zeros
from endspiel.kernels.sampled_arrays import LaneTables, Lines

Float32s = NDArray[np.float32]
MANY = 8  # where fewer than one node in this many is walked, walking these alone is faster


class _StrategyBuckets:
    """A strategy's buckets, as tables of boards ask for them."""

    def __init__(self, sizes: tuple[int, int, int, int], of: BucketsOf) -> None:
        self.sizes, self._of = sizes, of

    def board_buckets(self, board: Sequence[int]) -> NDArray[np.uint16]:
        """Bucket of every hand: [1326]."""
        return self._of(tuple(board))


class LimitResponse(RealResponse):
    """One player's best response to the other's part of a strategy with fixed limits."""

    def flop_values(self, flop: Cards) -> Float32s:
        """See `RealResponse`."""
        walk, other, tables = self._walk, 1 - self.player, self._walk.tables
        streets, lines, size = walk.plan.streets, walk.on_flop, walk.table.wide(FLOP) * LANES
        both = walk.table.both(flop)[::-1]
        hands = walk.table.hands(flop)
        _set_root(lines, len(hands))
        send_buckets(
            tables, streets[0], other, both[1], 0, walk.rows, lines, size, walk.work
        )  # fmt: skip
        lines.value[:] = 0
        after = lines.value.reshape(-1, size // LANES, LANES)[streets[TURN]]  # [groups, hands, 16]
        number = np.full(NUM_HANDS, -1)
        number[hands] = np.arange(len(hands))
        for card, images in real_response.next_cards(flop):
            turn = (*flop, card)
            found = self._turn_values(turn)
            live = walk.table.hands(turn)
            for image in images:
                after[:, number[hand_permutations()[image][live]]] += found / np.float32(TURN_CARDS)
        lines.value.reshape(-1, size // LANES, LANES)[streets[TURN]] = after
        respond_street(
            tables, streets[FLOP], FLOP, self.player, both, walk.rows,
            walk.kept, walk.choices, lines, size, walk.work,
        )  # fmt: skip
        values = np.zeros((len(self.exits[0]), NUM_HANDS), np.float32)
        blocks = lines.value.reshape(-1, size // LANES, LANES)
        for at, node in enumerate(self.tree.first_child[self.exits[0]].tolist()):
            slot = walk.plan.slots[node]
            values[at, hands] = blocks[slot.group, : len(hands), slot.lane]
        return values

    def turn_values(self, turn: Cards) -> Float32s:
        """Each hand's best value [L, 1326] after the lines that see a turn, this one dealt.

        In chips, weighed by the other's reach, as `flop_values` are.
        """
        found, hands = self._turn_values(turn), self._walk.table.hands(turn)
        groups = self._walk.plan.streets[TURN]
        values = np.zeros((len(self.exits[FLOP]), NUM_HANDS), np.float32)
        for at, node in enumerate(self.tree.first_child[self.exits[FLOP]].tolist()):
            slot = self._walk.plan.slots[node]
            group = int(np.searchsorted(groups, slot.group))
            values[at, hands] = found[group, : len(hands), slot.lane]
        return values

    def _turn_values(self, turn: Cards) -> Float32s:
        """Best values of the lines into a turn [groups, hands, 16]."""
        if self._stopped.is_set():
            raise Stopped
        walk, other, tables = self._walk, 1 - self.player, self._walk.tables
        streets, lines, size = walk.plan.streets, walk.on_turn, walk.table.wide(TURN) * LANES
        own, responder, rivers, _ = walk.table.deal(turn, walk.kept)
        count = int(own.ends[0])
        _set_root(lines, count)
        for s in range(RIVER):
            send_buckets(tables, streets[s], other, own, s, walk.rows, lines, size, walk.work)
        lines.value[:] = 0
        respond_rivers(
            tables, streets[RIVER], self.player, rivers, responder, walk.rows,
            lines, walk.choices, walk.work,
        )  # fmt: skip
        respond_street(
            tables, streets[TURN], TURN, self.player, (responder, own), walk.rows,
            walk.kept, walk.choices, lines, size, walk.work,
        )  # fmt: skip
        blocks = lines.value.reshape(-1, size // LANES, LANES)
        found: Float32s = blocks[streets[TURN], :count]
        return found

    @cached_property
    def _walk(self) -> "_LaneWalk":
        return _LaneWalk(self.blueprint)

    @property
    def work_bytes(self) -> int:
        """See `RealResponse`."""
        walk = self._walk
        floats = sum(len(lines.reach.ravel()) + len(lines.value) for lines in walk.both_lines)
        return 4 * (floats + len(walk.work) + len(walk.rows)) + len(walk.choices)


class _LaneWalk:
    """A strategy laid out in lanes, and what a walk works in."""

    def __init__(self, strategy: RealStrategy) -> None:
        tree = strategy.tree
        sizes = [0] * 4
        decisions = np.flatnonzero(tree.kind == DECISION).tolist()
        shares = {node: strategy.rows(node) for node in decisions}
        for node in decisions:
            sizes[int(tree.street[node])] = shares[node].shape[1]
        buckets = _StrategyBuckets((*sizes,), bucketing(strategy))  # type: ignore[arg-type]
        self.table = TurnTable(buckets, None)
        self.plan = plan_lanes(tree, sizes, 1.0)
        self.rows = zeros(self.plan.store_size)
        for node in decisions:
            size = sizes[int(tree.street[node])]
            node_rows(self.rows, self.plan, node, size)[:] = shares[node]
        wide = self.table.wide(FLOP)
        made = self.plan.tables
        room, work_size = lay_out_work(made.meta, (wide,) * 4, wide)
        self.tables = LaneTables(made.meta, made.ints, made.stakes, room)
        self.work = zeros(work_size)
        blocks = self.plan.num_groups + 1
        self.both_lines = [
            Lines(zeros(2, blocks * wide * LANES), zeros(blocks * wide * LANES))
            for wide in (self.table.wide(FLOP), self.table.wide(TURN))
        ]
        self.on_flop, self.on_turn = self.both_lines
        # Choices are not asked for again: each group's are written over those of the one before.
        self.kept = np.zeros(self.plan.num_groups, np.int64)
        most = self.plan.most_decisions * LANES
        rivers = self.table.num_rivers * self.table.num_hands(RIVER)
        self.choices = np.zeros(most * max(rivers, self.table.num_hands(FLOP)), np.uint8)


def _set_root(lines: Lines, hands: int) -> None:
    """Let both players begin with every hand, in the first lane of the first group."""
    lines.reach[:, : hands * LANES : LANES] = 1


def response_to(strategy: RealStrategy, player: int) -> RealResponse:
    """The response that is worked out fastest: in lanes, unless few lines are to be walked."""
    response = RealResponse(strategy, player)
    tree = strategy.tree
    early = (tree.kind == SHOWDOWN) & (tree.street[tree.parent] < RIVER)
    few = MANY * sum(len(nodes) for nodes in response.nodes) < tree.num_nodes
    if few or early.any() or not tree.zero_sum:
        return response
    return LimitResponse(strategy, player)

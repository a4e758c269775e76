"""Making a card abstraction: potential upward from the river, buckets downward from the deal.

After Gilpin, Sandholm and Sorensen (2007), as Tartanian5 used it:

1. upward: a turn hand is its histogram over river equities; turn hands are clustered. A flop hand
   is its histogram over turn clusters; flop hands are clustered. A starting hand is its histogram
   over flop clusters. Distances are earth mover's distances all along (``ground``).
2. downward: starting hands are clustered into buckets; under each bucket the flop hands that
   follow, under each of those the turn hands, then the river's equities. An integer program
   chooses each bucket's number of children (``branching``).
3. at last buckets are split by kinds of boards, as an option (``textures``).

Every finished stage is kept in a folder; a run that was stopped goes on after the last of them.
The stages upward do not depend on the branching and serve further abstractions.
"""

from dataclasses import asdict, replace
from threading import Lock
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from endspiel.abstraction.abstraction import Abstraction
from endspiel.abstraction.boards import Boards
from endspiel.abstraction.features import (
    NUM_HALVES,
    NUM_RIVERS,
    NUM_TURNS,
    count_flops,
    count_halves,
    count_rivers,
    count_turns,
    equity_bins,
)
from endspiel.abstraction.ground import LEVELS, Ground, fit, line, lines
from endspiel.abstraction.plan import NO_TEXTURES, NUM_CLASSES, Plan
from endspiel.abstraction.river import RiverLevel, split_river
from endspiel.abstraction.streets import Layer, Level, each_its_own, one_node, split
from endspiel.abstraction.textures import with_textures
from endspiel.abstraction.work import Store, Workers
from endspiel.cards.classes import hand_classes
from endspiel.cards.deck import NUM_HANDS, hand_cards
from endspiel.cards.isomorphism import hand_permutations
from endspiel.cards.live import live_mask
from endspiel.cards.strength_tables import strength_tables
from endspiel.solvers.memory import check_memory

PREFLOP_TOTAL = 2000  # shares of the flop are rounded to this many parts
PREFLOP_RESTARTS = 20  # 169 points cost little
BYTES_OF_A_HAND = 38  # on the turn: features, order and buckets at their peak, as measured
FLOPS_AT_ONCE = 16
TURNS_AT_ONCE = 32
# Streets whose branching each stage depends on.
BRANCHED = {
    "turn-clusters": 0,
    "flop-clusters": 0,
    "preflop": 1,
    "flop": 2,
    "turn": 3,
    "river-counts": 3,
}
RIVERS_AT_ONCE = 512  # turn boards whose rivers are counted before the counts are added


def make_abstraction(plan: Plan, boards: Boards, store: Store, workers: Workers) -> Abstraction:
    """The abstraction of a plan over the given boards."""
    needed = memory_bytes(plan, len(boards.turns), workers.threads)
    advice = "take fewer children, fewer flops or fewer threads"
    check_memory(needed, None, f"abstraction {plan.name}", advice)
    return _Maker(plan, boards, store, workers).make()


def memory_bytes(plan: Plan, num_turns: int, threads: int) -> int:
    """Memory that making an abstraction takes at its peak."""
    nodes = plan.buckets()[2] if plan.perfect_recall else 1  # each with its own river equities
    counts = 8 * NUM_HALVES * nodes * (threads + 1)
    return BYTES_OF_A_HAND * num_turns * NUM_HANDS + counts


class _Maker:
    """One run: what its stages share."""

    def __init__(self, plan: Plan, boards: Boards, store: Store, workers: Workers) -> None:
        self.plan = plan
        self.boards = boards
        self.store = store
        self.workers = workers
        # What the stages upward are made from; those downward also know the branching so far.
        self.seen = {
            "flops": [len(boards.flops), crc32(boards.flops.tobytes())],
            "detail": asdict(plan.detail) | {"levels": LEVELS},
            "effort": asdict(plan.effort),
        }

    def make(self) -> Abstraction:
        """All stages."""
        turn = self.turn_layer()
        turn_live = one_node(live_mask(self.boards.turns))
        clusters = self.plan.detail.turn_clusters
        above_turn = self.level("turn-clusters", "potential of the turn", turn, turn_live, clusters)

        turn_ground = lines(above_turn.centers, above_turn.mass, turn.ground, NUM_TURNS)
        flop = self.flop_layer(above_turn, turn_ground)
        flop_live = one_node(live_mask(self.boards.flops))
        clusters = self.plan.detail.flop_clusters
        above_flop = self.level("flop-clusters", "potential of the flop", flop, flop_live, clusters)

        flop_ground = lines(above_flop.centers, above_flop.mass, flop.ground, PREFLOP_TOTAL)
        preflop = self.preflop_level(above_flop, flop_ground)
        _, b, c, d = self.plan.branching
        if self.plan.perfect_recall:
            follows = preflop.buckets[hand_classes()][None, :].repeat(len(flop.weight), axis=0)
            flop_live = np.where(flop_live == 0, follows.reshape(-1), flop_live)
        flop_level = self.level("flop", "flop", flop, flop_live, b)
        if self.plan.perfect_recall:
            rows = flop_level.buckets.reshape(-1, NUM_HANDS)[self.boards.turn_flop]
            turn_live = np.where(turn_live == 0, rows.reshape(-1), turn_live)
        turn_level = self.level("turn", "turn", turn, turn_live, c)
        river = self.river_level(turn_level, d)
        quality = {
            "turn_ground_fit": fit(turn_ground, above_turn.centers, turn.ground),
            "flop_ground_fit": fit(flop_ground, above_flop.centers, flop.ground),
        }
        plan = replace(self.plan, textures=NO_TEXTURES)
        made = Abstraction(plan, self.boards, preflop, flop_level, turn_level, river, quality)
        return with_textures(made, self.plan.textures)

    def made_from(self, name: str) -> dict[str, Any]:
        """What a stage depends on."""
        so_far = self.plan.branching[: BRANCHED[name]]
        recall = len(so_far) > 1 and self.plan.perfect_recall
        return self.seen | {"branching": so_far, "recall": recall}

    def level(
        self, name: str, stage: str, layer: Layer, parents: NDArray[np.uint16], branching: int
    ) -> Level:
        """The buckets of a street, as a stage."""

        def make() -> dict[str, NDArray[Any]]:
            effort = self.plan.effort
            return split(layer, parents, branching, effort, self.workers, stage).arrays()

        return Level.of_arrays(self.store.stage(name, self.made_from(name), make))

    def turn_layer(self) -> Layer:
        """Every turn hand as its histogram over river equities."""
        turns = self.boards.turns
        num_bins = self.plan.detail.river_bins
        ground = line(num_bins, NUM_RIVERS)
        tables, cards, bins = strength_tables(7), hand_cards(), equity_bins(num_bins)

        def make() -> dict[str, NDArray[Any]]:
            out = np.empty((len(turns), NUM_HANDS, num_bins - 1), np.uint8)

            def work(rows: slice) -> None:
                counts = np.empty((rows.stop - rows.start, NUM_HANDS, num_bins), np.uint8)
                count_rivers(tables, turns[rows], cards, bins, counts)
                out[rows] = ground.embed(counts)

            self.workers.slices("equities of turn hands", work, len(turns), TURNS_AT_ONCE)
            return {"coordinates": out.reshape(-1, num_bins - 1)}

        made_from = {"flops": self.seen["flops"], "river_bins": num_bins}
        coordinates = self.store.stage("turn-equities", made_from, make)["coordinates"]
        return Layer(coordinates, self.boards.turn_weight, ground, NUM_HANDS)

    def flop_layer(self, turn: Level, ground: Ground) -> Layer:
        """Every flop hand as its histogram over turn clusters."""
        rows_of = (self.boards.turn_row, self.boards.turn_relabeling)
        hands = (hand_cards(), hand_permutations())
        buckets = turn.buckets.reshape(-1, NUM_HANDS)
        num_flops, num_gaps = len(self.boards.flops), len(ground.length)
        out = np.empty((num_flops, NUM_HANDS, num_gaps), np.uint8)

        def work(rows: slice) -> None:
            counts = np.empty((rows.stop - rows.start, NUM_HANDS, turn.size), np.uint8)
            count_turns((rows_of[0][rows], rows_of[1][rows]), hands, buckets, counts)
            out[rows] = ground.embed(counts)

        self.workers.slices("turns of flop hands", work, num_flops, FLOPS_AT_ONCE)
        return Layer(out.reshape(-1, num_gaps), self.boards.flop_weight, ground, NUM_HANDS)

    def preflop_level(self, flop: Level, ground: Ground) -> Level:
        """Buckets of the 169 starting hands by their histograms over flop clusters."""

        def make() -> dict[str, NDArray[Any]]:
            counts = np.zeros((NUM_CLASSES, flop.size), np.int64)
            rows = flop.buckets.reshape(-1, NUM_HANDS)
            count_flops(rows, self.boards.flop_weight, hand_classes(), counts)
            totals = np.maximum(counts.sum(axis=1, keepdims=True), 1)
            shares = np.rint(counts @ ground.below.T / totals * PREFLOP_TOTAL).astype(np.uint16)
            layer = Layer(shares, np.bincount(hand_classes()), ground)
            if self.plan.branching[0] == NUM_CLASSES:
                return each_its_own(layer).arrays()
            effort = replace(self.plan.effort, restarts=PREFLOP_RESTARTS)
            parents = np.zeros(NUM_CLASSES, np.uint16)
            branching = self.plan.branching[0]
            return split(layer, parents, branching, effort, self.workers, "preflop").arrays()

        return Level.of_arrays(self.store.stage("preflop", self.made_from("preflop"), make))

    def river_level(self, turn: Level, branching: int) -> RiverLevel:
        """Intervals of equity under each bucket of the turn, or under one node."""
        boards, tables, cards = self.boards, strength_tables(7), hand_cards()
        buckets = turn.buckets.reshape(-1, NUM_HANDS)
        num_nodes = turn.size if self.plan.perfect_recall else 1
        nodes = buckets if self.plan.perfect_recall else np.zeros_like(buckets)

        def make() -> dict[str, NDArray[Any]]:
            total = np.zeros((num_nodes, NUM_HALVES), np.int64)
            adding = Lock()

            def work(rows: slice) -> None:
                counts = np.zeros_like(total)
                weighed = (boards.turns[rows], boards.turn_weight[rows])
                count_halves(tables, weighed, cards, nodes[rows], counts)
                with adding:
                    np.add(total, counts, out=total)

            stage = "equities of river hands"
            self.workers.slices(stage, work, len(boards.turns), RIVERS_AT_ONCE)
            return {"counts": total}

        name = "river-counts"
        counts = self.store.stage(name, self.made_from(name), make)["counts"]
        return split_river(counts, branching, self.workers)

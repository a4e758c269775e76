"""What a report and an iteration of limit hold'em on 52 cards take on N cores, by measured parts.

A report is what the driver does and the flops of the core that has most. An iteration is what the
driver does (the trunk, and handing over reaches and values), what the network takes, and the
subgames of the worker that has most. `PARTS` was measured by this file on one real subgame (flop As
Ks 8s, one line to the turn), on the trunk of some real flops and on messages as large as theirs to
a local Ray; all in processor time.

python benchmarks/cluster_model.py [--measure] [--json OUT]
"""

import argparse
import json
import time
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from functools import cache
from math import ceil
from pathlib import Path
from typing import Any, Final

import numpy as np

from _executor_work import Echo
from endspiel.arena.estimators.real_response import next_cards
from endspiel.betting.streets import cut_streets
from endspiel.cards.isomorphism import canonical_flops
from endspiel.cards.text import parse_cards
from endspiel.engine.schemes import SCHEMES, Answer
from endspiel.executor import Executor
from endspiel.executor.blocks import owners_of
from endspiel.games.card_game import CardGame
from endspiel.games.card_tree import CardTree, card_tree, flop_tree
from endspiel.games.holdem import Holdem, limit_holdem
from endspiel.kernels.board import UPDATE
from endspiel.kernels.lanes import padded, zeros
from endspiel.solvers.boards.subgames import FlopStart, FlopSubgames, SubgameOrder
from endspiel.solvers.boards.trunk import HALVES, TrunkCFR
from endspiel.solvers.boards.walks import schedule_of

FLOP: Final = "AsKs8s"
LINE: Final = 5  # of 63 that enter the turn; all are alike in size
BITS: Final = 12
ITERATIONS: Final = 12
FLOPS_TIMED: Final = 15
NETWORK: Final = 1e9  # bytes a second of the driver's link, assumed
CORES: Final = (1, 24, 240, 1000, 1755, 4800)  # the last: 200 nodes of 24
HANDS: Final = 1176  # on a flop
VECTORS: Final = 4  # a line and half iteration: both reaches and the value so far; the value
CURRENT: Final = SCHEMES["cfr+"].answering(Answer("current"))


@dataclass(frozen=True)
class LimitParts:
    """Processor time, in nanoseconds."""

    float_ns: float  # a regret and iteration, kept as a float
    packed_ns: float  # the same, kept packed in 12 bits
    trunk_ns: float  # of the driver, a flop and iteration
    byte_ns: float  # of the driver, a byte that travels


PARTS: Final = LimitParts(float_ns=1.8, packed_ns=5.2, trunk_ns=2.0e6, byte_ns=2.6)


def report(cores: int, serial: float = 1.4, each: float = 28.0, flops: int = 1755) -> float:
    """Seconds of a report; by default that of all flops, for the flop spot to 0.5% of the pot."""
    return serial + each * ceil(flops / cores)


@cache
def rivers_by_flop() -> list[int]:
    """Rivers that follow each of the 1,755 flops, up to suits: what a flop's work is counted in."""
    known: dict[Any, int] = {}
    found = []
    for flop in canonical_flops()[0].tolist():
        ranks, suits = [card >> 2 for card in flop], [card & 3 for card in flop]
        kind = tuple((ranks.index(r), suits.index(s)) for r, s in zip(ranks, suits, strict=True))
        if kind not in known:
            turns = [card for card, _ in next_cards(tuple(flop))]
            known[kind] = sum(len(next_cards((*flop, card))) for card in turns)
        found.append(known[kind])
    return found


def share(rivers: list[int], workers: int) -> float:
    """The part of all work that the worker with most has; a flop is one worker's."""
    loads = [0.0] * min(workers, len(rivers))
    for flop, lane in enumerate(owners_of([float(n) for n in rivers], len(loads))):
        loads[lane] += rivers[flop]
    return max(loads) / sum(rivers)


@cache
def whole_game() -> Holdem:
    """Limit hold'em on 52 cards."""
    return limit_holdem()


@cache
def traffic() -> int:
    """Bytes between the driver and all workers in an iteration."""
    lines = len(cut_streets(whole_game().betting)[2].starts)
    return HALVES * VECTORS * 4 * lines * padded(HANDS) * len(rivers_by_flop())


def iteration(cores: int, packed: bool, parts: LimitParts = PARTS) -> float:
    """Seconds of an iteration of limit hold'em on 52 cards."""
    each = parts.packed_ns if packed else parts.float_ns
    return driver(parts) + 1e-9 * each * regrets() * share(rivers_by_flop(), cores)


@cache
def regrets() -> int:
    """How many limit hold'em has."""
    return whole_game().strategy_bytes(1) // 4


def driver(parts: LimitParts = PARTS) -> float:
    """Seconds of an iteration that no worker takes off: the trunk, handing over, the network."""
    own = parts.trunk_ns * len(rivers_by_flop()) + parts.byte_ns * traffic()
    return 1e-9 * own + traffic() / NETWORK


def fitted(one: float, two: float, rivers: list[int], nodes: int) -> float:
    """Seconds of an iteration on so many nodes, from measured ones on one node and on two."""
    work = (one - two) / (1 - share(rivers, 2))
    return one - work + work * share(rivers, nodes)


def measure() -> LimitParts:
    """The parts, on this machine."""
    game = whole_game()
    each = [real_subgame(game, bits) for bits in (None, BITS)]
    return LimitParts(each[0], each[1], trunk(game), messages())


def real_subgame(game: Holdem, bits: int | None) -> float:
    """Nanoseconds a regret of one line of a real flop, in the later iterations."""
    everything = np.ones(1326)
    tree = card_tree(tuple(parse_cards(FLOP)), (everything, everything))
    betting = game.betting
    node = int(betting.parent[cut_streets(betting)[2].starts[LINE]])
    flop = FlopSubgames(FlopStart(betting, tree, game.unit, (node,), True, bits, CURRENT.floors))
    size = flop.subgames[0].game.store_size
    reach = zeros(padded(HANDS))
    reach[:HANDS] = 1
    spent = []
    for t in range(1, ITERATIONS + 1):
        rows, begun = schedule_of([CURRENT.at(t)]), time.process_time()
        for player in (0, 1):
            flop.step([SubgameOrder(player, UPDATE, rows, (reach, reach), zeros(len(reach)))])
        spent.append(time.process_time() - begun)
    return 1e9 * float(np.median(spent[ITERATIONS // 2 :])) / size


def trunk(game: Holdem) -> float:
    """Nanoseconds of the driver a flop and iteration, with workers that do nothing."""
    solver = TrunkCFR(CardGame(game.betting, few_flops(), unit=game.unit), CURRENT)
    with closing(solver.backend):
        echoes = lambda orders: [[order.gains for order in flop] for flop in orders]  # noqa: E731
        solver.backend.blocks.step = echoes  # type: ignore[method-assign]
        solver.advance(2)
        begun = time.process_time()
        solver.advance(ITERATIONS)
        return 1e9 * (time.process_time() - begun) / ITERATIONS / FLOPS_TIMED


def few_flops() -> CardTree:
    """Some real flops, each with one turn and one river: the trunk does not see the others."""
    whole = flop_tree()
    flops = whole.streets[1][:: len(whole.streets[1]) // FLOPS_TIMED][:FLOPS_TIMED]
    below = [card_tree(flop.cards, whole.ranges).streets[1:] for flop in flops]
    turns, rivers = (
        tuple(replace(streets[s][0], parent=at) for at, streets in enumerate(below)) for s in (0, 1)
    )
    return CardTree((whole.streets[0], flops, turns, rivers), whole.ranges)


def messages() -> float:
    """Nanoseconds of the driver a byte that goes to a local Ray or comes from there."""
    blocks, lines = 8, 63
    orders = [[_order() for _ in range(lines)] for _ in range(blocks)]
    with Executor("ray") as executor, executor.blocks(Echo, [None] * blocks, 999, 999) as group:
        for _ in range(3):
            group.step(orders)
        begun = time.process_time()
        for _ in range(ITERATIONS):
            group.step(orders)
        spent = time.process_time() - begun
    return 1e9 * spent / ITERATIONS / (blocks * lines * VECTORS * 4 * padded(HANDS))


def _order() -> SubgameOrder:
    """An order of arrays of its own: one that is sent twice would travel once."""
    one, two, gains = (np.ones(padded(HANDS), np.float32) for _ in range(3))
    return SubgameOrder(0, UPDATE, np.zeros((1, 6)), (one, two), gains)


def main() -> None:
    """Tell the parts and the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    parts = measure() if given.measure else PARTS
    seconds = {
        name: {cores: iteration(cores, name == "packed", parts) for cores in CORES}
        for name in ("floats", "packed")
    }
    found = {
        "parts": asdict(parts), "bytes": traffic(), "driver": driver(parts), "seconds": seconds,
    }  # fmt: skip
    text = json.dumps(found, indent=2)
    print(text)
    if given.json is not None:
        given.json.write_text(text + "\n")


if __name__ == "__main__":
    main()

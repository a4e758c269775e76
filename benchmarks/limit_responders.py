"""What a responder who learns wins of limit strategies: at least that much they lose on real cards.

    python benchmarks/limit_responders.py TRUNK.abs STRATEGY [STRATEGY ...] --boards 140 --learn 60

Turn boards are drawn at random. On the turn and on all rivers the responder answers exactly, hand
by hand; before the turn it plays by the buckets of TRUNK.abs (from `endspiel abstract`) what it has
learned on the boards before. What it wins on the boards after the first so many is in expectation
at most what the strategy loses to a best response. A board is half a second of a core.
"""

import argparse
import json

import numpy as np

from endspiel.abstraction.abstraction import load_abstraction
from endspiel.arena.estimators.real_strategy import RealStrategy, bucketing, load_strategy
from endspiel.betting.tree import DECISION
from endspiel.blueprint.cfr_br_boards import SomeTurns, TurnTable
from endspiel.blueprint.cfr_br_walk import ResponseGame, ResponseRows, ResponseWalker
from endspiel.blueprint.sampled_boards import FlopDealer, SampledBucketing
from endspiel.blueprint.sampled_plan import node_rows
from endspiel.engine.schemes import SCHEMES
from endspiel.kernels.lanes import zeros
from endspiel.kernels.sampled import discount


class StrategyBuckets:
    """The buckets of a strategy."""

    def __init__(self, strategy: RealStrategy) -> None:
        tree = strategy.tree
        nodes = [int(np.argmax((tree.kind == DECISION) & (tree.street == s))) for s in range(4)]
        one, two, three, four = (strategy.rows(node).shape[1] for node in nodes)
        self.sizes = one, two, three, four
        self._of = bucketing(strategy)

    def board_buckets(self, board):  # type: ignore[no-untyped-def]
        """Bucket of every hand."""
        return self._of(tuple(board))


def winnings(strategy: RealStrategy, trunk: SampledBucketing, boards: np.ndarray) -> np.ndarray:
    """What both responders win on each board in turn, in mbb a hand, their mean."""
    tree, buckets, unit = strategy.tree, StrategyBuckets(strategy), strategy.game.big_blind
    table = TurnTable(buckets, trunk)
    dealer = SomeTurns(FlopDealer(boards[:, :3]))
    walker = ResponseWalker(ResponseGame(tree, table, dealer, unit))
    rows = ResponseRows.of(walker.plan, walker.trunk_plan)
    for node in np.flatnonzero(tree.kind == DECISION).tolist():
        size = buckets.sizes[tree.street[node]]
        node_rows(rows.regret, walker.plan, node, size)[:] = strategy.rows(node)
    won, unused = np.zeros(len(boards)), zeros(len(rows.trunk))
    pairs = table.num_hands(2) * 46 * 45 / 2
    for i, board in enumerate(boards[:, :4].tolist()):
        discount(rows.trunk, unused, np.array(SCHEMES["linear"].at(i + 1)))
        deal = table.deal(board, walker.kept)
        for player in (0, 1):
            walker.enter(player, deal, 1.0, rows)
            won[i] += walker.respond(1 - player, deal, rows) / 2 / pairs * 1000
        rows.trunk[:] += rows.trunk_gain
        rows.trunk_gain[:] = 0
    return won


def main() -> None:
    """Print one line a strategy."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trunk")
    parser.add_argument("strategies", nargs="+")
    parser.add_argument("--boards", type=int, default=140)
    parser.add_argument("--learn", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    trunk = load_abstraction(given.trunk)
    boards = FlopDealer.of(trunk.boards).deal(np.random.default_rng(given.seed), given.boards)
    for name in given.strategies:
        won = winnings(load_strategy(name), trunk, boards)[given.learn :]
        error = float(won.std(ddof=1) / np.sqrt(len(won)))
        print(json.dumps({"strategy": name, "mbb": float(won.mean()), "error": error}), flush=True)


if __name__ == "__main__":
    main()

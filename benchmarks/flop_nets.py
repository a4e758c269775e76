"""How far nets of flops' ends are off what hands are worth there, all 49 turns solved to the river.

Run as ``python benchmarks/flop_nets.py [NET ...] --flops 12 --device cuda``; without nets, the one
that comes with the package. On every flop some ends of one depth are drawn as `train-values` draws
them, by seeds that it does not use; depths take turns. Prints the mean error in pots of hands as
often as they meet, by depth, for each net and for equities; and for all ends what differs between
the first net and the others, with a 95% interval.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from endspiel.arena.estimators.estimates import estimate
from endspiel.blueprint.blueprint import load_blueprint
from endspiel.cards.equity import equities
from endspiel.cards.removal import unblocked_weights
from endspiel.cards.streets import FLOP_CARDS
from endspiel.gpu.cuda.machine import cuda_machine
from endspiel.values.distill import over_turns
from endspiel.values.nets import ValueNet, load_net, shipped_net
from endspiel.values.situations import Situation, draw_board, draw_situation
from endspiel.values.solves import solve_turns

Floats = NDArray[np.float64]
Float32s = NDArray[np.float32]
DEPTHS = (0.5, 2.0, 9.0, 33.0, 99.5)
SEED = 2**40  # far from those of shards


@dataclass(frozen=True)
class ExactTurns(ValueNet):
    """In a net's place: turns solved."""

    iterations: int
    device: str

    def __call__(
        self,
        boards: NDArray[np.integer],
        depths: NDArray[np.floating],
        ranges: NDArray[np.floating],
    ) -> Float32s:
        turns = [
            Situation(tuple(map(int, board)), float(depth), pair / pair.sum(axis=1, keepdims=True))
            for board, depth, pair in zip(boards, depths, ranges.astype(np.float64), strict=True)
        ]
        maker = None if self.device == "cpu" else cuda_machine
        return solve_turns(turns, self.iterations, maker).values


def drawn(number: int, ends: int) -> list[Situation]:
    """Ends of one flop, of one depth: some played, some disturbed, some drawn."""
    rng, blueprint = np.random.default_rng([SEED, number]), load_blueprint(None)
    flop, depth = draw_board(FLOP_CARDS, rng), DEPTHS[number % len(DEPTHS)]
    found = [draw_situation(blueprint, rng, flop) for _ in range(ends)]
    return [one._replace(depth=depth) for one in found]


def errors(situations: Sequence[Situation], exact: ValueNet, nets: Sequence[ValueNet]) -> Floats:
    """Mean error of each end by each net, and by equities: [N, nets + 1]."""
    flop = situations[0].board
    depths = np.array([one.depth for one in situations])
    ranges = np.stack([one.ranges for one in situations]).astype(np.float32)
    truth = over_turns(exact, flop, depths, ranges)
    boards, others = np.tile(flop, (len(situations), 1)), [one.ranges[::-1] for one in situations]
    even = np.array([[equities(range_, flop) for range_ in pair] for pair in others]) - 0.5
    told: list[NDArray[np.floating]] = [net(boards, depths, ranges) for net in nets]
    told.append(np.nan_to_num(even))
    met = ranges * unblocked_weights(ranges)[:, ::-1]
    met /= met.sum(axis=(1, 2), keepdims=True)
    return np.array([(np.abs(one - truth) * met).sum(axis=(1, 2)) for one in told]).T


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("nets", nargs="*", metavar="NET")
parser.add_argument("--flops", type=int, default=10)
parser.add_argument("--ends", type=int, default=8, help="of each flop")
parser.add_argument("--iterations", type=int, default=150, help="of each turn")
parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")

if __name__ == "__main__":
    given = parser.parse_args()
    chosen = [load_net(path)[0] for path in given.nets] or [shipped_net()]
    solved = ExactTurns((), 4, given.iterations, given.device)
    found = [errors(drawn(n, given.ends), solved, chosen) for n in range(given.flops)]
    names = [*(given.nets or ["the package's"]), "equities"]
    for at, depth in enumerate(DEPTHS):
        if found[at :: len(DEPTHS)]:
            rows = np.concatenate(found[at :: len(DEPTHS)])
            means = (f"{name} {mean:.4f}" for name, mean in zip(names, rows.mean(0), strict=True))
            print(f"stacks of {depth:g} pots, {len(rows)} ends: {', '.join(means)}")
    each = np.array([rows.mean(axis=0) for rows in found])  # a flop's ends are alike
    for name, less in zip(names[1:], (each[:, :1] - each[:, 1:]).T, strict=True):
        told = estimate("less", 1000 * less)
        print(f"{name} is off by {told} thousandths of a pot less than {names[0]}")

"""Make what `shipped` reads: ``python -m endspiel.preflop.making [--device cuda] [DEPTH ...]``.

Each tree is settled with its flops valued by the net: on the small set of flops, then on a larger
one. With a GPU, the small set's flops are then solved to the river with the ranges that come to
them; what classes win there more than by the net is added on the larger set, and the tree settles
once more. Depths that the file has already are left as they are, so that a stopped command goes on:
give ``--again`` to make them once more.
"""

import sys
from argparse import ArgumentParser
from dataclasses import dataclass, field
from math import hypot
from pathlib import Path
from typing import Final

from endspiel.batch.boards import flop_subset
from endspiel.batch.preflop_solve import CHIPS, Preflop
from endspiel.batch.running import BatchSetting
from endspiel.cards.class_equity import class_matchups
from endspiel.games.preflop_tree import PreflopSetting
from endspiel.gpu.devices import CPU, CUDA
from endspiel.kernels.arrays import Floats
from endspiel.preflop.flop_lines import FlopLines, FlopSet, Known, Ranges
from endspiel.preflop.playing import Playing, frequency
from endspiel.preflop.shipped import (
    FILE,
    OPENS,
    RAISES,
    RERAISES,
    SMALL_SET,
    LineStart,
    Shipped,
    read_shipped,
    save_shipped,
)
from endspiel.preflop.solved_flops import SolvedFlops
from endspiel.preflop.solving import PlayLimits, line_error, new_playing, settle
from endspiel.preflop.street import beyond_equity
from endspiel.processors import processors
from endspiel.values.nets import shipped_net

DEPTHS: Final = (100, 20, 50, 200, 10, 30, 75, 15, 150, 40, 25, 12, 8, 5, 3)  # best first
SMALL_ROUNDS, LARGE_ROUNDS, SETTLING_ROUNDS = 24, 6, 4
CLOSE: Final = 10  # iterations on the small set with the ranges of the large one
SOLVED: Final = 5e-4  # of hands: lines whose flops are solved
CLOSELY: Final = 5e-3  # of the pot, to which flops are solved


@dataclass
class Making:
    """One depth while it is made."""

    depth: float
    flops: int  # of the larger set
    known: Shipped
    device: str = CPU
    net_errors: dict[int, float] = field(default_factory=dict)  # big blinds, of lines solved

    def make(self) -> dict[str, LineStart]:
        """Settle the tree; its lines."""
        setting = PreflopSetting(
            round(CHIPS * self.depth), opens=OPENS, reraises=RERAISES, max_raises=RAISES
        )
        preflop = Preflop(setting)
        playing = new_playing(preflop, SMALL_SET, self.known.starts)
        small, game = playing.flops, playing.preflop
        small.known.clear()  # what was known of the net's flops is found once more
        settle(playing, preflop, PlayLimits(rounds=SMALL_ROUNDS))
        large = FlopLines(game, FlopSet(flop_subset(self.flops), processors()), shipped_net())
        playing.change_flops(large)
        _go_on(playing, LARGE_ROUNDS)
        if self.device == CUDA:
            self._solve(playing, small, large)
            _go_on(playing, SETTLING_ROUNDS)
        return {game.tree.line(node): self._start(playing, node, small) for node in game.flop_nodes}

    def _solve(self, playing: Playing, small: FlopLines, large: FlopLines) -> None:
        """Set the net right by flops of the small set that are solved to the river."""
        game, unit = playing.preflop, playing.preflop.setting.big_blind
        solver = SolvedFlops(game, small.boards, BatchSetting(None, self.device))
        for node in game.flop_nodes:
            ranges = playing.street.coming(node)
            if frequency(ranges) < SOLVED:
                continue
            by_net = small.won({node: ranges}, CLOSE)[node]
            solved = solver.solve(node, ranges, CLOSELY)
            more = small.boards.apart(solved.won - by_net, ranges)
            large.known[node] = Known(-more.shares)
            pot = game.pot(node) / unit
            self.net_errors[node] = pot * hypot(more.uncertain, solved.gap / 2)
            _say(
                f"{self.depth:g} big blinds, {game.tree.line(node)!r}: solved to {solved.gap:.2%} "
                f"of the pot, which is off the net by {_mean(more.shares, ranges):+.2%} +- "
                f"{more.uncertain:.2%} for the big blind"
            )

    def _start(self, playing: Playing, node: int, small: FlopLines) -> LineStart:
        ranges = {node: playing.street.coming(node)}
        few = small.values(ranges, CLOSE)[node].shares
        many = playing.flops.values(ranges, CLOSE)[node].shares
        game, error = playing.preflop, line_error(playing, node)
        return LineStart(
            beyond_equity(game.shares[game.tree.line(node)]), few - many, error.frequency,
            abs(error.gap), error.uncertain, self.net_errors.get(node, error.net),
        )  # fmt: skip


def _go_on(playing: Playing, rounds: int) -> None:
    for _ in range(rounds):
        playing.round()


def _mean(shares: Floats, ranges: Ranges) -> float:
    """The mean over both ranges of the big blind's shares [2, 169]."""
    weights = ranges[0] * (class_matchups().chance @ ranges[1])
    return float(weights @ shares[0] / weights.sum())


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    """Make the depths that are missing, and write the file after each."""
    parser = ArgumentParser(description="Make the flop values that come with the package.")
    parser.add_argument("depths", nargs="*", type=float, help="in big blinds")
    parser.add_argument("--flops", type=int, default=184, help="of the larger set")
    parser.add_argument("--again", action="store_true", help="those that the file has, too")
    parser.add_argument("--device", default=CPU, help="cuda solves flops to the river, too")
    parser.add_argument("--out", type=Path, help="the file, if not the package's own")
    asked = parser.parse_args()
    path = asked.out or Path(__file__).parent / "data" / FILE
    path.parent.mkdir(exist_ok=True)
    known = read_shipped(path) if path.exists() else Shipped({})
    for depth in asked.depths or DEPTHS:
        if depth in known.depths and not asked.again:
            continue
        found = Making(depth, asked.flops, known, asked.device).make()
        known = Shipped({**known.depths, depth: found}, asked.flops)
        save_shipped(known, path)
        for line, start in found.items():
            _say(
                f"{depth:g} big blinds, {line!r} in {100 * start.frequency:.2f}%: not settled "
                f"{start.gap:.3f}, flops {start.uncertain:.3f}, net {start.net:.3f} big blinds"
            )


if __name__ == "__main__":
    main()

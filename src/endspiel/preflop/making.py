"""Make what `shipped` reads: ``python -m endspiel.preflop.making [--device cuda] [DEPTH ...]``.

Each tree is settled with its flops valued by the net: on the small set of flops, then on a larger
one. With a GPU, flops of the small set are then solved to the river, and what they give corrects
the values (`improving`). The file is written after each depth and each corrected line, and depths
that it has are left as they are, so that a stopped command goes on: ``--again`` makes them once
more, ``--improve`` only corrects them, without ``--device cuda`` on processors.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from math import inf
from pathlib import Path
from time import perf_counter
from typing import Final

from endspiel.batch.boards import flop_subset
from endspiel.batch.preflop_solve import CHIPS, Preflop
from endspiel.batch.running import BatchSetting
from endspiel.games.preflop_tree import PreflopSetting
from endspiel.preflop.flop_lines import FlopLines, FlopSet
from endspiel.preflop.improving import SOLVED, Improving
from endspiel.preflop.playing import Playing
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
from endspiel.solving.devices import CPU, CUDA
from endspiel.values.nets import shipped_net

DEPTHS: Final = (100, 20, 50, 200, 10, 30, 75, 15, 150, 40, 25, 12, 8, 5, 3)  # best first
SMALL_ROUNDS, LARGE_ROUNDS = 24, 6
ROUNDS: Final = 2  # of solved flops
CLOSE: Final = 10  # iterations on the small set with the ranges of the large one
Lines = dict[str, LineStart]  # of one depth, by name


@dataclass
class Making:
    """One depth while it is made."""

    depth: float
    flops: int  # of the larger set
    known: Shipped
    how: BatchSetting = field(default_factory=BatchSetting)  # where flops are solved to the river
    rounds: int = ROUNDS  # of solved flops
    least: float = 0.0  # see `Improving`
    often: float = SOLVED  # likewise
    until: float = inf  # likewise

    def make(self) -> Lines:
        """Settle the tree; its lines."""
        preflop = self._preflop()
        playing = new_playing(preflop, SMALL_SET, self.known.starts)
        small, game = playing.flops, playing.preflop
        small.known.clear()  # what was known of the net's flops is found once more
        settle(playing, preflop, PlayLimits(rounds=SMALL_ROUNDS))
        large = FlopLines(game, FlopSet(flop_subset(self.flops), processors()), shipped_net())
        playing.change_flops(large)
        for _ in range(LARGE_ROUNDS):
            playing.round()
        return {game.tree.line(node): self._start(playing, node, small) for node in game.flop_nodes}

    def improve(self, starts: Lines, keep: Callable[[Lines], None]) -> Lines:
        """Correct lines by flops of the small set that are solved to the river."""
        playing = new_playing(self._preflop(), SMALL_SET, lambda game: starts)
        solver = SolvedFlops(playing.preflop, playing.flops.boards, self.how)
        improving = Improving(
            playing, starts, solver, self.least, self.often, self._say, self.until, keep
        )
        improving.warm_up()
        for _ in range(self.rounds):
            improving.round()
        return improving.found()

    def _preflop(self) -> Preflop:
        return Preflop(
            PreflopSetting(
                round(CHIPS * self.depth), opens=OPENS, reraises=RERAISES, max_raises=RAISES
            )
        )

    def _say(self, text: str) -> None:
        _say(f"{self.depth:g} big blinds, {text}")

    def _start(self, playing: Playing, node: int, small: FlopLines) -> LineStart:
        ranges = {node: playing.street.coming(node)}
        few = small.values(ranges, CLOSE)[node].shares
        many = playing.flops.values(ranges, CLOSE)[node].shares
        game, error = playing.preflop, line_error(playing, node)
        return LineStart(
            beyond_equity(game.shares[game.tree.line(node)]), few - many, error.frequency,
            abs(error.gap), error.uncertain, error.net,
        )  # fmt: skip


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    """Make the depths that are missing, and write the file after each."""
    parser = ArgumentParser(description="Make the flop values that come with the package.")
    parser.add_argument("depths", nargs="*", type=float, help="in big blinds")
    parser.add_argument("--flops", type=int, default=184, help="of the larger set")
    parser.add_argument("--again", action="store_true", help="those that the file has, too")
    parser.add_argument("--improve", action="store_true", help="only correct those it has")
    parser.add_argument("--device", default=CPU, help="cuda solves flops to the river, too")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="of solved flops")
    parser.add_argument(
        "--least", type=float, default=0.0, help="correct errors of at least this, in big blinds"
    )
    parser.add_argument(
        "--often", type=float, default=SOLVED, help="correct lines taken in this share of hands"
    )
    parser.add_argument("--workers", help="flops solved side by side on processors")
    parser.add_argument(
        "--seconds", type=float, default=inf, help="begin no depth and no line after these seconds"
    )
    parser.add_argument("--out", type=Path, help="the file, if not the package's own")
    asked, began = parser.parse_args(), perf_counter()
    path = asked.out or Path(__file__).parent / "data" / FILE
    path.parent.mkdir(exist_ok=True)
    known = read_shipped(path) if path.exists() else Shipped({})

    def keep(depth: float, found: Lines) -> None:
        nonlocal known
        known = Shipped({**known.depths, depth: found}, asked.flops)
        save_shipped(known, path)

    how = BatchSetting(asked.workers, asked.device)
    for depth in asked.depths or DEPTHS:
        if (depth in known.depths) != asked.improve and not asked.again:
            continue
        if (until := began + asked.seconds) <= perf_counter():
            break
        making = Making(
            depth, asked.flops, known, how, asked.rounds, asked.least, asked.often, until
        )
        found = known.depths[depth] if asked.improve else making.make()
        keep(depth, found)
        if asked.device == CUDA or asked.improve:
            keep(depth, found := making.improve(found, partial(keep, depth)))
        for line, start in found.items():
            _say(
                f"{depth:g} big blinds, {line!r} in {100 * start.frequency:.2f}%: not settled "
                f"{start.gap:.3f}, flops {start.uncertain:.3f}, net {start.net:.3f} big blinds"
            )


if __name__ == "__main__":
    main()

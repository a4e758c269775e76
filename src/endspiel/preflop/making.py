"""Make what `shipped` reads: ``python -m endspiel.preflop.making [--flops 95] [DEPTH ...]``.

Depths that the file has already are left as they are, so that a stopped command goes on: give
``--again`` to make them once more.
"""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Final

from endspiel.batch.boards import flop_subset
from endspiel.batch.preflop_solve import CHIPS, Preflop
from endspiel.games.preflop_tree import PreflopSetting
from endspiel.preflop.flop_lines import FlopLines
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
from endspiel.preflop.solving import PlayLimits, line_error, new_playing, settle
from endspiel.preflop.street import beyond_equity
from endspiel.processors import processors
from endspiel.values.nets import shipped_net

DEPTHS: Final = (100, 20, 50, 200, 10, 30, 75, 15, 150, 40, 25, 12, 8, 5, 3)  # best first
SMALL_ROUNDS, LARGE_ROUNDS = 24, 6
CLOSE: Final = 10  # iterations on the small set with the ranges of the large one


def make_depth(depth: float, flops: int, known: Shipped) -> dict[str, LineStart]:
    """A tree's lines: settled on the small set of flops, then on a larger one."""
    setting = PreflopSetting(
        round(CHIPS * depth), opens=OPENS, reraises=RERAISES, max_raises=RAISES
    )
    preflop = Preflop(setting)
    playing = new_playing(preflop, SMALL_SET, known.starts)
    small, game = playing.flops, playing.preflop
    settle(playing, preflop, PlayLimits(rounds=SMALL_ROUNDS))
    large = FlopLines(game, flop_subset(flops), shipped_net(), processors())
    playing.change_flops(large)
    for _ in range(LARGE_ROUNDS):
        playing.round()
    found = {}
    for node in game.flop_nodes:
        ranges = {node: playing.street.coming(node)}
        few = small.values(ranges, CLOSE)[node].shares + small.kinder(node)
        many = large.values(ranges, CLOSE)[node].shares
        error = line_error(playing, node)
        line = game.tree.line(node)
        found[line] = LineStart(
            beyond_equity(game.shares[line]), few - many,
            error.frequency, error.error, error.uncertain,
        )  # fmt: skip
    return found


def main() -> None:
    """Make the depths that are missing, and write the file after each."""
    parser = ArgumentParser(description="Make the flop values that come with the package.")
    parser.add_argument("depths", nargs="*", type=float, help="in big blinds")
    parser.add_argument("--flops", type=int, default=184, help="of the larger set")
    parser.add_argument("--again", action="store_true", help="those that the file has, too")
    asked = parser.parse_args()
    path = Path(__file__).parent / "data" / FILE
    path.parent.mkdir(exist_ok=True)
    known = read_shipped(path) if path.exists() else Shipped({})
    for depth in asked.depths or DEPTHS:
        if depth in known.depths and not asked.again:
            continue
        found = make_depth(depth, asked.flops, known)
        known = Shipped({**known.depths, depth: found}, asked.flops)
        save_shipped(known, path)
        for line, start in found.items():
            print(
                f"{depth:g} big blinds, {line!r} in {100 * start.frequency:.2f}%: to "
                f"{start.error:.3f} big blinds",
                file=sys.stderr,
                flush=True,
            )


if __name__ == "__main__":
    main()

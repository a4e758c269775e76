"""Make what `shipped` reads: ``python -m endspiel.preflop.making [--device cuda] [DEPTH ...]``.

Each tree is settled with its flops valued by the net: on the small set of flops, then on a larger
one. With a GPU, flops of its lines are then solved to the river, and what they give corrects the
values (`improving`). The file is written after each depth and each solved line, and depths that it
has are left as they are, so that a stopped command goes on: ``--again`` makes them once more,
``--improve`` only corrects them, without ``--device cuda`` on processors, and ``--transfer``
corrects them by the flops that the file has, of other depths and sizes too.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf
from pathlib import Path
from time import perf_counter
from typing import Final

from endspiel.batch.boards import report_flops
from endspiel.batch.preflop_flops import any_spot
from endspiel.batch.preflop_solve import CHIPS, Preflop
from endspiel.batch.running import BatchSetting
from endspiel.games.preflop_tree import PreflopSetting
from endspiel.preflop.flop_lines import FlopLines, FlopSet
from endspiel.preflop.improving import SOLVED, Improving, LineChoice
from endspiel.preflop.playing import Playing
from endspiel.preflop.shipped import (
    FILE,
    OPENS,
    RAISES,
    RERAISES,
    SMALL_SET,
    LineStart,
    MeasuredLine,
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
LARGE_SET: Final = "184"
CLOSE: Final = 10  # iterations on the small set with the ranges of the large one
Lines = dict[str, LineStart]  # of one depth, by name


@dataclass
class Making:
    """One depth while it is made."""

    depth: float
    known: Shipped
    how: BatchSetting = field(default_factory=BatchSetting)  # where flops are solved to the river
    choice: LineChoice = field(default_factory=LineChoice)
    flops: str = ""  # the larger set, if not the usual one

    def make(self) -> Lines:
        """Settle the tree; its lines."""
        preflop = self._preflop()
        playing = new_playing(preflop, SMALL_SET, self.known.starts)
        small, game = playing.flops, playing.preflop
        small.known.clear()  # what was known of the net's flops is found once more
        settle(playing, preflop, PlayLimits(rounds=SMALL_ROUNDS))
        playing.change_flops(FlopLines(game, self.large, shipped_net()))
        for _ in range(LARGE_ROUNDS):
            playing.round()
        return {game.tree.line(node): self._start(playing, node, small) for node in game.flop_nodes}

    @cached_property
    def large(self) -> FlopSet:
        """The larger set."""
        return FlopSet(report_flops(self.flops or LARGE_SET, any_spot()), processors())

    def transfer(self, starts: Lines) -> Lines:
        """Correct lines by flops that were solved after lines that go like them."""
        improving = self._improving(starts)
        improving.transfer()
        return improving.found()

    def improve(self, starts: Lines, keep: Callable[[tuple[MeasuredLine, ...]], None]) -> Lines:
        """Solve flops to the river, and correct lines by that."""
        improving = self._improving(starts)
        improving.warm_up()
        improving.keep = keep
        if self.flops:
            improving.widen(self.large)
        game = improving.playing.preflop
        improving.solve(lambda boards: SolvedFlops(game, boards, self.how))
        improving.transfer()
        return improving.found()

    def _improving(self, starts: Lines) -> Improving:
        playing = new_playing(self._preflop(), SMALL_SET, lambda game: starts)
        return Improving(
            playing, self.depth, dict(starts), self.known.solved, self.choice, self._say
        )

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
    asked, began = _parser().parse_args(), perf_counter()
    path = asked.out or Path(__file__).parent / "data" / FILE
    path.parent.mkdir(exist_ok=True)
    known = read_shipped(path) if path.exists() else Shipped({})

    def keep(new: Shipped) -> None:
        nonlocal known
        known = new
        save_shipped(known, path)

    def keep_lines(depth: float, found: Lines) -> None:
        keep(replace(known, depths={**known.depths, depth: found}))

    def keep_solved(solved: tuple[MeasuredLine, ...]) -> None:
        keep(replace(known, solved=solved))

    until = began + asked.seconds
    choice = LineChoice(asked.least, asked.often, asked.wide, asked.solve, asked.more, until)
    how = BatchSetting(asked.workers, asked.device, asked.resume)
    corrects = asked.improve or asked.transfer
    for depth in asked.depths or DEPTHS:
        if (depth in known.depths) != corrects and not asked.again:
            continue
        if until <= perf_counter():
            break
        making = Making(depth, known, how, choice, asked.flops or "")
        if not corrects:
            found = making.make()
            keep(Shipped({**known.depths, depth: found}, len(making.large.flops), known.solved))
        if asked.transfer:
            keep_lines(depth, making.transfer(known.depths[depth]))
        elif asked.device == CUDA or asked.improve:
            making = replace(making, known=known)
            keep_lines(depth, making.improve(known.depths[depth], keep_solved))
        for line, start in known.depths[depth].items():
            _say(
                f"{depth:g} big blinds, {line!r} in {100 * start.frequency:.2f}%: not settled "
                f"{start.gap:.3f}, flops {start.uncertain:.3f}, net {start.net:.3f} big blinds"
            )


def _parser() -> ArgumentParser:
    parser = ArgumentParser(description="Make the flop values that come with the package.")
    parser.add_argument("depths", nargs="*", type=float, help="in big blinds")
    parser.add_argument(
        "--flops",
        metavar="95|184|all",
        help="the larger set (184); with --improve, lines taken often are played on it once more",
    )
    parser.add_argument("--again", action="store_true", help="those that the file has, too")
    parser.add_argument("--improve", action="store_true", help="only correct those it has")
    parser.add_argument(
        "--transfer",
        action="store_true",
        help="only correct those it has, by flops that were solved before",
    )
    parser.add_argument("--device", default=CPU, help="cuda solves flops to the river, too")
    parser.add_argument("--solve", type=int, help="flops of a line that are solved (the 25)")
    parser.add_argument(
        "--more", action="store_true", help="solve further flops of lines that have some"
    )
    parser.add_argument(
        "--least", type=float, default=0.0, help="solve lines with a net error of these big blinds"
    )
    parser.add_argument(
        "--often", type=float, default=SOLVED, help="solve lines taken in this share of hands"
    )
    parser.add_argument(
        "--wide", type=float, default=0.0, help="with --flops: lines with this standard error"
    )
    parser.add_argument("--workers", help="flops solved side by side on processors")
    parser.add_argument("--resume", type=Path, help="a file of solved flops, to continue from")
    parser.add_argument(
        "--seconds", type=float, default=inf, help="begin no depth and no line after these seconds"
    )
    parser.add_argument("--out", type=Path, help="the file, if not the package's own")
    return parser


if __name__ == "__main__":
    main()

"""Flop values corrected by flops that are solved to the river.

Flops of a tree's lines are solved to the river with the ranges that come to them. What classes win
there beyond what the value net gives them on the same flops corrects the net's values, of these
lines and of others that go the same way (`pooling`), and the tree is settled again with that.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import hypot, inf
from time import perf_counter
from typing import Final
from zlib import crc32

import numpy as np

from endspiel.batch.boards import WeightedBoard, flop_subset
from endspiel.cards.isomorphism import canonical_flops
from endspiel.kernels.arrays import Floats
from endspiel.preflop.flop_lines import Apart, FlopLines, FlopSet, Known, Ranges
from endspiel.preflop.playing import Playing, frequency
from endspiel.preflop.pooling import correction
from endspiel.preflop.shipped import SMALL_SET, LineStart, MeasuredLine
from endspiel.preflop.solved_flops import SolvedFlops
from endspiel.preflop.solving import OFTEN, line_error
from endspiel.preflop.street import beyond_equity
from endspiel.processors import processors

SOLVED: Final = 0.005  # of hands: by default rarer lines keep the value net's values
CLOSELY: Final = 5e-3  # of the pot: exploitability at which a flop is solved
WARMING, SETTLING = 8, 12  # rounds of play before flops are solved, and after
NET_ITERATIONS: Final = 40  # iterations of the net on flops that are solved


@dataclass(frozen=True)
class LineChoice:
    """Which lines are solved, and on how many flops."""

    least: float = 0.0  # big blinds: lines on which the net's error is smaller stay as they are
    often: float = SOLVED  # of hands: lines that are taken less stay as they are
    wide: float = 0.0  # big blinds: lines whose flops differ less are not played on more of them
    flops: int | None = None  # drawn from all by chance; else the small set
    more: bool = False  # lines whose flops were solved before, too
    until: float = inf  # by `perf_counter`: no line is begun that would not be solved by then


@dataclass
class Improving:
    """A tree whose flop values are corrected, on the flops that its play is on."""

    playing: Playing
    depth: float  # big blinds
    starts: dict[str, LineStart]  # by name
    solved: tuple[MeasuredLine, ...]  # of all depths
    choice: LineChoice = LineChoice()
    say: Callable[[str], None] = lambda text: None
    keep: Callable[[tuple[MeasuredLine, ...]], None] = lambda solved: None  # after each line
    longest: float = 0.0  # seconds that a line took
    added: dict[int, Floats] = field(default_factory=dict)  # [2, 169] to the net's, by node
    errors: dict[int, float] = field(default_factory=dict)  # big blinds, by node

    def warm_up(self) -> None:
        """Let play find the ranges."""
        for _ in range(WARMING):
            self.playing.round()

    def widen(self, flops: FlopSet) -> None:
        """Let the net play lines on a larger set of flops, where that counts for the error."""
        game, playing = self.playing.preflop, self.playing
        for node, start in self._nodes():
            ranges = playing.street.coming(node)
            if frequency(ranges) < OFTEN or start.uncertain < self.choice.wide:
                continue
            few, many = (
                FlopLines(game, boards, playing.flops.net).values({node: ranges}, NET_ITERATIONS)[
                    node
                ]
                for boards in (playing.flops.boards, flops)
            )
            line, pot = game.tree.line(node), game.pot(node) / game.setting.big_blind
            kinder = few.shares - many.shares
            self.starts[line] = start._replace(kinder=kinder, uncertain=pot * many.uncertain)
            playing.flops.known[node] = Known(self.starts[line].too_kind(), many.uncertain)
            self.say(f"{line!r} played on {len(flops.flops)} flops, to {many.uncertain:.2%}")

    def solve(self, solver: Callable[[FlopSet], SolvedFlops]) -> None:
        """Solve flops of the lines that are due, by a solver of these flops."""
        for node in self.due():
            began = perf_counter()
            if began + self.longest > self.choice.until:
                self.say("time is over: the other lines stay as they are")
                break
            line = self.playing.preflop.tree.line(node)
            self._solve(node, solver(FlopSet(self.flops_of(line), processors())))
            self.longest = max(self.longest, perf_counter() - began)
            self.keep(self.solved)

    def due(self) -> list[int]:
        """The lines to solve: first those that count for the error, and of these larger pots."""
        game, found = self.playing.preflop, list[tuple[bool, float, int]]()
        before = {one.line for one in self.solved if one.depth == self.depth}
        for node in game.flop_nodes:
            line, often = game.tree.line(node), frequency(self.playing.street.coming(node))
            if line in before and not self.choice.more:
                continue
            if often >= self.choice.often and self.starts[line].net >= self.choice.least:
                found.append((often >= OFTEN, game.pot(node), node))
        return [node for _, _, node in sorted(found, reverse=True)]

    def flops_of(self, line: str) -> list[WeightedBoard]:
        """The flops to solve after a line: others each time."""
        if self.choice.flops is None:
            return flop_subset(int(SMALL_SET))
        before = sum((one.depth, one.line) == (self.depth, line) for one in self.solved)
        start = crc32(f"{self.depth:g} {line} {before}".encode()) / 2**32
        return drawn_flops(self.choice.flops, start)

    def transfer(self) -> None:
        """Correct all lines by what was solved, and settle with that."""
        game = self.playing.preflop
        for node in game.flop_nodes:
            found = correction(self.solved, self.depth, game.tree.line(node))
            if found is not None:
                self.added[node] = found.added
                self.errors[node] = found.error * game.pot(node) / game.setting.big_blind
        self.settle()

    def settle(self) -> None:
        """Play on with what was added, all lines in every round."""
        known, self.playing.rare = self.playing.flops.known, 0.0
        for node, start in self._nodes():
            if (added := self.added.get(node)) is not None:
                known[node] = known[node]._replace(kinder=start.kinder - added)
        for _ in range(SETTLING):
            self.playing.round()

    def _solve(self, node: int, solver: SolvedFlops) -> None:
        playing, boards = self.playing, solver.boards
        line, ranges = playing.preflop.tree.line(node), playing.street.coming(node)
        solved = solver.solve(node, ranges, CLOSELY)
        more = beyond_net(playing.flops, boards, node, ranges, solved.won)
        mean = float((more.held[0] * more.shares[0]).sum())
        self.say(
            f"{line!r} in {frequency(ranges):.2%} of hands: {len(boards.flops)} flops solved to "
            f"{solved.gap:.2%} of the pot give the big blind {mean:+.2%} +- {more.uncertain:.2%} "
            "more than the net"
        )
        error = hypot(more.uncertain, solved.gap / 2)
        new = MeasuredLine(self.depth, line, len(boards.flops), mean, error, more.smoothed())
        self.solved = (*self.solved, new)

    def found(self) -> dict[str, LineStart]:
        """What lines are worth now, by name."""
        playing, starts = self.playing, dict[str, LineStart]()
        for node, start in self._nodes():
            line, error = playing.preflop.tree.line(node), line_error(playing, node)
            starts[line] = start._replace(
                beyond=beyond_equity(playing.preflop.shares[line]),
                frequency=error.frequency,
                gap=abs(error.gap),
                net=self.errors.get(node, start.net),
                added=self.added.get(node, start.added),
            )
        return starts

    def _nodes(self) -> list[tuple[int, LineStart]]:
        """Lines that see a flop, and what was known of them."""
        game = self.playing.preflop
        return [(node, self.starts[game.tree.line(node)]) for node in game.flop_nodes]


def beyond_net(lines: FlopLines, boards: FlopSet, node: int, ranges: Ranges, won: Floats) -> Apart:
    """What classes won on flops [2, F, 169] after a line, beyond what the net gives them there."""
    net = FlopLines(lines.preflop, boards, lines.net)
    return boards.apart(won - net.won({node: ranges}, NET_ITERATIONS)[node], ranges)


def drawn_flops(number: int, start: float) -> list[WeightedBoard]:
    """Flops from all of them in even steps from a start from 0 to 1, as often as they are dealt."""
    flops, ways = canonical_flops()
    steps = (start + np.arange(number)) / number
    places = np.searchsorted(np.cumsum(ways) / ways.sum(), steps)
    return [WeightedBoard(tuple(flops[at].tolist()), 1.0) for at in places]

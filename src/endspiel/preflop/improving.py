"""Flop values corrected by flops that are solved to the river.

A round solves the flops of a tree's lines to the river with the ranges that come to them. What
classes win there beyond what the value net gives them on the same flops is added to the net's
values, and the tree is settled again with them.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import hypot, inf, isclose
from time import perf_counter
from typing import Final

from endspiel.kernels.arrays import Floats
from endspiel.preflop.playing import Playing, frequency
from endspiel.preflop.shipped import LineStart
from endspiel.preflop.solved_flops import SolvedFlops
from endspiel.preflop.solving import NET_ERROR, OFTEN, line_error
from endspiel.preflop.street import beyond_equity

SOLVED: Final = 0.005  # of hands: by default rarer lines keep the value net's values
CLOSELY: Final = 5e-3  # of the pot: exploitability at which a flop is solved
WARMING, SETTLING = 8, 12  # rounds of play before flops are solved, and after


@dataclass
class Improving:
    """A tree whose flop values are corrected, on the flops that its play is on."""

    playing: Playing
    starts: dict[str, LineStart]  # by the net, by name
    solver: SolvedFlops
    least: float = 0.0  # big blinds: lines on which the net's error is smaller stay as they are
    often: float = SOLVED  # of hands: lines that are taken less stay as they are
    say: Callable[[str], None] = lambda text: None
    until: float = inf  # by `perf_counter`: no line is begun that would not be solved by then
    keep: Callable[[dict[str, LineStart]], None] = lambda found: None  # takes all after each line
    longest: float = 0.0  # seconds that a line took
    added: dict[int, Floats] = field(default_factory=dict)  # [2, 169] to the net's, by node
    errors: dict[int, float] = field(default_factory=dict)  # big blinds, by node

    def warm_up(self) -> None:
        """Let play find the ranges."""
        for _ in range(WARMING):
            self.playing.round()

    def round(self) -> None:
        """Solve the flops of each line, and settle with what they give."""
        for node, pot in self._due():
            began = perf_counter()
            if began + self.longest > self.until:
                self.say("time is over: the other lines stay as they are")
                break
            self._solve(node, pot)
            self.settle()
            self.longest = max(self.longest, perf_counter() - began)
            self.keep(self.found())

    def _due(self) -> list[tuple[int, float]]:
        """The lines to solve and their pots in big blinds: first those that count for the error.

        Those that were corrected before have another error than the net's, and stay as they are.
        """
        game, found = self.playing.preflop, list[tuple[bool, float, int]]()
        for node in game.flop_nodes:
            often = frequency(self.playing.street.coming(node))
            pot = game.pot(node) / game.setting.big_blind
            by_net = isclose(self.starts[game.tree.line(node)].net, NET_ERROR * pot)
            if by_net and often >= self.often and NET_ERROR * pot >= self.least:
                found.append((often >= OFTEN, pot, node))
        return [(node, pot) for _, pot, node in sorted(found, reverse=True)]

    def settle(self) -> None:
        """Play on with what was added."""
        known = self.playing.flops.known
        for node, added in self.added.items():
            kinder = self.starts[self.playing.preflop.tree.line(node)].kinder
            known[node] = known[node]._replace(kinder=kinder - added)
        for _ in range(SETTLING):
            self.playing.round()

    def _solve(self, node: int, pot: float) -> None:
        playing, line = self.playing, self.playing.preflop.tree.line(node)
        ranges = playing.street.coming(node)
        by_net = playing.flops.won({node: ranges}, SETTLING)[node]
        solved = self.solver.solve(node, ranges, CLOSELY)
        more = playing.flops.boards.apart(solved.won - by_net, ranges)
        mean = float((more.held[0] * more.shares[0]).sum())
        before = self.added.get(node)
        was = 0.0 if before is None else float((more.held[0] * before[0]).sum())
        self.say(
            f"{line!r} in {frequency(ranges):.2%} of hands: flops solved to {solved.gap:.2%} of "
            f"the pot give the big blind {mean:+.2%} +- {more.uncertain:.2%} more than the net"
            + ("" if before is None else f", where {was:+.2%} was added")
        )
        self.added[node] = more.smoothed()
        self.errors[node] = pot * hypot(more.uncertain, solved.gap / 2)

    def found(self) -> dict[str, LineStart]:
        """What lines are worth now, by name."""
        playing, starts = self.playing, dict[str, LineStart]()
        for node in playing.preflop.flop_nodes:
            line, error = playing.preflop.tree.line(node), line_error(playing, node)
            start = self.starts[line]
            starts[line] = start._replace(
                beyond=beyond_equity(playing.preflop.shares[line]),
                kinder=playing.flops.kinder(node),
                frequency=error.frequency,
                gap=abs(error.gap),
                net=self.errors.get(node, start.net),
            )
        return starts

"""Charts that improve by their certificates.

A certificate solves the flops of every line to the river. What classes win there corrects the value
net's values of the same lines, the tree is settled again with these, and certified again. The least
exploitable of these strategies is the result.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import hypot
from typing import Any, Final, NamedTuple

from endspiel.batch.preflop_solve import Preflop
from endspiel.preflop.certificate import Certificate, Solved, certificate, solve_lines
from endspiel.preflop.flop_lines import FlopLines, FlopSet, Known, Ranges
from endspiel.preflop.improving import NET_ITERATIONS, SETTLING, beyond_net
from endspiel.preflop.shipped import SMALL_SET, starts_for
from endspiel.preflop.solved_flops import SolvedFlops, SolvedPot
from endspiel.preflop.solving import (
    BY_NET,
    PlayLimits,
    SolvedByPlay,
    charts_of,
    line_error,
    new_playing,
    settle,
    solve_valued,
)
from endspiel.progress import Observe, unobserved

BY_SOLVED: Final = f"{BY_NET}, corrected by flops solved to the river"


class CertifiedCharts(NamedTuple):
    """The least exploitable charts of some rounds."""

    found: SolvedByPlay
    certificate: Certificate
    rounds: list[Certificate]  # of all of them

    def record(self) -> dict[str, Any]:
        """The certificate as plain values, and the exploitability of every round."""
        return self.certificate.record() | {"rounds": [one.mbb_per_hand for one in self.rounds]}


def certify_rounds(
    preflop: Preflop,
    found: SolvedByPlay,
    flops: SolvedFlops,
    rounds: int,
    observe: Observe = unobserved,
) -> CertifiedCharts:
    """Certify charts, and improve them by each certificate but that of the last round."""
    improving, made = _Improved(preflop, found), list[tuple[Certificate, SolvedByPlay]]()
    for number in range(1, rounds + 1):
        ranges, solved = solve_lines(found.street, flops)
        made.append((certificate(found.street, ranges, solved, flops.boards), found))
        if number == rounds:
            break
        improving.correct(flops.boards, ranges, solved)
        if (again := improving.settle(observe)) is None:
            break
        found = again
    best, charts = min(made, key=lambda one: one[0].mbb_per_hand)
    return CertifiedCharts(charts, best, [one for one, _ in made])


@dataclass
class _Improved:
    """Charts that are corrected by what was solved."""

    preflop: Preflop
    first: SolvedByPlay
    nets: dict[int, float] = field(default_factory=dict)  # by node: big blinds

    def __post_init__(self) -> None:
        self.playing = new_playing(self.preflop, SMALL_SET, starts_for)
        self.playing.begin(self.first.street.preflop.shares)

    def correct(self, boards: FlopSet, ranges: Mapping[int, Ranges], solved: Solved) -> None:
        """Let lines be worth what was solved, to the ranges that it was solved with."""
        game = self.playing.preflop
        for node, pot in solved.items():
            lines = self.playing.flops
            correct = self._whole if boards.is_whole else self._part
            lines.known[node] = correct(boards, node, ranges[node], pot)
            self.nets[node] = pot.gap / 2 * game.pot(node) / game.setting.big_blind

    def _whole(self, boards: FlopSet, node: int, ranges: Ranges, pot: SolvedPot) -> Known:
        """All flops were solved: the flops of play are corrected by their difference from these."""
        lines = FlopLines(self.playing.preflop, self.playing.flops.boards, self.playing.flops.net)
        here = lines.values({node: ranges}, NET_ITERATIONS)[node]
        return Known(here.shares - pot.shares.shares, 0.0)

    def _part(self, boards: FlopSet, node: int, ranges: Ranges, pot: SolvedPot) -> Known:
        """Some were: the net is corrected by its difference from the solves, on the same flops."""
        game = self.playing.preflop
        start, chips = starts_for(game).get(game.tree.line(node)), game.pot(node)
        more = beyond_net(self.playing.flops, boards, node, ranges, pot.won)
        added = more.smoothed()
        if start is None:
            return Known(-added, more.uncertain)
        before = start.uncertain * game.setting.big_blind / chips
        return Known(start.kinder - added, hypot(before, more.uncertain))

    def settle(self, observe: Observe) -> SolvedByPlay | None:
        """Play on, and solve the tree with what flops are worth then; None if it was stopped."""
        playing, preflop = self.playing, self.preflop
        limits = PlayLimits(rounds=playing.rounds + SETTLING, observe=observe)
        if not settle(playing, preflop, limits):
            return None
        solved = solve_valued(preflop.game(), playing.preflop.shares, preflop.unit)
        return self.first._replace(
            charts=charts_of(solved.street),
            street=solved.street,
            exploitability=solved.exploitability,
            iterations=solved.iterations,
            by=BY_SOLVED,
            lines=[
                line_error(playing, node)._replace(net=self.nets[node]) for node in playing.gaps
            ],
        )

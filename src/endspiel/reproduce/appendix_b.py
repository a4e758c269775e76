"""The 2015 paper's Appendix B hand, step by step, with each step's time beside the paper's.

We are in the small blind with Th8d: raise to 250, the opponent re-raises to 750, we call; both
check the flop Jc 6s 2c; on the turn Kd the opponent checks, we bet 375, he calls; the river is Qc.
The hand distributions are given, because they come from a blueprint: the paper's had 38 and 35
buckets, ours have their own.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from endspiel.cards.deck import hand_index
from endspiel.cards.text import parse_board, parse_hand
from endspiel.endgame.river.exact import RiverOptions, RiverSolution, build_river, finish_river
from endspiel.endgame.river.river import River
from endspiel.kernels.arrays import Floats

BOARD = tuple(parse_board("Jc 6s 2c Kd Qc"))
HAND = parse_hand("Th8d")
POT, STACK = 2250, 18875
US = 1  # in position on the river
OPTIONS = RiverOptions(budget=10_000, alpha=0.995)
# Seconds that the paper prints: prior, equities, buckets, matrices, program instance, solve.
PAPER_SECONDS = {
    "prior": 0.433,
    "equities": 0.015,
    "buckets": 0.008,
    "matrices": 0.15,
    "instance": 1.051,
    "solve": 5.328,
}
PAPER_TOTAL = 6.985
PAPER_RANK = 296  # of our hand among 1081
PAPER_BUCKETS = (38, 35)  # out of position, in position
PAPER_STRATEGY = {"c": 0.742, "b1500": 0.140, "b2250": 0.103, "b4500": 0.014}


@dataclass(frozen=True, eq=False)
class AppendixB:
    """Every figure of the hand that the paper prints."""

    seconds: dict[str, float]  # of each step, named as the paper's
    solution: RiverSolution
    buckets: tuple[int, int]  # number of buckets out of position and in position
    rank: int  # hands that ours beats among the 1081
    equity: float  # of our hand against the opponent's distribution
    bucket: int  # ours
    their_equity: float  # of the same hand if the opponent had it
    their_bucket: int
    strategy: dict[str, float]  # our hand's first action after the opponent's check
    on_real_cards: float  # exploitability of the strategies where no two hands must play alike

    @property
    def total(self) -> float:
        """Seconds of all steps."""
        return sum(self.seconds.values())


def appendix_b(ranges: Callable[[], ArrayLike], options: RiverOptions = OPTIONS) -> AppendixB:
    """The endgame part of the hand; ``ranges()`` makes both distributions [2, 1326], and is timed.

    The paper's construction of the program has no counterpart: there is no instance to build.
    """
    seconds: dict[str, float] = {}

    def timed(step: str, work: Callable[[], Any]) -> Any:
        start = perf_counter()
        made = work()
        seconds[step] = perf_counter() - start
        return made

    weights = timed("prior", ranges)
    river: River = timed("equities", lambda: River.of(BOARD, POT, STACK, weights))
    game = timed("buckets", lambda: build_river(river, options))
    timed("matrices", lambda: game.game)
    seconds["instance"] = 0.0
    solution: RiverSolution = timed("solve", lambda: finish_river(game, replace(options)))
    hand = hand_index(*HAND)
    strength = river.strengths[river.strengths > 0]
    ours: Floats = solution.probabilities("c", HAND)
    return AppendixB(
        seconds=seconds,
        solution=solution,
        buckets=(game.buckets[0].count, game.buckets[1].count),
        rank=int(np.count_nonzero(strength < river.strengths[hand])),
        equity=float(river.equities[US][hand]),
        bucket=int(game.buckets[US].of[hand]),
        their_equity=float(river.equities[1 - US][hand]),
        their_bucket=int(game.buckets[1 - US].of[hand]),
        strategy=dict(zip(solution.actions("c"), ours.tolist(), strict=True)),
        on_real_cards=solution.on_real_cards().mean,
    )

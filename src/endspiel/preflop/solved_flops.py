"""The flops after lines solved to the river, on processors or a GPU, and what classes win there.

Each flop is solved by itself with the ranges that come to it, every class in them at least now and
then, and is worth to a class what both players' solved strategies give it; or, for a certificate,
what a best response to the solved strategy wins.
"""

from base64 import b64decode, b64encode
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np

from endspiel.batch.planning import SpotMethod
from endspiel.batch.preflop_flops import ANY_FLOP
from endspiel.batch.running import BatchSetting, SpotBatch
from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.cards.classes import NUM_CLASSES, hand_classes
from endspiel.engine.limits import Limits
from endspiel.errors import EndspielError
from endspiel.games.card_game import CardGame
from endspiel.games.preflop_tree import PreflopGame
from endspiel.games.spot import Spot
from endspiel.kernels.arrays import Floats
from endspiel.preflop.flop_lines import (
    BET,
    RAISE,
    SHORT,
    SHORT_RAISE,
    FlopSet,
    LineShares,
    Ranges,
    held_hands,
)
from endspiel.progress import Observe, unobserved
from endspiel.solving.solution import SpotSolution
from endspiel.solving.spots import SpotOptions
from endspiel.solving.streams import RootRun

METHOD: Final = "dcfr"
MOST_RAISES: Final = 2  # on a street, bets included
TARGET: Final = 2e-3  # of the pot: exploitability at which a flop is solved
MOST_ITERATIONS: Final = 600


class SolvedPot(NamedTuple):
    """A line's flops as they were solved."""

    shares: LineShares  # both players by what was solved
    best: LineShares  # each player by a best response to what the other solved
    won: Floats  # [2, F, 169] sums over a class's hands on each flop, less half the pot
    best_won: Floats  # [2, F, 169] the sums of best responses
    gap: float  # mean exploitability over the flops, as a share of the pot


@dataclass(frozen=True)
class SolvedFlops:
    """Solves the flops of a tree's lines."""

    preflop: PreflopGame
    boards: FlopSet
    setting: BatchSetting
    observe: Observe = unobserved

    def solve(self, node: int, ranges: Ranges, target: float = TARGET) -> SolvedPot:
        """Solve a line's flops with ranges [169] that come to them, to a share of the pot."""
        spot = self.spot(node, ranges)
        limits = Limits(target, MOST_ITERATIONS)
        how = SpotMethod(METHOD, SpotOptions(), limits, wanted="classes")
        batch, line = SpotBatch(how, self.setting, _ClassKeeper()), self.preflop.tree.line(node)
        flops = self.boards.flops
        batch.run(
            [replace(spot, board=tuple(flop.cards)) for flop in flops],
            [flop.name for flop in flops],
            self.observe,
            what=f"flops after {line!r}",
            bound=how.prepare(replace(spot, board=ANY_FLOP)).memory_bytes,
        )
        found = list[_Solved]()
        for one in batch.results:
            assert one is not None
            if one.error:
                raise EndspielError(f"the flop {one.name} after {line!r}: {one.error}")
            found.append(_Solved.read(one.record))
        won, best = (np.stack([getattr(x, of) for x in found], axis=1) for of in ("won", "best"))
        gap = float(self.boards.weights @ [one.gap for one in found])
        shares = (self.boards.line(won, ranges), self.boards.line(best, ranges))
        return SolvedPot(*shares, won, best, gap)

    def spot(self, node: int, ranges: Ranges) -> Spot:
        """The spot after a line, played for chips, on any flop."""
        held = held_hands(ranges[0]), held_hands(ranges[1])
        pot, behind = self.preflop.pot(node), self.preflop.behind(node)
        sizing = solved_menus(self.preflop, node)
        return Spot(tuple(self.boards.flops[0].cards), pot, behind, held, sizing)


def solved_menus(preflop: PreflopGame, node: int) -> Sizing:
    """The bets from the flop to the river after a line: on the flop those of `flop_menus`."""
    short = preflop.behind(node) <= SHORT * preflop.pot(node)
    menu = StreetMenu.parse(BET, SHORT_RAISE if short else RAISE)
    return Sizing((None, menu, menu, menu), max_raises=MOST_RAISES)


class _Solved(NamedTuple):
    """One flop: values as sums over the hands of a class, less half the pot."""

    won: Floats  # [2, 169]
    best: Floats  # [2, 169]
    gap: float

    @classmethod
    def of(cls, game: CardGame, won: Any, best: Any, gap: float) -> dict[str, Any]:
        """The record of a solve, from values [2][K] of the root's hands."""
        hands = game.tree.streets[0][0].hands
        sums = [
            np.bincount(hand_classes()[hands[p]], game.pairs * values[p], NUM_CLASSES)
            for values in (won, best)
            for p in (0, 1)
        ]
        packed = np.stack(sums).astype("<f4").tobytes()
        return {"sums": b64encode(packed).decode(), "exploitability": gap}

    @classmethod
    def read(cls, record: dict[str, Any]) -> "_Solved":
        """What `of` made."""
        sums = np.frombuffer(b64decode(record["sums"]), "<f4").astype(np.float64)
        won, best = sums.reshape(2, 2, NUM_CLASSES)
        return cls(won, best, record["exploitability"])


def _of_solution(solution: SpotSolution) -> dict[str, Any]:
    """The record of a flop that was solved on processors."""
    boards = solution.boards
    won = [boards.expected(player) for player in (0, 1)]
    best = [boards.best(player) for player in (0, 1)]
    return _Solved.of(boards.game, won, best, solution.exploitability)


def _of_root(run: RootRun) -> dict[str, Any]:
    """The record of a flop that was solved on a GPU."""
    return _Solved.of(run.task.game, run.won, run.best, run.exploitability)


class _ClassKeeper:
    """Takes what classes win, and lets solutions go."""

    job: ClassVar = "preflop"
    by_hand: ClassVar = True
    finish = staticmethod(_of_solution)
    finish_root = staticmethod(_of_root)

    def keep(self, name: str, key: str, found: dict[str, Any]) -> dict[str, Any]:
        """See `SpotKeeper`."""
        return found

    def has(self, name: str, key: str) -> bool:
        """See `SpotKeeper`."""
        return True

    def check(self, sizes: list[int]) -> None:
        """See `SpotKeeper`."""

"""What ranges get of the pot on flops that are solved to their end, a value net behind them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final, NamedTuple

from endspiel.batch.boards import WeightedBoard
from endspiel.batch.preflop_flops import FlopShare
from endspiel.betting.menu import StreetMenu
from endspiel.cards.run_outs import run_out_shares
from endspiel.engine.driver import Driver
from endspiel.engine.schemes import SCHEMES
from endspiel.errors import GameError
from endspiel.executor import Executor, GivenWorkers, WorkerJob
from endspiel.games.spot import Spot
from endspiel.values.depth import DepthLimited, NetValues
from endspiel.values.nets import ValueNet

FLOP: Final = 1
ITERATIONS: Final = 100
_NOTHING: Final = StreetMenu.parse("", "")  # what follows the flop is the net's


class NetFlop(NamedTuple):
    """A spot whose flops are solved to their end, what follows valued by a net."""

    spot: Spot
    net: ValueNet
    iterations: int = ITERATIONS

    def share(self, board: WeightedBoard) -> FlopShare:
        """What is got on a flop that takes the place of the spot's."""
        menus = (None, self.spot.sizing.streets[FLOP], _NOTHING, _NOTHING)
        sizing = replace(self.spot.sizing, streets=menus)
        spot = replace(self.spot, board=board.cards, sizing=sizing)
        if spot.street != FLOP:
            raise GameError(f"{board.name} is no flop, which is what the net is of")
        street = DepthLimited(
            spot.tree(),
            (spot.ranges[0], spot.ranges[1]),
            spot.board,
            lambda lines: NetValues(self.net, spot.board, run_out_shares, lines),
        )
        Driver(street, SCHEMES["dcfr"]).advance(self.iterations)
        first, second = street.ranges
        wins = float(first @ run_out_shares(spot.board) @ second) / street.pairs
        ev = 0.5 + float(first @ street.average_values(0))
        return FlopShare(ev, (1.0 + wins) / 2.0, board.weight * street.pairs)


class _ShareWorker:
    """Values flops in a process."""

    def __init__(self, flop: NetFlop) -> None:
        self.flop = flop

    def work(self, board: WeightedBoard) -> FlopShare:
        """See `TaskWorker`."""
        return self.flop.share(board)

    def close(self) -> None:
        """See `TaskWorker`."""


@dataclass(frozen=True)
class NetFlops:
    """A `FlopSolver` by a value net, on all processors."""

    net: ValueNet
    told: Callable[[int, int], None] = lambda done, total: None
    workers: GivenWorkers = None
    by: ClassVar[str] = "solved to the turn, a value net behind"

    def __call__(self, spot: Spot, boards: Sequence[WeightedBoard]) -> list[FlopShare]:
        found, job = [], WorkerJob(_ShareWorker, NetFlop(spot, self.net))
        with Executor(self.workers) as executor:
            for share in executor.results(job, boards):
                found.append(share)
                self.told(len(found), len(boards))
        return found

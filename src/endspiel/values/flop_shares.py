"""What ranges get of the pot on a flop that is solved to its end, a value net behind it.

`many_flops` does it for flops side by side; this is the plain version that it is held to.
"""

from dataclasses import replace
from typing import Final, NamedTuple

from endspiel.batch.boards import WeightedBoard
from endspiel.batch.preflop_flops import FlopShare
from endspiel.betting.menu import StreetMenu
from endspiel.cards.run_outs import run_out_shares
from endspiel.cards.streets import FLOP
from endspiel.engine.driver import Driver
from endspiel.engine.schemes import SCHEMES
from endspiel.errors import GameError
from endspiel.games.spot import Spot
from endspiel.values.depth import DepthLimited, NetValues
from endspiel.values.nets import ValueNet

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

"""What a value net makes of flops before the flop, beside flops solved to the river.

Run as ``python benchmarks/flop_shares.py "Ks 7h 2d" "9s 8s 6d" ...``; without flops, on the first.
The charts of 40 big blinds with opens of 2.5x are solved, and after each of three lines the big
blind's share of the pot on a flop by the net (`values.flop_shares`) and by a solve to 1% of the
pot, in percent, with the processor seconds of both.
"""

import sys
import time

import endspiel as es
from endspiel.batch.boards import WeightedBoard
from endspiel.batch.preflop_solve import METHOD, TARGET, Preflop, solve_preflop
from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.cards.text import parse_board
from endspiel.engine.limits import Limits
from endspiel.games.preflop_tree import PreflopSetting
from endspiel.values.flop_shares import NetFlop
from endspiel.values.nets import shipped_net

LINES = ("r250 c", "c c", "c r250 c")
MENU = StreetMenu.parse("66%", "a")
SIZING = Sizing((None, MENU, MENU, MENU), max_raises=2)


def main() -> None:
    """Print a line for each flop and line of betting."""
    preflop = Preflop(PreflopSetting(4000))
    charts, _ = solve_preflop(preflop.game(), METHOD, Limits(target_units=TARGET * preflop.unit))
    for text in sys.argv[1:] or ["Ks 7h 2d"]:
        board = tuple(parse_board(text))
        for line in LINES:
            spot = charts.spot(charts.node(line), board, SIZING)
            begun = time.process_time()
            share = NetFlop(spot, shipped_net()).share(WeightedBoard(board, 1.0))
            between = time.process_time()
            solved = es.solve(spot, target=0.01)
            ended = time.process_time()
            print(
                f"{text} after {line}: net {100 * share.ev:.2f}, solved "
                f"{100 * solved.evs[0] / spot.pot:.2f}, equity {100 * share.equity:.2f}; "
                f"{between - begun:.1f} and {ended - between:.1f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()

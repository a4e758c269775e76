"""What betting before the turn wins from an agent, were nothing bet later: its flops judged alone.

A local best response folds, calls, bets the pot or all-in before the flop and on it (or on one of
them: `--bets`) with all hands at once; where the turn is dealt, both check to the end. That bounds
nothing, since the agent might bet there, but it takes no turn to be solved. Prints for each agent
what is won on the boards so far, and what the others lose less than the first on the same boards,
with 95% intervals, in mbb a hand.
"""

import argparse
from time import process_time

import numpy as np

from endspiel.arena.estimators.estimates import estimate, milli_blinds
from endspiel.arena.estimators.local_best_response import POT_OR_ALL, ResponseOptions
from endspiel.arena.estimators.range_response import Line, RangeResponse, RangeWalk, range_response
from endspiel.cards.streets import TURN
from endspiel.rules.builtin import load_rules

STREETS = {"both": (0, 1), "preflop": (0,), "flop": (1,), "none": ()}
AGENTS = ("blueprint", "blueprint+nested,flop=net,threads=1")


class EarlyWalk(RangeWalk):
    """Ends where the turn is dealt."""

    def _over_checking(self, line: Line) -> float:
        return 0.0 if line.state.round == TURN else super()._over_checking(line)


class EarlyResponse(RangeResponse):
    """Plays so."""

    def _begin(self, board: tuple[int, ...], position: int, seed: int) -> RangeWalk:
        run = super()._begin(board, position, seed)
        return EarlyWalk(self, board, position, run.rng, run.late_from)


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("agents", nargs="*", default=AGENTS)
parser.add_argument("--boards", type=int, default=12)
parser.add_argument("--bets", choices=STREETS, default="both", help="where it bets")

if __name__ == "__main__":
    given, game = parser.parse_args(), load_rules("nolimit-holdem")
    options = ResponseOptions(POT_OR_ALL, frozenset(STREETS[given.bets]))
    made = [range_response(game, spec, options) for spec in given.agents]
    responses = [EarlyResponse(game, one.opponent, options) for one in made]
    won: list[list[float]] = []
    for number in range(given.boards):
        rng = np.random.default_rng([1, number])
        board = tuple(int(card) for card in rng.choice(game.deck, 5, replace=False))
        seed = int(rng.integers(2**63))
        won.append([one.win(board, number % 2, seed).chips for one in responses])
        units = milli_blinds(game, won).T
        told = [str(estimate("won", row)) for row in units]
        less = [str(estimate("less", units[0] - row)) for row in units[1:]]
        latest = units[:, -1].round().tolist()
        print(
            f"{len(won)} boards: {', '.join(told)}; less than the first: {', '.join(less)}; "
            f"latest {latest}, {process_time():.0f} processor seconds",
            flush=True,
        )

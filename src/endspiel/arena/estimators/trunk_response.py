"""What an agent wins from another by its play before the flop, on all hands.

Before the flop both agents play all their hands, as in `range_response`. A flop with chips behind
is then played by both alike: each knows the range with which the other comes, and a value net ends
the flop. What is won so is the difference of two ways to play before the flop.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from endspiel.arena.estimators.all_in import is_holdem
from endspiel.arena.estimators.range_response import Line, RangeResponse, RangeWalk
from endspiel.arena.estimators.shares import Cards, Floats
from endspiel.engine.driver import Driver
from endspiel.engine.schemes import SCHEMES
from endspiel.errors import EndspielError
from endspiel.preflop.flop_lines import flop_tree
from endspiel.processors import one_blas_thread
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import State, start
from endspiel.values.many_flops import ManyFlops, flop_place
from endspiel.values.nets import shipped_net

FLOP: Final = 1
ITERATIONS: Final = 60  # on a flop


def check_trunks(game: GameDef) -> None:
    """Refuse games whose flops the net does not know."""
    if not is_holdem(game) or not game.no_limit or game.num_players != 2:
        raise EndspielError(
            "play before the flop is compared in no-limit hold'em of two players, whose flops the "
            "net knows"
        )


@dataclass(frozen=True)
class TrunkWalk(RangeWalk):
    """Play before the flop, and a flop on which every line that sees it is played by the net."""

    def value(self, state: State, own: Floats, other: Floats) -> float:
        """Chips won from a state on, given both players' reach [K] of it, over all pairs."""
        if state.round < FLOP or state.finished:
            return super().value(state, own, other)
        live = self._live(state)
        ranges = (own * live, other * live) if self.position == 0 else (other * live, own * live)
        pots = float(ranges[0] @ _beyond_half(state, self.seen(state), *ranges))
        return (1 - 2 * self.position) * pots * sum(state.spent) / self._pairs(state)

    def _go_on(self, line: Line) -> float:
        """What a line wins; the luck of the flop is taken out, and all lines of it are played."""
        if line.state.finished or line.state.round == line.before.round:
            return self.value(line.state, line.own, line.other)
        return self._checked_down(line, line.before) + self._over_checking(line)


def _beyond_half(state: State, flop: Cards, first: Floats, second: Floats) -> Floats:
    """Pots that each hand of player 0 wins beyond half, over the hands that it meets: [1326]."""
    pot, behind = sum(state.spent), min(state.game.stacks) - max(state.spent)
    flops = ManyFlops(flop_tree(pot, behind), [flop_place(flop)], shipped_net())
    flops.set_ranges([first, second])
    with one_blas_thread():
        Driver(flops, SCHEMES["dcfr"]).advance(ITERATIONS)
    won: Floats = flops.average_values(0).astype(np.float64)
    return won


def win_before_flop(response: RangeResponse, board: Cards, position: int, seed: int) -> float:
    """Chips a hand that the player in place of the response wins at a position."""
    for one in response.agents:
        one.begin(seed)
    everything = np.ones(len(response.opponent.holes))
    walk = TrunkWalk(response, board, position, np.random.default_rng(seed), FLOP)
    return walk.value(start(response.game), everything, everything)

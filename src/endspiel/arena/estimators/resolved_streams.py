"""Turns of limit hold'em solved again side by side: all lines into one turn as one batch.

Their betting has one shape, so that a machine of op streams, a GPU say, runs them together: until
the last of them is as near as was asked. What is measured is as near to the solution as what the
table plays, or nearer.
"""

from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from endspiel.arena.estimators.resolved_turns import Floats, TurnLine, TurnSolver
from endspiel.cards.deck import NUM_HANDS
from endspiel.endgame.safe.live import LOOK, SCHEME
from endspiel.engine.driver import Driver
from endspiel.engine.run import run
from endspiel.gpu.backend import Maker, StreamBatch, numpy_machine


@dataclass(frozen=True)
class BatchedTurnSolver(TurnSolver):
    """Solve turns by op streams."""

    maker: Maker = numpy_machine

    def solved(self, lines: Iterable[TurnLine]) -> list[tuple[Floats, Floats]]:
        """See `TurnSolver`."""
        lines = list(lines)
        with closing(StreamBatch([line.endgame.game for line in lines], self.maker)) as batch:

            def worst() -> float:
                return float(batch.exploitability().max())

            run(Driver(batch, SCHEME), worst, self.limits, every=LOOK)
            first, second = (weighed_values(batch, player, lines) for player in (0, 1))
        return list(zip(first, second, strict=True))


def weighed_values(batch: StreamBatch, player: int, lines: Sequence[TurnLine]) -> list[Floats]:
    """What a player's hands [1326] can get in each line: see `LiveEndgame.weighed_values`."""
    other, most = 1 - player, [float(line.reaches[1 - player].max()) for line in lines]
    firsts = [line.endgame.game.tree.streets[0][0] for line in lines]
    for g, (line, first) in enumerate(zip(lines, firsts, strict=True)):
        reach = line.reaches[other][first.hands[other]]
        batch.set_root(g, other, reach / most[g] if most[g] > 0 else reach)
    found = []
    for g, values in enumerate(batch.best_values(player)):
        endgame, by_hand = lines[g].endgame, np.zeros(NUM_HANDS)
        by_hand[firsts[g].hands[player]] = values * (most[g] * endgame.game.pairs * endgame.pot)
        found.append(by_hand)
    return found

"""How much a sampled training can be exploited, from below and, with perfect recall, from above.

A best response over all boards is out of reach, and with imperfect recall it is no matter of going
backwards. What can be had: a responder who sees the same buckets, and takes, from the last street
to the first, the action of each bucket that earns most on a sample of boards.

- On fresh boards its gain is that of one strategy among all, so in expectation **at most** what the
  averages can be exploited for by anyone who bets as the tree does: too low, never too high.
- On the boards that it was chosen by, its gain is too high for a responder who sees buckets: it
  fitted their luck. With perfect recall it is the best of all such responders on these boards, and
  in expectation **at least** what the best one gains over all boards. With imperfect recall it need
  not be the best, and bounds nothing.

With perfect recall and all boards there are, both are the exploitability inside the abstraction.
The fewer boards for each bucket, the further apart they are: a thousand buckets want thousands.
"""

from dataclasses import dataclass

import numpy as np

from endspiel.blueprint.sampled import SampledCFR, Walker, memory_needed
from endspiel.blueprint.sampled_boards import lay_out
from endspiel.errors import GameError
from endspiel.kernels.arrays import Float32s, UInt8s
from endspiel.kernels.lanes import zeros
from endspiel.kernels.sampled import SUM, choose_best
from endspiel.kernels.sampled_arrays import Lane
from endspiel.solvers.memory import check_memory


@dataclass(frozen=True)
class Gain:
    """Mean of both players' gains over the averages, in big blinds a hand."""

    fresh: float  # on boards not seen before: in expectation a lower bound
    error: float  # standard error of it, over boards
    fitted: float  # on the responders' own boards: an upper bound with perfect recall
    boards: int  # of each kind

    def __str__(self) -> str:
        return f"{self.fresh:.4f} ± {self.error:.4f} (fitted {self.fitted:.4f}) on {self.boards}"


def measure_gain(solver: SampledCFR, boards: int, seed: int = 0) -> Gain:
    """Gains of responders chosen by some boards, on them and on as many fresh ones."""
    if boards < 2:
        raise GameError(f"gains need two boards or more, not {boards}")
    deal = solver.game.dealer.deal
    fitted_on, fresh = (deal(np.random.default_rng([seed, i]), boards) for i in (0, 1))
    return gain_on(solver, fitted_on, fresh)


def gain_on(solver: SampledCFR, fitted_on: UInt8s, fresh: UInt8s) -> Gain:
    """Gains of responders chosen by some boards [B, 5], on them and on others [B', 5]."""
    _check_memory(solver)
    walker, average = solver.walker, solver.average
    fitted, found = 0.0, np.zeros(len(fresh))
    for player in (0, 1):
        rows = respond(walker, player, average, fitted_on)
        sources = (rows, average) if player == 0 else (average, rows)
        # What the averages win cancels between the players, so it need not be taken off.
        fitted += float(walker.expect(player, fitted_on, sources).mean()) / 2
        found += walker.expect(player, fresh, sources) / 2
    error = float(found.std(ddof=1) / np.sqrt(len(found))) if len(found) > 1 else float("inf")
    return Gain(float(found.mean()), error, fitted, len(fresh))


def _check_memory(solver: SampledCFR) -> None:
    """Refuse what a responder's rows and sums need beside the training, if it is too much."""
    plan, sampling = solver.walker.plan, solver.sampling
    limit = sampling.memory
    if limit is not None:
        limit -= memory_needed(plan, sampling.threads)
    check_memory(8 * plan.store_size, limit, "measuring gains", "allow more memory")


def respond(walker: Walker, player: int, average: Float32s, boards: UInt8s) -> Float32s:
    """A player's rows of the best action of each bucket, against the other's average.

    Street by street, the last first: one walk of all boards sums up what the sequences of a street
    earn, the streets after it being settled.
    """
    rows = average.copy()
    sources = (rows, average) if player == 0 else (average, rows)
    for groups in reversed(walker.plan.streets):
        sums = zeros(walker.plan.store_size)
        for board in boards:
            deal = lay_out(walker.game.buckets, board.tolist())
            walker.walk(player, SUM, deal, sources, (sums, sums))
        street = int(walker.plan.tables.meta[groups[0], player, Lane.STREET])
        size = walker.game.buckets.sizes[street]
        choose_best(walker.plan.tables, groups, player, size, sums, rows)
    return rows

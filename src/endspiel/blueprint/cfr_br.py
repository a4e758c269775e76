"""CFR-BR: an abstract player learns against a best responder in the real game.

Johanson, Bard, Burch and Bowling 2012, "Finding optimal abstract strategies in extensive-form
games". Learning against an abstract opponent ends at an equilibrium of the abstract game, which may
lose any amount on real cards; learning against a best response on real cards ends at the abstract
strategy that loses least.

An iteration draws boards of flop and turn. On each, for either player in turn:
1. the responder answers what the abstract player does now as well as possible, with every hand by
   itself, on the turn and on all rivers, or on some that stand for all;
2. before the turn, in the trunk, the responder learns by CFR from what these answers are worth;
3. the abstract player learns by CFR, by bucket, against the responder.
The two abstract players have nothing to do with one another: each has a responder of its own.

In the trunk the responder plays by buckets too, since a flop is drawn too seldom to learn anything
on it by itself: preflop and flop may be as fine as there is time to learn. With every hand a bucket
there the responder's play tends to a best response in the whole game.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache
from typing import Any, Final

import numpy as np

from endspiel.blueprint.cfr_br_boards import TURN, TurnDeal, WeightedTurn
from endspiel.blueprint.cfr_br_walk import ResponseGame, ResponseRows, ResponseWalker, WalkLayout
from endspiel.blueprint.sampled import Sampling
from endspiel.blueprint.sampled_plan import node_shares
from endspiel.engine.driver import Driver
from endspiel.engine.schemes import CURRENT, INFINITE, Scheme
from endspiel.errors import GameError
from endspiel.kernels.arrays import Discounts, Float64s
from endspiel.kernels.lanes import zeros
from endspiel.kernels.sampled import discount
from endspiel.solvers.memory import check_memory

BOARDS_KEPT: Final = 128  # turn boards that are remembered as they are laid out
SMALL_DECK: Final = 16  # cards up to which they are


def share_threads(threads: int) -> list[int]:
    """Threads of each walker: one for either player, or, of one thread, one for both in turn."""
    return [threads] if threads == 1 else [threads // 2, threads - threads // 2]


class ResponseBackend:
    """The rows of abstract players, and iterations that learn against responders.

    Averages are of strategies from an iteration on: those before it are forgotten when it begins.
    """

    longest_average = INFINITE

    def __init__(self, game: ResponseGame, sampling: Sampling, average_from: int = 1) -> None:
        self.game, self.sampling, self.average_from = game, sampling, average_from
        if average_from < 1:
            raise GameError(f"an average begins with iteration 1 or later, not {average_from}")
        layout, crews = WalkLayout(game), share_threads(sampling.threads)
        needed = layout.rows_memory + sum(layout.memory(threads) for threads in crews)
        check_memory(needed, sampling.memory, "training by CFR-BR", "use fewer buckets")
        self.plan = layout.plan
        self.walkers = [ResponseWalker(game, threads, layout) for threads in crews]
        self.rows = ResponseRows.of(layout.plan, layout.trunk_plan)
        self.weight = 1.0  # of the newest iteration in the rows
        self.won: list[float] = []  # what responders win of current strategies, by iteration
        self._iteration = 0
        self._other = ThreadPoolExecutor(1) if len(crews) == 2 else None
        self._dealers = ThreadPoolExecutor(1)
        few = 2 * sampling.boards + 1  # those of this iteration and of the next
        kept = max(few, BOARDS_KEPT) if len(game.table.deck) <= SMALL_DECK else few
        self.dealt = lru_cache(kept)(self._deal)

    def accept(self, scheme: Scheme) -> None:
        if scheme.predictive:
            raise GameError("CFR-BR knows schemes without prediction")
        if scheme.solution == CURRENT:
            raise GameError("CFR-BR has an average for its solution")

    def iterate(self, schedule: Sequence[Discounts], alternating: bool = True) -> None:
        """For each: discount, then learn from its boards, all with the same strategies."""
        for discounts in schedule:
            self._iteration += 1
            self._discount(discounts)
            if self._iteration == self.average_from:
                self.rows.average[:] = 0
            boards = self._boards(self._iteration)
            coming = [self.dealt(turn.cards, turn.rivers) for turn in boards]
            for turn in self._boards(self._iteration + 1):
                self.dealt(turn.cards, turn.rivers)
            deals = [each.result() for each in coming]
            won = sum(self._both(self._learn, deals, boards))
            weight = self.weight * sum(turn.weight for turn in boards)
            self.won.append(won / 2 / (self._pairs() * weight))

    def _discount(self, discounts: Discounts) -> None:
        """Rows are not touched where all are discounted alike: what comes later weighs more."""
        alike = discounts.positive == discounts.negative == discounts.average
        if alike and discounts.average > 0:
            self.weight /= discounts.average
            return
        rows, unused = self.rows, zeros(len(self.rows.trunk))
        discount(rows.regret, rows.average, np.array(discounts))
        discount(rows.trunk, unused, np.array(discounts))

    def _both(self, work: Callable[..., float], *args: Any) -> list[float]:
        """Something for either player, side by side where there are threads."""
        if self._other is None:
            return [work(player, *args) for player in (0, 1)]
        other = self._other.submit(work, 1, *args)
        return [work(0, *args), other.result()]

    def _learn(
        self, player: int, deals: Sequence[TurnDeal], boards: Sequence[WeightedTurn]
    ) -> float:
        """A player and its responder learn from boards; what the responder wins there."""
        walker, won = self.walkers[player % len(self.walkers)], 0.0
        for deal, turn in zip(deals, boards, strict=True):
            won += walker.walk(player, deal, self.weight * turn.weight, self.rows)
        for deal in deals:
            walker.take(player, deal, self.rows)
        return won

    def _deal(self, board: tuple[int, ...], rivers: tuple[int, ...]) -> "Future[TurnDeal]":
        """A board on its way: it is laid out while others are walked."""
        kept = self.walkers[0].kept
        return self._dealers.submit(self.game.table.deal, board, kept, rivers)

    def _boards(self, iteration: int) -> Sequence[WeightedTurn]:
        """The boards of an iteration, whenever it is asked for."""
        return self.game.dealer.deal(self.sampling.generator(iteration), self.sampling.boards)

    def _pairs(self) -> float:
        """Pairs of hands that a turn board leaves."""
        left = len(self.game.table.deck) - 6
        return self.game.table.num_hands(TURN) * left * (left - 1) / 2

    def state(self) -> dict[str, Any]:
        """Boards follow from seed and iteration."""
        return {
            "sampling": self.sampling.drawn,
            "regret": self.rows.regret,
            "average": self.rows.average,
            "trunk": self.rows.trunk,
            "weight": np.array([self.weight]),
            "won": np.array(self.won),
        }

    def restore(self, arrays: dict[str, Any]) -> None:
        self._iteration = self.sampling.check(arrays)
        self.won, self.weight = arrays["won"].tolist(), float(arrays["weight"][0])
        for name in ("regret", "average", "trunk"):
            getattr(self.rows, name)[:] = arrays[name]


class ResponseCFR(Driver[ResponseBackend]):
    """A running training by CFR-BR."""

    def __init__(
        self,
        game: ResponseGame,
        scheme: Scheme,
        sampling: Sampling | None = None,
        average_from: int = 1,
    ) -> None:
        backend = ResponseBackend(game, sampling or Sampling(boards=1), average_from)
        super().__init__(backend, scheme)
        self.game, self.sampling = game, backend.sampling

    def strategy(self, node: int) -> Float64s:
        """Average probabilities of a decision by bucket: [A, K]; uniform where never reached."""
        plan, sizes = self.backend.plan, self.game.table.buckets.sizes
        return node_shares(self.backend.rows.average, plan, node, sizes)

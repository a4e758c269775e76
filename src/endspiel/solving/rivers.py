"""A user's own river as a task of the exact methods: what is loaded where one is asked for."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from math import inf
from threading import Event
from time import perf_counter
from typing import Any

import numpy as np

from endspiel.endgame.river.buckets import ALL_HANDS, CLUSTERINGS, PAPER_ALPHA, PAPER_T
from endspiel.endgame.river.exact import (
    REFINEMENTS,
    RiverOptions,
    RiverSolution,
    build_river,
    finish_river,
    newton_needs,
)
from endspiel.endgame.river.game import RiverGame
from endspiel.endgame.river.river import River
from endspiel.engine.limits import Limits, TracePoint
from endspiel.errors import EndspielError
from endspiel.games.card_game import CardGame
from endspiel.games.spot import Spot
from endspiel.interrupts import noticed
from endspiel.kernels.arrays import Floats
from endspiel.solvers.boards.cfr import BoardCFR
from endspiel.solvers.boards.strategy import BoardStrategy
from endspiel.solvers.memory import check_memory
from endspiel.solving.solution import SpotSolution
from endspiel.solving.spots import PreparedSpot, SpotOptions, card_game

PAIR_BYTES = 150  # a pair of hands: payoffs and their copies, as measured


def prepare_river(spot: Spot, method: str, options: SpotOptions) -> "PreparedRiver":
    """Return a river ready to be solved by an exact method, unless that would take too much."""
    options = replace(options, threads=1, symmetry=False)
    game = card_game(spot, symmetry=False, tree_limit=options.tree_limit)
    game.betting.check_zero_sum(method)
    how = river_options(options, method)
    cards = River.of(spot.board, spot.pot, spot.stack, spot.weights)
    form = build_river(cards, how, game.betting)
    needed = program_bytes(form, game)
    hint = "put hands into buckets, use fewer bet sizes or narrower ranges, or allow more"
    check_memory(needed, options.memory, f"solving this river by {method}", hint)
    return PreparedRiver(spot, game, method, options, (), needed, form=form, how=how)


def river_options(options: SpotOptions, method: str) -> RiverOptions:
    """How hands are put together: by themselves, where no option asks for buckets."""
    asked = (options.buckets, options.top, options.clustering) != (None, None, None)
    kind = options.clustering or ("equal" if asked else ALL_HANDS)
    if kind not in CLUSTERINGS:
        raise EndspielError(f"no clustering {kind!r}: there are {', '.join(CLUSTERINGS)}")
    if kind == ALL_HANDS and not (options.buckets is None and options.top is None):
        raise EndspielError("hands by themselves: there are no buckets, so leave T and top out")
    budget = PAPER_T if options.buckets is None else options.buckets
    return RiverOptions(
        budget=None if kind == ALL_HANDS else budget,
        alpha=PAPER_ALPHA if options.top is None else options.top,
        clustering=kind,
        refine=method if method in REFINEMENTS else "",
    )


def program_bytes(form: RiverGame, game: CardGame) -> int:
    """About how many bytes a solve takes, known before it is begun."""
    one, two = (len(hands) for hands in game.tree.streets[0][0].hands)
    return newton_needs(form) + PAIR_BYTES * one * two + game.memory(1)


@dataclass(frozen=True, eq=False)
class PreparedRiver(PreparedSpot):
    """A river ready to be solved exactly."""

    form: RiverGame = field(kw_only=True)
    how: RiverOptions = field(kw_only=True)

    def run(
        self,
        limits: Limits | None = None,
        started: Callable[[BoardCFR], None] = lambda solver: None,
    ) -> SpotSolution:
        """Solve it. Only seconds and Ctrl-C limit an exact solve: the best so far is then told.

        A target is no reason to stop short of the exact answer; where buckets keep the answer
        above it on real cards, a warning says so. The trace is of the gap in the buckets.
        """
        limits = self.limits(limits or Limits())
        seconds = inf if limits.seconds is None else limits.seconds
        begun, trace = perf_counter(), list[TracePoint]()
        with noticed() if limits.keep_on_interrupt else nullcontext(Event()) as interrupted:

            def observe(steps: int, gap: float) -> bool:
                trace.append(TracePoint(steps, perf_counter() - begun, max(gap, 0.0)))
                limits.observe(trace[-1])
                if limits.halt is not None and limits.halt(steps, trace[-1].seconds):
                    interrupted.set()
                return interrupted.is_set()

            found = finish_river(self.form, replace(self.how, seconds=seconds, observe=observe))
        real = max(found.on_real_cards().mean, 0.0)
        stopped = "interrupted" if interrupted.is_set() else "seconds" if seconds < inf else ""
        return self.solved(
            _strategy(self.game, found),
            value=found.value,
            exploitability=real,
            iterations=found.iterations,
            seconds=found.seconds,
            trace=tuple(trace),
            parameters=self._parameters(found),
            stopped="optimal" if found.method == self.method else stopped or "rounding",
            warnings=tuple(_warnings(self.method, found, limits, real)),
        )

    def _parameters(self, found: RiverSolution) -> dict[str, Any]:
        one, two = self.form.buckets
        said: dict[str, Any] = {
            "clustering": self.how.clustering,
            "buckets": [one.count, two.count],
            "exploitability_in_buckets": found.exploitability,
            "made_by": found.method,
            "scouting_iterations": found.scouting_iterations,
        }
        if self.how.budget is not None:
            said |= {"T": self.how.budget, "alpha": self.how.alpha}
        return said


def _strategy(game: CardGame, found: RiverSolution) -> BoardStrategy:
    """The strategies of all hands, whatever buckets they were in."""

    def rows(street: int, b: int, player: int) -> Floats:
        hands = game.tree.streets[0][0].hands[player]
        return np.concatenate(
            [found.rows(own.node)[:, hands] for own in game.streets[0].own(player)]
        )

    return BoardStrategy.made(game, rows)


def _warnings(method: str, found: RiverSolution, limits: Limits, real: float) -> list[str]:
    """What the asker may have expected otherwise."""
    said = []
    if found.method != method:
        said.append(
            f"{method} was not finished: the strategy is that of {found.method}, with a gap of "
            f"{100 * found.exploitability:.3g}% of the pot in the buckets"
        )
    if limits.iterations is not None:
        said.append(f"{method} is solved in one piece: a number of iterations does not limit it")
    if limits.target_units is not None and real > limits.target_units:
        said.append(
            f"on real cards the strategy is {100 * real:.3g}% of the pot from an equilibrium, more "
            f"than the target: more buckets, or all hands apart, bring it nearer"
        )
    return said

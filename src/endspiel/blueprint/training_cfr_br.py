"""Training by CFR-BR, run like any other training.

What is measured on the way is what responders win of the current strategies on the boards that were
drawn: a running mean, from which the exploitability of the average follows by `endspiel exploit`.
"""

import time
import warnings
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from endspiel.abstraction.abstraction import Abstraction
from endspiel.betting.limit import limit_tree
from endspiel.blueprint.cfr_br import ResponseCFR
from endspiel.blueprint.cfr_br_boards import SomeTurns, TurnTable
from endspiel.blueprint.cfr_br_walk import ResponseGame
from endspiel.blueprint.joint import fingerprint
from endspiel.blueprint.sampled import Sampling
from endspiel.blueprint.sampled_boards import FlopDealer
from endspiel.blueprint.training import Strategy, checkpoint_for, hash_of
from endspiel.engine.limits import Limits, TracePoint
from endspiel.engine.run import RunTask, run
from endspiel.engine.schemes import SCHEMES
from endspiel.errors import EndspielError
from endspiel.games.product import GameSize
from endspiel.rules.game_def import GameDef, format_game

METHOD: Final = "cfr-br"
SCHEME: Final = "linear"
DRAW: Final = "systematic"  # how rivers are drawn: a checkpoint of another draw is refused
WATCHED: Final = 50  # iterations whose boards responders are watched on


@dataclass(frozen=True, eq=False)
class ResponseTraining:
    """What a training by CFR-BR gives back."""

    solver: ResponseCFR
    seconds: float
    cpu_seconds: float  # of this process, all threads together
    trace: list[TracePoint]  # what responders win, in big blinds
    stopped: str
    trunk: tuple[int, ...]  # buckets of the responders, preflop and flop
    rivers: int | None = None  # walked of each turn board; all by default

    @property
    def strategy(self) -> Strategy:
        """Betting node to average probabilities [A, K]."""
        return self.solver.strategy

    def record(self) -> dict[str, Any]:
        """All but the strategy, money in big blinds."""
        solver, table = self.solver, self.solver.game.table
        size = GameSize.of(solver.game.tree, table.buckets.sizes)
        return {
            "method": METHOD,
            "parameters": {
                "scheme": SCHEME,
                "boards": solver.sampling.boards,
                "rivers": table.num_rivers if self.rivers is None else self.rivers,
                "average_from": averaged_from(solver),
            },
            "seed": solver.sampling.seed,
            "iterations": solver.iteration,
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
            "exploitability": None,
            "responders": responders_win(solver),
            "stopped": self.stopped,
            "trace": [(p.iteration, p.seconds, p.exploitability) for p in self.trace],
            "nodes": solver.game.tree.num_nodes,
            "infosets": size.infosets,
            "sequences": size.sequences,
            "buckets": list(table.buckets.sizes),
            "responder_buckets": list(self.trunk),
        }


def responders_win(solver: ResponseCFR) -> float:
    """What responders won of the newest strategies, in big blinds a hand, the mean of both."""
    return float(np.mean(solver.backend.won[-WATCHED:])) if solver.backend.won else float("nan")


def averaged_from(solver: ResponseCFR) -> int:
    """The first iteration in the averages: all are in them before they restart."""
    begins = solver.backend.average_from
    return begins if solver.iteration >= begins else 1


def train_cfr_br(
    game: GameDef,
    cards: tuple[Abstraction, Abstraction],
    limits: Limits,
    sampling: Sampling,
    rivers: int | None = None,
    average_from: int = 1,
) -> ResponseTraining:
    """Train until a limit is reached, or Ctrl-C; what was learned is kept.

    `cards` are the buckets of the abstract players, and of the responders before the turn.
    `rivers` of each turn board are walked, all by default. Averages begin with an iteration, the
    first by default: what is stopped before it has the average of all so far.
    """
    if limits.target_units is not None:
        raise EndspielError(
            "CFR-BR watches responders on boards drawn at random and has no target to stop at: "
            "give a number of iterations or a time"
        )
    if game.no_limit:
        raise EndspielError(f"CFR-BR trains games with fixed limits; {game.name} has none")
    began = time.process_time()
    own, trunk = cards
    dealer = SomeTurns(FlopDealer.of(own.boards), rivers)
    abstract = ResponseGame(limit_tree(game), TurnTable(own, trunk), dealer, game.big_blind)
    solver = ResponseCFR(abstract, SCHEMES[SCHEME], sampling, average_from)
    digest = hash_of(fingerprint(own), fingerprint(trunk), format_game(game))
    options: dict[str, int | str] = {} if rivers is None else {"rivers": rivers, "draw": DRAW}
    options |= {} if average_from == 1 else {"average_from": average_from}
    task = RunTask(f"abstract {game.name}", digest, METHOD, {"scheme": SCHEME} | options)
    trace, stopped = run(
        solver, lambda: responders_win(solver), limits, checkpoint_for(task, limits)
    )
    if averaged_from(solver) < average_from:
        warnings.warn(
            f"the training ended after {solver.iteration} iterations, before {average_from}, with "
            "which the average was to begin: it is of all of them",
            stacklevel=2,
        )
    seconds = trace[-1].seconds if trace else 0.0
    cpu_seconds = time.process_time() - began
    sizes = trunk.sizes[:2]
    return ResponseTraining(solver, seconds, cpu_seconds, trace, stopped, sizes, rivers)

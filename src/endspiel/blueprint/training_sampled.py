"""Training by public chance sampling, run like any other training.

Exploitability over all boards is out of reach here; what is measured on the way is what responders
gain on boards of their own (see `sampled_gain`), and there is no target to stop at.
"""

import time
from dataclasses import asdict, dataclass
from typing import Any, Final

from endspiel.abstraction.abstraction import Abstraction
from endspiel.betting.model import BettingModel, format_model
from endspiel.blueprint.abstract_game import betting_tree
from endspiel.blueprint.joint import fingerprint
from endspiel.blueprint.sampled import SampledCFR, SampledGame, Sampling
from endspiel.blueprint.sampled_gain import Gain, measure_gain
from endspiel.blueprint.training import Strategy, checkpoint_for, hash_of
from endspiel.engine.limits import Limits, TracePoint
from endspiel.engine.run import RunTask, run
from endspiel.engine.schemes import SCHEMES
from endspiel.errors import EndspielError
from endspiel.games.product import GameSize
from endspiel.rules.game_def import GameDef, format_game

METHOD: Final = "pcs"
SCHEME: Final = "linear"
WATCHED: Final = 40  # boards that gains are measured on during the training
FINAL: Final = 400  # and after it


@dataclass(frozen=True, eq=False)
class SampledTraining:
    """What a training by public chance sampling gives back."""

    solver: SampledCFR
    gain: Gain
    seconds: float
    cpu_seconds: float  # of this process, all threads together
    trace: list[TracePoint]  # gains on fresh boards, in big blinds
    stopped: str

    @property
    def strategy(self) -> Strategy:
        """Betting node to average probabilities [A, K]."""
        return self.solver.strategy

    def record(self) -> dict[str, Any]:
        """All but the strategy, money in big blinds."""
        tree, buckets = self.solver.game.tree, self.solver.game.buckets.sizes
        size = GameSize.of(tree, buckets)
        return {
            "method": METHOD,
            "parameters": {"scheme": SCHEME, "boards": self.solver.sampling.boards},
            "seed": self.solver.sampling.seed,
            "iterations": self.solver.iteration,
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
            "exploitability": None,
            "gain": asdict(self.gain),
            "stopped": self.stopped,
            "trace": [(p.iteration, p.seconds, p.exploitability) for p in self.trace],
            "nodes": tree.num_nodes,
            "infosets": size.infosets,
            "sequences": size.sequences,
            "buckets": list(buckets),
        }


def train_sampled(
    game: GameDef,
    model: BettingModel | None,
    cards: Abstraction,
    limits: Limits,
    sampling: Sampling,
) -> SampledTraining:
    """Train by sampled boards until a limit is reached, or Ctrl-C; what was learned is kept."""
    if limits.target_units is not None:
        raise EndspielError(
            "public chance sampling measures gains on samples and has no target to stop at: "
            "give a number of iterations or a time"
        )
    began = time.process_time()
    sampled = SampledGame.of(betting_tree(game, model), cards, game.big_blind)
    solver = SampledCFR(sampled, SCHEMES[SCHEME], sampling)
    told = "" if model is None else format_model(model)
    digest = hash_of(fingerprint(cards), format_game(game), told)
    task = RunTask(f"abstract {game.name}", digest, METHOD, {"scheme": SCHEME})
    trace, stopped = run(
        solver,
        lambda: measure_gain(solver, WATCHED, solver.iteration).fresh,
        limits,
        checkpoint_for(task, limits),
    )
    seconds = trace[-1].seconds if trace else 0.0
    gain = measure_gain(solver, FINAL)
    return SampledTraining(solver, gain, seconds, time.process_time() - began, trace, stopped)

"""What a strategy is exploitable for inside its abstraction once it is in a file, rounded."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from endspiel.abstraction.abstraction import Abstraction
from endspiel.betting.tree import DECISION
from endspiel.blueprint.blueprint import load_blueprint, save_blueprint
from endspiel.blueprint.encode import Strategy
from endspiel.blueprint.train import Trainer
from endspiel.blueprint.training import Setting, place
from endspiel.game import Exploitability
from endspiel.solvers.cfr import SCHEMES


def measure_strategy(setting: Setting, strategy: Strategy, threads: int = 1) -> Exploitability:
    """Both best responses to a strategy, node to probabilities [A, K], in chips.

    With ``Blueprint.rows`` it is the strategy as it is stored, and as its post-processing plays it.
    """
    game, tree = setting.abstract_game(np.float32), setting.betting.whole
    trainer = Trainer(game, SCHEMES["dcfr"], threads)
    for node in np.flatnonzero(tree.kind == DECISION).tolist():
        player, first, num_actions, states = place(setting, game, node)
        # Only the shares of an infoset's actions count in an average.
        average = trainer.learners[player].average[first : first + num_actions * states]
        average[:] = strategy(node).ravel()
    return trainer.exploitability()


def save_measured(
    path: Path,
    setting: Setting,
    abstraction: Abstraction,
    strategy: Strategy,
    record: Mapping[str, Any],
    gifts: Callable[[int], NDArray[np.uint8]] | None = None,
) -> dict[str, Any]:
    """Write a strategy file that tells what it is exploitable for as it is stored; its record.

    ``exploitability`` becomes that of the rounded strategy, and that of the trained one, which the
    record came with, is kept as ``exploitability_before_rounding``.
    """

    def save(told: Mapping[str, Any]) -> None:
        save_blueprint(path, setting.game, setting.model, abstraction, strategy, told, gifts=gifts)

    save(record)
    stored = measure_strategy(setting, load_blueprint(path).rows)
    told = dict(record) | {
        "exploitability": stored.mean / setting.game.big_blind,
        "exploitability_before_rounding": record.get("exploitability"),
    }
    save(told)
    return told

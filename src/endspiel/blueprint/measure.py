"""What a strategy is exploitable for inside its abstraction once it is in a file, rounded."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from endspiel.abstraction.abstraction import Abstraction
from endspiel.blueprint.blueprint import amend_training, load_blueprint, save_blueprint
from endspiel.blueprint.encode import Strategy
from endspiel.blueprint.file_layout import DEFAULT_BITS
from endspiel.blueprint.train import measured
from endspiel.blueprint.training import Setting, trainer_of
from endspiel.game import Exploitability


def measure_strategy(setting: Setting, strategy: Strategy, threads: int = 1) -> Exploitability:
    """Both best responses to a strategy, node to probabilities [A, K], in chips.

    With ``Blueprint.rows`` it is the strategy as it is stored, and as its post-processing plays it.
    """
    trainer = trainer_of(setting, strategy, threads)
    return measured(trainer, trainer.game)


def save_measured(
    path: Path,
    setting: Setting,
    abstraction: Abstraction,
    strategy: Strategy,
    record: Mapping[str, Any],
    gifts: Callable[[int], NDArray[np.uint8]] | None = None,
    bits: float = DEFAULT_BITS,
) -> dict[str, Any]:
    """Write a strategy file with its exploitability as stored; return its record.

    ``exploitability`` becomes that of the rounded strategy, and that of the trained one, which the
    record came with, is kept as ``exploitability_before_rounding``. The strategy is written once:
    what is measured is what stays in the file.
    """
    save_blueprint(
        path, setting.game, setting.model, abstraction, strategy, record, bits=bits, gifts=gifts
    )
    stored = measure_strategy(setting, load_blueprint(path).rows)
    measured = {
        "exploitability": stored.mean / setting.game.big_blind,
        "exploitability_before_rounding": record.get("exploitability"),
    }
    return amend_training(path, measured)

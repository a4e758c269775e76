"""What `versions.py` runs in the environment of each version: solves, one step at a time.

Reads lines "NAME STEPS" and answers each with the processor seconds of so many iterations. Only
names that every version since the first compared one has are imported.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from endspiel.betting.model import parse_model
from endspiel.blueprint.joint import Joint
from endspiel.blueprint.train import Trainer
from endspiel.blueprint.training import Setting
from endspiel.engine.schemes import SCHEMES, Scheme
from endspiel.games.card_game import CardGame
from endspiel.games.card_tree import card_tree
from endspiel.games.openspiel import from_openspiel
from endspiel.games.spot import load_spot
from endspiel.rules.builtin import load_rules
from endspiel.solvers.boards.cfr import BoardCFR
from endspiel.solvers.firstorder.cfr import CFR

DISCOUNTED = Scheme(1.25, 0.375, 4)  # of spots, in both versions
SPOTS = Path(__file__).parents[1] / "tests" / "data" / "spots"
BRANCHING = 6, 4, 4, 4
MODEL = 'name = "small"\n[[rule]]\nraises = 0\nsizes = "50%, 100%"\n[[rule]]\nsizes = "100%"\n'


def spot(name: str) -> Any:
    """A spot on the board kernels, one thread."""
    found = load_spot(SPOTS / f"{name}.toml")
    one, two = found.weights
    game = CardGame(found.tree(), card_tree(found.board, (one, two)))
    return BoardCFR(game, DISCOUNTED, 1)


def made_up_joint(branching: tuple[int, ...]) -> Joint:
    """Pairs of buckets that no cards have: stronger buckets win more often."""
    rng = np.random.default_rng(3)
    parents, count = [], branching[0]
    for children in branching[1:]:
        parents.append(np.repeat(np.arange(count), children))
        count *= children
    strength = rng.permutation(count)
    pairs = rng.integers(1, 60, (count, count))
    pairs = pairs + pairs.T
    won = (pairs * (0.5 + 0.45 * np.sign(strength[:, None] - strength))).astype(np.int64)
    won = np.triu(won, 1) + np.tril((pairs - won.T), -1)
    return Joint(won + np.diag(np.diag(pairs) // 2), tuple(parents))


def training() -> Any:
    """A blueprint of made-up buckets, one thread."""
    joint = made_up_joint(BRANCHING)
    setting = Setting(load_rules("nolimit-holdem"), parse_model(MODEL), joint, "made up buckets")
    return Trainer(setting.abstract_game(np.float32), SCHEMES["dcfr"])


MAKERS: dict[str, Callable[[], Any]] = {
    "river_a": lambda: spot("river_a"),
    "river_b": lambda: spot("river_b"),
    "turn": lambda: spot("turn"),
    "flop": lambda: spot("flop"),
    "Leduc": lambda: CFR(from_openspiel("leduc_poker"), SCHEMES["cfr+"]),
    "Liar's Dice": lambda: CFR(from_openspiel("liars_dice"), SCHEMES["cfr+"]),
    "training": training,
}


def main() -> None:
    """Answer until the input ends."""
    name, solver = "", None
    for line in sys.stdin:
        wanted, steps = line.strip().rsplit(" ", 1)
        if wanted != name:
            name, solver = wanted, None  # one solver's memory at a time
            solver = MAKERS[name]()
            solver.advance(1)  # touch the memory; older versions compile
        assert solver is not None
        start = time.process_time()
        solver.advance(int(steps))
        print(time.process_time() - start, flush=True)


if __name__ == "__main__":
    main()

"""From an abstraction and a betting model to a trained strategy: one call for every method."""

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np

from endspiel import files
from endspiel.betting.model import BettingModel, format_model
from endspiel.betting.tree import DECISION
from endspiel.blueprint.abstract_game import Betting, abstract_game, betting_tree, num_streets
from endspiel.blueprint.joint import Joint
from endspiel.blueprint.train import Trainer, measured
from endspiel.blueprint.train_gpu import GpuEGT, GpuTrainer
from endspiel.blueprint.train_products import CHUNK
from endspiel.engine.limits import Limits, TracePoint
from endspiel.engine.run import Checkpoint, RunTask, best, run
from endspiel.engine.schemes import CURRENT, SCHEMES, USUAL, Answer, Scheme
from endspiel.errors import EndspielError
from endspiel.game import Exploitability, Game, Profile, exploitability
from endspiel.games.product import BettingLines, GameSize, Product
from endspiel.gpu.cuda.device import cuda_device
from endspiel.kernels.arrays import Floats
from endspiel.rules.game_def import GameDef, format_game
from endspiel.solvers.firstorder import egt
from endspiel.solvers.firstorder.egt import EGT
from endspiel.solvers.memory import check_memory

TRAINING_SCHEMES: Final = {
    **SCHEMES,
    "dcfr4": Scheme(1.5, 0, 4),  # forgets its beginnings sooner: large games get few iterations
}
METHODS: Final = (*TRAINING_SCHEMES, "egt")
DEVICES: Final = ("cpu", "cuda")
CHECKPOINT_NAME: Final = "training.es"
Strategy = Callable[[int], Floats]  # betting node to probabilities [A, K]


def hash_of(*parts: str) -> str:
    """A short hash of texts that decide what is trained."""
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=12).hexdigest()


@dataclass(frozen=True, eq=False)
class Setting:
    """What is trained: the betting of a game over the buckets of an abstraction."""

    game: GameDef
    model: BettingModel | None  # None for a limit game
    joint: Joint
    cards: str  # the abstraction's fingerprint

    @cached_property
    def betting(self) -> Betting:
        """The betting tree, whole and without what follows an all-in."""
        return Betting.of(betting_tree(self.game, self.model))

    @cached_property
    def lines(self) -> BettingLines:
        """Both players' sequences."""
        lines = BettingLines(self.betting.tree)
        num_streets(lines, self.joint)
        return lines

    @cached_property
    def size(self) -> GameSize:
        """Infosets and sequences of both players."""
        return self.lines.size(self.joint.sizes)

    @property
    def fingerprint(self) -> str:
        """A short hash of everything that decides the abstract game."""
        model = "" if self.model is None else format_model(self.model)
        return hash_of(self.cards, format_game(self.game), model)

    def bytes(self, method: str, device: str = "cpu") -> int:
        """Memory of the machine, a GPU's not counted, that a training takes at its peak."""
        entries = sum(size * size for size in self.joint.sizes)
        counting = 8 * self.joint.sizes[-1] ** 2
        terminals = max(len(ends.stakes) for ends in (*self.lines.shows, *self.lines.folds))
        size, saved, working = (8, 5, egt.VECTORS - 5) if method == "egt" else (4, 4, 6)
        vectors = saved + working  # a checkpoint on its way to the file, and learning
        reaches = 2 * terminals * self.joint.sizes[-1]
        if device != "cpu":
            vectors, reaches = saved, 0
        elif method != "egt":
            reaches = min(reaches, 2 * CHUNK)
        return size * (2 * entries + vectors * self.size.sequences + reaches) + counting

    def abstract_game(self, dtype: type[np.floating] = np.float64) -> Game:
        """The abstract game, with payoffs of the given precision."""
        return abstract_game(self.game, self.lines, self.joint, dtype)


@dataclass(frozen=True)
class Hardware:
    """What a training runs on."""

    threads: int = 1
    device: str = "cpu"


@dataclass(frozen=True, eq=False)
class Training:
    """What a training gives back."""

    strategy: Strategy
    measured: Exploitability  # in chips
    method: str
    parameters: dict[str, Any]
    iterations: int
    best_iteration: int  # whose strategy it is
    seconds: float
    cpu_seconds: float  # of this process, all threads together
    trace: list[TracePoint]  # in chips
    stopped: str
    setting: Setting = field(repr=False)

    @property
    def exploitability(self) -> float:
        """Mean of both players' gains inside the abstraction, in big blinds a hand."""
        return self.measured.mean / self.setting.game.big_blind

    def record(self) -> dict[str, Any]:
        """All but the strategy, money in big blinds."""
        setting, unit = self.setting, self.setting.game.big_blind
        return {
            "method": self.method,
            "parameters": self.parameters,
            "iterations": self.iterations,
            "best_iteration": self.best_iteration,
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
            "exploitability": self.exploitability,
            "value": self.measured.value / unit,
            "stopped": self.stopped,
            "trace": [(p.iteration, p.seconds, p.exploitability / unit) for p in self.trace],
            "nodes": setting.betting.whole.num_nodes,
            "infosets": setting.size.infosets,
            "sequences": setting.size.sequences,
            "buckets": list(setting.joint.sizes),
            "model": None if setting.model is None else setting.model.name,
        }


def check_method(method: str, device: str = "cpu", answer: Answer = USUAL) -> None:
    """Refuse a method, a device or a kind of solution that there is not."""
    if method not in METHODS:
        raise EndspielError(
            f"there is no method {method!r} to train by: methods are {', '.join(METHODS)}"
        )
    if device not in DEVICES:
        raise EndspielError(f"there is no device {device!r}: devices are {', '.join(DEVICES)}")
    if method in TRAINING_SCHEMES:
        TRAINING_SCHEMES[method].answering(answer)
    elif answer != USUAL:
        raise EndspielError(f"{method} has one solution: current or delayed ones are of CFR's kin")
    if answer.solution == CURRENT and device != "cpu":
        raise EndspielError(f"current strategies are trained on the cpu, not on {device}")
    if device == "cuda":
        cuda_device()  # says what is missing


def train(
    setting: Setting,
    method: str,
    limits: Limits,
    hardware: Hardware | None = None,
    answer: Answer = USUAL,
) -> Training:
    """Train by any of `METHODS` until a limit is reached; the best so far is kept.

    Limits are in chips; their checkpoint is a folder.
    """
    hardware = hardware or Hardware()
    check_method(method, hardware.device, answer)
    needed = setting.bytes(method, hardware.device)
    check_memory(needed, None, f"training by {method}", "take fewer buckets or fewer bets")
    if method == "egt":
        return _train_egt(setting, limits, hardware.device)
    began, scheme = time.process_time(), TRAINING_SCHEMES[method].answering(answer)
    trainer = _trainer(setting, scheme, hardware)
    parameters = scheme.parameters()
    checkpoint = checkpoint_for(_task(setting, method, parameters), limits)
    trace, stopped = run(trainer, trainer.exploitability, limits, checkpoint)

    def strategy(node: int) -> Floats:
        player, first, num_actions, states = place(setting, trainer.game, node)
        return trainer.learners[player].probabilities(first, num_actions, states)

    return Training(
        strategy,
        measured(trainer, trainer.game),
        method,
        parameters,
        trainer.iteration,
        best(trace).iteration,
        trace[-1].seconds if trace else 0.0,
        time.process_time() - began,
        trace,
        stopped,
        setting,
    )


def _trainer(setting: Setting, scheme: Scheme, on: Hardware) -> Trainer | GpuTrainer:
    """A trainer on the device that is asked for."""
    game = setting.abstract_game(np.float32)
    if on.device == "cpu":
        return Trainer(game, scheme, on.threads)
    return GpuTrainer(game, scheme)


def _train_egt(setting: Setting, limits: Limits, device: str) -> Training:
    began, game = time.process_time(), setting.abstract_game()
    solver = EGT(game) if device == "cpu" else GpuEGT(game)
    parameters = dict(vars(solver.options))
    checkpoint = checkpoint_for(_task(setting, "egt", parameters), limits)
    trace, stopped = run(solver, lambda: solver.gap / 2, limits, checkpoint)
    profile = solver.average()
    return Training(
        lambda node: _of_profile(setting, game, profile, node),
        exploitability(game, profile),
        "egt",
        parameters | {"gradients": solver.gradients},
        solver.iteration,
        solver.iteration,  # its average is the best pair
        trace[-1].seconds if trace else 0.0,
        time.process_time() - began,
        trace,
        stopped,
        setting,
    )


def _of_profile(setting: Setting, game: Game, profile: Profile, node: int) -> Floats:
    player, first, num_actions, states = place(setting, game, node)
    return profile.behavior[player][first : first + num_actions * states].reshape(-1, states)


def trainer_of(setting: Setting, strategy: Strategy, threads: int = 1) -> Trainer:
    """A trainer whose averages are a strategy, node to probabilities [A, K]."""
    game = setting.abstract_game(np.float32)
    trainer = Trainer(game, SCHEMES["dcfr"], threads)
    for node in np.flatnonzero(setting.betting.whole.kind == DECISION).tolist():
        player, first, num_actions, states = place(setting, game, node)
        # Only the shares of an infoset's actions count in an average.
        average = trainer.learners[player].average[first : first + num_actions * states]
        average[:] = np.ravel(strategy(node))
    return trainer


def place(setting: Setting, game: Game, node: int) -> tuple[int, int, int, int]:
    """A node of the whole betting tree: its player, first sequence, actions, and states."""
    tree, where = setting.betting.whole, game.nodes
    if not 0 <= node < tree.num_nodes or tree.kind[node] != DECISION:
        raise EndspielError(f"betting node {node} is no decision")
    player, street = int(tree.player[node]), int(tree.street[node])
    assert isinstance(where, Product)
    sequences = where.sequences(player, street, 0, int(setting.betting.node[node]))
    return player, int(sequences[0, 0]), len(sequences), sequences.shape[1]


def _task(setting: Setting, method: str, parameters: dict[str, Any]) -> RunTask:
    return RunTask(f"abstract {setting.game.name}", setting.fingerprint, method, parameters)


def checkpoint_for(task: RunTask, limits: Limits) -> Checkpoint | None:
    """Where in its folder a training is written down."""
    if limits.checkpoint is None:
        return None
    folder = Path(limits.checkpoint)
    files.make_folder(folder)
    return Checkpoint(folder / CHECKPOINT_NAME, task, limits.checkpoint_seconds)

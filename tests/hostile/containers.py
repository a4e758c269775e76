"""Every file of our own, with hostile versions: damaged ones, and ones that lie.

A damaged file has bytes changed. A lying one is whole, its checksum right, and one of its arrays or
an entry of its record is not what it should be.
"""

import os
import random
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from endspiel import files
from endspiel.abstraction.abstraction import Abstraction, load_abstraction
from endspiel.abstraction.report import format_report
from endspiel.betting.tree import DECISION
from endspiel.blueprint import blueprint as strategy_file
from endspiel.blueprint.blueprint import Blueprint, load_blueprint, save_blueprint
from endspiel.blueprint.joint import count_joint
from endspiel.blueprint.sampled_boards import lay_out
from endspiel.blueprint.train import Trainer
from endspiel.blueprint.training import TRAINING_SCHEMES
from endspiel.engine.limits import Limits
from endspiel.engine.run import Checkpoint, Iterative, RunTask, run
from endspiel.engine.schemes import SCHEMES, SPOT_SCHEMES
from endspiel.game import exploitability
from endspiel.games.spot import parse_spot
from endspiel.games.toy import kuhn
from endspiel.rules.builtin import load_rules
from endspiel.solvers.boards.cfr import BoardCFR
from endspiel.solvers.firstorder.cfr import CFR
from endspiel.solvers.firstorder.egt import EGT
from endspiel.solvers.solution import Solution
from endspiel.solving.door import solve
from endspiel.solving.solution_files import load_solution, save_solution
from endspiel.solving.spots import card_game
from tests.blueprint import small
from tests.hostile.mutate import hostile_array, hostile_bytes, hostile_value
from tests.hostile.search import Target
from tests.solving.spots import RIVER, TURN

Make = Callable[[Path], object]  # writes a sound file
Use = Callable[[Path], object]
TASK = RunTask("hostile", "none", "none")


class Sound(NamedTuple):
    """A whole file: as bytes, and by its parts."""

    data: bytes
    content: files.Content


class Spoiled(NamedTuple):
    """A file to be: bytes, or parts that a right checksum is made for."""

    data: bytes | None
    kind: str = ""
    record: Mapping[str, Any] = {}
    arrays: Mapping[str, Any] = {}


def spoil(sound: Sound, rng: random.Random) -> Spoiled:
    """Damage a file, or let it lie."""
    if rng.random() < 0.3:
        return Spoiled(hostile_bytes(sound.data, rng))
    _, _, record, arrays = sound.content
    record, arrays = dict(record), dict(arrays)
    for _ in range(rng.choice((1, 1, 2))):
        name = rng.choice(sorted(arrays))
        match rng.randrange(8):
            case 0 | 1 | 2:
                record = hostile_value(record, rng)
            case 3:
                arrays.pop(name)
            case 4:
                arrays[name] = arrays[rng.choice(sorted(arrays))]
            case _:
                arrays[name] = hostile_array(arrays[name], rng)
        if not isinstance(record, dict) or not arrays:
            return Spoiled(sound.data[:-1])
    return Spoiled(None, sound.content.kind, record, arrays)


def write(path: Path, spoiled: Spoiled) -> Path:
    """Put it where it can be read."""
    if spoiled.data is not None:
        path.write_bytes(spoiled.data)
    else:
        files.save(path, spoiled.kind, spoiled.record, spoiled.arrays)
    return path


def save_tiny(path: Path) -> None:
    """A strategy file over the boards of two flops."""
    game, model, cards = load_rules("nolimit-holdem"), small.model(), small.cards()
    tree, rng = model.tree(game), np.random.default_rng(1)
    strategy, gifts = {}, {}
    for node in np.flatnonzero(tree.kind == DECISION).tolist():
        shape = int(tree.num_children[node]), cards.sizes[tree.street[node]]
        rows = rng.random(shape) + 1e-3
        strategy[node] = rows / rows.sum(axis=0)
        gifts[node] = rng.integers(0, 255, shape).astype(np.uint8)
    record = {
        "exploitability": 1.25,
        "method": "random",
        "iterations": 2,
        "seconds": 0.5,
        "seed": 1,
        "trace": [(1, 0.25, 2.5), (2, 0.5, 1.25)],
    }
    save_blueprint(path, game, model, cards, strategy.__getitem__, record, gifts=gifts.__getitem__)


def use_blueprint(path: Path) -> None:
    """Open a strategy file and look at all of it, as playing and inspecting do."""
    strategy_file._open.cache_clear()
    blueprint = load_blueprint(path)
    tree = blueprint.tree
    for node in np.flatnonzero(tree.kind == DECISION).tolist():
        rows = blueprint.rows(node)
        assert np.allclose(rows.sum(axis=0), 1)
        bucket = node % rows.shape[1]
        assert np.allclose(blueprint.row(node, bucket), rows[:, bucket])
        if blueprint.gifts is not None and tree.street[node] < tree.street.max():
            blueprint.gifts.of(node)
    assert tree.find(tree.line(tree.num_nodes - 1)) == tree.num_nodes - 1
    _use_cards(blueprint.abstraction)
    _inspect(blueprint)


def _inspect(blueprint: Blueprint) -> None:
    from endspiel.blueprint.file_figures import blueprint_figures
    from endspiel.cli.inspect import _blueprint_facts

    figures = blueprint_figures(blueprint, blueprint.training)
    _blueprint_facts(blueprint, figures | {"file": "", "kind": "", "file_bytes": 0, "checksum": ""})


def _use_cards(cards: Abstraction) -> None:
    """Buckets on all streets of one board, and the compiled lookup of a training."""
    flop = cards.boards.flops[0].tolist()
    board = [*flop, *[card for card in range(52) if card not in flop][:2]]
    for count in (0, 3, 4, 5):
        buckets = cards.board_buckets(board[:count])
        live = buckets[buckets != 0xFFFF]
        assert live.max() < cards.sizes[(0, 3, 4, 5).index(count)]
    hole = [card for card in range(51, 0, -1) if card not in board][:2]
    for street in range(4):
        assert 0 <= cards.bucket(street, hole, board) < cards.sizes[street]
    lay_out(cards, board)


def use_abstraction(path: Path) -> None:
    """Open an abstraction, look hands up, and report on it."""
    cards = load_abstraction(path)
    _use_cards(cards)
    format_report(cards)


def use_joint(path: Path) -> None:
    """Read counts of pairs; those that are not believed are counted again, which is told."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("endspiel.blueprint.joint._Rows", _Counted)
        with suppress(UserWarning):
            count_joint(small.cards(), path)


class _Counted:
    """Stands in for the counting, which takes seconds."""

    def __init__(self, abstraction: Abstraction, threads: int, halves: Any) -> None:
        self.boards, self.halves = len(abstraction.boards.turns), halves

    def count(self, start: int) -> int:
        return self.boards

    def total(self) -> Any:
        return self.halves


def use_solution(path: Path) -> None:
    """Read a solution with its game and without."""
    game = kuhn()
    Solution.load(path)
    solution = Solution.load(path, game)
    solution.record()
    assert np.isfinite(exploitability(game, solution.profile).mean)


def use_spot_solution(path: Path) -> None:
    """Read a solved spot and look at its first node."""
    solution = load_solution(path)
    view = solution.view()
    view.record()
    assert np.isfinite(solution.boards.value())


def _checkpoint(make: Callable[[], Iterative], path: Path) -> None:
    """Go on for a few iterations from a checkpoint, if there is one."""
    solver = make()
    trace, _ = run(
        solver,
        lambda: 1.0 / (1 + solver.iteration),
        Limits(iterations=solver.iteration + 20),
        checkpoint=Checkpoint(path, TASK, every_seconds=1e9),
    )
    state = {name: array for name, array in solver.state().items() if array.dtype.kind == "f"}
    assert all(np.isfinite(array).all() for array in state.values())
    assert trace


def _trainer() -> Iterative:
    return Trainer(small.setting().abstract_game(np.float32), TRAINING_SCHEMES["dcfr"])


def _makers() -> dict[str, tuple[Make, Use]]:
    """What writes a sound file of each kind, and what reads it."""
    solvers: dict[str, Callable[[], Iterative]] = {
        "cfr": lambda: CFR(kuhn(), SCHEMES["cfr+"]),
        "pcfr": lambda: CFR(kuhn(), SCHEMES["pcfr+"]),
        "egt": lambda: EGT(kuhn()),
        "boards": lambda: BoardCFR(card_game(parse_spot(RIVER)), SPOT_SCHEMES["dcfr"]),
        "trainer": _trainer,
    }
    made: dict[str, tuple[Make, Use]] = {
        "blueprint": (save_tiny, use_blueprint),
        "abstraction": (small.cards().save, use_abstraction),
        "compact abstraction": (small.cards().compact().save, use_abstraction),
        "joint": (partial(count_joint, small.cards()), use_joint),
        "solution": (solve(kuhn(), "cfr+", iterations=30).save, use_solution),
    }
    for name, spot in (("river solution", RIVER), ("turn solution", TURN)):
        solved = solve(parse_spot(spot), iterations=20)
        made[name] = partial(save_solution, solution=solved), use_spot_solution
    for name, solver in solvers.items():
        step = partial(_checkpoint, solver)
        made[f"{name} checkpoint"] = step, step
    return made


def container_targets(scratch: Path) -> list[Target]:
    """All of them, each with a sound file."""
    targets = []
    for name, (make, use) in _makers().items():
        path = scratch / name.replace(" ", "-")
        make(path)
        sound = Sound(path.read_bytes(), files.verify(path))
        path.unlink()

        def read(given: Sound | Spoiled, path: Path = path, use: Use = use) -> None:
            write(path, Spoiled(given.data) if isinstance(given, Sound) else given)
            use(path)

        targets.append(Target(name, (sound,), spoil, read))
    return targets


def no_waiting_for_disks(patch: pytest.MonkeyPatch) -> None:
    """Files of a test need not survive the machine."""
    patch.setattr(os, "fsync", lambda number: None)

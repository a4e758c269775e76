"""Solved turns in files: seeded shards, each made once, in any order and on any machine."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.blueprint.blueprint import Blueprint
from endspiel.errors import FileError
from endspiel.files import load, remove_leftovers, save
from endspiel.gpu.backend import Maker
from endspiel.values.nets import NetRows, make_rows
from endspiel.values.situations import KINDS, Situation, draw_situation
from endspiel.values.solves import solve_turns

KIND: Final = "solved turns"
Float32s = NDArray[np.float32]


class ShardPlan(NamedTuple):
    """What the shards of a folder hold."""

    seed: int
    size: int  # turns a shard
    iterations: int

    def record(self, number: int) -> dict[str, object]:
        """What a shard says of itself."""
        return {**self._asdict(), "number": number}


class SolvedTurns(NamedTuple):
    """Solved turns: N of them."""

    boards: NDArray[np.uint8]  # [N, 4]
    depths: Float32s  # [N]
    kinds: NDArray[np.uint8]  # [N] places in KINDS
    ranges: Float32s  # [N, 2, 1326]
    values: Float32s  # [N, 2, 1326] in pots, by unblocked weight
    exploitability: Float32s  # [N] in pots

    def rows(self) -> tuple[NetRows, Float32s]:
        """What a net reads, and what it should say [N, OUTPUTS]."""
        rows, places = make_rows(self.boards, self.depths, self.ranges)
        targets = np.take_along_axis(self.values, places[:, None], axis=2)
        return rows, targets.reshape(len(targets), -1) * rows.live


def draw_shard(blueprint: Blueprint, plan: ShardPlan, number: int) -> list[Situation]:
    """The situations of a shard, those of one depth side by side."""
    rng = np.random.default_rng([plan.seed, number])
    drawn = [draw_situation(blueprint, rng) for _ in range(plan.size)]
    return sorted(drawn, key=lambda one: one.depth)


def solve_shard(
    situations: list[Situation], plan: ShardPlan, maker: Maker | None = None
) -> SolvedTurns:
    """The same with what hands are worth."""
    found = solve_turns(situations, plan.iterations, maker)
    return SolvedTurns(
        np.array([one.board for one in situations], dtype=np.uint8),
        np.array([one.depth for one in situations], dtype=np.float32),
        np.array([KINDS.index(one.kind) for one in situations], dtype=np.uint8),
        np.stack([one.ranges for one in situations]).astype(np.float32),
        found.values,
        found.exploitability.astype(np.float32),
    )


def shard_path(folder: Path, number: int) -> Path:
    """Where a shard is kept."""
    return folder / f"turns-{number:05d}.es"


def make_shards(
    folder: Path,
    plan: ShardPlan,
    count: int,
    make: Callable[[int], SolvedTurns],
    done: Callable[[int], None] = lambda number: None,
) -> None:
    """Make the shards that are not there yet; those that are must be of the same plan."""
    for number in range(count):
        path = shard_path(folder, number)
        remove_leftovers(path)
        if path.exists():
            check_shard(path, plan, number)
        else:
            save(path, KIND, plan.record(number), make(number)._asdict())
        done(number)


def check_shard(path: Path, plan: ShardPlan, number: int) -> None:
    """Refuse a shard of another plan."""
    record, _ = load(path, KIND)
    wanted = plan.record(number)
    for name, value in wanted.items():
        if record.get(name) != value:
            raise FileError(
                f"{path} was made with {name} {record.get(name)}, not {value}: "
                "use the same options, or another folder"
            )


def read_shards(folder: Path, numbers: range) -> Iterator[SolvedTurns]:
    """Shards of a folder, one after the other."""
    for number in numbers:
        _, arrays = load(shard_path(folder, number), KIND)
        yield SolvedTurns(**{name: arrays[name] for name in SolvedTurns._fields})

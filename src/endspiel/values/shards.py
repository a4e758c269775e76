"""Solved turns in files: seeded shards, each made once, in any order and on any machine."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from endspiel.arrays import Float32s
from endspiel.blueprint.blueprint import Blueprint
from endspiel.gpu.backend import Maker
from endspiel.ledger import LedgerFolder
from endspiel.values.nets import NetRows, by_bucket, make_rows
from endspiel.values.situations import KINDS, Situation, draw_situation
from endspiel.values.solves import solve_turns

Shard = TypeVar("Shard")


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
        rows = make_rows(self.boards, self.depths, self.ranges)
        return rows, by_bucket(self.boards, self.values)


def draw_shard(blueprint: Blueprint, plan: ShardPlan, number: int) -> list[Situation]:
    """The situations of a shard, those of one depth side by side."""
    rng = np.random.default_rng([plan.seed, number])
    drawn = [draw_situation(blueprint, rng) for _ in range(plan.size)]
    return sorted(drawn, key=lambda one: one.depth)


def solve_shard(
    situations: list[Situation], plan: ShardPlan, maker: Maker | None = None
) -> SolvedTurns:
    """Add the values of hands."""
    found = solve_turns(situations, plan.iterations, maker)
    return SolvedTurns(
        np.array([one.board for one in situations], dtype=np.uint8),
        np.array([one.depth for one in situations], dtype=np.float32),
        np.array([KINDS.index(one.kind) for one in situations], dtype=np.uint8),
        np.stack([one.ranges for one in situations]).astype(np.float32),
        found.values,
        found.exploitability.astype(np.float32),
    )


@dataclass(frozen=True)
class ShardFiles(Generic[Shard]):
    """The shards of one kind in a folder."""

    folder: Path
    name: str  # what they hold
    shard: Callable[..., Shard]  # a named tuple of arrays
    record: Callable[[int], dict[str, object]]  # what a shard says of itself, by number

    @property
    def ledger(self) -> LedgerFolder:
        """The files."""
        return LedgerFolder(self.folder, self.name)

    def missing(self, count: int) -> list[int]:
        """The shards that are missing; those that exist must be of the same plan."""
        return [number for number in range(count) if not self._has(number)]

    def _has(self, number: int) -> bool:
        there = self.ledger.has(self._file(number))
        if there:
            next(self.read([number]))
        return there

    def put(self, number: int, shard: Any) -> None:
        """Write a shard."""
        self.ledger.put(self._file(number), self.record(number), shard._asdict())

    def read(self, numbers: Iterable[int]) -> Iterator[Shard]:
        """Some shards, one after the other."""
        for number in numbers:
            yield self.shard(**self.ledger.get(self._file(number), self.record(number)))

    def _file(self, number: int) -> str:
        return f"{self.name}-{number:05d}.es"


def turn_files(folder: Path, plan: ShardPlan) -> ShardFiles[SolvedTurns]:
    """The solved turns of a folder."""
    return ShardFiles(folder, "turns", SolvedTurns, plan.record)

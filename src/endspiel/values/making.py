"""All of `endspiel train-values`: turns solved, a net taught on them, one of flops' ends from it.

Everything is in one folder, and what is there is not done again: shards of solved turns, the two
nets while they are taught, and both when they are done.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from endspiel.blueprint.blueprint import Blueprint, load_blueprint
from endspiel.errors import EndspielError, FileError
from endspiel.executor import Executor, GivenWorkers, WorkerJob
from endspiel.files import load, make_folder, save
from endspiel.gpu.backend import Maker
from endspiel.values.distill import flop_rows
from endspiel.values.errors import NetError, net_errors
from endspiel.values.nets import NetRows, ValueNet, load_net, new_net, save_net
from endspiel.values.shards import (
    ShardPlan,
    SolvedTurns,
    draw_shard,
    make_shards,
    read_shards,
    shard_path,
    solve_shard,
)
from endspiel.values.situations import TURN_CARDS, draw_situation
from endspiel.values.training import Float32s, Lesson, Pupil, teach

TURN_NET: Final = "turn.net"
FLOP_NET: Final = "flop.net"
_TEACHING: Final = "net being taught"
_SAVE_EVERY: Final = 200  # steps
_HELD_OUT: Final = 10  # one shard of so many is for the report alone
Told = Callable[[str, int, int, float], None]  # what is done, how far, of how much, newest loss


@dataclass(frozen=True)
class ValuesPlan:
    """What is to be made."""

    folder: Path
    shards: ShardPlan
    count: int  # shards
    steps: int  # of teaching, for each net
    batch: int = 512  # rows a step
    width: int = 512
    depth: int = 5  # hidden layers
    blueprint: str | None = None

    def __post_init__(self) -> None:
        small = {"shards": self.count, "turns": self.shards.size, "steps": self.steps}
        for name, number in {**small, "rows": self.batch, "width": self.width}.items():
            if number < 1:
                raise EndspielError(f"{number} {name}: it takes 1 or more")
        if self.count < 2:
            raise EndspielError("one shard is kept out for the report: make 2 or more")

    @property
    def held_out(self) -> range:
        """The shards that no net sees before its report."""
        return range(self.count - max(self.count // _HELD_OUT, 1), self.count)


class _ShardWorker:
    """A process that draws shards, or draws and solves them."""

    def __init__(self, start: tuple[str | None, ShardPlan, bool]) -> None:
        path, self.plan, self.solves = start
        self.blueprint = load_blueprint(path)

    def work(self, number: int) -> Any:
        drawn = draw_shard(self.blueprint, self.plan, number)
        return solve_shard(drawn, self.plan) if self.solves else drawn

    def close(self) -> None:
        """Nothing is held."""


def make_turns(plan: ValuesPlan, workers: GivenWorkers, maker: Maker | None, told: Told) -> None:
    """The shards that are missing: by processes, or drawn by processes and solved on a GPU."""
    make_folder(plan.folder)
    missing = [n for n in range(plan.count) if not shard_path(plan.folder, n).exists()]
    job = WorkerJob(_ShardWorker, (plan.blueprint, plan.shards, maker is None))
    with Executor(workers) as executor:
        found = executor.results(job, missing)

        def make(number: int) -> SolvedTurns:
            one = next(found)
            return one if maker is None else solve_shard(one, plan.shards, maker)

        make_shards(
            plan.folder,
            plan.shards,
            plan.count,
            make,
            lambda number: told("shards of turns", number + 1, plan.count, float("nan")),
        )


def teach_turns(plan: ValuesPlan, told: Told) -> ValueNet:
    """The net of turns' beginnings."""
    numbers = range(plan.held_out.start)
    parts = [one.rows() for one in read_shards(plan.folder, numbers)]
    rows = NetRows(*(np.concatenate(part) for part in zip(*(r for r, _ in parts), strict=True)))
    targets = np.concatenate([values for _, values in parts])

    def batch(rng: np.random.Generator) -> tuple[NetRows, Float32s]:
        chosen = rng.integers(0, len(targets), plan.batch)
        return rows.take(chosen), targets[chosen]

    return _taught(plan, TURN_NET, TURN_CARDS, batch, told)


def teach_flops(plan: ValuesPlan, turns: ValueNet, told: Told) -> ValueNet:
    """The net of flops' ends, from the turn's over all turn cards; situations are fresh ones."""
    blueprint = load_blueprint(plan.blueprint)

    def batch(rng: np.random.Generator) -> tuple[NetRows, Float32s]:
        return flop_batch(turns, blueprint, max(plan.batch // 8, 1), rng)

    return _taught(plan, FLOP_NET, TURN_CARDS - 1, batch, told)


def flop_batch(
    turns: ValueNet, blueprint: Blueprint, count: int, rng: np.random.Generator
) -> tuple[NetRows, Float32s]:
    """Rows of flops' ends and what the turn's net says of them."""
    return flop_rows(turns, [draw_situation(blueprint, rng) for _ in range(count)], rng)


def _taught(
    plan: ValuesPlan,
    name: str,
    cards: int,
    batch: Callable[[np.random.Generator], tuple[NetRows, Float32s]],
    told: Told,
) -> ValueNet:
    """A net taught to the end, gone on with where it was left."""
    path, lesson = plan.folder / name, Lesson(plan.steps, seed=plan.shards.seed)
    about = {"steps": plan.steps, "batch": plan.batch, **plan.shards.record(plan.count)}
    if path.exists():
        net, record = load_net(path)
        if {key: record.get(key) for key in about} == about:
            return net
    pupil = _pupil(path.with_suffix(".teaching"), about, plan, cards)

    def keep(pupil: Pupil, loss: float) -> None:
        told(name, pupil.step, plan.steps, loss)
        if pupil.step % _SAVE_EVERY == 0:
            save(path.with_suffix(".teaching"), _TEACHING, about, pupil.state())

    teach(pupil, lesson, batch, keep)
    save_net(path, pupil.net, about)
    path.with_suffix(".teaching").unlink(missing_ok=True)
    return load_net(path)[0]  # as it will be read, in 16 bits


def _pupil(path: Path, about: dict[str, Any], plan: ValuesPlan, cards: int) -> Pupil:
    """A new net, or the one that was being taught."""
    if path.exists():
        record, arrays = load(path, _TEACHING)
        if record != about:
            raise FileError(f"{path} was taught with other options: use the same, or remove it")
        return Pupil.restored(arrays, cards)
    rng = np.random.default_rng([plan.shards.seed, cards])
    return Pupil(new_net(cards, plan.width, plan.depth, rng))


def report_errors(plan: ValuesPlan, turns: ValueNet) -> list[NetError]:
    """How far the turn's net is off on the shards that were kept out."""
    return net_errors(turns, _held_out(plan))


def _held_out(plan: ValuesPlan) -> Iterator[SolvedTurns]:
    return read_shards(plan.folder, plan.held_out)

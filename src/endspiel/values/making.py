"""All of `endspiel train-values`: turns solved, a net taught on them, one of flops' ends from it.

Everything is in one folder, and what is there is not done again: shards of solved turns and of
flops' ends, the two nets while they are taught, and both when they are done.
"""

import hashlib
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np

from endspiel.arrays import Float32s
from endspiel.blueprint.blueprint import load_blueprint
from endspiel.cards.streets import FLOP_CARDS, TURN_CARDS
from endspiel.errors import EndspielError
from endspiel.executor import Executor, ExecutorTask, GivenWorkers, TaskNeeds, WorkerJob
from endspiel.executor.tasks import NOTHING_SPECIAL
from endspiel.files import load, make_folder, save
from endspiel.gpu.cuda.machine import cuda_machine
from endspiel.ledger import check_same
from endspiel.progress import Observe, Progress
from endspiel.solving.devices import CPU
from endspiel.values.distill import FlopEnds, draw_flop_ends
from endspiel.values.errors import NetError, net_errors
from endspiel.values.nets import FLOP_NET, TURN_NET, NetRows, ValueNet, load_net, new_net, save_net
from endspiel.values.shards import (
    ShardFiles,
    ShardPlan,
    SolvedTurns,
    draw_shard,
    solve_shard,
    turn_files,
)
from endspiel.values.training import Lesson, Pupil, teach

_TEACHING: Final = "net being taught"
_SAVE_EVERY: Final = 200  # steps
_HELD_OUT: Final = 10  # one shard of this many is for the report alone


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
    device: str = CPU  # where turns are solved and nets taught

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
    """A process that draws shards and solves them, by itself or on a GPU."""

    def __init__(self, start: tuple[str | None, ShardPlan, str]) -> None:
        path, self.plan, device = start
        self.blueprint = load_blueprint(path)
        self.maker = None if device == CPU else cuda_machine

    def work(self, number: int) -> SolvedTurns:
        """One shard."""
        return solve_shard(draw_shard(self.blueprint, self.plan, number), self.plan, self.maker)

    def close(self) -> None:
        """Nothing is held."""


class _RowsWorker:
    """A process that reads shards as a net does."""

    def __init__(self, plan: ValuesPlan) -> None:
        self.files = turn_files(plan.folder, plan.shards)

    def work(self, number: int) -> tuple[NetRows, Float32s]:
        """The rows and values of one shard."""
        return next(self.files.read([number])).rows()

    def close(self) -> None:
        """Nothing is held."""


class _FlopsWorker:
    """A process that draws ends of flops and asks the turn's net about them."""

    def __init__(self, plan: ValuesPlan) -> None:
        self.plan, self.blueprint = plan, load_blueprint(plan.blueprint)
        self.net = load_net(plan.folder / TURN_NET)[0]

    def work(self, number: int) -> FlopEnds:
        """One shard."""
        shards = self.plan.shards
        rng = np.random.default_rng([shards.seed, number, FLOP_CARDS])
        return draw_flop_ends(self.net, self.blueprint, shards.size, rng)

    def close(self) -> None:
        """Nothing is held."""


def make_turns(plan: ValuesPlan, workers: GivenWorkers, told: Observe) -> None:
    """The shards of turns that are missing."""
    make_folder(plan.folder)
    job = WorkerJob(_ShardWorker, (plan.blueprint, plan.shards, plan.device))
    needs = TaskNeeds(gpus=0 if plan.device == CPU else 1)
    _make(plan, workers, turn_files(plan.folder, plan.shards), job, told, needs)


def make_flops(plan: ValuesPlan, workers: GivenWorkers, told: Observe) -> None:
    """The shards of flops' ends that are missing, as the turn's net values them."""
    _make(plan, workers, _flop_files(plan), WorkerJob(_FlopsWorker, plan), told)


def _flop_files(plan: ValuesPlan) -> ShardFiles[FlopEnds]:
    taught = hashlib.sha256((plan.folder / TURN_NET).read_bytes()).hexdigest()[:16]
    return ShardFiles(
        plan.folder,
        "flops",
        FlopEnds,
        lambda number: {**plan.shards.record(number), "turn_net": taught},
    )


def _make(
    plan: ValuesPlan,
    workers: GivenWorkers,
    files: ShardFiles[Any],
    job: WorkerJob,
    told: Observe,
    needs: TaskNeeds = NOTHING_SPECIAL,
) -> None:
    """What is missing of a folder's shards, by processes, each written as soon as it is there.

    What a shard needs decides on which node of a cluster it is made; a machine's own processes
    share its GPU.
    """
    missing = files.missing(plan.count)
    done = plan.count - len(missing)
    told(Progress(files.name, done, plan.count, done))
    with Executor(workers) as executor:
        tasks = [ExecutorTask(n, needs) if executor.on_cluster else n for n in missing]
        with closing(executor.found(job, tasks)) as found:
            for number, shard in found:
                files.put(missing[number], shard)
                done += 1
                told(Progress(files.name, done, plan.count, plan.count - len(missing)))


def teach_turns(plan: ValuesPlan, workers: GivenWorkers, told: Observe) -> ValueNet:
    """The net of turns' beginnings."""

    def parts() -> list[tuple[NetRows, Float32s]]:
        with Executor(workers) as executor:
            job = WorkerJob(_RowsWorker, plan)
            return list(executor.results(job, range(plan.held_out.start)))

    return _taught(plan, TURN_NET, TURN_CARDS, parts, told)


def teach_flops(plan: ValuesPlan, told: Observe) -> ValueNet:
    """The net of flops' ends."""

    def parts() -> list[tuple[NetRows, Float32s]]:
        files = _flop_files(plan)
        return [(one.rows, one.targets) for one in files.read(range(plan.held_out.start))]

    return _taught(plan, FLOP_NET, FLOP_CARDS, parts, told)


def _taught(
    plan: ValuesPlan,
    name: str,
    cards: int,
    parts: Callable[[], list[tuple[NetRows, Float32s]]],
    told: Observe,
) -> ValueNet:
    """A net taught to the end, gone on with where it was left."""
    path, lesson = plan.folder / name, Lesson(plan.steps, seed=plan.shards.seed)
    about = {"steps": plan.steps, "batch": plan.batch, **plan.shards.record(plan.count)}
    if path.exists():
        net, record = load_net(path)
        if {key: record.get(key) for key in about} == about:
            return net
    arrays = teaching_arrays(plan.device)
    columns = [[*rows, targets] for rows, targets in parts()]
    lessons = [arrays.asarray(np.concatenate(one)) for one in zip(*columns, strict=True)]

    def batch(rng: np.random.Generator) -> tuple[NetRows, Float32s]:
        chosen = arrays.asarray(rng.integers(0, len(lessons[0]), plan.batch))
        *rows, targets = (column[chosen] for column in lessons)
        return NetRows(*rows), targets

    def keep(pupil: Pupil, loss: float) -> None:
        told(Progress(name, pupil.step, plan.steps, text=f"loss {loss:.4f}"))
        if pupil.step % _SAVE_EVERY == 0:
            save(path.with_suffix(".teaching"), _TEACHING, about, pupil.state())

    pupil = _pupil(path.with_suffix(".teaching"), about, plan, cards).moved(arrays)
    told(Progress(name, pupil.step, plan.steps))
    teach(pupil, lesson, batch, keep)
    save_net(path, Pupil.restored(pupil.state(), cards).net, about)
    path.with_suffix(".teaching").unlink(missing_ok=True)
    return load_net(path)[0]  # as it will be read, in 16 bits


def teaching_arrays(device: str) -> Any:
    """NumPy, or CuPy on a GPU."""
    if device == CPU:
        return np
    try:
        return import_module("cupy")
    except ImportError as missing:
        raise EndspielError(
            "nets are taught on a GPU by CuPy, which is not installed: pip install cupy-cuda13x"
        ) from missing


def _pupil(path: Path, about: dict[str, Any], plan: ValuesPlan, cards: int) -> Pupil:
    """A new net, or the one that was being taught."""
    if path.exists():
        record, arrays = load(path, _TEACHING)
        check_same(path, record, about)
        return Pupil.restored(arrays, cards)
    rng = np.random.default_rng([plan.shards.seed, cards])
    return Pupil(new_net(cards, plan.width, plan.depth, rng))


def report_errors(plan: ValuesPlan, turns: ValueNet) -> list[NetError]:
    """How far the turn's net is off on the shards that were kept out."""
    return net_errors(turns, turn_files(plan.folder, plan.shards).read(plan.held_out))


def report_distilled(plan: ValuesPlan, flops: ValueNet) -> float:
    """How far the flop's net is off what the turn's says, by the buckets' weights, in pots."""
    errors, weights = 0.0, 0.0
    for part in _flop_files(plan).read(plan.held_out):
        errors += float((np.abs(flops.outputs(part.rows) - part.targets) * part.weights).sum())
        weights += float(part.weights.sum())
    return errors / weights

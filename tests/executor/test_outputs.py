"""Every command that takes ``--workers`` writes the same files with 1, 2 and 8, and on Ray.

Byte for byte; but JSON and saved solutions tell how long they took and by how many workers, which
is left out of the comparison, and nothing else is.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import endspiel.executor.executor as executor_module
from endspiel import files
from endspiel.cli.app import app
from endspiel.executor import WorkerJob
from endspiel.executor.processes import ProcessPool
from endspiel.executor.tasks import ExecutorTask
from tests.batch.rivers import RIVER_CARDS, river_content
from tests.blueprint_fixture import save_small
from tests.cli.commands import runner
from tests.executor.cluster import two_nodes
from tests.hostile.surroundings import only_sentence

CLOCKS = {"seconds", "slowest", "slowest_answer_seconds", "processor", "processor_seconds"}
TOLD = CLOCKS | {"workers", "memory_bytes"}  # of the run itself
LIMIT = "limit-holdem:ranks=3,suits=3,max_raises=0"
VALUES = "--shards 3 --turns 2 --iterations 3 --steps 2 --width 4 --batch 4"
COMMANDS = {
    "report": "report {inputs}/0.json --rivers all --iterations 3"
    " --csv {out}/a.csv --html {out}/a.html --json {out}/a.json",
    "solve": "solve {inputs}/0.json {inputs}/1.json {inputs}/2.json {inputs}/3.json"
    " --iterations 5 --save {out}/saved --json {out}/a.json",
    "match": "match random pot-odds --hands 900 --log {out}/a.log --json {out}/a.json",
    "match with AIVAT": "match random always-call --game leduc --hands 900 --aivat"
    " --log {out}/a.log --json {out}/a.json",
    "tournament": "match random always-call always-raise --game leduc --hands 400"
    " --log {out}/logs --json {out}/a.json",
    "lbr": "lbr always-call --game leduc --setting fc --boards 6 --resume {out}/a.jsonl"
    " --json {out}/a.json",
    "train-values": f"train-values {{out}}/values {VALUES} --json {{out}}/a.json",
    "limit hold'em": f"game {LIMIT} --iterations 2 --resume {{out}}/blocks --json {{out}}/a.json",
    "limit hold'em, packed": f"game {LIMIT} --iterations 2 --solution current --bits 12"
    " --resume {out}/blocks --json {out}/a.json",
    "exploit": "exploit limit-holdem:always-call --boards 2 --json {out}/a.json",
    "reproduce arena": "reproduce arena --hands 30 --endgames 3"
    " --blueprint {inputs}/small.blueprint"
    " --part endgame --technique unsafe --opponent always-call --resume {out}/state"
    " --json {out}/a.json",
}


class SharedPool(ProcessPool):
    """Processes for all commands of this file: starting them is most of the time."""

    def begin(self, token: str, job: WorkerJob, count: int | None) -> None:
        super().begin(token, replace(job, reads_script=False), None)

    def submit(self, number: int, task: ExecutorTask) -> None:
        self.handed += 1
        super().submit(number, task)

    handed = 0

    def close(self) -> None:
        """They end with the tests."""


@pytest.fixture(scope="module")
def pools() -> Iterator[dict[int, SharedPool]]:
    made: dict[int, SharedPool] = {}
    yield made
    for pool in made.values():
        ProcessPool.close(pool)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch, pools: dict[int, SharedPool]) -> None:
    """Nothing is done in this process where there may be others; they are shared."""

    def shared(size: int, gpus: int, memory: int | None) -> SharedPool:
        pool = pools.setdefault(size, SharedPool(size))
        pool.memory = memory
        return pool

    monkeypatch.setattr(executor_module, "PATIENCE", 0.0)
    monkeypatch.setattr(executor_module, "ProcessPool", shared)


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("inputs")
    for number, card in enumerate(RIVER_CARDS):
        text = json.dumps(river_content(card))
        (folder / f"{number}.json").write_text(text)
    save_small(folder / "small.blueprint")
    return folder


@pytest.fixture(scope="module")
def alone(
    inputs: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], dict[str, Any]]:
    """What a command writes by this process alone."""

    @cache
    def run(command: str) -> dict[str, Any]:
        return written(command, inputs, tmp_path_factory.mktemp("alone"), "1")

    return run


def written(command: str, inputs: Path, out: Path, workers: str) -> dict[str, Any]:
    """What a command writes, by the names of its files."""
    given = [word.format(inputs=inputs, out=out) for word in COMMANDS[command].split()]
    done = CliRunner().invoke(app, [*given, "--workers", workers])
    assert done.exit_code == 0, done.output
    found = {
        str(path.relative_to(out)): content(path, out)
        for path in sorted(out.rglob("*"))
        if path.is_file()
    }
    assert found
    return found


def content(path: Path, out: Path) -> Any:
    """All of a file but what tells of the run, such as the folder that it wrote to."""
    if path.suffix in {".json", ".jsonl"}:
        text = path.read_text().replace(str(out), "")
        objects = [text] if path.suffix == ".json" else text.splitlines()
        return sorted(json.dumps(untold(json.loads(each))) for each in objects)
    if path.suffix == ".solution" or path.name == "manifest.es":
        found = files.verify(path)
        arrays = {name: array.tobytes() for name, array in found.arrays.items()}
        return found.kind, untold(found.record), arrays
    return path.read_bytes()


def untold(found: Any) -> Any:
    """An object without what tells of the run."""
    if isinstance(found, dict):
        left = {name: untold(each) for name, each in found.items() if name not in TOLD}
        if "trace" in left:  # of iterations and gaps, with seconds between
            left["trace"] = [(at, gap) for at, _, gap in left["trace"]]
        return left
    return [untold(each) for each in found] if isinstance(found, list) else found


@pytest.mark.parametrize("command", [*COMMANDS, "reproduce limit-holdem"])
@pytest.mark.parametrize("bad", ["0", "ray://head"])
def test_workers_that_there_are_not_are_refused_before_any_work(
    command: str,
    bad: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = COMMANDS.get(command, command).format(inputs=tmp_path, out=tmp_path)
    name, *given = words.split()
    done = runner(name, monkeypatch, capsys)(*given, "--workers", bad)
    assert (done.status, done.out) == (2, "")
    assert only_sentence(done.err) == (
        "endspiel: workers are a number of processes from 1 to 4096, ray, auto or ray://HOST:PORT, "
        f"not {bad!r}"
    )
    assert not list(tmp_path.iterdir())


SLOW = {"exploit", "limit hold'em, packed"}
ASKED = [
    pytest.param(command, workers, marks=[pytest.mark.slow] * (workers == 8 or command in SLOW))
    for command in COMMANDS
    for workers in (2, 8)
]


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(("command", "workers"), ASKED)
def test_processes_write_the_same_files(
    command: str,
    workers: int,
    inputs: Path,
    alone: Callable[[str], dict[str, Any]],
    pools: dict[int, SharedPool],
    tmp_path: Path,
) -> None:
    before = sum(pool.handed for pool in pools.values())
    assert written(command, inputs, tmp_path, str(workers)) == alone(command)
    done = sum(pool.handed for pool in pools.values()) - before
    assert done or command.startswith("limit")  # which has blocks in processes of its own


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    with two_nodes():
        yield


@pytest.mark.slow
@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize("command", COMMANDS)
def test_a_cluster_writes_the_same_files(
    command: str, inputs: Path, alone: Callable[[str], dict[str, Any]], tmp_path: Path
) -> None:
    assert written(command, inputs, tmp_path, "auto") == alone(command)

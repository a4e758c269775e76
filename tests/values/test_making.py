"""`endspiel train-values`: all of it on a few turns, stopped and gone on with."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from endspiel.cli.app import app
from endspiel.errors import EndspielError, FileError
from endspiel.executor import Executor, ExecutorTask, TaskNeeds, WorkerJob
from endspiel.values.making import ValuesPlan, make_turns
from endspiel.values.nets import load_net
from endspiel.values.shards import ShardPlan, turn_files

SMALL = ["--shards", "2", "--turns", "3", "--iterations", "4", "--steps", "3", "--width", "8"]


def run(folder: Path, *more: str) -> tuple[int, str]:
    asked = ["train-values", str(folder), *SMALL, "--batch", "8", "--workers", "1", *more]
    result = CliRunner().invoke(app, asked)
    return result.exit_code, f"{result.output}{result.exception or ''}"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("values")
    code, output = run(folder, "--json", str(folder / "out.json"))
    assert code == 0, output
    return folder


def test_nets_and_their_report_are_made(made: Path) -> None:
    found = json.loads((made / "out.json").read_text())
    assert found["turns"] == 6
    everything = found["errors"][0]
    assert (everything["name"], everything["turns"]) == ("all", 3)  # one shard was kept out
    assert 0 < everything["coarse"] < 0.2
    assert 0 < everything["absolute"] < 10
    assert 0 < found["distilled"] < 1
    kinds = [one for one in found["errors"] if one["name"] in ("played", "disturbed", "drawn")]
    assert sum(one["turns"] for one in kinds) == 3
    assert load_net(found["turn_net"])[0].cards == 4
    assert load_net(found["flop_net"])[0].cards == 3
    assert not list(made.glob("*.teaching"))


def test_shards_are_the_same_made_again_in_any_order(made: Path, tmp_path: Path) -> None:
    plan = ValuesPlan(tmp_path, ShardPlan(1, 3, 4), 2, 3)
    first, second = (turn_files(folder, plan.shards) for folder in (made, tmp_path))
    (tmp_path / "turns-00000.es").write_bytes((made / "turns-00000.es").read_bytes())
    make_turns(plan, 1, lambda *_: None)
    for one, two in zip(first.read(range(2)), second.read(range(2)), strict=True):
        for name, array in one._asdict().items():
            assert np.array_equal(array, getattr(two, name)), name


def test_what_is_there_is_not_made_again(made: Path) -> None:
    before = {path.name: path.stat().st_mtime_ns for path in made.iterdir()}
    code, output = run(made)
    assert code == 0, output
    assert "all" in output
    assert {path.name: path.stat().st_mtime_ns for path in made.iterdir()} == before


@pytest.mark.parametrize(("device", "gpus"), [("cpu", 0), ("cuda", 1)])
def test_shards_of_a_cluster_go_where_a_gpu_is(
    device: str, gpus: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[ExecutorTask] = []

    def found(self: Executor, job: WorkerJob, tasks: list[ExecutorTask]) -> Iterator[Any]:
        asked.extend(tasks)
        yield from ()

    monkeypatch.setattr(Executor, "found", found)
    make_turns(
        ValuesPlan(tmp_path, ShardPlan(1, 3, 4), 2, 3, device=device), "auto", lambda *_: None
    )
    assert asked == [ExecutorTask(number, TaskNeeds(gpus=gpus)) for number in range(2)]


def test_other_options_are_refused(made: Path) -> None:
    plan = ValuesPlan(made, ShardPlan(2, 3, 4), 2, 3)
    with pytest.raises(FileError, match="was made with seed 1, not 2"):
        make_turns(plan, 1, lambda *_: None)
    with pytest.raises(EndspielError, match="make 2 or more"):
        ValuesPlan(made, ShardPlan(1, 3, 4), 1, 3)
    assert "--iterations takes a whole number from 1 to" in run(made, "--iterations", "0")[1]
    assert "there is no device 'abacus'" in run(made, "--device", "abacus")[1]

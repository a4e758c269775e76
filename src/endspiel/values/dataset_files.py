"""Datasets in a folder: Parquet shards, the plan that made them, and a datasheet."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from endspiel.blueprint.blueprint import load_blueprint
from endspiel.cards.deck import NUM_HANDS
from endspiel.errors import FileError
from endspiel.executor import GivenWorkers
from endspiel.files import make_folder
from endspiel.progress import Observe, Progress, unobserved
from endspiel.reading import read_text
from endspiel.values.dataset import (
    DataRow,
    DatasetPlan,
    ShardSums,
    shard_path,
    solve_data_shard,
)

PLAN_FILE: Final = "dataset.json"
DATASHEET: Final = "DATASHEET.md"
FIELDS: Final = {
    "number": ("int64", "number of the spot; with the seed it decides everything of the spot"),
    "seed": ("int64", "seed of the dataset"),
    "board": (
        "list of uint8",
        "cards, 4 * rank + suit: 0 is the two of clubs, 51 the ace of spades",
    ),
    "pot": ("int32", "chips in the middle"),
    "stack": ("int32", "chips that each player has behind"),
    "ranges_from": ("string", "played, disturbed or drawn: see Collection"),
    "range_oop": ("float32 x 1326", "weights of the player out of position; they sum to 1"),
    "range_ip": ("float32 x 1326", "weights of the player in position; they sum to 1"),
    "ev_oop": ("float32 x 1326", "EV of each hand as a share of the pot; null where blocked"),
    "ev_ip": ("float32 x 1326", "the same in position"),
    "actions": ("list of string", "A actions of the first decision, out of position: c, b500, ..."),
    "strategy": ("list of float32", "A x 1326 probabilities, action by action; null where blocked"),
    "exploitability": ("float64", "mean gain of both best responses, as a share of the pot"),
    "iterations": ("int32", "iterations of the solve"),
}


def make_dataset(
    plan: DatasetPlan,
    folder: Path,
    workers: GivenWorkers = None,
    progress: Observe = unobserved,
) -> ShardSums:
    """Make the shards that a folder lacks, and the datasheet of all of them."""
    make_folder(folder)
    _check_plan(plan, folder)
    sums, blueprint = ShardSums(), None
    for shard in range(plan.shards):
        path = shard_path(folder, plan, shard)
        rows = len(plan.numbers(shard))
        if not path.exists() or _rows_of(path) != rows:
            blueprint = blueprint or load_blueprint(plan.blueprint)
            name = f"{plan.kind} of file {shard + 1} of {plan.shards}"

            def tell(so_far: Progress, name: str = name) -> None:
                progress(replace(so_far, what=name))

            solved = solve_data_shard(plan, shard, workers, tell, blueprint)
            _write_whole(path, lambda to, solved=solved: write_shard(to, plan, solved))  # type: ignore[misc]
        found = pq.read_table(path, columns=["ranges_from", "exploitability"])
        sums.add(list(zip(*(column.to_pylist() for column in found.columns), strict=True)))
    text = datasheet(plan, sums)
    _write_whole(folder / DATASHEET, lambda to: to.write_text(text))
    return sums


def write_shard(path: Path, plan: DatasetPlan, rows: list[DataRow]) -> None:
    """Write solved spots as one Parquet file."""
    hands = pa.list_(pa.float32(), NUM_HANDS)
    columns: dict[str, Any] = {
        "number": pa.array([row.number for row in rows], pa.int64()),
        "seed": pa.array([plan.seed] * len(rows), pa.int64()),
        "board": pa.array([list(row.spot.board) for row in rows], pa.list_(pa.uint8())),
        "pot": pa.array([row.spot.pot for row in rows], pa.int32()),
        "stack": pa.array([row.spot.stack for row in rows], pa.int32()),
        "ranges_from": pa.array([row.situation.kind for row in rows], pa.string()),
    }
    for player, seat in enumerate(("oop", "ip")):
        weights = np.stack([row.situation.ranges[player] for row in rows]).astype(np.float32)
        columns[f"range_{seat}"] = _fixed(weights, hands)
    for player, seat in enumerate(("oop", "ip")):
        columns[f"ev_{seat}"] = _fixed(np.stack([row.evs[player] for row in rows]), hands)
    columns["actions"] = pa.array([list(row.actions) for row in rows], pa.list_(pa.string()))
    columns["strategy"] = _ragged([row.strategy.ravel() for row in rows])
    columns["exploitability"] = pa.array([row.exploitability for row in rows], pa.float64())
    columns["iterations"] = pa.array([row.iterations for row in rows], pa.int32())
    record = msgspec.json.encode(plan.record())
    table = pa.table(columns).replace_schema_metadata({"endspiel": record})
    pq.write_table(table, path, compression="zstd")


def _fixed(values: Any, kind: Any) -> Any:
    """Rows [N, 1326] as a column; NaN is null."""
    flat = pa.array(values.ravel(), pa.float32(), mask=np.isnan(values.ravel()))
    return pa.FixedSizeListArray.from_arrays(flat, type=kind)


def _ragged(rows: list[Any]) -> Any:
    """Rows of any length as a column; NaN is null."""
    flat = np.concatenate(rows)
    starts = np.cumsum([0, *map(len, rows)]).astype(np.int32)
    return pa.ListArray.from_arrays(
        pa.array(starts, pa.int32()), pa.array(flat, pa.float32(), mask=np.isnan(flat))
    )


def _check_plan(plan: DatasetPlan, folder: Path) -> None:
    """Refuse a folder that was made by other options; note those of a new one."""
    path, record = folder / PLAN_FILE, plan.record() | {"shard": plan.shard}
    if not path.exists():
        _write_whole(path, lambda to: to.write_bytes(msgspec.json.encode(record) + b"\n"))
        return
    try:
        known = msgspec.json.decode(read_text(path), type=dict[str, Any])
    except msgspec.MsgspecError as error:
        raise FileError(f"{path} is damaged: {error}") from error
    for name, value in record.items():
        if known.get(name) != value:
            raise FileError(
                f"{folder} was made with {name} {known.get(name)}, not {value}: use the same "
                "options, or another folder"
            )


def _rows_of(path: Path) -> int:
    """Spots of a shard."""
    try:
        return int(pq.read_metadata(path).num_rows)
    except (OSError, pa.ArrowException) as error:
        raise FileError(f"{path} is no shard of a dataset: {error}") from error


def _write_whole(path: Path, write: Callable[[Path], Any]) -> None:
    """Write a file whole or not at all."""
    part = path.with_name(f"{path.name}.part")
    try:
        write(part)
        part.replace(path)
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror or error}") from error


def datasheet(plan: DatasetPlan, sums: ShardSums) -> str:
    """What the dataset is, in the questions of Datasheets for Datasets (Gebru et al., 2018)."""
    record, shares = plan.record(), 100 * np.array(sums.exploitability)
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(sums.kinds.items()))
    table = "\n".join(f"| `{name}` | {kind} | {text} |" for name, (kind, text) in FIELDS.items())
    options = f"--count {plan.count} --seed {plan.seed} --target {100 * plan.target:g}%"
    options += f" --bet '{record['bet']}' --raise '{record['raise']}' --shard {plan.shard}"
    return f"""# Datasheet: {plan.count} solved {plan.kind} of heads-up hold'em

## Motivation
Values and strategies of random {plan.kind} for the training and the test of value functions and
policies.

## Composition
{plan.count} spots in {plan.shards} Parquet files. Ranges: {kinds}.

| field | type | meaning |
|---|---|---|
{table}

Hands are numbered 0 to 1325 by the higher card, then by the lower: hand (a, b), a < b, is
b * (b - 1) / 2 + a. Exploitability: mean {shares.mean():.4g}%, largest {shares.max():.4g}% of the
pot, measured by exact best responses in the game of the bets below.

## Collection
Half of the ranges come from hands that a strategy file plays against itself on random boards, a
quarter from the same with disturbed weights, a quarter is drawn as for DeepStack (2017) on uniform
boards. Stacks are those played, or drawn from a table.

## Preprocessing
Every hand that the board leaves has a tiny weight at least in the game that is solved, so that all
hands have values. `range_oop` and `range_ip` are without it.

## Solving
Bets {record["bet"]}, raises {record["raise"] or "none"}, at most {record["max_raises"]} bets and
raises a street, all-in added from stacks of 4 pots down. Solved to {100 * plan.target:g}% of the
pot on {plan.device} by endspiel {record["endspiel"]}; other devices differ in the last digits.

## Uses
An EV is what a hand expects of the pot when both follow the solution. It holds for these bets only.
Hands of little weight hardly count in the exploitability: their EVs are less exact.

## Distribution and maintenance
The same command makes the same files: `endspiel dataset {plan.kind} {options}`.
"""

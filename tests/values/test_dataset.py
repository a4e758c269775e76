"""Datasets: the seed decides every spot, files are whole, and what they say is what was solved."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import endspiel as es
from endspiel.batch import backends, running
from endspiel.blueprint.blueprint import load_blueprint
from endspiel.cards.deck import NUM_HANDS, hand_index
from endspiel.cards.live import live_hands
from endspiel.cards.removal import exact_unblocked_weight
from endspiel.cli.app import app
from endspiel.errors import EndspielError, FileError
from endspiel.gpu.backend import numpy_machine
from endspiel.values.dataset import (
    DatasetPlan,
    draw_numbered,
    solve_data_shard,
    spot_of,
    values_of,
)
from endspiel.values.dataset_files import DATASHEET, FIELDS, make_dataset
from tests.batch.rivers import flop

PLAN = DatasetPlan("rivers", 3, seed=5, target=0.02, shard=2)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rivers")
    make_dataset(PLAN, folder, workers=1)
    return folder


def rows(folder: Path) -> list[dict[str, Any]]:
    return [
        row for path in sorted(folder.glob("*.parquet")) for row in pq.read_table(path).to_pylist()
    ]


def test_a_row_is_the_solved_spot(made: Path) -> None:
    found = rows(made)
    assert [row["number"] for row in found] == [0, 1, 2]
    assert set(found[0]) == set(FIELDS)
    row = found[1]
    spot = spot_of(draw_numbered(load_blueprint(), PLAN, 1), PLAN)
    assert (tuple(row["board"]), row["pot"], row["stack"]) == (spot.board, spot.pot, spot.stack)
    solution = es.solve(spot, target=0.02)
    assert row["exploitability"] == solution.exploitability <= 0.02
    view = solution.view("")
    assert row["actions"] == list(view.actions)
    ev = np.array(row["ev_oop"], np.float64)
    assert ev[view.hands] == pytest.approx(view.ev / spot.pot, abs=2e-4)
    strategy = np.array(row["strategy"], np.float64).reshape(len(view.actions), NUM_HANDS)
    assert strategy[:, view.hands] == pytest.approx(view.strategy, abs=1e-6)
    dead = live_hands(spot.board) == 0
    assert np.isnan(ev).tolist() == dead.tolist()


def test_both_players_share_the_pot(made: Path) -> None:
    for number, row in enumerate(rows(made)):
        one, two = spot_of(draw_numbered(load_blueprint(), PLAN, number), PLAN).ranges
        met = one * exact_unblocked_weight(two), two * exact_unblocked_weight(one)
        evs = [np.nan_to_num(np.array(row[f"ev_{seat}"], np.float64)) for seat in ("oop", "ip")]
        shares = [float(evs[p] @ met[p] / met[p].sum()) for p in (0, 1)]
        assert sum(shares) == pytest.approx(1, abs=1e-4)
        assert sum(row["range_ip"]) == pytest.approx(1, abs=1e-5)


def test_later_streets_count_in_the_values() -> None:
    solution = es.solve(flop(), iterations=30)
    found = values_of(solution)
    view = solution.view("")
    assert found.evs[0, view.hands] == pytest.approx(view.ev / 100, abs=1e-4)
    assert found.evs.shape == (2, NUM_HANDS)


def test_a_gpu_solves_the_same_spots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its twin in NumPy does, here."""
    for module in (backends, running):
        monkeypatch.setattr(module, "check_device", lambda *given: None)
    monkeypatch.setattr(backends, "cuda_machine", numpy_machine)
    monkeypatch.setattr(backends, "cuda_device", lambda: SimpleNamespace(free_bytes=lambda: 10**9))
    plans = [DatasetPlan("rivers", 2, seed=5, target=0.02, device=one) for one in ("cpu", "cuda")]
    here, there = (solve_data_shard(plan, 0, workers=1) for plan in plans)
    for one, other in zip(here, there, strict=True):
        assert other.spot.board == one.spot.board
        assert 0 < other.exploitability <= 0.02
        first, second = one.spot.ranges
        for player, (own, met) in enumerate(((first, second), (second, first))):
            weight = own * exact_unblocked_weight(met)
            evs = [
                np.nan_to_num(found.evs[player]) @ weight / weight.sum() for found in (one, other)
            ]
            assert evs[1] == pytest.approx(evs[0], abs=0.04)  # both are within the target
        assert other.strategy.shape == one.strategy.shape


def test_the_seed_alone_decides_what_files_hold(made: Path, tmp_path: Path) -> None:
    again, other = tmp_path / "again", tmp_path / "other"
    make_dataset(PLAN, again, workers=2)
    for path in sorted(made.iterdir()):
        assert (again / path.name).read_bytes() == path.read_bytes(), path.name
    make_dataset(DatasetPlan("rivers", 2, seed=5, target=0.02, shard=1), other, workers=1)
    assert rows(other) == rows(made)[:2]


def test_a_folder_is_gone_on_with(made: Path, tmp_path: Path) -> None:
    folder = tmp_path / "rivers"
    make_dataset(DatasetPlan("rivers", 2, seed=5, target=0.02, shard=2), folder, workers=1)
    first = folder / "rivers-00000.parquet"
    before = first.stat().st_mtime_ns
    (folder / "rivers-00001.parquet.part").write_text("cut off")
    make_dataset(PLAN, folder, workers=1)
    assert first.stat().st_mtime_ns == before
    assert rows(folder) == rows(made)
    assert (folder / DATASHEET).read_text() == (made / DATASHEET).read_text()
    with pytest.raises(FileError, match="was made with seed 5, not 6"):
        make_dataset(DatasetPlan("rivers", 2, seed=6, target=0.02, shard=2), folder)
    first.write_bytes(b"nothing")
    with pytest.raises(FileError, match="is no shard of a dataset"):
        make_dataset(PLAN, folder)


def test_the_datasheet_says_how_hands_are_numbered(made: Path) -> None:
    text = (made / DATASHEET).read_text()
    assert "b * (b - 1) / 2 + a" in text
    assert all(hand_index(a, b) == b * (b - 1) // 2 + a for b in range(52) for a in range(b))
    assert "endspiel dataset rivers --count 3 --seed 5 --target 2%" in text


@pytest.mark.parametrize(("kind", "cards"), [("flops", 3), ("turns", 4), ("rivers", 5)])
def test_spots_of_every_street_are_drawn(kind: str, cards: int) -> None:
    plan = DatasetPlan(kind, 4)
    found = [draw_numbered(load_blueprint(), plan, number) for number in range(4)]
    assert {len(one.board) for one in found} == {cards}
    for one in found:
        assert one.ranges.sum(axis=1) == pytest.approx([1, 1])
        assert not one.ranges[:, live_hands(one.board) == 0].any()
        spot_of(one, plan)


def test_the_command_writes_a_dataset(tmp_path: Path) -> None:
    command = ["dataset", "rivers", "--count", "1", "--target", "5%", "--workers", "1"]
    result = CliRunner().invoke(app, [*command, "--resume", str(tmp_path / "out"), "--json", "-"])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["spots"] == 1
    assert told["exploitability_percent"]["largest"] <= 5
    wrong = CliRunner().invoke(app, ["dataset", "ponds", "--resume", str(tmp_path / "x")])
    assert isinstance(wrong.exception, EndspielError)
    assert "a dataset is of rivers, turns, flops, not of 'ponds'" in str(wrong.exception)

"""`benchmarks/limit_paired.py`: luck that is known is taken out, and turns are never solved."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from endspiel.arena.estimators.resolved_exploit import ResolvedSetting, resolved_exploitability
from endspiel.blueprint.blueprint import load_blueprint
from tests.arena.test_resolved import CHECKED, QuickTables
from tests.benchmark_module import load_benchmark
from tests.blueprint_fixture import save_small


@pytest.fixture(scope="module")
def paired() -> Any:
    return load_benchmark("limit_paired")


def test_a_loss_is_read_where_the_line_meets_the_exact_one(paired: Any) -> None:
    """Twice the known loss and one more, but for what is across both: worked out by hand."""
    known, across = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, -1.0, -1.0, 1.0])
    found = paired.figures(known, 10.0, 2 * known + 1 + across)
    assert found == pytest.approx(
        {
            "known": 2.5,
            "strategy": 6.0,
            "correlation": 10 / np.sqrt(5 * 24),
            "mbb": 21.0,
            "error": np.sqrt(4 / 2) / 2,
            "less": -3.5,
            "less_error": np.sqrt(9 / 3) / 2,
        }
    )


def test_what_equities_explain_is_taken_off_line_by_line(paired: Any) -> None:
    """Whatever flops were drawn: their equities' mean over all flops is 0, not over the draw."""
    rng = np.random.default_rng(3)
    truth = rng.normal(size=(1, 2, 169))  # of two lines, on every flop
    variates = [rng.normal(0.5, 1, (6, 169)) for _ in range(3)]
    slopes = np.array([[2.0, -1.0, 0.5], [0.0, 3.0, 1.0]])
    luck = np.einsum("xv,vnk->nxk", slopes, np.array(variates))
    table = truth + luck
    before = table.copy()
    left = paired.without_luck(table, variates)
    assert np.allclose(left, np.broadcast_to(truth, left.shape))
    assert np.array_equal(table, before)
    other = rng.normal(size=(6, 2, 169))
    again = paired.without_luck(table + other, variates) - truth
    assert np.corrcoef(again.ravel(), other.ravel())[0, 1] > 0.99  # what they do not explain


def test_turns_are_read_and_never_solved(
    paired: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without their file, and where it lacks flops, one sentence says so; else both are told."""
    strategy = load_blueprint(save_small(tmp_path / "checked.blueprint", limit=CHECKED))
    quick, asked = QuickTables(monkeypatch), ResolvedSetting(3, seed=5, workers=1)
    state = Path(f"{strategy.path}.5.resolved.state")
    with pytest.raises(SystemExit, match=r"resolved\.state has 0 of 3 flops: endspiel exploit"):
        paired.resolved_tables(strategy, asked)
    assert not state.exists()
    found = resolved_exploitability(strategy, replace(asked, state=state))
    assert len(quick.asked) == found.flops == 3
    tables = paired.resolved_tables(strategy, asked)
    assert list(tables) == ["fitted", "fresh"]
    for fitted, fresh in zip(*tables.values(), strict=True):
        assert fitted.shape[::2] == (3, 169)
        assert np.allclose(fitted - fresh, 1e6)
    for other in (replace(asked, boards=4), replace(asked, turns=3), replace(asked, device="cuda")):
        with pytest.raises(SystemExit, match=r"has [03] of [34] flops"):
            paired.resolved_tables(strategy, other)
    assert len(quick.asked) == 3


def test_a_missing_file_is_told_before_any_work(
    paired: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = save_small(tmp_path / "checked.blueprint", limit=CHECKED)
    monkeypatch.setattr(paired, "line_values", lambda *asked: pytest.fail("worked"))
    monkeypatch.setattr(paired, "resolved_line_values", lambda *asked: pytest.fail("solved"))
    monkeypatch.setattr(sys, "argv", ["", str(file), "100", str(file), "--resolve-turns", "2"])
    with pytest.raises(SystemExit, match=r"7\.resolved\.state has 0 of 12 flops"):
        paired.main()
    assert [path.name for path in tmp_path.iterdir()] == ["checked.blueprint"]

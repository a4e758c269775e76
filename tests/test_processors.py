"""Processors are counted in one place, and only those that the process may use."""

import os
from pathlib import Path

import pytest

import endspiel.processors
from endspiel.processors import processors


@pytest.fixture
def groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in place of the system's control groups, which limit nothing."""
    monkeypatch.setattr(endspiel.processors, "GROUPS", tmp_path)
    return tmp_path


@pytest.mark.usefixtures("groups")
def test_only_processors_that_may_be_used_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 3, 5}, raising=False)
    assert processors() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    assert processors() == 64


@pytest.mark.parametrize(
    ("texts", "count"),
    [
        ({"cpu.max": "250000 100000"}, 3),  # two and a half
        ({"cpu.max": "20000 100000"}, 1),
        ({"cpu.max": "max 100000"}, 5),
        ({"cpu.max": "900000 100000"}, 5),
        ({"cpu.max": "strange"}, 5),
        ({"cpu/cpu.cfs_quota_us": "200000", "cpu/cpu.cfs_period_us": "100000"}, 2),
        ({"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, 5),
    ],
)
def test_a_container_has_as_many_as_it_is_allowed(
    texts: dict[str, str], count: int, groups: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(5)), raising=False)
    (groups / "cpu").mkdir()
    for name, text in texts.items():
        (groups / name).write_text(f"{text}\n")
    assert processors() == count


def test_nothing_else_counts_them() -> None:
    """But for the build of the kernels, which runs before the package is installed."""
    package = Path(endspiel.processors.__file__).parent
    counting = {path for path in package.rglob("*.py") if "cpu_count" in path.read_text()}
    assert counting == {package / "processors.py", package / "native" / "build.py"}

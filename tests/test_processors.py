"""Processors are counted in one place, and only those that the process may use."""

import os
from pathlib import Path

import pytest

import endspiel.processors
from endspiel.processors import processors


def test_only_processors_that_may_be_used_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 3, 5}, raising=False)
    assert processors() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    assert processors() == 64


def test_nothing_else_counts_them() -> None:
    here = Path(endspiel.processors.__file__)
    counting = [path for path in here.parent.rglob("*.py") if "cpu_count" in path.read_text()]
    assert counting == [here]

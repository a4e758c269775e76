"""Digests of some twenty solves are those that are committed: `benchmarks/digest.py`."""

import numpy as np
import pytest

from endspiel.native.library import VARIABLE, builds, chosen_build
from endspiel.solvers.boards.backend import BoardBackend
from tests.benchmark_module import load_benchmark

digest = load_benchmark("digest")
NAMES = [name for name, _ in digest.solves()]


@pytest.fixture(scope="module")
def known() -> dict[str, str]:
    found: dict[str, str] = digest.expected()
    return found


def test_every_digest_is_committed(known: dict[str, str]) -> None:
    assert list(known) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_digest_is_as_committed(name: str, known: dict[str, str]) -> None:
    assert dict(digest.solves())[name]() == known[name]


@pytest.mark.parametrize("build", builds()[:-1])
@pytest.mark.parametrize("name", ["turn, two threads", "turn, values", "buckets", "training"])
def test_every_build_has_the_same_digests(
    name: str, build: str, known: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, build)
    chosen_build.cache_clear()
    try:
        assert dict(digest.solves())[name]() == known[name]
    finally:
        chosen_build.cache_clear()


def test_a_digest_sees_the_last_bit(known: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    solve = BoardBackend.iterate

    def iterate(self: BoardBackend, *args: object) -> None:
        solve(self, *args)  # type: ignore[arg-type]
        self.store.regret[self.store.regret != 0] *= np.float32(1 + 2**-23)

    monkeypatch.setattr(BoardBackend, "iterate", iterate)
    assert dict(digest.solves())["river, dcfr"]() != known["river, dcfr"]

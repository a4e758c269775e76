"""Memory: how sizes are read and told, and what is refused."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endspiel.errors import EndspielError
from endspiel.solvers import memory
from endspiel.solvers.memory import check_memory, format_bytes, parse_bytes


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1000, "1 KB"),
        (1234, "1.23 KB"),
        (999_400, "999 KB"),
        (999_999, "1 MB"),
        (10**6, "1 MB"),
        (1_500_000_000, "1.5 GB"),
        (999_900_000_000, "0.9999 TB"),
        (1.2345e15, "1234 TB"),
    ],
)
def test_sizes_are_told_in_the_unit_that_fits(count: float, text: str) -> None:
    assert format_bytes(count) == text


@settings(deadline=None)
@given(st.floats(0, 1e15))
def test_a_size_told_reads_back_to_half_a_percent(count: float) -> None:
    text = format_bytes(count)
    assert "e" not in text.replace("bytes", "")
    assert parse_bytes(text.replace(" bytes", "")) == pytest.approx(count, rel=0.0051, abs=0.51)


@pytest.mark.parametrize(
    ("text", "count"),
    [("1KiB", 1024), ("2 mib", 2 * 1024**2), ("3TB", 3 * 10**12), (".5kb", 500), ("7.", 7)],
)
def test_units_are_powers_of_1000_or_of_1024(text: str, count: int) -> None:
    assert parse_bytes(text) == count


def test_what_is_no_size_is_quoted_briefly() -> None:
    message = "memory 'xxxxxxxxxxxxxxxxxxxx' is not written like 8GB, 500MB or 2GiB"
    with pytest.raises(EndspielError, match=f"^{re.escape(message)}$"):
        parse_bytes("x" * 30)


def test_most_of_the_free_memory_may_be_used_unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 1000)
    check_memory(800, None, "this", "use less")
    with pytest.raises(EndspielError) as caught:
        check_memory(801, None, "this", "use less")
    assert str(caught.value) == (
        "this needs 801 bytes and 800 bytes of free memory may be used: use less"
    )
    check_memory(5000, 5000, "this", "use less")  # whoever names a limit may take it all
    with pytest.raises(EndspielError) as caught:
        check_memory(5001, 5000, "this", "use less")
    assert str(caught.value) == "this needs 5 KB and 5 KB are allowed: use less"


def test_nothing_is_refused_where_the_system_does_not_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: None)
    check_memory(10**18, None, "this", "use less")


class Files:
    """Stands in for `Path`: a few files, all others missing."""

    def __init__(self, texts: dict[str, str], at: str = "") -> None:
        self.texts, self.at = texts, at

    def __call__(self, path: str) -> "Files":
        return Files(self.texts, path)

    def __truediv__(self, name: str) -> "Files":
        return Files(self.texts, f"{self.at}/{name}")

    def read_text(self) -> str:
        if self.at not in self.texts:
            raise FileNotFoundError(self.at)
        return self.texts[self.at]


MEMINFO = "MemTotal:       16000 kB\nMemFree:  1 kB\nMemAvailable:    8000 kB\nBuffers: 2 kB\n"
FREE = 8_192_000


def test_what_the_system_calls_available_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "Path", Files({"/proc/meminfo": MEMINFO}))
    monkeypatch.setattr(memory, "_GROUP_FILES", ())
    assert memory.available_memory() == FREE


@pytest.mark.parametrize(
    ("limit", "current", "idle", "available"),
    [
        (9_000_000, 1_000_000, None, 8_000_000),  # less than what is free
        (9_000_000, 1_000_000, 500, 8_000_500),  # files that were read can go
        (90_000_000, 0, None, FREE),
        ("max", 0, 500, FREE),  # no limit
        (1000, 2000, None, 0),
    ],
)
def test_a_containers_limit_counts(
    limit: object,
    current: int,
    idle: int | None,
    available: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "memory.max").write_text(f"{limit}\n")
    (tmp_path / "memory.current").write_text(f"{current}\n")
    if idle is not None:
        (tmp_path / "memory.stat").write_text(f"anon 7\ninactive_file {idle}\n")
    group = tmp_path, "memory.max", "memory.current", "inactive_file"
    monkeypatch.setattr(memory, "_GROUP_FILES", (group,))
    monkeypatch.setattr(memory, "_free", lambda: FREE)
    assert memory.available_memory() == available


def test_without_proc_the_installed_memory_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = {"SC_PHYS_PAGES": 300, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr(memory, "Path", Files({}))
    monkeypatch.setattr(memory, "_GROUP_FILES", ())
    monkeypatch.setattr(memory.os, "sysconf", lambda name: sizes[name])
    assert memory.available_memory() == 300 * 4096

    def unknown(name: str) -> int:
        raise ValueError(name)

    monkeypatch.setattr(memory.os, "sysconf", unknown)
    assert memory.available_memory() is None

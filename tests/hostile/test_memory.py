"""Too little memory: one sentence with the figures, exit status 2."""

from pathlib import Path

import numpy as np
import pytest

from endspiel.cli import endings
from endspiel.errors import EndspielError
from endspiel.solvers import memory
from tests.cli.commands import runner
from tests.hostile.surroundings import address_space, endspiel, only_sentence

FLOP = Path(__file__).parents[1] / "data" / "spots" / "flop.toml"


@pytest.mark.parametrize(
    "arguments", [("solve", FLOP), ("game", "kuhn"), ("abstract", "--out", "x")]
)
def test_too_little_to_start(arguments: tuple[object, ...], tmp_path: Path) -> None:
    done = endspiel(*arguments, status=2, limit=address_space(300_000_000), cwd=tmp_path)
    assert "750 MB of address space to start" in only_sentence(done.stderr)
    assert "MB are left" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_flop_is_refused_by_its_estimate() -> None:
    limit = address_space(1_000_000_000)
    done = endspiel("solve", FLOP, "--iterations", 1, "--storage", 32, status=2, limit=limit)
    sentence = only_sentence(done.stderr)
    assert "needs 7" in sentence
    assert "MB of free memory may be used" in sentence


def test_the_address_space_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_free", lambda: 10**10)
    monkeypatch.setattr(memory, "_group_left", lambda: None)
    monkeypatch.setattr(memory, "address_space_left", lambda: 10**9)
    assert memory.available_memory() == 10**9
    with pytest.raises(EndspielError, match="needs 900 MB and 800 MB"):
        memory.check_memory(900_000_000, None, "it", "mend it")


def test_every_control_group_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = ("memory.max", "memory.current", "inactive_file")
    monkeypatch.setattr(memory, "_GROUP_FILES", ((tmp_path, *files),))
    assert memory._group_left() is None
    inner = tmp_path / "service"
    inner.mkdir()
    for folder, limit, used, idle in ((tmp_path, "max", 10, 0), (inner, 5000, 1500, 500)):
        (folder / "memory.max").write_text(f"{limit}\n")
        (folder / "memory.current").write_text(f"{used}\n")
        (folder / "memory.stat").write_text(f"anon 7\ninactive_file {idle}\n")
    read = Path.read_text
    monkeypatch.setattr(
        Path,
        "read_text",
        lambda path, *a: "0::/service\n" if str(path) == "/proc/self/cgroup" else read(path, *a),
    )
    assert memory._group_left() == 5000 - 1500 + 500


def test_an_array_that_could_not_be_made() -> None:
    with pytest.raises(MemoryError) as caught:
        np.zeros((10**9, 10**6))
    sentence, status = endings.describe(caught.value)
    assert status == 2
    assert sentence.startswith("out of memory: 8000 TB more were asked for and ")
    assert "are left" in sentence


def test_libraries_that_fail_in_their_own_way(monkeypatch: pytest.MonkeyPatch) -> None:
    error = OSError("Could not find/load shared object file 'libexample.so'")
    monkeypatch.setattr(endings, "_memory_left", lambda: 10**10)
    assert "out of memory" not in endings.describe(error)[0]
    monkeypatch.setattr(endings, "_memory_left", lambda: 10**7)
    sentence, status = endings.describe(error)
    assert status == 2
    assert "out of memory" in sentence
    assert "10 MB are left" in sentence
    assert "libexample" in sentence


def test_an_allocation_that_fails_in_a_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("endspiel.games.registry.load_game", fail)
    done = runner("game", monkeypatch, capsys)("kuhn")
    assert done.status == 2
    assert "out of memory: more was asked for" in only_sentence(done.err)

"""The container of saved things: whole, or refused."""

import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save_file

from endspiel import files
from endspiel.errors import FileError
from tests.children import finished

ARRAYS = {
    "plan": np.linspace(0, 1, 7),
    "count": np.array([3], dtype=np.int64),
    "empty": np.zeros(0),
    "table": np.arange(6, dtype=np.float32).reshape(2, 3),
}
RECORD = {"name": "kuhn", "trace": [[10, 0.1, 1e-3]], "seconds": 0.1 + 0.2, "none": None}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("files") / "sound"
    files.save(path, "test", RECORD, ARRAYS)
    return path.read_bytes()


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("files") / "scratch"


def test_read_back(tmp_path: Path) -> None:
    files.save(tmp_path / "file", "test", RECORD, ARRAYS)
    record, arrays = files.load(tmp_path / "file", "test")
    assert record == RECORD
    assert arrays.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert arrays[name].dtype == array.dtype
        assert arrays[name].shape == array.shape
        assert arrays[name].tobytes() == array.tobytes()
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_any_flipped_bit_is_refused(sound: bytes, scratch: Path, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(sound) - 1))
    bit = data.draw(st.integers(0, 7))
    damaged = bytearray(sound)
    damaged[at] ^= 1 << bit
    scratch.write_bytes(damaged)
    with pytest.raises(FileError):
        files.load(scratch, "test")


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_any_cut_is_refused(sound: bytes, scratch: Path, data: st.DataObject) -> None:
    scratch.write_bytes(sound[: data.draw(st.integers(0, len(sound) - 1))])
    with pytest.raises(FileError):
        files.load(scratch, "test")


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=200))
def test_noise_is_refused(scratch: Path, noise: bytes) -> None:
    scratch.write_bytes(noise)
    with pytest.raises(FileError):
        files.load(scratch, "test")


def test_what_follows_the_end_is_refused(sound: bytes, scratch: Path) -> None:
    scratch.write_bytes(sound + b"\0")
    with pytest.raises(FileError):
        files.load(scratch, "test")


def test_foreign_kinds_and_versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    save_file({"weights": np.ones(3)}, path)
    with pytest.raises(FileError, match="is no Endspiel file"):
        files.load(path, "test")
    files.save(path, "blueprint", {}, {})
    with pytest.raises(FileError, match="holds a blueprint, not a test"):
        files.load(path, "test")
    monkeypatch.setattr(files, "VERSION", 99)
    files.save(path, "test", {}, {})
    monkeypatch.undo()
    with pytest.raises(FileError, match="has version 99"):
        files.load(path, "test")


def test_missing_and_unwritable(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no file"):
        files.load(tmp_path / "missing", "test")
    with pytest.raises(FileError):
        files.load(tmp_path, "test")
    with pytest.raises(FileError, match="cannot write"):
        files.save(tmp_path / "nowhere" / "file", "test", {}, ARRAYS)
    with pytest.raises(FileError, match="cannot write"):
        files.save(tmp_path, "test", {}, ARRAYS)
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "file[1]"
    program = (
        "import os, signal\n"
        "from pathlib import Path\n"
        "import numpy as np\n"
        "from endspiel import files\n"
        "def killed(arrays, path, metadata):\n"
        "    (Path(path).parent / '.tmpXYZ').touch()\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "files.save_file = killed\n"
        f"files.save({str(path)!r}, 'test', {{}}, {{'a': np.ones(3)}})\n"
    )
    files.save(path, "test", {}, ARRAYS)
    finished([sys.executable, "-c", program], -signal.SIGKILL)
    assert len(list(tmp_path.iterdir())) == 2
    files.load(path, "test")
    files.remove_leftovers(tmp_path / "file1")
    assert len(list(tmp_path.iterdir())) == 2
    files.remove_leftovers(path)
    assert list(tmp_path.iterdir()) == [path]


def test_nothing_else_is_taken_for_a_leftover(tmp_path: Path) -> None:
    path = tmp_path / "a.es"
    beside, lock = files._own_folder(path)
    files.remove_leftovers(path)
    assert beside.is_dir(), "somebody writes there"
    os.close(lock)
    other = tmp_path / ".a.es.joint.abcdefgh.partial"
    other.mkdir()
    (tmp_path / "link").symlink_to(path)
    files.remove_leftovers(tmp_path / "link")
    assert not beside.exists()
    assert other.is_dir()


def test_two_processes_may_write_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with ThreadPoolExecutor(4) as pool:
        for _ in range(50):
            pool.submit(files.save, path, "test", RECORD, ARRAYS)
            pool.submit(files.remove_leftovers, path)
    assert files.load(path, "test")[0] == RECORD
    assert [found.name for found in tmp_path.iterdir()] == ["file"]


def test_places_are_refused_beforehand(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere" / "file")
    (tmp_path / "one").symlink_to(tmp_path / "two")
    (tmp_path / "two").symlink_to(tmp_path / "one")
    for name, sentence in (
        ("folder", "something else than a file"),
        ("dangling", "there is no folder"),
        ("one", "links lead nowhere|there is something else"),
        ("folder/x/y", "there is no folder"),
    ):
        with pytest.raises(FileError, match=sentence):
            files.check_place(tmp_path / name)
    files.check_place(tmp_path / "new")


def test_whoever_may_read_new_files_may_read_these(tmp_path: Path) -> None:
    (tmp_path / "other").touch()
    files.save(tmp_path / "file", "test", {}, ARRAYS)
    assert (tmp_path / "file").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_devices_are_left_alone() -> None:
    with pytest.raises(FileError, match="cannot write"):
        files.save(os.devnull, "test", {}, ARRAYS)
    assert not Path(os.devnull).is_file()


def test_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "file")
    files.save(tmp_path / "link", "test", {"a": 1}, {})
    assert (tmp_path / "link").is_symlink()
    assert files.load(tmp_path / "file", "test")[0] == {"a": 1}


def test_the_same_content_makes_the_same_bytes(tmp_path: Path) -> None:
    """Whatever order the library has for its metadata this time."""
    record = {"name": 'a "quoted" ♠', "numbers": [1, 2.5]}
    arrays = {"b": np.arange(3), "a": np.ones((2, 2), dtype=np.float32)}
    written = set()
    for n in range(8):
        files.save(tmp_path / f"{n}.es", "thing", record, arrays)
        written.add((tmp_path / f"{n}.es").read_bytes())
        assert files.load(tmp_path / f"{n}.es", "thing")[0] == record
    assert len(written) == 1

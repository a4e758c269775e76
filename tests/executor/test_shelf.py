"""Memory that outlives a worker: what was put there is read back, by another process too."""

import errno
import os
from pathlib import Path

import numpy as np
import pytest

from endspiel.errors import FileError
from endspiel.executor.shelf import ShelfUser, StateShelf


@pytest.mark.parametrize("on_disk", [False, True])
def test_objects_are_read_back_by_others_and_one_volume_outlives_the_other(
    on_disk: bool, tmp_path: Path
) -> None:
    shelf = StateShelf(tmp_path if on_disk else None)
    one, two = ShelfUser(shelf.paths), ShelfUser(shelf.paths)
    states = [{"regret": np.arange(n, dtype=np.float32), "name": f"{n}"} for n in (3, 0, 70_000)]
    marks = [one.put(0, state) for state in states]
    newer = one.put(1, {"regret": np.zeros(9)})
    for state, mark in zip(states, marks, strict=True):
        found = two.get(mark)
        assert found["name"] == state["name"]
        assert np.array_equal(found["regret"], state["regret"])
        found["regret"] += 1  # a copy of its own
        assert np.array_equal(one.get(mark)["regret"], state["regret"])
        seen = two.look(mark)["regret"]
        assert np.array_equal(seen, state["regret"])
        assert not seen.flags.writeable
    again = one.put(0, "first anew")
    assert again.at == 0
    assert (two.get(again), two.get(newer)["regret"].tolist()) == ("first anew", [0.0] * 9)
    one.close()
    two.close()
    shelf.close()


def test_a_full_disk_is_told_before_it_is_written_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def full(file: int, start: int, size: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full)
    on_disk, in_memory = StateShelf(tmp_path), StateShelf()
    one, two = ShelfUser(on_disk.paths), ShelfUser(in_memory.paths)
    with pytest.raises(FileError, match="states of a worker where they are kept: No space left"):
        one.put(0, np.zeros(1000))
    assert two.get(two.put(0, "here")) == "here"  # memory is taken as it is written on
    for each in (one, two, on_disk, in_memory):
        each.close()


def test_nothing_is_left_behind() -> None:
    shelf = StateShelf()
    descriptors = [path for path in shelf.paths if Path(path).exists()]
    assert len(descriptors) == 2
    shelf.close()
    assert not any(Path(path).exists() for path in descriptors)


def test_a_system_without_files_in_memory_has_those_of_a_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delattr(os, "memfd_create", raising=False)
    test_objects_are_read_back_by_others_and_one_volume_outlives_the_other(True, tmp_path)
    test_nothing_is_left_behind()

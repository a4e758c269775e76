"""Ledgers: finished work by key, one job a file, and a refusal that names the difference."""

from pathlib import Path

import numpy as np
import pytest

from endspiel import files
from endspiel.errors import FileError
from endspiel.ledger import Ledger, LedgerFolder

JOB = {"job": "lbr", "sizes": (1, 2)}


def test_work_is_done_once(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    with Ledger(path, JOB) as ledger:
        assert ledger.once("a", lambda: {"found": 1}) == {"found": 1}
        assert ledger.once("a", lambda: {"found": 2}) == {"found": 1}
    with Ledger(path, JOB) as ledger:
        assert ledger.get("a") == {"found": 1}
        assert ledger.get("b") is None


def test_it_is_no_file_of_arrays(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger", JOB):
        pass
    with pytest.raises(FileError, match="ledger is a list of finished work: name another file"):
        files.load(tmp_path / "ledger", "checkpoint")


def test_what_was_cut_off_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    with Ledger(path, JOB) as ledger:
        ledger.add("a", {})
        ledger.add("b", {})
    whole = path.read_bytes()
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        with Ledger(path, JOB) as ledger:
            lines = whole[:size].count(b"\n") - 1
            assert [key for key in "ab" if ledger.get(key) is not None] == list("ab")[
                : max(lines, 0)
            ]


def test_another_jobs_file_is_refused_by_what_differs(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    with Ledger(path, JOB):
        pass
    before = path.read_bytes()
    for job, said in (
        ({**JOB, "job": "report"}, "was made with job lbr, not report: use the same options"),
        ({**JOB, "sizes": [3]}, r"was made with sizes \[1, 2\], not \[3\]"),
    ):
        with pytest.raises(FileError, match=said), Ledger(path, job):
            pass
    assert path.read_bytes() == before


def test_files_of_earlier_versions_are_read(tmp_path: Path) -> None:
    path = tmp_path / "state"
    path.write_text('{"endspiel":"batch","version":1}\n{"key":"a","record":{"found":1}}\n')
    with Ledger(path, JOB) as ledger:
        assert ledger.get("a") == {"found": 1}
        ledger.add("b", {})
    with Ledger(path, JOB) as ledger:
        assert ledger.get("b") == {}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("some words\n", "is no list of finished work"),
        ('{"endspiel":"ledger","version":3,"job":{}}\n', "is a ledger of version 3"),
        ('{"endspiel":"batch","version":1}\n{"key":1}\n', "line 2, is damaged"),
    ],
)
def test_other_files_are_refused_and_stay(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "state"
    path.write_text(text)
    with pytest.raises(FileError, match=said), Ledger(path, JOB):
        pass
    assert path.read_text() == text


def test_arrays_are_of_one_job(tmp_path: Path) -> None:
    folder = LedgerFolder(tmp_path / "new", "stage")
    assert not folder.has("one")
    folder.put("one", JOB, {"x": np.arange(3)})
    assert folder.has("one")
    assert folder.get("one", JOB)["x"].tolist() == [0, 1, 2]
    with pytest.raises(FileError, match="one was made with job lbr, not report"):
        folder.get("one", {"job": "report"})

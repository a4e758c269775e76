"""Files that would take each other's place are refused before any work."""

import os
from pathlib import Path

import pytest

from endspiel.cli.output import check_apart
from endspiel.errors import FileError
from endspiel.jobs.job import files_of
from tests.cli.commands import runner
from tests.hostile.surroundings import only_sentence

SPOTS = Path(__file__).parents[1] / "data" / "spots"
RIVER = """
board = "Qs Jh 2h 4c 7d"
pot = 2
stack = 4
ranges = ["AA,KK", "QQ,JJ"]
[river]
bet = "100%"
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("spot.toml").write_text(RIVER)
    os.link("spot.toml", "hard.json")
    Path("soft.csv").symlink_to("spot.toml")
    endgame = next(iter(sorted((SPOTS / "libratus").glob("*.txt"))))
    Path("ranges.txt").write_text(endgame.read_text())
    Path("named.toml").write_text('ranges_file = "ranges.txt"\n')
    Path("lock.csv").write_text("hand,c,b2\n")
    Path("game.efg").write_text("EFG")
    Path("some.log").write_text("")
    Path("cards.abs").write_text("")
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        "solve spot.toml --csv spot.toml",
        "solve spot.toml --json hard.json",
        "solve spot.toml --csv soft.csv",
        "solve spot.toml --save spot.toml",
        "solve spot.toml --save a --resume a",
        "solve spot.toml --csv a --json a",
        "solve spot.toml --export a.json --json ./a.json",
        "solve spot.toml --lock =lock.csv --csv lock.csv",
        "solve named.toml --csv ranges.txt",
        "game game.efg --save game.efg",
        "game kuhn --export a.csv --json a.csv",
        "game kuhn --save a --resume a",
        "match random random --log a --json a",
        "match random random --log a --phh a",
        "match blueprint:cards.abs random --json cards.abs",
        "replay some.log --json some.log",
        "inspect cards.abs --json cards.abs",
        "play --history a --json a",
        "dealer leduc 1 1 --log a --json a",
        "acpc localhost 1 --agent blueprint:cards.abs --json cards.abs",
        "reproduce arena --blueprint cards.abs --json cards.abs",
        "train --abstraction cards.abs --iterations 1 --json cards.abs",
        "train --abstraction cards.abs --iterations 1 --json cards.abs.joint",
        "train --abstraction cards.abs --iterations 1 --out cards.abs",
        "train --abstraction cards.abs --iterations 1 --resume . --out training.es",
        "abstract --out a --json a",
    ],
)
def test_one_would_overwrite_another(
    words: str, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path.name: path.read_bytes() for path in place.iterdir()}
    command, *arguments = words.split()
    done = runner(command, monkeypatch, capsys)(*arguments)
    assert done.status == 2
    assert "are the same file" in only_sentence(done.err)
    assert {path.name: path.read_bytes() for path in place.iterdir()} == before


def test_a_folder_that_cannot_be_written_is_refused_for_what_is_saved(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("endspiel.files.os.access", lambda path, mode: False)
    for words in ("solve spot.toml --save a", "game kuhn --save a", "game kuhn --resume a"):
        command, *arguments = words.split()
        done = runner(command, monkeypatch, capsys)(*arguments)
        assert done.status == 2
        assert "is not writable" in only_sentence(done.err)


def test_what_is_read_twice_is_no_matter(place: Path) -> None:
    agents = ["blueprint:cards.abs", "blueprint:cards.abs,post=purify", "random"]
    assert list(files_of(agents).values()) == [Path("cards.abs")] * 2
    check_apart({"--plot": Path("p.png")}, "-", {**files_of(agents), "--game": "leduc"})
    check_apart({"--csv": Path("/dev/null")}, "/dev/null")
    with pytest.raises(FileError, match="agent blueprint:cards"):
        check_apart({"--plot": Path("cards.abs")}, None, files_of(agents))

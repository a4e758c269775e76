"""Every command in the table of docs/commands.md is run as it is written there, at a small size.

`SMALLER` says what makes a command small: words of it that are replaced, and options added. A
command of the table that is missing here fails, so that the table cannot promise more than is run.
"""

import re
import shlex
import shutil
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.arena.stand_ins import Mischief, SlumbotStandIn, serving
from tests.blueprint.small import MODEL, cards
from tests.blueprint_fixture import save_small
from tests.children import PATIENCE, PIPE, Child, ended, first_line, started
from tests.cli.commands import runner
from tests.test_readme import blocks

DATA = Path(__file__).parent / "data"
PAGE = (Path(__file__).parents[1] / "docs" / "commands.md").read_text()
COMMAND = re.compile(r"`endspiel ([^`]*)`")
RIVER = """
board = "Qs Jh 2h 4c 7d"
pot = 200
stack = 300
ranges = ["AA-TT,AJs-A9s,KQo:0.5", "AQs+,JJ-77,KTs"]
[river]
bet = "75%"
raise = "a"
"""
FLOP = """
board = "Qs Jh 2h"
pot = 200
stack = 300
ranges = ["AA-TT,AJs-A9s", "AQs+,JJ-77"]
[flop]
bet = "75%"
[turn]
bet = "75%"
[river]
bet = "a"
"""
HEADER = "| you want | command |"


class Smaller(NamedTuple):
    """How a command is run in a test."""

    replaced: tuple[str, str] = ("", "")  # some words of it, and what they become
    added: str = ""
    said: str = ""  # a word that the answer must have
    typed: str = ""  # what a person types
    files: tuple[str, ...] = ()  # that the command finds in its folder


MATCH = "--hands 1000", "--hands 4"
FEW = "--ranks 2 --base-iterations 20 --iterations 5"
SMALLER = {
    "demo": Smaller(said="check"),
    "solve spot.toml --target 0.3%": Smaller(added="--threads 1", said="%", files=("spot.toml",)),
    "solve spot.toml --storage 16": Smaller(
        added="--iterations 3 --threads 1", said="%", files=("spot.toml",)
    ),
    "solve spot.toml river.toml --save solutions": Smaller(
        added="--iterations 3", said="spot.toml", files=("spot.toml", "river.toml")
    ),
    "report flop.toml --flops 25 --html report.html": Smaller(
        ("--flops 25", "--flops flops.txt"),
        "--iterations 2",
        said="equity",
        files=("flop.toml", "flops.txt"),
    ),
    "library flop.toml --flops 25": Smaller(
        ("--flops 25", "--flops flops.txt"),
        "--target 50 --folder library",
        said="are stored",
        files=("flop.toml", "flops.txt"),
    ),
    "solve river.toml --method lp": Smaller(said="exploitability", files=("river.toml",)),
    "solve river.toml --method lp --buckets 7500 --clustering kmeans": Smaller(
        said="buckets", files=("river.toml",)
    ),
    'review hands.txt --oop "22+,A2s+,KTs+,QTs+,JTs,ATo+,KJo+" --ip random': Smaller(
        added="--from river --target 1", said="dearest", files=("hands.txt",)
    ),
    "review hands.txt --from preflop --to preflop": Smaller(
        said="lose less than the charts may be off by", files=("hands.txt",)
    ),
    "upi": Smaller(typed="set_end_string END\nis_ready\nexit\n", said="is_ready ok!"),
    "play --explain": Smaller(added="--hands 1 --seed 3", typed="f\nc\nf\nc\nc\nq\n", said="you"),
    "game leduc --method lp": Smaller(said="-0.0856"),
    "game leduc --method dcfr --plot leduc.png": Smaller(added="--iterations 20", said="leduc"),
    "pushfold --stack 10": Smaller(said="-0.045371"),
    "preflop --stack 37": Smaller(added="--max-raises 1", said="are off by"),
    "game limit-holdem:ranks=3,suits=3,max_raises=1 --iterations 50": Smaller(
        ("--iterations 50", "--iterations 3"), said="mbb/g"
    ),
    "lbr blueprint --by blueprint:post=purify --boards 20": Smaller(
        ("--boards 20", "--boards 1"), "--workers 1", said="mbb"
    ),
    "lbr blueprint --setting fcpa-turn --boards 20": Smaller(
        ("--boards 20", "--boards 1"), "--workers 1", said="mbb"
    ),
    "train-values nets --shards 20 --turns 256": Smaller(
        ("--shards 20 --turns 256", "--shards 2 --turns 1"),
        "--iterations 2 --steps 2 --batch 4 --width 4 --workers 1",
        said="turns not seen",
    ),
    "dataset rivers --count 1000": Smaller(
        ("--count 1000", "--count 1"), "--target 20 --workers 1 --json -", said="rivers"
    ),
    "game my_game.efg": Smaller(said="value", files=("my_game.efg",)),
    "game openspiel:liars_dice": Smaller(
        ("liars_dice", "'liars_dice(dice_sides=3)'"),
        "--method dcfr --iterations 2",
        said="value",
    ),
    "tournament random always-call pot-odds --hands 1000": Smaller(
        MATCH, "--workers 1", said="bankroll"
    ),
    "match blueprint+unsafe blueprint --hands 1000 --seed 1": Smaller(MATCH, said="mbb/h"),
    "match blueprint:post=purify blueprint --hands 1000 --aivat": Smaller(
        MATCH, "--aivat-values open-hands", said="AIVAT"
    ),
    "match blueprint+unsafe blueprint --base blueprint:post=purify --hands 1000 "
    "--estimator either": Smaller(MATCH, said="either"),
    "match lbr+blueprint blueprint --hands 1000 --aivat": Smaller(MATCH, said="AIVAT"),
    "replay match.log": Smaller(said="hands", files=("match.log",)),
    "abstract --branching 8-12-4-4 --out cards.es": Smaller(
        ("8-12-4-4", "2-2-2-2"),
        "--flops 2 --turn-clusters 4 --flop-clusters 4 --sample 100 --threads 1",
        said="buckets",
    ),
    "train --abstraction cards.es --target 0.005 --out my.blueprint": Smaller(
        ("--target 0.005", "--iterations 2"),
        "--model model.toml --threads 1",
        said="exploitab",
        files=("cards.es", "model.toml"),
    ),
    "inspect my.blueprint": Smaller(said="exploitab", files=("my.blueprint",)),
    "reproduce coin-toss": Smaller(said="reach-maxmargin"),
    "reproduce nlfh-table1": Smaller(added=FEW, said="reach-maxmargin"),
    "reproduce nlfh-table2": Smaller(added=FEW, said="reach-maxmargin"),
    "bench": Smaller(said="equity"),
    "bench equity": Smaller(said="river"),
    "agents": Smaller(said="blueprint+nested"),
}
# Run together, in a test of their own.
BENCHMARK = "benchmark slumbot URL --hands 1000 --resume slumbot.hands"
APART = {"serve", "acpc HOST PORT --agent blueprint+unsafe", "dealer GAME HANDS SEED", BENCHMARK}
ELSEWHERE = {"mcp": "mcp/test_server.py"}  # it needs an assistant


def table() -> list[str]:
    """The commands of the page's table, without the program's name."""
    rows = PAGE[PAGE.index(HEADER) :].partition("\n\n")[0]
    return COMMAND.findall(rows)


def test_the_table_is_all_run() -> None:
    assert set(table()) == SMALLER.keys() | APART | ELSEWHERE.keys()
    assert all((DATA.parent / file).exists() for file in ELSEWHERE.values())


def put(name: str, folder: Path) -> None:
    """Make one of the files that the table names."""
    made: dict[str, Callable[[Path], object]] = {
        "spot.toml": lambda path: path.write_text(blocks("toml")[0]),
        "river.toml": lambda path: path.write_text(RIVER),
        "flop.toml": lambda path: path.write_text(FLOP),
        "flops.txt": lambda path: path.write_text("Ks 8h 3d\n"),
        "my_game.efg": lambda path: shutil.copy(DATA / "efg" / "kuhn-rational.efg", path),
        "match.log": lambda path: shutil.copy(DATA / "acpc" / "dealer-nolimit-seed42.log", path),
        "hands.txt": lambda path: shutil.copy(DATA / "hands" / "heads-up.txt", path),
        "cards.es": lambda path: cards().save(path),
        "model.toml": lambda path: path.write_text(MODEL),
        "my.blueprint": save_small,
    }
    made[name](folder / name)


def words(command: str, small: Smaller) -> list[str]:
    """The command as it is run."""
    old, new = small.replaced
    assert old in command
    return shlex.split(f"{command.replace(old, new) if old else command} {small.added}")


def start(folder: Path, *arguments: str) -> Child:
    return started([sys.executable, "-m", "endspiel", *arguments], cwd=folder, stdin=PIPE)


@pytest.mark.parametrize("command", SMALLER)
def test_a_row_does_what_it_says(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """In a process of its own where a person types, else in this one, which has all loaded."""
    small = SMALLER[command]
    for name in small.files:
        put(name, tmp_path)
    name, *rest = words(command, small)
    if small.typed:
        out, _ = ended(start(tmp_path, name, *rest), typed=small.typed)
    else:
        monkeypatch.chdir(tmp_path)
        done = runner(name, monkeypatch, capsys)(*rest)
        assert done.status == 0, done.err
        out = done.out
    assert small.said in out


def test_the_page_is_served(tmp_path: Path) -> None:
    process = start(tmp_path, "serve", "--no-browser", "--port", "0", "--folder", str(tmp_path))
    try:
        address = first_line(process).split()[-1]
        with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
            assert b"Endspiel" in answer.read()
    finally:
        process.terminate()
        ended(process)


def test_a_benchmark_is_played(tmp_path: Path) -> None:
    service = SlumbotStandIn()
    with serving(service.handle, Mischief()) as address:
        small = Smaller(("URL --hands 1000", f"{address} --hands 2"), "--agent always-call")
        out, _ = ended(start(tmp_path, *words(BENCHMARK, small)))
    assert "2 finished" in out
    assert len(service.won) == 2


def test_a_match_is_dealt_and_played(tmp_path: Path) -> None:
    dealer = start(tmp_path, "dealer", "nolimit-holdem", "2", "42", "--t_per_hand", "600000")
    ports = first_line(dealer).split()
    players = [
        start(tmp_path, "acpc", "127.0.0.1", port, "--agent", agent)
        for port, agent in zip(ports, ("blueprint+unsafe", "always-call"), strict=True)
    ]
    for player in players:
        ended(player)
    out, _ = ended(dealer)
    assert out.startswith("SCORE:")

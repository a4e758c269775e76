"""``endspiel solve``: results, nodes, files, refusals, Ctrl-C."""

import csv
import json
import os
import signal
import sys
from itertools import takewhile
from pathlib import Path

import pytest
from rich.console import Console

from endspiel.cli.grid import action_colors, action_letters, show_node
from endspiel.solving.door import solve
from endspiel.solving.solution_files import load_solution
from tests.children import ended, started
from tests.cli.commands import Run, runner
from tests.solving.spots import RIVER, TURN, spot

SPOTS = Path(__file__).parents[1] / "data" / "spots"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return runner("solve", monkeypatch, capsys)


@pytest.fixture
def river(tmp_path: Path) -> Path:
    path = tmp_path / "river.toml"
    spot(RIVER).save(path)
    return path


@pytest.fixture
def turn(tmp_path: Path) -> Path:
    path = tmp_path / "turn.toml"
    spot(TURN).save(path)
    return path


@pytest.mark.parametrize(
    "method", ["dcfr", "cfr", "cfr+", "linear", "pcfr+", "egt", "lp", "undominated"]
)
def test_json_alone_on_standard_output(method: str, run: Run, river: Path) -> None:
    limits = [] if method in ("lp", "undominated") else ["--target", 0.1]
    outcome = run(river, "--method", method, *limits, "--json", "-")
    assert outcome.status == 0, outcome.err
    result = outcome.json
    assert result["method"] == method
    assert "alpha" not in result  # of buckets, not of a scheme
    assert result["exploitability"] <= 1e-3  # 0.1 percent of the pot
    assert result["value"] == pytest.approx(-0.41985, abs=2e-3)
    assert result["nodes"] == 12
    assert result["infosets"] == 6 * 26 + 6 * 17
    assert result["iterations"] + result.get("scouting_iterations", 0) > 0
    assert result["seconds"] >= 0
    assert result["threads"] == 1
    assert result["memory_bytes"] > 1e3
    assert "node" not in result
    assert "12 decision nodes" in outcome.err


def test_a_river_in_buckets(run: Run, river: Path, turn: Path, tmp_path: Path) -> None:
    """Told twice: in the buckets, where it is exact, and on real cards, where it is not."""
    saved = tmp_path / "solution"
    asked = ["--method", "lp", "--buckets", 60, "--clustering", "kmeans", "--top", 0.9]
    outcome = run(river, *asked, "--save", saved, "--node", "c", "--json", "-")
    assert outcome.status == 0, outcome.err
    result = outcome.json
    assert result["exploitability_in_buckets"] <= 1e-9 < result["exploitability"]
    assert result["clustering"] == "kmeans"
    assert max(result["buckets"]) <= 60 // 12
    assert (result["T"], result["alpha"], result["made_by"]) == (60, 0.9, "lp")
    again = run(saved, "--node", "c", "--json", "-").json
    assert again == result
    shown = run(saved, "--full").out
    assert "clusters of equity by k-means" in shown
    assert "in the buckets" in shown
    assert "is solved already" in run(saved, "--buckets", 9).err
    assert (
        "a spot before the river takes no buckets"
        in run(turn, "--method", "lp", "--buckets", 9).err
    )


def test_text_for_people(run: Run, turn: Path) -> None:
    outcome = run(turn, "--iterations", 20, "--node", "b200 c / 8h", "--hands", "KQs")
    assert outcome.status == 0
    assert "20 iterations" in outcome.out
    assert "% of the pot" in outcome.out
    assert "Player 0 (out of position) decides after 'b200 c / 8h'" in outcome.out
    assert "KcQc" in outcome.out
    assert "TdTc" not in outcome.out
    assert "ended by iterations" in outcome.out
    assert "48 boards" in outcome.err
    full = run(turn, "--iterations", 5, "--full")
    assert "TdTc" in full.out


def test_node_in_the_json(run: Run, turn: Path) -> None:
    node = run(turn, "--iterations", 20, "--node", "b200", "--json", "-").json["node"]
    assert node["player"] == 1
    assert node["pot"] == 400
    assert node["to_call"] == 200
    assert sum(node["actions"].values()) == pytest.approx(1)
    assert {hand["hand"] for hand in node["hands"]} >= {"JdJc", "AcQc"}
    for hand in node["hands"]:
        assert hand["f"] + hand["c"] == pytest.approx(1)


def test_files_of_nodes(run: Run, river: Path, tmp_path: Path) -> None:
    table, record, saved = (tmp_path / name for name in ("node.csv", "node.json", "solution"))
    outcome = run(
        river, "--iterations", 50, "--node", "c", "--csv", table, "--export", record,
        "--save", saved, "--json", "-",
    )  # fmt: skip
    assert outcome.status == 0, outcome.err
    written = json.loads(record.read_text())
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(written["hands"]) == 17
    for row, hand in zip(rows, written["hands"], strict=True):
        assert row["hand"] == hand["hand"]
        assert float(row["c"]) == hand["c"]
        assert float(row["ev"]) == hand["ev"]
    again = run(saved, "--node", "c", "--json", "-").json
    assert again["node"] == written
    assert again["exploitability"] == outcome.json["exploitability"]
    everything = tmp_path / "all.csv"
    assert run(saved, "--all-nodes", "--csv", everything, "--export", record).status == 0
    assert len(json.loads(record.read_text())) == 12
    with everything.open(newline="") as file:
        assert {row["node"] for row in csv.DictReader(file)} >= {"", "c", "b100 r340"}
    fixed = run(river, "--iterations", 5, "--lock", f"c={table}", "--node", "c", "--json", "-").json
    assert fixed["node"]["hands"][0]["c"] == pytest.approx(written["hands"][0]["c"], abs=1e-6)
    assert fixed["locks"] == [f"c={table}"]


def test_a_solve_goes_on_from_its_checkpoint(run: Run, turn: Path, tmp_path: Path) -> None:
    checkpoint = tmp_path / "checkpoint"
    straight = run(turn, "--iterations", 30, "--threads", 1, "--json", "-").json
    run(turn, "--iterations", 13, "--threads", 1, "--resume", checkpoint)
    resumed = run(
        turn, "--iterations", 30, "--threads", 1, "--resume", checkpoint, "--json", "-"
    ).json
    assert resumed["value"] == straight["value"]
    assert resumed["exploitability"] == straight["exploitability"]


def test_spots_of_the_literature_are_read(run: Run) -> None:
    path = SPOTS / "libratus" / "subgame3.txt"
    outcome = run(path, "--iterations", 5, "--json", "-")
    assert outcome.status == 0, outcome.err
    assert outcome.json["iterations"] == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--method", "magic"], "there is no method 'magic'"),
        (["--node", "b7"], "no 'b7' at the start: there are c, b100, b200"),
        (["--node", "c c"], "no player decides after 'c c'"),
        (["--hands", "AA"], "no hand of 'AA' is in the range out of position"),
        (["--hands", "A"], "'A' at position 1"),
        (["--lock", "b7: c 1"], "lock 'b7: c 1': no 'b7' at the start"),
        (["--lock", "b100"], "is not of the form 'NODE: SPEC'"),
        (
            ["--lock", ": c 1", "--method", "lp"],
            "lp takes no locks on a river: cfr",
        ),
        (["--memory", "10KB"], " KB and 10 KB are allowed: use fewer bet sizes"),
        (["--memory", "lots"], "memory 'lots' is not written like 8GB"),
        (["--memory", "10KB", "--method", "lp"], "by lp needs"),
        (["--tree-limit", "20"], "the betting tree has more than 20 nodes"),
        (["--tree-limit", "0"], "--tree-limit takes a whole number from 1 to"),
        (["--threads", "0"], "--threads takes a whole number from 1 to 4,096, not 0"),
        (["--target", "-1"], "--target takes a number from 0 to"),
        (["--save", "/nowhere/x"], "cannot write /nowhere/x: there is no folder"),
        (["--csv", "/nowhere/x"], "cannot write /nowhere/x: there is no folder"),
        (["--export", "node.txt"], "nodes are exported to .json, not to 'node.txt'"),
        (["--all-nodes"], "--all-nodes needs --csv or --export"),
        (["--method", "lp", "--resume", "c"], "lp takes no checkpoint"),
        (["--buckets", "500"], "dcfr takes no buckets on a river: lp, und"),
        (["--method", "lp", "--clustering", "round"], "no clustering 'round'"),
        (["--method", "lp", "--clustering", "all-hands", "--top", "0.9"], "there are no buckets"),
        (["--method", "lp", "--buckets", "0"], "--buckets takes a whole number from 1 to"),
    ],
)
def test_refusals(arguments: list[str], message: str, run: Run, river: Path) -> None:
    outcome = run(river, *arguments)
    assert outcome.status == 2
    assert message in outcome.err
    assert "Traceback" not in outcome.err
    assert outcome.out == ""


def test_refused_files(run: Run, river: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.toml"
    for text, message in (
        ("", "the key ranges is missing"),
        (spot(RIVER).dump().replace("400", "0"), "stack is 0"),
        (spot(RIVER, ranges=["TT", "JJ"]).dump().replace("TT", "xx"), "'xx' at position 1"),
        (spot(RIVER).dump().replace('board = "Qs', 'board = "Qs Qs'), "Qs"),
    ):
        bad.write_text(text)
        outcome = run(bad)
        assert outcome.status == 2
        assert message in outcome.err
    empty = tmp_path / "empty.toml"
    empty.write_text(spot(RIVER, ranges=["QcQd", "JJ"]).dump().replace("QdQc", "QsJh"))
    assert "has no hand that the board allows" in run(empty).err
    assert "there is no file" in run(tmp_path / "missing.toml").err
    assert "there is no file" in run(tmp_path / "missing").err
    junk = tmp_path / "junk"
    junk.write_text("not a solution")
    assert "is damaged or no Endspiel file" in run(junk).err
    run(river, "--iterations", 3, "--save", tmp_path / "saved")
    outcome = run(tmp_path / "saved", "--iterations", 9)
    assert "is solved already" in outcome.err


def test_ctrl_c_keeps_the_best_so_far(tmp_path: Path) -> None:
    saved = tmp_path / "solution"
    command = "from endspiel.cli import main; main()"
    arguments = [SPOTS / "river_a.toml", "--target", "0", "--save", saved, "--json", "-"]
    process = started(
        [sys.executable, "-c", command, "solve", *arguments],
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stderr is not None
    said = list(takewhile(lambda line: not line.startswith("iteration"), process.stderr))
    assert process.poll() is None, said
    process.send_signal(signal.SIGINT)
    out, _ = ended(process)
    result = json.loads(out)
    assert result["stopped"] == "interrupted"
    assert result["iterations"] > 0
    assert load_solution(saved).exploitability == result["exploitability"]


def test_charts() -> None:
    view = solve(spot(RIVER), iterations=30).view("b100")
    assert view.actions == ("f", "c", "r340")
    assert action_letters(view.actions) == ["f", "c", "A"]
    assert len(set(action_colors(["f", "c", "b1", "b2", "b3"]))) == 5
    color = Console(force_terminal=True, color_system="truecolor", width=80, record=True)
    with color.capture() as shown:
        show_node(color, view, view.chosen("QQ"))
    assert "\x1b[" in shown.get()
    assert "raise to 340" in shown.get()
    plain = Console(color_system=None, width=80)
    with plain.capture() as shown:
        show_node(plain, view)
    text = shown.get()
    assert "\x1b[" not in text
    assert "A = raise to 340" in text
    assert all(len(line) <= 80 for line in text.splitlines())


def test_tree_prints_every_line_without_solving(run: Run) -> None:
    shown = run(SPOTS / "river_b.toml", "--tree")
    assert shown.status == 0
    assert shown.out.count("\n") == 32 + 31 + 30 + 1
    assert shown.out.endswith("32 decision nodes, 14,080 infosets\n")


def test_options_name_the_rake(run: Run, river: Path) -> None:
    found = run(river, "--rake", "5%", "--rake-cap", 3, "--iterations", 5, "--json", "-").json
    assert sum(found["evs"]) + found["rake"] == pytest.approx(found["pot"], abs=1e-9)
    assert 0 < found["rake"] <= 3
    plain = run(river, "--iterations", 5, "--json", "-").json
    assert sum(plain["evs"]) == pytest.approx(plain["pot"], abs=1e-9)
    assert "rake" not in plain

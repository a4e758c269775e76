"""Sessions from build_tree to exit: formats, solves in the background, files, and refusals."""

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import endspiel as es
from tests.children import PIPE, ended, output_of, started
from tests.upi.talk import Talk

SETUP = (
    "set_board Qs Jh 2h 4c 7d", "set_range OOP AA,TT,KQs", "set_range IP KK,QJs,T9s",
    "set_pot 0 0 200", "set_eff_stack 300",
)  # fmt: skip
TREE = (*SETUP, "add_line 0 100 300", "add_line 150 300", "build_tree")


@pytest.fixture
def talk() -> Iterator[Talk]:
    one = Talk()
    yield one
    one.session.free_tree()


def test_every_answer_ends_with_the_end_string(talk: Talk) -> None:
    assert talk.ask("set_end_string END") == ["set_end_string ok!", "END"]
    assert talk.ask("is_ready") == ["is_ready ok!", "END"]
    assert talk.ask("nonsense")[-1] == "END"
    assert talk.ask("reset_end_string") == ["reset_end_string ok!"]
    assert talk.ask("# a comment") == talk.ask("   ") == [""]


def test_a_node_is_six_lines(talk: Talk) -> None:
    talk.done(*TREE)
    node = ["r:0:b150", "IP_DEC", "Qs Jh 2h 4c 7d", "150 0 200", "3 children", "flags: UNSOLVED"]
    assert talk.ask("show_node r:0:b150") == node
    told = talk.ask("show_children r:0")
    assert told[:7] == ["child 0:", *node]
    assert told[7:9] == ["", "child 1:"]
    assert talk.ask("show_node r")[1] == "ROOT"
    assert talk.ask("show_node r:0:b150:f")[1:5] == [
        "END_NODE", "Qs Jh 2h 4c 7d", "150 0 200", "0 children",
    ]  # fmt: skip
    assert talk.ask("show_effective_stack") == ["300"]
    assert {"r", "r:0", "r:0:b150:b300:c"} <= set(talk.ask("show_all_lines"))


def test_before_any_step_every_action_is_alike(talk: Talk) -> None:
    talk.done(*TREE)
    shares = talk.rows("show_strategy r:0:b150")
    held = shares.sum(axis=0) > 0
    assert shares[:, held] == pytest.approx(1 / 3)


def test_steps_taken_in_two_pieces_are_the_same_steps(talk: Talk) -> None:
    talk.done(*TREE, "go 15 steps", "wait_for_solver")
    assert talk.ask("show_node r:0")[5] == "flags: PIO_ALG"
    first = talk.ask("calc_results")
    talk.done("go 25 steps", "wait_for_solver")
    second = talk.ask("calc_results")
    talk.done("build_tree", "go 40 steps", "wait_for_solver")
    assert talk.ask("calc_results") == second != first


def test_rake_is_set_as_a_share_or_in_percent(talk: Talk) -> None:
    for words in ("0.05 17", "5 17", "5% 17"):
        talk.done(f"set_rake {words}")
        assert talk.session.setup.rake == es.Rake(0.05, cap=17)
    talk.done(*TREE, "go 40 steps", "wait_for_solver")
    told = talk.ask("show_tree_info")
    assert {"#Rake.Enabled#True", "#Rake.Fraction#0.05", "#Rake.Cap#17.0"} <= set(told)
    chips = [float(line.partition(": ")[2]) for line in talk.ask("calc_results")]
    solution = talk.session.the_tree().solution
    assert solution.rake > 9
    assert chips[0] + chips[1] == pytest.approx(200 - solution.rake, abs=1e-5)
    assert chips[4] == pytest.approx(200 * solution.exploitability, abs=1e-3)
    talk.done("set_rake 0.5")
    assert talk.session.setup.rake == es.Rake(0.5)
    assert "the rake is 'abc'" in talk.ask("set_rake abc 3")[0]
    assert "the cap is '-1'" in talk.ask("set_rake 0.05 -1")[0]
    assert "a rake is a share" in talk.ask("set_rake 100 3")[0]
    assert talk.ask("help set_rake") == [
        "set_rake: it takes a share (0.05, 5 or 5%) and a cap in chips"
    ]


def test_a_raked_spot_file_is_built_with_its_rake(talk: Talk, tmp_path: Path) -> None:
    spot = {
        "board": "Qs Jh 2h 4c 7d", "pot": 200, "stack": 300, "ranges": ["AA", "KK"],
        "river": {"bet": "50%"},
    }  # fmt: skip
    file = tmp_path / "spot.toml"
    es.parse_spot(spot | {"rake": "5%"}).save(file)
    talk.done(f"load_spot {file}", "build_tree")
    assert talk.session.the_tree().spot.rake == es.Rake(0.05)
    es.parse_spot(spot | {"prizes": [2, 1]}).save(file)
    assert "a spot with prizes is solved by endspiel solve" in talk.ask(f"load_spot {file}")[0]


def test_a_script_of_the_usual_commands(talk: Talk, tmp_path: Path) -> None:
    """Each command that scripts use, in the order in which they do."""
    talk.done(*TREE, "go", "stop", "wait_for_solver", "go 60 steps", "wait_for_solver")
    shares = talk.rows("show_strategy r:0")
    evs, weights = talk.rows("calc_ev OOP r:0")
    held = weights > 0
    assert shares[:, held].sum(axis=0) == pytest.approx(1)
    mean = float(evs[held] @ weights[held] / weights[held].sum())
    assert float(talk.ask("calc_results")[0].partition(": ")[2]) == pytest.approx(mean, abs=1e-3)
    equity = talk.rows("calc_eq OOP")[0]
    assert ((equity[held] >= 0) & (equity[held] <= 1)).all()
    assert talk.ask("show_node r:0")[1] == "OOP_DEC"
    file = tmp_path / "tree.cfr"
    talk.done(f"dump {file}", "free_tree")
    assert talk.ask("is_tree_present") == ["false"]
    talk.done(f"load_tree {file}")
    assert talk.rows("show_strategy r:0") == pytest.approx(shares)
    names = [line.partition(":")[0] for line in talk.ask("help")]
    assert {"load_tree", "set_board", "set_range", "set_pot", "go", "stop", "dump"} <= set(names)
    assert "there is no command 'nonsense'" in talk.ask("help nonsense")[0]


def test_a_solve_ends_at_its_accuracy(talk: Talk) -> None:
    talk.done(*TREE, "set_accuracy 0.5", "set_info_freq 10", "go", "wait_for_solver")
    assert "SOLVER: stopped (required accuracy reached)" in talk.written
    reports = [text for text in talk.written if text.startswith("SOLVER:\nrunning time: ")]
    assert float(reports[-1].rpartition(": ")[2]) <= 0.5
    assert float(talk.ask("calc_results")[-1].partition(": ")[2]) <= 0.5
    talk.done("set_accuracy 0.0005 fraction", "go", "wait_for_solver")
    assert float(talk.ask("calc_results")[-1].partition(": ")[2]) <= 0.1
    assert float(talk.ask("solver_time")[0]) > 0


def test_a_solve_without_end_is_stopped(talk: Talk) -> None:
    talk.done(*TREE, "go")
    refused = {name: talk.ask(name)[0] for name in ("go", "build_tree", "calc_results")}
    assert refused == {
        name: f"ERROR: {name}: the solver is running: stop it, or wait_for_solver"
        for name in refused
    }
    assert talk.ask("show_node r:0")[1] == "OOP_DEC"
    talk.done("stop")
    at = talk.written.index("go ok!")
    assert talk.written[at + 1] == "SOLVER: started"
    assert talk.written[-2:] == ["SOLVER: stopped (stopped by command)", "stop ok!"]
    assert talk.rows("show_strategy r:0").shape == (2, 1326)


def test_a_saved_tree_is_loaded_as_it_was(talk: Talk, tmp_path: Path) -> None:
    path = tmp_path / "my river.es"
    talk.done(*TREE, "go 20 steps", "wait_for_solver", "add_info_line #Source#a test")
    strategy, results = talk.ask("show_strategy r:0:c"), talk.ask("calc_results")
    talk.done(f'dump_tree "{path}" full', "free_tree")
    assert talk.ask("is_tree_present") == ["false"]
    assert "#Source#a test" in talk.ask(f'show_metadata "{path}"')
    other = Talk()
    other.done(f'load_tree "{path}"')
    assert other.ask("show_strategy r:0:c") == strategy
    assert other.ask("calc_results") == results
    told = other.ask("show_tree_info")
    assert told[:3] == ["#Board#Qs Jh 2h 4c 7d", "#Pot#200", "#EffectiveStacks#300"]
    assert told[-1] == "#Source#a test"
    assert "build_tree solves it again" in other.ask("go")[0]
    other.done("build_tree", "go 20 steps", "wait_for_solver")
    assert other.ask("show_strategy r:0:c") == strategy
    other.session.free_tree()
    assert es.load_solution(path).iterations == 20


def test_bet_sizes_and_spot_files_give_the_same_tree(talk: Talk, tmp_path: Path) -> None:
    talk.done(*SETUP, 'set_bet_sizes river "50%, a" "a"', "build_tree")
    lines = talk.ask("show_all_lines")
    assert "r:0:b100:b300:c" in lines
    assert talk.session.tree is not None
    talk.session.tree.spot.save(tmp_path / "river.toml")
    other = Talk()
    other.done(f"load_spot {tmp_path / 'river.toml'}", "build_tree")
    assert other.ask("show_all_lines") == lines
    other.session.free_tree()


def test_a_locked_node_keeps_its_strategy(talk: Talk) -> None:
    talk.done(*TREE)
    always_fold = " ".join(["0"] * 1326 + ["0"] * 1326 + ["1"] * 1326)  # raise, call, fold
    talk.done(f"set_strategy r:0:b150 {'0.2 ' * 3978}")
    assert "at r:0:b150 add up to 0.6" in talk.ask("lock_node r:0:b150")[0]
    talk.done(f"set_strategy r:0:b150 {always_fold}", "lock_node r:0:b150")
    assert talk.ask("show_node r:0:b150")[5] == "flags: UNSOLVED LOCKED"
    talk.done("set_accuracy 0.1", "go", "wait_for_solver")
    shares = talk.rows("show_strategy r:0:b150")
    held = shares.sum(axis=0) > 0
    assert shares[2, held] == pytest.approx(1)
    assert talk.session.tree is not None
    spot = talk.session.tree.spot
    options = es.SpotOptions(locks=["b150: f 1"])
    wanted = es.solve(spot, target=0.1 / 200, options=options)
    assert talk.ask("calc_results")[0] == f"EV OOP: {200 * (0.5 + wanted.value):.6f}"
    talk.done("unlock_node r:0:b150", "go", "wait_for_solver")
    free = es.solve(spot, target=0.1 / 200)
    assert talk.ask("calc_results")[0] == f"EV OOP: {200 * (0.5 + free.value):.6f}"
    assert free.value < wanted.value
    now = talk.ask("show_strategy r:0:b150")
    talk.done("build_tree", "lock_node r:0:c", "go 10 steps", "wait_for_solver")
    assert talk.ask("show_strategy r:0:b150") != now
    even = talk.rows("show_strategy r:0:c")
    assert even[:, even.sum(axis=0) > 0] == pytest.approx(1 / 2)


def test_weights_of_all_hands_are_a_range(talk: Talk) -> None:
    weights = ["0"] * 1326
    weights[talk.order().index("AsKs")] = "0.25"
    talk.done(f"set_range IP {' '.join(weights)}")
    row = talk.rows("show_range IP")[0]
    assert row.sum() == row[talk.order().index("AsKs")] == 0.25


def test_scripts_are_read_from_files(talk: Talk, tmp_path: Path) -> None:
    script = tmp_path / "tree.txt"
    script.write_text("# a river\n" + "\n".join(TREE) + "\ngo 5 steps\nwait_for_solver\n")
    talk.done(f"load_script_silent {script}")
    assert talk.ask("show_node r:0")[5] == "flags: PIO_ALG"
    assert talk.ask(f"load_script {script}")[-1] == "load_script ok!"
    script.write_text("is_ready\nset_pot x\n")
    (said,) = talk.ask(f"load_script_silent {script}")
    assert "line 2: set_pot: the pot is 'x'" in said
    script.write_text(f"load_script_silent {script}\n")
    assert "reads itself" in talk.ask(f"load_script_silent {script}")[0]
    assert "reads itself" in talk.ask(f"load_script_silent {script}")[0]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("no_such_thing 1", "there is no such command"),
        ("is_ready now", "it takes nothing"),
        ("set_board Qs Qs 2c", "repeated"),
        ("set_board QsJhX", "no card"),
        ("set_range MP AA", "no position 'MP'"),
        ("set_range OOP AK+x", "AK+x"),
        (f"set_range OOP {'1 ' * 1000}", "there are 1000 weights"),
        (f"set_range OOP {'2 ' * 1326}", "weights go from 0 to 1"),
        (f"set_range OOP {'a ' * 1326}", "no number"),
        ("set_pot 10 10 200", "put in before the root"),
        ("set_pot 0 0 0", "1 or more"),
        ("set_eff_stack 1e3", "whole number"),
        ("add_line 5 x", "whole numbers"),
        ("remove_line 1 2 3", "no line '1 2 3'"),
        ("set_bet_sizes preflop 50%", "no street"),
        ("set_bet_sizes river 50y", "50y"),
        ("set_accuracy nan", "the accuracy is 'nan'"),
        ("set_accuracy 1 percent", "no unit"),
        ("set_threads -1", "threads"),
        ("load_tree nowhere.es", "nowhere.es"),
        ("load_spot nowhere.toml", "nowhere.toml"),
        ("load_script nowhere.txt", "nowhere.txt"),
        ("show_node r:0", "there is no tree"),
        ("go", "there is no tree"),
        ("stop", "there is no tree"),
        ("free_tree", "there is no tree"),
        ("build_tree", "set_board comes first"),
    ],
)
def test_what_is_wrong_is_named_and_the_session_goes_on(line: str, said: str, talk: Talk) -> None:
    (answer,) = talk.ask(line)
    assert answer.startswith(f"ERROR: {line.split()[0]}: ")
    assert said in answer
    assert len(answer) < 800
    assert talk.ask("is_ready") == ["is_ready ok!"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("show_node x", "names begin with r:0"),
        ("show_node r:0:b7", "no 'b7' after r:0: there are b150, c"),
        ("show_node r:0:c:c:c", "the hand is over"),
        ("show_strategy r", "no player decides at r"),
        ("show_strategy r:0:b150:f", "no player decides"),
        ("calc_ev OOP", "it takes a position"),
        ("set_strategy r:0 1 2 3", "r:0 has 2 children of 1326 hands"),
        (f"set_strategy r:0 {'x ' * 2652}", "no number"),
        (f"set_strategy r:0 {'2 ' * 2652}", "not from 0 to 1"),
        ("lock_node r:0:c:c", "no player decides"),
        ("unlock_node r:0", "r:0 is not locked"),
        ("go 5 hours", "no unit 'hours'"),
        ("go -5", "number of steps"),
        ("dump_tree x.es no_rivers", "files here are whole"),
        ("load_tree x.es slowly", "no way 'slowly'"),
    ],
)
def test_a_tree_knows_what_it_has_not(line: str, said: str, talk: Talk) -> None:
    talk.done(*TREE)
    assert said in talk.ask(line)[0]


def test_a_tree_needs_one_kind_of_bets(talk: Talk) -> None:
    talk.done(*SETUP)
    assert "add_line or set_bet_sizes comes first" in talk.ask("build_tree")[0]
    talk.done("add_line 0 100", "set_bet_sizes river 50%")
    assert "both given" in talk.ask("build_tree")[0]
    talk.done("clear_bet_sizes", "build_tree", "remove_line 0 100", "add_line 50 20")
    assert "less than the 50 of a call" in talk.ask("build_tree")[0]


def test_a_fault_of_ours_ends_no_session(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by design")

    monkeypatch.setattr("endspiel.upi.background.solve", fail)
    talk.done(*TREE)
    assert talk.ask("calc_results") == ["ERROR: calc_results: ZeroDivisionError by design"]
    talk.done("go 5 steps", "wait_for_solver")
    assert talk.written[-2] == "SOLVER: stopped (ERROR: ZeroDivisionError: by design)"


class Pipe:
    """A session in a process of its own."""

    def __init__(self) -> None:
        self.process = started(
            [sys.executable, "-m", "endspiel", "upi"],
            stdin=PIPE,
            text=False,
            env=os.environ | {"PYTHONIOENCODING": "utf-8"},
        )

    def send(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def read(self) -> list[str]:
        """Lines up to the end string."""
        assert self.process.stdout is not None
        lines: list[str] = []
        while not lines or lines[-1] != "END":
            line = self.process.stdout.readline().decode()
            assert line, ended(self.process)
            lines.append(line.rstrip("\n"))
        return [line for line in lines[:-1] if not line.startswith("SOLVER:")]

    def ask(self, line: str) -> list[str]:
        self.send(line.encode())
        return self.read()


def test_a_session_through_pipes() -> None:
    pipe = Pipe()
    assert pipe.ask("set_end_string END") == ["set_end_string ok!"]
    for line in TREE:
        assert pipe.ask(line) == [f"{line.split()[0]} ok!"]
    assert pipe.ask("go") == ["go ok!"]
    time.sleep(0.1)
    assert pipe.ask("stop") == ["stop ok!"]
    pipe.send(b"\xff\xfe what")
    assert pipe.read()[0].startswith("ERROR: ")
    pipe.ask("free_tree")
    for line in ("build_tree", "go 20 steps", "wait_for_solver"):
        assert pipe.ask(line) == [f"{line.split()[0]} ok!"]
    here = Talk()
    here.done(*TREE, "go 20 steps", "wait_for_solver")
    for line in ("show_strategy r:0:c", "calc_ev IP r:0", "calc_results"):
        assert pipe.ask(line) == here.ask(line)
    here.session.free_tree()
    pipe.send(b"exit")
    assert ended(pipe.process) == (b"", b"")


def test_the_end_of_input_ends_the_session() -> None:
    lines = "\n".join(["set_end_string END", *TREE, "go"]) + "\n"
    written = output_of([sys.executable, "-m", "endspiel", "upi", "--json", "-"], input=lines)
    assert written.endswith('{\n  "commands": 10,\n  "errors": 0\n}\n')

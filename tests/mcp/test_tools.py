"""The tools for assistants, without a client: answers, certificates, limits, what is refused."""

from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

import endspiel as es
from endspiel.errors import EndspielError
from endspiel.mcp.queue import CANCELLED, JobQueue, QueuedJob
from endspiel.mcp.tools import TOOLS, Pending, Toolbox, ToolLimits
from tests.batch.rivers import flop_content, river, river_content

HANDS = Path(__file__).parents[1] / "data" / "hands"
PATIENCE = 300


def ask(box: Toolbox, tool: str, **arguments: Any) -> dict[str, Any]:
    """A tool's answer, waited for."""
    found = box.call(tool, arguments)
    if not isinstance(found, Pending):
        return found
    assert found.job.ended.wait(PATIENCE)
    return box.outcome(found.job)


@pytest.fixture(scope="module")
def box() -> Iterator[Toolbox]:
    made = Toolbox(ToolLimits(threads=1))
    yield made
    made.close()


@pytest.fixture(scope="module")
def solved(box: Toolbox) -> dict[str, Any]:
    """A solved river's answer."""
    return ask(box, "solve", spot=river_content(), target_percent=0.2)


def test_a_solve_states_its_exploitability_and_its_game(solved: dict[str, Any]) -> None:
    measured = solved["measured"]
    assert 0 < measured["exploitability"] <= 0.2
    assert measured["chips"] == pytest.approx(measured["exploitability"] / 100 * 200)
    assert "on Qs Jh 2h 4c 7d, pot 200, 300 behind" in measured["game"]
    direct = es.solve(river(), target=0.002)
    assert solved["evs"]["OOP"] == pytest.approx(direct.evs[0], abs=0.5)
    assert [one["name"] for one in solved["root"]["actions"]] == ["check", "bet 150"]
    assert sum(one["frequency"] for one in solved["root"]["actions"]) == pytest.approx(1)


def test_a_spot_may_be_the_text_of_its_file(box: Toolbox, solved: dict[str, Any]) -> None:
    again = ask(box, "solve", spot=river().dump(), target_percent=0.2)
    assert again["solution"] == solved["solution"]


def test_a_spot_that_is_solved_is_not_solved_again(box: Toolbox, solved: dict[str, Any]) -> None:
    looser = ask(box, "solve", spot=river_content(), target_percent=0.5)
    assert looser["solution"] == solved["solution"]
    assert looser["seconds"] == solved["seconds"]
    stricter = ask(box, "solve", spot=river_content(), target_percent=0.05)
    assert stricter["solution"] != solved["solution"]
    assert stricter["measured"]["exploitability"] <= 0.05


def test_a_node_is_explained(box: Toolbox, solved: dict[str, Any]) -> None:
    node = ask(box, "node", solution=solved["solution"], line="b150", hands="JJ", classes=True)
    assert node["player"] == "IP"
    assert node["measured"] == solved["measured"]
    assert [one["word"] for one in node["actions"]] == ["f", "c", "r300"]
    assert "JJ" in node["classes"]
    assert {row["hand"][:1] for row in node["hands"]} == {"J"}
    assert sum(kind["share"] for kind in node["made_hands"]) == pytest.approx(1, abs=1e-4)
    best = node["made_hands"][0]
    assert best["actions"]["f"] < 0.01
    named = dict(one.split(":") for one in node["actions"][0]["mostly"])
    assert named
    assert "JJ" not in named


def test_a_card_and_an_end_are_nodes_too(box: Toolbox) -> None:
    flop = ask(box, "solve", spot=flop_content(), target_percent=5)
    deal = ask(box, "node", solution=flop["solution"], line="c c")
    assert deal["kind"] == "deal"
    assert "8h" in deal["cards"]
    assert ask(box, "node", solution=flop["solution"], line="c c / 8h")["street"] == "turn"
    end = ask(box, "node", solution=flop["solution"], line="b50 f")
    assert (end["outcome"], end["winner"]) == ("fold", "OOP")


def test_a_lock_gives_the_other_player_more(box: Toolbox, solved: dict[str, Any]) -> None:
    locked = ask(box, "lock", solution=solved["solution"], line="b150", actions={"f": 1.0})
    assert locked["gains"]["OOP"] > 1
    assert locked["locks"] == ["b150: random f 1"]
    assert "1 locked nodes are held fixed" in locked["measured"]["game"]
    assert locked["root"]["actions"][1]["frequency"] > 0.8
    mostly = ask(
        box, "lock", solution=locked["solution"], line="b150", frequencies={"f": 0.9, "c": 0.1}
    )
    assert len(mostly["locks"]) == 1
    beside = ask(box, "compare", first=solved["solution"], second=locked["solution"])
    assert beside["more_often"]["b150"] > 0.2
    assert "locked" in beside["measured"]["second"]["game"]
    assert "locked" not in beside["measured"]["first"]["game"]


def test_a_report_has_every_board_and_the_mean(box: Toolbox) -> None:
    made = ask(box, "report", spot=river_content(), rivers="7d, 8d", target_percent=1)
    assert [row["board"] for row in made["rows"]] == ["Qs Jh 2h 4c 7d", "Qs Jh 2h 4c 8d"]
    shares = [100 * row["exploitability"] for row in made["rows"]]
    assert made["measured"]["worst"] == max(shares) <= 1
    assert made["measured"]["exploitability"] == pytest.approx(sum(shares) / 2)


def test_a_tree_before_the_flop(box: Toolbox) -> None:
    asked: dict[str, Any] = {"stack": 12, "opens": "a", "max_raises": 1, "limp": False}
    found = ask(box, "preflop", **asked, line="r1200")
    assert found["chart"]["names"] == ["fold", "call"]
    assert found["chart"]["classes"]["AA"] == [0.0, 1.0]
    assert found["measured"]["unit"] == "big blinds a hand"
    assert found["measured"]["exact"]
    with pytest.raises(EndspielError, match="no decision after 'r5': there are '', 'r1200'"):
        box.call("preflop", asked | {"line": "r5"})


def test_hands_are_reviewed(box: Toolbox) -> None:
    text = (HANDS / "heads-up.txt").read_text()
    found = ask(box, "review", history=text, first_street="river", target_percent=1)
    assert found["hands"] >= 1
    assert found["decisions"] >= len(found["dearest"]) > 0
    assert 0 < found["measured"]["worst"] <= 1
    assert "link" not in found["dearest"][0]


def test_a_log_names_no_file_of_this_machine(
    box: Toolbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = (HANDS.parent / "acpc" / "dealer-nolimit-seed42.log").read_text().splitlines()
    header = " ".join([*log[0].split()[:3], "secret.game", "2", "42"])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret.game").write_text("read, this would be refused")
    states = [line for line in log if line.startswith("STATE:")][:2]
    found = ask(box, "review", history="\n".join([header, *states]), first_street="river")
    assert found["read"] == 2


def test_an_agent_is_measured(box: Toolbox) -> None:
    found = ask(box, "lbr", agent="always-fold", setting="fcpa", boards=4, game="kuhn")
    assert found["mbb_per_hand"] == 1000.0
    assert not found["measured"]["exact"]
    assert "lower bound" in found["measured"]["game"]


def test_answers_are_remembered(box: Toolbox) -> None:
    asked = {"agent": "always-fold", "setting": "fcpa", "boards": 3, "game": "kuhn"}
    first = ask(box, "lbr", **asked)
    again = box.call("lbr", asked | {"wait_seconds": 1})
    assert again == first


def test_a_job_whose_time_is_over_answers_with_what_it_has() -> None:
    box = Toolbox(ToolLimits(threads=1, seconds=1e-9))
    found = ask(box, "solve", spot=river_content(), target_percent=1e-6)
    assert found["ended_by"] == "seconds"
    assert found["measured"]["exploitability"] > 1e-6
    found = ask(box, "lbr", agent="always-fold", setting="fcpa", boards=50, game="kuhn")
    assert 0 < found["boards"] < found["asked"]
    box.close()


def test_a_cancelled_job_has_no_answer() -> None:
    box = Toolbox(ToolLimits(threads=1))
    found = box.call("solve", {"spot": river_content(), "target_percent": 1e-9})
    assert isinstance(found, Pending)
    told = ask(box, "cancel", job=found.job.name)
    assert told["tool"] == "solve"
    assert found.job.ended.wait(PATIENCE)
    assert found.job.state == CANCELLED
    with pytest.raises(EndspielError, match="job1 was cancelled"):
        ask(box, "job", job="job1")
    assert ask(box, "list") == {"solutions": [], "jobs": [found.job.progress()]}
    box.close()


def test_one_question_asked_twice_is_one_job() -> None:
    box = Toolbox(ToolLimits(threads=1))
    asked = {"spot": river_content(), "target_percent": 1e-9}
    one, two = box.call("solve", asked), box.call("solve", asked | {"wait_seconds": 1})
    assert isinstance(one, Pending)
    assert isinstance(two, Pending)
    assert one.job is two.job
    box.close()


def test_jobs_come_one_after_the_other() -> None:
    queue, gate, order = JobQueue(60.0), Event(), list[str]()

    def work(job: QueuedJob) -> dict[str, Any]:
        gate.wait(PATIENCE)
        order.append(job.name)
        return {}

    jobs = [queue.add("x", work) for _ in range(3)]
    jobs[1].cancel()
    gate.set()
    assert all(job.ended.wait(PATIENCE) for job in jobs)
    assert order == ["job1", "job3"]
    queue.close()


def test_a_bug_is_said_and_the_next_job_runs(capsys: pytest.CaptureFixture[str]) -> None:
    queue = JobQueue(60.0)
    bad, good = queue.add("x", lambda job: {"a": 1 / 0}), queue.add("y", lambda job: {"b": 1})
    assert good.ended.wait(PATIENCE)
    assert bad.error == "a bug: ZeroDivisionError: division by zero"
    assert "ZeroDivisionError" in capsys.readouterr().err
    assert good.answer == {"b": 1}
    queue.close()


def test_no_file_is_written_but_into_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    box = Toolbox(ToolLimits(threads=1))
    first = ask(box, "solve", spot=river_content(), target_percent=2)
    assert list(tmp_path.iterdir()) == []
    box.close()
    box = Toolbox(ToolLimits(threads=1, folder=tmp_path))
    ask(box, "solve", spot=river_content(), target_percent=2)
    assert [path.name for path in tmp_path.iterdir()] == [f"{first['solution']}.es"]
    box.close()
    box = Toolbox(ToolLimits(threads=1, folder=tmp_path))  # another day
    node = ask(box, "node", solution=first["solution"], line="c")
    assert node["player"] == "IP"
    box.close()


def test_memory_is_limited() -> None:
    box = Toolbox(ToolLimits(threads=1, memory=10_000))
    with pytest.raises(EndspielError, match=r"this spot needs .* and 10 KB are allowed"):
        box.call("solve", {"spot": river_content()})
    box.close()


def test_old_solutions_leave_memory_for_new_ones(solved: dict[str, Any]) -> None:
    one = es.solve(river(), iterations=1).memory_bytes
    box = Toolbox(ToolLimits(threads=1, memory=int(1.5 * one)))
    first = ask(box, "solve", spot=river_content(), target_percent=5)
    ask(box, "solve", spot=river_content("8d"), target_percent=5)
    assert len(ask(box, "list")["solutions"]) == 1
    with pytest.raises(EndspielError, match="there is no solution"):
        ask(box, "node", solution=first["solution"])
    box.close()


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("sovle", {}, "there is no tool 'sovle': there are solve, node"),
        ("solve", {}, "spot is missing"),
        ("solve", {"spot": "board ="}, "the text is no TOML"),
        ("solve", {"spot": "ranges_file = 'x'"}, "ranges_file names another file"),
        ("solve", {"spot": river_content() | {"pot": -1}}, "pot is -1"),
        ("solve", {"spot": river_content(), "method": "cfq"}, "cfq"),
        ("solve", {"spot": river_content(), "locks": ["b150=/etc/passwd"]}, "a lock here is"),
        ("solve", {"spot": river_content(), "target_percent": 0}, "target_percent"),
        ("node", {"solution": "../../etc"}, "there is no solution"),
        ("job", {"job": "job99"}, "there is no job 'job99'"),
        ("report", {"spot": river_content()}, "give one of flops, turns and rivers"),
        ("report", {"spot": river_content(), "flops": "/etc/passwd"}, "the flops, line 1"),
        ("review", {"history": "nothing"}, "is neither a history"),
        ("review", {"history": "x", "first_street": "pond"}, "it is one of preflop"),
        ("lbr", {"agent": "os:system"}, "agent 'os:system' may not be used here"),
        ("lbr", {"agent": "acpc:rm -rf x"}, "may not be used here"),
        ("lbr", {"agent": "blueprint:/etc/passwd"}, "has no option"),
        ("lbr", {"agent": "blueprint+nested,file=x.es"}, "option file names a file"),
        ("lbr", {"agent": "always-call", "game": "/etc/passwd"}, "there is no game"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(
    box: Toolbox, tool: str, arguments: dict[str, Any], said: str
) -> None:
    with pytest.raises(EndspielError) as refused:
        ask(box, tool, **arguments)
    assert said in str(refused.value)


def test_schemas_have_help_and_bounds() -> None:
    schema = TOOLS["lbr"].schema
    assert schema["type"] == "object"
    assert schema["properties"]["boards"]["minimum"] == 1
    assert schema["required"] == ["agent"]
    for tool in TOOLS.values():
        assert tool.schema["description"] == tool.help

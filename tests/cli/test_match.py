"""``endspiel match``: results, JSON, logs, tournaments, pictures, refusals."""

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from endspiel.cli.match import match
from endspiel.cli.usage import Command
from endspiel.errors import EndspielError
from endspiel.rules.replay import replay_log
from tests.blueprint_fixture import small_blueprint


def run(*arguments: str) -> Result:
    app = typer.Typer()
    app.command(cls=Command)(match)
    return CliRunner().invoke(app, list(arguments))


def test_always_fold_loses_750() -> None:
    result = run("always-fold", "always-raise", "--hands", "1000", "--duplicate", "--json", "-")
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    assert answer["mbb_per_hand"] == -750
    assert answer["interval"] == [-750, -750]
    assert answer["fallbacks"] == {"always-fold": {}, "always-raise": {}}
    assert answer["hands"] == 1000
    assert answer["estimates"]["plain"]["units"] == 1000


def test_what_fell_back_is_in_the_answer_with_its_reason(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    file = small_blueprint(tmp_path_factory.getbasetemp()).path
    spec = f"blueprint+unsafe,file={file},hand=0"
    result = run(spec, "always-call", "--hands", "8", "--workers", "1", "--json", "-")
    assert result.exit_code == 0, result.output
    ours, theirs = json.loads(result.stdout)["fallbacks"].values()
    assert set(ours) == {"no time is left to solve anything"}
    assert ours["no time is left to solve anything"] > 0
    assert theirs == {}


def test_everything_of_one_match(tmp_path: Path) -> None:
    log, phh, plot, out = (tmp_path / name for name in ("m.log", "m.phhs", "m.png", "m.json"))
    arguments = ["random", "pot-odds", "--hands", "200", "--seed", "5", "--log", str(log)]
    first = run(*arguments, "--phh", str(phh), "--plot", str(plot), "--json", str(out))
    assert first.exit_code == 0, first.output
    assert "duplicate" in first.stdout
    assert plot.stat().st_size > 1000
    assert phh.read_text().count("variant") == 200
    assert replay_log(log).mismatches == []
    answer = json.loads(out.read_text())
    low, high = answer["interval"]
    assert low < answer["mbb_per_hand"] < high
    log.write_bytes(log.read_bytes()[:5000])
    run(*arguments[:-2], "--resume", str(log), "--json", str(out))
    again = json.loads(out.read_text())
    assert 0 < again["resumed"] < 200
    assert again["estimates"] == answer["estimates"]
    one = run(*arguments[:-2], "--no-duplicate", "--workers", "1", "--json", "-")
    assert set(json.loads(one.stdout)["estimates"]) == {"plain", "all-in"}
    assert json.loads(one.stdout)["estimator"] == "plain"


def test_the_last_line_names_the_best_estimator_asked_for() -> None:
    arguments = "always-call", "always-raise", "--hands", "4", "--workers", "1"
    for asked, name in (((), "duplicate"), (("--aivat",), "duplicate AIVAT")):
        said = " ".join(run(*arguments, *asked).stdout.split())
        assert f"mbb/h by the {name} estimate" in said


def test_a_tournament(tmp_path: Path) -> None:
    agents = ["always-call", "always-raise", "random"]
    result = run(*agents, "--game", "leduc", "--hands", "100", "--json", str(tmp_path / "t.json"))
    assert result.exit_code == 0, result.output
    assert "bankroll" in result.stdout
    answer = json.loads((tmp_path / "t.json").read_text())
    assert sorted(answer["runoff"]) == sorted(agents)
    assert set(answer["bankroll"]) == set(agents)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["random"], "a match needs two agents; random is alone"),
        (["random", "nobody"], "no agent 'nobody'"),
        (["random", "random", "--hands", "7"], "7 hands should be even"),
        (["random", "random", "--game", "chess"], "no game 'chess'"),
        (["random", "random", "--resume"], "no log to resume from"),
        (["random", "random", "--phh", "x"], "made from the log"),
        (["random", "random", "--plot", "x.xyz"], "pictures end in"),
        (["random", "always-call", "pot-odds", "--plot", "x.png"], "not of a tournament"),
        (["random", "random", "--log", "/no/such/folder/m.log"], "cannot write /no/such"),
    ],
)
def test_refusals(arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert isinstance(result.exception, EndspielError)
    assert message in str(result.exception)

"""Jobs as data: read from JSON within bounds, run from Python, and the same by their commands."""

import doctest
from pathlib import Path
from typing import Any

import msgspec
import pytest
import typer

import endspiel.jobs.job as job_module
from endspiel.cli.app import app
from endspiel.errors import FileError
from endspiel.jobs.abstract import AbstractJob
from endspiel.jobs.book import BookJob
from endspiel.jobs.exploit import ExploitJob
from endspiel.jobs.job import Context, Job
from endspiel.jobs.lbr import LbrJob
from endspiel.jobs.match import MatchJob
from endspiel.jobs.report import ReportJob
from endspiel.jobs.review import ReviewJob
from endspiel.jobs.train_values import TrainValuesJob
from endspiel.progress import Progress
from tests.cli.commands import runner

JOBS = {
    "lbr": LbrJob, "exploit": ExploitJob, "report": ReportJob, "book": BookJob,
    "abstract": AbstractJob, "train-values": TrainValuesJob, "match": MatchJob, "review": ReviewJob,
}  # fmt: skip
LEDUC = LbrJob("always-call", "fc", 6, game="leduc")


def command(name: str) -> Any:
    program: Any = typer.main.get_command(app)
    return program.get_command(None, name)


@pytest.mark.parametrize("name", JOBS)
def test_a_command_has_every_field_with_its_help_and_bounds(name: str) -> None:
    job, params = JOBS[name], {param.name: param for param in command(name).params}
    schema = msgspec.json.schema(job)["$defs"][job.__name__]["properties"]
    assert list(schema) == list(job.__struct_fields__)
    for field, about in schema.items():
        either = [about, *about.get("anyOf", [])]
        (text,) = {each["description"] for each in either if "description" in each}
        assert text in (params[field].help or ""), field
        for each in either:
            if "minimum" in each:
                assert (params[field].type.min, params[field].type.max) == (
                    each["minimum"],
                    each["maximum"],
                )
    assert command(name).help == job.__doc__ or job.__doc__ is not None
    assert {"json", *job.uses} <= params.keys()
    assert ("resume" in params) == bool(job.ledger)


@pytest.mark.parametrize("job", [LEDUC, ExploitJob(boards=7), BookJob(out="x")])
def test_a_job_comes_back_from_its_json(job: Job) -> None:
    assert msgspec.json.decode(msgspec.json.encode(job), type=type(job)) == job


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"agent":"random","boards":0}', "Expected `int` >= 1 - at `$.boards`"),
        ('{"agent":"random","by":3}', "Expected `str | null`, got `int` - at `$.by`"),
        ("{}", "missing required field `agent`"),
    ],
)
def test_what_is_out_of_bounds_is_refused(text: str, said: str) -> None:
    with pytest.raises(msgspec.ValidationError) as refused:
        msgspec.json.decode(text, type=LbrJob)
    assert said in str(refused.value)


def test_python_and_the_command_come_to_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One ledger serves both, and what is in it is not played again."""
    seen, place = list[Progress](), tmp_path / "ledger"
    found = LEDUC.run(Context(workers=1, resume=place, observe=seen.append)).record()
    assert [one.finished for one in seen] == list(range(7))
    words = ("always-call", "--setting", "fc", "--boards", 6, "--game", "leduc")
    done = runner("lbr", monkeypatch, capsys)(*words, "--resume", place, "--json", "-").json
    wanted = msgspec.to_builtins(found)
    assert done | {"seconds": 0, "interval": []} == wanted | {"seconds": 0, "interval": []}
    with pytest.raises(FileError, match="was made with job lbr, not exploit"):
        ExploitJob("limit-holdem:always-call", 2).run(Context(workers=1, resume=place))


def test_examples_run() -> None:
    assert doctest.testmod(job_module).failed == 0


DATA = Path(__file__).parents[1] / "data"
KEYS = {
    "lbr": (
        "lbr always-call --setting fc --boards 2 --game leduc --beside always-fold",
        "setting by game boards seed screen trunk agent mbb_per_hand interval mbb_per_hand_late "
        "units slowest_answer_seconds fallbacks processor_seconds seconds beside lost_less",
    ),
    "match": (
        "match always-call random --game leduc --hands 4",
        "agents game hands seed duplicate mbb_per_hand interval estimator chips aivat_values "
        "estimates fallbacks solves gaps resumed seconds",
    ),
    "tournament": (
        "match always-call random pot-odds --game leduc --hands 4",
        "agents mbb_per_hand bankroll runoff",
    ),
    "versions": (
        "match always-call random --base pot-odds --game leduc --hands 4",
        "agents base game hands seed base_seed mbb_per_hand interval base_result estimator "
        "difference unbiased bias trunks all_hands same_endgames counts resumed seconds",
    ),
    "report": (
        "report {data}/spots/turn.toml --rivers 2c --iterations 1 --workers 1",
        "node rivers mean mean_dealt missing failed spot pot stack exploitability iterations "
        "seconds workers memory_bytes",
    ),
    "review": (
        "review {data}/hands/heads-up.txt --from river --target 20",
        "hands others spots decisions unseen unsure streets kinds players dearest judgments early "
        "broken reasons",
    ),
}


@pytest.mark.parametrize("name", KEYS)
def test_no_key_of_the_record_is_gone(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words, keys = KEYS[name]
    command, *given = words.format(data=DATA).split()
    done = runner(command, monkeypatch, capsys)(*given, "--json", "-")
    assert done.status == 0, done.err
    assert set(keys.split()) - done.json.keys() == set()

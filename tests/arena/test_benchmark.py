"""Benchmarks against services that misbehave: nothing is lost, and nothing is played twice."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from endspiel.agent import make_agent
from endspiel.arena.protocol.benchmark_file import (
    RECOVERED,
    UNFINISHED,
    BenchmarkFile,
    BenchmarkHeader,
    read_benchmark,
)
from endspiel.arena.protocol.benchmark_player import BenchmarkPlayer
from endspiel.arena.protocol.benchmark_run import BenchmarkResult, check_benchmark, run_benchmark
from endspiel.arena.protocol.gtowizard import WizardTable
from endspiel.arena.protocol.service import AskingPlan, ServiceError, WebService
from endspiel.arena.protocol.slumbot import SlumbotTable
from endspiel.cli.app import app
from endspiel.errors import EndspielError
from tests.arena.stand_ins import (
    GAME,
    LATE,
    Mischief,
    Planned,
    SlumbotStandIn,
    WizardStandIn,
    serving,
)

StandIn = SlumbotStandIn | WizardStandIn
PLAN = AskingPlan(timeout=LATE / 2, first_wait=0.0, attempts=10)


def header_of(stand_in: StandIn, address: str = "x") -> BenchmarkHeader:
    name = "slumbot" if isinstance(stand_in, SlumbotStandIn) else "gtowizard"
    return BenchmarkHeader(name, address, "planned", "nolimit-holdem", 1)


def played(
    stand_in: StandIn, mischief: Mischief, hands: int, path: Path | None = None
) -> tuple[BenchmarkResult, BenchmarkFile]:
    """Hands against a stand-in."""
    tables: Any = SlumbotTable if isinstance(stand_in, SlumbotStandIn) else WizardTable
    with (
        serving(stand_in.handle, mischief) as address,
        BenchmarkFile(header_of(stand_in), path) as file,
    ):
        player = BenchmarkPlayer(Planned(), GAME)
        table = tables(WebService(address, PLAN), player, file)
        result = run_benchmark(table, file, hands)
    assert mischief.faults == []
    return result, file


def all_accounted(stand_in: StandIn, file: BenchmarkFile) -> None:
    """Every hand that the service has counted is in the file once, with what it won."""
    assert len(file.results) == len(stand_in.won)
    assert sum(hand.won or 0 for hand in file.results) == pytest.approx(sum(stand_in.won))


@pytest.mark.parametrize("hands", [120, pytest.param(1000, marks=pytest.mark.slow)])
def test_hands_against_a_slumbot_that_misbehaves(tmp_path: Path, hands: int) -> None:
    stand_in, mischief = SlumbotStandIn(raises=True, watched=True), Mischief(0.08)
    path = tmp_path / "hands"
    result, file = played(stand_in, mischief, hands, path)
    all_accounted(stand_in, file)
    assert hands < 1000 or set(mischief.counts) >= {*Mischief.KINDS, ""}
    assert result.hands[RECOVERED] > 0
    assert result.hands[UNFINISHED] > 0
    assert check_benchmark(path).wrong == []


@pytest.mark.parametrize(
    ("hands", "shows_ended"),
    [(100, True), (100, False), pytest.param(1000, True, marks=pytest.mark.slow)],
)
def test_hands_against_a_wizard_that_misbehaves(
    tmp_path: Path, hands: int, shows_ended: bool
) -> None:
    mischief = Mischief(0.08, seed=2)
    stand_in = WizardStandIn(raises=True, shows_ended=shows_ended)
    path = tmp_path / "hands"
    result, file = played(stand_in, mischief, hands, path)
    found = {hand.id: hand.won for hand in file.over.values()}
    truth = {str(number): table.won() for number, table in stand_in.tables.items()}
    assert len(found) == len(file.over) == len(truth)
    known = {name: won for name, won in found.items() if won is not None}
    assert known == {name: truth[name] for name in known}
    assert (len(known) == len(truth)) == shows_ended
    assert result.aivat is not None
    assert result.main is not None
    assert result.aivat.mean == pytest.approx(result.main.mean / 2)
    assert check_benchmark(path).wrong == []


@pytest.mark.parametrize("kind", Mischief.KINDS)
@pytest.mark.parametrize("stand_in", [SlumbotStandIn, WizardStandIn])
def test_each_kind_of_trouble_by_itself(stand_in: type[StandIn], kind: str) -> None:
    service, mischief = stand_in(), Mischief(script=["", kind, "", kind, "", kind])
    result, file = played(service, mischief, 6)
    all_accounted(service, file)
    assert sum(result.hands.values()) == len(file.over)
    if kind in ("429", "503") or stand_in is WizardStandIn:
        assert set(result.hands) == {"finished"}
    else:
        assert set(result.hands) != {"finished"}


def test_hands_of_a_run_are_gone_on_with(tmp_path: Path) -> None:
    path, stand_in = tmp_path / "hands", SlumbotStandIn(raises=True)
    played(stand_in, Mischief(), 4, path)
    _, file = played(stand_in, Mischief(), 10, path)
    all_accounted(stand_in, file)
    assert stand_in.hands == 10
    header, hands = read_benchmark(path)
    assert header.agent == "planned"
    assert sorted(hands) == list(range(10))
    with path.open("a") as cut:
        cut.write('{"hand":"ov')
    played(stand_in, Mischief(), 11, path)
    assert stand_in.hands == 11
    other = BenchmarkHeader("slumbot", "y", "planned", "nolimit-holdem", 1)
    with pytest.raises(EndspielError, match="is of planned against slumbot at x"):
        BenchmarkFile(other, path)


@pytest.mark.parametrize("stand_in", [SlumbotStandIn, WizardStandIn])
def test_a_client_that_ends_in_a_hand_loses_none(
    tmp_path: Path, stand_in: type[StandIn], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, service = tmp_path / "hands", stand_in()

    def stop(*_: Any) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Planned, "act", stop)
        with pytest.raises(KeyboardInterrupt):
            played(service, Mischief(), 3, path)
    result, file = played(service, Mischief(), 3, path)
    all_accounted(service, file)
    ended = {"finished": 3} if stand_in is WizardStandIn else {"unfinished": 1, "finished": 3}
    assert result.hands == ended


def test_totals_that_are_not_sent_leave_hands_unfinished() -> None:
    service = SlumbotStandIn(totals=False)
    result, _ = played(service, Mischief(0.2), 20)
    assert RECOVERED not in result.hands
    assert result.hands["finished"] == 20


def test_a_service_that_loses_every_answer_ends_the_run() -> None:
    service = SlumbotStandIn()
    script = ["", "dropped taken"] * 30
    with pytest.raises(ServiceError, match="the answers of 20 hands in a row were lost"):
        played(service, Mischief(script=script), 3)


def test_a_file_with_a_wrong_result_is_found_out(tmp_path: Path) -> None:
    path = tmp_path / "hands"
    played(SlumbotStandIn(), Mischief(), 3, path)
    right = CliRunner().invoke(app, ["benchmark", "check", str(path), "--json", "-"])
    assert right.exit_code == 0, right.output
    assert json.loads(right.stdout)["checked"] == 3
    lines = path.read_text().splitlines()
    last = json.loads(lines[-1])
    lines[-1] = json.dumps(last | {"won": last["won"] + 100})
    path.write_text("\n".join(lines) + "\n")
    assert "the rules give" in check_benchmark(path).wrong[0]


def test_the_command_needs_a_key_and_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    service, mischief = WizardStandIn(), Mischief(script=["429"])
    monkeypatch.delenv("GTOWIZARD_API_KEY", raising=False)
    monkeypatch.setattr("tests.arena.stand_ins.planned", lambda state: 0)
    with serving(service.handle, mischief) as address:
        command = ["benchmark", "gtowizard", address, "--agent", "always-call", "--hands", "4"]
        refused = CliRunner().invoke(app, command)
        assert "set GTOWIZARD_API_KEY" in str(refused.exception)
        assert mischief.asked == 0
        monkeypatch.setenv("GTOWIZARD_API_KEY", "k")
        out = CliRunner().invoke(app, [*command, "--pause", "0", "--json", "-"])
        assert out.exit_code == 0, out.output
    told = json.loads(out.stdout)
    assert told["ended"] == {"finished": 4}
    assert told["repeated_requests"] == 1
    assert mischief.faults == []


def test_aivat_takes_luck_away() -> None:
    service = SlumbotStandIn(raises=True)
    with (
        serving(service.handle, Mischief()) as address,
        BenchmarkFile(header_of(service)) as file,
    ):
        player = BenchmarkPlayer(make_agent("always-call", GAME), GAME, aivat=True)
        result = run_benchmark(SlumbotTable(WebService(address), player, file), file, 12)
    assert result.aivat is not None
    assert result.main is not None
    assert (result.aivat.error or 0) < 0.7 * (result.main.error or 0)
    with pytest.raises(EndspielError, match="leave --aivat out"):
        BenchmarkPlayer(Planned(), GAME, aivat=True)

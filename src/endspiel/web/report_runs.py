"""Reports that the page starts: board by board in a thread, told as they go, stopped any time."""

import threading
import traceback
from dataclasses import dataclass, field
from typing import Final

import msgspec
from msgspec import Struct

from endspiel.batch.boards import (
    ALL,
    SUBSETS,
    WeightedBoard,
    parse_flops,
    range_symmetry,
    report_flops,
)
from endspiel.batch.planning import SpotMethod
from endspiel.batch.report import BoardReport
from endspiel.batch.report_files import report_record
from endspiel.batch.running import BatchProgress, BatchSetting
from endspiel.engine.limits import Limits
from endspiel.errors import EndspielError
from endspiel.games.spot import Spot
from endspiel.processors import processors
from endspiel.solving.spots import SpotOptions
from endspiel.solving.task import Bucketing
from endspiel.web.events import Hub
from endspiel.web.messages import Fields, Refused, ReportAsked
from endspiel.web.reports import Report, read_report
from endspiel.web.shelf import Shelf
from endspiel.web.spots import read_spot

SETS: Final = (*map(str, SUBSETS), ALL)


class ReportRunAnswer(Struct):
    """A report in the making, or the last one made: how far it is, and where it is kept."""

    state: str  # none, running, done, stopped or failed
    name: str = ""
    boards: int = 0
    finished: int = 0
    seconds: float = 0.0
    stopping: bool = False
    error: str = ""
    report: str = ""  # its id, once it is kept


@dataclass
class _Run:
    """One report while it is made."""

    name: str
    made: BoardReport
    halted: bool = False
    told: ReportRunAnswer = field(default_factory=lambda: ReportRunAnswer("running"))


class ReportRuns:
    """Makes one report at a time and puts it on the shelf."""

    def __init__(self, shelf: Shelf[Report], hub: Hub, memory: int | None) -> None:
        self.shelf, self.hub, self.memory = shelf, hub, memory
        self._lock = threading.Lock()
        self._run: _Run | None = None
        self._thread: threading.Thread | None = None

    def state(self) -> ReportRunAnswer:
        """How far the report is."""
        return ReportRunAnswer("none") if self._run is None else self._run.told

    def start(self, asked: ReportAsked) -> ReportRunAnswer:
        """Begin a report, once its spot and boards are seen to make sense."""
        with self._lock:
            if self._run is not None and self._run.told.state == "running":
                raise Refused(f"{self._run.name} is being made: stop it, or wait", "", 409)
            run = self._run = self._prepare(asked)
            self._thread = threading.Thread(target=self._work, args=(run,), daemon=True)
            self._thread.start()
        return run.told

    def stop(self) -> ReportRunAnswer:
        """Let the report end soon; the boards that are done are kept."""
        if self._run is not None and self._run.told.state == "running":
            self._run.halted = self._run.told.stopping = True
        return self.state()

    def close(self, seconds: float = 60.0) -> None:
        """Stop what runs, and keep what it found."""
        self.stop()
        if self._thread is not None:
            self._thread.join(seconds)

    def _prepare(self, asked: ReportAsked) -> _Run:
        spot, fields = read_spot(asked.spot), Fields()
        boards = fields.make("flops", lambda: _flops(asked.flops, spot))
        share = fields.make("target", lambda: _target(asked.target_percent))
        fields.check()
        assert boards is not None
        limits = Limits(share, halt=self._halt)
        options = SpotOptions(processors(), self.memory)
        how = SpotMethod(None, options, limits, Bucketing())
        made = fields.make(
            "node", lambda: BoardReport(spot, boards, how, BatchSetting(1), asked.node)
        )
        fields.check()
        assert made is not None
        named = asked.name.strip() or f"{len(boards)} flops"
        return _Run(named, made, told=ReportRunAnswer("running", named, len(boards)))

    def _halt(self, iteration: int, seconds: float) -> bool:
        """Between two steps of a board, in the report's thread: end the report as Ctrl-C would."""
        if self._run is not None and self._run.halted:
            raise KeyboardInterrupt
        return False

    def _work(self, run: _Run) -> None:
        state = "failed"
        try:
            run.made.run(lambda progress: self._note(run, progress))
            state = "done"
        except KeyboardInterrupt:
            state = "stopped"
        except EndspielError as error:
            run.told.error = str(error)
        except Exception as error:  # a fault of ours must not end in silence
            traceback.print_exc()
            run.told.error = f"the report failed: {type(error).__name__}: {error}"
        self._keep(run)
        run.told.state, run.told.stopping = state, False
        self._tell(run)

    def _keep(self, run: _Run) -> None:
        """Put what is done on the shelf."""
        failures = run.made.failures
        if failures and not run.told.error:
            run.told.error = (
                f"{len(failures)} failed: {failures[0]['board']}: {failures[0]['error']}"
            )
        if not run.made.rows:
            return
        try:
            kept = read_report(run.name, msgspec.json.encode(report_record(run.made, "flop")))
            self.shelf.put(kept)
            run.told.report = kept.id
        except EndspielError as error:
            run.told.error = str(error)

    def _note(self, run: _Run, progress: BatchProgress) -> None:
        run.told.finished, run.told.seconds = progress.finished, progress.seconds
        self._tell(run)
        if run.halted:
            raise KeyboardInterrupt

    def _tell(self, run: _Run) -> None:
        self.hub.publish("report", run.told)


def _flops(text: str, spot: Spot) -> list[WeightedBoard]:
    """The flops of a set by its size, or of a list as typed."""
    text = text.strip()
    if text in SETS or text.isdecimal():
        return report_flops(text, spot)
    listed = text.replace(",", "\n").replace(";", "\n")
    return parse_flops(listed, "the flops", range_symmetry(spot))


def _target(percent: float) -> float:
    """A share of the pot."""
    if not 0 < percent < 100:
        raise Refused(f"the target is a percentage of the pot over 0, not {percent:g}", "target")
    return percent / 100

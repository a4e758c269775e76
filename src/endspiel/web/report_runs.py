"""Reports that the page starts: board by board in a thread, told as they go, stopped any time."""

from typing import Final

import msgspec

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
from endspiel.batch.running import BatchSetting
from endspiel.engine.limits import Limits
from endspiel.errors import EndspielError
from endspiel.games.spot import Spot
from endspiel.processors import processors
from endspiel.progress import Progress
from endspiel.solving.spots import SpotOptions
from endspiel.web.job_service import JobService
from endspiel.web.messages import Fields, Refused, ReportAsked
from endspiel.web.reports import Report, read_report
from endspiel.web.shelf import Shelf
from endspiel.web.single_run import DONE, RUNNING, STOPPED, RunState, SingleRun, Work
from endspiel.web.spots import read_spot
from endspiel.web.store import new_id
from endspiel.web.stored_solutions import StoredSolutions

SETS: Final = (*map(str, SUBSETS), ALL)


class ReportRunAnswer(RunState):
    """A report in the making, or the last one made: how far it is, and where it is kept."""

    boards: int = 0
    finished: int = 0
    report: str = ""  # its id, once it is kept


class ReportRuns(SingleRun[ReportRunAnswer]):
    """Makes one report at a time and puts it on the shelf."""

    def __init__(self, shelf: Shelf[Report], service: JobService) -> None:
        super().__init__(service.hub, "report", ReportRunAnswer("none"))
        self.shelf, self.service = shelf, service

    def make(self, asked: ReportAsked) -> ReportRunAnswer:
        """Begin a report, once its spot and boards are seen to make sense."""
        return self.start(lambda: self._prepare(asked))

    def _prepare(self, asked: ReportAsked) -> Work[ReportRunAnswer]:
        spot, fields = read_spot(asked.spot), Fields()
        boards = fields.make("flops", lambda: flops_typed(asked.flops, spot))
        share = fields.make("target", lambda: _target(asked.target_percent))
        fields.check()
        assert boards is not None
        limits = Limits(share, halt=self.halt)
        options = SpotOptions(processors(), self.service.memory)
        how = SpotMethod(None, options, limits)
        named, name = asked.name.strip() or f"{len(boards)} flops", new_id()
        sink = None
        if asked.solutions:
            sink = StoredSolutions(self.service.store, name, named, self.service.take_over)
        made = fields.make(
            "node",
            lambda: BoardReport(
                spot,
                boards,
                how,
                BatchSetting(1, halted=lambda: self.halted),
                asked.node,
                sink,
            ),
        )
        fields.check()
        assert made is not None
        told = ReportRunAnswer(RUNNING, named, boards=len(boards))
        return Work(told, lambda: self._make(made, told, name))

    def _make(self, made: BoardReport, told: ReportRunAnswer, name: str) -> str:
        def note(progress: Progress) -> None:
            told.finished, told.seconds = progress.finished, made.batch.seconds
            self.publish()

        try:
            made.run(note)
            return STOPPED if self.halted else DONE
        finally:
            self._keep(made, told, name)

    def _keep(self, made: BoardReport, told: ReportRunAnswer, name: str) -> None:
        """Put what is done on the shelf."""
        failures = made.failures
        if failures and not told.error:
            told.error = f"{len(failures)} failed: {failures[0]['board']}: {failures[0]['error']}"
        if not made.rows:
            return
        try:
            record = msgspec.json.encode(report_record(made, "flop"))
            kept = read_report(told.name, record, name)
            self.shelf.put(kept)
            told.report = kept.id
        except EndspielError as error:
            told.error = str(error)


def flops_typed(text: str, spot: Spot) -> list[WeightedBoard]:
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

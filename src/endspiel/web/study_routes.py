"""Routes of reports, kept ranges, equity graphs, blockers and comparisons."""

import time
from collections.abc import Callable
from typing import Any, Final

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from endspiel.cards.range_format import format_range
from endspiel.cards.text import parse_board
from endspiel.solving.solution import SpotSolution
from endspiel.web.comparing import CompareAnswer, compare_nodes
from endspiel.web.graphs import GraphAnswer, answer_blockers, equity_graph, node_graph
from endspiel.web.hands import answer_kinds
from endspiel.web.http import (
    answered,
    aside,
    hand_filter,
    json_answer,
    player_asked,
    query,
    read_body,
    receive,
)
from endspiel.web.job_service import JobService
from endspiel.web.jobs import SolveJob
from endspiel.web.library import LabelAsked, Library
from endspiel.web.messages import (
    EquityAsked,
    Fields,
    PreflopAsked,
    Refused,
    ReportAsked,
    SavedRangeAsked,
    SpotText,
)
from endspiel.web.preflop_runs import PreflopRuns
from endspiel.web.preflops import answer_preflop
from endspiel.web.ranges import read_weights
from endspiel.web.report_runs import ReportRuns
from endspiel.web.reports import list_reports, read_report, report_shelf, spot_on
from endspiel.web.shelf import Kept, Shelf
from endspiel.web.store import ServerFolder, new_id
from endspiel.web.views import NodeAnswer, answer_node

REPORT_BYTES: Final = 20_000_000
MOST_RANGES: Final = 1000


class SavedRange(Kept):
    """A range under a name."""

    name: str
    text: str
    created: float


class SavedRangesAnswer(Struct):
    """Every kept range, by name."""

    ranges: list[SavedRange]


class StudySpotAnswer(Struct):
    """A board of a report as a spot, and the job that has solved it already, if one has."""

    spot: SpotText
    job: str | None


class StudyRoutes:
    """What is answered beside solves and their nodes."""

    def __init__(self, store: ServerFolder, service: JobService) -> None:
        self.service = service
        self.reports = report_shelf(store)
        self.library = Library(service, self.reports)
        self.runs = ReportRuns(self.reports, service)
        self.trees = PreflopRuns(store.folder / "preflop", service.hub)
        self.saved: Shelf[SavedRange] = Shelf(
            store.folder / "ranges", SavedRange, "range", MOST_RANGES
        )

    def close(self) -> None:
        """Stop what runs, and keep what it found."""
        self.runs.close()
        self.trees.close()

    def routes(self) -> list[Route]:
        """All of them."""
        table: list[tuple[str, str, Callable[[Request], Any]]] = [
            ("GET", "/api/library", self.library_items),
            ("POST", "/api/library", self.label),
            ("GET", "/api/reports", self.list_reports),
            ("POST", "/api/reports", self.add_report),
            ("GET", "/api/reports/run", self.report_run),
            ("POST", "/api/reports/run", self.start_report),
            ("DELETE", "/api/reports/run", self.stop_report),
            ("GET", "/api/reports/{id}", self.report),
            ("DELETE", "/api/reports/{id}", self.forget_report),
            ("GET", "/api/reports/{id}/spot", self.report_spot),
            ("POST", "/api/preflop", self.preflop),
            ("GET", "/api/preflop/run", self.preflop_run),
            ("POST", "/api/preflop/run", self.start_preflop),
            ("DELETE", "/api/preflop/run", self.stop_preflop),
            ("GET", "/api/preflop/run/charts", self.preflop_charts),
            ("GET", "/api/ranges", self.list_ranges),
            ("POST", "/api/ranges", self.save_range),
            ("DELETE", "/api/ranges/{id}", self.forget_range),
            ("POST", "/api/equity", self.equity),
            ("GET", "/api/compare", self.compare),
            ("GET", "/api/jobs/{id}/equity", self.node_equity),
            ("GET", "/api/jobs/{id}/blockers", self.blockers),
            ("GET", "/api/jobs/{id}/kinds", self.kinds),
        ]
        return [Route(path, answered(handler), methods=[method]) for method, path, handler in table]

    # The library

    async def library_items(self, request: Request) -> Response:
        return json_answer(await aside(self.library.items))

    async def label(self, request: Request) -> Response:
        await aside(self.library.label, await receive(request, LabelAsked))
        return json_answer(await aside(self.library.items))

    # Reports

    async def list_reports(self, request: Request) -> Response:
        return json_answer(list_reports(self.reports))

    async def add_report(self, request: Request) -> Response:
        body = await read_body(request, REPORT_BYTES)
        report = await aside(read_report, query(request, "name", "report"), body)
        await aside(self.reports.put, report)
        return json_answer(report, 201)

    async def report_run(self, request: Request) -> Response:
        return json_answer(self.runs.state())

    async def start_report(self, request: Request) -> Response:
        asked = await receive(request, ReportAsked)
        return json_answer(await aside(self.runs.make, asked), 201)

    async def stop_report(self, request: Request) -> Response:
        return json_answer(self.runs.stop())

    async def report(self, request: Request) -> Response:
        return json_answer(self.reports.get(request.path_params["id"]))

    async def forget_report(self, request: Request) -> Response:
        await aside(self._forget_report, request.path_params["id"])
        return json_answer({})

    def _forget_report(self, name: str) -> None:
        """Delete a report and the solutions of its boards."""
        self.reports.forget(name)
        for job in list(self.service.jobs.values()):
            if job.record.report == name:
                self.service.delete(job)

    async def report_spot(self, request: Request) -> Response:
        report = self.reports.get(request.path_params["id"])
        board = query(request, "board")
        spot = spot_on(report, board)
        stored = next(row.solution for row in report.rows if row.board == board)
        job = stored if stored in self.service.jobs else self.service.solved(spot)
        return json_answer(StudySpotAnswer(spot, job))

    async def preflop(self, request: Request) -> Response:
        return json_answer(await aside(answer_preflop, await receive(request, PreflopAsked)))

    async def preflop_run(self, request: Request) -> Response:
        return json_answer(self.trees.state())

    async def start_preflop(self, request: Request) -> Response:
        asked = await receive(request, PreflopAsked)
        return json_answer(await aside(self.trees.solve, asked), 201)

    async def stop_preflop(self, request: Request) -> Response:
        return json_answer(self.trees.stop())

    async def preflop_charts(self, request: Request) -> Response:
        return json_answer(self.trees.charts())

    # Ranges

    async def list_ranges(self, request: Request) -> Response:
        kept = sorted(self.saved.all(), key=lambda saved: saved.name.casefold())
        return json_answer(SavedRangesAnswer(kept))

    async def save_range(self, request: Request) -> Response:
        return json_answer(await aside(self._save, await receive(request, SavedRangeAsked)), 201)

    def _save(self, asked: SavedRangeAsked) -> SavedRange:
        name = asked.name.strip()
        if not name:
            raise Refused("a name has a letter at least", "name")
        fields = Fields()
        text = fields.make("text", lambda: format_range(read_weights(asked.text)))
        fields.check()
        same = [kept.id for kept in self.saved.all() if kept.name == name]
        saved = SavedRange(
            id=same[0] if same else new_id(), name=name, text=text or "", created=time.time()
        )
        self.saved.put(saved)
        return saved

    async def forget_range(self, request: Request) -> Response:
        await aside(self.saved.forget, request.path_params["id"])
        return json_answer({})

    async def equity(self, request: Request) -> Response:
        return json_answer(await aside(_equity, await receive(request, EquityAsked)))

    # Solutions

    def _job(self, name: str) -> SolveJob:
        return self.service.job(name)

    async def node_equity(self, request: Request) -> Response:
        job, line = self._job(request.path_params["id"]), query(request, "line", "")
        passing = hand_filter(request)

        def question(solution: SpotSolution) -> Any:
            return node_graph(solution, line, passing)

        return json_answer(await aside(self.service.ask, job, ("equity", line, passing), question))

    async def kinds(self, request: Request) -> Response:
        job, line = self._job(request.path_params["id"]), query(request, "line", "")
        player = player_asked(request)

        def question(solution: SpotSolution) -> Any:
            return answer_kinds(solution, line, player)

        return json_answer(await aside(self.service.ask, job, ("kinds", line, player), question))

    async def blockers(self, request: Request) -> Response:
        job, line = self._job(request.path_params["id"]), query(request, "line", "")
        question = _asking(answer_blockers, line)
        return json_answer(await aside(self.service.ask, job, ("blockers", line), question))

    async def compare(self, request: Request) -> Response:
        first, second = (self._job(query(request, name)) for name in ("first", "second"))
        line = query(request, "line", "")
        return json_answer(await aside(self._compare, first, second, line))

    def _compare(self, first: SolveJob, second: SolveJob, line: str) -> CompareAnswer:
        def shown(job: SolveJob, solution: SpotSolution, line: str) -> NodeAnswer:
            return answer_node(solution, line, job.id, job.record.state != "running")

        here = self.service.use(first, lambda solution: shown(first, solution, line))
        return compare_nodes(
            here,
            lambda work: self.service.use(second, work),
            lambda solution, line: shown(second, solution, line),
        )


def _asking(question: Callable[[SpotSolution, str], Any], line: str) -> Callable[..., Any]:
    return lambda solution: question(solution, line)


def _equity(asked: EquityAsked) -> GraphAnswer:
    """The graph of two ranges as typed."""
    fields = Fields()
    ranges = [
        fields.make(f"ranges.{at}", lambda text=text: read_weights(text))  # type: ignore[misc]
        for at, text in enumerate(asked.ranges)
    ]
    board = fields.make("board", lambda: parse_board(asked.board) if asked.board.strip() else [])
    fields.check()
    both = [weights for weights in ranges if weights is not None]
    if not all(weights.any() for weights in both):
        return GraphAnswer([None, None], [float(weights.sum()) for weights in both], [[], []])
    return equity_graph(both, tuple(board or ()))

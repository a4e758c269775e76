"""The server's API, described by OpenAPI 3.1: every route, what it takes and what it answers."""

from functools import cache
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import Struct

from endspiel import __version__
from endspiel.web import answers as told
from endspiel.web.comparing import CompareAnswer
from endspiel.web.filtered import KindsAnswer
from endspiel.web.fitting import FitAnswer
from endspiel.web.graphs import BlockersAnswer, GraphAnswer
from endspiel.web.hand_review_runs import HandReviewRunAnswer
from endspiel.web.hand_reviews import (
    HandReviewAnswer,
    HandReviewAsked,
    HandReviewsAnswer,
    ReviewStudyAnswer,
    StudyAsked,
)
from endspiel.web.judging import JudgedHand
from endspiel.web.library import LabelAsked, LibraryAnswer
from endspiel.web.messages import (
    ActAsked,
    AnswerAsked,
    CheckAsked,
    EquityAsked,
    HandAsked,
    JobAnswer,
    JobAsked,
    LockAsked,
    PlayAsked,
    PreflopAsked,
    QuestionAsked,
    RangeAsked,
    RenameAsked,
    ReportAsked,
    ResumeAsked,
    SavedRangeAsked,
    WordAsked,
    WriteAsked,
)
from endspiel.web.play import PlayAnswer
from endspiel.web.preflop_runs import PreflopRunAnswer
from endspiel.web.preflops import PreflopAnswer
from endspiel.web.ranges import RangeAnswer
from endspiel.web.report_runs import ReportRunAnswer
from endspiel.web.reports import Report, ReportsAnswer
from endspiel.web.spots import SizeAnswer
from endspiel.web.study_routes import SavedRange, SavedRangesAnswer, StudySpotAnswer
from endspiel.web.table_hands import PlayedRows, ReplayAnswer
from endspiel.web.train_routes import QuestionAnswer
from endspiel.web.trainer import ProgressAnswer
from endspiel.web.training import Verdict
from endspiel.web.tree_editor import TreeAnswer, TreeAsked
from endspiel.web.views import NodeAnswer
from endspiel.web.whole_hands import HandAnswer

FILE: Final = "application/octet-stream"


class ProblemTold(Struct):
    """Something wrong, and the field to say it at."""

    error: str
    field: str


class RefusalAnswer(Struct):
    """Why a request is refused: the first reason, its field, and every reason."""

    error: str
    field: str
    errors: list[ProblemTold]


class Operation(NamedTuple):
    """What one method of one address does."""

    summary: str
    answers: Any  # a type, or the media type of a file
    asks: Any = None  # a type, or the media type of a body
    query: str = ""  # names of parameters; those with a ? may be left out
    status: int = 200


FILTER: Final = "made? draws? suits? holds?"
JOB: Final = "/api/jobs/{id}"
TABLE: Final = "/api/play/{id}"
OPERATIONS: Final[dict[tuple[str, str], Operation]] = {
    ("GET", "/openapi.json"): Operation("This description.", told.OpenApiAnswer),
    ("GET", "/api/about"): Operation("The server's facts.", told.AboutAnswer),
    ("GET", "/api/events"): Operation("News as server-sent events.", "text/event-stream"),
    ("GET", "/api/papers"): Operation("The papers' tables beside ours.", told.PapersAnswer),
    ("GET", "/api/papers/figures/{name}"): Operation("A figure.", "image/png"),
    ("POST", "/api/range"): Operation("A range on the chart.", RangeAnswer, RangeAsked),
    ("GET", "/api/range/combos"): Operation(
        "A class's hands.", told.CombosAnswer, None, "text? class"
    ),
    ("POST", "/api/spot/check"): Operation("How large a spot is.", SizeAnswer, CheckAsked),
    ("POST", "/api/spot/fit"): Operation("A smaller spot.", FitAnswer, CheckAsked),
    ("POST", "/api/spot/tree"): Operation("A node of the tree.", TreeAnswer, TreeAsked),
    ("POST", "/api/spot/read"): Operation("The spot of a file.", told.SpotAnswer, FILE, "name"),
    ("POST", "/api/spot/write"): Operation("A spot as a file.", told.NamedText, WriteAsked),
    ("GET", "/api/jobs"): Operation("Every solve.", told.JobsAnswer),
    ("POST", "/api/jobs"): Operation("Solve a spot.", JobAnswer, JobAsked, status=201),
    ("GET", JOB): Operation("A solve in full.", told.FullJobAnswer),
    ("DELETE", JOB): Operation("Stop a solve and delete it.", told.Nothing),
    ("POST", f"{JOB}/stop"): Operation("End a solve and keep what it found.", JobAnswer),
    ("POST", f"{JOB}/resume"): Operation("Go on with a solve.", JobAnswer, ResumeAsked),
    ("POST", f"{JOB}/rename"): Operation("Name a solve.", JobAnswer, RenameAsked),
    ("GET", f"{JOB}/node"): Operation("A node.", NodeAnswer, None, f"line? {FILTER}"),
    ("GET", f"{JOB}/hands"): Operation(
        "A node's hands.", told.HandsAnswer, None, f"line? class? player? {FILTER}"
    ),
    ("GET", f"{JOB}/next"): Operation("What follows each action.", told.NextAnswer, None, "line?"),
    ("GET", f"{JOB}/runouts"): Operation("Every card to come.", told.RunoutsAnswer, None, "line?"),
    ("GET", f"{JOB}/kinds"): Operation("Kinds of hands.", KindsAnswer, None, "line? player?"),
    ("GET", f"{JOB}/equity"): Operation(
        "Both ranges' equity graph.", GraphAnswer, None, f"line? {FILTER}"
    ),
    ("GET", f"{JOB}/blockers"): Operation("What each card blocks.", BlockersAnswer, None, "line?"),
    ("POST", f"{JOB}/lock"): Operation("A lock of an edit.", told.LockAnswer, LockAsked),
    ("GET", f"{JOB}/solution.es"): Operation("The solution.", FILE),
    ("GET", f"{JOB}/spot.toml"): Operation("The spot.", "application/toml"),
    ("GET", f"{JOB}/spot.json"): Operation("The spot.", "application/json"),
    ("GET", f"{JOB}/node.csv"): Operation("A node's hands.", "text/csv", None, "line? all?"),
    ("GET", f"{JOB}/node.json"): Operation(
        "A node's hands.", "application/json", None, "line? all?"
    ),
    ("POST", "/api/solutions"): Operation("Open a solution.", JobAnswer, FILE, "name?", 201),
    ("GET", "/api/compare"): Operation(
        "Two solves at one node.", CompareAnswer, None, "first second line?"
    ),
    ("GET", "/api/library"): Operation("Every solve and report.", LibraryAnswer),
    ("POST", "/api/library"): Operation("Rename or tag one.", LibraryAnswer, LabelAsked),
    ("GET", "/api/reports"): Operation("Every report.", ReportsAnswer),
    ("POST", "/api/reports"): Operation("Keep a report.", Report, FILE, "name?", 201),
    ("GET", "/api/reports/run"): Operation("How far a report is.", ReportRunAnswer),
    ("POST", "/api/reports/run"): Operation(
        "Make a report.", ReportRunAnswer, ReportAsked, status=201
    ),
    ("DELETE", "/api/reports/run"): Operation("Stop the report.", ReportRunAnswer),
    ("GET", "/api/reports/{id}"): Operation("A report.", Report),
    ("DELETE", "/api/reports/{id}"): Operation("Delete a report.", told.Nothing),
    ("GET", "/api/reports/{id}/spot"): Operation("A board's spot.", StudySpotAnswer, None, "board"),
    ("GET", "/api/reviews"): Operation("Every review of hands.", HandReviewsAnswer),
    ("POST", "/api/reviews"): Operation("Read hands.", HandReviewAnswer, FILE, "name?", 201),
    ("GET", "/api/reviews/run"): Operation("How far a review is.", HandReviewRunAnswer),
    ("DELETE", "/api/reviews/run"): Operation("Stop the review.", HandReviewRunAnswer),
    ("GET", "/api/reviews/{id}"): Operation("A review.", HandReviewAnswer),
    ("DELETE", "/api/reviews/{id}"): Operation("Delete a review.", told.Nothing),
    ("POST", "/api/reviews/{id}/run"): Operation(
        "Review hands with stated ranges.", HandReviewRunAnswer, HandReviewAsked, status=201
    ),
    ("POST", "/api/reviews/{id}/study"): Operation(
        "Where a decision is studied.", ReviewStudyAnswer, StudyAsked
    ),
    ("POST", "/api/preflop"): Operation("Charts before the flop.", PreflopAnswer, PreflopAsked),
    ("GET", "/api/preflop/run"): Operation("How far a tree is.", PreflopRunAnswer),
    ("POST", "/api/preflop/run"): Operation(
        "Solve a tree before the flop, with progress.", PreflopRunAnswer, PreflopAsked, status=201
    ),
    ("DELETE", "/api/preflop/run"): Operation("Stop the tree.", PreflopRunAnswer),
    ("GET", "/api/preflop/run/charts"): Operation("The tree's charts.", PreflopAnswer),
    ("GET", "/api/ranges"): Operation("Every kept range.", SavedRangesAnswer),
    ("POST", "/api/ranges"): Operation("Keep a range.", SavedRange, SavedRangeAsked, status=201),
    ("DELETE", "/api/ranges/{id}"): Operation("Forget a range.", told.Nothing),
    ("POST", "/api/equity"): Operation("Range against range.", GraphAnswer, EquityAsked),
    ("GET", "/api/train"): Operation("How the drills go.", ProgressAnswer),
    ("DELETE", "/api/train"): Operation("Forget all drills.", told.Nothing),
    ("POST", "/api/train/question"): Operation("A decision.", QuestionAnswer, QuestionAsked),
    ("POST", "/api/train/answer"): Operation("What an answer loses.", Verdict, AnswerAsked),
    ("POST", "/api/train/hands"): Operation("Deal a hand.", HandAnswer, HandAsked, status=201),
    ("GET", "/api/train/hands/{id}"): Operation("A hand against a solve.", HandAnswer),
    ("POST", "/api/train/hands/{id}/act"): Operation("Act in it.", HandAnswer, WordAsked),
    ("GET", "/api/play"): Operation("Every table.", told.SessionsAnswer),
    ("POST", "/api/play"): Operation("Open a table.", PlayAnswer, PlayAsked, status=201),
    ("GET", TABLE): Operation("A table.", PlayAnswer),
    ("DELETE", TABLE): Operation("Leave a table.", told.Nothing),
    ("POST", f"{TABLE}/act"): Operation("Act.", PlayAnswer, ActAsked),
    ("POST", f"{TABLE}/deal"): Operation("The next hand.", PlayAnswer),
    ("GET", f"{TABLE}/review"): Operation(
        "The agent's thoughts.", told.ReviewAnswer, None, "hand?"
    ),
    ("GET", f"{TABLE}/study"): Operation(
        "An endgame as a spot.", told.SpotAnswer, None, "hand line"
    ),
    ("GET", f"{TABLE}/hands"): Operation("Every finished hand.", PlayedRows),
    ("GET", f"{TABLE}/hands/{{hand}}"): Operation("A hand step by step.", ReplayAnswer),
    ("POST", f"{TABLE}/hands/{{hand}}/judge"): Operation("Judge a hand.", JudgedHand),
    ("GET", f"{TABLE}/history.phhs"): Operation("The hands as PHH.", "application/toml"),
    ("GET", f"{TABLE}/history.txt"): Operation("The hands as text.", "text/plain"),
}


@cache
def document() -> bytes:
    """The description, as JSON."""
    types = {
        kind
        for operation in OPERATIONS.values()
        for kind in (operation.answers, operation.asks)
        if kind is not None and not isinstance(kind, str)
    } | {RefusalAnswer}
    ordered = sorted(types, key=lambda kind: kind.__name__)
    schemas, parts = msgspec.json.schema_components(
        ordered, ref_template="#/components/schemas/{name}"
    )
    known = dict(zip(ordered, schemas, strict=True))
    paths: dict[str, Any] = {}
    for (method, path), operation in OPERATIONS.items():
        paths.setdefault(path, {})[method.lower()] = _operation(path, operation, known)
    content = {
        "openapi": "3.1.0",
        "info": {"title": "Endspiel", "version": __version__},
        "servers": [{"url": "/"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": parts,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }
    return msgspec.json.encode(content)


def _operation(path: str, operation: Operation, known: dict[Any, Any]) -> dict[str, Any]:
    """An operation as OpenAPI writes it."""
    inside = [part.strip("{}") for part in path.split("/") if part.startswith("{")]
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in inside
    ] + [
        {
            "name": name.rstrip("?"),
            "in": "query",
            "required": not name.endswith("?"),
            "schema": {"type": "string"},
        }
        for name in operation.query.split()
    ]
    made: dict[str, Any] = {
        "summary": operation.summary,
        "responses": {
            str(operation.status): {
                "description": "The answer.",
                "content": _content(operation.answers, known),
            },
            "default": {
                "description": "Why not.",
                "content": _content(RefusalAnswer, known),
            },
        },
    }
    if parameters:
        made["parameters"] = parameters
    if operation.asks is not None:
        made["requestBody"] = {"required": True, "content": _content(operation.asks, known)}
    return made


def _content(kind: Any, known: dict[Any, Any]) -> dict[str, Any]:
    """A body: JSON of a type, or a file of a media type."""
    return {kind: {}} if isinstance(kind, str) else {"application/json": {"schema": known[kind]}}

"""Reports that `endspiel report --json` wrote, kept and shown: a row a board."""

import time
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from endspiel.cards.text import parse_board
from endspiel.errors import EndspielError
from endspiel.solving.views import action_name
from endspiel.web.messages import Refused, SpotText
from endspiel.web.shelf import Kept, Shelf
from endspiel.web.store import ServerFolder, new_id

MOST_REPORTS: Final = 100
KINDS: Final = ("flop", "turn", "river")
Share = float | None
Pair = tuple[float | None, float | None]  # out of position first


class ReportRow(Struct):
    """A report's figures of one board at its node."""

    board: str
    weight: Annotated[float, Meta(ge=0)]
    frequencies: dict[str, Share]
    evs: Pair
    equities: Pair
    eqrs: Pair
    exploitability: Share
    player: Annotated[int, Meta(ge=0, le=1)]
    pot: float
    solution: str = ""  # the job that has the board solved, where it was stored


class ReportMean(Struct):
    """The mean over the boards by their weights."""

    frequencies: dict[str, Share] = {}
    evs: Pair = (None, None)
    equities: Pair = (None, None)
    eqrs: Pair = (None, None)
    exploitability: Share = None


class _ReportFile(Struct):
    """What the command writes, as far as it is shown here."""

    mean: ReportMean
    node: str
    pot: int
    stack: int
    flops: list[ReportRow] = []
    turns: list[ReportRow] = []
    rivers: list[ReportRow] = []
    missing: int = 0
    failed: list[dict[str, str]] = []
    spot: SpotText | None = None


class Report(Kept):
    """A report, kept."""

    name: str
    created: float
    kind: str  # flop, turn or river
    node: str
    player: int
    pot: int
    stack: int
    words: list[str]
    actions: list[str]
    rows: list[ReportRow]
    mean: ReportMean
    missing: int
    spot: SpotText | None
    tags: list[str] = msgspec.field(default_factory=list)


class ReportEntry(Struct):
    """A report, as lists show it."""

    id: str
    name: str
    created: float
    kind: str
    node: str
    boards: int


class ReportsAnswer(Struct):
    """Every report, newest first."""

    reports: list[ReportEntry]


def report_shelf(store: ServerFolder) -> Shelf[Report]:
    """The reports of a server."""
    return Shelf(store.folder / "reports", Report, "report", MOST_REPORTS)


def list_reports(shelf: Shelf[Report]) -> ReportsAnswer:
    """Every report in a line, newest first."""
    newest = sorted(shelf.all(), key=lambda report: -report.created)
    return ReportsAnswer(
        [ReportEntry(r.id, r.name, r.created, r.kind, r.node, len(r.rows)) for r in newest]
    )


def read_report(name: str, data: bytes, given: str = "") -> Report:
    """The report of a file that `endspiel report --json` wrote, under an id if one is given."""
    try:
        file = msgspec.json.decode(data, type=_ReportFile)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise Refused(
            f"{name[:80]} is no report of endspiel report: {error}"[:300], "file"
        ) from error
    kinds = [kind for kind in KINDS if getattr(file, f"{kind}s")]
    if len(kinds) != 1:
        raise Refused(f"{name[:80]} has no rows of flops, turns or rivers", "file")
    rows: list[ReportRow] = getattr(file, f"{kinds[0]}s")
    words = list(rows[0].frequencies)
    for row in rows:
        _check_row(row, words, KINDS.index(kinds[0]) + 3)
    return Report(
        id=given or new_id(),
        name=name.removesuffix(".json")[:120] or "report",
        created=time.time(),
        kind=kinds[0],
        node=file.node,
        player=rows[0].player,
        pot=file.pot,
        stack=file.stack,
        words=words,
        actions=[action_name(word, 1 if "f" in words else 0) for word in words],
        rows=rows,
        mean=file.mean,
        missing=file.missing + len(file.failed),
        spot=file.spot,
    )


def _check_row(row: ReportRow, words: list[str], cards: int) -> None:
    """Refuse a row that is not of the report's node and street."""
    try:
        board = parse_board(row.board)
    except EndspielError as error:
        raise Refused(f"a row of the report: {error}", "file") from error
    if len(board) != cards:
        raise Refused(f"the board {row.board} has {len(board)} cards, not {cards}", "file")
    if list(row.frequencies) != words:
        raise Refused(f"the row of {row.board} has other actions than the first", "file")


def spot_on(report: Report, board: str) -> SpotText:
    """The report's spot on one of its boards."""
    if report.spot is None:
        raise Refused(
            "this report lacks its ranges and menus: make it again with endspiel report",
            "",
            409,
        )
    if board not in (row.board for row in report.rows):
        raise Refused(f"{board[:20]!r} is no board of this report", "board", 404)
    return msgspec.structs.replace(report.spot, board=board)

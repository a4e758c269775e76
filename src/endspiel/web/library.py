"""The library: every solve and report of the folder, with names, dates, tags and sizes."""

import shutil
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from endspiel.web.job_service import JobService
from endspiel.web.jobs import SolveJob
from endspiel.web.messages import Asked, Name, Refused
from endspiel.web.reports import Report
from endspiel.web.shelf import Shelf

Tag = Annotated[str, Meta(max_length=40)]
ItemKind = Literal["solve", "report"]


class LabelAsked(Asked):
    """Another name, or other tags, for a solve or report."""

    kind: ItemKind
    id: str
    name: Name | None = None
    tags: Annotated[list[Tag], Meta(max_length=20)] | None = None


class LibraryItem(Struct):
    """A solve, or a report with the solutions of its boards."""

    kind: ItemKind
    id: str
    name: str
    created: float
    tags: list[str]
    board: str  # of a solve; empty of a report
    boards: int
    solved: int  # boards that open solved
    pot: int
    stack: int
    big_blind: int | None
    street: str
    state: str
    exploitability_percent: float | None
    file_bytes: int


class LibraryAnswer(Struct):
    """All solves and reports, newest first, where they are, and the bytes left there."""

    items: list[LibraryItem]
    folder: str
    file_bytes: int
    free_bytes: int


STREETS = {3: "flop", 4: "turn", 5: "river"}


class Library:
    """The solves and reports of a server as one collection."""

    def __init__(self, service: JobService, reports: Shelf[Report]) -> None:
        self.service, self.reports = service, reports

    def items(self) -> LibraryAnswer:
        """All of them, those that were copied into the folder meanwhile too."""
        self.service.look_again()
        self.reports.look_again()
        jobs = list(self.service.jobs.values())
        reports = {report.id: report for report in self.reports.all()}
        parts: dict[str, list[SolveJob]] = {name: [] for name in reports}
        found = []
        for job in jobs:
            if job.record.report in parts:
                parts[job.record.report].append(job)
            else:
                found.append(self._solve(job))
        found += [self._report(report, parts[name]) for name, report in reports.items()]
        found.sort(key=lambda item: -item.created)
        folder = self.service.store.folder
        return LibraryAnswer(
            found,
            str(folder.absolute()),
            sum(item.file_bytes for item in found),
            shutil.disk_usage(folder).free,
        )

    def label(self, asked: LabelAsked) -> None:
        """Give a solve or report another name or other tags."""
        tags = None
        if asked.tags is not None:
            tags = list(dict.fromkeys(tag.strip() for tag in asked.tags if tag.strip()))
        if asked.kind == "solve":
            self.service.label(self.service.job(asked.id), asked.name, tags)
            return
        report = self.reports.get(asked.id)
        name = report.name if asked.name is None else asked.name.strip()
        if not name:
            raise Refused("a name has a letter at least", "name")
        known = report.tags if tags is None else tags
        self.reports.put(msgspec.structs.replace(report, name=name, tags=known))

    def _solve(self, job: SolveJob) -> LibraryItem:
        answer = self.service.answer(job)
        return LibraryItem(
            "solve",
            answer.id,
            answer.name,
            answer.created,
            answer.tags,
            " ".join(answer.board),
            1,
            int(answer.has_result),
            answer.pot,
            answer.stack,
            answer.big_blind,
            STREETS[len(answer.board)],
            answer.state,
            answer.exploitability_percent,
            answer.file_bytes,
        )

    def _report(self, report: Report, jobs: list[SolveJob]) -> LibraryItem:
        return LibraryItem(
            "report",
            report.id,
            report.name,
            report.created,
            report.tags,
            "",
            len(report.rows),
            len(jobs),
            report.pot,
            report.stack,
            None if report.spot is None else report.spot.big_blind,
            report.kind,
            "done",
            100 * gap if (gap := report.mean.exploitability) is not None else None,
            sum(self.service.store.file_bytes(job.id) for job in jobs),
        )

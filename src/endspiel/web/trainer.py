"""What was drilled, kept on disk: scores by day, and what comes again when.

A decision answered badly comes again after a minute; answered well, after ten minutes, a day, and
then each time later by its ease (SM-2: Wozniak 1990; the grade of an answer is what it loses).
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from msgspec import Struct

from endspiel.cards.streets import BOARD_CARDS, FLOP_CARDS, STREETS
from endspiel.web.shelf import write_json
from endspiel.web.store import new_id
from endspiel.web.training import GOOD, Verdict

MINUTE, DAY = 60.0, 86_400.0
AGAIN: Final = MINUTE  # after a bad answer
STEPS: Final = (10 * MINUTE, DAY)  # after the first and the second good one in a row
EASE, LEAST_EASE = 2.5, 1.3  # SM-2's factor between later intervals, at first and at least
MOST_ASKED: Final = 200  # questions that wait for their answers
SUITED: Final = ("rainbow", "two-tone", "monotone")  # flops
PAIRED: Final = ("unpaired", "paired", "trips")
WHOLE: Final = "whole hands"  # the part that counts hands in place of decisions


class Drilled(Struct):
    """A decision that was answered badly once, and when it comes again."""

    job: str
    line: str
    hand: str
    due: float  # seconds since 1970
    interval: float = AGAIN
    ease: float = EASE
    streak: int = 0  # good answers in a row


class DayScore(Struct):
    """What was answered on a day, or in all."""

    questions: int = 0
    good: int = 0
    lost_percent: float = 0.0  # of the pot, summed

    def count(self, good: bool, lost_percent: float) -> None:
        """Count an answer."""
        self.questions += 1
        self.good += good
        self.lost_percent += lost_percent


class DrillRecord(Struct):
    """All that is kept of the drills."""

    total: DayScore
    days: dict[str, DayScore] = {}  # by date, as 2026-11-16
    jobs: dict[str, DayScore] = {}
    drilled: list[Drilled] = []
    parts: dict[str, dict[str, DayScore]] = {}  # by date, then by street, texture or WHOLE


class ProgressAnswer(Struct):
    """How the drills go."""

    total: DayScore
    days: dict[str, DayScore]
    jobs: dict[str, DayScore]
    due: dict[str, int]  # decisions to repeat now, by solve
    waiting: int  # decisions to repeat later
    parts: dict[str, dict[str, DayScore]]


def graded(item: Drilled, grade: int, now: float) -> None:
    """Put a decision off by how well it was answered (SM-2)."""
    item.ease = max(LEAST_EASE, item.ease + 0.1 - (5 - grade) * (0.08 + (5 - grade) * 0.02))
    if grade < GOOD:
        item.streak, item.interval = 0, AGAIN
    else:
        later = item.interval * item.ease
        item.interval = STEPS[item.streak] if item.streak < len(STEPS) else later
        item.streak += 1
    item.due = now + item.interval


def parts_of(board: Sequence[str]) -> list[str]:
    """The street of a board, how suited its flop is, and whether it is paired."""
    street = STREETS[BOARD_CARDS.index(len(board))]
    if not board:
        return [street]
    flop = board[:FLOP_CARDS]
    suits, ranks = ({card[at] for card in flop} for at in (1, 0))
    return [street, SUITED[FLOP_CARDS - len(suits)], PAIRED[FLOP_CARDS - len(ranks)]]


class DrillBook:
    """The questions that wait for answers, and the progress file."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self.path, self.clock = path, clock
        self.dice = np.random.default_rng()
        self._asked: OrderedDict[str, tuple[str, str, str]] = OrderedDict()
        self._lock = threading.RLock()
        self._progress = self._read()

    def _read(self) -> DrillRecord:
        try:
            return msgspec.json.decode(self.path.read_bytes(), type=DrillRecord)
        except (OSError, msgspec.MsgspecError):  # none yet, or not ours
            return DrillRecord(DayScore())

    def due(self, job: str) -> list[Drilled]:
        """The decisions of a solve that are to be repeated now, the longest overdue first."""
        with self._lock:
            found = [d for d in self._progress.drilled if d.job == job and d.due <= self.clock()]
        return sorted(found, key=lambda item: item.due)

    def remember(self, job: str, line: str, hand: str) -> str:
        """The id under which a question's answer is waited for."""
        with self._lock:
            name = new_id()
            self._asked[name] = job, line, hand
            while len(self._asked) > MOST_ASKED:
                self._asked.popitem(last=False)
        return name

    def asked(self, name: str) -> tuple[str, str, str] | None:
        """Solve, line and hand of a question; None where it is unknown, or answered."""
        with self._lock:
            return self._asked.get(name)

    def note(self, name: str, verdict: Verdict, board: Sequence[str] = ()) -> Verdict:
        """Count an answer on a board, put its decision off, and write it all down."""
        with self._lock:
            job, line, hand = self._asked.pop(name)
            if not verdict.judged:
                return verdict
            now, progress = self.clock(), self._progress
            parts = self._today()
            for score in (
                progress.total,
                progress.days.setdefault(self._day(), DayScore()),
                progress.jobs.setdefault(job, DayScore()),
                *(parts.setdefault(part, DayScore()) for part in parts_of(board)),
            ):
                score.count(verdict.good, verdict.lost_percent)
            same = (d for d in progress.drilled if (d.job, d.line, d.hand) == (job, line, hand))
            item = next(same, None)
            if item is None and not verdict.good:
                item = Drilled(job, line, hand, now)
                progress.drilled.append(item)
            if item is not None:
                graded(item, verdict.grade, now)
                verdict.next_seconds = item.interval
            write_json(self.path, progress)
        return verdict

    def note_hand(self, flawless: bool, lost_percent: float) -> None:
        """Count a hand that was played to its end, and what it lost of its first pot."""
        with self._lock:
            self._today().setdefault(WHOLE, DayScore()).count(flawless, lost_percent)
            write_json(self.path, self._progress)

    def _day(self) -> str:
        return time.strftime("%Y-%m-%d", time.localtime(self.clock()))

    def _today(self) -> dict[str, DayScore]:
        """The scores of today's parts."""
        return self._progress.parts.setdefault(self._day(), {})

    def answer(self) -> ProgressAnswer:
        """How the drills go."""
        with self._lock:
            progress, now = self._progress, self.clock()
            due: dict[str, int] = {}
            for item in progress.drilled:
                if item.due <= now:
                    due[item.job] = due.get(item.job, 0) + 1
            waiting = len(progress.drilled) - sum(due.values())
            return ProgressAnswer(
                progress.total, progress.days, progress.jobs, due, waiting, progress.parts
            )

    def drop(self, item: Drilled) -> None:
        """Let go of a decision that its solve no longer has."""
        with self._lock:
            self._progress.drilled.remove(item)

    def forget(self) -> None:
        """Start over."""
        with self._lock:
            self._progress = DrillRecord(DayScore())
            write_json(self.path, self._progress)

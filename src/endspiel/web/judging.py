"""What the person's own decisions at a table lost: a finished hand is judged as reviews judge it.

Before the flop charts of the hand's depth judge; they also give the ranges on the flop. From there
the hand is solved with its own bets among the menu's, which takes up to a minute of two cores.
Hands wait for one thread, and the last one that was played comes first.
"""

import threading
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from msgspec import Struct

from endspiel.arrays import Float64s
from endspiel.betting.menu import StreetMenu
from endspiel.cards.deck import NUM_HANDS, hand_index
from endspiel.cards.streets import PREFLOP, STREETS
from endspiel.errors import EndspielError
from endspiel.processors import processors
from endspiel.review.before_flop import PreflopTrees
from endspiel.review.judge import Reviewer, ReviewSettings
from endspiel.review.judgments import Judgment, Review
from endspiel.review.played import PlayedHand, RootedAction
from endspiel.review.sources import read_record
from endspiel.rules.log import Record
from endspiel.solving.solution import SpotSolution

YOU: Final = "You"  # the person's name in records
TREES: Final = 8  # depths whose charts are remembered
UNASKED, WAITING, JUDGED, FAILED = "unasked", "waiting", "judged", "failed"
MENU: Final = ("66%", "")  # bets and raises besides those made, as `endspiel review` has from flops
TARGET: Final = 0.01  # share of the pot
FAINT: Final = 1e-3  # of the likeliest hand: what the person's hand weighs where charts drop it


class JudgedDecision(Struct):
    """A decision of the person's, and what it lost; amounts are in big blinds."""

    street: str
    line: str  # in the spot's words
    taken: str
    best: str
    lost: float
    error: float  # by which the loss may be off
    mistake: bool  # whether the loss is more than that, and more than nothing
    share: float  # how often the solution does what was done
    by: str  # what the ranges are of
    ranges: tuple[str, str]
    link: str  # opens the decision's spot on the page


class JudgedHand(Struct):
    """A hand's own decisions; those that are not judged say why."""

    state: str  # unasked, waiting, judged or failed
    decisions: list[JudgedDecision] = []
    lost: float = 0.0  # big blinds, by all mistakes
    reasons: list[str] = []


class JudgedNews(Struct):
    """A judged hand, as pages are sent it."""

    id: str  # of the table
    hand: int
    judged: JudgedHand


class _Asked(NamedTuple):
    """A hand that waits."""

    record: Record
    judged: Callable[[JudgedHand], None]


@dataclass
class _TableReviewer(Reviewer):
    """A reviewer that also judges hands which the charts would not have played so."""

    def _solve(
        self,
        hand: PlayedHand,
        street: int,
        ranges: tuple[Float64s, Float64s],
        actions: tuple[RootedAction, ...],
    ) -> SpotSolution:
        own, both = hand.players.index(YOU), [ranges[0].copy(), ranges[1].copy()]
        held, weights = hand_index(*hand.holes[own]), both[own]
        weights[held] = max(weights[held], FAINT * weights.max())
        return super()._solve(hand, street, (both[0], both[1]), actions)


class HandJudge:
    """Judges the hands of all tables, one after the other."""

    def __init__(self) -> None:
        every = np.ones(NUM_HANDS)  # the charts give the ranges
        self.settings = ReviewSettings(
            (every, every),
            StreetMenu.parse(*MENU),
            first_street=PREFLOP,
            player=YOU,
            target=TARGET,
            threads=processors(),
            halt=lambda iteration, seconds: self._closed.is_set(),
        )
        self._trees = PreflopTrees(most=TREES)
        self._waiting: list[_Asked] = []
        self._thread = ThreadPoolExecutor(1, "endspiel-judge")
        self._closed = threading.Event()

    def submit(self, record: Record, judged: Callable[[JudgedHand], None]) -> None:
        """Judge a hand when its turn comes, and hand over what was found."""
        if not self._closed.is_set():
            self._waiting.append(_Asked(record, judged))
            self._thread.submit(self._next)

    def _next(self) -> None:
        asked = self._waiting.pop()
        try:
            found = self.judge(asked.record)
        except EndspielError as error:
            found = JudgedHand(FAILED, reasons=[str(error)])
        except Exception as error:  # a fault of ours: said, and the next hand is judged
            traceback.print_exc()
            found = JudgedHand(FAILED, reasons=[f"the review failed: {type(error).__name__}"])
        if not self._closed.is_set():  # else the server ends, and the hand may not be judged whole
            asked.judged(found)

    def judge(self, record: Record) -> JudgedHand:
        """Judge the person's decisions in a hand."""
        reviewer = _TableReviewer(self.settings, trees=self._trees)
        return _judged(reviewer.review([read_record(record, 1)]))

    def close(self) -> None:
        """Judge no more."""
        self._closed.set()
        self._thread.shutdown(wait=False, cancel_futures=True)


def _judged(found: Review) -> JudgedHand:
    decisions = [_decision(one) for one in found.judgments]
    return JudgedHand(
        JUDGED,
        decisions,
        round(sum(one.lost for one in decisions if one.mistake), 4),
        [one.reason for one in (*found.unsure, *found.broken)],
    )


def _decision(one: Judgment) -> JudgedDecision:
    return JudgedDecision(
        street=STREETS[one.street],
        line=one.where,
        taken=one.taken,
        best=one.best,
        lost=round(one.blinds, 4),
        error=round(one.error, 4),
        mistake=one.mistake,
        share=round(one.share, 4),
        by=one.by,
        ranges=one.ranges,
        link=one.link,
    )

"""The log of a match: written as it is played, read to go on where it stops.

It is a dealer's log, one match a section, which ``endspiel replay`` checks. Whatever follows the
last whole hand, such as a line that a killed process left half written, is written again.
"""

import json
from pathlib import Path
from typing import Final

from endspiel.arena.deals import DealSource, deal_block
from endspiel.arena.plan import MatchPlan, PlayedBlock, pack
from endspiel.arena.play import Hand, position_of
from endspiel.arena.protocol.appending import GrowingLog
from endspiel.errors import EndspielError, FileError
from endspiel.rules.deal import Deal
from endspiel.rules.log import (
    Header,
    Record,
    Score,
    format_header,
    format_score,
    parse_record,
)

_HANDS: Final = "STATE:"


class MatchLog(GrowingLog):
    """An open log; ``played`` holds the hands that were in it."""

    def __init__(self, plan: MatchPlan, path: Path, resume: bool) -> None:
        self.plan = plan
        self.played: list[PlayedBlock] = []
        self.hands: list[list[Hand]] = []  # those of each block, where AIVAT is still to see them
        self._hands = 0  # in the log
        self._total = 0.0  # chips of agent A in the section so far
        super().__init__(path, _head(plan, 0)[0], resume)
        self._end_section()

    def write(self, block: PlayedBlock) -> None:
        """Add the hands of the next block; they are safe from a killed process afterwards."""
        if block.first == 0:
            self.put(_head(self.plan, block.section))
        self.put(block.lines)
        self._count(block)
        self._end_section()

    def _count(self, block: PlayedBlock) -> None:
        self._total = (self._total if block.first else 0.0) + float(block.chips.sum())
        self._hands += len(block.chips)

    def _end_section(self) -> None:
        """Write the score where the last hand ended a section."""
        if self._hands and self._hands % self.plan.section_hands == 0:
            section = self._hands // self.plan.section_hands - 1
            self.put([_score(self.plan, section, self._total)])

    def _take_over(self, lines: list[str]) -> None:
        """Take over the hands in the log."""
        section: list[Record] = []
        expected = iter(_head(self.plan, 0))
        for number, line in enumerate(lines, 1):
            due = next(expected, None)
            if due is None and line.startswith(_HANDS):
                section.append(self._record(number, line))
                if len(section) == self.plan.section_hands:
                    self._take(section)
                    section = []
                    ended = len(self.played)
                    score = _score(self.plan, ended - 1, self._total)
                    expected = iter([score, *_head(self.plan, ended)])
            elif line != due:
                wanted = repr(due) if due else "a hand"
                raise FileError(f"{self.path}, line {number}: this match has {wanted} here")
        if section:
            self._take(section)

    def _record(self, number: int, line: str) -> Record:
        try:
            return parse_record(self.plan.game, line)
        except EndspielError as error:
            raise FileError(f"{self.path}, line {number}: {error}") from error

    def _take(self, records: list[Record]) -> None:
        """Check the hands of one section against the plan and keep them as a block."""
        section = len(self.played)
        if section >= self.plan.sections:
            raise FileError(f"{self.path} holds more hands than the match has")
        hands = checked_hands(self.plan, (section, 0), records, self.path)
        block = pack(section, hands, [])
        self.played.append(block)
        if self.plan.aivat:
            self.hands.append(hands)
        self._count(block)


def checked_hands(
    plan: MatchPlan, where: tuple[int, int], records: list[Record], path: Path
) -> list[Hand]:
    """The hands that a file has from a section's hand on; FileError if they are not the plan's."""
    section, first = where
    deals = deal_block(plan.game, DealSource(plan.game, plan.seed, first).words(len(records)))
    seats = plan.names(section)
    hands = []
    for number, (record, deal) in enumerate(zip(records, deals, strict=True), first):
        shown = record.shown
        names = (seats[number % 2], seats[(number + 1) % 2])
        dealt = Deal(shown.holes, shown.board) == deal._replace(
            board=deal.board[: len(shown.board)]
        )
        if shown.hand != number or record.names != names or not dealt:
            raise FileError(
                f"{path}: hand {shown.hand} of section {section + 1} is not this match's"
            )
        position = position_of(0, section, number)
        hands.append(Hand(number, shown.state, deal, record.payoffs, position))
    return hands


def _head(plan: MatchPlan, section: int) -> list[str]:
    """The lines that open a section."""
    match = "-vs-".join(plan.names(section))
    about = {"agents": plan.agents, "duplicate": plan.duplicate, "section": section + 1}
    header = Header(match, f"{plan.game.name}.game", plan.section_hands, plan.seed)
    return [format_header(header), f"# endspiel match {json.dumps(about)}"]


def _score(plan: MatchPlan, section: int, total: float) -> str:
    """The line that closes a section, from agent A's chips."""
    totals = (-total, total) if section else (total, -total)
    return format_score(Score(totals, plan.names(section)))

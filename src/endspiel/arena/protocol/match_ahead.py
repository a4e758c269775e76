"""Hands of a match that were played before their turn, in a file beside its log.

Workers end their blocks in any order, and the log has them in one. Without this file a killed match
would play again what was waiting for an earlier block.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from endspiel.arena.plan import MatchPlan, PlayedBlock
from endspiel.arena.play import Hand
from endspiel.arena.protocol.match_log import checked_hands
from endspiel.errors import EndspielError, FileError
from endspiel.growing import GrowingFile
from endspiel.reading import MOST_OF_A_LOG, read_bytes
from endspiel.rules.log import parse_record

SUFFIX: Final = ".ahead"


class AheadHand(NamedTuple):
    """A hand that need not be played again."""

    hand: Hand
    line: str  # of the log


class _Block(msgspec.Struct):
    """A line of the file: a block, by the lines that its log will have."""

    section: int
    first: int
    lines: list[str]


HandPlace = tuple[int, int]  # section and number


class AheadFile:
    """Blocks that wait for an earlier one; there is no file while none does."""

    def __init__(self, plan: MatchPlan, log: Path, played: Sequence[PlayedBlock] = ()) -> None:
        """Read what a killed match left, but for hands that its log has too.

        The log is open and locked.
        """
        self.path = log.with_name(log.name + SUFFIX)
        self.hands: dict[HandPlace, AheadHand] = {}
        self._file: GrowingFile | None = None
        if self.path.exists():
            self._read(plan)
            for block in played:
                for place in _places(block):
                    self.hands.pop(place, None)
            self._file = self._opened()
        self._waiting = set(self.hands)

    def _read(self, plan: MatchPlan) -> None:
        """The hands of whole lines, checked against the plan."""
        data = read_bytes(self.path, MOST_OF_A_LOG)
        for number, line in enumerate(data[: data.rfind(b"\n") + 1].splitlines(), 1):
            try:
                block = msgspec.json.decode(line, type=_Block)
                hands = self._checked(plan, block)
            except (msgspec.MsgspecError, EndspielError) as error:
                raise FileError(
                    f"{self.path}, line {number}: {error}; without this file the match plays what "
                    "it holds once more"
                ) from error
            for hand, text in zip(hands, block.lines, strict=True):
                self.hands[block.section, hand.number] = AheadHand(hand, text)

    def _checked(self, plan: MatchPlan, block: _Block) -> list[Hand]:
        last = block.first + len(block.lines)
        if not (0 <= block.section < plan.sections and 0 <= block.first < last):
            raise FileError("no such section or hands")
        if last > plan.section_hands:
            raise FileError(f"a section has {plan.section_hands} hands, not {last}")
        records = [parse_record(plan.game, text) for text in block.lines]
        return checked_hands(plan, (block.section, block.first), records, self.path)

    def put(self, block: PlayedBlock) -> None:
        """Note a block that waits; it is safe from a killed process afterwards."""
        places = _places(block)
        if self._waiting.issuperset(places):
            return
        if self._file is None:
            self._file = self._opened()
        self._waiting.update(places)
        text = msgspec.json.encode(_Block(block.section, block.first, block.lines)).decode()
        self._file.put([text])

    def drop(self, block: PlayedBlock) -> None:
        """Forget a block that the log has now; the file is empty again when none waits."""
        if self._file is None:
            return
        self._waiting.difference_update(_places(block))
        if not self._waiting:
            self._file.cut(0)

    def _opened(self) -> GrowingFile:
        """The file, to go on behind its last whole line."""
        file = GrowingFile(self.path, f"another match is writing {self.path}")
        data = read_bytes(self.path, MOST_OF_A_LOG)
        file.cut(data.rfind(b"\n") + 1)
        return file

    def close(self) -> None:
        """Close the file, and remove it where no hand waits."""
        if self._file is not None:
            self._file.__exit__(None, None, None)
            self._file = None
            if not self._waiting:
                self.path.unlink(missing_ok=True)


def _places(block: PlayedBlock) -> list[HandPlace]:
    return [(block.section, block.first + at) for at in range(len(block.chips))]

"""A dealer's match and its log, which a crashed match is taken up from."""

from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from endspiel.arena.protocol.appending import GrowingLog
from endspiel.errors import EndspielError, FileError
from endspiel.rules.deal import deals
from endspiel.rules.game_def import GameDef
from endspiel.rules.log import (
    Header,
    Record,
    Score,
    format_header,
    format_record,
    format_score,
    parse_record,
)


@dataclass(frozen=True)
class TimeLimits:
    """How long players may take, in milliseconds."""

    response: int = 600_000
    hand: int = 600_000
    per_hand: int = 7_000  # on average over the match
    start: int | None = None  # until all have connected; None for any time


@dataclass(frozen=True)
class DealerPlan:
    """A match to deal. N players."""

    match: str
    game: GameDef
    game_file: str  # as the header names it
    hands: int
    seed: int
    names: tuple[str, ...]  # [N] by seat
    limits: TimeLimits = TimeLimits()
    fixed_seats: bool = False

    def __post_init__(self) -> None:
        if len(self.names) != self.game.num_players:
            raise EndspielError(
                f"{len(self.names)} names of players; {self.game.name} has {self.game.num_players}"
            )
        if self.hands < 1:
            raise EndspielError(f"a match has at least one hand, not {self.hands}")
        for name in (self.match, self.game_file, *self.names):
            if not name or any(c in ":|" or c.isspace() for c in name):
                raise EndspielError(f"name {name!r} would spoil the log: no spaces, ':' or '|'")

    def head(self) -> list[str]:
        """The lines that open the log and the transcript."""
        return [
            format_header(Header(self.match, self.game_file, self.hands, self.seed)),
            f"#--t_response {self.limits.response}",
            f"#--t_hand {self.limits.hand}",
            f"#--t_per_hand {self.limits.per_hand}",
        ]

    def seat_at(self, position: int, hand: int) -> int:
        """Who is at a position: seats move by one every hand, unless fixed."""
        moved = 0 if self.fixed_seats else hand
        return (position + moved) % self.game.num_players


class DealerLog(GrowingLog):
    """An open log with the hands already in it counted; hands are added one by one.

    A resumed match begins with the hand after the last one in the log. The clocks restart: a log
    does not say how long anybody took.
    """

    def __init__(self, plan: DealerPlan, path: Path, resume: bool = False) -> None:
        self.plan = plan
        self.hands = 0
        self.totals = [0.0] * len(plan.names)  # [N] by seat
        super().__init__(path, plan.head()[0], resume)
        if not self.hands:
            self.put(plan.head())

    def _take_over(self, lines: list[str]) -> None:
        """Count the hands of a log, each checked to be this match's."""
        head = self.plan.head()
        if lines and lines[: len(head)] != head:
            raise FileError(f"{self.path} is the log of another match: it opens {lines[0]!r}")
        dealt = islice(deals(self.plan.game, self.plan.seed), self.plan.hands)
        for number, line in enumerate(lines[len(head) :], len(head) + 1):
            deal = next(dealt, None)
            try:
                record = parse_record(self.plan.game, line)
            except EndspielError as error:
                raise FileError(f"{self.path}, line {number}: {error}") from error
            shown = record.shown
            if (
                deal is None
                or shown.hand != self.hands
                or shown.holes != deal.holes
                or shown.board != deal.board[: len(shown.board)]
            ):
                raise FileError(f"{self.path}, line {number}: not hand {self.hands} of this match")
            for position, chips in enumerate(record.payoffs):
                self.totals[self.plan.seat_at(position, self.hands)] += chips
            self.hands += 1

    def add(self, record: Record) -> None:
        """Write a finished hand."""
        self.put([format_record(record)])

    def end(self, score: Score) -> None:
        """Write the score that ends a match."""
        self.put([format_score(score)])

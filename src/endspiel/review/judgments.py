"""A review's results: judged decisions, and the hands that were not judged."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from endspiel.review.played import BrokenHand
from endspiel.solving.views import action_name

NOTHING = 0.01  # big blinds: a smaller loss means nothing


class Judgment(NamedTuple):
    """A decision, and what it cost."""

    hand: str
    line: int  # of the file
    street: int
    player: str
    cards: str
    node: str  # as `endspiel solve --node` writes it, in chips of the spot behind the link
    where: str  # the same in the file's money
    taken: str
    best: str
    lost: float  # chips of the file
    blinds: float  # the same in big blinds
    share: float  # how often the solution takes the action taken
    kind: str  # of spot: `kind_of`
    link: str  # opens the spot on the study page
    error: float = 0.0  # big blinds by which the loss may be off, where that is known
    by: str = ""  # what the ranges are of: charts, or what was stated
    ranges: tuple[str, str] = ("", "")  # assumed of both players, out of position first

    @property
    def mistake(self) -> bool:
        """Whether the loss is more than nothing, and more than it may be off by."""
        return self.blinds > max(NOTHING, self.error)


@dataclass
class Review:
    """A file's decisions, and all that was not judged."""

    judgments: list[Judgment] = field(default_factory=list)
    broken: list[BrokenHand] = field(default_factory=list)  # unreadable, or never heads-up there
    early: list[BrokenHand] = field(default_factory=list)  # over before the review begins
    unsure: list[BrokenHand] = field(default_factory=list)  # lose less than the charts' error
    unseen: int = 0  # decisions of players whose cards are not known
    hands: int = 0  # readable
    others: int = 0  # readable, without the player who is asked about

    def add(self, found: Judgment | BrokenHand) -> None:
        """Note a decision, or why it could not be judged."""
        if isinstance(found, BrokenHand):
            self.broken.append(found)
        else:
            self.judgments.append(found)

    def lost(self, street: int) -> tuple[int, float]:
        """How many decisions of a street were judged, and big blinds lost by them."""
        chosen = [one.blinds for one in self.judgments if one.street == street]
        return len(chosen), float(sum(chosen))

    def kinds(self) -> dict[str, tuple[int, float]]:
        """Totals by kind of spot, the dearest first."""
        return self._totals(lambda one: one.kind)

    def players(self) -> dict[str, tuple[int, float]]:
        """Totals by player, the dearest first."""
        return self._totals(lambda one: one.player)

    def _totals(self, key: Callable[[Judgment], str]) -> dict[str, tuple[int, float]]:
        found: dict[str, tuple[int, float]] = {}
        for one in self.judgments:
            count, lost = found.get(key(one), (0, 0.0))
            found[key(one)] = count + 1, lost + one.blinds
        return dict(sorted(found.items(), key=lambda item: -item[1][1]))

    def reasons(self) -> dict[str, int]:
        """How many hands and decisions were not judged, by reason."""
        return dict(Counter(one.reason for one in self.broken).most_common())

    def dearest(self, number: int | None = None) -> list[Judgment]:
        """The mistakes that cost most, in big blinds; all of them without a number."""
        mistakes = [one for one in self.judgments if one.mistake]
        return sorted(mistakes, key=lambda one: -one.blinds)[:number]


def money_line(node: str, money: float) -> str:
    """A node's line with amounts in the file's money.

    Examples:
        >>> money_line("c b500 c / 9c", 0.01)
        'c b5 c / 9c'
    """
    return " ".join(_in_money(word, money) for word in node.split())


def _in_money(word: str, money: float) -> str:
    if word[0] not in "br" or not word[1:].isdecimal():
        return word
    return f"{word[0]}{int(word[1:]) * money:.10g}"


def money_name(word: str, to_call: int, money: float) -> str:
    """An action in words, amounts in the file's money: a chip is worth so much of it.

    Examples:
        >>> money_name("b94000", 0, 0.01), money_name("c", 5, 0.01)
        ('bet 940', 'call')
    """
    return action_name(_in_money(word, money), to_call)

"""Hand histories as PokerStars writes them, in English: no-limit hold'em, cash or tournament.

Read are hands in which two players are left when the flop is dealt; money is counted in hundredths.
A line that nobody knows makes a broken hand, which is told with its place; nothing is skipped
silently.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from functools import partial

from endspiel.cards.text import parse_cards
from endspiel.errors import EndspielError, StateError
from endspiel.review.played import (
    FOLDED,
    BrokenHand,
    PlayedAction,
    PlayedHand,
    StreetStart,
    check_cards,
)

_HEADER = re.compile(r"PokerStars (?:Zoom )?(?:Hand|Game) #(\d+):\s*(.*)")
_SEAT = re.compile(r"Seat (\d+): (.+) \(([^)]*) in chips.*\)")
_BUTTON = re.compile(r"Seat #(\d+) is the button")
_DEALT = re.compile(r"Dealt to (.+) \[([^\]]*)\]")
_STREET = re.compile(r"\*\*\* (FLOP|TURN|RIVER) \*\*\* (.*)")
_POST = re.compile(r"posts (the ante|small blind|big blind|small & big blinds) (\S+)")
_ACTION = re.compile(r"(folds|checks|calls|bets|raises)(?: (\S+))?(?: to (\S+))?")
_SHOWN = re.compile(r"(?:shows|showed|mucked) \[([^\]]*)\]")
_SUMMARY_SEAT = re.compile(r"Seat (\d+): ")
_ENDS = ("*** SHOW DOWN ***", "*** SUMMARY ***")
_TWICE = "*** FIRST "
_STREET_NUMBER = {"FLOP": 1, "TURN": 2, "RIVER": 3}
_CENTS = 100


def is_pokerstars(text: str) -> bool:
    """Whether a file looks like such a history."""
    return any(_HEADER.match(line) for line in text.lstrip("\ufeff").splitlines()[:50])


def read_pokerstars(text: str) -> Iterator[PlayedHand | BrokenHand]:
    """Every hand of a file, in order."""
    for start, lines in _hands(text.lstrip("\ufeff").splitlines()):
        header = _HEADER.match(lines[0])
        name = header[1] if header else lines[0][:40]
        try:
            yield _parse(name, start, lines, header[2] if header else "")
        except EndspielError as error:
            yield BrokenHand(name, start, str(error))


def _hands(lines: list[str]) -> Iterator[tuple[int, list[str]]]:
    """The lines of each hand and the number of its first."""
    begun: list[int] = [at for at, line in enumerate(lines) if _HEADER.match(line)]
    for at, after in zip(begun, [*begun[1:], len(lines)], strict=True):
        yield at + 1, [line.rstrip() for line in lines[at:after]]


@dataclass
class _HandState:
    """What is known while a hand is read."""

    stacks: dict[str, int] = field(default_factory=dict)  # by name
    seats: dict[int, str] = field(default_factory=dict)
    spent: dict[str, int] = field(default_factory=dict)
    street_spent: dict[str, int] = field(default_factory=dict)
    folded: set[str] = field(default_factory=set)
    holes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    board: tuple[int, ...] = ()
    street: int = 0
    button: int = 0
    big_blind: int = 0
    starts: dict[int, tuple[int, dict[str, int]]] = field(default_factory=dict)
    actions: list[tuple[int, str, int]] = field(default_factory=list)
    over: bool = False

    @property
    def left(self) -> list[str]:
        """Those who have not folded."""
        return [name for name in self.stacks if name not in self.folded]

    def put_in(self, name: str, chips: int) -> None:
        """Chips of a player, on this street and in all."""
        self.spent[name] = self.spent.get(name, 0) + chips
        self.street_spent[name] = self.street_spent.get(name, 0) + chips
        if self.spent[name] > self.stacks[name]:
            raise StateError(f"{name} puts in more than the stack")

    def deal(self, street: int, cards: str) -> None:
        """The cards of a street, and the chips with which it begins."""
        if street != self.street + 1:
            raise StateError("a street is missing")
        self.board = tuple(parse_cards(re.sub(r"[\[\]]", " ", cards)))
        self.street, self.street_spent = street, {}
        self.starts[street] = (sum(self.spent.values()), dict(self.spent))


def _parse(name: str, start: int, lines: list[str], about: str) -> PlayedHand:
    if "Hold'em No Limit" not in about:
        raise StateError("it is not no-limit hold'em")
    if not any(line.startswith("*** SUMMARY ***") for line in lines):
        raise StateError("it breaks off before its summary")
    table = _HandState()
    for at, line in enumerate(lines[1:], 1):
        try:
            _read_line(table, line)
        except EndspielError as error:
            raise StateError(f"line {start + at}: {error}") from error
    return check_cards(_played(name, start, table))


def _read_line(table: _HandState, line: str) -> None:
    """Take one line into account."""
    if line.startswith(_TWICE):
        raise StateError("the board was run twice")
    if line.startswith(_ENDS):
        table.over = True
    elif (street := _STREET.match(line)) is not None:
        table.deal(_STREET_NUMBER[street[1]], street[2])
    elif (button := _BUTTON.search(line)) is not None and not table.stacks:
        table.button = int(button[1])
    elif (seat := _SEAT.match(line)) is not None and not table.over:
        table.seats[int(seat[1])] = seat[2]
        table.stacks[seat[2]] = _money(seat[3])
    elif (dealt := _DEALT.match(line)) is not None:
        table.holes[dealt[1]] = tuple(parse_cards(dealt[2]))
    else:
        _read_player(table, line)


def _read_player(table: _HandState, line: str) -> None:
    """What a player does; lines of the summary tell hands that were shown."""
    name = _named(table, line)
    if table.over:
        shown = _SHOWN.search(line)
        if name is not None and shown is not None and len(shown[1].split()) == 2:
            table.holes[name] = tuple(parse_cards(shown[1]))
        return
    if name is None:
        return  # chat, comings and goings, what is returned or collected
    said = line[len(name) + 2 :]
    post, action = _POST.match(said), _ACTION.match(said)
    if post is not None:
        chips = _money(post[2])
        table.put_in(name, chips)
        if post[1] == "the ante":
            table.street_spent[name] -= chips
        elif post[1] == "big blind":
            table.big_blind = chips
    elif action is not None:
        _act(table, name, action)
    elif _SHOWN.match(said) is None and not said.startswith(("doesn't show", "mucks", "sits out")):
        raise StateError(f"nobody knows {said[:40]!r}")


def _named(table: _HandState, line: str) -> str | None:
    """The player whom a line is about: ``NAME: does this``, or a seat of the summary."""
    seat = _SUMMARY_SEAT.match(line)
    if seat is not None:
        return table.seats.get(int(seat[1]))
    names = [name for name in table.stacks if line.startswith(f"{name}: ")]
    return max(names, key=len, default=None)


def _act(table: _HandState, name: str, action: "re.Match[str]") -> None:
    verb, first, to = action[1], action[2], action[3]
    if verb == "folds":
        table.folded.add(name)
    elif verb != "checks":
        if (verb == "raises") != (to is not None) or first is None:
            raise StateError(f"{action[0]!r} lacks its chips")
        chips = _money(to or first)
        table.put_in(name, chips - (table.street_spent.get(name, 0) if to else 0))
    table.actions.append((table.street, name, FOLDED if verb == "folds" else table.spent[name]))


def _played(name: str, start: int, table: _HandState) -> PlayedHand:
    """The hand of the two who saw the flop."""
    folders = {who for street, who, chips in table.actions if street == 0 and chips == FOLDED}
    two = [who for who in table.stacks if who not in folders and who in table.spent]
    if 1 not in table.starts:
        raise StateError("it ends before the flop")
    if len(two) != 2:
        raise StateError(f"{len(two)} players see the flop, not two")
    order = [table.seats[seat] for seat in sorted(table.seats, key=partial(_after_button, table))]
    first, second = sorted(two, key=order.index)
    pair = (first, second)
    starts = {
        street: StreetStart(pot, (spent.get(first, 0), spent.get(second, 0)))
        for street, (pot, spent) in table.starts.items()
    }
    actions = tuple(
        PlayedAction(street, pair.index(who), chips)
        for street, who, chips in table.actions
        if street > 0
    )
    return PlayedHand(
        name,
        start,
        table.big_blind,
        pair,
        (table.stacks[first], table.stacks[second]),
        (table.holes.get(first, ()), table.holes.get(second, ())),
        table.board,
        starts,
        actions,
        unit=1 / _CENTS,
    )


def _after_button(table: _HandState, seat: int) -> int:
    """How far a seat is behind the button: the order in which players act after the flop."""
    return (seat - table.button - 1) % (max(table.seats) + 1)


def _money(text: str) -> int:
    """Hundredths of an amount such as ``$1,234.50`` or ``80``."""
    try:
        cents = Decimal(re.sub(r"[^\d.]", "", text)) * _CENTS
    except InvalidOperation:
        raise StateError(f"no amount {text[:20]!r}") from None
    if cents != cents.to_integral_value():
        raise StateError(f"{text[:20]!r} is finer than hundredths")
    return int(cents)

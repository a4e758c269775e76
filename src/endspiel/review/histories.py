"""Hand histories as poker rooms write them, in English: no-limit hold'em, cash or tournament.

Read are hands in which two players are left when the flop is dealt, however many began; money is
counted in hundredths. A line that nobody knows makes a broken hand, which is told with its place;
nothing is skipped silently. What differs from room to room is in `rooms`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from functools import partial

from endspiel.cards.text import parse_cards
from endspiel.errors import EndspielError, StateError
from endspiel.review.played import (
    BOARD_CARDS,
    FOLDED,
    BrokenHand,
    PlayedAction,
    PlayedHand,
    StreetStart,
    check_cards,
)
from endspiel.review.rooms import ROOMS, PokerRoom

_BUTTON = re.compile(r"Seat #?(\d+) is the button")
_DEALT = re.compile(r"Dealt to (.+?)(?: \[([^\]]*)\])?\s*$")
_SHOWN = re.compile(r"(?:shows|showed|mucked|mucks) \[([^\]]*)\]")
_SUMMARY_SEAT = re.compile(r"Seat (\d+): ")
_TWICE = "*** FIRST "
_STREET_NUMBER = {"flop": 1, "turn": 2, "river": 3}
_CENTS = 100
_FIRST_LINES = 3  # that name the game
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+")


def room_of(line: str) -> PokerRoom | None:
    """The room whose hands begin with such a line."""
    return next((room for room in ROOMS if room.header.match(line)), None)


def is_history(text: str) -> bool:
    """Whether a file looks like the history of a known room."""
    return any(room_of(line) for line in text.lstrip("\ufeff").splitlines()[:50])


def read_histories(text: str) -> Iterator[PlayedHand | BrokenHand]:
    """Every hand of a file, in order; each begins with its room's header."""
    lines = [line.rstrip() for line in text.replace("\ufeff", "").splitlines()]
    begun = [(at, room) for at, line in enumerate(lines) if (room := room_of(line)) is not None]
    ends = [*(at for at, _ in begun[1:]), len(lines)]
    for (at, room), after in zip(begun, ends, strict=True):
        header = room.header.match(lines[at])
        name = header["hand"] if header else ""
        try:
            yield _parse(room, name, at + 1, lines[at:after])
        except EndspielError as error:
            yield BrokenHand(name, at + 1, str(error))


@dataclass
class _HandState:
    """What is known while a hand is read."""

    room: PokerRoom
    stacks: dict[str, int] = field(default_factory=dict)  # by name
    seats: dict[int, str] = field(default_factory=dict)
    spent: dict[str, int] = field(default_factory=dict)
    street_spent: dict[str, int] = field(default_factory=dict)
    holes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    board: tuple[int, ...] = ()
    street: int = 0
    button: int = 0
    big_blind: int = 0
    raises: int = 0  # before the flop
    starts: dict[int, tuple[int, dict[str, int]]] = field(default_factory=dict)
    actions: list[tuple[int, str, int]] = field(default_factory=list)
    over: bool = False

    def put_in(self, name: str, chips: int, dead: int = 0) -> None:
        """Chips of a player, on this street and in all; dead ones count for no street."""
        self.spent[name] = self.spent.get(name, 0) + chips + dead
        self.street_spent[name] = self.street_spent.get(name, 0) + chips
        if self.spent[name] > self.stacks[name]:
            raise StateError(f"{name} puts in more than the stack")

    def deal(self, street: int, cards: str) -> None:
        """The cards of a street, and the chips with which it begins."""
        if street != self.street + 1:
            raise StateError("a street is missing")
        found = _cards(cards)
        self.board = found if len(found) > len(self.board) else (*self.board, *found)
        if len(self.board) != BOARD_CARDS[street]:
            raise StateError(f"the board has {len(self.board)} cards, not {BOARD_CARDS[street]}")
        self.street, self.street_spent = street, {}
        self.starts[street] = (sum(self.spent.values()), dict(self.spent))


def _parse(room: PokerRoom, name: str, start: int, lines: list[str]) -> PlayedHand:
    if not any(room.game.search(line) for line in lines[:_FIRST_LINES]):
        raise StateError("it is not no-limit hold'em")
    if not any(line.startswith(room.summary) for line in lines):
        raise StateError("it breaks off before its summary")
    table = _HandState(room)
    for at, line in enumerate(lines[1:], 1):
        try:
            _read_line(table, line)
        except EndspielError as error:
            raise StateError(f"line {start + at}: {error}") from error
    return check_cards(_played(name, start, table))


def _read_line(table: _HandState, line: str) -> None:
    """Take one line into account."""
    room = table.room
    if line.startswith(_TWICE):
        raise StateError("the board was run twice")
    if line.startswith(room.ends):
        table.over = True
    elif (street := room.street.match(line)) is not None:
        table.deal(_STREET_NUMBER[street["street"].lower()], street["cards"])
    elif (button := _BUTTON.search(line)) is not None and not table.stacks:
        table.button = int(button[1])
    elif (seat := room.seat.match(line)) is not None and not table.over:
        table.seats[int(seat["seat"])] = seat["name"]
        table.stacks[seat["name"]] = _money(seat["chips"])
    elif (dealt := _DEALT.match(line)) is not None:
        if dealt[2]:
            table.holes[dealt[1]] = _cards(dealt[2])
    else:
        _read_player(table, line)


def _read_player(table: _HandState, line: str) -> None:
    """What a player does; lines of the summary tell hands that were shown."""
    name = _named(table, line)
    if table.over:
        shown = _SHOWN.search(line)
        if name is not None and shown is not None and len(_cards(shown[1])) == 2:
            table.holes[name] = _cards(shown[1])
        return
    if name is None:
        return  # chat, comings and goings, what is returned or collected
    said = line[len(name) + len(table.room.after_name) :]
    post, action = table.room.post.match(said), table.room.action.match(said)
    if post is not None:
        _post(table, name, post)
    elif action is not None:
        _act(table, name, action)
    elif not said.startswith(table.room.asides):
        raise StateError(f"nobody knows {said[:40]!r}")


def _named(table: _HandState, line: str) -> str | None:
    """The player whom a line is about: ``NAME: does this``, or a seat of the summary."""
    seat = _SUMMARY_SEAT.match(line)
    if seat is not None:
        return table.seats.get(int(seat[1]))
    names = [name for name in table.stacks if line.startswith(name + table.room.after_name)]
    return max(names, key=len, default=None)


def _post(table: _HandState, name: str, post: "re.Match[str]") -> None:
    kind, chips = post["kind"], _money(post["chips"])
    if kind.endswith("ante"):
        table.put_in(name, 0, dead=chips)
    elif post["live"]:  # a dead blind beside a live one
        table.put_in(name, _money(post["live"]), dead=chips)
    elif kind == "small & big blinds":
        table.put_in(name, table.big_blind, dead=chips - table.big_blind)
    else:
        table.put_in(name, chips)
    if kind == "big blind":
        table.big_blind = chips


def _act(table: _HandState, name: str, action: "re.Match[str]") -> None:
    verb, first, to = action["verb"], action["chips"], action["to"]
    if verb not in ("folds", "checks"):
        adds = table.room.raises_add
        if first is None or (verb == "raises" and not adds) != bool(to):
            raise StateError(f"{action[0]!r} lacks its chips")
        chips = _money(to or first)
        table.put_in(name, chips - (table.street_spent.get(name, 0) if to else 0))
    if table.street == 0 and verb == "raises":
        table.raises += 1
    spent = FOLDED if verb == "folds" else table.spent.get(name, 0)
    table.actions.append((table.street, name, spent))


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
        raises=table.raises,
    )


def _after_button(table: _HandState, seat: int) -> int:
    """How far a seat is behind the button: the order in which players act after the flop."""
    return (seat - table.button - 1) % (max(table.seats) + 1)


def _cards(text: str) -> tuple[int, ...]:
    """The cards of ``[Kc 7d 2s] [4h]`` or ``[ 6d, 7s, Kd ]``."""
    return tuple(parse_cards(re.sub(r"[\[\],]", " ", text)))


def _money(text: str) -> int:
    """Hundredths of an amount such as ``$1,234.50``, ``0,25 €`` or ``80``."""
    digits = re.sub(r"[^\d.,]", "", text).rstrip(".,")
    if "," in digits and ("." in digits or _THOUSANDS.fullmatch(digits)):
        digits = digits.replace(",", "")
    try:
        cents = Decimal(digits.replace(",", ".")) * _CENTS
    except InvalidOperation:
        raise StateError(f"no amount {text[:20]!r}") from None
    if cents != cents.to_integral_value():
        raise StateError(f"{text[:20]!r} is finer than hundredths")
    return int(cents)

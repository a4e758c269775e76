"""Hand histories as poker rooms write them, in English: no-limit hold'em, cash or tournament.

Read are hands in which two players are left when the flop is dealt, however many began; money is
counted in hundredths. An unknown line makes a broken hand, which is reported with its place;
nothing is skipped silently. What differs from room to room is in `rooms`.
"""

import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation

from endspiel.cards.text import parse_cards
from endspiel.errors import EndspielError, StateError
from endspiel.review.hand_state import HandState, count_cents
from endspiel.review.played import BrokenHand, PlayedHand, check_cards
from endspiel.review.rooms import ROOMS, PokerRoom

_BUTTON = re.compile(r"Seat #?([0-9]{1,3}) is the button")
_DEALT = re.compile(r"Dealt to (.+?)(?: \[([^\]]*)\])?\s*$")
_SHOWN = re.compile(r"(?:shows|showed|mucked|mucks) \[([^\]]*)\]")
_SUMMARY_SEAT = re.compile(r"Seat ([0-9]{1,3}): ")
_TWICE = "*** FIRST "
_STREET_NUMBER = {"flop": 1, "turn": 2, "river": 3}
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


def _parse(room: PokerRoom, name: str, start: int, lines: list[str]) -> PlayedHand:
    if not any(room.game.search(line) for line in lines[:_FIRST_LINES]):
        raise StateError("it is not no-limit hold'em")
    if not any(line.startswith(room.summary) for line in lines):
        raise StateError("it breaks off before its summary")
    table = HandState()
    for at, line in enumerate(lines[1:], 1):
        try:
            _read_line(room, table, line)
        except EndspielError as error:
            raise StateError(f"line {start + at}: {error}") from error
    return check_cards(table.played(name, start))


def _read_line(room: PokerRoom, table: HandState, line: str) -> None:
    """Take one line into account."""
    if line.startswith(_TWICE):
        raise StateError("the board was run twice")
    if line.startswith(room.ends):
        table.over = True
    elif (street := room.street.match(line)) is not None:
        table.deal(_STREET_NUMBER[street["street"].lower()], _cards(street["cards"]))
    elif (button := _BUTTON.search(line)) is not None and not table.stacks:
        table.button = int(button[1])
    elif (seat := room.seat.match(line)) is not None and not table.over:
        table.sit(int(seat["seat"]), seat["name"], _money(seat["chips"]))
    elif (dealt := _DEALT.match(line)) is not None:
        if dealt[2]:
            table.holes[dealt[1]] = _cards(dealt[2])
    else:
        _read_player(room, table, line)


def _read_player(room: PokerRoom, table: HandState, line: str) -> None:
    """What a player does; lines of the summary tell hands that were shown."""
    name = _named(room, table, line)
    if table.over:
        shown = _SHOWN.search(line)
        if name is not None and shown is not None and len(_cards(shown[1])) == 2:
            table.holes[name] = _cards(shown[1])
        return
    if name is None:
        return  # chat, comings and goings, what is returned or collected
    said = line[len(name) + len(room.after_name) :]
    post, action = room.post.match(said), room.action.match(said)
    if post is not None:
        _post(table, name, post)
    elif action is not None:
        _act(room, table, name, action)
    elif not said.startswith(room.asides):
        raise StateError(f"unknown words {said[:40]!r}")


def _named(room: PokerRoom, table: HandState, line: str) -> str | None:
    """The player whom a line is about: ``NAME: does this``, or a seat of the summary."""
    seat = _SUMMARY_SEAT.match(line)
    if seat is not None:
        return table.seats.get(int(seat[1]))
    names = [name for name in table.stacks if line.startswith(name + room.after_name)]
    return max(names, key=len, default=None)


def _post(table: HandState, name: str, post: "re.Match[str]") -> None:
    kind, chips = post["kind"], _money(post["chips"])
    if kind.endswith("ante"):
        table.post_ante(name, chips)
    elif post["live"] or kind == "small & big blinds":  # a dead blind beside a live one
        live = _money(post["live"]) if post["live"] else table.big_blind
        table.put_in(name, live, dead=chips if post["live"] else chips - live)
        table.unusual = True
    else:
        table.post_blind(name, chips)
    if kind == "big blind":
        table.big_blind = chips


def _act(room: PokerRoom, table: HandState, name: str, action: "re.Match[str]") -> None:
    verb, first, to = action["verb"], action["chips"], action["to"]
    if verb not in ("folds", "checks"):
        if first is None or (verb == "raises" and not room.raises_add) != bool(to):
            raise StateError(f"{action[0]!r} lacks its chips")
        chips = _money(to or first)
        table.put_in(name, chips - (table.street_spent.get(name, 0) if to else 0))
    table.act(name, folds=verb == "folds", raises=verb == "raises")


def _cards(text: str) -> tuple[int, ...]:
    """The cards of ``[Kc 7d 2s] [4h]`` or ``[ 6d, 7s, Kd ]``."""
    return tuple(parse_cards(re.sub(r"[\[\],]", " ", text)))


def _money(text: str) -> int:
    """Hundredths of an amount such as ``$1,234.50``, ``0,25 €`` or ``80``."""
    digits = re.sub(r"[^\d.,]", "", text).rstrip(".,")
    if "," in digits and ("." in digits or _THOUSANDS.fullmatch(digits)):
        digits = digits.replace(",", "")
    try:
        return count_cents(Decimal(digits.replace(",", ".")), text)
    except InvalidOperation:
        raise StateError(f"no amount {text[:20]!r}") from None

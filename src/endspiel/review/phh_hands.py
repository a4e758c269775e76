"""PHH hands of any number of players and any stakes: those that two are left in on the flop.

PHH (Kim, 2024) numbers players from the first to act after the flop, counts chips per street and
writes unseen cards as ``????``.
"""

import re
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from endspiel.cards.text import parse_cards
from endspiel.errors import StateError
from endspiel.review.hand_state import HandState, count_cents
from endspiel.review.played import PlayedHand, check_cards

NO_LIMIT_HOLDEM: Final = "NT"
_DEALT: Final = re.compile(r"d dh p([0-9]{1,3}) (\S+)")
_BOARD: Final = re.compile(r"d db (\S+)")
_ACTED: Final = re.compile(r"p([0-9]{1,3}) (f|cc|cbr|sm)(?: (\S+))?")


def parse_phh_hand(table: Any, number: int, line: int) -> PlayedHand:
    """The hand of a table; an error says what is wrong with it."""
    if not isinstance(table, dict):
        raise StateError("it is no table of a hand")
    if table.get("variant") != NO_LIMIT_HOLDEM:
        raise StateError(f"its variant is {str(table.get('variant'))[:20]!r}, not no-limit hold'em")
    state = _seated(table)
    for action in _list(table, "actions"):
        try:
            _take(state, str(action).partition("#")[0].strip())
        except StateError as error:
            raise StateError(f"{str(action)[:40]!r}: {error}") from error
    return check_cards(state.played(str(table.get("hand", number)), line))


def _list(table: dict[str, Any], key: str) -> list[Any]:
    found = table.get(key)
    if not isinstance(found, list):
        raise StateError(f"{key} is missing, or no list")
    return found


def _seated(table: dict[str, Any]) -> HandState:
    """Who sits where, with what, once antes, blinds and straddles are posted."""
    stacks, antes, blinds = (
        [_cents(chips) for chips in _list(table, key)]
        for key in ("starting_stacks", "antes", "blinds_or_straddles")
    )
    count = len(stacks)
    names = [str(name) for name in table.get("players", ())]
    if len(set(names)) != count:
        names = [f"p{seat}" for seat in range(1, count + 1)]
    if not len(antes) == len(blinds) == count >= 2:
        raise StateError(f"{count} stacks, {len(antes)} antes and {len(blinds)} blinds do not fit")
    if count == 2:  # the small blind is listed first, and the button, who acts last, posts it
        blinds = blinds[::-1]
    seats = range(1, count + 1)
    state = HandState(dict(zip(names, stacks, strict=True)), dict(zip(seats, names, strict=True)))
    state.button, state.big_blind = count, _cents(table.get("min_bet", 0)) or max(blinds)
    for name, ante, blind in zip(names, antes, blinds, strict=True):
        paid = min(ante, state.stacks[name])
        state.post_ante(name, paid)
        state.post_blind(name, min(blind, state.stacks[name] - paid))
    return state


def _take(state: HandState, action: str) -> None:
    """Take one action into account: cards, or what a player does."""
    if (dealt := _DEALT.fullmatch(action)) is not None:
        _see(state, int(dealt[1]), dealt[2])
    elif (board := _BOARD.fullmatch(action)) is not None:
        state.deal(state.street + 1, tuple(parse_cards(board[1])))
    elif (acted := _ACTED.fullmatch(action)) is not None:
        if acted[2] == "sm":
            _see(state, int(acted[1]), acted[3] or "")
        else:
            _act(state, _name(state, int(acted[1])), acted[2], acted[3])
    else:
        raise StateError("unknown action")


def _name(state: HandState, seat: int) -> str:
    if seat not in state.seats:
        raise StateError(f"there is no player {seat}")
    return state.seats[seat]


def _see(state: HandState, seat: int, cards: str) -> None:
    """Cards that a player was dealt or shows; unknown ones are ``??``."""
    name = _name(state, seat)
    if cards and "?" not in cards:
        state.holes[name] = tuple(parse_cards(cards))
        if len(state.holes[name]) != 2:
            raise StateError("a player has two cards")


def _act(state: HandState, name: str, verb: str, amount: str | None) -> None:
    here = state.street_spent.get(name, 0)
    if verb == "cc":
        level = max(state.street_spent.values(), default=0)
        left = state.stacks[name] - state.spent.get(name, 0)
        state.put_in(name, min(level - here, left))
    elif verb == "cbr":
        if amount is None:
            raise StateError("a bet or raise lacks its chips")
        state.put_in(name, _cents(amount) - here)
    state.act(name, folds=verb == "f", raises=verb == "cbr")


def _cents(value: Any) -> int:
    """Hundredths of a number of chips."""
    try:
        text = str(value)
    except ValueError:
        raise StateError("an amount has thousands of digits") from None
    try:
        amount = Decimal("NaN" if isinstance(value, bool) else text)
    except InvalidOperation:
        raise StateError(f"no amount {text[:20]!r}") from None
    return count_cents(amount, text)

"""Bet sizes as different places write them, each converted to and from our actions.

Ours, like ACPC's, count a player's chips over the whole hand (``acpc.parse_action`` reads those).
Slumbot's web API, PHH's ``cbr`` and PokerStars' "to" count the chips of this street only, blinds
included in the first. A conversion therefore needs the state acted in.
"""

import re
from typing import Final

from endspiel.errors import StateError
from endspiel.rules.state import CALL, FOLD, State

_SLUMBOT: Final = re.compile(r"f|c|k|b([1-9][0-9]{0,9})")
_PHH: Final = re.compile(r"p([1-9][0-9]?) (?:(f)|(cc)|cbr ([1-9][0-9]{0,9}))")
_STARS: Final = re.compile(
    r"(?:(folds)|(checks)|calls ([1-9][0-9]{0,9})|bets ([1-9][0-9]{0,9})"
    r"|raises ([1-9][0-9]{0,9}) to ([1-9][0-9]{0,9}))(?: and is all-in)?"
)


def street_amount(state: State, action: int) -> int:
    """Chips put in on this street by a player who raises to the action's chips over the hand."""
    return action - state.street_start


def from_street_amount(state: State, chips: int) -> int:
    """The raise that puts in this many chips on this street."""
    return chips + state.street_start


def format_slumbot(state: State, action: int) -> str:
    """``f``, ``k`` (check), ``c`` (call) or ``b`` with the street's chips: ``b300``."""
    if action == FOLD:
        return "f"
    if action == CALL:
        return "c" if state.to_call else "k"
    return f"b{street_amount(state, action)}"


def parse_slumbot(state: State, text: str) -> int:
    """The action of a Slumbot letter; ``k`` only where checking is free, ``c`` only where not."""
    match = _SLUMBOT.fullmatch(text)
    if match is None:
        raise StateError(f"no Slumbot action {text[:20]!r}: an action is f, k, c or b and chips")
    if match[1]:
        return from_street_amount(state, int(match[1]))
    if text == "f":
        return FOLD
    _check_passive(state, checking=text == "k", text=text)
    return CALL


def format_phh(state: State, action: int) -> str:
    """A PHH action, players numbered from 1 by position: ``p1 f``, ``p1 cc``, ``p1 cbr 300``."""
    player = f"p{state.actor + 1}"
    if action == FOLD:
        return f"{player} f"
    if action == CALL:
        return f"{player} cc"
    return f"{player} cbr {street_amount(state, action)}"


def parse_phh(state: State, text: str) -> int:
    """The action of a PHH line by the player to act."""
    match = _PHH.fullmatch(text)
    if match is None:
        raise StateError(f"no PHH action {text[:40]!r}: one is 'pN f', 'pN cc' or 'pN cbr CHIPS'")
    if int(match[1]) != state.actor + 1:
        raise StateError(f"PHH action {text!r} after {state.line!r}: p{state.actor + 1} is to act")
    if match[4]:
        return from_street_amount(state, int(match[4]))
    return FOLD if match[2] else CALL


def format_pokerstars(state: State, action: int) -> str:
    """``folds``, ``checks``, ``calls 50``, ``bets 100`` or ``raises 200 to 300``."""
    if action == FOLD:
        return "folds"
    stack = state.game.stacks[state.actor]
    if action == CALL:
        text = f"calls {state.to_call}" if state.to_call else "checks"
        chips = state.spent[state.actor] + state.to_call
    else:
        to, by = street_amount(state, action), action - state.max_spent
        opening = state.max_spent == state.street_start
        text = f"bets {to}" if opening else f"raises {by} to {to}"
        chips = action
    return f"{text} and is all-in" if chips == stack and text != "checks" else text


def parse_pokerstars(state: State, text: str) -> int:
    """The action of a PokerStars phrase, whose numbers must agree with the state."""
    match = _STARS.fullmatch(text)
    if match is None:
        raise StateError(f"no PokerStars action {text[:40]!r}")
    if match[1]:
        return FOLD
    if match[2] or match[3]:
        _check_passive(state, checking=bool(match[2]), text=text)
        action = CALL
    else:
        action = from_street_amount(state, int(match[4] or match[6]))
    if format_pokerstars(state, action).removesuffix(" and is all-in") != text.removesuffix(
        " and is all-in"
    ):
        raise StateError(
            f"{text!r} after {state.line!r} should read {format_pokerstars(state, action)!r}"
        )
    return action


def _check_passive(state: State, checking: bool, text: str) -> None:
    """Refuse a check that owes chips and a call that owes none."""
    if checking == bool(state.to_call):
        owed = f"{state.to_call} chips are to be called" if checking else "checking is free"
        raise StateError(f"{text!r} after {state.line!r}: {owed}")

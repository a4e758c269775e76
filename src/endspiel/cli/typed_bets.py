"""Bets as a person types them: ``c``, ``f``, ``r 300``, ``pot``, ``1/2``, ``allin``."""

import re
from typing import Final

from endspiel.errors import IllegalAction
from endspiel.rules.state import CALL, FOLD, State

HELP: Final = (
    "f fold; k or c check or call; r 300 bet or raise to 300 chips on this street; pot, 1/2, 2/3, "
    "75% or 2x shares of the pot; min; allin; ? this help; q leave the table"
)
LIMIT_HELP: Final = (
    "f fold; k or c check or call; r bet or raise, by as much as the street allows; ? this help; "
    "q leave the table"
)
_PASSIVE: Final = {"c", "call", "k", "check", "x"}
_ALL: Final = {"a", "all", "allin", "all-in", "jam", "shove"}
_CHIPS: Final = re.compile(r"(?:(?:r|b|raise|bet|to)\s*(?:to\s*)?)?(\d{1,9})")
_SHARE: Final = re.compile(
    r"(?:(?:r|b|raise|bet)\s*)?(?:(\d{1,9})/([1-9]\d{0,8})|(\d{1,9}(?:\.\d{1,9})?)(%|x))"
)


def parse_bet(text: str, state: State) -> int:
    """The action that a person's words name here; IllegalAction, in one sentence, for others."""
    words = " ".join(text.lower().replace(",", "").split())
    if words in ("f", "fold"):
        if not state.can_fold():
            raise IllegalAction("there is nothing to fold to: checking is free")
        return FOLD
    if words in _PASSIVE:
        if words in ("k", "check", "x") and state.to_call:
            raise IllegalAction(f"no check against a bet: call {state.to_call} with c, or fold")
        return CALL
    bounds = state.raise_bounds()
    wanted = _chips(words, state)
    if wanted is None:
        raise IllegalAction(f"{text.strip()[:30]!r} is no bet; type ? for help")
    if bounds is None:
        raise IllegalAction("no raise is legal here: call or fold")
    least, most = bounds
    base = state.street_start
    if not state.game.no_limit and wanted != least:
        raise IllegalAction(f"{wanted - base} chips is no legal size: the limit is {least - base}")
    if not least <= wanted <= most:
        raise IllegalAction(
            f"{wanted - base} chips is no legal size: {least - base} to {most - base} "
            "on this street"
        )
    return wanted


def _chips(words: str, state: State) -> int | None:
    """Chips over the whole hand that the words raise to, or None if they name no size."""
    bounds = state.raise_bounds() or (0, 0)
    if words in ("min", "r", "b", "raise", "bet"):
        return bounds[0]
    match = _CHIPS.fullmatch(words)
    if match:
        return int(match[1]) + state.street_start
    if not state.game.no_limit:
        return None
    if words in _ALL:
        return bounds[1]
    if words in ("p", "pot"):
        words = "1x"
    match = _SHARE.fullmatch(words)
    if match is None:
        return None
    if match[1]:
        share = int(match[1]) / int(match[2])
    else:
        share = float(match[3]) / (100.0 if match[4] == "%" else 1.0)
    # A share of the pot as it will be after calling; within the bounds, as a person means it.
    return min(max(state.max_spent + round(share * 2 * state.max_spent), bounds[0]), bounds[1])


def help_of(state: State) -> str:
    """What may be typed here."""
    return HELP if state.game.no_limit else LIMIT_HELP


def offers(state: State) -> str:
    """What may be done here, in words with chips."""
    words = [f"fold (f), call {state.to_call} (c)" if state.can_fold() else "check (k)"]
    bounds = state.raise_bounds()
    if bounds is not None:
        least, most = (chips - state.street_start for chips in bounds)
        verb = "bet" if state.max_spent == state.street_start else "raise to"
        free = f"{verb} {least} to {most} (r CHIPS, pot, 1/2, allin)"
        words.append(free if state.game.no_limit else f"{verb} {least} (r)")
    return ", ".join(words)


def describe(state: State, action: int) -> str:
    """An action in words, chips counted on this street."""
    if action == FOLD:
        return "folds"
    if action == CALL:
        return f"calls {state.to_call}" if state.to_call else "checks"
    chips = action - state.street_start
    verb = "bets" if state.max_spent == state.street_start else "raises to"
    tail = " and is all-in" if action == state.game.stacks[state.actor] else ""
    return f"{verb} {chips}{tail}"

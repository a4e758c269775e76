"""Filters of hands on a board: by what they have made, their draws, their suits, their cards."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from endspiel.cards.deck import NUM_HANDS, RANKS, SUITS, hand_cards
from endspiel.cards.made_hands import DRAWS, MADE, NO_DRAW, Bools, UInt8s, draws, made_hands
from endspiel.errors import CardError

SUITED: Final = "suited"
OFFSUIT: Final = "offsuit"
_PATTERN: Final = re.compile(r"[cdhsx]{2}")
_HELD: Final = re.compile(rf"[{RANKS}][{SUITS}]?")


@dataclass(frozen=True)
class HandFilter:
    """Which hands to look at; what is empty lets every hand pass.

    ``made`` and ``drawn`` name kinds of `MADE` and `DRAWS` (or ``no draw``); one of each must fit.
    ``suits`` is ``suited``, ``offsuit`` or the suits of both cards in any order: ``hs``, ``hx``.
    ``holds`` lists cards and ranks, as ``As K``, one of which the hand has.
    """

    made: tuple[str, ...] = ()
    drawn: tuple[str, ...] = ()
    suits: str = ""
    holds: str = ""

    def __post_init__(self) -> None:
        _check("made", self.made, MADE)
        _check("draws", self.drawn, (*DRAWS, NO_DRAW))
        if self.suits not in ("", SUITED, OFFSUIT) and not _PATTERN.fullmatch(self.suits):
            raise CardError(
                f"suits {self.suits[:20]!r}: they are suited, offsuit, or two letters of c, d, h, "
                "s and x for any"
            )
        for word in self.holds.split():
            if not _HELD.fullmatch(word):
                raise CardError(f"holds {word[:20]!r}: it lists cards and ranks, as 'As K'")

    def __bool__(self) -> bool:
        return self != NO_FILTER

    def passing(self, board: Sequence[int]) -> Bools:
        """Which hands pass on a board of 3, 4 or 5 cards: [1326]."""
        passing = np.ones(NUM_HANDS, bool)
        if self.made:
            passing &= np.isin(made_hands(board), [MADE.index(name) for name in self.made])
        if self.drawn:
            drawn = draws(board)
            rows = [~drawn.any(axis=0) if name == NO_DRAW else drawn[DRAWS.index(name)]
                    for name in self.drawn]  # fmt: skip
            passing &= np.any(rows, axis=0)
        if self.suits:
            passing &= _suits_pass(self.suits)
        if self.holds.strip():
            passing &= _holds_pass(self.holds.split())
        return passing


def _check(what: str, names: Sequence[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            raise CardError(f"{what} {name[:20]!r} is none of {', '.join(known)}")


def _suits_pass(pattern: str) -> Bools:
    low, high = (hand_cards() & 3).T
    if pattern in (SUITED, OFFSUIT):
        passing: Bools = (low == high) == (pattern == SUITED)
        return passing

    def fits(suits: UInt8s, letter: str) -> Bools:
        found: Bools = np.ones(NUM_HANDS, bool) if letter == "x" else suits == SUITS.index(letter)
        return found

    first, second = pattern[0], pattern[1]
    return (fits(low, first) & fits(high, second)) | (fits(low, second) & fits(high, first))


def _holds_pass(words: Sequence[str]) -> Bools:
    passing = np.zeros(NUM_HANDS, bool)
    for word in words:
        rank = RANKS.index(word[0])
        cards = [4 * rank + SUITS.index(suit) for suit in word[1:] or SUITS]
        passing |= np.isin(hand_cards(), cards).any(axis=1)
    return passing


NO_FILTER: Final = HandFilter()

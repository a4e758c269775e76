"""Hand ranges as players write them, to and from a vector of 1326 weights.

``AA,AKs:0.5,KQo,TT+,A9s-A6s,QQ-88,T9s-65s,AsAh,random``: comma (or space) separated items, each
with an optional weight from 0 to 1. ``AK`` is both suited and offsuit; ``ATs+`` raises the kicker
up to the rank below the high card; ``T9s-65s`` keeps the gap and lowers both ranks. A hand named
twice has the later weight, so ``random,AA:0`` is everything but aces.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.cards.classes import class_hands
from endspiel.cards.deck import NUM_HANDS, NUM_RANKS, RANKS, hand_cards, hand_index
from endspiel.cards.text import format_hand, parse_hand
from endspiel.errors import CardError, RangeError

Floats = NDArray[np.float64]

_ITEM = re.compile(
    r"(?P<first>[^\s,:+\-]+)(?:\s*(?P<plus>\+)|\s*-\s*(?P<last>[^\s,:+\-]*))?"
    r"(?:\s*:\s*(?P<weight>[^\s,]*))?"
)
_CLASS = re.compile(r"([2-9TJQKA])([2-9TJQKA])([SO]?)", re.IGNORECASE)
_COMBO = re.compile(r"[2-9TJQKA][CDHS][2-9TJQKA][CDHS]", re.IGNORECASE)
_WEIGHT = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(e-?\d+)?", re.IGNORECASE)


class _Class(NamedTuple):
    """Hands of two ranks, 0..12, high >= low; kind is ``s``, ``o``, or empty for both."""

    high: int
    low: int
    kind: str

    @property
    def gap(self) -> int:
        return self.high - self.low

    def hands(self) -> Iterator[int]:
        row, column = 12 - self.high, 12 - self.low
        if self.kind != "o":
            yield from class_hands()[row * NUM_RANKS + column]
        if self.kind != "s" and self.gap:
            yield from class_hands()[column * NUM_RANKS + row]


def parse_range(text: str) -> Floats:
    """The weights [1326] of a range; an error names the item and its position.

    Examples:
        >>> import endspiel as es
        >>> weights = es.parse_range("TT+,AKs:0.5")
        >>> len(weights), float(weights.sum())  # a weight for each of the 1326 hands
        (1326, 32.0)
    """
    weights = np.zeros(NUM_HANDS)
    at, items = 0, 0
    while at < len(text):
        if text[at] in " \t\r\n,":
            at += 1
            continue
        match = _ITEM.match(text, at)
        if match is None:
            raise _error(text, at, text[at], "an item starts with a hand")
        weights[list(_item_hands(text, match))] = _item_weight(text, match)
        at, items = match.end(), items + 1
        if at < len(text) and text[at] not in " \t\r\n,":
            raise _error(text, at, text[at], "items are separated by commas")
    if not items:
        raise RangeError(f"the range {text!r} names no hand")
    return weights


def _item_hands(text: str, match: re.Match[str]) -> Iterable[int]:
    first, last, at = match["first"], match["last"], match.start()
    if match["plus"] is None and last is None:
        if first.lower() == "random":
            return range(NUM_HANDS)
        if _COMBO.fullmatch(first):
            try:
                return [hand_index(*parse_hand(first))]
            except CardError as error:
                raise _error(text, at, first, "a card is repeated") from error
        return _class(text, at, first).hands()
    start = _class(text, at, first)
    if last is None:
        top = _Class(12, 12, "") if not start.gap else _Class(start.high, start.high - 1, "")
        return _run(start, top)
    end = _class(text, match.start("last"), last)
    item = match.group().split(":")[0].strip()
    if start.kind != end.kind:
        raise _error(text, at, item, "both ends must be suited, offsuit, or neither")
    if start.gap != end.gap and (start.high != end.high or not start.gap or not end.gap):
        raise _error(text, at, item, "both ends need the same high card or the same gap")
    return _run(start, end)


def _run(start: _Class, end: _Class) -> list[int]:
    """Hands from one class to another: along the kicker, or along a fixed gap."""
    step = int(start.gap == end.gap)  # 1: the high card moves too
    shift = end.low - start.low
    moves = range(0, shift + 1) if shift >= 0 else range(0, shift - 1, -1)
    return [
        hand
        for move in moves
        for hand in _Class(start.high + step * move, start.low + move, start.kind).hands()
    ]


def _class(text: str, at: int, token: str) -> _Class:
    match = _CLASS.fullmatch(token)
    if match is None:
        raise _error(text, at, token, "a hand is written like AA, AKs, AKo, AK or AsKh")
    low, high = sorted(RANKS.index(rank.upper()) for rank in match.groups()[:2])
    kind = match[3].lower()
    if kind and high == low:
        raise _error(text, at, token, "a pair is neither suited nor offsuit")
    return _Class(high, low, kind)


def _item_weight(text: str, match: re.Match[str]) -> float:
    token = match["weight"]
    if token is None:
        return 1.0
    if not _WEIGHT.fullmatch(token) or not 0.0 <= float(token) <= 1.0:
        at = match.start("weight")
        raise _error(text, at, token, "a weight is a number from 0 to 1")
    return float(token)


def _error(text: str, at: int, token: str, why: str) -> RangeError:
    shown = text if len(text) <= 60 else f"{text[:57]}..."
    return RangeError(f"{token!r} at position {at + 1} of the range {shown!r}: {why}")


def check_range(weights: Floats) -> Floats:
    """Return the weights, checked to be 1326 numbers from 0 to 1."""
    vector = np.asarray(weights, dtype=np.float64)
    if vector.shape != (NUM_HANDS,):
        raise RangeError(f"a range has {NUM_HANDS} weights, this one has shape {vector.shape}")
    bad = np.flatnonzero(~((vector >= 0.0) & (vector <= 1.0)))
    if len(bad):
        hand = format_hand(hand_cards()[bad[0]].tolist())
        raise RangeError(f"the weight of {hand} is {vector[bad[0]]}: weights go from 0 to 1")
    return vector

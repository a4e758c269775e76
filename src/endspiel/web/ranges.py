"""Ranges as the page edits them: text to the 13 x 13 chart and back."""

from typing import Any

import numpy as np
from msgspec import Struct

from endspiel.arrays import Float64s
from endspiel.cards.classes import NUM_CLASSES, class_hands, hand_classes
from endspiel.cards.deck import NUM_HANDS, hand_cards
from endspiel.cards.live import live_mask
from endspiel.cards.range_format import format_gto_plus, format_pio, format_range
from endspiel.cards.ranges import parse_range
from endspiel.cards.text import format_hand, parse_board
from endspiel.errors import RangeError
from endspiel.web.messages import Fields, RangeAsked, Refused


class RangeAnswer(Struct):
    """A range on the chart."""

    text: str
    weights: list[float]  # [169]
    mixed: list[int]
    combos: float
    live: float
    percent: float
    pio: str
    gto_plus: str


def read_weights(text: str) -> Float64s:
    """The weights [1326] of a range text; an empty one has no hands."""
    return parse_range(text) if text.strip(" \t\r\n,") else np.zeros(NUM_HANDS)


def answer_range(asked: RangeAsked) -> RangeAnswer:
    """A range after an edit: its shortest text, and what the chart shows of it."""
    fields = Fields()
    weights = fields.make("text", lambda: read_weights(asked.text))
    board = fields.make("board", lambda: parse_board(asked.board) if asked.board.strip() else [])
    changed = fields.make("set", lambda: _changed(weights, asked.set))
    fields.check()
    assert changed is not None
    assert board is not None
    cells = hand_classes()
    counts = np.bincount(cells, minlength=NUM_CLASSES)
    mean = np.bincount(cells, changed, NUM_CLASSES) / counts
    most, least = np.zeros(NUM_CLASSES), np.ones(NUM_CLASSES)
    np.maximum.at(most, cells, changed)
    np.minimum.at(least, cells, changed)
    combos = float(changed.sum())
    return RangeAnswer(
        text=format_range(changed),
        weights=mean.round(6).tolist(),
        mixed=np.flatnonzero(most > least).tolist(),
        combos=round(combos, 6),
        live=round(float(changed[live_mask(board)].sum()), 6),
        percent=100 * combos / NUM_HANDS,
        pio=format_pio(changed),
        gto_plus=format_gto_plus(changed),
    )


def _changed(weights: Float64s | None, cells: dict[str, float]) -> Float64s:
    """Weights [1326] once some classes or hands have new ones."""
    changed = np.zeros(NUM_HANDS) if weights is None else weights.copy()
    for name, weight in cells.items():
        if not 0.0 <= weight <= 1.0:
            raise RangeError(f"the weight of {name[:20]} is {weight}: weights go from 0 to 1")
        changed[parse_range(name) > 0] = weight
    return changed


def class_combos(text: str, name: str) -> list[dict[str, Any]]:
    """The hands of a class with their weights in a range."""
    weights, named = read_weights(text), parse_range(name) > 0
    hands = np.flatnonzero(named)
    if len(hands) == 0 or len(set(hand_classes()[hands].tolist())) != 1:
        raise Refused(f"class must be one of the 169, as AKs, not {name[:20]!r}", "class")
    return [
        {"hand": format_hand(hand_cards()[hand].tolist()), "weight": float(weights[hand])}
        for hand in class_hands()[int(hand_classes()[hands[0]])]
    ]

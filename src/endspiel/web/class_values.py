"""Values of hands gathered by class, for the chart, and numbers as they are sent."""

from typing import Final

import numpy as np
from msgspec import Struct

from endspiel.cards.classes import NUM_CLASSES, hand_classes
from endspiel.cards.live import live_hands
from endspiel.kernels.arrays import Floats
from endspiel.solving.views import NodeView
from endspiel.web.messages import Numbers

DIGITS: Final = 6  # decimals of what is sent


class ClassesAnswer(Struct):
    """The 169 classes of the player who decides."""

    strategy: list[Numbers]  # [A][169]
    action_ev: list[Numbers]  # [A][169]
    weight: Numbers
    frequency: Numbers
    ev: Numbers
    equity: Numbers
    eqr: Numbers


def classes_of(view: NodeView) -> ClassesAnswer:
    """A node's hands gathered by class: means by how often each hand is here."""
    weight = view.weight if view.weight.any() else view.reach
    cells = hand_classes()[view.hands]
    total = np.bincount(cells, weight, NUM_CLASSES)
    held = total > 0

    def mean(values: Floats) -> Floats:
        counted = np.where(weight > 0, values * weight, 0.0)
        summed = np.bincount(cells, counted, NUM_CLASSES)
        found: Floats = np.divide(summed, total, out=np.full(NUM_CLASSES, np.nan), where=held)
        return found

    ev, equity = mean(view.ev), mean(view.equity)
    with np.errstate(divide="ignore", invalid="ignore"):
        eqr = np.where(equity > 0, ev / (equity * view.pot), np.nan)
    return ClassesAnswer(
        strategy=[numbers(mean(shares)) for shares in view.strategy],
        action_ev=[numbers(mean(evs)) for evs in view.action_ev],
        weight=by_class(view.by_hand(view.reach), view.board),
        frequency=numbers(np.bincount(cells, view.weight, NUM_CLASSES).astype(np.float64)),
        ev=numbers(ev),
        equity=numbers(equity),
        eqr=numbers(eqr),
    )


def by_class(reach: Floats, board: tuple[int, ...]) -> Numbers:
    """Mean weight of each class's combos that the board allows: [169]; None where it allows none.

    Weights are [1326].
    """
    live = live_hands(board)
    total = np.bincount(hand_classes(), live, NUM_CLASSES)
    summed = np.bincount(hand_classes(), reach * live, NUM_CLASSES)
    return numbers(np.divide(summed, total, out=np.full(NUM_CLASSES, np.nan), where=total > 0))


def mean_when(view: NodeView, action: int) -> float | None:
    """Chips that an action is worth to the hands that take it."""
    weight = view.weight * view.strategy[action]
    taken = weight > 0
    if not taken.any():
        return None
    return known(float(view.action_ev[action, taken] @ weight[taken] / weight.sum()))


def numbers(values: Floats) -> Numbers:
    """Values as they are sent: rounded, None for NaN."""
    return [None if value != value else value for value in values.round(DIGITS).tolist()]


def known(value: float) -> float | None:
    return None if value != value else round(float(value), DIGITS)


def eqr_of(ev: float | None, equity: float | None, pot: int) -> float | None:
    """How much of its equity a hand realizes."""
    if ev is None or not equity:
        return None
    return round(ev / (equity * pot), DIGITS)

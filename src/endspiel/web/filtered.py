"""A node's hands through a filter, and the kinds of hands that are there."""

from collections.abc import Callable

import numpy as np
from msgspec import Struct

from endspiel.arrays import Bools
from endspiel.cards.hand_filter import HandFilter
from endspiel.cards.made_hands import DRAWS, MADE, NO_DRAW, draws, made_hands
from endspiel.games.nodes import Place
from endspiel.kernels.arrays import Floats
from endspiel.solving.solution import SpotSolution
from endspiel.solving.views import NodeView
from endspiel.web.class_values import (
    DIGITS,
    ClassesAnswer,
    by_class,
    classes_of,
    eqr_of,
    known,
    mean_when,
    numbers,
)
from endspiel.web.messages import Numbers


class FilteredAnswer(Struct):
    """What passes a filter at a decision: both ranges, and the play of the one who decides."""

    combos: list[float]  # [2]
    weights: list[Numbers]  # [2][169]
    share: float  # of the range of the one who decides, by how often each hand is here
    frequencies: Numbers  # [A]
    action_combos: Numbers  # [A]
    action_evs: Numbers  # [A]
    ev: float | None
    equity: float | None
    eqr: float | None
    classes: ClassesAnswer


class KindAnswer(Struct):
    """One kind of hands: how many there are and, of the one who decides, what they do."""

    name: str
    combos: float
    share: float  # of the range
    equity: float | None
    frequencies: Numbers | None = None  # [A]
    ev: float | None = None
    eqr: float | None = None


class KindsAnswer(Struct):
    """A range at a decision divided by what hands have made, and by what they draw to."""

    line: str
    player: int
    words: list[str]
    made: list[KindAnswer]  # the strongest first; they add up
    draws: list[KindAnswer]  # they overlap


def filtered_node(
    solution: SpotSolution, place: Place, view: NodeView, passing: HandFilter
) -> FilteredAnswer:
    """The part of a decision's hands that a filter lets pass."""
    mask = passing.passing(view.board)
    part = view.only(mask)
    reaches = [solution.range_at(place, player) * mask for player in (0, 1)]
    ev, equity = known(part.mean(part.ev)), known(part.mean(part.equity))
    return FilteredAnswer(
        combos=[round(float(reach.sum()), DIGITS) for reach in reaches],
        weights=[by_class(reach, view.board) for reach in reaches],
        share=round(float(view.weight[mask[view.hands]].sum()), DIGITS),
        frequencies=numbers(part.frequencies),
        action_combos=numbers(part.strategy @ part.reach),
        action_evs=[mean_when(part, action) for action in range(len(part.actions))],
        ev=ev,
        equity=equity,
        eqr=eqr_of(ev, equity, view.pot),
        classes=classes_of(part),
    )


def _kinds(board: tuple[int, ...]) -> tuple[list[tuple[str, Bools]], list[tuple[str, Bools]]]:
    """The hands [1326] of each kind by name: made hands, and draws where there are any to come."""
    made, drawn = made_hands(board), draws(board)
    by_made = [(name, made == at) for at, name in enumerate(MADE)]
    if len(board) == 5:
        return by_made, []
    by_draw = [*zip(DRAWS, drawn, strict=True), (NO_DRAW, ~drawn.any(axis=0))]
    return by_made, by_draw


def own_kinds(view: NodeView) -> tuple[list[KindAnswer], list[KindAnswer]]:
    """The kinds of the player who decides that are held: made hands, draws."""

    def told(name: str, mask: Bools) -> KindAnswer:
        part = view.only(mask)
        ev, equity = known(part.mean(part.ev)), known(part.mean(part.equity))
        return KindAnswer(
            name,
            combos=round(float(part.reach.sum()), DIGITS),
            share=round(float(view.weight[mask[view.hands]].sum()), DIGITS),
            equity=equity,
            frequencies=numbers(part.frequencies),
            ev=ev,
            eqr=eqr_of(ev, equity, view.pot),
        )

    return _held(view.board, view.by_hand(view.reach), told)


def other_kinds(
    board: tuple[int, ...], reach: Floats, equity: Floats
) -> tuple[list[KindAnswer], list[KindAnswer]]:
    """The kinds of the player who waits, of reaches and equities [1326]."""
    total = float(reach.sum())

    def told(name: str, mask: Bools) -> KindAnswer:
        weight = np.where(mask & ~np.isnan(equity), reach, 0.0)
        mean = float(weight @ np.nan_to_num(equity) / weight.sum()) if weight.any() else np.nan
        combos = float(reach[mask].sum())
        return KindAnswer(name, round(combos, DIGITS), round(combos / total, DIGITS), known(mean))

    return _held(board, reach, told)


def _held(
    board: tuple[int, ...], reach: Floats, told: Callable[[str, Bools], KindAnswer]
) -> tuple[list[KindAnswer], list[KindAnswer]]:
    """Return the answers for each kind of made hand and draw that a range [1326] holds."""
    made, drawn = _kinds(board)
    return (
        [told(name, mask) for name, mask in made if (reach[mask] > 0).any()],
        [told(name, mask) for name, mask in drawn if (reach[mask] > 0).any()],
    )

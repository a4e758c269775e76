"""The shortest text of a range: a weighted set cover over the items a range may hold.

Items of one weight may overlap freely, so only maximal runs compete: along the kicker
(``ATs+``, ``A9s-A6s``), along the diagonal (``T9s-65s``), each suited, offsuit or both, and single
classes. The cover of least length is found exactly by a small integer program.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from endspiel.arrays import Float64s
from endspiel.cards.classes import class_hands, class_name, class_names, hand_classes
from endspiel.cards.deck import NUM_RANKS, hand_cards
from endspiel.cards.ranges import check_range
from endspiel.cards.text import format_hand

Cell = tuple[int, int]  # row, column of the 13 x 13 grid
Item = tuple[str, frozenset[int]]  # text, the classes it names


def format_range(weights: Float64s) -> str:
    """The shortest text in which no item overrules another; empty when no hand has weight.

    Examples:
        >>> import endspiel as es
        >>> es.format_range(es.parse_range("AA,KK,QQ,AKs,AKo:0.5"))
        'QQ+,AKs,AKo:0.5'
    """
    vector = check_range(weights)
    return ",".join(
        item if weight == 1.0 else f"{item}:{weight!r}"
        for weight in sorted({float(w) for w in vector if w > 0.0}, reverse=True)
        for item in _texts(vector == weight, len(f":{weight!r}") if weight < 1.0 else 0)
    )


def format_pio(weights: Float64s) -> str:
    """A range as PioSOLVER writes it: every class or hand by itself, ``AA,AKs:0.5,AhKd:0.25``."""
    return ",".join(_item(name, weight) for name, weight in _singly(weights))


def format_gto_plus(weights: Float64s) -> str:
    """A range as GTO+ writes it: ``AA,KK,[50.0]AKs,AhKd[/50.0]``, one block a weight."""
    singly = _singly(weights)
    blocks = []
    for weight in sorted({weight for _, weight in singly}, reverse=True):
        names = ",".join(name for name, other in singly if other == weight)
        percent = repr(round(100 * weight, 8))
        blocks.append(names if weight == 1.0 else f"[{percent}]{names}[/{percent}]")
    return ",".join(blocks)


def _item(name: str, weight: float) -> str:
    return name if weight == 1.0 else f"{name}:{weight!r}"


def _singly(weights: Float64s) -> list[tuple[str, float]]:
    """Classes of one weight, and the single hands of the others, in the chart's order."""
    vector = check_range(weights)
    found: list[tuple[str, float]] = []
    for name, hands in zip(class_names(), class_hands(), strict=True):
        held = {float(weight) for weight in vector[list(hands)]}
        if len(held) == 1:
            found += [(name, weight) for weight in held if weight > 0]
            continue
        single = [(hand, float(vector[hand])) for hand in hands if vector[hand] > 0]
        found += [(format_hand(hand_cards()[hand].tolist()), weight) for hand, weight in single]
    return found


def _texts(chosen: NDArray[np.bool_], extra: int) -> list[str]:
    """Items that name exactly the chosen hands [1326], each to be followed by extra letters."""
    if chosen.all():
        return ["random"]
    whole = {i for i, hands in enumerate(class_hands()) if chosen[list(hands)].all()}
    items = _cover(whole, extra)
    for hand in np.flatnonzero(chosen)[::-1]:
        if hand_classes()[hand] not in whole:
            items.append(format_hand(hand_cards()[hand].tolist()))
    return items


def _cover(whole: set[int], extra: int) -> list[str]:
    """Texts of least total length that together name exactly these classes."""
    if not whole:
        return []
    items = list(_candidates(whole))
    if all(len(names) == 1 for _, names in items):  # nothing to choose between
        return [text for text, _ in items]
    from scipy.optimize import Bounds, LinearConstraint, milp

    classes = sorted(whole)
    covers = np.array([[cls in names for _, names in items] for cls in classes], dtype=float)
    cost = np.array([len(text) + 1 + extra for text, _ in items], dtype=float)
    found = milp(
        cost,
        constraints=LinearConstraint(covers, lb=1),
        integrality=np.ones(len(items)),
        bounds=Bounds(0, 1),
    )
    return [text for (text, _), taken in zip(items, found.x, strict=True) if taken > 0.5]


def _candidates(whole: set[int]) -> Iterator[Item]:
    """Every maximal run and every single class inside the chosen classes."""
    yield from _line_items([(i, i) for i in range(NUM_RANKS)], "", whole)
    for high in range(NUM_RANKS - 1):  # one high card, kickers downward
        line = [(high, low) for low in range(high + 1, NUM_RANKS)]
        for kind in ("", "s", "o"):
            yield from _line_items(line, kind, whole)
    for gap in range(1, NUM_RANKS - 1):  # one gap, both ranks downward; never from the top
        line = [(high, high + gap) for high in range(NUM_RANKS - gap)]
        for kind in ("", "s", "o"):
            yield from _run_items(line, kind, whole, open_top=False)


def _line_items(line: list[Cell], kind: str, whole: set[int]) -> Iterator[Item]:
    for cell in line:
        names = _classes(cell, kind)
        if names <= whole:
            yield _name(cell, kind), names
    yield from _run_items(line, kind, whole, open_top=True)


def _run_items(line: list[Cell], kind: str, whole: set[int], *, open_top: bool) -> Iterator[Item]:
    """Maximal runs of two or more along a line; one that starts at the top is written with +."""
    start = 0
    for end in range(len(line) + 1):
        if end < len(line) and _classes(line[end], kind) <= whole:
            continue
        if end - start > 1:
            first, last = _name(line[start], kind), _name(line[end - 1], kind)
            text = f"{last}+" if open_top and start == 0 else f"{first}-{last}"
            yield text, frozenset().union(*(_classes(cell, kind) for cell in line[start:end]))
        start = end + 1


def _classes(cell: Cell, kind: str) -> frozenset[int]:
    suited, offsuit = cell[0] * NUM_RANKS + cell[1], cell[1] * NUM_RANKS + cell[0]
    return frozenset({"s": (suited,), "o": (offsuit,)}.get(kind, (suited, offsuit)))


def _name(cell: Cell, kind: str) -> str:
    return class_name(*cell)[:2] + kind

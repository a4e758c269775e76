"""A spot that is too large, made smaller: fewer bets, step by step, until it fits into memory."""

from collections.abc import Callable
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from endspiel.betting.menu import STREET_NAMES
from endspiel.web.messages import Refused, SpotText, StreetText
from endspiel.web.spots import SizeAnswer

MOST_RAISES: Final = "raises"


class FitAnswer(Struct):
    """The first smaller spot that fits, what was changed, and its size; null if none does."""

    spot: SpotText | None
    changes: list[str]
    size: SizeAnswer | None


Step = tuple[str, str, Callable[[SpotText], SpotText]]  # what it is of, in words, the change


def _streets(text: SpotText) -> list[str]:
    """The streets to come, from the board's on."""
    return [name for name in STREET_NAMES[1:] if getattr(text, name) is not None]


def _without_donks(text: SpotText) -> SpotText:
    later = {name: getattr(text, name) for name in _streets(text)[1:]}
    return replace(text, **{name: replace(menu, donk="") for name, menu in later.items()})


def _at_most(raises: int) -> Callable[[SpotText], SpotText]:
    def change(text: SpotText) -> SpotText:
        most = text.max_raises
        return replace(text, max_raises=raises if most is None else min(most, raises))

    return change


def _one_size(name: str) -> Callable[[SpotText], SpotText]:
    """Leave one size on a street, the middle one of those listed."""

    def middle(sizes: str) -> str:
        listed = [size.strip() for size in sizes.split(",") if size.strip()]
        return listed[(len(listed) - 1) // 2] if listed else ""

    def change(text: SpotText) -> SpotText:
        menu: StreetText | None = getattr(text, name)
        if menu is None:
            return text
        bets = middle(menu.bet) if isinstance(menu.bet, str) else [*map(middle, menu.bet)]
        return replace(text, **{name: replace(menu, bet=bets)})

    return change


STEPS: Final[list[Step]] = [
    ("donks", "no donk bets", _without_donks),
    (MOST_RAISES, "at most 3 bets and raises a street", _at_most(3)),
    (MOST_RAISES, "at most 2 bets and raises a street", _at_most(2)),
    *((name, f"one bet size on the {name}", _one_size(name)) for name in STREET_NAMES[:0:-1]),
    (MOST_RAISES, "no raises", _at_most(1)),
]


def fit_spot(text: SpotText, measure: Callable[[SpotText], SizeAnswer]) -> FitAnswer:
    """The spot with the first of the steps, one after the other, with which it fits."""
    changes: dict[str, str] = {}
    for what, words, change in STEPS:
        smaller = change(text)
        if smaller == text:
            continue
        text, changes[what] = smaller, words
        try:
            size = measure(text)
        except Refused as refused:
            if refused.problems[0].field != "spot":  # of the spot as a whole: too large a tree
                raise
            continue
        if size.fits:
            return FitAnswer(text, [*changes.values()], size)
    return FitAnswer(None, [], None)

"""Bet sizes as players write them: ``33%, 2.5x, 100c, e, 3e200%, a``.

| size     | a bet puts in                     | a raise goes to                                |
|----------|-----------------------------------|------------------------------------------------|
| ``50%``  | half the pot                      | the last bet + half the pot after calling      |
| ``2.5x`` | (raises only)                     | 2.5 times the last bet                         |
| ``100c`` | 100 chips                         | the last bet + 100 chips                       |
| ``3e``   | the geometric share of the pot    | the last bet + that share of the pot after     |
|          | over three streets                | calling, over a street less for each raise     |
| ``e``    | that over the streets that remain | the same                                       |
| ``e80%`` | that, at most 80% of the pot      | the same                                       |
| ``a``    | everything                        | everything                                     |

The geometric share over n streets is the one that, bet and called on each, is all-in on the last.
"The last bet" is a total over the street. Amounts are rounded to whole chips, halves up.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, cast

import numpy as np

from endspiel.betting.edits import NodeEdit
from endspiel.errors import BettingError

Unit = Literal["%", "x", "c", "e", "a"]
MAX_CHIPS: Final = 2**31 - 1
MAX_STREETS: Final = 100
STREET_NAMES: Final = ("preflop", "flop", "turn", "river")

_NUMBER: Final = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
_SIZE: Final = re.compile(
    rf"(?P<number>{_NUMBER})(?P<unit>[%xc])|(?P<streets>[0-9]*)e(?:(?P<cap>{_NUMBER})%)?|(?P<all>a)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Size:
    """One size of a menu."""

    unit: Unit
    number: float = 0.0  # percent, factor, chips, or streets (0: those that remain)
    cap: float = math.inf  # of a geometric size, in percent of the pot

    def __str__(self) -> str:
        if self.unit == "a":
            return "a"
        number = "" if self.unit == "e" and not self.number else _format(self.number)
        cap = f"{_format(self.cap)}%" if self.cap < math.inf else ""
        return f"{number}{self.unit}{cap}"


Menu = tuple[Size, ...]


def parse_menu(text: str, raising: bool = False) -> Menu:
    """The sizes of a comma-separated menu, in the order written; an empty text has none."""
    sizes = []
    at = 0
    parts = text.split(",")
    if not parts[-1].strip():  # an empty menu, or a comma at its end
        parts.pop()
    for part in parts:
        token = part.strip()
        place = at + len(part) - len(part.lstrip())
        sizes.append(
            _parse_size(token, f"{token[:40]!r} at position {place + 1} of the menu", raising)
        )
        at += len(part) + 1
    return tuple(sizes)


def parse_pair(text: str | Sequence[str], raising: bool = False) -> tuple[Menu, Menu]:
    """Both players' menus: from one text for both, or from one each, out of position first."""
    texts = (text, text) if isinstance(text, str) else tuple(text)
    if len(texts) != 2:
        raise BettingError(f"{len(texts)} menus: give one for both players, or one for each")
    return parse_menu(texts[0], raising), parse_menu(texts[1], raising)


def format_menu(menu: Menu) -> str:
    """The text of a menu, which ``parse_menu`` reads back."""
    return ", ".join(map(str, menu))


def _parse_size(token: str, where: str, raising: bool) -> Size:
    match = _SIZE.fullmatch(token)
    if match is None:
        raise BettingError(f"{where}: a size is written like 50%, 2.5x, 100c, e, 3e, 3e200% or a")
    if match["all"]:
        return Size("a")
    if match["unit"] is None:
        return _geometric(match, where)
    number, unit = float(match["number"]), cast(Unit, match["unit"].lower())
    if unit == "x" and not raising:
        raise BettingError(f"{where}: a multiple of the last bet is a raise, not a bet")
    if unit == "x" and number <= 1.0:
        raise BettingError(f"{where}: a raise is more than 1 times the last bet")
    if unit == "c" and not number.is_integer():
        raise BettingError(f"{where}: chips are a whole number")
    if number > MAX_CHIPS:
        raise BettingError(f"{where}: a size is at most {MAX_CHIPS}")
    return Size(unit, number)


def _geometric(match: re.Match[str], where: str) -> Size:
    digits = match["streets"]
    if digits and not (len(digits) <= 3 and 1 <= int(digits) <= MAX_STREETS):
        raise BettingError(f"{where}: a geometric size is over 1 to {MAX_STREETS} streets")
    cap = float(match["cap"]) if match["cap"] else math.inf
    if match["cap"] and cap > MAX_CHIPS:
        raise BettingError(f"{where}: a size is at most {MAX_CHIPS}")
    return Size("e", float(digits or 0), cap)


def _format(number: float) -> str:
    """The shortest decimal, never with an exponent, that reads back as this number."""
    return np.format_float_positional(number, trim="-")


@dataclass(frozen=True)
class StreetMenu:
    """What each player may bet and raise on one street.

    Examples:
        >>> import endspiel as es
        >>> menu = es.StreetMenu.parse("50%, 100%", "60%")  # of the pot, for both players
        >>> menu.bets[0] == menu.bets[1], menu.donk
        (True, None)
    """

    bets: tuple[Menu, Menu]  # out of position, in position
    raises: tuple[Menu, Menu]
    donk: Menu | None = None  # first bet out of position after calling the street before

    @classmethod
    def parse(
        cls, bet: str | Sequence[str], raises: str | Sequence[str] = "", donk: str | None = None
    ) -> "StreetMenu":
        """Menus from text: one for both players, or one each, out of position first."""
        return cls(
            parse_pair(bet),
            parse_pair(raises, raising=True),
            None if donk is None else parse_menu(donk),
        )


@dataclass(frozen=True)
class Sizing:
    """The menus of a game and how they are tidied at every point.

    All-in is added where it is at most ``add_allin_threshold`` times the pot (after calling, for a
    raise). A size becomes all-in if a call would leave at most ``force_allin_threshold`` times the
    new pot behind. From the largest size X (in pots) down, sizes Y with
    ``(1 + X) / (1 + Y) <= 1 + merging_threshold`` are dropped. Zero turns each of these off.

    Where there are lines (see `endspiel.betting.lines`), they are the tree, and menus do nothing.
    Edits change single nodes of the menus' tree (see `endspiel.betting.edits`).

    Examples:
        >>> import endspiel as es
        >>> river = es.StreetMenu.parse("50%, a", "a")
        >>> sizing = es.Sizing((None, None, None, river), max_raises=2)
        >>> board = tuple(es.parse_cards("Qs Jh 2h 4c 8d"))
        >>> ranges = es.parse_range("QQ,AJs"), es.parse_range("JJ,KQo")
        >>> spot = es.Spot(board, 200, 300, ranges, sizing)
        >>> es.solve(spot, target=0.003).exploitability <= 0.003
        True
    """

    streets: tuple[StreetMenu | None, ...]  # [4] by street: preflop, flop, turn, river
    max_raises: int | None = None  # bets and raises a street
    add_allin_threshold: float = 0.0
    force_allin_threshold: float = 0.0
    merging_threshold: float = 0.0
    lines: tuple[tuple[int, ...], ...] = ()
    edits: tuple[NodeEdit, ...] = ()

    def __post_init__(self) -> None:
        if len(self.streets) != len(STREET_NAMES):
            raise BettingError(
                f"menus for {len(self.streets)} streets; give {len(STREET_NAMES)}, "
                "None where there is no betting to come"
            )
        if self.max_raises is not None and self.max_raises < 0:
            raise BettingError(f"max_raises is {self.max_raises}; it is 0 or more")
        for name in ("add_allin_threshold", "force_allin_threshold", "merging_threshold"):
            value = getattr(self, name)
            if not 0.0 <= value <= MAX_CHIPS:
                raise BettingError(f"{name} is {value}; it is a number from 0 to {MAX_CHIPS}")
        if self.lines and self.edits:
            raise BettingError("the tree is given line by line, so that no menu can be edited")

    @classmethod
    def same(cls, menu: StreetMenu, max_raises: int | None = None) -> "Sizing":
        """One menu for all streets, nothing tidied."""
        return cls((menu,) * len(STREET_NAMES), max_raises)

    def menu(self, street: int) -> StreetMenu:
        """The menus of a street; an error where none was given."""
        menu = self.streets[street]
        if menu is None:
            raise BettingError(f"no menu for the {STREET_NAMES[street]}")
        return menu

"""What scripts set before a tree is built: cards, ranges, chips, and lines or bet sizes."""

from dataclasses import dataclass, field, replace

import numpy as np

from endspiel.arrays import Float64s
from endspiel.betting.lines import Line
from endspiel.betting.menu import STREET_NAMES, Sizing, StreetMenu
from endspiel.betting.rake import NO_RAKE, Rake
from endspiel.cards.deck import NUM_HANDS
from endspiel.cards.ranges import check_range, parse_range
from endspiel.errors import EndspielError, GameError, RangeError
from endspiel.games.spot import Spot

POSITIONS = ("OOP", "IP")
_NO_MENUS: tuple[StreetMenu | None, ...] = (None,) * len(STREET_NAMES)


@dataclass
class TreeSetup:
    """The state that `build_tree` makes a spot of."""

    board: tuple[int, ...] = ()
    pot: int = 0
    stack: int = 0
    ranges: list[Float64s] = field(default_factory=lambda: [np.ones(NUM_HANDS) for _ in POSITIONS])
    lines: list[Line] = field(default_factory=list)
    sizing: Sizing = field(default_factory=lambda: Sizing(_NO_MENUS))
    rake: Rake = NO_RAKE

    @classmethod
    def of(cls, spot: Spot) -> "TreeSetup":
        """The state from which a spot would be built again."""
        if spot.prizes is not None:
            raise GameError("scripts count chips: a spot with prizes is solved by endspiel solve")
        lines, sizing = list(spot.sizing.lines), replace(spot.sizing, lines=())
        return cls(spot.board, spot.pot, spot.stack, list(spot.ranges), lines, sizing, spot.rake)

    def set_menu(self, street: str, menu: StreetMenu) -> None:
        """Give a street its bet sizes."""
        if street not in STREET_NAMES[1:]:
            raise GameError(f"no street {street[:20]!r}: streets are {', '.join(STREET_NAMES[1:])}")
        menus = list(self.sizing.streets)
        menus[STREET_NAMES.index(street)] = menu
        self.sizing = replace(self.sizing, streets=tuple(menus))

    def spot(self) -> Spot:
        """The spot; an error names what is missing."""
        for name, value in (("set_board", self.board), ("set_pot", self.pot)):
            if not value:
                raise GameError(f"{name} comes first")
        if not self.stack:
            raise GameError("set_eff_stack comes first")
        menus = any(menu is not None for menu in self.sizing.streets)
        if self.lines and menus:
            raise GameError("lines and bet sizes are both given: clear_lines or clear_bet_sizes")
        if not self.lines and not menus:
            raise GameError("add_line or set_bet_sizes comes first")
        first, second = self.ranges
        sizing = replace(self.sizing, lines=tuple(self.lines))
        return Spot(self.board, self.pot, self.stack, (first, second), sizing, self.rake)

    def clear_menus(self) -> None:
        """No bet sizes on any street."""
        self.sizing = Sizing(_NO_MENUS)


def position(word: str) -> int:
    """0 for OOP, 1 for IP."""
    if word.upper() in POSITIONS:
        return POSITIONS.index(word.upper())
    if word in ("0", "1"):
        return int(word)
    raise EndspielError(f"no position {word[:20]!r}: it is OOP or IP")


def read_range(words: list[str]) -> Float64s:
    """1326 weights in the order of the hands, or a range as people write it."""
    if len(words) == 1 or len(words) < NUM_HANDS // 2:
        return parse_range(",".join(word.strip(",") for word in words))
    try:
        weights = np.array([float(word) for word in words])
    except ValueError as error:
        raise RangeError(f"a weight is no number: {error}") from error
    if len(weights) != NUM_HANDS:
        raise RangeError(f"there are {len(weights)} weights; hands are {NUM_HANDS}")
    return check_range(weights)

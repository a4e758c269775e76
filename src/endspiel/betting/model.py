"""Betting models: the bets of a tree, by the betting so far, in a file that anyone can edit.

A model is a TOML file of rules. At every point of the betting the first rule that fits gives the
sizes; fold (against a bet), check or call, and all-in are always there, and where no rule fits
nothing else is. A rule says

| key           | fits where                                                                    |
|---------------|-------------------------------------------------------------------------------|
| ``street``    | the street is this one, or one of these                                       |
| ``raises``    | the number of bets and raises on this street (blinds are none)                |
| ``position``  | the player to act is ``"in"`` or ``"out"`` of position after the flop         |
| ``checked``   | the opponent has (``true``) or has not checked or limped, with no bet yet     |
| ``behind``    | chips left after a call, in pots after a call, are ``[from, below]``          |
| ``sizes``     | (gives) bets and raises as menus write them: ``"50%, 100%"``               |

and what it leaves out fits everywhere. Earlier streets show in how much is left behind.
"""

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any, Final

from endspiel.betting.grow import DEFAULT_LIMIT, Point, TreeSetting, game_start, grow, street_start
from endspiel.betting.menu import (
    STREET_NAMES,
    Menu,
    Size,
    Sizing,
    StreetMenu,
    format_menu,
    parse_menu,
)
from endspiel.betting.no_limit import bet_amounts
from endspiel.betting.tree import BettingTree
from endspiel.errors import BettingError, FileError
from endspiel.reading import MissingFileError, read_text
from endspiel.rules.game_def import GameDef

TARTANIAN5: Final = "tartanian5"
_RULE_KEYS: Final = ("street", "raises", "position", "checked", "behind", "sizes")
_THRESHOLDS: Final = ("force_allin_threshold", "merging_threshold")
_MODEL_KEYS: Final = ("name", *_THRESHOLDS, "rule")
_STREETS: Final = {name: street for street, name in enumerate(STREET_NAMES)}
_POSITIONS: Final = {"out": 0, "in": 1}


@dataclass(frozen=True)
class Rule:
    """The sizes at the points that fit; None fits every point."""

    sizes: Menu
    streets: tuple[int, ...] | None = None
    raises: tuple[int, ...] | None = None
    player: int | None = None
    checked: bool | None = None
    behind: tuple[float, float] = (0.0, math.inf)  # in pots after calling: from, below

    def fits(self, table: TreeSetting, point: Point) -> bool:
        """Whether the rule speaks of this point."""
        checked = point.passed > 0 and point.raises == 0
        behind = (table.stack - point.level) / (table.pot + 2 * point.level)
        return (
            (self.streets is None or point.street in self.streets)
            and (self.raises is None or point.raises in self.raises)
            and self.player in (None, point.player)
            and self.checked in (None, checked)
            and self.behind[0] <= behind < self.behind[1]
        )


@dataclass(frozen=True)
class BettingModel:
    """Rules in the order in which they are asked, and how sizes are tidied (see ``Sizing``)."""

    name: str
    rules: tuple[Rule, ...]
    force_allin_threshold: float = 0.0
    merging_threshold: float = 0.0

    @cached_property
    def _sizings(self) -> tuple[Sizing, ...]:
        """Each rule's sizes and all-in, on any street, bet or raise; the last where none fits."""
        menus = [(*rule.sizes, Size("a")) for rule in self.rules] + [(Size("a"),)]
        tidy = self.force_allin_threshold, self.merging_threshold
        return tuple(
            Sizing((StreetMenu((menu, menu), (menu, menu)),) * len(STREET_NAMES), None, 0.0, *tidy)
            for menu in menus
        )

    def amounts(self, table: TreeSetting, point: Point) -> list[int]:
        """Totals over the street that the player to act may bet or raise to, ascending."""
        if point.level == table.stack:
            return []
        fitting = (at for at, rule in enumerate(self.rules) if rule.fits(table, point))
        return bet_amounts(table, point, self._sizings[next(fitting, len(self.rules))])

    def tree(
        self, game: GameDef, street: int = 0, pot: int | None = None, limit: int = DEFAULT_LIMIT
    ) -> BettingTree:
        """The tree of a no-limit game, from its blinds or from a street on with the pot so far."""
        if not game.no_limit:
            raise BettingError(f"game {game.name} has fixed limits; a model is for no limit")
        if street == 0 and pot is None:
            table, start = game_start(game)
        else:
            table, start = street_start(game, street, pot or 0)

        def raises(point: Point) -> list[int]:
            if point.raises >= game.max_raises[point.street]:
                return []
            return self.amounts(table, point)

        return grow(table, start, raises, limit)


def load_model(name_or_path: str | Path = TARTANIAN5) -> BettingModel:
    """A model that comes with the package, by name, or one from a file."""
    folder = resources.files("endspiel.betting") / "data"
    known = sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir())
    name = str(name_or_path)
    try:
        shipped = folder / f"{name}.toml"
        text = shipped.read_text() if name in known else read_text(name_or_path)
    except MissingFileError as error:
        there = ", ".join(known)
        raise BettingError(f"no betting model {name!r}: neither a file nor {there}") from error
    except FileError as error:
        raise BettingError(f"betting model: {error}") from error
    return parse_model(text, name)


def parse_model(text: str, place: str = "the model") -> BettingModel:
    """A model from the text of its file; errors name the place and the rule."""
    try:
        content = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise BettingError(f"{place} is no TOML: {error}"[:300]) from error
    _check_keys(content, _MODEL_KEYS, place)
    rules = content.get("rule", [])
    if not isinstance(rules, list) or not all(isinstance(rule, dict) for rule in rules):
        raise BettingError(f"{place}: rules are tables that begin with [[rule]]")
    name = content.get("name", "")
    if not isinstance(name, str):
        raise BettingError(f"{place}: name is {name!r}, not a text")
    tidy = {key: _number(content.get(key, 0.0), f"{place}: {key}") for key in _THRESHOLDS}
    for key, value in tidy.items():
        if value == math.inf:
            raise BettingError(f"{place}: {key} is a finite number")
    parsed = [_parse_rule(rule, f"{place}, rule {at}") for at, rule in enumerate(rules, start=1)]
    return BettingModel(name, tuple(parsed), **tidy)


def _parse_rule(rule: Mapping[str, Any], place: str) -> Rule:
    _check_keys(rule, _RULE_KEYS, place)
    sizes = rule.get("sizes")
    if not isinstance(sizes, str):
        raise BettingError(f"{place}: sizes are a text like '50%, 100%', empty for none")
    try:
        menu = parse_menu(sizes)
    except BettingError as error:
        raise BettingError(f"{place}: {error}") from error
    position, checked = rule.get("position"), rule.get("checked")
    if position is not None and position not in _POSITIONS:
        raise BettingError(f"{place}: position is 'in' or 'out', not {position!r}")
    if checked is not None and not isinstance(checked, bool):
        raise BettingError(f"{place}: checked is true or false, not {checked!r}")
    return Rule(
        sizes=menu,
        streets=_streets(rule.get("street"), place),
        raises=_counts(rule.get("raises"), place),
        player=None if position is None else _POSITIONS[position],
        checked=checked,
        behind=_interval(rule.get("behind"), place),
    )


def _streets(value: Any, place: str) -> tuple[int, ...] | None:
    if value is None:
        return None
    wanted = value if isinstance(value, list) else [value]
    for name in wanted:
        if not isinstance(name, str) or name not in _STREETS:
            raise BettingError(f"{place}: no street {name!r}; there are {', '.join(_STREETS)}")
    return tuple(_STREETS[name] for name in wanted)


def _counts(value: Any, place: str) -> tuple[int, ...] | None:
    if value is None:
        return None
    wanted = value if isinstance(value, list) else [value]
    if not all(isinstance(count, int) and not isinstance(count, bool) for count in wanted):
        raise BettingError(f"{place}: raises is a whole number or a list of them, not {value!r}")
    return tuple(wanted)


def _interval(value: Any, place: str) -> tuple[float, float]:
    if value is None:
        return 0.0, math.inf
    if not isinstance(value, list) or len(value) != 2:
        raise BettingError(f"{place}: behind is two numbers, [from, below], not {value!r}")
    low, high = (_number(bound, f"{place}: behind") for bound in value)
    return low, high


def _number(value: Any, place: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
        raise BettingError(f"{place} is {value!r}, not a number of 0 or more")
    return float(value)


def _check_keys(content: Mapping[str, Any], known: tuple[str, ...], place: str) -> None:
    for key in content:
        if key not in known:
            raise BettingError(f"{place}: no key {key!r}; there are {', '.join(known)}")


def format_model(model: BettingModel) -> str:
    """The text of a model, which ``parse_model`` reads back."""
    lines = [f'name = "{model.name}"']
    lines += [f"{key} = {getattr(model, key)}" for key in _THRESHOLDS]
    for rule in model.rules:
        lines += ["", "[[rule]]"]
        if rule.streets is not None:
            names = ", ".join(f'"{STREET_NAMES[street]}"' for street in rule.streets)
            lines.append(f"street = [{names}]")
        if rule.raises is not None:
            lines.append(f"raises = {list(rule.raises)}")
        if rule.player is not None:
            lines.append(f'position = "{"out" if rule.player == 0 else "in"}"')
        if rule.checked is not None:
            lines.append(f"checked = {str(rule.checked).lower()}")
        if rule.behind != (0.0, math.inf):
            lines.append(f"behind = [{rule.behind[0]}, {rule.behind[1]}]")
        lines.append(f'sizes = "{format_menu(rule.sizes)}"')
    return "\n".join(lines) + "\n"

"""Spots: a board, a pot, two ranges and bet menus, read from the files people share.

TOML or JSON (the README shows one), or a LibratusEndgames ``.txt`` file. Reading is strict: a key
that is unknown, a value of a wrong kind, or a range that the board leaves empty is an error that
names the file and the key.
"""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from endspiel.arrays import Float64s
from endspiel.betting.edits import parse_edit
from endspiel.betting.grow import DEFAULT_LIMIT
from endspiel.betting.lines import format_line, parse_line
from endspiel.betting.menu import (
    MAX_CHIPS,
    STREET_NAMES,
    Menu,
    Sizing,
    StreetMenu,
    format_menu,
    parse_menu,
    parse_pair,
)
from endspiel.betting.no_limit import no_limit_tree
from endspiel.betting.prizes import PrizeMap
from endspiel.betting.rake import NO_RAKE, Rake
from endspiel.betting.tree import BettingTree
from endspiel.cards.deck import NUM_CARDS
from endspiel.cards.live import live_mask
from endspiel.cards.ranges import check_range, parse_range
from endspiel.cards.removal import can_meet
from endspiel.cards.text import format_cards, parse_board
from endspiel.errors import EndspielError, FileError, GameError, RangeError
from endspiel.games.libratus import EndgameFile, parse_endgame
from endspiel.games.spot_values import in_key, prizes_of, rake_of, shown, texts_of, want
from endspiel.reading import STANDARD_INPUT, read_text

PLAYERS: Final = ("out of position", "in position")
# The sizes of the literature on the Libratus endgames: half pot, pot, all-in.
LIBRATUS_SIZING: Final = Sizing((None, *[StreetMenu.parse("50%, 100%, a", "50%, 100%, a")] * 3))

_STREETS: Final = STREET_NAMES[1:]
_THRESHOLDS: Final = ("add_allin_threshold", "force_allin_threshold", "merging_threshold")
_KEYS: Final = frozenset(
    (
        *("board", "pot", "stack", "ranges", "ranges_file", "lines", "edits", "max_raises"),
        *("rake", "rake_cap", "prizes", "others", "big_blind"),
        *_THRESHOLDS,
        *_STREETS,
    )
)
_MENU_KEYS: Final = ("bet", "raise", "donk")


@dataclass(frozen=True, eq=False)
class Spot:
    """A two-player endgame in real cards; checked on construction.

    Examples:
        >>> import endspiel as es
        >>> river = es.parse_spot(
        ...     {
        ...         "board": "Qs Jh 2h 4c 8d",
        ...         "pot": 200,
        ...         "stack": 300,
        ...         "ranges": ["QQ,AJs,T9s", "JJ,KQo,A5s"],
        ...         "river": {"bet": "50%, a", "raise": "a"},
        ...     }
        ... )
        >>> river.pot, river.street, len(river.board)
        (200, 3, 5)
    """

    board: tuple[int, ...]  # three to five cards, in the order dealt
    pot: int
    stack: int  # what each player has behind
    ranges: tuple[Float64s, Float64s]  # [1326] each, out of position first, as given: see weights
    sizing: Sizing
    rake: Rake = NO_RAKE  # what the house takes of every pot
    prizes: PrizeMap | None = None  # half of the pot counted as either player's chips
    big_blind: int | None = None  # chips, for those who read amounts in big blinds; no rule of play

    def __post_init__(self) -> None:
        object.__setattr__(self, "board", tuple(int(card) for card in self.board))
        _check_board(self.board)
        blind = 1 if self.big_blind is None else self.big_blind
        for name, chips in (("pot", self.pot), ("stack", self.stack), ("big_blind", blind)):
            if isinstance(chips, bool) or not isinstance(chips, int) or not 0 < chips <= MAX_CHIPS:
                raise GameError(
                    f"{name} is {shown(chips)}; it is a whole number of chips, 1 or more"
                )
        if len(self.ranges) != 2:
            raise RangeError(f"there are {len(self.ranges)} ranges; a spot has two")
        first, second = (check_range(weights).copy() for weights in self.ranges)
        first.flags.writeable = second.flags.writeable = False
        object.__setattr__(self, "ranges", (first, second))
        self._check_prizes()
        if not self.sizing.lines:
            for street in range(self.street, len(STREET_NAMES)):
                self.sizing.menu(street)
        _check_hands(self.weights)

    def _check_prizes(self) -> None:
        if self.prizes is None:
            return
        if self.rake:
            raise GameError("a spot has a rake or prizes: pots of a tournament are not raked")
        if min(self.behind) != self.stack or any(chips % 1 for chips in self.behind):
            raise GameError(
                f"prizes are of stacks of {self.behind[0]!r} and {self.behind[1]!r} behind: whole "
                f"chips, of which the smaller is played for, not {self.stack}"
            )

    @property
    def behind(self) -> tuple[float, float]:
        """What each player has behind, out of position first: of prizes, two stacks may differ."""
        if self.prizes is None:
            return self.stack, self.stack
        one, two = self.prizes.stacks
        return one - self.pot / 2, two - self.pot / 2

    @property
    def street(self) -> int:
        """1 flop, 2 turn, 3 river."""
        return len(self.board) - 2

    @property
    def weights(self) -> Float64s:
        """Both ranges without the hands that the board makes impossible: [2, 1326]."""
        return np.where(live_mask(self.board), np.stack(self.ranges), 0.0)

    def tree(self, limit: int = DEFAULT_LIMIT) -> BettingTree:
        """The betting from here on."""
        tree = no_limit_tree(self.pot, self.stack, self.street, self.sizing, limit)
        return replace(tree, rake=self.rake, prizes=self.prizes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Spot):
            return NotImplemented
        same = ("board", "pot", "stack", "sizing", "rake", "prizes")
        return all(getattr(self, name) == getattr(other, name) for name in same) and all(
            np.array_equal(a, b) for a, b in zip(self.ranges, other.ranges, strict=True)
        )

    __hash__ = None  # type: ignore[assignment]

    def dump(self) -> str:
        """The spot as TOML, which ``load_spot`` reads back."""
        from endspiel.cards.range_format import format_range  # to write, not to solve

        sizing = self.sizing
        lines = [
            f'board = "{format_cards(self.board, " ")}"',
            f"pot = {self.pot}",
            *self._dump_stacks(),
            *([] if self.big_blind is None else [f"big_blind = {self.big_blind}"]),
            "ranges = [",
            *(f'  "{format_range(weights)}",' for weights in self.ranges),
            "]",
        ]
        if sizing.lines:
            lines += ["lines = [", *(f'  "{format_line(line)}",' for line in sizing.lines), "]"]
        if sizing.edits:
            lines += ["edits = [", *(f'  "{edit}",' for edit in sizing.edits), "]"]
        if sizing.max_raises is not None:
            lines.append(f"max_raises = {sizing.max_raises}")
        lines += [f"{name} = {float(getattr(sizing, name))!r}" for name in _THRESHOLDS]
        for name, menu in zip(_STREETS, sizing.streets[1:], strict=True):
            if menu is not None:
                lines += ["", f"[{name}]", *_dump_menu(menu)]
        return "\n".join(lines) + "\n"

    def _dump_stacks(self) -> list[str]:
        if self.prizes is not None:
            return self.prizes.dump(self.pot)
        return [f"stack = {self.stack}", *self.rake.dump()]

    def save(self, path: str | Path) -> None:
        """Write the spot as a TOML file."""
        try:
            Path(path).write_text(self.dump())
        except (OSError, ValueError) as error:
            raise FileError(f"cannot write {path}: {error}") from error


def _check_board(board: tuple[int, ...]) -> None:
    if not 3 <= len(board) <= 5:
        raise GameError(f"board has {len(board)} cards; a spot has three, four or five")
    if len(set(board)) < len(board) or not all(0 <= card < NUM_CARDS for card in board):
        raise GameError(f"board {board} is not of different cards 0 to {NUM_CARDS - 1}")


def _check_hands(weights: Float64s) -> None:
    """Refuse ranges [2, 1326] that cannot be dealt."""
    for player, name in enumerate(PLAYERS):
        if not weights[player].any():
            raise RangeError(f"the range {name} has no hand that the board allows")
    if not can_meet(*weights):
        raise RangeError("the two ranges share a card in every pair of hands: nothing can be dealt")


def _dump_menu(menu: StreetMenu) -> list[str]:
    lines = []
    for name, both in (("bet", menu.bets), ("raise", menu.raises)):
        texts = [f'"{format_menu(one)}"' for one in both]
        lines.append(
            f"{name} = {texts[0]}" if both[0] == both[1] else f"{name} = [{', '.join(texts)}]"
        )
    if menu.donk is not None:
        lines.append(f'donk = "{format_menu(menu.donk)}"')
    return lines


def load_spot(path: str | Path) -> Spot:
    """The spot of a ``.toml`` or ``.json`` file, or of a LibratusEndgames ``.txt`` file.

    A ``.txt`` file has no menus: half pot, pot and all-in are allowed at every point. ``-`` reads
    TOML or JSON from standard input.

    Examples:
        >>> import endspiel as es
        >>> from pathlib import Path
        >>> from tempfile import mkdtemp
        >>> file = Path(mkdtemp()) / "river.toml"
        >>> written = file.write_text('''
        ... board = "Qs Jh 2h 4c 8d"
        ... pot = 200
        ... stack = 300
        ... ranges = ["QQ,AJs,T9s", "JJ,KQo,A5s"]
        ... [river]
        ... bet = "50%, a"
        ... raise = "a"
        ... ''')
        >>> es.load_spot(file).stack
        300
    """
    path = Path(path)
    text = read_text(path)
    try:
        if path.suffix.lower() == ".txt":
            return Spot(*parse_endgame(text), LIBRATUS_SIZING)
        return parse_spot(_decode(path, text), path.parent)
    except EndspielError as error:
        raise type(error)(f"{path}: {error}") from error


def ranges_file(path: Path) -> Path | None:
    """The file of ranges that a spot file names, if it names one."""
    if path.suffix.lower() not in (".toml", ".json") or not path.is_file():
        return None
    name = _decode(path, read_text(path)).get("ranges_file")
    return path.parent / name if isinstance(name, str) else None


def _decode(path: Path, text: str) -> Mapping[str, Any]:
    """The content of a TOML or JSON file, which must be a table."""
    suffix = path.suffix.lower()
    if str(path) == STANDARD_INPUT:
        suffix = ".json" if text.lstrip().startswith("{") else ".toml"
    if suffix not in (".toml", ".json"):
        raise FileError("a spot file is .toml, .json, or .txt (LibratusEndgames)")
    try:
        if suffix == ".toml":
            return tomllib.loads(text)
        content = json.loads(text, object_pairs_hook=_distinct)
    except (ValueError, RecursionError) as error:
        raise FileError(f"this is no {suffix[1:].upper()}: {error}"[:300]) from error
    if not isinstance(content, dict):
        raise FileError("a spot is a JSON object")
    return content


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"a key is given twice among {', '.join(map(repr, keys))}")
    return content


def parse_spot(content: Mapping[str, Any], folder: str | Path = ".") -> Spot:
    """The spot that the content of a spot file describes; ``ranges_file`` is sought in a folder.

    Examples:
        >>> import endspiel as es
        >>> river = es.parse_spot(
        ...     {
        ...         "board": "Qs Jh 2h 4c 8d",
        ...         "pot": 200,
        ...         "stack": 300,
        ...         "ranges": ["QQ,AJs,T9s", "JJ,KQo,A5s"],
        ...         "river": {"bet": "50%, a", "raise": "a"},
        ...     }
        ... )
        >>> river.tree().counts().decisions
        8
    """
    for key in content:
        if key not in _KEYS:
            raise FileError(f"no key {str(key)[:40]!r}; a spot has {', '.join(sorted(_KEYS))}")
    if "ranges_file" in content:
        endgame = _endgame_of(content, Path(folder))
    else:
        ranges = want(content, "ranges", list)
        if len(ranges) != 2 or not all(isinstance(text, str) for text in ranges):
            raise FileError("ranges are two texts, out of position first")
        endgame = EndgameFile(
            _board_of(content),
            want(content, "pot", int),
            _stack_of(content),
            (
                in_key("ranges[0]", parse_range, ranges[0]),
                in_key("ranges[1]", parse_range, ranges[1]),
            ),
        )
    sizing = _sizing_of(content, len(endgame.board) - 2)
    blind = want(content, "big_blind", int) if "big_blind" in content else None
    return Spot(*endgame, sizing, rake_of(content), prizes_of(content, endgame), blind)


def _board_of(content: Mapping[str, Any]) -> tuple[int, ...]:
    board = tuple(in_key("board", parse_board, want(content, "board", str)))
    _check_board(board)
    return board


def _stack_of(content: Mapping[str, Any]) -> int:
    """What each player has behind; of two stacks only the smaller can be played for."""
    stacks = content.get("stack")
    if not isinstance(stacks, list):
        return int(want(content, "stack", int))
    if len(stacks) != 2:
        raise FileError("stack is one number, or two, out of position first")
    return min(int(want({"stack": chips}, "stack", int)) for chips in stacks)


def _endgame_of(content: Mapping[str, Any], folder: Path) -> EndgameFile:
    """Board, pot, stack and ranges of the file named, which the spot may repeat, not contradict."""
    name = want(content, "ranges_file", str)
    if "ranges" in content:
        raise FileError("ranges and ranges_file are both given; a spot has one of them")
    endgame: EndgameFile = in_key(
        f"ranges_file {name!r}", lambda text: parse_endgame(read_text(folder / text)), name
    )
    if "board" in content and set(_board_of(content)) != set(endgame.board):
        raise FileError(f"board contradicts ranges_file, which has {format_cards(endgame.board)}")
    for key, chips in (("pot", endgame.pot), ("stack", endgame.stack)):
        if key in content and want(content, key, int) != chips:
            raise FileError(f"{key} contradicts ranges_file, which has {chips}")
    return endgame


def _sizing_of(content: Mapping[str, Any], street: int) -> Sizing:
    menus: list[StreetMenu | None] = [None]
    lines = texts_of(content, "lines", parse_line, "0 0 50 150")
    for number, name in enumerate(_STREETS, 1):
        needed = number >= street and not lines
        menus.append(_menu_of(content, name) if needed or name in content else None)
    thresholds = {key: want(content, key, (int, float)) for key in _THRESHOLDS if key in content}
    max_raises = want(content, "max_raises", int) if "max_raises" in content else None
    edits = texts_of(content, "edits", parse_edit, "c b100: +300 -250")
    return Sizing(tuple(menus), max_raises, **thresholds, lines=lines, edits=edits)


def _menu_of(content: Mapping[str, Any], name: str) -> StreetMenu:
    """The menus of a street; without ``raise`` there are no raises."""
    table = want(content, name, dict)
    for key in table:
        if key not in _MENU_KEYS:
            raise FileError(f"no key {str(key)[:40]!r} in [{name}]; it has {', '.join(_MENU_KEYS)}")
    if "bet" not in table:
        raise FileError(f"[{name}] lacks the key bet")
    for key, value in table.items():
        pair = isinstance(value, list) and len(value) == 2 and key != "donk"
        if not all(isinstance(text, str) for text in (value if pair else [value])):
            one_each = "" if key == "donk" else ", or two, out of position first"
            raise FileError(f"{key} in [{name}] is a menu in quotes{one_each}")
    return StreetMenu(
        bets=in_key(f"bet in [{name}]", parse_pair, table["bet"]),
        raises=in_key(f"raise in [{name}]", _parse_raises, table.get("raise", "")),
        donk=in_key(f"donk in [{name}]", parse_menu, table["donk"]) if "donk" in table else None,
    )


def _parse_raises(text: str | list[str]) -> tuple[Menu, Menu]:
    return parse_pair(text, raising=True)

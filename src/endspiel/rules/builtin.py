"""The games that come with the package, and games from files."""

from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final

from endspiel.errors import FileError, RulesError
from endspiel.reading import MissingFileError, read_text
from endspiel.rules.game_def import GameDef, parse_game

# Short names; every data file is also known by its own name, with or without ".game".
ALIASES: Final = {
    "nolimit-holdem": "holdem.nolimit.2p.reverse_blinds",
    "limit-holdem": "holdem.limit.2p.reverse_blinds",
    "flop-holdem": "flop.nolimit.2p.reverse_blinds",
    "rhode-island": "rhode-island.limit.2p",
    "leduc": "leduc.limit.2p",
    "kuhn": "kuhn.limit.2p",
}
_SUFFIX: Final = ".game"


@cache
def builtin_names() -> tuple[str, ...]:
    """File names, without suffix, of the games in the package."""
    folder = resources.files("endspiel.rules") / "data"
    names = (entry.name for entry in folder.iterdir())
    return tuple(sorted(n.removesuffix(_SUFFIX) for n in names if n.endswith(_SUFFIX)))


def is_builtin(name: str) -> bool:
    """Whether ``load_rules`` finds this name in the package."""
    return name in ALIASES or name.removesuffix(_SUFFIX) in builtin_names()


def load_rules(name_or_path: str | Path) -> GameDef:
    """Rules of a built-in game by name, or of a game definition file.

    Examples:
        >>> import endspiel as es
        >>> rules = es.load_rules("nolimit-holdem")
        >>> rules.blinds, rules.stacks, rules.no_limit
        ((100, 50), (20000, 20000), True)
    """
    name = str(name_or_path)
    if is_builtin(name):
        return _load_builtin(ALIASES.get(name, name).removesuffix(_SUFFIX))
    try:
        text = read_text(name_or_path)
    except MissingFileError as error:
        known = ", ".join((*ALIASES, *builtin_names()))
        raise RulesError(f"no game {name!r}: neither a file nor one of {known}") from error
    except FileError as error:
        raise RulesError(f"game file: {error}") from error
    return parse_game(text, Path(name_or_path).name.removesuffix(_SUFFIX))


@cache
def _load_builtin(name: str) -> GameDef:
    file = resources.files("endspiel.rules") / "data" / (name + _SUFFIX)
    return parse_game(file.read_text(), name)

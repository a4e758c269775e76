"""Games by name or file, as the command line writes them."""

import inspect
import re
from collections.abc import Callable
from typing import Any

from endspiel.errors import GameError
from endspiel.game import Game
from endspiel.games import toy
from endspiel.games.efg import load_efg
from endspiel.games.holdem import Holdem, limit_holdem, no_limit_holdem
from endspiel.games.leduc_holdem import leduc
from endspiel.games.openspiel import from_openspiel
from endspiel.games.push_or_fold import push_fold
from endspiel.games.rhode_island_holdem import rhode_island
from endspiel.progress import Observe
from endspiel.reading import is_file

OPENSPIEL = "openspiel:"
_SPEC = re.compile(r"\s*([\w-]+)\s*(?::(?P<plain>.*)|\((?P<called>.*)\))?\s*", re.DOTALL)
MOST = 10**12  # of a whole number that is a parameter
_WORDS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def choose_endgame_example() -> Game:
    """Two endgames to choose from: matching pennies (value 0) and an uneven one (value 1/5)."""
    return toy.choose_endgame([[[1, -1], [-1, 1]], [[1, -1], [-1, 2]]])


GAMES: dict[str, Callable[..., Game | Holdem]] = {
    "kuhn": toy.kuhn,
    "leduc": leduc,
    "coin-toss": toy.coin_toss,
    "rps": toy.rock_paper_scissors,
    "clairvoyance": toy.clairvoyance,
    "choose-endgame": choose_endgame_example,
    "guess-the-ace": toy.guess_the_ace,
    "push-fold": push_fold,
    "rhode-island": rhode_island,
    "limit-holdem": limit_holdem,
    "nolimit-holdem": no_limit_holdem,
}


def load_game(
    spec: str, observe: Observe | None = None, histories: int | None = None
) -> Game | Holdem:
    """The game that a spec means; `observe` follows the walk of one from OpenSpiel.

    One from OpenSpiel that has more than `histories`, by default 10,000,000, is refused.

    A name with its parameters (``kuhn``, ``leduc:ranks=5``, ``kuhn(cards=4)``), a path to a Gambit
    ``.efg`` file, or ``openspiel:`` and a name there (``openspiel:leduc_poker(players=2)``). Whole
    hold'em (``limit-holdem:ranks=3``, ``nolimit-holdem:ranks=3,stack=5``) is a `Holdem`.

    Examples:
        >>> import endspiel as es
        >>> round(es.solve(es.load_game("coin-toss"), "lp").value, 6)
        0.0
    """
    if spec.startswith(OPENSPIEL):
        return from_openspiel(spec.removeprefix(OPENSPIEL), observe, histories)
    if histories is not None:
        raise GameError(f"a limit of histories is for games of OpenSpiel, not for {spec[:80]!r}")
    match = _SPEC.fullmatch(spec)
    if match is not None and match[1] in GAMES:
        builder = GAMES[match[1]]
        return builder(**_parameters(builder, match["plain"] or match["called"] or "", spec))
    if spec.lower().endswith(".efg") or is_file(spec):
        return load_efg(spec)
    raise GameError(
        f"there is no game {spec[:80]!r}: games are {', '.join(GAMES)}, {OPENSPIEL}NAME, "
        "and the path of a Gambit .efg file"
    )


def _parameters(builder: Callable[..., Game | Holdem], text: str, spec: str) -> dict[str, Any]:
    """The builder's arguments from ``name=value, ...``, each read as the builder's type."""
    known, spec = inspect.signature(builder).parameters, spec[:80]
    arguments: dict[str, Any] = {}
    for part in filter(str.strip, text.split(",")):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if name not in known:
            has = f"it has {', '.join(known)}" if known else "it has none"
            raise GameError(f"{spec!r}: the game has no parameter {name[:40]!r}; {has}")
        if not equals or name in arguments:
            raise GameError(f"{spec!r}: parameter {name!r} needs one value, as in {name}=2")
        arguments[name] = _value(value, known[name].annotation, f"{spec!r}: {name}")
    return arguments


def _value(text: str, kind: Any, where: str) -> bool | int | float:
    if kind is bool:
        if text.lower() not in _WORDS:
            raise GameError(f"{where} must be yes or no, not {text[:40]!r}")
        return _WORDS[text.lower()]
    whole = kind in (int, int | None)
    try:
        number = int(text) if whole else float(text)
        if whole and abs(number) > MOST:
            raise ValueError(f"{text} is over {MOST}")
        return number
    except ValueError as error:
        what = "a whole number" if whole else "a number"
        raise GameError(f"{where} must be {what}, not {text[:40]!r}") from error

"""Values of a spot file, by key: of the kind wanted, or an error that names the key."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from endspiel.betting.menu import MAX_CHIPS
from endspiel.betting.prizes import PrizeMap
from endspiel.betting.rake import NO_RAKE, Rake, parse_rake
from endspiel.errors import EndspielError, FileError
from endspiel.games.libratus import EndgameFile

Parsed = TypeVar("Parsed")


def want(content: Mapping[str, Any], key: str, kind: Any) -> Any:
    """The value of a key that must be there and of a kind; true and false are no numbers."""
    if key not in content:
        raise FileError(f"the key {key} is missing")
    value = content[key]
    if not isinstance(value, kind) or isinstance(value, bool):
        names = {str: "text in quotes", int: "a whole number", list: "a list", dict: "a table"}
        raise FileError(f"{key} must be {names.get(kind, 'a number')}, not {shown(value)}")
    if isinstance(value, str) and "\0" in value:
        raise FileError(f"{key} has a NUL byte")
    if isinstance(value, int) and abs(value) > MAX_CHIPS:
        raise FileError(f"{key} is over {MAX_CHIPS}")
    return value


def shown(value: Any) -> str:
    """The beginning of a value, for a message; some values are too long or too deep to print."""
    try:
        return repr(value)[:40]
    except (ValueError, RecursionError):
        return "this"


def in_key(key: str, parse: Callable[[Any], Parsed], value: Any) -> Parsed:
    """What a parser makes of a value; its errors name the key."""
    try:
        return parse(value)
    except EndspielError as error:
        raise type(error)(f"{key}: {error}") from error


def texts_of(
    content: Mapping[str, Any], key: str, parse: Callable[[str], Parsed], example: str
) -> tuple[Parsed, ...]:
    """What the texts of a list say, where the key is there: lines of the tree, or edits of it."""
    texts = want(content, key, list) if key in content else []
    if not all(isinstance(text, str) for text in texts):
        raise FileError(f'{key} are texts, as in {key} = ["{example}"]')
    return tuple(in_key(f"{key}[{at}]", parse, text) for at, text in enumerate(texts))


def rake_of(content: Mapping[str, Any]) -> Rake:
    """What the house takes of every pot."""
    cap = want(content, "rake_cap", (int, float)) if "rake_cap" in content else None
    if "rake" in content:
        return in_key("rake", lambda text: parse_rake(text, cap), want(content, "rake", str))
    if cap is not None:
        raise FileError("rake_cap is given without a rake")
    return NO_RAKE


def prizes_of(content: Mapping[str, Any], endgame: EndgameFile) -> PrizeMap | None:
    """What chips are worth, where prizes are played for; half of the pot is either player's."""
    if "prizes" not in content:
        if "others" in content:
            raise FileError("others are the stacks at a table with prizes: give prizes too")
        return None
    prizes, others = _numbers(content, "prizes"), _numbers(content, "others")
    stacks = content.get("stack")
    both = stacks if isinstance(stacks, list) else (endgame.stack, endgame.stack)
    one, two = (chips + endgame.pot / 2 for chips in both)
    return in_key("prizes", lambda paid: PrizeMap((one, two), others, paid), prizes)


def _numbers(content: Mapping[str, Any], key: str) -> tuple[float, ...]:
    """A list of numbers; none where the key is not given."""
    listed = want(content, key, list) if key in content else []
    return tuple(float(want({key: number}, key, (int, float))) for number in listed)

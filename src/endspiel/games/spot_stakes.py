"""What a spot file says of what is played for where that is not the whole pot: rake, or prizes."""

from collections.abc import Mapping
from typing import Any

from endspiel.betting.prizes import PrizeMap
from endspiel.betting.rake import NO_RAKE, Rake, parse_rake
from endspiel.errors import FileError
from endspiel.games.libratus import EndgameFile
from endspiel.games.spot_values import in_key, want


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

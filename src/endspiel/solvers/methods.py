"""Which methods solve which kind of game, and the options that each takes.

Every refusal of an option follows from this table: `GameKind.check`.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from endspiel.engine.schemes import SCHEMES, SPOT_SCHEMES
from endspiel.errors import EndspielError

EXACT: Final = ("lp", "undominated", "quasi-perfect")
METHODS: Final = (*SCHEMES, "egt", *EXACT)
BUCKETING: Final = ("buckets", "top", "clustering")
# How a refusal names an option whose usual value every method takes.
WORDS: Final = {
    "answer": "answer but the average",
    "alternating": "steps but alternating ones",
    "decompose": "workers",
    "device": "device but the cpu",
}


@dataclass(frozen=True, eq=False)
class GameKind:
    """A kind of game: the methods that solve it, each with the options that it takes."""

    name: str
    usual: str  # the method, where none is named
    takes: dict[str, frozenset[str]]

    def check(self, method: str, asked: Collection[str] = ()) -> None:
        """Refuse a method that does not solve this kind, or an option that it does not take."""
        if method not in self.takes:
            if method not in METHODS and method not in SPOT_SCHEMES:
                known = ", ".join(METHODS)
                raise EndspielError(f"there is no method {method!r}: methods are {known}")
            known = ", ".join(self.takes)
            raise EndspielError(f"{method} does not solve {self.name}: methods are {known}")
        for option in asked:
            if option not in self.takes[method]:
                raise EndspielError(self._refusal(method, option))

    def methods(self, option: str) -> list[str]:
        """The methods that take an option."""
        return [method for method, taken in self.takes.items() if option in taken]

    def _refusal(self, method: str, option: str) -> str:
        """Why an option is refused, and where it is taken."""
        words, others = WORDS.get(option, option), self.methods(option)
        if others:
            return f"{method} takes no {words} on {self.name}: {', '.join(others)} do"
        kinds = [kind.name for kind in KINDS if kind.methods(option)]
        verb = "do" if len(kinds) > 1 else "does"
        return f"{self.name} takes no {words}: {', '.join(kinds)} {verb}"


def _spot_options() -> dict[str, frozenset[str]]:
    """What methods take on a spot; of threads and symmetry some use less than they may."""
    usual = ("threads", "symmetry", "memory", "tree_limit")
    dense = dict.fromkeys(
        (*(name for name in SCHEMES if name not in SPOT_SCHEMES), "egt"), (*usual, "checkpoint")
    )
    exact = dict.fromkeys(EXACT, usual)
    boards = dict.fromkeys(SPOT_SCHEMES, (*usual, "locks", "device", "checkpoint", "storage"))
    return {method: frozenset(taken) for method, taken in {**boards, **dense, **exact}.items()}


SMALL_GAME: Final = GameKind(
    "a small game",
    "cfr+",
    {
        **dict.fromkeys(SCHEMES, frozenset(("alternating", "answer", "checkpoint"))),
        "egt": frozenset(("checkpoint",)),
        **dict.fromkeys(EXACT, frozenset[str]()),
    },
)
WHOLE_HOLDEM: Final = GameKind(
    "whole hold'em",
    "cfr+",
    dict.fromkeys(
        SPOT_SCHEMES,
        frozenset(("answer", "checkpoint", "decompose", "device", "memory", "threads")),
    ),
)
SPOT: Final = GameKind("a spot before the river", "dcfr", _spot_options())
RIVER: Final = GameKind(
    "a river",
    "dcfr",
    {
        method: taken | frozenset(BUCKETING if method in EXACT else ())
        for method, taken in _spot_options().items()
    },
)
KINDS: Final = (SMALL_GAME, WHOLE_HOLDEM, SPOT, RIVER)

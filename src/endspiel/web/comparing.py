"""Two solutions side by side, node by node; where menus differ, the nearest bet is taken."""

import math
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from endspiel.errors import BettingError
from endspiel.solving.solution import SpotSolution
from endspiel.web.lines import find_line
from endspiel.web.messages import Refused
from endspiel.web.views import NodeAnswer

Use = Callable[[Callable[[SpotSolution], Any]], Any]


class CompareAnswer(Struct):
    """A node of one solution and its counterpart in another."""

    first: NodeAnswer
    second: NodeAnswer | None  # None where the other has no such node; `why` says it
    why: str
    near: list[
        tuple[str, str]
    ]  # words of the line that the other has not, and what stands for them


class Counterpart(Struct):
    """A line of one solution as another has it."""

    line: str
    near: list[tuple[str, str]]


def counterpart(solution: SpotSolution, text: str) -> Counterpart:
    """The line in a solution that is nearest to a line of another solution.

    A word that is there is taken; of bets and raises else the nearest in chips, by their ratio.
    """
    taken: list[str] = []
    near: list[tuple[str, str]] = []
    words = text.split()
    for at, word in enumerate(words):
        if word == "/" or (at > 0 and words[at - 1] == "/"):
            taken.append(word)
            continue
        here = find_line(solution.game, " ".join(taken))
        if here.kind != "decision":
            raise Refused(f"the other solution ends after {' '.join(taken)!r}", "line")
        there = _nearest(solution.game.betting.words(here.node), word)
        if there is None:
            raise Refused(f"the other solution has no {word!r} after {' '.join(taken)!r}", "line")
        if there != word:
            near.append((word, there))
        taken.append(there)
    return Counterpart(" ".join(taken), near)


def _nearest(words: list[str], word: str) -> str | None:
    """The word itself, or the bet or raise of nearest size."""
    if word in words:
        return word
    if word[0] not in "br":
        return None
    sizes = {other: int(other[1:]) for other in words if other[0] in "br"}
    wanted = int(word[1:])
    return min(sizes, key=lambda other: abs(math.log(sizes[other] / wanted)), default=None)


def compare_nodes(
    first: NodeAnswer, other: Use, show: Callable[[SpotSolution, str], NodeAnswer]
) -> CompareAnswer:
    """A node beside its counterpart."""

    def look(solution: SpotSolution) -> tuple[NodeAnswer, list[tuple[str, str]]]:
        found = counterpart(solution, first.line)
        return show(solution, found.line), found.near

    try:
        second, near = other(look)
    except (Refused, BettingError) as error:
        return CompareAnswer(first, None, str(error), [])
    if second.board != first.board:
        return CompareAnswer(first, None, "the other solution is on another board", [])
    return CompareAnswer(first, second, "", near)

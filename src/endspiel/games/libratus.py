"""Reading the LibratusEndgames format: endgames that Libratus met in its 2017 match.

Four entries, each ``-key values``: ``-round`` (2 flop, 3 turn, 4 river), ``-board``, ``-pot`` (both
players' chips together) and ``-reach`` (2 x 1326 probabilities, out of position first). Hands come
as 2s2h, 2s2d, 2s2c, 2s3s, ..., AdAc: cards by rank, suits in the order s, h, d, c. Blinds are
50/100 and stacks 20,000, so each player has 20,000 - pot/2 behind.
"""

import itertools
import math
import re
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.cards.deck import NUM_HANDS, NUM_RANKS, SUITS, hand_index, make_card
from endspiel.cards.text import parse_board
from endspiel.errors import FileError, RangeError

STACK: Final = 20_000
_KEYS: Final = ("round", "board", "pot", "reach")
_NUMBER: Final = re.compile(r"[0-9]+(\.[0-9]*)?(e[+-]?[0-9]+)?|\.[0-9]+(e[+-]?[0-9]+)?", re.I)


class EndgameFile(NamedTuple):
    """What one file says."""

    board: tuple[int, ...]
    pot: int
    stack: int  # behind, of each player
    ranges: tuple[NDArray[np.float64], NDArray[np.float64]]  # [1326] each


@cache
def hand_order() -> NDArray[np.int64]:
    """Our number of each hand in the order of the files: [1326]."""
    cards = [make_card(rank, SUITS.index(suit)) for rank in range(NUM_RANKS) for suit in "shdc"]
    return np.array([hand_index(a, b) for a, b in itertools.combinations(cards, 2)])


def parse_endgame(text: str) -> EndgameFile:
    """The endgame of a file's text."""
    entries = _entries(text)
    board = tuple(parse_board("".join(entries["board"])))
    round_ = _whole(entries, "round")
    if round_ not in (2, 3, 4):
        raise FileError(f"-round is {round_}; it is 2 (flop), 3 (turn) or 4 (river)")
    if len(board) != round_ + 1:
        raise FileError(f"-round {round_} needs {round_ + 1} board cards, -board has {len(board)}")
    pot = _whole(entries, "pot")
    if not 0 < pot < 2 * STACK or pot % 2:
        raise FileError(f"-pot is {pot}; it is an even number of chips below {2 * STACK}")
    reach = [_probability(word) for word in entries["reach"]]
    if len(reach) != 2 * NUM_HANDS:
        raise FileError(f"-reach has {len(reach)} numbers; it needs 2 x {NUM_HANDS}")
    first, second = (_range(reach[at : at + NUM_HANDS]) for at in (0, NUM_HANDS))
    return EndgameFile(board, pot, STACK - pot // 2, (first, second))


def _entries(text: str) -> dict[str, list[str]]:
    """The words after each key; every key exactly once."""
    entries: dict[str, list[str]] = {}
    words: list[str] = []
    for word in text.split():
        if word.startswith("-"):
            key = word[1:]
            if key not in _KEYS or key in entries:
                problem = "is given twice" if key in entries else "is no entry of an endgame file"
                raise FileError(f"{word[:40]!r} {problem}")
            words = entries[key] = []
        elif not entries:
            raise FileError(f"an endgame file begins with -round, not {word[:40]!r}")
        else:
            words.append(word)
    missing = [f"-{key}" for key in _KEYS if not entries.get(key)]
    if missing:
        raise FileError(f"there is no {' and no '.join(missing)}")
    return entries


def _whole(entries: dict[str, list[str]], key: str) -> int:
    words = entries[key]
    if len(words) != 1 or not re.fullmatch(r"[0-9]{1,9}", words[0]):
        raise FileError(f"-{key} is one whole number, not {' '.join(words)[:40]!r}")
    return int(words[0])


def _probability(word: str) -> float:
    number = float(word) if _NUMBER.fullmatch(word) else math.inf
    if number == math.inf:
        raise RangeError(f"-reach has {word[:40]!r}, which is not a number from 0 up")
    return number


def _range(reach: list[float]) -> NDArray[np.float64]:
    """Weights [1326] in our order. Only ratios matter: weights over 1 are scaled down to 1."""
    weights = np.zeros(NUM_HANDS)
    weights[hand_order()] = reach
    scaled: NDArray[np.float64] = weights / max(1.0, weights.max())
    return scaled

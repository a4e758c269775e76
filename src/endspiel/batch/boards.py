"""Sets of boards with weights for a report: flops up to suits, subsets of them, lists, runouts.

Boards that a relabeling of suits makes equal are one board, with their number as its weight, as
long as the relabeling leaves both ranges as they are. The shipped subsets are of flops up to any
relabeling, so they are for ranges that treat all suits alike.
"""

import tomllib
from collections.abc import Sequence
from importlib.resources import files as resources
from itertools import combinations
from typing import NamedTuple

import numpy as np

from endspiel.arrays import Ints
from endspiel.cards.deck import NUM_CARDS, NUM_SUITS
from endspiel.cards.isomorphism import canonical_flops, hand_permutations, suit_permutations
from endspiel.cards.streets import FLOP_CARDS
from endspiel.cards.text import format_card, format_cards, parse_cards
from endspiel.errors import CardError, EndspielError, FileError
from endspiel.games.spot import Spot
from endspiel.reading import read_text

SUBSETS = (25, 49, 95, 184)
LONGEST_SIZE = 9  # digits of a number of flops that is looked up
ALL = "all"


class WeightedBoard(NamedTuple):
    """A board and how much it counts in a mean."""

    cards: tuple[int, ...]
    weight: float

    @property
    def name(self) -> str:
        """``Qs Jh 2h``: the flop from the highest card down, later cards as dealt."""
        flop = sorted(self.cards[:FLOP_CARDS], reverse=True)
        return format_cards([*flop, *self.cards[FLOP_CARDS:]], " ")


def report_flops(text: str, spot: Spot) -> list[WeightedBoard]:
    """The flops that ``all``, the size of a subset or a file names, for a spot's ranges."""
    keeping = range_symmetry(spot)
    if text == ALL:
        return all_flops(keeping)
    if text.isdecimal():
        if len(text) > LONGEST_SIZE or int(text) not in SUBSETS:
            sizes = ", ".join(map(str, SUBSETS))
            raise EndspielError(f"there is no set of {text[:20]} flops: sets are {sizes} and all")
        if len(keeping) < len(suit_permutations()):
            raise EndspielError(
                f"the set of {text} flops is for ranges that treat all suits alike, and these do "
                "not: take all flops, or a file of flops"
            )
        return flop_subset(int(text))
    return read_flops(text, keeping)


def range_symmetry(spot: Spot) -> Ints:
    """Relabelings of suits, by number, that leave both ranges as they are: [n], identity first."""
    moved = hand_permutations()
    same = [all(np.array_equal(w[image], w) for w in spot.ranges) for image in moved]
    return np.flatnonzero(same)


def all_flops(keeping: Ints) -> list[WeightedBoard]:
    """Every flop up to the relabelings [n] given; 1,755 of them up to all."""
    if len(keeping) == len(suit_permutations()):
        flops, weights = canonical_flops()
    else:
        every = np.array(list(combinations(range(NUM_CARDS), FLOP_CARDS)))  # [22100, 3]
        numbers = _orbit_numbers(every, keeping)
        _, first, weights = np.unique(numbers, return_index=True, return_counts=True)
        flops = every[first].astype(np.uint8)
    return [
        WeightedBoard(tuple(cards), float(weight))
        for cards, weight in zip(flops.tolist(), weights.tolist(), strict=True)
    ]


def _images(flops: Ints, keeping: Ints) -> Ints:
    """What the relabelings [n] make of flops [F, 3], cards ascending: [n, F, 3]."""
    suits = suit_permutations()[keeping].astype(np.int64)
    return np.sort(flops - flops % NUM_SUITS + suits[:, flops % NUM_SUITS], axis=2)


def _orbit_numbers(flops: Ints, keeping: Ints) -> Ints:
    """A number for each flop [F, 3], the same for flops that a relabeling makes equal: [F]."""
    numbers: Ints = (_images(flops, keeping) @ [NUM_CARDS**2, NUM_CARDS, 1]).min(axis=0)
    return numbers


def flop_subset(size: int) -> list[WeightedBoard]:
    """One of the shipped `SUBSETS`, whose weighted means are close to those of all flops."""
    text = (resources("endspiel.batch") / "data" / "flop_subsets.toml").read_text()
    table = tomllib.loads(text)[f"flops_{size}"]
    return [
        WeightedBoard(tuple(parse_cards(cards)), float(weight)) for cards, weight in table.items()
    ]


def read_flops(path: str, keeping: Ints) -> list[WeightedBoard]:
    """The flops of a file; see `parse_flops`."""
    return parse_flops(read_text(path), path, keeping)


def parse_flops(listed: str, path: str, keeping: Ints) -> list[WeightedBoard]:
    """The flops of a text: one a line, ``Qs Jh 2h``, with its weight after it or none with any.

    A flop without weight counts as often as it is dealt up to suits; ``#`` begins a comment. Errors
    name the file, and the line.
    """
    found: list[WeightedBoard] = []
    lines: dict[int, int] = {}  # of each flop, by its orbit's number
    weighed: list[bool] = []
    for number, line in enumerate(listed.splitlines(), 1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        try:
            cards, weight = _flop_line(text)
        except EndspielError as error:
            raise FileError(f"{path}, line {number}: {error}") from error
        flop = np.array([cards])
        orbit = int(_orbit_numbers(flop, keeping)[0])
        before = lines.setdefault(orbit, number)
        if before != number:
            raise FileError(
                f"{path}, line {number}: {text[:40]!r} is the flop of line {before}, up to suits"
            )
        weighed.append(weight is not None)
        if weighed[-1] != weighed[0]:
            raise FileError(f"{path}, line {number}: either all flops have a weight or none")
        found.append(WeightedBoard(cards, weight or _orbit_size(flop, keeping)))
    if not found:
        raise FileError(f"{path} names no flop")
    return found


def _orbit_size(flop: Ints, keeping: Ints) -> float:
    """How many flops a flop [1, 3] stands for."""
    return float(len(np.unique(_images(flop, keeping)[:, 0], axis=0)))


def _flop_line(text: str) -> tuple[tuple[int, ...], float | None]:
    """Cards and weight of ``Qs Jh 2h``, ``QsJh2h:12`` or ``Qs Jh 2h 0.5``."""
    words = text.replace(":", " ").split()
    weight: float | None = None
    try:
        weight = float(words[-1])
        words.pop()
    except ValueError:
        pass
    cards = parse_cards(" ".join(words))
    if len(cards) != FLOP_CARDS:
        raise CardError(f"a flop has three cards, {text[:40]!r} has {len(cards)}")
    if weight is not None and not 0 < weight < np.inf:
        raise EndspielError(f"a flop's weight is a number above 0, not {text.split()[-1][:20]}")
    return tuple(sorted(cards)), weight


def report_runouts(text: str, spot: Spot, street: str) -> list[WeightedBoard]:
    """The turn or river cards after a spot's board: ``all`` up to suits, or cards by name."""
    before = {"turn": 3, "river": 4}[street]
    if len(spot.board) < before:
        raise EndspielError(f"a {street} follows {before} cards and the board has fewer")
    board = spot.board[:before]
    if text != ALL:
        return [WeightedBoard((*board, card), 1.0) for card in _cards_after(text, board)]
    orbits: dict[int, list[int]] = {}
    fixing = suit_permutations()[board_symmetry(board, range_symmetry(spot))].astype(np.int64)
    for card in range(NUM_CARDS):
        if card not in board:
            orbits.setdefault(min(_moved(card, p) for p in fixing), []).append(card)
    return [WeightedBoard((*board, card), float(len(same))) for card, same in orbits.items()]


def board_symmetry(board: Sequence[int], keeping: Ints) -> Ints:
    """Those of the relabelings [n] that leave a board's set of cards as it is."""
    cards = set(board)
    suits = suit_permutations().astype(np.int64)
    return np.array([k for k in keeping if {_moved(card, suits[k]) for card in cards} == cards])


def _moved(card: int, suits: Ints) -> int:
    return 4 * (card >> 2) + int(suits[card & 3])


def _cards_after(text: str, board: Sequence[int]) -> list[int]:
    """Cards by name that can be dealt after a board."""
    cards = parse_cards(text)
    if not cards:
        raise CardError("no card is named: name some, or all")
    for card in cards:
        if card in board:
            named = format_cards(board, " ")
            raise CardError(f"{format_card(card)} cannot be dealt: it is on the board {named}")
    return cards

"""A finished card abstraction: the bucket of any hand on any board, and its file.

Looking up all hands of a flop or turn is a search for the board and one gather; on the river the
hands' equities are computed on the way. A compact abstraction leaves out the table of the turn,
168 of its 170 megabytes, and computes a turn board's buckets when they are asked for, by the same
arithmetic as the table was made with.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from endspiel import files
from endspiel.abstraction.boards import (
    NUM_CANONICAL,
    BoardPlace,
    Boards,
    all_boards,
    boards_of,
)
from endspiel.abstraction.checked import STREETS as STREETS
from endspiel.abstraction.checked import check_arrays, check_flops, check_turns
from endspiel.abstraction.clustering_kernels import assign_children
from endspiel.abstraction.errors import AbstractionError
from endspiel.abstraction.features import (
    DEAD,
    NUM_RIVERS,
    count_rivers,
    equity_bins,
    fill_halves,
)
from endspiel.abstraction.ground import Ground, line
from endspiel.abstraction.kinds import board_kind
from endspiel.abstraction.one_hand import count_hand_rivers, hand_halves
from endspiel.abstraction.plan import Plan
from endspiel.abstraction.river import RiverLevel, fill_river_buckets
from endspiel.abstraction.streets import Level
from endspiel.cards.classes import hand_classes
from endspiel.cards.deck import NUM_HANDS, hand_cards, hand_index
from endspiel.cards.isomorphism import hand_permutations
from endspiel.cards.strength import checked_board, checked_cards
from endspiel.cards.strength_tables import strength_tables
from endspiel.errors import EndspielError, FileError
from endspiel.kernels.arrays import Ints, UInt8s, UInt16s

KIND = "card abstraction"
BOARD_CARDS = (0, 3, 4, 5)
_NARROW_DEAD = 0xFF


@dataclass(frozen=True, eq=False)
class Abstraction:
    """Buckets of every hand on every street."""

    plan: Plan
    boards: Boards
    preflop: Level  # buckets [169], by class of starting hands
    flop: Level  # buckets [F * 1326]
    turn: Level  # buckets [B * 1326]; none in a compact abstraction
    river: RiverLevel
    quality: dict[str, Any] = field(default_factory=dict)

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """How many buckets each street has."""
        return self.preflop.size, self.flop.size, self.turn.size, self.river.size

    @property
    def is_compact(self) -> bool:
        """Whether turn buckets are computed rather than looked up."""
        return len(self.turn.buckets) == 0

    def compact(self) -> "Abstraction":
        """A copy without the table of the turn."""
        return replace(self, turn=replace(self.turn, buckets=np.empty(0, np.uint16)))

    def parents(self, street: int) -> Ints:
        """Bucket on the street before of each bucket of a street, with perfect recall: [K]."""
        if not self.plan.perfect_recall:
            raise AbstractionError(f"abstraction {self.plan.name} has imperfect recall: no parents")
        if street not in (1, 2, 3):
            raise AbstractionError(f"street {street}: buckets of streets 1, 2 and 3 have parents")
        return (self.flop, self.turn, self.river)[street - 1].parents()

    def bucket(
        self, street: int, hole: Sequence[int], board: Sequence[int] = (), before: int | None = None
    ) -> int:
        """Bucket of a hand on a street (0 preflop .. 3 river); later board cards are ignored.

        ``before`` is its bucket on the street before, which saves work where it is known.
        """
        if street not in range(len(STREETS)):
            raise AbstractionError(f"street {street} is not in 0..3 (preflop, flop, turn, river)")
        seen = list(board)[: BOARD_CARDS[street]]
        if len(hole) != 2 or len(seen) != BOARD_CARDS[street]:
            raise AbstractionError(
                f"a hand on the {STREETS[street]} has 2 cards and {BOARD_CARDS[street]} on the "
                f"board, not {len(hole)} and {len(seen)}"
            )
        checked_cards([*hole, *seen], "the hand and the board")
        hand = hand_index(int(hole[0]), int(hole[1]))
        if street == 0:
            return int(self.preflop.buckets[hand_classes()[hand]])
        if street == 1 or (street == 2 and not self.is_compact):
            place = self.boards.find(seen)
            return int(self._row(place)[hand_permutations()[place.relabeling, hand]])
        if not self.plan.perfect_recall:
            before = self._kind(street, np.array(seen, np.uint8))
        elif before is None:
            before = self.bucket(street - 1, hole, seen)
        pair = (min(map(int, hole)), max(map(int, hole)))
        cards = np.array(seen, np.uint8)
        compute = self._turn_hand if street == 2 else self._river_hand
        return compute(cards, pair, before)

    def board_buckets(self, board: Sequence[int]) -> UInt16s:
        """Bucket of every hand on a board of 0, 3, 4 or 5 cards: [1326], DEAD where it hits it."""
        cards = checked_board(board)
        if not len(cards):
            return self.preflop.buckets[hand_classes()]
        if len(cards) == 5:
            return self._river(cards)
        return self._before_river(cards)

    def _before_river(self, cards: UInt8s) -> UInt16s:
        place = self.boards.find(cards.tolist())
        if place.turn >= 0 and self.is_compact:
            return self._turn(cards)
        return self._gather(place)

    def _gather(self, place: BoardPlace) -> UInt16s:
        """Buckets of the dealt board's hands: [1326]."""
        buckets: UInt16s = self._row(place)[hand_permutations()[place.relabeling]]
        return buckets

    def _row(self, place: BoardPlace) -> UInt16s:
        """Buckets of the canonical board's hands: [1326]."""
        table, row = (self.flop, place.flop) if place.turn < 0 else (self.turn, place.turn)
        return table.buckets[row * NUM_HANDS : (row + 1) * NUM_HANDS]

    def _turn(self, cards: UInt8s) -> UInt16s:
        """Buckets of the hands on a turn board, computed."""
        num_bins = self.plan.detail.river_bins
        ground = _river_line(num_bins)
        counts = np.empty((1, NUM_HANDS, num_bins), np.uint8)
        count_rivers(strength_tables(7), cards[None], hand_cards(), _river_bins(num_bins), counts)
        live = counts[0].any(axis=1)
        if self.plan.perfect_recall:
            parents = self._gather(self.boards.find(cards[:3].tolist()))
        else:
            parents = np.full(NUM_HANDS, self._kind(2, cards), np.uint16)
        parents = np.where(live, parents, DEAD).astype(np.uint16)
        out, far = np.empty(NUM_HANDS, np.uint16), np.empty(NUM_HANDS, np.float32)
        coordinates = ground.embed(counts)[0]
        assign_children(coordinates, parents, ground.length, self.turn.family, out, far)
        return out

    def _kind(self, street: int, cards: UInt8s) -> int:
        """The kind of a board of a street, where buckets forget."""
        return int(board_kind(cards, self.plan.textures[street - 1]))

    def _turn_hand(self, cards: UInt8s, hole: tuple[int, int], node: int) -> int:
        """Bucket of one hand on a turn board, computed."""
        num_bins = self.plan.detail.river_bins
        ground = _river_line(num_bins)
        counts = np.empty((1, num_bins), np.uint8)
        count_hand_rivers(strength_tables(7), cards, hole, _river_bins(num_bins), counts[0])
        parents = np.array([node], np.uint16)
        out, far = np.empty(1, np.uint16), np.empty(1, np.float32)
        coordinates = ground.embed(counts)
        assign_children(coordinates, parents, ground.length, self.turn.family, out, far)
        return int(out[0])

    def _river_hand(self, cards: UInt8s, hole: tuple[int, int], node: int) -> int:
        """Bucket of one hand on a river board."""
        halves = hand_halves(strength_tables(7), cards, *hole)
        first, last = self.river.first[node : node + 2]
        return int(first + np.searchsorted(self.river.limit[first : last - 1], halves))

    def _river(self, cards: UInt8s) -> UInt16s:
        """Buckets of the hands on a river board."""
        halves, out = np.empty(NUM_HANDS, np.uint16), np.empty(NUM_HANDS, np.uint16)
        fill_halves(strength_tables(7), cards, hand_cards(), halves)
        if self.plan.perfect_recall:
            nodes = self._before_river(cards[:4])
        else:
            nodes = np.full(NUM_HANDS, self._kind(3, cards), np.uint16)
        fill_river_buckets(nodes, halves, self.river.first, self.river.limit, out)
        return out

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Its arrays by name, for a file; ``of_arrays`` reads them back."""
        arrays: dict[str, NDArray[Any]] = {
            "boards.flops": self.boards.flops,
            "boards.weight": self.boards.flop_weight,
        }
        for name in STREETS:
            for part, array in getattr(self, name).arrays().items():
                arrays[f"{name}.{part}"] = array
            if name != "river":
                arrays[f"{name}.buckets"] = _narrow(arrays[f"{name}.buckets"], getattr(self, name))
        return arrays

    def record(self) -> dict[str, Any]:
        """All that is not an array, for a file."""
        return {"plan": self.plan.record(), "sizes": self.sizes, "quality": self.quality}

    def save(self, path: str | Path) -> None:
        """Write it to a file."""
        files.save(path, KIND, self.record(), self.arrays())


@cache
def _river_line(num_bins: int) -> Ground:
    """Where turn hands are compared."""
    return line(num_bins, NUM_RIVERS)


@cache
def _river_bins(num_bins: int) -> UInt8s:
    return equity_bins(num_bins)


def load_abstraction(path: str | Path) -> Abstraction:
    """An abstraction from its file."""
    record, arrays = files.load(path, KIND)
    try:
        return of_arrays(record, arrays)
    except EndspielError as error:
        raise FileError(f"{path} is no whole {KIND}: {error}") from error


def of_arrays(record: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Abstraction:
    """An abstraction from its record and its arrays, which may be read-only.

    What does not fit together is refused, so that whatever is returned is safe to index.
    """
    about = check_arrays(record, arrays)
    streets: dict[str, dict[str, NDArray[Any]]] = {name: {} for name in ("boards", *STREETS)}
    for name, array in arrays.items():
        street, _, part = name.partition(".")
        streets.setdefault(street, {})[part] = array
    for name in STREETS[:3]:
        streets[name]["buckets"] = _widen(streets[name]["buckets"])
    preflop, flop, turn = (Level.of_arrays(streets[name]) for name in STREETS[:3])
    river = RiverLevel(**{name: streets["river"][name] for name in RiverLevel.__dataclass_fields__})
    flops, weight = streets["boards"]["flops"], streets["boards"]["weight"]
    check_flops(flops)
    boards = all_boards() if len(flops) == NUM_CANONICAL else boards_of(flops, weight)
    check_turns(boards.turns, arrays)
    return Abstraction(about.plan, boards, preflop, flop, turn, river, about.quality)


def _narrow(buckets: UInt16s, level: Level) -> UInt16s | UInt8s:
    """One byte a bucket where that is enough."""
    if level.size >= _NARROW_DEAD:
        return buckets
    return np.minimum(buckets, _NARROW_DEAD).astype(np.uint8)


def _widen(buckets: NDArray[Any]) -> UInt16s:
    if buckets.dtype == np.uint16:
        return buckets
    wide = buckets.astype(np.uint16)
    wide[wide == _NARROW_DEAD] = DEAD
    return wide

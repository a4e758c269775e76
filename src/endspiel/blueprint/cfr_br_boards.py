"""Turn boards with all of their rivers, as an abstract player and its responder see them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from endspiel.blueprint.sampled_boards import (
    BOARD_CARDS,
    BucketNumbers,
    FlopDealer,
    SampledBucketing,
    cards_of,
    strength_ends,
)
from endspiel.cards.deck import NUM_CARDS
from endspiel.cards.live import live_mask
from endspiel.cards.strength import board_strengths
from endspiel.errors import GameError
from endspiel.kernels.arrays import Int32s, Ints, UInt8s
from endspiel.kernels.sampled_arrays import BoardDeal
from endspiel.kernels.simd import LANES, padded

FLOP, TURN, RIVER = 1, 2, 3


class WeightedTurn(NamedTuple):
    """A flop with a turn card, and how much it counts."""

    cards: tuple[int, ...]  # four
    weight: float = 1.0


class TurnDealer(Protocol):
    """Where boards come from: in expectation every board counts as much as it is dealt."""

    def deal(self, rng: np.random.Generator, count: int) -> Sequence[WeightedTurn]: ...


@dataclass(frozen=True)
class SomeTurns:
    """Boards drawn at random from a whole deck, flops stratified."""

    flops: FlopDealer

    def deal(self, rng: np.random.Generator, count: int) -> list[WeightedTurn]:
        """So many boards."""
        boards = self.flops.deal(rng, count)[:, :4]
        return [WeightedTurn(tuple(board)) for board in boards.tolist()]


class Rivers(NamedTuple):
    """The rivers of a turn board, hands weakest first. R boards, P hands with padding."""

    low: UInt8s  # [R, P]
    high: UInt8s  # [R, P]
    ends: Int32s  # [R, P] hands up to and with each strength
    strengths: Ints  # [R] how many there are
    at: Int32s  # [R, P] number of each hand on the turn
    place: Int32s  # [R, 4, P] as in `BoardDeal`, of the river alone
    order: Int32s
    first: Int32s
    ids: Int32s
    num: Ints  # [R, 4]
    kept: Ints  # [groups] where the choices of a group of lines begin
    block: int  # floats of a group's lines on the turn
    share: float  # chance of each river that two hands leave


class TurnDeal(NamedTuple):
    """A turn board as kernels want it."""

    own: BoardDeal  # the abstract player's buckets, up to the turn
    responder: BoardDeal  # the responder's: buckets of the trunk, then every hand by itself
    rivers: Rivers


@dataclass(frozen=True, eq=False)
class TurnTable:
    """Deals boards from a deck, for an abstraction and the buckets of the responder's trunk."""

    buckets: SampledBucketing
    trunk: SampledBucketing | None  # of preflop and flop, where the responder learns there
    deck: tuple[int, ...] = tuple(range(NUM_CARDS))

    def __post_init__(self) -> None:
        if len(self.deck) < 9:
            raise GameError(f"two hands and a board take 9 cards; the deck has {len(self.deck)}")

    def hands(self, board: Sequence[int]) -> Ints:
        """Hands of the deck that a board leaves."""
        others = sorted(set(range(NUM_CARDS)) - set(self.deck))
        return np.flatnonzero(live_mask([*board, *others]))

    def num_hands(self, street: int) -> int:
        """How many hands a board leaves."""
        left = len(self.deck) - BOARD_CARDS[street]
        return left * (left - 1) // 2

    @property
    def num_rivers(self) -> int:
        """Cards that may come after a turn."""
        return len(self.deck) - BOARD_CARDS[TURN]

    def wide(self, street: int) -> int:
        """Hands of a board with padding: one at least, since lists of starts have an end."""
        return padded(self.num_hands(street) + 1)

    def deal(self, board: Sequence[int], kept: Ints) -> TurnDeal:
        """A turn board; `kept` is where choices of each group of lines begin."""
        return TurnDeal(*self.both(board), self._rivers(board, self.hands(board), kept))

    def both(self, board: Sequence[int]) -> tuple[BoardDeal, BoardDeal]:
        """A flop or a flop with a turn: as the abstract player sees it, and the responder.

        The responder tells every hand from every other on the board's own street and the next.
        """
        hands, last = self.hands(board), BOARD_CARDS.index(len(board))
        wide = self.wide(last)
        low, high = cards_of(hands, wide)
        ends = np.array([len(hands)], np.int32)
        own, responder = BucketNumbers(wide), BucketNumbers(wide)
        for street in range(last + 1):
            seen = board[: BOARD_CARDS[street]]
            own.set(street, self.buckets.board_buckets(seen)[hands], self.buckets.sizes[street])
            if street < last and self.trunk is not None:
                rows = self.trunk.board_buckets(seen)[hands]
                responder.set(street, rows, self.trunk.sizes[street])
        for street in (last, last + 1):
            count = self.num_hands(street)
            responder.set(street, np.arange(count), count)
        return (
            BoardDeal(low, high, ends, *own.arrays()),
            BoardDeal(low, high, ends, *responder.arrays()),
        )

    def _rivers(self, board: Sequence[int], hands: Ints, kept: Ints) -> Rivers:
        """All rivers of a turn board whose hands are given."""
        wide, count = self.wide(RIVER), self.num_hands(RIVER)
        number = np.zeros(hands[-1] + 1, np.int32)
        number[hands] = np.arange(len(hands))
        found: list[list[NDArray[np.generic]]] = []
        lengths = []
        for card in sorted(set(self.deck) - set(board)):
            river = (*board, card)
            live = self.hands(river)
            strengths = board_strengths(river)[live]
            by_strength = np.argsort(strengths, kind="stable")
            weakest_first, ordered = live[by_strength], strengths[by_strength]
            ends = strength_ends(ordered)
            lengths.append(len(ends))
            numbers = BucketNumbers(wide)
            numbers.set(
                RIVER, self.buckets.board_buckets(river)[weakest_first], self.buckets.sizes[RIVER]
            )
            low, high = cards_of(weakest_first, wide)
            padded_ends, at = np.zeros((2, wide), np.int32)
            padded_ends[: len(ends)], at[:count] = ends, number[weakest_first]
            found.append([low, high, padded_ends, at, *numbers.arrays()])
        low, high, ends, at, place, order, first, ids, num = (
            np.stack(parts) for parts in zip(*found, strict=True)
        )
        share = 1 / (len(self.deck) - len(board) - 4)
        block = self.wide(TURN) * LANES
        lists = place, order, first, ids, num
        return Rivers(low, high, ends, np.array(lengths), at, *lists, kept, block, share)

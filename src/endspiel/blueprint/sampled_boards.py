"""Full boards to walk: dealing them at random, and laying out their hands and buckets."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from endspiel.abstraction.boards import Boards, flop_number
from endspiel.abstraction.features import DEAD
from endspiel.betting.tree import NUM_STREETS
from endspiel.cards.deck import NUM_CARDS, hand_cards
from endspiel.cards.strength import board_strengths
from endspiel.errors import GameError
from endspiel.kernels.arrays import Int32s, Ints, UInt8s, UInt16s
from endspiel.kernels.sampled_arrays import HANDS, NUM_LIVE, BoardDeal

BOARD_CARDS = (0, 3, 4, 5)


class SampledBucketing(Protocol):
    """A card abstraction, as far as training asks for it."""

    @property
    def sizes(self) -> tuple[int, int, int, int]: ...

    def board_buckets(self, board: Sequence[int]) -> UInt16s: ...


class Dealer(Protocol):
    """Where boards come from; all of its boards are as likely as one another."""

    def deal(self, rng: np.random.Generator, count: int) -> UInt8s: ...


@dataclass(frozen=True, eq=False)
class FlopDealer:
    """Boards on some flops, each flop as likely as another, turn and river from the rest.

    Stratified, the boards are dealt from as many equal parts of the flops, like beside like:
    every board is still as likely as another, and the mean over a deal varies less.
    """

    flops: UInt8s  # [N, 3] up to suits side by side
    stratified: bool = True

    @staticmethod
    def of(boards: Boards, stratified: bool = True) -> "FlopDealer":
        """The flops that an abstraction knows."""
        every = np.array(list(combinations(range(NUM_CARDS), 3)), np.uint8)
        row = boards.flop_row[[flop_number(*map(int, flop)) for flop in every]]
        order = np.argsort(row, kind="stable")
        return FlopDealer(every[order[row[order] >= 0]], stratified)

    def deal(self, rng: np.random.Generator, count: int) -> UInt8s:
        """So many boards: [count, 5]."""
        if self.stratified:
            share = (rng.permutation(count) + rng.random(count)) / count
        else:
            share = rng.random(count)
        flops = self.flops[(share * len(self.flops)).astype(np.int64)]
        boards = np.empty((count, 5), np.uint8)
        boards[:, :3] = flops
        for board in boards:
            rest = np.setdiff1d(np.arange(NUM_CARDS), board[:3])
            board[3:] = rng.choice(rest, 2, replace=False)
        return boards


class BucketNumbers:
    """The buckets of a board's hands by street, renumbered: see `BoardDeal`."""

    def __init__(self, wide: int) -> None:
        self.place, self.order, self.first, self.ids = np.zeros((4, NUM_STREETS, wide), np.int32)
        self.num = np.zeros(NUM_STREETS, np.int64)

    def set(self, street: int, buckets: NDArray[np.integer], size: int) -> None:
        """The buckets [H] of a street, given how many it has in all."""
        if (most := int(buckets.max())) >= size:
            kind = "no bucket" if most == DEAD else f"bucket {most}"
            raise GameError(f"a hand has {kind} on street {street}, which has {size}")
        held = np.zeros(size, np.bool_)
        held[buckets] = True
        found, count = np.flatnonzero(held), len(buckets)
        numbers = (np.cumsum(held) - 1)[buckets]
        self.num[street] = len(found)
        self.ids[street, : len(found)] = found
        self.place[street, :count] = numbers
        self.order[street, :count] = np.argsort(numbers, kind="stable")
        self.first[street, 1 : len(found) + 1] = np.cumsum(np.bincount(numbers))

    def arrays(self) -> tuple[Int32s, Int32s, Int32s, Int32s, Ints]:
        """Place, order, first, ids, num."""
        return self.place, self.order, self.first, self.ids, self.num


def cards_of(hands: Ints, wide: int) -> tuple[UInt8s, UInt8s]:
    """Lower and higher card of hands, padded."""
    cards = np.full((2, wide), NUM_CARDS, np.uint8)
    cards[:, : len(hands)] = hand_cards()[hands].T
    return cards[0], cards[1]


def strength_ends(strengths: NDArray[np.integer]) -> Int32s:
    """Hands up to and with each strength, of hands weakest first."""
    last = np.flatnonzero(strengths[1:] != strengths[:-1]) + 1
    return np.append(last, len(strengths)).astype(np.int32)


def lay_out(bucketing: SampledBucketing, board: Sequence[int]) -> BoardDeal:
    """The hands that a full board leaves, weakest first, with their buckets on every street."""
    strengths, numbers = board_strengths(board), BucketNumbers(HANDS)
    hands = np.argsort(strengths, kind="stable")[-NUM_LIVE:]
    for street, num_cards in enumerate(BOARD_CARDS):
        own = bucketing.board_buckets(board[:num_cards])[hands]
        numbers.set(street, own, bucketing.sizes[street])
    low, high = cards_of(hands, HANDS)
    return BoardDeal(low, high, strength_ends(strengths[hands]), *numbers.arrays())

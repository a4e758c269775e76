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
from endspiel.cards.text import format_cards
from endspiel.errors import GameError
from endspiel.kernels.sampled_arrays import HANDS, NUM_LIVE, BoardDeal

BOARD_CARDS = (0, 3, 4, 5)

UInt8s = NDArray[np.uint8]
UInt16s = NDArray[np.uint16]


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

    Stratified, so many boards are dealt from as many equal parts of the flops, like beside like:
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


def lay_out(bucketing: SampledBucketing, board: Sequence[int]) -> BoardDeal:
    """The hands that a full board leaves, weakest first, with their buckets on every street."""
    strengths = board_strengths(board)
    hands = np.argsort(strengths, kind="stable")[-NUM_LIVE:]
    ordered = strengths[hands]
    ends = np.append(np.flatnonzero(ordered[1:] != ordered[:-1]) + 1, NUM_LIVE)
    cards = np.full((HANDS, 2), NUM_CARDS, np.uint8)
    cards[:NUM_LIVE] = hand_cards()[hands]
    place, first, ids = np.zeros((3, NUM_STREETS, HANDS), np.int32)
    order = np.zeros((NUM_STREETS, NUM_LIVE), np.int32)
    count = np.zeros(NUM_STREETS, np.int64)
    for street, num_cards in enumerate(BOARD_CARDS):
        own = bucketing.board_buckets(board[:num_cards])[hands]
        if own.max() >= bucketing.sizes[street]:
            kind = "no bucket" if own.max() == DEAD else f"bucket {own.max()}"
            raise GameError(
                f"board {format_cards(board[:num_cards])}: a hand has {kind}; the street has "
                f"{bucketing.sizes[street]}"
            )
        held = np.zeros(bucketing.sizes[street], np.bool_)
        held[own] = True
        found = np.flatnonzero(held)
        count[street] = len(found)
        ids[street, : len(found)] = found
        numbers = (np.cumsum(held) - 1)[own]
        place[street, :NUM_LIVE] = numbers
        order[street] = np.argsort(numbers, kind="stable")
        first[street, 1 : len(found) + 1] = np.cumsum(np.bincount(numbers))
    low, high = np.ascontiguousarray(cards.T)
    return BoardDeal(low, high, ends.astype(np.int32), place, order, first, ids, count)

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
from endspiel.cards.deck import NUM_CARDS, NUM_RANKS, NUM_SUITS, hand_cards
from endspiel.cards.live import live_mask
from endspiel.cards.strength import board_strengths
from endspiel.errors import GameError
from endspiel.kernels.arrays import Float32s, Int32s, Ints
from endspiel.kernels.lanes import LANES, padded
from endspiel.kernels.sampled_arrays import BoardDeal, Rivers

FLOP, TURN, RIVER = 1, 2, 3


class WeightedTurn(NamedTuple):
    """A flop with a turn card, and how much it counts."""

    cards: tuple[int, ...]  # four
    weight: float = 1.0
    rivers: tuple[int, ...] = ()  # that are walked; all if none is named


class TurnDealer(Protocol):
    """Where boards come from: in expectation every board counts as much as it is dealt."""

    def deal(self, rng: np.random.Generator, count: int) -> Sequence[WeightedTurn]: ...


@dataclass(frozen=True)
class SomeTurns:
    """Boards drawn at random from a whole deck, flops stratified, rivers by rank and suit."""

    flops: FlopDealer
    rivers: int | None = None  # of each board; all by default

    def __post_init__(self) -> None:
        most = NUM_CARDS - BOARD_CARDS[TURN]
        if self.rivers is not None and not 1 <= self.rivers <= most:
            raise GameError(f"{self.rivers} rivers of a turn; there are 1 to {most}")

    def deal(self, rng: np.random.Generator, count: int) -> list[WeightedTurn]:
        """So many boards."""
        boards = [tuple(board) for board in self.flops.deal(rng, count)[:, :4].tolist()]
        return [WeightedTurn(board, rivers=self._some_rivers(rng, board)) for board in boards]

    def _some_rivers(self, rng: np.random.Generator, board: tuple[int, ...]) -> tuple[int, ...]:
        """A systematic draw: all cards are exactly as likely, and ranks and suits are spread.

        Draws to flushes and straights then come in about as often as they do.
        """
        if self.rivers is None:
            return ()
        left = np.setdiff1d(np.arange(NUM_CARDS), board)
        order = rotate_suits(left, self.rivers, rng.permutation(NUM_SUITS).tolist())
        drawn = order[systematic(len(left), self.rivers, int(rng.integers(len(left))))]
        return tuple(np.sort(drawn).tolist())


def systematic(size: int, count: int, start: int) -> Ints:
    """So many of a row's places, one in each of as many equal stretches: [count].

    Place (i + u) / count of the row for all i, with one u for all, here start / size. Of all starts
    from 0 to size - 1 exactly `count` take any place.
    """
    places: Ints = (size * np.arange(count) + start) // count
    return places


def rotate_suits(cards: Ints, count: int, suits: Sequence[int]) -> Ints:
    """Cards rank by rank, with the suits of a rank so ordered that systematic draws have them all.

    Next comes the suit of which those draws have least that take this place; of equals, the one
    that is named first.
    """
    held, size, order = set(cards.tolist()), len(cards), list[int]()
    had = np.zeros((size, NUM_SUITS), np.int64)  # of each suit, by a draw's start
    for rank in range(NUM_RANKS):
        left = [suit for suit in suits if NUM_SUITS * rank + suit in held]
        while left:
            starts = (len(order) * count + np.arange(count)) % size  # of draws that take this place
            suit = min(left, key=had[starts].sum(axis=0).tolist().__getitem__)
            had[starts, suit] += 1
            left.remove(suit)
            order.append(NUM_SUITS * rank + suit)
    return np.array(order)


class TurnDeal(NamedTuple):
    """A turn board as kernels want it."""

    own: BoardDeal  # the abstract player's buckets, up to the turn
    responder: BoardDeal  # the responder's: buckets of the trunk, then every hand by itself
    rivers: Rivers
    met: Int32s  # buckets of the abstract player's on any of the rivers


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

    def deal(self, board: Sequence[int], kept: Ints, rivers: Sequence[int] = ()) -> TurnDeal:
        """A turn board with some rivers or all; `kept` is where each group's choices begin."""
        rivers = rivers or sorted(set(self.deck) - set(board))
        own, responder = self.both(board)
        found = self._rivers(board, rivers, kept)
        lists = zip(found.ids[:, RIVER], found.num[:, RIVER].tolist(), strict=True)
        met = np.unique(np.concatenate([ids[:count] for ids, count in lists]))
        return TurnDeal(own, responder, found, met)

    def both(self, board: Sequence[int]) -> tuple[BoardDeal, BoardDeal]:
        """A flop or a flop with a turn: as the abstract player sees it, and the responder.

        The responder distinguishes all hands on the board's own street and the next.
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

    def _rivers(self, board: Sequence[int], rivers: Sequence[int], kept: Ints) -> Rivers:
        """Some rivers of a turn board."""
        hands, wide, count = self.hands(board), self.wide(RIVER), self.num_hands(RIVER)
        number = np.zeros(hands[-1] + 1, np.int32)
        number[hands] = np.arange(len(hands))
        found: list[list[NDArray[np.generic]]] = []
        lengths = []
        for card in rivers:
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
        block = self.wide(TURN) * LANES
        lists, share = (place, order, first, ids, num), self._shares(hands, rivers)
        return Rivers(low, high, ends, np.array(lengths), at, *lists, kept, block, share)

    def _shares(self, hands: Ints, rivers: Sequence[int]) -> Float32s:
        """Chance of each river to each hand [H]: those walked stand for all that the hand leaves.

        A river falls on two hands in one of the cards that they and the turn leave.
        """
        hit = np.isin(hand_cards()[hands], rivers).sum(axis=1)
        every = (self.num_rivers - 2) / np.maximum(len(rivers) - hit, 1)
        shares: Float32s = (every / (self.num_rivers - 4)).astype(np.float32)
        return shares

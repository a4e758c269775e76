"""The card tree: which boards can come, which hands are live on each, and how they map upward.

Cards that a suit permutation takes into one another, with the root board and both ranges left
unchanged, are dealt once; the other boards of the orbit are its images.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.cards.board_hands import hands_left
from endspiel.cards.deck import (
    NUM_CARDS,
    NUM_HANDS,
    NUM_RANKS,
    NUM_SUITS,
    hand_cards,
    rank_of,
    suit_of,
)
from endspiel.cards.isomorphism import canonical_boards, hand_permutations, suit_permutations
from endspiel.cards.live import live_mask
from endspiel.cards.removal import exact_unblocked_weight
from endspiel.cards.strength import board_strengths, checked_board
from endspiel.errors import CardError, RangeError
from endspiel.kernels.arrays import Int32s, Ints
from endspiel.kernels.lanes import LANES, padded

FULL_BOARD = 5
FAINT = 2.0**-60  # products of reaches and chances must stay far above 2^-126
Ranges = tuple[NDArray[np.float64], NDArray[np.float64]]


@dataclass(frozen=True)
class Board:
    """One public set of cards, with the hands of each player that it leaves."""

    cards: tuple[int, ...]
    hands: tuple[Ints, Ints]  # hand numbers of each player; by strength on the last street
    parent: int  # number of the board above it; -1 at the root
    images: tuple[int, ...]  # suit permutations, by number, that give the boards of its orbit
    symmetry: tuple[int, ...]  # suit permutations that leave everything dealt so far in place
    weight: int = 1  # boards it stands for, where the board above is folded by whole suit classes


@dataclass(frozen=True)
class CardTree:
    """Boards street by street, from the root board to the last."""

    streets: tuple[tuple[Board, ...], ...]
    ranges: Ranges  # [1326] each
    deck: int = NUM_CARDS  # cards in play
    before: float = 1.0  # chance of the root board, where the tree is part of a larger one

    @property
    def chance(self) -> tuple[float, ...]:
        """Probability of one board of each street, given two hands that it leaves."""
        shares = [self.before]
        for street in range(1, len(self.streets)):
            before, after = (len(self.streets[s][0].cards) for s in (street - 1, street))
            shares.append(shares[-1] / comb(self.deck - 4 - before, after - before))
        return tuple(shares)

    @property
    def classed(self) -> bool:
        """Whether the root's hands are equal by suit class, its boards weighed accordingly."""
        return len(self.streets) > 1 and any(board.weight > 1 for board in self.streets[1])

    @property
    def num_boards(self) -> tuple[int, ...]:
        """Boards of each street, images not counted."""
        return tuple(len(boards) for boards in self.streets)

    def pairs(self) -> float:
        """Weight of all pairs of hands that share no card: what payoffs are averaged over."""
        root = self.streets[0][0]
        one, two = np.zeros((2, NUM_HANDS))
        for weights, hands, given in zip((one, two), root.hands, self.ranges, strict=True):
            weights[hands] = given[hands]
        return float(one @ exact_unblocked_weight(two))


def card_tree(board: Sequence[int], ranges: Ranges, *, symmetry: bool = True) -> CardTree:
    """All boards that can follow a board, folded by suit symmetry where the ranges allow it."""
    ranges = _visible(ranges[0]), _visible(ranges[1])
    root = _root(_checked(board), ranges, symmetry)
    streets: list[tuple[Board, ...]] = [(root,)]
    while len(streets[-1][0].cards) < FULL_BOARD:
        streets.append(_next_street(streets[-1], range(NUM_CARDS)))
    tree = CardTree(tuple(streets), ranges)
    if tree.pairs() <= 0:
        raise RangeError("no hand of one range can be held against a hand of the other")
    return tree


def flop_tree(ranks: int = NUM_RANKS) -> CardTree:
    """Every hand before the flop, and every flop up to suits: the cards of flop hold'em.

    A deck with fewer ranks has the lowest ones. Hands differ before the flop, but values
    that come up are averaged over suit classes, so each flop is dealt once with its multiplicity.
    """
    deck = NUM_SUITS * ranks
    if not 2 <= ranks <= NUM_RANKS:
        raise CardError(f"a deck has 2 to {NUM_RANKS} ranks, not {ranks}")
    everything = (np.arange(NUM_HANDS) < deck * (deck - 1) // 2).astype(np.float64)
    held = np.flatnonzero(everything)
    root = Board((), (held, held), -1, (0,), (0,))
    flops, weights = canonical_boards(3)
    boards = []
    for flop, weight in zip(flops.tolist(), weights.tolist(), strict=True):
        if max(flop) < deck:
            live = _live(tuple(flop), root.hands, len(flop))
            boards.append(Board(tuple(flop), live, 0, (0,), (0,), weight))
    return CardTree(((root,), tuple(boards)), (everything, everything), deck)


def holdem_tree(
    ranks: int = NUM_RANKS, suits: int = NUM_SUITS, *, symmetry: bool = True
) -> CardTree:
    """Every hand before the flop and every board to the river: the cards of hold'em.

    A smaller deck has the lowest ranks and the first suits. Flops that a relabeling of suits makes
    equal are dealt once with their multiplicity, as in `flop_tree`; turns and rivers once for all
    their images under the relabelings that keep the board.
    """
    deck = holdem_deck(ranks, suits)
    held = np.flatnonzero(np.isin(hand_cards(), deck).all(axis=1))
    everything = np.zeros(NUM_HANDS)
    everything[held] = 1.0
    root = Board((), (held, held), -1, (0,), (0,))
    flops = tuple(_flops(deck, root.hands, _relabelings(suits) if symmetry else (0,)))
    streets: list[tuple[Board, ...]] = [(root,), flops]
    while len(streets[-1][0].cards) < FULL_BOARD:
        streets.append(_next_street(streets[-1], deck))
    return CardTree(tuple(streets), (everything, everything), len(deck))


def with_images(tree: CardTree) -> CardTree:
    """A tree from before the flop with the images of each flop in place of a weight.

    Then values that come up need no mean over suit classes: every flop adds its own.
    """
    (root,), flops, *rest = tree.streets
    held = root.hands[0]
    keeping = [p for p, moved in enumerate(hand_permutations()) if np.isin(moved[held], held).all()]
    told = []
    for flop in flops:
        images: dict[tuple[int, ...], int] = {}
        for p in keeping if flop.weight > 1 else (0,):
            images.setdefault(tuple(sorted(_relabeled(card, p) for card in flop.cards)), p)
        told.append(replace(flop, images=tuple(images.values()), weight=1))
    return replace(tree, streets=((root,), tuple(told), *rest))


def holdem_deck(ranks: int, suits: int) -> list[int]:
    """The lowest ranks of the first suits; refused where they are too few for two hands."""
    fits = 1 <= ranks <= NUM_RANKS and 1 <= suits <= NUM_SUITS
    if not fits or ranks * suits < 4 + FULL_BOARD:
        raise CardError(
            f"hold'em deals {4 + FULL_BOARD} cards from at most {NUM_RANKS} ranks and {NUM_SUITS} "
            f"suits; {ranks} ranks and {suits} suits will not do"
        )
    return [c for c in range(NUM_CARDS) if rank_of(c) < ranks and suit_of(c) < suits]


def _relabelings(suits: int) -> tuple[int, ...]:
    """Suit permutations, by number, that leave all but the first suits in place."""
    fixed = np.arange(suits, NUM_SUITS)
    return tuple(np.flatnonzero((suit_permutations()[:, suits:] == fixed).all(axis=1)).tolist())


def _flops(
    deck: Sequence[int], hands: tuple[Ints, Ints], relabelings: tuple[int, ...]
) -> Iterator[Board]:
    """One flop for each orbit of the relabelings, weighed by the orbit's size."""
    seen: set[tuple[int, ...]] = set()
    for flop in combinations(deck, 3):
        if flop in seen:
            continue
        images = {p: tuple(sorted(_relabeled(c, p) for c in flop)) for p in relabelings}
        orbit = set(images.values())
        seen |= orbit
        fixed = tuple(p for p, image in images.items() if image == flop)
        yield Board(flop, _live(flop, hands), 0, (0,), fixed, len(orbit))


def _relabeled(card: int, permutation: int) -> int:
    suits = suit_permutations()[permutation]
    return NUM_SUITS * rank_of(card) + int(suits[suit_of(card)])


def _checked(board: Sequence[int]) -> tuple[int, ...]:
    if not len(board):
        raise CardError("an endgame has a board of 3, 4 or 5 cards, this one has none")
    return tuple(checked_board(board).tolist())


def _visible(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weights, times a power of two where even the largest would be lost in 32-bit floats.

    Only their ratios matter.
    """
    largest = weights.max()
    return weights if largest >= FAINT else np.ldexp(weights, 1 - np.frexp(largest)[1])


def _root(cards: tuple[int, ...], ranges: Ranges, symmetry: bool) -> Board:
    hands = (np.flatnonzero(ranges[0] > 0), np.flatnonzero(ranges[1] > 0))
    fitting = [0]
    if symmetry:
        chosen = set(cards)
        for number in range(len(suit_permutations())):
            keeps = {_relabeled(card, number) for card in cards} == chosen
            image = hand_permutations()[number]
            if number and keeps and all(np.array_equal(w[image], w) for w in ranges):
                fitting.append(number)
    return Board(cards, _live(cards, hands), -1, (0,), tuple(fitting))


def _next_street(above: Sequence[Board], deck: Sequence[int]) -> tuple[Board, ...]:
    """Boards with one card of the deck more, one for each orbit of the symmetry of that above."""
    dealt = [one for number, board in enumerate(above) for one in _orbits(board, number, deck)]
    cards = np.array([one.cards for one in dealt], np.uint8)
    parent = np.array([one.parent for one in dealt], dtype=np.int64)
    full = cards.shape[1] == FULL_BOARD
    hands = hands_left(cards, parent, [board.hands for board in above], full)
    return tuple(
        Board(one.cards, live, one.parent, one.images, one.symmetry)
        for one, live in zip(dealt, hands, strict=True)
    )


class _Orbit(NamedTuple):
    """A board of the next street, its hands apart; see `Board`."""

    cards: tuple[int, ...]
    parent: int
    images: tuple[int, ...]
    symmetry: tuple[int, ...]


def _orbits(board: Board, number: int, deck: Sequence[int]) -> Iterator[_Orbit]:
    """Cards that may come after a board, one for each orbit of its symmetry."""
    taken = set(board.cards)
    if board.symmetry == (0,):
        yield from (_Orbit((*board.cards, c), number, (0,), (0,)) for c in deck if c not in taken)
        return
    for card in deck:
        if card in taken:
            continue
        images: dict[int, int] = {}
        for permutation in board.symmetry:
            images.setdefault(_relabeled(card, permutation), permutation)
        taken.update(images)
        fixed = tuple(p for p in board.symmetry if _relabeled(card, p) == card)
        yield _Orbit((*board.cards, card), number, tuple(images.values()), fixed)


def _live(
    cards: tuple[int, ...], hands: tuple[Ints, Ints], full: int = FULL_BOARD
) -> tuple[Ints, Ints]:
    """Hands that the board leaves; in order of strength once the board is full."""
    live = live_mask(cards)
    left = [h[live[h]] for h in hands]
    if len(cards) == full:
        strength = board_strengths(cards)
        left = [h[np.argsort(strength[h], kind="stable")] for h in left]
    return left[0], left[1]


class SideCards(NamedTuple):
    """One player's hands on every board of one street, padded to tiles of sixteen a board."""

    start: Ints  # [N + 1] first tile of each board
    hands: Ints  # [N] number of hands on the board
    hand: Int32s  # [tiles * 16] hand number, -1 for padding
    above: Int32s  # [tiles * 16] place of the hand on the parent board, -1 for padding
    same: Int32s  # [tiles * 16] place of the same hand in the other player's list, or -1
    ends: Int32s  # [groups] number of hands up to and with each strength of the board
    copy_at: Ints  # [N] where each board's images start in `copies`
    copies: Int32s  # places on the parent board of each image's hands: [images, tiles * 16] a board


class StreetCards(NamedTuple):
    """The boards of one street; boards that suit symmetry folds into one are its images."""

    child: Ints  # [N + 1] first board of the next street below each board
    group: Ints  # [N + 1] first strength group of each board (last street)
    images: Ints  # [N] number of images, itself included
    sides: tuple[SideCards, SideCards]


def street_cards(tree: CardTree, street: int) -> StreetCards:
    """The flat arrays of one street's boards."""
    boards = tree.streets[street]
    above = tree.streets[street - 1] if street else ()
    last = street == len(tree.streets) - 1
    ends = [_strength_ends(board) if last else (_NONE, _NONE) for board in boards]
    below = [b.parent for b in tree.streets[street + 1]] if not last else []
    child = np.searchsorted(np.array(below, dtype=np.int64), np.arange(len(boards) + 1))
    return StreetCards(
        child=child.astype(np.int64),
        group=_starts([len(own) for own, _ in ends]),
        images=np.array([len(board.images) for board in boards], dtype=np.int64),
        sides=(_side(boards, above, 0, ends), _side(boards, above, 1, ends)),
    )


_NONE = np.zeros(0, dtype=np.int32)


def _side(
    boards: Sequence[Board],
    above: Sequence[Board],
    player: int,
    ends: Sequence[tuple[Int32s, Int32s]],
) -> SideCards:
    widths = [padded(len(board.hands[player])) for board in boards]
    total = sum(widths)
    hand = np.full(total, -1, dtype=np.int32)
    same = np.full(total, -1, dtype=np.int32)
    place = np.full(NUM_HANDS, -1, dtype=np.int32)
    images: list[Int32s] = []
    at = 0
    for board, width in zip(boards, widths, strict=True):
        own, other = board.hands[player], board.hands[1 - player]
        hand[at : at + len(own)] = own
        place[:] = -1
        place[other] = np.arange(len(other))
        same[at : at + len(own)] = place[own]
        images.append(_images(board, above, player, width, place))
        at += width
    lengths = [len(array) for array in images]
    copies = np.concatenate(images)
    starts = _starts(lengths)
    first = np.concatenate([copies[s : s + w] for s, w in zip(starts[:-1], widths, strict=True)])
    return SideCards(
        start=_starts([width // LANES for width in widths]),
        hands=np.array([len(board.hands[player]) for board in boards], dtype=np.int64),
        hand=hand,
        above=first,
        same=same,
        ends=np.concatenate([pair[player] for pair in ends]).astype(np.int32),
        copy_at=starts[:-1],
        copies=copies,
    )


def _images(board: Board, above: Sequence[Board], player: int, width: int, place: Int32s) -> Int32s:
    """Places on the parent board of the board's hands, for each of its images: [images * width]."""
    own = board.hands[player]
    out = np.full((len(board.images), width), -1, dtype=np.int32)
    if board.parent >= 0:
        held = above[board.parent].hands[player]
        place[:] = -1
        place[held] = np.arange(len(held))
        for i, permutation in enumerate(board.images):
            out[i, : len(own)] = place[hand_permutations()[permutation][own]]
    return out.ravel()


def _strength_ends(board: Board) -> tuple[Int32s, Int32s]:
    """For each strength that either player can hold: how many hands of each are no stronger."""
    strength = board_strengths(board.cards)
    # Unlike np.unique, this does not load numpy.ma: a tenth of a small river's time.
    levels = np.flatnonzero(np.bincount(strength[np.concatenate(board.hands)]))
    own, other = (
        np.searchsorted(strength[hands], levels, side="right").astype(np.int32)
        for hands in board.hands
    )
    return own, other


def _starts(lengths: Sequence[int]) -> Ints:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)

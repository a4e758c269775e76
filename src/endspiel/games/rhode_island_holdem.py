"""Rhode Island hold'em, whole: one private card, a flop card, a turn card, limit betting.

The game of Shi and Littman (2001), solved by Gilpin and Sandholm (2005). No strategy is lost by the
two foldings here. Boards that a relabeling of suits takes into one another are dealt once, and
private cards that the relabelings which keep the board exchange are one state. On the turn, cards
that follow one state and make hands of one strength are one state too: they meet the same number
of opposing cards of every state, and win and lose against the same ones.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations
from math import perm
from typing import Final

import numpy as np

from endspiel.betting.limit import limit_tree
from endspiel.cards.deck import NUM_CARDS, NUM_RANKS, NUM_SUITS, RANKS, SUITS, rank_of, suit_of
from endspiel.cards.text import format_cards
from endspiel.errors import GameError
from endspiel.game import Game
from endspiel.games.product import BettingLines, GameSize, ProductBoard, product
from endspiel.kernels.arrays import Floats, Ints
from endspiel.rules.builtin import load_rules
from endspiel.rules.game_def import GameDef
from endspiel.rules.ranking import RANKINGS

DEFAULT_MEMORY: Final = 8.0  # gigabytes
HANDS: Final = 2  # private cards in play
Relabeling = tuple[int, ...]  # [4] new suit of each suit


@dataclass(frozen=True)
class _Public:
    """A board while the cards are dealt, one for all boards that suits' relabelings make of it."""

    cards: tuple[int, ...]
    parent: int  # number on the street before; -1 at the start
    orbit: int  # how many boards it stands for
    keeps: tuple[Relabeling, ...]  # relabelings that leave every card of it in place
    state: Ints  # [52] private state of each card; -1 if it cannot be held

    @property
    def num_states(self) -> int:
        return int(self.state.max()) + 1

    @cached_property
    def members(self) -> tuple[tuple[int, ...], ...]:
        """The cards of each state: [K]."""
        cards: list[list[int]] = [[] for _ in range(self.num_states)]
        for card in np.flatnonzero(self.state >= 0):
            cards[self.state[card]].append(int(card))
        return tuple(map(tuple, cards))


def rhode_island(
    ranks: int = NUM_RANKS,
    suits: int = NUM_SUITS,
    max_raises: int = 3,
    symmetry: bool = True,
    memory: float = DEFAULT_MEMORY,
) -> Game:
    """Rhode Island hold'em, or a smaller deck of its top ranks; refused above a limit of gigabytes.

    Without symmetry every board and every private card is distinct.
    """
    rules = rhode_island_rules(ranks, suits, max_raises)
    lines, streets = BettingLines(limit_tree(rules)), _deal(rules, symmetry)
    need = lines.size([sum(public.num_states for public in publics) for publics in streets])
    if need.bytes > memory * 1e9:
        raise GameError(
            f"solving Rhode Island hold'em with {ranks} ranks and {suits} suits takes "
            f"{need.bytes / 1e9:.3g} GB, and the limit is {memory:g} GB (parameter memory)"
        )
    start = streets[0][0]
    root = np.bincount(start.state[start.state >= 0]) / len(rules.deck)
    boards = _boards(rules, streets, root)
    return product(lines, boards, root, "rhode-island", unit=float(rules.blinds[0]))


def rhode_island_rules(
    ranks: int = NUM_RANKS, suits: int = NUM_SUITS, max_raises: int = 3
) -> GameDef:
    """The rules, with the deck cut down to its top ranks and last suits."""
    if not (1 <= ranks <= NUM_RANKS and 1 <= suits <= NUM_SUITS and ranks * suits >= HANDS + 2):
        raise GameError(
            f"Rhode Island hold'em deals 4 cards from at most {NUM_RANKS} ranks and {NUM_SUITS} "
            f"suits; {ranks} ranks and {suits} suits will not do"
        )
    rules = load_rules("rhode-island")
    limits = (max_raises,) * rules.num_rounds
    return replace(rules, num_ranks=ranks, num_suits=suits, max_raises=limits)


def unfolded_size(rules: GameDef) -> GameSize:
    """Size of the game without symmetry, counted without building it."""
    counts = [perm(len(rules.deck), 1 + cards) for cards in rules.board_sizes]
    return BettingLines(limit_tree(rules)).size(counts)


def _deal(rules: GameDef, symmetry: bool) -> list[list[_Public]]:
    """The boards of every street, with the private states on each."""
    deck_suits = range(NUM_SUITS - rules.num_suits, NUM_SUITS)
    fixed = tuple(range(NUM_SUITS - rules.num_suits))
    keeps = tuple(fixed + moved for moved in permutations(deck_suits)) if symmetry else ()
    keeps = keeps or (tuple(range(NUM_SUITS)),)
    alone = np.full(NUM_CARDS, -1)
    alone[list(rules.deck)] = 0
    streets = [[_Public((), -1, 1, keeps, _orbits(rules.deck, keeps, alone))]]
    for street in range(1, rules.num_rounds):
        last = street == rules.num_rounds - 1
        streets.append(
            [
                child
                for number, public in enumerate(streets[-1])
                for child in _children(rules, public, number, symmetry and last)
            ]
        )
    return streets


def _children(rules: GameDef, public: _Public, number: int, by_strength: bool) -> list[_Public]:
    """Boards with one card more, one for each orbit of cards."""
    children: list[_Public] = []
    seen = set(public.cards)
    for card in sorted(rules.deck, reverse=True):
        if card in seen:
            continue
        images = {_relabel(card, suits) for suits in public.keeps}
        seen |= images
        keeps = tuple(suits for suits in public.keeps if suits[suit_of(card)] == suit_of(card))
        cards = (*public.cards, card)
        left = [c for c in rules.deck if c not in cards]
        if by_strength:
            state = _merge(left, public.state, _strengths(rules, left, cards))
        else:
            state = _orbits(left, keeps, public.state)
        children.append(_Public(cards, number, public.orbit * len(images), keeps, state))
    return children


def _relabel(card: int, suits: Relabeling) -> int:
    return NUM_SUITS * rank_of(card) + suits[suit_of(card)]


def _orbits(cards: Sequence[int], keeps: tuple[Relabeling, ...], above: Ints) -> Ints:
    """States [52] of cards that relabelings exchange."""
    least = [min(_relabel(card, suits) for suits in keeps) for card in cards]
    return _merge(cards, above, np.array(least))


def _merge(cards: Sequence[int], above: Ints, key: Ints) -> Ints:
    """States [52] of the cards with the same state above and the same key; the others have -1."""
    pairs = np.stack([above[list(cards)], key])
    state = np.full(NUM_CARDS, -1)
    state[list(cards)] = np.unique(pairs, axis=1, return_inverse=True)[1].ravel()
    return state


def _strengths(rules: GameDef, cards: Sequence[int], board: tuple[int, ...]) -> Ints:
    rank = RANKINGS[rules.ranking].rank
    return np.array([rank((card, *board)) for card in cards], dtype=np.int64)


def _boards(rules: GameDef, streets: list[list[_Public]], root: Floats) -> list[list[ProductBoard]]:
    """The boards as the product wants them, chances and showdowns worked out."""
    boards: list[list[ProductBoard]] = []
    masses = [root]  # [K] a board of the street before: root mass behind each state
    for street, publics in enumerate(streets):
        above = [_above(streets, street, public) for public in publics]
        pairs = zip(publics, above, strict=True)
        masses = [masses[max(public.parent, 0)][own] for public, own in pairs]
        last = street == len(streets) - 1
        boards.append(
            [_board(rules, *parts, last) for parts in zip(publics, above, masses, strict=True)]
        )
    return boards


def _above(streets: list[list[_Public]], street: int, public: _Public) -> Ints:
    """State on the board before of each state [K]; at the start, the root of each."""
    if street == 0:
        return np.arange(public.num_states)
    one = [cards[0] for cards in public.members]
    return streets[street - 1][public.parent].state[one]


def _board(rules: GameDef, public: _Public, above: Ints, mass: Floats, last: bool) -> ProductBoard:
    """One board; mass [K] is the root mass behind each state."""
    count = np.array([len(cards) for cards in public.members])
    pairs = np.outer(count, count) - np.diag(count)  # no card is held twice
    deals = perm(len(rules.deck), HANDS + len(public.cards))
    chance = public.orbit * pairs / deals / np.outer(mass, mass)
    showdown = None
    if last:
        strength = _strengths(rules, [cards[0] for cards in public.members], public.cards)
        showdown = chance * np.sign(strength[:, None] - strength)
    names = tuple(_name(cards) for cards in public.members)
    return ProductBoard(format_cards(public.cards), public.parent, above, names, chance, showdown)


def _name(cards: Sequence[int]) -> str:
    """``Kcdh`` for three kings."""
    return RANKS[rank_of(cards[0])] + "".join(SUITS[suit_of(card)] for card in cards)

"""Decisions of an endgame on real cards by name: ``b100 c / 8h b50``.

Betting words are the betting tree's; a card follows each ``/``. A card that suit symmetry folds
into another is found on the board it was folded into, with the relabeling of suits between them.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.betting.streets import OwnDecision
from endspiel.betting.tree import CHANCE, DECISION, BettingTree
from endspiel.cards.deck import hand_cards
from endspiel.cards.isomorphism import hand_permutations, suit_permutations
from endspiel.cards.text import format_card, format_cards, parse_card, parse_cards
from endspiel.errors import BettingError, CardError
from endspiel.games.card_game import CardGame
from endspiel.kernels.arrays import Ints


@dataclass(frozen=True)
class Place:
    """One decision on one board, and the decisions that led to it."""

    text: str  # the node as written, tidied
    node: int  # of the betting tree
    street: int  # 0 is the street of the root board
    board: int  # number among the street's boards
    relabel: int  # suit permutation, by number, that makes the named board of that board
    cards: tuple[int, ...]  # the board as named
    player: int  # who decides
    decision: int  # number among the player's decisions of the street
    before: "Moves" = ()  # earlier decisions, and the action taken at each

    def hands(self, game: CardGame, player: int) -> Ints:
        """A player's hands on the named board, in the order of the board they are kept under."""
        kept = game.tree.streets[self.street][self.board].hands[player]
        moved: Ints = hand_permutations()[self.relabel][kept].astype(np.int64)
        return moved

    def own(self, game: CardGame) -> OwnDecision:
        """The decision by its player's sequences."""
        return game.streets[self.street].own(self.player)[self.decision]


Moves = tuple[tuple[Place, int], ...]


class _Board(NamedTuple):
    """Where the cards are on the way down."""

    street: int
    number: int
    relabel: int
    cards: tuple[int, ...]


def words_of(text: str) -> list[str]:
    """The words of a node's text; ``/8h`` is two."""
    return text.replace("/", " / ").split()


def has_cards(text: str) -> bool:
    """Whether a node's text names dealt cards, so that it means one board only."""
    words = words_of(text)
    return any(word not in ("/", "f", "c") and word[0] not in "br" for word in words)


def find_place(game: CardGame, text: str) -> Place:
    """The decision that a text names; an error names the first word that does not fit."""
    tree, words = game.betting, words_of(text)
    node, board = 0, _Board(0, 0, 0, game.tree.streets[0][0].cards)
    before: list[tuple[Place, int]] = []
    at = 0
    while at < len(words):
        if tree.kind[node] == CHANCE:
            if words[at] != "/" or at + 1 == len(words):
                raise _undealt(words[:at])
            board = _deal(game, board, words[at + 1])
            node, at = int(tree.first_child[node]), at + 2
            continue
        action = _action(tree, node, words, at)
        before.append((_place(game, node, board, words[:at], tuple(before)), action))
        node, at = int(tree.first_child[node]) + action, at + 1
    if tree.kind[node] == CHANCE and tree.kind[tree.first_child[node]] == DECISION:
        raise _undealt(words)
    if tree.kind[node] != DECISION:
        raise BettingError(f"no player decides after {' '.join(words)!r}: the betting is over")
    return _place(game, node, board, words, tuple(before))


def find_everywhere(game: CardGame, text: str) -> int:
    """The betting node that a text without cards names, on whatever board."""
    node = game.betting.find(" ".join(words_of(text)))
    if game.betting.kind[node] == CHANCE:
        node = int(game.betting.first_child[node])
    if game.betting.kind[node] != DECISION:
        raise BettingError(f"no player decides after {text.strip()!r}: the betting is over")
    return node


def _place(game: CardGame, node: int, board: _Board, words: list[str], before: Moves) -> Place:
    player = int(game.betting.player[node])
    decision = game.streets[board.street].decisions[player].index(node)
    return Place(" ".join(words), node, *board, player, decision, before)


def _after(words: list[str]) -> str:
    return f"after {' '.join(words)!r}" if words else "at the start"


def _action(tree: BettingTree, node: int, words: list[str], at: int) -> int:
    following = tree.words(node)
    if words[at] not in following:
        there = f"there are {', '.join(following)}" if following else "the hand is over"
        raise BettingError(f"no {words[at][:20]!r} {_after(words[:at])}: {there}")
    return following.index(words[at])


def _undealt(words: list[str]) -> BettingError:
    line = " ".join(words)
    return BettingError(f"a card is dealt after {line!r}: name it, as in {line + ' / 8h'!r}")


def _deal(game: CardGame, board: _Board, word: str) -> _Board:
    """The board with one card more (or a flop), wherever suit symmetry keeps it."""
    if not board.cards:
        return _deal_flop(game, word)
    try:
        card = parse_card(word)
    except CardError as error:
        raise BettingError(f"{word[:20]!r} is no card: a card is dealt after each '/'") from error
    if card in board.cards:
        named = format_cards(board.cards, " ")
        raise BettingError(f"{format_card(card)} cannot be dealt: it is on the board {named}")
    suits = suit_permutations()
    back = np.argsort(suits[board.relabel])
    kept = _moved(card, back)
    child = game.cards[board.street].child
    for number in range(int(child[board.number]), int(child[board.number + 1])):
        below = game.tree.streets[board.street + 1][number]
        for image in below.images:
            if _moved(below.cards[-1], suits[image]) == kept:
                both = suits[board.relabel][suits[image]]
                relabel = int(np.flatnonzero((suits == both).all(axis=1))[0])
                return _Board(board.street + 1, number, relabel, (*board.cards, card))
    raise BettingError(f"{format_card(card)} cannot be dealt here")


def _deal_flop(game: CardGame, word: str) -> _Board:
    """The first three cards of a game that begins before the flop: written as one word."""
    try:
        cards = tuple(parse_cards(word))
    except CardError as error:
        raise BettingError(f"{word[:20]!r} is no flop: {error}") from error
    deck = set(hand_cards()[game.tree.streets[0][0].hands[0]].ravel().tolist())
    for relabel, suits in enumerate(suit_permutations() if deck.issuperset(cards) else ()):
        for number, flop in enumerate(game.tree.streets[1]):
            if {_moved(card, suits) for card in flop.cards} == set(cards):
                return _Board(1, number, relabel, cards)
    raise BettingError(f"{word[:20]!r} cannot be dealt: a flop is three cards of the deck")


def _moved(card: int, suits: NDArray[np.integer]) -> int:
    return 4 * (card >> 2) + int(suits[card & 3])

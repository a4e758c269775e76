"""Hold'em, whole: from the blinds to the river on a deck of any size, without card abstraction.

Payoffs are in big blinds. Player 0 posts the big blind, player 1 is the dealer.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from math import comb, factorial
from typing import Final

from endspiel.betting import Sizing, StreetMenu, game_tree
from endspiel.betting.limit import limit_tree
from endspiel.betting.streets import cut_streets
from endspiel.betting.tree import BettingTree
from endspiel.cards.deck import NUM_RANKS, NUM_SUITS
from endspiel.cards.isomorphism import suit_permutations
from endspiel.errors import GameError
from endspiel.games.card_game import CardGame
from endspiel.games.card_tree import holdem_deck, holdem_tree
from endspiel.kernels.lanes import padded
from endspiel.rules.builtin import load_rules

BOARD_CARDS: Final = (0, 3, 4, 5)  # by street
FLOAT_BYTES: Final = 4


@dataclass(frozen=True, eq=False)
class Holdem:
    """A betting tree from the blinds on, and the deck that it is played with.

    Examples:
        >>> import endspiel as es
        >>> game = es.load_game("limit-holdem:ranks=3,suits=3,max_raises=1")
        >>> game.num_boards
        (1, 20, 93, 429)
    """

    name: str
    betting: BettingTree
    unit: float  # chips of a big blind
    ranks: int = NUM_RANKS
    suits: int = NUM_SUITS
    symmetry: bool = True  # fold boards that a relabeling of suits makes equal

    def __post_init__(self) -> None:
        holdem_deck(self.ranks, self.suits)

    @cached_property
    def cards(self) -> CardGame:
        """The betting times the cards, as the board kernels want it."""
        tree = holdem_tree(self.ranks, self.suits, symmetry=self.symmetry)
        return CardGame(self.betting, tree, unit=self.unit)

    @cached_property
    def num_boards(self) -> tuple[int, ...]:
        """Boards of each street, counted without dealing them."""
        if self.symmetry:
            return count_boards(self.ranks, self.suits)
        deck = self.ranks * self.suits
        flops = comb(deck, 3)
        return 1, flops, flops * (deck - 3), flops * (deck - 3) * (deck - 4)

    @property
    def num_infosets(self) -> int:
        """Decisions times hands, counted without dealing."""
        deck = self.ranks * self.suits
        return sum(
            boards * comb(deck - cards, 2) * sum(map(len, street.decisions))
            for boards, cards, street in zip(
                self.num_boards, BOARD_CARDS, cut_streets(self.betting), strict=True
            )
        )

    def strategy_bytes(self, copies: float = 2) -> int:
        """Bytes of regrets and averages (or of regrets alone), counted without dealing."""
        deck, floats = self.ranks * self.suits, 0
        for boards, cards, street in zip(
            self.num_boards, BOARD_CARDS, cut_streets(self.betting), strict=True
        ):
            hands = padded(comb(deck - cards, 2))
            floats += boards * hands * (sum(street.size) - 2 * len(street.starts))
        return int(copies * FLOAT_BYTES * floats)

    @property
    def fingerprint(self) -> str:
        """What a checkpoint must agree with: the name has every parameter of the game."""
        return f"{self.name}, {self.betting.num_nodes} nodes, symmetry {self.symmetry}"


def limit_holdem(
    ranks: int = NUM_RANKS,
    suits: int = NUM_SUITS,
    max_raises: int | None = None,
    symmetry: bool = True,
) -> Holdem:
    """Limit hold'em by the competition's rules, or with another cap of raises a street."""
    rules = load_rules("limit-holdem")
    name = f"limit-holdem:ranks={ranks},suits={suits}"
    if max_raises is not None:
        if max_raises < 0:
            raise GameError(f"max_raises is {max_raises}; it is 0 or more")
        caps = tuple(min(cap, max_raises) for cap in rules.max_raises)
        rules = replace(rules, max_raises=caps)
        name += f",max_raises={max_raises}"
    return Holdem(name, limit_tree(rules), float(rules.big_blind), ranks, suits, symmetry)


def no_limit_holdem(
    ranks: int = NUM_RANKS,
    suits: int = NUM_SUITS,
    stack: int = 20,
    bet: float = 100.0,
    max_raises: int = 2,
    symmetry: bool = True,
) -> Holdem:
    """No-limit hold'em with a stack in big blinds and a menu: a share of the pot (%), or all-in."""
    menu = StreetMenu.parse(f"{bet:f}%, a", f"{bet:f}%, a")
    name = f"nolimit-holdem:ranks={ranks},suits={suits},stack={stack},bet={bet:g}"
    name += f",max_raises={max_raises}"
    return menu_holdem(name, Sizing.same(menu, max_raises), (ranks, suits), stack, symmetry)


def menu_holdem(
    name: str, sizing: Sizing, deck: tuple[int, int], stack: int, symmetry: bool = True
) -> Holdem:
    """No-limit hold'em with any menus on a deck of (ranks, suits); the stack is in big blinds."""
    rules = load_rules("nolimit-holdem")
    if stack < 1:
        raise GameError(f"a stack is 1 big blind or more, not {stack}")
    rules = replace(rules, stacks=(stack * rules.big_blind,) * 2)
    return Holdem(name, game_tree(rules, sizing), float(rules.big_blind), *deck, symmetry)


def count_boards(ranks: int, suits: int) -> tuple[int, ...]:
    """How many boards of each street differ by more than suits, the order of streets kept.

    By Burnside: the mean, over relabelings of suits, of the boards that each leaves as they are. It
    keeps a flop that it maps onto itself, and a turn and a river in suits that it keeps.
    """
    flops = turns = rivers = 0
    for relabeling in suit_permutations().tolist():
        if relabeling[suits:] != list(range(suits, NUM_SUITS)):
            continue
        cycles = _cycle_lengths(relabeling[:suits])
        single, pairs, triples = (ranks * cycles.count(length) for length in (1, 2, 3))
        for kept, used in ((comb(single, 3), 3), (single * pairs, 1), (triples, 0)):
            left = max(0, single - used)
            flops += kept
            turns += kept * left
            rivers += kept * left * max(0, left - 1)
    orbits = factorial(suits)
    return 1, flops // orbits, turns // orbits, rivers // orbits


def _cycle_lengths(permutation: list[int]) -> list[int]:
    lengths, seen = [], set()
    for start in range(len(permutation)):
        at, length = start, 0
        while at not in seen:
            seen.add(at)
            at, length = permutation[at], length + 1
        if length:
            lengths.append(length)
    return lengths

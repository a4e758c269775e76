"""A betting tree times a card tree: an endgame on real cards."""

from dataclasses import dataclass
from functools import cached_property

from endspiel.betting.streets import Street, cut_streets
from endspiel.betting.tree import BettingTree
from endspiel.errors import GameError
from endspiel.games.board_memory import solve_bytes, work_sizes
from endspiel.games.board_tables import board_tables
from endspiel.games.card_tree import CardTree, StreetCards, street_cards
from endspiel.kernels.arrays import Int32s
from endspiel.kernels.board_arrays import Meta, Tables
from endspiel.kernels.lanes import LANES, padded


@dataclass(frozen=True, eq=False)
class Buckets:
    """A card abstraction of the last street: hands of one bucket play alike, whatever the board."""

    count: int
    of: Int32s  # [boards, 1326] bucket of each hand, any number where the board has a card of it


@dataclass(frozen=True, eq=False)
class CardGame:
    """An endgame on real cards; payoffs are shares of the starting pot, which both own by half.

    A game that starts with blinds has no starting pot: its payoffs are in units given.
    """

    betting: BettingTree
    tree: CardTree
    node: int = 0  # betting before it is over
    unit: float = 0.0  # chips; the starting pot where it is 0
    buckets: Buckets | None = None
    cut: tuple[Street, ...] | None = None  # the betting, where it is not all that follows the node

    def __post_init__(self) -> None:
        if not (self.unit or self.betting.pot):
            raise GameError("a game without a starting pot needs a unit for its payoffs")
        if len(self.streets) != len(self.tree.streets):
            raise GameError(
                f"the betting has {len(self.streets)} streets, "
                f"the board leaves {len(self.tree.streets)}"
            )

    @cached_property
    def streets(self) -> list[Street]:
        """The betting, street by street; its sequences are local to a board."""
        return cut_streets(self.betting, self.node) if self.cut is None else list(self.cut)

    @cached_property
    def cards(self) -> tuple[StreetCards, ...]:
        """The boards and hands, street by street."""
        return tuple(street_cards(self.tree, street) for street in range(len(self.streets)))

    @cached_property
    def pairs(self) -> float:
        """Weight of all pairs of hands: root values are divided by it."""
        return self.tree.pairs()

    @cached_property
    def tables(self) -> Tables:
        """All of it in a few long arrays."""
        return board_tables(self)

    @property
    def work_size(self) -> int:
        """Floats that a thread needs for the boards in flight."""
        last = self.tables.meta[-1, 0]
        return int(last[Meta.EDGE]) + work_sizes(self, len(self.streets) - 1).edge

    def num_tiles(self, street: int, player: int) -> int:
        """Tiles of sixteen hands that a player has on a street's boards."""
        return sum(-(-len(board.hands[player]) // LANES) for board in self.tree.streets[street])

    @property
    def store_size(self) -> int:
        """Floats of regrets that a solve stores (and as many of averages)."""
        return sum(
            self.store_part(s, player) for s in range(len(self.streets)) for player in (0, 1)
        )

    def store_part(self, street: int, player: int) -> int:
        """Floats of one street's and player's regrets: by tiles, or by buckets."""
        rows = self.streets[street].size[player] - len(self.streets[street].starts)
        if self.buckets is not None and street == len(self.streets) - 1:
            return (self.buckets.count + 1) * padded(rows)  # one more for padding
        return self.num_tiles(street, player) * rows * LANES

    @property
    def num_powers(self) -> int:
        """Powers of regrets that a solve in 16 bits stores (and as many of averages)."""
        return sum(
            self.num_tiles(s, player) * len(street.decisions[player])
            for s, street in enumerate(self.streets)
            for player in (0, 1)
        )

    def memory(self, threads: int = 1, copies: float = 2, storage: int = 32) -> int:
        """Bytes that a solve by the board kernels takes, known before any large array is made.

        Regrets and averages are two copies of the strategies' size; regrets alone are one. They are
        stored in 32 bits or in 16.
        """
        return solve_bytes(self, threads, copies, storage)

    @property
    def num_nodes(self) -> int:
        """Decisions of the public tree, images of suit symmetry not counted."""
        return sum(
            len(boards) * (len(street.decisions[0]) + len(street.decisions[1]))
            for boards, street in zip(self.tree.streets, self.streets, strict=True)
        )

    @property
    def num_infosets(self) -> int:
        """Decisions times hands."""
        return sum(
            len(board.hands[player]) * len(street.decisions[player])
            for boards, street in zip(self.tree.streets, self.streets, strict=True)
            for board in boards
            for player in (0, 1)
        )

"""A betting tree times a card tree: an endgame on real cards."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from endspiel.betting.streets import Street, cut_streets
from endspiel.betting.tree import BettingTree
from endspiel.cards.classes import hand_classes
from endspiel.cards.deck import NUM_CARDS, hand_cards
from endspiel.errors import GameError
from endspiel.games.board_lanes import SidePlan, side_plan
from endspiel.games.board_memory import solve_bytes, work_sizes
from endspiel.games.card_tree import CardTree, SideCards, StreetCards, street_cards
from endspiel.kernels.arrays import Int32s
from endspiel.kernels.board import CARD_ROWS
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


class _Long:
    """A long array while it is put together; says where each part starts."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        self.parts: list[NDArray[Any]] = []
        self.size = 0

    def add(self, part: NDArray[Any] | Sequence[int]) -> int:
        start = self.size
        self.parts.append(np.asarray(part, dtype=self.dtype))
        self.size += len(self.parts[-1])
        return start

    def array(self) -> NDArray[Any]:
        return np.concatenate(self.parts) if self.parts else np.zeros(0, self.dtype)


def board_tables(game: "CardGame") -> Tables:
    """Everything that does not change while a game is solved."""
    streets = len(game.streets)
    meta = np.zeros((streets, 2, len(Meta)), dtype=np.int64)
    ints, stakes, root = _Long(np.int64), _Long(np.float32), _Long(np.float32)
    hand, above, same = _Long(np.int32), _Long(np.int32), _Long(np.int32)
    ends, below = _Long(np.int32), _Long(np.int32)
    classes = np.append(hand_classes(), -1)  # hand -1 is of no class
    kept = locked = powers = 0
    for s, (street, cards) in enumerate(zip(game.streets, game.cards, strict=True)):
        scale = game.tree.chance[s] / (game.unit or game.betting.pot)
        shared = {
            Meta.CHILD: ints.add(cards.child),
            Meta.GROUP: ints.add(cards.group),
            Meta.IMAGES: ints.add(cards.images),
            Meta.ABOVE: ints.add([board.parent for board in game.tree.streets[s]]),
            Meta.WEIGHT: stakes.add(np.repeat([b.weight for b in game.tree.streets[s]], LANES)),
        }
        for player in (0, 1):
            plan, side = side_plan(street, player, scale), cards.sides[player]
            weights = np.append(game.tree.ranges[player], 0.0)  # hand -1 weighs nothing
            columns = {
                **shared,
                **_plan_columns(plan, ints, stakes),
                Meta.START: ints.add(side.start),
                Meta.COUNT: ints.add(side.hands),
                Meta.HANDS: hand.add(side.hand),
                Meta.ENDS: ends.add(side.ends),
                Meta.BELOW: ints.add(_add_below(game, s, player, below)),
                **_bucket_columns(game, s, side, plan, ints),
                Meta.STORED: kept - (0 if _shared(game, s) else plan.lines * LANES),
                Meta.ROWS: plan.size - plan.lines,
                Meta.LOCKED: locked,
                Meta.POWERS: powers,
                Meta.ROOT: root.add(_in_lines(weights[side.hand], plan.lines)) if s == 0 else 0,
                Meta.CLASSES: ints.add(classes[side.hand]) if s == 0 and game.tree.classed else -1,
            }
            size_above = game.streets[s - 1].size[player] if s else 0
            above.add(_offsets(side.above, size_above))
            same.add(side.same)
            kept += game.store_part(s, player)
            locked += len(plan.first) * len(cards.images)
            powers += game.num_tiles(s, player) * len(plan.first)
            meta[s, player, list(columns)] = list(columns.values())
    _place_buffers(game, meta)
    numbers = hand.array()
    by_hand = np.vstack([hand_cards(), [[NUM_CARDS, NUM_CARDS]]]).astype(np.uint8)
    return Tables(
        meta, ints.array(), stakes.array(),
        np.ascontiguousarray(by_hand[numbers, 0]), np.ascontiguousarray(by_hand[numbers, 1]),
        above.array(), same.array(), ends.array(), below.array(), root.array(),
    )  # fmt: skip


def _shared(game: "CardGame", s: int) -> bool:
    """Whether the hands of a street share rows."""
    return game.buckets is not None and s == len(game.streets) - 1


def _bucket_columns(
    game: "CardGame", s: int, side: SideCards, plan: SidePlan, ints: _Long
) -> dict[Meta, int]:
    """Where each hand's shared row starts, counted in registers; padding has a row of its own."""
    if game.buckets is None or not _shared(game, s):
        return {Meta.BUCKETS: -1}
    board = np.repeat(np.arange(len(side.hands)), np.diff(side.start) * LANES)
    bucket = np.where(side.hand < 0, game.buckets.count, game.buckets.of[board, side.hand])
    return {Meta.BUCKETS: ints.add(bucket * (padded(plan.size - plan.lines) // LANES))}


def _offsets(places: Int32s, size: int) -> Int32s:
    """Where hands lie in a row, from their places: tiles of `size` rows; -1 stays."""
    offsets = (places // LANES) * size * LANES + places % LANES
    return np.where(places < 0, -1, offsets).astype(np.int32)


def _add_below(game: "CardGame", s: int, player: int, below: _Long) -> list[int]:
    """Add where each hand of the parent board lies, image by image; the boards' starts."""
    side, starts = game.cards[s].sides[player], []
    street = game.streets[s]
    last = s == len(game.streets) - 1
    rows = len(street.starts) if last else street.size[player]
    for b, board in enumerate(game.tree.streets[s]):
        starts.append(below.size)
        if s == 0:
            continue
        width = LANES * int(side.start[b + 1] - side.start[b])
        offsets = _offsets(np.arange(width, dtype=np.int32), rows)
        parents = padded(len(game.tree.streets[s - 1][board.parent].hands[player]))
        for image in range(len(board.images)):
            first = int(side.copy_at[b]) + image * width
            places = side.copies[first : first + width]
            inverse = np.full(parents, -1, dtype=np.int32)
            inverse[places[places >= 0]] = offsets[places >= 0]
            below.add(inverse)
    return starts


def _plan_columns(plan: SidePlan, ints: _Long, stakes: _Long) -> dict[Meta, int]:
    return {
        Meta.SIZE: plan.size,
        Meta.LINES: plan.lines,
        Meta.DECISIONS: len(plan.first),
        Meta.FIRST: ints.add(plan.first),
        Meta.ACTIONS: ints.add(plan.actions),
        Meta.PARENT: ints.add(plan.parent),
        Meta.OUT: ints.add(plan.out),
        Meta.SHOWN: plan.lane_tiles.shown,
        Meta.FOLDS: plan.lane_tiles.folds,
        Meta.TIED: plan.lane_tiles.tied,
        Meta.TILES: plan.lane_tiles.tiles,
        Meta.LANE_FROM: ints.add(plan.lane_from),
        Meta.SHOW_TO: ints.add(plan.show_to),
        Meta.FOLD_TO: ints.add(plan.fold_to),
        Meta.SHOW_STAKE: stakes.add(plan.show_stake),
        Meta.FOLD_STAKE: stakes.add(plan.fold_stake),
    }


def _in_lines(weights: NDArray[np.float64], lines: int) -> NDArray[np.float64]:
    """Weights of a board's hands [tiles * 16], the same in every line that comes in."""
    return np.repeat(weights.reshape(-1, 1, LANES), lines, axis=1).ravel()


def _place_buffers(game: "CardGame", meta: NDArray[np.int64]) -> None:
    """Where each buffer lies in a thread's work array; the last street's edge comes last."""
    at = 0
    for s in range(len(game.streets)):
        sizes = work_sizes(game, s)
        for player in (0, 1):
            meta[s, player, Meta.REACH] = at
            at += sizes.reach[player]
        for column, size in (
            (Meta.SIGMA, sizes.own),
            (Meta.GAIN, sizes.own),
            (Meta.LANES_IN, sizes.lanes),
            (Meta.SHOW, sizes.values),
            (Meta.FOLD, sizes.values),
            (Meta.MASS, 2 * CARD_ROWS * LANES),
            (Meta.PICKED, sizes.picked),
            (Meta.EDGE, sizes.edge),
        ):
            meta[s, :, column] = at
            at += size

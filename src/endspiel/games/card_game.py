"""A betting tree times a card tree: an endgame on real cards, as the board kernels want it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from endspiel.betting.tree import BettingTree
from endspiel.cards.classes import hand_classes
from endspiel.cards.deck import NUM_CARDS, hand_cards
from endspiel.errors import GameError
from endspiel.games.card_tree import CardTree, SideCards, StreetCards, street_cards
from endspiel.games.street_plans import SidePlan, Street, cut_streets, lane_tiles, side_plan
from endspiel.kernels.board import CARD_ROWS
from endspiel.kernels.board_arrays import Int32s, Meta, Tables
from endspiel.kernels.simd import LANES, padded

FLOAT_BYTES = 4


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
        return cut_streets(self.betting, self.node)

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
        return _tables(self)

    @property
    def work_size(self) -> int:
        """Floats that a thread needs for the boards in flight."""
        last = self.tables.meta[-1, 0]
        return int(last[Meta.EDGE]) + _edge_size(self, len(self.streets) - 1)

    def num_tiles(self, street: int, player: int) -> int:
        """Tiles of sixteen hands that a player has on a street's boards."""
        return sum(-(-len(board.hands[player]) // LANES) for board in self.tree.streets[street])

    @property
    def kept_size(self) -> int:
        """Floats of regrets that a solve keeps (and as many of averages)."""
        return sum(self.kept_part(s, player) for s in range(len(self.streets)) for player in (0, 1))

    def kept_part(self, street: int, player: int) -> int:
        """Floats of one street's and player's regrets: by tiles, or by buckets."""
        rows = self.streets[street].size[player] - len(self.streets[street].starts)
        if self.buckets is not None and street == len(self.streets) - 1:
            return (self.buckets.count + 1) * padded(rows)  # one more for padding
        return self.num_tiles(street, player) * rows * LANES

    def memory(self, threads: int = 1) -> int:
        """Bytes that a solve by the board kernels takes, told before anything large is allocated.

        An upper bound, by a few percent: every hand may have a strength of its own.
        """
        streets = range(len(self.streets))
        work = sum(_work_sizes(self, s).total() for s in streets)
        shared = 0 if self.buckets is None else sum(self.kept_part(streets[-1], p) for p in (0, 1))
        floats = 2 * self.kept_size + threads * (work + 2 * shared)
        return FLOAT_BYTES * floats + sum(_map_bytes(self, s) for s in streets)

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


def _tables(game: CardGame) -> Tables:
    streets = len(game.streets)
    meta = np.zeros((streets, 2, len(Meta)), dtype=np.int64)
    ints, stakes, root = _Long(np.int64), _Long(np.float32), _Long(np.float32)
    hand, above, same = _Long(np.int32), _Long(np.int32), _Long(np.int32)
    ends, below = _Long(np.int32), _Long(np.int32)
    classes = np.append(hand_classes(), -1)  # hand -1 is of no class
    kept = locked = 0
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
                Meta.KEPT: kept - (0 if _shared(game, s) else plan.lines * LANES),
                Meta.ROWS: plan.size - plan.lines,
                Meta.LOCKED: locked,
                Meta.ROOT: root.add(weights[side.hand]) if s == 0 else 0,
                Meta.CLASSES: ints.add(classes[side.hand]) if s == 0 and game.tree.classed else -1,
            }
            size_above = game.streets[s - 1].size[player] if s else 0
            above.add(_offsets(side.above, size_above))
            same.add(side.same)
            kept += game.kept_part(s, player)
            locked += len(plan.first) * len(cards.images)
            meta[s, player, list(columns)] = list(columns.values())
    _place_buffers(game, meta)
    numbers = hand.array()
    by_hand = np.vstack([hand_cards(), [[NUM_CARDS, NUM_CARDS]]]).astype(np.uint8)
    return Tables(
        meta, ints.array(), stakes.array(),
        np.ascontiguousarray(by_hand[numbers, 0]), np.ascontiguousarray(by_hand[numbers, 1]),
        above.array(), same.array(), ends.array(), below.array(), root.array(),
    )  # fmt: skip


def _shared(game: CardGame, s: int) -> bool:
    """Whether the hands of a street share rows."""
    return game.buckets is not None and s == len(game.streets) - 1


def _bucket_columns(
    game: CardGame, s: int, side: SideCards, plan: SidePlan, ints: _Long
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


def _add_below(game: CardGame, s: int, player: int, below: _Long) -> list[int]:
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
        Meta.BOTH: plan.tiles[0],
        Meta.SHOWN: plan.tiles[0] + plan.tiles[1],
        Meta.TILES: sum(plan.tiles),
        Meta.LANE_FROM: ints.add(plan.lane_from),
        Meta.SHOW_TO: ints.add(plan.show_to),
        Meta.FOLD_TO: ints.add(plan.fold_to),
        Meta.SHOW_STAKE: stakes.add(plan.show_stake),
        Meta.FOLD_STAKE: stakes.add(plan.fold_stake),
    }


@dataclass(frozen=True)
class _WorkSizes:
    """Floats of each buffer of one street's board in flight."""

    reach: tuple[int, int]
    own: int  # sigma, and as many of gain
    lanes: int
    values: int  # show, and as many of fold
    edge: int
    picked: int

    def total(self) -> int:
        parts = sum(self.reach) + 2 * self.own + self.lanes + 2 * self.values + self.edge
        parts += self.picked
        return parts + 2 * CARD_ROWS * LANES


def _work_sizes(game: CardGame, street: int) -> _WorkSizes:
    last = street == len(game.streets) - 1
    tiles = [
        max(-(-len(board.hands[p]) // LANES) for board in game.tree.streets[street]) for p in (0, 1)
    ]
    sizes = game.streets[street].size
    rows = [sizes[p] * (1 if last else tiles[p]) * LANES for p in (0, 1)]
    lanes = _lane_tiles(game.streets[street])
    hands = max(tiles) * LANES
    return _WorkSizes(
        reach=(rows[0], rows[1]),
        own=max(rows),
        lanes=lanes * (hands + 1) * LANES,
        values=lanes * hands * LANES,
        edge=max(tiles) * len(game.streets[street].starts) * LANES,
        picked=padded(max(sizes)) * LANES if last else 0,
    )


def _map_bytes(game: CardGame, street: int) -> int:
    """Bytes of a street's tables and cards: its betting, and the maps of every board's hands."""
    plan, boards = game.streets[street], game.tree.streets[street]
    widths = [sum(padded(len(hands)) for hands in board.hands) for board in boards]
    hands = sum(widths)
    images = sum(width * len(board.images) for width, board in zip(widths, boards, strict=True))
    upper = game.tree.streets[street - 1]
    below = sum(
        padded(len(hands)) * len(board.images)
        for board in boards
        if board.parent >= 0
        for hands in upper[board.parent].hands
    )
    decisions = len(plan.decisions[0]) + len(plan.decisions[1])
    lanes = 2 * _lane_tiles(plan) * LANES
    longs = 3 * decisions + 3 * lanes + 2 * len(plan.out) + 12 * (len(boards) + 1) + 2 * len(Meta)
    # A hand has two cards, its place above and at the other player; root and strength; and in the
    # cards, kept beside the tables, its number twice and both places again.
    by_hand = 2 + 8 + 4 + 8 + (8 + 4 + 8 + 8)
    # Images are kept as hands in the cards, as hands above in the tables; a lock takes a byte.
    locks = decisions * len(boards)
    return by_hand * hands + 4 * (images + below) + 8 * (longs + lanes) + locks


def _lane_tiles(street: Street) -> int:
    """Lane tiles that either player needs, and one for the twin of an odd tile."""
    return max(lane_tiles(street, player) for player in (0, 1)) + 1


def _edge_size(game: CardGame, street: int) -> int:
    return _work_sizes(game, street).edge


def _place_buffers(game: CardGame, meta: NDArray[np.int64]) -> None:
    """Where each buffer lies in a thread's work array; the last street's edge comes last."""
    at = 0
    for s in range(len(game.streets)):
        sizes = _work_sizes(game, s)
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

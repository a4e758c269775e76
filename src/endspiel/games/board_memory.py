"""What a solve by the board kernels takes, told before anything large is allocated."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from endspiel.betting.streets import Street
from endspiel.games.board_lanes import lane_tiles
from endspiel.kernels.board import CARD_ROWS
from endspiel.kernels.board_arrays import Meta
from endspiel.kernels.lanes import LANES, padded

if TYPE_CHECKING:
    from endspiel.games.card_game import CardGame

FLOAT_BYTES = 4


def stored_bytes(game: "CardGame", storage: int) -> int:
    """Bytes of regrets, or of averages, in 32 or 16 bits."""
    return FLOAT_BYTES * game.store_size if storage == 32 else 2 * game.store_size + game.num_powers


def solve_bytes(game: "CardGame", threads: int, copies: float = 2, storage: int = 32) -> int:
    """Bytes that a solve takes on a number of threads.

    An upper bound, by a few percent: every hand may have a strength of its own.
    """
    streets = range(len(game.streets))
    work = sum(work_sizes(game, s).total() for s in streets)
    shared = 0 if game.buckets is None else sum(game.store_part(streets[-1], p) for p in (0, 1))
    stored = int(copies * stored_bytes(game, storage))
    in_flight = FLOAT_BYTES * threads * (work + 2 * shared)
    return stored + in_flight + sum(_map_bytes(game, s) for s in streets)


@dataclass(frozen=True)
class WorkSizes:
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


def work_sizes(game: "CardGame", street: int) -> WorkSizes:
    """The buffers of one street's board in flight."""
    last = street == len(game.streets) - 1
    tiles = [
        max(-(-len(board.hands[p]) // LANES) for board in game.tree.streets[street]) for p in (0, 1)
    ]
    sizes = game.streets[street].size
    rows = [sizes[p] * (1 if last else tiles[p]) * LANES for p in (0, 1)]
    lanes = _lane_tiles(game.streets[street])
    hands = max(tiles) * LANES
    return WorkSizes(
        reach=(rows[0], rows[1]),
        own=max(rows),
        lanes=lanes * (hands + 1) * LANES,
        values=lanes * hands * LANES,
        edge=max(tiles) * len(game.streets[street].starts) * LANES,
        picked=padded(max(sizes)) * LANES if last else 0,
    )


def _map_bytes(game: "CardGame", street: int) -> int:
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

"""A card abstraction of the flop: hands on any flop whose features are about the same.

By `outlook`, features tell how the hand would stand on the river, as in agents for Texas hold'em;
by `strength`, they are its equities on the flop against every hand and against groups of hands that
were about as good before the flop. Buckets are cells of nested cuts: the widest cell is cut at its
mean, across its widest direction, until there are as many cells as buckets were asked for.
Nothing is drawn at random, and hands with equal features share a bucket.
"""

import heapq
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from endspiel.cards.classes import NUM_CLASSES, hand_classes
from endspiel.cards.deck import NUM_HANDS
from endspiel.cards.removal import conflicts
from endspiel.cards.strength import board_strengths
from endspiel.errors import GameError
from endspiel.game import showdown_form
from endspiel.games.card_game import Buckets
from endspiel.games.card_tree import Board, CardTree
from endspiel.kernels.arrays import Float32s, Floats, Int32s, Ints
from endspiel.reproduce.nlfh_outlook import outlooks

KINDS: Final = ("outlook", "strength")
GROUPS: Final = 8
PAPER_BUCKETS: Final = 30_000
FULL_PAIRS: Final = 1755 * 1176  # canonical flops times hands, on 52 cards
DECIMALS: Final = 5  # features closer than that are equal


def bucket_count(tree: CardTree) -> int:
    """The paper's 30,000 on a full deck, and as many per hand and flop on a smaller one."""
    pairs = sum(len(board.hands[0]) for board in tree.streets[1])
    return max(1, round(PAPER_BUCKETS * pairs / FULL_PAIRS))


def flop_buckets(tree: CardTree, count: int, kind: str = "outlook", threads: int = 1) -> Buckets:
    """So many buckets (or fewer, where too many hands are alike) of the hands on all flops."""
    boards = tree.streets[1]
    if kind == "outlook":
        features = np.concatenate(outlooks(tree, threads))
    elif kind == "strength":
        groups = hand_groups(boards, tree.streets[0][0].hands[0])
        features = np.concatenate([equities(board, groups) for board in boards])
    else:
        raise GameError(f"there are no buckets by {kind!r}: there are {', '.join(KINDS)}")
    weights = np.concatenate([np.full(len(b.hands[0]), float(b.weight)) for b in boards])
    cells = nested_cells(features, weights, count)
    of = np.zeros((len(boards), NUM_HANDS), dtype=np.int32)
    at = 0
    for b, board in enumerate(boards):
        of[b, board.hands[0]] = cells[at : at + len(board.hands[0])]
        at += len(board.hands[0])
    return Buckets(int(cells.max()) + 1, of)


def hand_groups(boards: Sequence[Board], held: Ints) -> Int32s:
    """Groups [1326] of suit classes by their mean equity over all flops, about equally large."""
    total, seen = np.zeros(NUM_CLASSES), np.zeros(NUM_CLASSES)
    for board in boards:
        kinds = hand_classes()[board.hands[0]]
        strength = board_strengths(board.cards)[board.hands[0]]
        # Blockers hardly move a mean over all flops, so ranks in order of strength will do.
        below = np.searchsorted(strength, strength, "left")
        above = np.searchsorted(strength, strength, "right")
        total += board.weight * np.bincount(kinds, (below + above) / len(kinds), NUM_CLASSES)
        seen += board.weight * np.bincount(kinds, minlength=NUM_CLASSES)
    kinds = hand_classes()[held]
    mean = (total / np.maximum(seen, 1))[kinds]
    rank = np.searchsorted(np.sort(mean), mean, "left")
    of = np.full(NUM_HANDS, -1, dtype=np.int32)
    of[held] = rank * GROUPS // len(held)
    return of


def equities(board: Board, groups: Int32s) -> Float32s:
    """Each hand's equity [K, 1 + groups] against all hands and each group it can meet."""
    hands = board.hands[0]
    strength = board_strengths(board.cards)[hands].astype(np.int64)
    apart = (~conflicts()[np.ix_(hands, hands)]).astype(np.float32)
    better = showdown_form(strength, strength, apart)
    member = (groups[hands][:, None] == np.arange(GROUPS)).astype(np.float32)
    member = np.concatenate([np.ones((len(hands), 1), dtype=np.float32), member], axis=1)
    met = apart @ member
    won = better.astype(np.float32) @ member
    overall = won[:, :1] / met[:, :1]
    # Where no hand of a group can be met, what holds against all hands stands for it.
    share = np.where(met > 0, won / np.maximum(met, 1), overall)
    found: Float32s = np.round(share, DECIMALS).astype(np.float32)
    return found


class _Cell(NamedTuple):
    """Points that play alike so far; a heap of cells has the widest first."""

    narrowness: float  # less the sum of squares about the mean, along the widest direction
    order: int  # when it was made: no two cells are the same to a heap
    points: Ints  # [n]
    along: Floats  # [n] where the points lie along the widest direction, from their mean


def nested_cells(features: Float32s, weights: Floats, count: int) -> Int32s:
    """The cell [N] of each point: features [N, F], cut into a number of cells, if possible."""
    heap = [_cell(0, np.arange(len(features)), features, weights)]
    made = 1
    while len(heap) < count and heap[0].narrowness < 0:
        widest = heapq.heappop(heap)
        first = widest.along <= 0
        for side in (first, ~first):
            heapq.heappush(heap, _cell(made, widest.points[side], features, weights))
            made += 1
    cells = np.zeros(len(features), dtype=np.int32)
    for number, cell in enumerate(heap):
        cells[cell.points] = number
    return cells


def _cell(order: int, points: Ints, features: Float32s, weights: Floats) -> _Cell:
    own, weight = features[points].astype(np.float64), weights[points]
    centered = own - weight @ own / weight.sum()
    squares, directions = np.linalg.eigh((centered * weight[:, None]).T @ centered)
    along = np.round(centered @ directions[:, -1], DECIMALS)  # points on the cut stay together
    apart = along.min() <= 0 < along.max()
    return _Cell(-float(squares[-1]) if apart else 0.0, order, points, along)

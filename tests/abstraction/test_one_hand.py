"""One hand's bucket, computed alone, is the one it has among all hands of the board."""

import numpy as np

from endspiel.abstraction.abstraction import Abstraction
from endspiel.abstraction.boards import some_boards
from endspiel.abstraction.pipeline import make_abstraction
from endspiel.abstraction.plan import Detail, Plan
from endspiel.abstraction.streets import ClusteringEffort
from endspiel.abstraction.work import Store, Workers
from endspiel.cards.deck import hand_index


def abstractions() -> list[Abstraction]:
    boards, small = (
        some_boards(3),
        {"detail": Detail(9, 12, 10), "effort": ClusteringEffort(300, 1)},
    )
    plans = Plan((4, 3, 2, 3), **small), Plan((4, 9, 8, 7), perfect_recall=False, **small)
    return [make_abstraction(plan, boards, Store(None), Workers()).compact() for plan in plans]


def test_alone_and_among_all() -> None:
    rng = np.random.default_rng(3)
    for made in abstractions():
        for _ in range(15):
            flop = made.boards.flops[rng.integers(3)].tolist()
            left = rng.permutation([card for card in range(52) if card not in flop]).tolist()
            hole, board = left[:2], [*flop, *left[2:4]]
            before = None
            for street, cards in enumerate((0, 3, 4, 5)):
                among = int(made.board_buckets(board[:cards])[hand_index(*hole)])
                assert made.bucket(street, hole, board) == among
                assert made.bucket(street, hole, board, before) == among
                before = among

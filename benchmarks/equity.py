"""Equities of all hands against a full weighted range on every street, beside plainer ways.

Run with ``python benchmarks/equity.py``. Measured in the same run: the same sums by a NumPy matrix
of all pairs, and, where eval7 is installed, its count for one hand against a range on one river
board (its exact function deals no cards itself). Both are timed on a sample and scaled to all
run-outs and hands.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from time import perf_counter

import numpy as np
from rich.console import Console
from rich.table import Table

from endspiel.cards.deck import NUM_HANDS, hand_cards
from endspiel.cards.equity import equities
from endspiel.cards.removal import conflicts
from endspiel.cards.strength import board_strengths
from endspiel.cards.text import format_cards, parse_board

BOARDS = {
    "preflop": "",
    "flop": "Jc 8d 5c",
    "turn": "Jc 8d 5c 2h",
    "river": "Jc 8d 5c 2h Kc",
}
SAMPLED_RUN_OUTS = 20
SAMPLED_HANDS = 20
EVAL7_RANGE = "22+,A2+,K2+,Q2+,J2+,T2+,92+,82+,72+,62+,52+,42+,32+"  # every hand


def main() -> None:
    """Measure and print one row per street."""
    weights = np.random.default_rng(3).random(NUM_HANDS)
    table = Table(
        "street",
        "all hands, ms",
        "pair matrices, times slower",
        "eval7, times slower",
        title="Equity of each of 1326 hands against a full range",
    )
    for street, text in BOARDS.items():
        board = parse_board(text)
        ours = _best_of(7, partial(equities, weights, board))
        others = ["-", "-"]  # neither finishes a preflop run in reasonable time
        if board:
            others[0] = f"{_matrix_seconds(weights, board) / ours:,.0f}"
            eval7_seconds = _eval7_seconds(board)
            others[1] = f"{eval7_seconds / ours:,.0f}" if eval7_seconds else "not installed"
        table.add_row(street, f"{ours * 1e3:.2f}", *others)
    Console().print(table)


def _matrix_seconds(weights: np.ndarray, board: Sequence[int]) -> float:
    """Seconds of comparing all pairs on every run-out, from a sample of run-outs."""
    run_outs = _run_outs(board)
    sample = run_outs[:: max(1, len(run_outs) // SAMPLED_RUN_OUTS)]
    meet = np.where(conflicts(), 0.0, weights)  # [1326, 1326]

    def run() -> None:
        for dealt in sample:
            strength = board_strengths([*board, *dealt]).astype(np.int32)
            live = strength > 0
            signs = np.sign(strength[:, None] - strength[None, :])
            np.einsum("ij,ij->i", meet * live, (signs + 1) / 2)

    return _best_of(2, run) / len(sample) * len(run_outs)


def _eval7_seconds(board: Sequence[int]) -> float | None:
    """Seconds eval7 would take for all hands, from a sample; None if not installed."""
    try:
        import eval7
    except ImportError:
        return None
    villain = eval7.HandRange(EVAL7_RANGE)
    run_outs = _run_outs(board)
    river = [*board, *run_outs[len(run_outs) // 2]]
    cards = [eval7.Card(format_cards([card])) for card in river]
    live = [hand for hand in hand_cards().tolist() if not set(hand) & set(river)]
    sample = live[:: len(live) // SAMPLED_HANDS][:SAMPLED_HANDS]
    held = [[eval7.Card(format_cards([card])) for card in hand] for hand in sample]

    def run() -> None:
        for hand in held:
            eval7.py_hand_vs_range_exact(hand, villain, cards)

    return _best_of(3, run) / len(sample) * len(live) * len(run_outs)


def _run_outs(board: Sequence[int]) -> list[tuple[int, ...]]:
    """The cards that can complete a board."""
    rest = [card for card in range(52) if card not in board]
    return list(combinations(rest, 5 - len(board)))


def _best_of(repeats: int, run: Callable[[], object]) -> float:
    """Least seconds of several runs, after one that warms up."""
    run()
    seconds = []
    for _ in range(repeats):
        start = perf_counter()
        run()
        seconds.append(perf_counter() - start)
    return min(seconds)


if __name__ == "__main__":
    main()

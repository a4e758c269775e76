"""Hand strength: hands a second in a batch and microseconds a river board, beside other evaluators.

Run with ``python benchmarks/strength.py``. eval7 and phevaluator are measured where installed; they
have no batch call, so their figures include a Python call per hand, as their users pay it.
"""

from collections.abc import Callable, Sequence
from time import perf_counter

import numpy as np
from rich.console import Console
from rich.table import Table

from endspiel.cards.deck import NUM_HANDS, hand_cards
from endspiel.cards.strength import fill_board_strengths, fill_strengths, strength, strengths
from endspiel.cards.strength_tables import strength_tables
from endspiel.cards.text import format_card, parse_cards

BATCH = 4_000_000
CALLED_SINGLY = 200_000
BOARD = "Jc 8d 5c 2h Kc"
Evaluator = Callable[[list[list[int]]], float]


def main() -> None:
    """Measure and print both tables."""
    rng = np.random.default_rng(7)
    hands = rng.random((BATCH, 52), dtype=np.float32).argpartition(7, axis=1)[:, :7]
    hands = hands.astype(np.uint8)
    rates = {"endspiel, batch kernel": BATCH / _kernel_seconds(hands)}
    rates["endspiel, checked batch"] = BATCH / _best_of(5, lambda: strengths(hands))
    singly = hands[:CALLED_SINGLY].tolist()
    rates["endspiel, one call a hand"] = CALLED_SINGLY / _seconds_singly(strength, singly)
    for name, measure in _others().items():
        rates[f"{name}, one call a hand"] = CALLED_SINGLY / measure(singly)

    board = parse_cards(BOARD)
    live = [hand for hand in hand_cards().tolist() if not set(hand) & set(board)]
    boards = {"endspiel, all hands in one call": _board_seconds(board)}
    for name, measure in _others().items():
        boards[f"{name}, one call a hand"] = measure([board + hand for hand in live])

    console = Console()
    console.print(_table("Seven-card hands, one core", "million hands/s", rates, 1e-6))
    per_second = {name: 1 / seconds for name, seconds in boards.items()}
    console.print(_table(f"River {BOARD}, {len(live)} hands", "boards/s", per_second, 1.0))
    console.print(f"one river board: {boards['endspiel, all hands in one call'] * 1e6:.2f} µs")


def _kernel_seconds(hands: np.ndarray) -> float:
    """Seconds of the unchecked kernel over a batch [N, 7]."""
    out = np.empty(len(hands), np.uint16)
    tables = strength_tables(7)
    return _best_of(9, lambda: fill_strengths(tables, hands, out))


def _board_seconds(board: Sequence[int]) -> float:
    """Seconds of one river board, the call from Python included."""
    cards, out, repeats = np.array(board, np.uint8), np.empty(NUM_HANDS, np.uint16), 1000
    tables = strength_tables(7)

    def run() -> None:
        for _ in range(repeats):
            fill_board_strengths(tables, cards, out)

    return _best_of(9, run) / repeats


def _others() -> dict[str, Evaluator]:
    """The other evaluators that are installed: name -> seconds for hands given as card numbers."""
    found: dict[str, Evaluator] = {}
    try:
        import eval7
    except ImportError:
        pass
    else:
        cards = [eval7.Card(format_card(card)) for card in range(52)]
        found["eval7"] = lambda hands: _seconds_singly(
            eval7.evaluate, [[cards[card] for card in hand] for hand in hands]
        )
    try:
        from phevaluator import evaluate_cards
    except ImportError:
        pass
    else:  # it numbers cards as this package does
        found["phevaluator"] = lambda hands: _seconds_singly(lambda h: evaluate_cards(*h), hands)
    return found


def _seconds_singly(evaluate: Callable[[list[int]], object], hands: list[list[int]]) -> float:
    """Seconds of calling an evaluator hand by hand."""

    def run() -> None:
        for hand in hands:
            evaluate(hand)

    return _best_of(2, run)


def _best_of(repeats: int, run: Callable[[], object]) -> float:
    """Least seconds of several runs, after one that warms up."""
    run()
    seconds = []
    for _ in range(repeats):
        start = perf_counter()
        run()
        seconds.append(perf_counter() - start)
    return min(seconds)


def _table(title: str, unit: str, rates: dict[str, float], scale: float) -> Table:
    """Rates with their ratio to the first."""
    table = Table("evaluator", unit, "times slower", title=title)
    first = next(iter(rates.values()))
    for name, rate in rates.items():
        table.add_row(name, f"{rate * scale:,.2f}", f"{first / rate:,.1f}")
    return table


if __name__ == "__main__":
    main()

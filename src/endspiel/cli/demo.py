"""`endspiel demo`: the endgame paper's Appendix B hand, as far as the program goes."""

import time

import typer
from rich.console import Console
from rich.table import Table

from endspiel.cli.output import JsonOption, quiet, write_json

BOARD = "Jc 6s 2c Kd Qc"
HAND = "Th8d"


def demo(json: JsonOption = None) -> None:
    """Show hand ranks and equities on the river board of the paper's Appendix B."""
    typer.echo("Endspiel: the first run on a machine compiles for some seconds.", err=True)
    from endspiel.cards.deck import hand_index
    from endspiel.cards.equity import equities
    from endspiel.cards.ranges import parse_range
    from endspiel.cards.strength import board_strengths, category
    from endspiel.cards.text import parse_board, parse_hand

    board = parse_board(BOARD)
    hand = hand_index(*parse_hand(HAND))
    everything = parse_range("random")
    board_strengths(board), equities(everything, board)  # compile before timing
    start = time.perf_counter()
    strength = board_strengths(board)
    equity = equities(everything, board)
    seconds = time.perf_counter() - start
    live = strength > 0
    worse = int((strength[live] < strength[hand]).sum())
    equal = int((strength[live] == strength[hand]).sum())
    write_json(
        json,
        {
            "board": BOARD,
            "hand": HAND,
            "hands": int(live.sum()),
            "rank": worse,
            "category": category(int(strength[hand])),
            "equity": float(equity[hand]),
            "seconds": seconds,
        },
    )
    if quiet(json):
        return
    table = Table(title=f"Appendix B: {HAND} on {BOARD}", show_header=False)
    table.add_row("hands on this board", f"{int(live.sum())}")
    table.add_row(
        "our hand", f"{category(int(strength[hand]))}, {worse} hands are worse, {equal - 1} tie"
    )
    table.add_row("", f"rank {worse} to {worse + equal - 1} of {int(live.sum())} (paper: 296)")
    table.add_row("equity against any hand", f"{equity[hand]:.4f}")
    table.add_row("all ranks and equities in", f"{1e3 * seconds:.2f} ms")
    console = Console()
    console.print(table)
    from endspiel.cards.classes import format_grid, grid

    console.print("Equity in percent against any hand, by class (suited above the diagonal):")
    console.print(format_grid(grid(equity, live.astype(float))), highlight=False)

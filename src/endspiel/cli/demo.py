"""`endspiel demo`: the endgame paper's Appendix B hand, solved on all 1081 x 1081 hands."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from endspiel.cli.output import JsonOption, quiet, write_json

if TYPE_CHECKING:
    from rich.table import Table

    from endspiel.games.spot import Spot
    from endspiel.strategy import NodeView

SPOT = Path(__file__).parent / "data" / "appendix_b.toml"
HAND = "Th8d"
TARGET = 0.003  # share of the pot
# What the paper prints for this hand after the opponent's check; its ranges and its 35 and 38
# buckets of hands were others, so the figures are beside ours, not against them.
PAPER_RANK = 296
PAPER_SECONDS = 6.985
PAPER_STRATEGY = {"c": 0.742, "b1500": 0.140, "b2250": 0.103, "b4500": 0.014}


def demo(json: JsonOption = None) -> None:
    """Solve the river of the paper's Appendix B and show what to do with its hand."""
    typer.echo("Endspiel: the first run on a machine compiles for about 20 seconds.", err=True)
    from endspiel.games.spot import load_spot
    from endspiel.solvers.solve import Effort
    from endspiel.solvers.spot import prepare
    from endspiel.strategy import SpotSolution

    spot = load_spot(SPOT)
    start = time.perf_counter()
    ranked = _rank(spot)
    prepare(spot).run(Effort(iterations=1))  # compile before timing
    built = time.perf_counter()
    task = prepare(spot)
    build_seconds = time.perf_counter() - built
    solution = SpotSolution.of(task.run(Effort(target=TARGET)))
    asked = time.perf_counter()
    opening, reply = solution.view(""), solution.view("c")
    ours = reply.chosen(HAND)
    ev = reply.over(reply.ev, ours)
    look_seconds = time.perf_counter() - asked
    result = {
        **ranked,
        "pot": spot.pot,
        "method": solution.method,
        "iterations": solution.iterations,
        "seconds": solution.seconds,
        "build_seconds": build_seconds,
        "look_seconds": look_seconds,
        "total_seconds": time.perf_counter() - start,
        "exploitability": solution.exploitability,
        "value": solution.value,
        "threads": solution.threads,
        "memory_bytes": solution.memory_bytes,
        "nodes": solution.game.num_nodes,
        "infosets": solution.game.num_infosets,
        "opening": opening.summary()["actions"],
        "strategy": dict(zip(reply.actions, reply.strategy[:, ours[0]].tolist(), strict=True)),
        "ev": ev,
        "paper": {"rank": PAPER_RANK, "seconds": PAPER_SECONDS, "strategy": PAPER_STRATEGY},
    }
    write_json(json, result)
    if not quiet(json):
        _show(opening, reply, result)


def _rank(spot: "Spot") -> dict[str, Any]:
    """Where our hand stands among all hands, and its equity against any."""
    from endspiel.cards.deck import hand_index
    from endspiel.cards.equity import equities
    from endspiel.cards.strength import board_strengths, category
    from endspiel.cards.text import format_cards, parse_hand

    board, hand = list(spot.board), hand_index(*parse_hand(HAND))
    board_strengths(board), equities(spot.ranges[0], board)  # compile before timing
    start = time.perf_counter()
    strength = board_strengths(board)
    equity = equities(spot.ranges[0], board)
    live = strength > 0
    return {
        "board": format_cards(board, " "),
        "hand": HAND,
        "hands": int(live.sum()),
        "rank": int((strength[live] < strength[hand]).sum()),
        "ties": int((strength[live] == strength[hand]).sum()) - 1,
        "category": category(int(strength[hand])),
        "equity": float(equity[hand]),
        "rank_seconds": time.perf_counter() - start,
    }


def _show(opening: "NodeView", reply: "NodeView", result: dict[str, Any]) -> None:
    from rich.console import Console

    from endspiel.cli.grid import show_node

    console = Console()
    console.print(_facts(result))
    console.print("\nThe opponent opens:", style="bold")
    show_node(console, opening)
    console.print("We answer a check:", style="bold")
    show_node(console, reply)
    console.print(_beside_paper(result))
    console.print(
        f"EV {result['ev']:.0f} of {result['pot']} chips. Ranges here are uniform; the paper's "
        "came from its blueprint, where this hand had equity 0, so the two need not agree.",
        highlight=False,
    )


def _facts(result: dict[str, Any]) -> "Table":
    from rich.table import Table

    rank, ties, hands = result["rank"], result["ties"], result["hands"]
    table = Table(title=f"Appendix B: {HAND} on {result['board']}", show_header=False)
    table.add_row("our hand", f"{result['category']}, {rank} hands are worse, {ties} tie")
    table.add_row("rank", f"{rank} to {rank + ties} of {hands} (paper: {PAPER_RANK})")
    table.add_row("equity against any hand", f"{result['equity']:.4f}")
    table.add_row("all ranks and equities", f"{1e3 * result['rank_seconds']:.1f} ms")
    table.add_row("the game", f"{result['nodes']} decision nodes, {result['infosets']:,} infosets")
    table.add_row("building it", f"{1e3 * result['build_seconds']:.0f} ms")
    table.add_row("solving it", f"{result['seconds']:.2f} s, {result['iterations']} iterations")
    table.add_row("", f"to {100 * result['exploitability']:.2g}% of the pot")
    table.add_row("", f"(paper: {PAPER_SECONDS} s, in 35 and 38 buckets of hands)")
    table.add_row("strategies and values of two nodes", f"{1e3 * result['look_seconds']:.0f} ms")
    return table


def _beside_paper(result: dict[str, Any]) -> "Table":
    """Our hand's strategy after the check, with the paper's figures beside."""
    from rich.table import Table

    from endspiel.strategy.views import action_name

    table = Table("action", "ours", "paper", title=f"{HAND} after the opponent's check")
    for word, share in result["strategy"].items():
        table.add_row(action_name(word, 0), f"{share:.3f}", f"{PAPER_STRATEGY.get(word, 0):.3f}")
    return table

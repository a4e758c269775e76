"""`endspiel demo`: the endgame paper's Appendix B hand, from the first raise to the river."""

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from endspiel.cli.output import JsonOption, quiet, write_json

if TYPE_CHECKING:
    from rich.table import Table

    from endspiel.blueprint.blueprint import Blueprint
    from endspiel.kernels.arrays import Floats
    from endspiel.reproduce.appendix_b import AppendixB
    from endspiel.rules.state import State

# Chips over the whole hand: we raise to 250, are raised to 750 and call; both check the flop; on
# the turn the opponent checks, we bet 375 and are called.
BETTING = (250, 750, 0, 0, 0, 0, 1125, 0)
SEED = 1  # of what bets outside the blueprint's tree are taken for
STEPS = {
    "prior": "both distributions of hands, from the blueprint",
    "equities": "equities of all hands",
    "buckets": "betting and buckets",
    "matrices": "payoffs of all pairs of buckets",
    "instance": "the linear program, built",
    "solve": "the linear program, solved",
}


def demo(
    population: Annotated[
        str,
        typer.Option(
            metavar="range|all",
            help="The hands whose equities make the buckets: the player's range, or all hands "
            "that the board leaves, as in the paper's Algorithm 5 (the program then has its "
            "size).",
        ),
    ] = "range",
    json: JsonOption = None,
) -> None:
    """Play the paper's Appendix B hand and solve its river exactly."""
    from endspiel.blueprint.blueprint import load_blueprint
    from endspiel.reproduce.appendix_b import OPTIONS, PAPER_SECONDS, PAPER_TOTAL, appendix_b

    options = replace(OPTIONS, population=population)
    blueprint, state = load_blueprint(), river_state()
    appendix_b(lambda: hand_ranges(blueprint, state), options)  # files are read before timing
    start = time.perf_counter()
    found = appendix_b(lambda: hand_ranges(blueprint, state), options)
    wall = time.perf_counter() - start
    solution = found.solution
    result = {
        "method": solution.method,
        "iterations": solution.iterations,
        "scouting_iterations": solution.scouting_iterations,
        "seconds": found.total,
        "exploitability": solution.exploitability,
        "exploitability_in_buckets": solution.exploitability,
        "exploitability_on_real_cards": found.on_real_cards,
        "population": population,
        "value": solution.value,
        "threads": 1,
        "nodes": solution.tree.num_nodes,
        "steps": found.seconds,
        "wall_seconds": wall,
        "buckets": list(found.buckets),
        "rank": found.rank,
        "equity": found.equity,
        "bucket": found.bucket,
        "their_equity": found.their_equity,
        "their_bucket": found.their_bucket,
        "strategy": found.strategy,
        "blueprint": blueprint.path.name,
        "paper": {"steps": PAPER_SECONDS, "seconds": PAPER_TOTAL},
    }
    write_json(json, result)
    if not quiet(json):
        _show(found)


def river_state() -> "State":
    """The state of the hand on the river."""
    from endspiel.rules.builtin import load_rules
    from endspiel.rules.state import start

    state = start(load_rules("nolimit-holdem"))
    for action in BETTING:
        state = state.apply(action)
    return state


def hand_ranges(blueprint: "Blueprint", state: "State") -> "tuple[Floats, Floats]":
    """Both players' hands [1326] as the blueprint brings them to the river."""
    from endspiel.agent.follow import Follower
    from endspiel.ranges.prior import hand_prior
    from endspiel.reproduce.appendix_b import BOARD

    follower = Follower(blueprint, state.game)
    follower.begin(SEED)
    return hand_prior(BOARD, follower.line(state, BOARD)).ranges


def _show(found: "AppendixB") -> None:
    from rich.console import Console

    from endspiel.cards.text import format_cards, format_hand
    from endspiel.reproduce.appendix_b import BOARD, HAND

    console = Console()
    console.print(
        f"Blinds 50 and 100, stacks 20,000. We have {format_hand(HAND)} in the small blind: raise "
        "to 250, raised to 750, call. Flop checked. On the turn we bet 375 and are called. The "
        f"board is {format_cards(BOARD, ' ')}, the pot 2,250, the opponent checks.",
        highlight=False,
    )
    console.print(_steps(found))
    console.print(_facts(found))
    console.print(_strategy(found))
    console.print(
        "The paper's distributions came from its own blueprint, so figures of the hand are beside "
        "ours, not against them.",
        highlight=False,
    )


def _steps(found: "AppendixB") -> "Table":
    from rich.table import Table

    from endspiel.reproduce.appendix_b import PAPER_SECONDS, PAPER_TOTAL

    table = Table("step", "seconds", "paper", title="Appendix B")
    for step, seconds in found.seconds.items():
        table.add_row(STEPS[step], f"{seconds:.4f}", f"{PAPER_SECONDS[step]:.3f}")
    table.add_row("in all", f"{found.total:.3f}", f"{PAPER_TOTAL:.3f}", style="bold")
    return table


def _facts(found: "AppendixB") -> "Table":
    from rich.table import Table

    from endspiel.reproduce.appendix_b import PAPER_BUCKETS, PAPER_RANK

    table = Table("", "ours", "paper")
    theirs, ours = found.buckets
    table.add_row("buckets, opponent and us", f"{theirs}, {ours}", "{}, {}".format(*PAPER_BUCKETS))
    table.add_row("hands that ours beats, of 1081", str(found.rank), f"rank {PAPER_RANK}")
    table.add_row("our equity and bucket", f"{found.equity:.3f}, {found.bucket}", "0, 0")
    other = f"{found.their_equity:.3f}, {found.their_bucket}"
    table.add_row("the same hand, if the opponent had it", other, "0.336, 8")
    gap = f"{found.solution.exploitability:.1e} of the pot"
    table.add_row(f"exploitability inside the buckets ({found.solution.method})", gap, "exact")
    real = f"{100 * found.on_real_cards:.2f}% of the pot"
    table.add_row("of the same strategies on real cards", real, "")
    return table


def _strategy(found: "AppendixB") -> "Table":
    """Our hand's strategy after the check, with the paper's figures beside."""
    from rich.table import Table

    from endspiel.reproduce.appendix_b import PAPER_STRATEGY
    from endspiel.solving.views import action_name

    table = Table("action", "ours", "paper", title="Th8d after the opponent's check")
    for word, share in found.strategy.items():
        table.add_row(action_name(word, 0), f"{share:.3f}", f"{PAPER_STRATEGY.get(word, 0):.3f}")
    return table

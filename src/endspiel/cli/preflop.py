"""`endspiel preflop`: heads-up push or fold, solved exactly."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from endspiel.cli.output import JsonOption, quiet, write_json

if TYPE_CHECKING:
    from endspiel.game import Game
    from endspiel.solvers.solution import Solution

MANY_BLINDS = 25  # above, players raise less than all-in: the answer is that of another game


def preflop(
    stack: Annotated[
        float, typer.Option(help="The smaller stack before blinds, in big blinds or in chips.")
    ],
    ante: Annotated[float, typer.Option(help="Ante of each player.")] = 0.0,
    small_blind: Annotated[float, typer.Option(help="The small blind.")] = 0.5,
    big_blind: Annotated[
        float, typer.Option(help="The big blind: 1, or chips like all the rest.")
    ] = 1.0,
    method: Annotated[
        str, typer.Option(help="lp (exactly), or cfr+, dcfr and the others of endspiel game.")
    ] = "lp",
    target: Annotated[
        float, typer.Option(help="Big blinds of exploitability at which an iterative method ends.")
    ] = 1e-6,
    json: JsonOption = None,
) -> None:
    """Solve heads-up push or fold: which hands the small blind moves all-in, the big blind calls.

    Prints both charts in percent, what the small blind wins a hand and the exploitability, in big
    blinds. Every pair of hands counts, with exact equities.
    """
    from endspiel.engine.limits import Limits
    from endspiel.games.push_fold import push_fold
    from endspiel.solvers.solve import EXACT, check_method, solve

    check_method(method)
    game = push_fold(stack, ante, small_blind, big_blind)
    limits = Limits(target_units=None if method in EXACT else target * big_blind)
    solution = solve(game, method, limits)
    result = _result(game, solution) | {"stack": stack / big_blind, "ante": ante / big_blind}
    write_json(json, result)
    if stack > MANY_BLINDS * big_blind:
        typer.echo(
            f"endspiel: with over {MANY_BLINDS} big blinds push or fold is far from all of poker",
            err=True,
        )
    if not quiet(json):
        _show(result)


def _result(game: "Game", solution: "Solution") -> dict[str, Any]:
    """Both charts by class, and the rest in big blinds."""
    from endspiel.games.export import strategy_table

    unit = game.unit or 1.0
    pusher, caller = strategy_table(game, solution.profile)
    return {
        "value": solution.value / unit,
        "exploitability": solution.exploitability / unit,
        "method": solution.method,
        "iterations": solution.iterations,
        "seconds": solution.seconds,
        "push": {name: shares["push"] for name, shares in pusher.items()},
        "call": {name: shares["call"] for name, shares in caller.items()},
    }


def _show(result: dict[str, Any]) -> None:
    import numpy as np

    from endspiel.cards.classes import class_hands, class_names, format_grid
    from endspiel.cards.deck import NUM_HANDS, NUM_RANKS

    sizes = np.array([len(hands) for hands in class_hands()])
    ante = f", ante {result['ante']:g}" if result["ante"] else ""
    typer.echo(f"Push or fold with {result['stack']:g} big blinds{ante}, by {result['method']}")
    for title, key in (("Small blind pushes", "push"), ("Big blind calls", "call")):
        shares = np.array([result[key][name] for name in class_names()])  # [169]
        typer.echo(f"\n{title} {100 * shares @ sizes / NUM_HANDS:.1f}% of hands")
        typer.echo(format_grid(shares.reshape(NUM_RANKS, NUM_RANKS)))
    typer.echo(
        f"\nThe small blind wins {result['value']:+.6f} big blinds a hand; "
        f"exploitability {result['exploitability']:.2g}"
    )

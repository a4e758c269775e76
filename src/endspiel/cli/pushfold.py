"""`endspiel pushfold`: heads-up push or fold, solved exactly."""

from typing import Annotated, Any

import typer

from endspiel.bounds import BIG_BLINDS, LEAST_UNIT, MOST_UNITS
from endspiel.cli.output import JsonOption, quiet, write_json
from endspiel.cli.targets import target_option

TARGET = 1e-6  # big blinds
MANY_BLINDS = 25  # above, players raise less than all-in: the answer is that of another game


def pushfold(
    stack: Annotated[
        float,
        typer.Option(
            min=0.0,
            max=MOST_UNITS,
            help="The smaller stack before blinds, in big blinds or in chips.",
        ),
    ],
    ante: Annotated[
        float, typer.Option(min=0.0, max=MOST_UNITS, help="Ante of each player.")
    ] = 0.0,
    small_blind: Annotated[
        float, typer.Option(min=0.0, max=MOST_UNITS, help="The small blind.")
    ] = 0.5,
    big_blind: Annotated[
        float,
        typer.Option(
            min=LEAST_UNIT, max=MOST_UNITS, help="The big blind: 1, or chips like all the rest."
        ),
    ] = 1.0,
    method: Annotated[
        str,
        typer.Option(
            help="lp (exactly), or cfr+, dcfr and the other iterative methods of endspiel game."
        ),
    ] = "lp",
    target: Annotated[
        float,
        target_option(BIG_BLINDS, "Stop an iterative method at this exploitability", "0.001mbb"),
    ] = TARGET,
    json: JsonOption = None,
) -> None:
    """Solve heads-up push or fold exactly.

    Prints both charts in percent, the small blind's winnings a hand and the exploitability, in big
    blinds. Every pair of hands counts, with exact equities.
    """
    from endspiel.batch.preflop_solve import push_fold_record
    from endspiel.cards.classes import class_names
    from endspiel.engine.limits import Limits
    from endspiel.games.push_or_fold import PushFoldStakes
    from endspiel.solvers.methods import SMALL_GAME

    SMALL_GAME.check(method)
    posted = PushFoldStakes(stack, ante, small_blind, big_blind)
    result = push_fold_record(posted, method, Limits(target_units=target * big_blind))
    for name, chart in zip(("push", "call"), result["charts"], strict=True):
        result[name] = {one: chart["classes"][one][1] for one in class_names()}
    write_json(json, result)
    if stack > MANY_BLINDS * big_blind:
        typer.echo(
            f"endspiel: with over {MANY_BLINDS} big blinds push or fold is far from all of poker",
            err=True,
        )
    if not quiet(json):
        _show(result)


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

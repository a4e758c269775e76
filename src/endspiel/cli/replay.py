"""``endspiel replay``: check a dealer's log against the rules."""

from typing import Annotated

import typer

from endspiel.cli.output import JsonOption, check_apart, quiet, write_json
from endspiel.errors import StateError


def replay(
    log: Annotated[str, typer.Argument(metavar="LOG", help="An ACPC dealer's log.")],
    game: Annotated[
        str | None,
        typer.Option(
            "--game",
            metavar="NAME-or-FILE",
            help="The game played; by default the one the log's header names.",
        ),
    ] = None,
    json: JsonOption = None,
) -> None:
    """Check an ACPC log: replay each hand, recompute payoffs and score.

    The exit status is 0 if all agrees and 2 otherwise. Standard error names the first place where
    the log contradicts the rules, or the reason why it cannot be replayed.
    """
    from endspiel.rules.log import format_chips
    from endspiel.rules.replay import replay_log

    check_apart({}, json, {"LOG": log, "--game": game})
    result = replay_log(log, game)
    if not quiet(json):
        for mismatch in result.mismatches:
            typer.echo(f"{log}, line {mismatch.line}: {mismatch.text}")
        deals = f"deals of seed {', '.join(map(str, result.seeds))}" if result.seeds else "no seed"
        typer.echo(
            f"{result.game}: {result.hands} hands, {deals}, {result.scores} scores, "
            f"{len(result.mismatches)} mismatches"
        )
        for name, chips in result.totals.items():
            typer.echo(f"  {name}: {format_chips(chips)} chips")
    write_json(
        json,
        {
            "log": result.log,
            "game": result.game,
            "seeds": result.seeds,
            "hands": result.hands,
            "scores": result.scores,
            "totals": result.totals,
            "mismatches": len(result.mismatches),
            "details": [{"line": m.line, "text": m.text} for m in result.mismatches],
        },
    )
    if result.mismatches:
        first = result.mismatches[0]
        more = f", and {len(result.mismatches) - 1} more" if len(result.mismatches) > 1 else ""
        raise StateError(f"{log} contradicts the rules: line {first.line}, {first.text}{more}")

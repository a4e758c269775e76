"""`endspiel review`: played hands against solved strategies."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from endspiel.cli.output import JsonOption, check_apart, quiet, write_json
from endspiel.errors import EndspielError
from endspiel.processors import processors

if TYPE_CHECKING:
    from endspiel.review.judge import Judgment, Review

DEAREST = 10  # mistakes that are told


def review(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="A PokerStars history, an ACPC log, or a .phh or .phhs file."
        ),
    ],
    oop: Annotated[
        str, typer.Option(help="Range out of position where the review begins.")
    ] = "random",
    ip: Annotated[str, typer.Option(help="Range in position where the review begins.")] = "random",
    street: Annotated[
        str, typer.Option("--from", help="turn or river: the street from which on is solved.")
    ] = "turn",
    bet: Annotated[
        str, typer.Option(help="Bets that the solution may use besides those made.")
    ] = "50%, 100%",
    raises: Annotated[str, typer.Option("--raise", help="Likewise raises.")] = "60%",
    target: Annotated[
        float, typer.Option(help="Exploitability to solve to, in percent of the pot.")
    ] = 0.5,
    game: Annotated[
        str | None,
        typer.Option(
            help="The rules of an ACPC log or a PHH file, by name or file; by default those that "
            "the log's header names, or nolimit-holdem."
        ),
    ] = None,
    cache: Annotated[
        Path | None, typer.Option(help="Keep solved spots in this folder, and take them from it.")
    ] = None,
    threads: Annotated[int | None, typer.Option(help="Threads; by default all cores.")] = None,
    json: JsonOption = None,
) -> None:
    """Tell what each decision on turns and rivers lost against the solved strategy.

    Every hand is solved from the turn (or river) on with the ranges stated and its own bets among
    the menus'. Hands that cannot be read or judged are listed with their lines and the reason.
    """
    from endspiel.betting.menu import StreetMenu
    from endspiel.cards.ranges import parse_range
    from endspiel.review.judge import RIVER, TURN, Reviewer, ReviewSettings
    from endspiel.review.sources import read_hands

    streets = {"turn": TURN, "river": RIVER}
    if street not in streets:
        raise EndspielError(f"a review begins on the turn or the river, not on {street[:20]!r}")
    if cache is not None and not cache.is_dir():
        raise EndspielError(f"--cache {cache} is no folder")
    check_apart({}, json, {"FILE": file, "--game": game})
    settings = ReviewSettings(
        (parse_range(oop), parse_range(ip)),
        StreetMenu.parse(bet, raises),
        first_street=streets[street],
        target=target / 100,
        threads=threads or processors(),
        cache=cache,
    )
    reviewer = Reviewer(settings)
    found = reviewer.review(
        read_hands(file, game), lambda hand: typer.echo(f"hand {hand.name}", err=True)
    )
    write_json(json, _result(found, len(reviewer.solved)))
    if not quiet(json):
        _show(found, file)


def _result(found: "Review", spots: int) -> dict[str, Any]:
    from endspiel.review.judge import RIVER, TURN
    from endspiel.review.played import STREETS

    totals = {STREETS[street]: found.lost(street) for street in (TURN, RIVER)}
    return {
        "hands": found.hands,
        "spots": spots,
        "decisions": len(found.judgments),
        "unseen": found.unseen,
        "streets": {
            name: {"decisions": count, "big_blinds_lost": lost}
            for name, (count, lost) in totals.items()
        },
        "dearest": [_told(one) for one in found.dearest(DEAREST)],
        "judgments": [_told(one) for one in found.judgments],
        "broken": [one._asdict() for one in found.broken],
    }


def _told(one: "Judgment") -> dict[str, Any]:
    from endspiel.review.played import STREETS

    return one._asdict() | {"street": STREETS[one.street]}


def _show(found: "Review", file: str) -> None:
    from endspiel.review.judge import RIVER, TURN
    from endspiel.review.played import STREETS

    typer.echo(
        f"{found.hands} hands, {len(found.judgments)} decisions judged, "
        f"{found.unseen} of players whose cards are not known"
    )
    for street in (TURN, RIVER):
        count, lost = found.lost(street)
        typer.echo(f"  {STREETS[street]}: {count} decisions, {lost:.2f} big blinds lost")
    typer.echo(f"The {DEAREST} dearest decisions:")
    for one in found.dearest(DEAREST):
        where = f"after {one.node!r}" if one.node else "first to act"
        typer.echo(
            f"  {one.blinds:6.2f} bb  {file}:{one.line} hand {one.hand}, {STREETS[one.street]}: "
            f"{one.player} with {one.cards}, {where}: {one.taken} ({100 * one.share:.0f}%), "
            f"best {one.best}"
        )
    if found.broken:
        typer.echo(f"Not judged: {len(found.broken)}")
    for broken in found.broken:
        typer.echo(f"  {file}:{broken.line} hand {broken.name}: {broken.reason}")

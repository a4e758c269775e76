"""`endspiel review`: played hands against solved strategies."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from endspiel.cli.output import JsonOption, check_apart, quiet, write_json
from endspiel.cli.rakes import rake_typed
from endspiel.errors import EndspielError
from endspiel.processors import processors

if TYPE_CHECKING:
    from endspiel.review.judge import Judgment, Review

DEAREST = 10  # mistakes that are told


def review(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="A history of PokerStars, GGPoker, 888poker or Winamax, an ACPC log, or a .phh or "
            ".phhs file.",
        ),
    ],
    oop: Annotated[
        str, typer.Option(help="Range out of position where the review begins.")
    ] = "random",
    ip: Annotated[str, typer.Option(help="Range in position where the review begins.")] = "random",
    street: Annotated[
        str, typer.Option("--from", help="flop, turn or river: the street from which on is solved.")
    ] = "turn",
    bet: Annotated[
        str | None,
        typer.Option(
            help="Bets that the solution may use besides those made (default 50%, 100%; from the "
            "flop on 66%)."
        ),
    ] = None,
    raises: Annotated[
        str | None,
        typer.Option("--raise", help="Likewise raises (default 60%; from the flop on none)."),
    ] = None,
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
    rake: Annotated[
        str | None, typer.Option(help="The house takes this of every pot, as in 5%.")
    ] = None,
    rake_cap: Annotated[
        float | None, typer.Option(help="It takes at most so much, in the file's money.")
    ] = None,
    page: Annotated[
        str, typer.Option(help="Address of the study page, for links into it.")
    ] = "http://127.0.0.1:8733",
    threads: Annotated[int | None, typer.Option(help="Threads; by default all cores.")] = None,
    json: JsonOption = None,
) -> None:
    """Tell what each decision after the flop lost against the solved strategy.

    Every hand is solved from the turn on (or flop, or river) with the ranges stated and its own
    bets among the menus'. What cannot be read or judged is listed with its line and the reason.
    """
    from endspiel.betting.menu import StreetMenu
    from endspiel.cards.ranges import parse_range
    from endspiel.review.judge import FLOP, Reviewer, ReviewSettings
    from endspiel.review.played import STREETS
    from endspiel.review.sources import read_hands

    if street not in STREETS[FLOP:]:
        raise EndspielError(f"a review begins on the flop, turn or river, not on {street[:20]!r}")
    usual = ("66%", "") if street == "flop" else ("50%, 100%", "60%")
    if cache is not None and not cache.is_dir():
        raise EndspielError(f"--cache {cache} is no folder")
    check_apart({}, json, {"FILE": file, "--game": game})
    settings = ReviewSettings(
        (parse_range(oop), parse_range(ip)),
        StreetMenu.parse(usual[0] if bet is None else bet, usual[1] if raises is None else raises),
        first_street=STREETS.index(street),
        target=target / 100,
        threads=threads or processors(),
        cache=cache,
        rake=rake_typed(rake, rake_cap),
        page=page,
    )
    reviewer = Reviewer(settings)
    found = reviewer.review(
        read_hands(file, game), lambda hand: typer.echo(f"hand {hand.name}", err=True)
    )
    write_json(json, _result(found, len(reviewer.solved)))
    if not quiet(json):
        _show(found, file)


def _result(found: "Review", spots: int) -> dict[str, Any]:
    from endspiel.review.judge import FLOP
    from endspiel.review.played import STREETS

    totals = {name: found.lost(STREETS.index(name)) for name in STREETS[FLOP:]}
    return {
        "hands": found.hands,
        "spots": spots,
        "decisions": len(found.judgments),
        "unseen": found.unseen,
        "streets": {
            name: {"decisions": count, "big_blinds_lost": lost}
            for name, (count, lost) in totals.items()
        },
        "kinds": {
            kind: {"decisions": count, "big_blinds_lost": lost}
            for kind, (count, lost) in found.kinds().items()
        },
        "dearest": [_told(one) for one in found.dearest(DEAREST)],
        "judgments": [_told(one) for one in found.judgments],
        "broken": [one._asdict() for one in found.broken],
        "reasons": found.reasons(),
    }


def _told(one: "Judgment") -> dict[str, Any]:
    from endspiel.review.played import STREETS

    return one._asdict() | {"street": STREETS[one.street]}


def _show(found: "Review", file: str) -> None:
    from endspiel.review.judge import FLOP, RIVER
    from endspiel.review.played import STREETS

    typer.echo(
        f"{found.hands} hands, {len(found.judgments)} decisions judged, "
        f"{found.unseen} of players whose cards are not known"
    )
    for street in range(FLOP, RIVER + 1):
        count, lost = found.lost(street)
        if count:
            typer.echo(f"  {STREETS[street]}: {count} decisions, {lost:.2f} big blinds lost")
    for kind, (count, lost) in found.kinds().items():
        typer.echo(f"  {kind}: {count} decisions, {lost:.2f} big blinds lost")
    typer.echo(f"The {DEAREST} dearest decisions:")
    for one in found.dearest(DEAREST):
        where = f"after {one.node!r}" if one.node else "first to act"
        typer.echo(
            f"  {one.blinds:6.2f} bb  {file}:{one.line} hand {one.hand}, {STREETS[one.street]}: "
            f"{one.player} with {one.cards}, {where}: {one.taken} ({100 * one.share:.0f}%), "
            f"best {one.best}\n             {one.link}"
        )
    if found.broken:
        typer.echo(f"Not judged: {len(found.broken)}")
    for broken in found.broken:
        typer.echo(f"  {file}:{broken.line} hand {broken.name}: {broken.reason}")

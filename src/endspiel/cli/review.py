"""`endspiel review`: played hands against solved strategies."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from endspiel.bounds import MOST_THREADS, MOST_UNITS
from endspiel.cli.output import JsonOption, check_apart, quiet, resume_option, write_json
from endspiel.cli.targets import target_option
from endspiel.errors import EndspielError
from endspiel.jobs.job import PERCENT
from endspiel.jobs.rakes import rake_typed
from endspiel.processors import processors

if TYPE_CHECKING:
    from endspiel.review.judgments import Judgment, Review

OPENS, RERAISES = "2x, 3x, a", "3x, a"  # those of the charts that come along
DEAREST = 10  # mistakes that are listed
NAMED = 20  # hands that are not judged for one reason, on the screen


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
        str,
        typer.Option(
            "--from",
            help="The first street that is solved: preflop, flop, turn or river. preflop is for "
            "hands that two play alone; the charts then give the ranges on the flop.",
        ),
    ] = "turn",
    to: Annotated[str, typer.Option(help="The last street whose decisions are judged.")] = "river",
    player: Annotated[
        str | None, typer.Option(help="Judge the decisions of this player only.")
    ] = None,
    bet: Annotated[
        str | None,
        typer.Option(
            help="Bets of the solution besides those made (default 50%, 100%; from the flop on "
            "66%)."
        ),
    ] = None,
    raises: Annotated[
        str | None,
        typer.Option(
            "--raise",
            help="Raises of the solution besides those made (default 60%; from the flop on none).",
        ),
    ] = None,
    opens: Annotated[
        str, typer.Option(help="Before the flop: first raises besides those made.")
    ] = OPENS,
    reraises: Annotated[
        str, typer.Option(help="Before the flop: later raises besides those made.")
    ] = RERAISES,
    target: Annotated[float, target_option(PERCENT, "Solve to this exploitability", "0.5%")] = 0.5,
    game: Annotated[
        str | None,
        typer.Option(
            help="The rules of an ACPC log or a PHH file, by name or file; by default those that "
            "the log's header names, or nolimit-holdem."
        ),
    ] = None,
    resume: Annotated[Path | None, resume_option("Folder of solved spots", "--cache")] = None,
    rake: Annotated[str | None, typer.Option(help="Rake of each pot, as in 5%.")] = None,
    rake_cap: Annotated[
        float | None,
        typer.Option(min=0.0, max=MOST_UNITS, help="Rake cap, in the file's money."),
    ] = None,
    page: Annotated[
        str, typer.Option(help="Address of the study page, for links into it.")
    ] = "http://127.0.0.1:8733",
    threads: Annotated[
        int | None, typer.Option(min=1, max=MOST_THREADS, help="Threads; by default all cores.")
    ] = None,
    json: JsonOption = None,
) -> None:
    """List the EV that each played decision lost.

    Every hand is solved from the turn on (or preflop, flop, river) with the stated ranges, and with
    its own bets among the menus' bets. Hands that cannot be read or judged are listed with their
    line and the reason.
    """
    from endspiel import files
    from endspiel.betting.menu import StreetMenu
    from endspiel.cards.ranges import parse_range
    from endspiel.engine.limits import Limits
    from endspiel.review.before_flop import PreflopMenus
    from endspiel.review.judge import Reviewer, ReviewSettings
    from endspiel.review.sources import read_hands
    from endspiel.solving.spots import SpotOptions

    first, last = _street("--from", street), _street("--to", to)
    if last < first:
        raise EndspielError(f"a review from the {street} on cannot end on the {to}")
    usual = ("66%", "") if street in ("preflop", "flop") else ("50%, 100%", "60%")
    if resume is not None:
        files.check_folder(resume)
    check_apart({}, json, {"FILE": file, "--game": game})
    for text in (opens, reraises):
        StreetMenu.parse("", text)
    Limits(target_units=target / 100)
    SpotOptions(threads=threads or processors())
    settings = ReviewSettings(
        (parse_range(oop), parse_range(ip)),
        StreetMenu.parse(usual[0] if bet is None else bet, usual[1] if raises is None else raises),
        first_street=first,
        last_street=last,
        player=player,
        preflop=PreflopMenus(opens, reraises),
        target=target / 100,
        threads=threads or processors(),
        cache=resume,
        rake=rake_typed(rake, rake_cap),
        page=page,
    )
    if resume is not None:
        files.make_folder(resume)
    reviewer = Reviewer(settings)
    found = reviewer.review(
        read_hands(file, game), lambda hand: typer.echo(f"hand {hand.name}", err=True)
    )
    if player is not None and not found.hands:
        raise EndspielError(f"{player[:40]!r} is in no hand of {file} that could be read")
    write_json(json, _result(found, reviewer.spots))
    if not quiet(json):
        _show(found, file, street)


def _street(option: str, name: str) -> int:
    from endspiel.cards.streets import STREETS

    if name not in STREETS:
        raise EndspielError(f"{option} is preflop, flop, turn or river, not {name[:20]!r}")
    return STREETS.index(name)


def _result(found: "Review", spots: int) -> dict[str, Any]:
    from endspiel.cards.streets import STREETS

    def totals(by: dict[str, tuple[int, float]]) -> dict[str, dict[str, float]]:
        return {
            name: {"decisions": count, "big_blinds_lost": lost}
            for name, (count, lost) in by.items()
        }

    return {
        "hands": found.hands,
        "others": found.others,
        "spots": spots,
        "decisions": len(found.judgments),
        "unseen": found.unseen,
        "unsure": [one._asdict() for one in found.unsure],
        "streets": totals({name: found.lost(at) for at, name in enumerate(STREETS)}),
        "kinds": totals(found.kinds()),
        "players": totals(found.players()),
        "dearest": [_told(one) for one in found.dearest(DEAREST)],
        "judgments": [_told(one) for one in found.judgments],
        "early": [one._asdict() for one in found.early],
        "broken": [one._asdict() for one in found.broken],
        "reasons": found.reasons(),
    }


def _assumed(one: "Judgment") -> str:
    """The ranges that a loss assumes, where they are not those of the options."""
    from endspiel.cards.deck import NUM_HANDS
    from endspiel.cards.ranges import parse_range
    from endspiel.review.judge import STATED

    if one.by in ("", STATED):
        return ""
    shares = [100 * float(parse_range(text).sum()) / NUM_HANDS for text in one.ranges]
    within = f", to {one.error:.2f} bb" if one.street == 0 else ""
    return (
        f"{within}\n             by {one.by}: out of position {shares[0]:.1f}% of hands, "
        f"in position {shares[1]:.1f}%"
    )


def _told(one: "Judgment") -> dict[str, Any]:
    from endspiel.cards.streets import STREETS

    return one._asdict() | {"street": STREETS[one.street]}


def _show(found: "Review", file: str, begins: str) -> None:
    from endspiel.cards.streets import STREETS

    typer.echo(
        f"{found.hands} hands, {len(found.judgments)} decisions judged, "
        f"{found.unseen} of players whose cards are not known"
    )
    if found.unsure:
        typer.echo(
            f"{len(found.unsure)} more lose less than the charts may be off by: not judged (--json "
            "names them)"
        )
    if found.early:
        typer.echo(f"{len(found.early)} hands end before the {begins}")
    if found.others:
        typer.echo(f"{found.others} hands are of others")
    by_street = {name: found.lost(at) for at, name in enumerate(STREETS)}
    for by in (by_street, found.kinds(), found.players()):
        for name, (count, lost) in by.items():
            if count:
                typer.echo(f"  {name}: {count} decisions, {lost:.2f} big blinds lost")
    dearest = found.dearest(DEAREST)
    if dearest:
        typer.echo(f"The {DEAREST} dearest mistakes:")
    elif found.judgments:
        typer.echo("No decision loses more than its solve may be off by.")
    for one in dearest:
        where = f"after {one.where!r}" if one.where else "first to act"
        typer.echo(
            f"  {one.blinds:6.2f} bb  {file}:{one.line} hand {one.hand}, {STREETS[one.street]}: "
            f"{one.player} with {one.cards}, {where}: {one.taken} ({100 * one.share:.0f}%), "
            f"best {one.best}{_assumed(one)}\n             {one.link}"
        )
    if found.broken:
        typer.echo(f"Not judged: {len(found.broken)}")
    for reason, count in found.reasons().items():
        named = [one for one in found.broken if one.reason == reason]
        for broken in named[:NAMED]:
            typer.echo(f"  {file}:{broken.line} hand {broken.name}: {reason}")
        if count > NAMED:
            typer.echo(f"  and {count - NAMED} more hands: {reason} (--json names all)")

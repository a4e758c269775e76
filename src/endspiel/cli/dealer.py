"""``endspiel dealer``: deal a match over the competition's protocol."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from endspiel.bounds import MOST_DEALER_SEED, MOST_ITERATIONS, MOST_MILLISECONDS
from endspiel.cli.output import JsonOption, check_apart, quiet, resume_option, write_json


def dealer(
    game: Annotated[str, typer.Argument(metavar="GAME", help="A game by name, or its file.")],
    hands: Annotated[
        int, typer.Argument(metavar="HANDS", min=1, max=MOST_ITERATIONS, help="How many hands.")
    ],
    seed: Annotated[
        int,
        typer.Argument(metavar="SEED", min=0, max=MOST_DEALER_SEED, help="The seed of the deals."),
    ],
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME...", help="The players' names, by seat."),
    ] = None,
    match: Annotated[str, typer.Option(help="The match's name.")] = "match",
    log: Annotated[
        Path | None, typer.Option(metavar="FILE", help="New log; MATCH.log by default.")
    ] = None,
    resume: Annotated[str | None, resume_option("Log, MATCH.log by default")] = None,
    host: Annotated[str, typer.Option(help="Address to listen at.")] = "127.0.0.1",
    ports: Annotated[
        str, typer.Option(metavar="P1,P2,...", help="Ports by seat; free ones by default.")
    ] = "",
    fixed_seats: Annotated[bool, typer.Option(help="Keep the seats between hands.")] = False,
    t_response: Annotated[
        int,
        typer.Option(
            "--t-response",
            "--t_response",
            min=1,
            max=MOST_MILLISECONDS,
            help="The longest response, in ms.",
        ),
    ] = 600_000,
    t_hand: Annotated[
        int,
        typer.Option(
            "--t-hand",
            "--t_hand",
            min=1,
            max=MOST_MILLISECONDS,
            help="The longest hand of each player, in ms.",
        ),
    ] = 600_000,
    t_per_hand: Annotated[
        int,
        typer.Option(
            "--t-per-hand",
            "--t_per_hand",
            min=1,
            max=MOST_MILLISECONDS,
            help="The longest mean hand, in ms.",
        ),
    ] = 7_000,
    start_timeout: Annotated[
        int | None,
        typer.Option(
            "--start-timeout",
            "--start_timeout",
            min=1,
            max=MOST_MILLISECONDS,
            help="The longest wait for the players to connect, in ms.",
        ),
    ] = None,
    transcript: Annotated[
        bool, typer.Option(help="Print the messages that are sent and received on standard error.")
    ] = True,
    json: JsonOption = None,
) -> None:
    """Deal a match by the ACPC protocol and print the score."""
    from endspiel.arena.protocol.dealer import DealerServer
    from endspiel.arena.protocol.dealer_log import DealerLog, DealerPlan, TimeLimits
    from endspiel.rules.builtin import is_builtin, load_rules
    from endspiel.rules.log import format_score

    rules = load_rules(game)
    plan = DealerPlan(
        match=match,
        game=rules,
        game_file=f"{rules.name}.game" if is_builtin(game) else game,
        hands=hands,
        seed=seed,
        names=tuple(names or (f"player{seat + 1}" for seat in range(rules.num_players))),
        limits=TimeLimits(t_response, t_hand, t_per_hand, start_timeout),
        fixed_seats=fixed_seats,
    )
    doors = _numbers(ports)
    place = log or Path(resume or f"{match}.log")
    check_apart({"--log": place}, json, {"GAME": game})
    book = DealerLog(plan, place, resume is not None)

    def tell(line: str) -> None:
        if transcript or not line.startswith(("TO ", "FROM ", "STARTED ", "FINISHED ", "Seconds ")):
            sys.stderr.write(line)
            sys.stderr.flush()

    with book:
        table = DealerServer(plan, host, doors, book, tell)
        typer.echo(" ".join(map(str, table.ports)), err=quiet(json))
        score = table.run()
    typer.echo(format_score(score), err=quiet(json))
    write_json(
        json,
        {"match": match, "game": rules.name, "seed": seed, "hands": hands}
        | {"totals": dict(zip(score.names, score.totals, strict=True)), "log": str(book.path)},
    )


def _numbers(ports: str) -> list[int]:
    """Ports from a list like ``18791,18792``."""
    from endspiel.errors import EndspielError

    try:
        numbers = [int(port) for port in ports.split(",") if port]
    except ValueError as error:
        raise EndspielError(f"ports are numbers with commas between, not {ports!r}") from error
    if not all(0 <= number < 65536 for number in numbers):
        raise EndspielError(f"ports are numbers up to 65535, not {ports!r}")
    return numbers

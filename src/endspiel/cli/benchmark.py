"""``endspiel benchmark``: hands against public benchmark services, and checks of their files."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from endspiel.bounds import DEFAULT_SEED, MOST_DRAWN, MOST_ITERATIONS, MOST_SECONDS, MOST_SEED
from endspiel.cli.completing import complete_agent
from endspiel.cli.output import JsonOption, check_apart, quiet, resume_option, write_json
from endspiel.errors import EndspielError, Stopped
from endspiel.jobs.job import files_of

if TYPE_CHECKING:
    from endspiel.arena.protocol.benchmark_run import BenchmarkResult

CHECK = "check"
AgentOption = Annotated[
    str,
    typer.Option(
        metavar="AGENT",
        help="The agent that plays: see endspiel agents.",
        autocompletion=complete_agent,
    ),
]
HandsOption = Annotated[
    int, typer.Option(min=1, max=MOST_ITERATIONS, help="Hands with a result, in all.")
]
SeedOption = Annotated[
    int, typer.Option(min=0, max=MOST_SEED, help="Seed of the agent's own randomness.")
]
ResumeOption = Annotated[
    Path | None,
    resume_option("File of every hand, one JSON object a line", metavar="FILE"),
]
AivatOption = Annotated[
    bool,
    typer.Option(
        "--aivat",
        help="Where the service shows both hands, take out the luck of the cards and of the "
        "agent's dice; without it, that of all-ins.",
    ),
]
PauseOption = Annotated[
    float, typer.Option(min=0.0, max=3600.0, help="Seconds between two requests at least.")
]
TimeoutOption = Annotated[
    float, typer.Option(min=0.1, max=MOST_SECONDS, help="Seconds that an answer may take.")
]
AttemptsOption = Annotated[
    int, typer.Option(min=1, max=MOST_DRAWN, help="Attempts of a request before the run ends.")
]


def benchmark(
    service: Annotated[
        str, typer.Argument(metavar="slumbot|gtowizard|check", help="The service, or check.")
    ],
    address: Annotated[
        str,
        typer.Argument(
            metavar="URL-or-FILE",
            help="Address of the service's interface, as in https://HOST/api; with check, a file "
            "of --resume.",
        ),
    ],
    agent: AgentOption = "blueprint+nested",
    hands: HandsOption = 100,
    seed: SeedOption = DEFAULT_SEED,
    resume: ResumeOption = None,
    aivat: AivatOption = False,
    pause: PauseOption = 0.2,
    timeout: TimeoutOption = 180.0,
    attempts: AttemptsOption = 12,
    json: JsonOption = None,
) -> None:
    """Play 200-blind no-limit hold'em against a benchmark service.

    Both services play 50/100 blinds and 20,000 chips. gtowizard needs a key in GTOWIZARD_API_KEY.
    Hands whose answers were lost are counted apart: in `ended`, as recovered or unfinished. check
    replays the hands of a file by the rules and pays them again.
    """
    if service == CHECK:
        _check(Path(address), json)
        return
    play_benchmark(
        service, address, agent, hands, seed, resume, aivat, (timeout, pause, attempts), json
    )


def play_benchmark(
    service: str,
    address: str,
    agent: str,
    hands: int,
    seed: int,
    resume: Path | None,
    aivat: bool,
    asking: tuple[float, float, int],  # timeout, pause, attempts
    json: str | None,
) -> None:
    """Play against a service and print what was won."""
    from endspiel.agent import make_agent
    from endspiel.agent.solves import solved
    from endspiel.arena.protocol.benchmark_file import BenchmarkFile, BenchmarkHeader
    from endspiel.arena.protocol.benchmark_player import BenchmarkPlayer
    from endspiel.arena.protocol.benchmark_run import RULES, run_benchmark
    from endspiel.arena.protocol.gtowizard import GTOWIZARD, WizardTable
    from endspiel.arena.protocol.service import AskingPlan, WebService
    from endspiel.arena.protocol.slumbot import SLUMBOT, SlumbotTable
    from endspiel.cli.progress import Reporter
    from endspiel.rules.builtin import load_rules

    tables: dict[str, Any] = {SLUMBOT: SlumbotTable, GTOWIZARD: WizardTable}
    if service not in tables:
        raise EndspielError(f"there is no service {service[:40]!r}: slumbot, gtowizard or check")
    check_apart({"--resume": resume}, json, files_of([agent]))
    headers = {"X-API-Key": _key()} if service == GTOWIZARD else {}
    web = WebService(address, AskingPlan(*asking), headers)
    rules = load_rules(RULES)
    player = make_agent(agent, rules)
    header = BenchmarkHeader(service, web.address, agent, RULES, seed)
    try:
        with BenchmarkFile(header, resume) as file, Reporter().live() as progress:
            playing = BenchmarkPlayer(player, rules, seed, aivat)
            result = run_benchmark(tables[service](web, playing, file), file, hands, progress)
    except KeyboardInterrupt as stopped:
        kept = "" if resume is None else f": what is done is in {resume}"
        raise Stopped(f"stopped{kept}") from stopped
    finally:
        player.close()
    told = {"service": service, "agent": agent, "address": address, "seed": seed}
    told |= result.record() | {"repeated_requests": web.repeats}
    told |= {"fallbacks": dict(player.fallbacks), **solved(player)}
    write_json(json, told)
    if not quiet(json):
        typer.echo(f"{agent}: {result.main} mbb/h over {hands} hands against {address}")
        _show(result)


def _key() -> str:
    """The key of the environment."""
    from endspiel.arena.protocol.gtowizard import KEY_NAME

    key = os.environ.get(KEY_NAME, "").strip()
    if not key:
        raise EndspielError(f"the service needs a key: set {KEY_NAME} in the environment")
    return key


def _check(path: Path, json: str | None) -> None:
    from endspiel.arena.protocol.benchmark_run import check_benchmark

    check_apart({}, json, {"FILE": path})
    found = check_benchmark(path)
    write_json(
        json,
        found.header | found.result.record() | {"checked": found.checked, "wrong": found.wrong},
    )
    if not quiet(json):
        header = found.header
        typer.echo(f"{header['agent']} against {header['service']}: {found.result.main} mbb/h")
        _show(found.result)
        typer.echo(f"{found.checked} hands replayed and paid alike")
    if found.wrong:
        raise EndspielError(f"{len(found.wrong)} hands are wrong; the first: {found.wrong[0]}")


def _show(result: "BenchmarkResult") -> None:
    if result.aivat is not None:
        typer.echo(f"  less luck: {result.aivat} mbb/h over {result.aivat.units} hands")
    named = ", ".join(f"{count} {name}" for name, count in result.hands.items())
    typer.echo(f"  hands: {named}")

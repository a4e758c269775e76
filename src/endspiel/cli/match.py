"""``endspiel match``: agents against each other, with confidence intervals."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from endspiel.bounds import DEFAULT_SEED, MOST_DEALER_SEED, MOST_ITERATIONS
from endspiel.cli.completing import complete_agent
from endspiel.cli.output import (
    JsonOption,
    WorkersOption,
    check_apart,
    check_writable,
    quiet,
    resume_option,
    write_json,
)
from endspiel.errors import Stopped
from endspiel.jobs.job import files_of

if TYPE_CHECKING:
    from endspiel.arena.estimators.estimates import Estimate
    from endspiel.arena.match import MatchResult
    from endspiel.arena.tournament import Tournament


def match(
    agents: Annotated[
        list[str],
        typer.Argument(
            metavar="A B [MORE...]",
            help="Agents (see endspiel agents); more than two play a tournament.",
            autocompletion=complete_agent,
        ),
    ],
    hands: Annotated[
        int, typer.Option(min=1, max=MOST_ITERATIONS, help="Hands in all, of each pair of agents.")
    ] = 10_000,
    seed: Annotated[
        int, typer.Option(min=0, max=MOST_DEALER_SEED, help="Seed of the deals and of the agents.")
    ] = DEFAULT_SEED,
    duplicate: Annotated[
        bool, typer.Option(help="Play every deal twice, with the seats exchanged.")
    ] = True,
    game: Annotated[
        str, typer.Option(metavar="NAME-or-FILE", help="The game played.")
    ] = "nolimit-holdem",
    workers: WorkersOption = None,
    log: Annotated[
        Path | None, typer.Option(help="New log of the match; of a tournament, a folder of logs.")
    ] = None,
    resume: Annotated[
        str | None, resume_option("Log of the match; of a tournament, a folder of logs")
    ] = None,
    aivat: Annotated[
        bool,
        typer.Option(help="Estimate by AIVAT too, for agents with a policy; slower."),
    ] = False,
    aivat_values: Annotated[
        str | None,
        typer.Option(
            metavar="blueprint|open-hands",
            help="Values for AIVAT: blueprint (default if both agents play one) or open-hands.",
        ),
    ] = None,
    base: Annotated[
        str | None,
        typer.Option(
            metavar="AGENT",
            autocompletion=complete_agent,
            help="Another version of A: both play B, and A is compared with it by its endgames.",
        ),
    ] = None,
    estimator: Annotated[
        str,
        typer.Option(
            metavar="either|both|same",
            help="The hands of A and its base that are compared: see above.",
        ),
    ] = "either",
    base_seed: Annotated[
        int | None,
        typer.Option(
            min=0, max=MOST_DEALER_SEED, help="The base's deals and dice; those of A by default."
        ),
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the running result.")] = None,
    phh: Annotated[Path | None, typer.Option(help="Write the log's hands as a PHH file.")] = None,
    json: JsonOption = None,
) -> None:
    """Play agents against each other, with confidence intervals.

    The seed fixes every deal, on any number of cores. endspiel agents lists the agents and their
    options. The result counts the decisions that fell back on the blueprint, by reason.

    With --base, A and its base both play B. The difference is estimated from the hands that reach
    an endgame, the last round (2015 paper, Appendix C), by --estimator:

    either: hands where A or its base reaches one; all others count 0. Per hand; unbiased if both
    play alike before the endgame.

    both: hands where both reach one. Per endgame; unbiased if both reach the same endgames, or with
    another --base-seed.

    same: hands where both reach the same one. Per endgame; biased (Proposition 3).

    With one seed, versions with the same dice before the last round reach the same endgames, and
    all three count the same hands. The logs are checked for play before the last round: decisions
    in hands with the same cards and seed, or frequencies of betting lines where the seeds differ.
    An estimate is biased if the versions play differently there ("unbiased": false in the JSON,
    with the reason). The difference over all hands is printed beside it.
    """
    from endspiel.cli.progress import Reporter
    from endspiel.errors import EndspielError
    from endspiel.rules.builtin import load_rules

    rules = load_rules(game)
    if resume == "":
        raise EndspielError("there is no log to resume from: name it, as in --resume match.log")
    go_on = resume is not None
    log = log if resume is None else Path(resume)
    read: dict[str, str | Path | None] = {**files_of(agents), "--game": game}
    check_apart({"--resume" if go_on else "--log": log, "--plot": plot, "--phh": phh}, json, read)
    if len(agents) < 2:
        raise EndspielError(f"a match needs two agents; {agents[0]} is alone")
    if aivat_values and not aivat:
        raise EndspielError("values are of AIVAT: ask for it with --aivat")
    if base is None and base_seed is not None:
        raise EndspielError("a base's seed needs a base: name one with --base")
    if base is not None and (len(agents) > 2 or plot or phh or aivat):
        raise EndspielError(
            "versions are compared against one opponent, without pictures, PHH files or AIVAT"
        )
    if len(agents) > 2:
        from endspiel.arena.tournament import TournamentPlan, run_tournament

        if plot or phh or aivat_values:
            raise EndspielError(
                "pictures, PHH files and AIVAT's values are of one match, not of a tournament"
            )
        plan = TournamentPlan(rules, tuple(agents), hands, seed, duplicate, aivat)
        with Reporter(terse=True).live() as progress, _kept_in(log):
            outcome = run_tournament(plan, log, go_on, workers, _report, progress)
        _tell_tournament(outcome, json)
        return
    from endspiel.arena.match import run_match
    from endspiel.arena.plan import MatchPlan
    from endspiel.arena.plots import plot_match
    from endspiel.pictures import check_picture

    if phh and log is None:
        raise EndspielError("a PHH file is made from the log: name one with --resume")
    if plot:
        check_picture(plot)
        check_writable(plot)
    if phh:
        check_writable(phh)
    pair = MatchPlan(rules, (agents[0], agents[1]), hands, seed, duplicate, aivat, aivat_values)
    if base is not None:
        from endspiel.cli.match_versions import compare_versions

        version = base, seed if base_seed is None else base_seed
        with _kept_in(log):
            compare_versions(pair, version, estimator, (log, go_on, workers), json)
        return
    with Reporter(terse=True).live() as progress, _kept_in(log):
        result = run_match(pair, log, go_on, workers, progress)
    if plot:
        plot_match(result, plot)
    if phh and log:
        _convert(result, log, phh)
    _tell_match(result, json)


@contextmanager
def _kept_in(log: Path | None) -> Iterator[None]:
    """Say what Ctrl-C leaves of a match."""
    try:
        yield
    except KeyboardInterrupt as error:
        left = "no log was written" if log is None else f"--resume {log} continues it"
        raise Stopped(f"stopped; {left}") from error


def _convert(result: "MatchResult", log: Path, phh: Path) -> None:
    """Write the hands of a log as a PHH file."""
    from endspiel.arena.protocol.phh import write_phh
    from endspiel.rules.log import parse_record, read_lines

    game = result.plan.game
    hands = (line for _, line in read_lines(log) if line.startswith("STATE:"))
    write_phh((parse_record(game, line) for line in hands), phh)


def _report(result: "MatchResult") -> None:
    """One line a match of a tournament."""
    a, b = result.plan.agents
    print(f"{a} against {b}: {result.main} mbb/h", file=sys.stderr, flush=True)


def _tell_match(result: "MatchResult", json: str | None) -> None:
    """The result for people and as JSON."""
    plan, main = result.plan, result.main
    estimates = result.estimates()
    agents = zip(plan.labels, result.solves, strict=True)
    solving = {name: solves for name, solves in agents if solves is not None}
    if not quiet(json):
        from rich.console import Console
        from rich.table import Table

        from endspiel.agent.solves import by_count

        played = plan.hands - result.resumed
        rate = f", {played / result.seconds:,.0f} hands/s" if played else ""
        title = (
            f"{plan.agents[0]} against {plan.agents[1]}, {plan.hands:,} hands of {plan.game.name}"
        )
        table = Table("estimator", "mbb/h", "95% interval", "units", "noise against plain")
        table.title = title
        for found in estimates:
            gain = found.gain(estimates[0])
            table.add_row(
                found.name,
                f"{found.mean:+.1f}",
                _span(found),
                f"{found.units:,}",
                "" if gain is None else f"1/{gain:.2f}",
            )
        console = Console()
        console.print(table)
        console.print(
            f"{plan.agents[0]}: {main} mbb/h by the {main.name} estimate, "
            f"in {result.seconds:.1f} s{rate}"
        )
        for agent, solves, reasons in zip(
            plan.agents, result.solves, result.fallbacks, strict=True
        ):
            for line in solves.lines() if solves is not None else []:
                console.print(f"{agent}, {line}")
            for line in by_count(reasons):
                console.print(f"{agent} did not play as its spec says {line}")
    write_json(
        json,
        {
            "agents": list(plan.agents),
            "game": plan.game.name,
            "hands": plan.hands,
            "seed": plan.seed,
            "duplicate": plan.duplicate,
            "mbb_per_hand": main.mean,
            "interval": main.interval,
            "estimator": main.name,
            "chips": float(result.chips.sum()),
            "aivat_values": result.values,
            "estimates": {found.name: _record(found, estimates[0]) for found in estimates},
            "fallbacks": dict(zip(plan.labels, result.fallbacks, strict=True)),
            "solves": {name: dict(solves.ways) for name, solves in solving.items()},
            "gaps": {name: solves.summary() for name, solves in solving.items()},
            "resumed": result.resumed,
            "seconds": result.seconds,
        },
    )


def _span(found: "Estimate") -> str:
    return "" if found.interval is None else "{:+.1f} to {:+.1f}".format(*found.interval)


def _record(found: "Estimate", plain: "Estimate") -> dict[str, Any]:
    return {
        "mbb_per_hand": found.mean,
        "interval": found.interval,
        "units": found.units,
        "variance_reduction": found.gain(plain),
    }


def _tell_tournament(outcome: "Tournament", json: str | None) -> None:
    """Bankroll and run-off for people and as JSON."""
    bankroll, runoff = outcome.bankroll(), outcome.runoff()
    if not quiet(json):
        from rich.console import Console
        from rich.table import Table

        table = Table("agent", *outcome.agents, "bankroll", "run-off", title="mbb/h")
        for row, entry in enumerate(bankroll):
            cells = ["" if row == c else f"{x:+.1f}" for c, x in enumerate(outcome.means[row])]
            table.add_row(entry.name, *cells, str(entry), str(runoff.index(entry.name) + 1))
        Console().print(table)
    write_json(
        json,
        {
            "agents": list(outcome.agents),
            "mbb_per_hand": outcome.means.tolist(),
            "bankroll": {
                e.name: {"mbb_per_hand": e.mean, "interval": e.interval} for e in bankroll
            },
            "runoff": runoff,
        },
    )

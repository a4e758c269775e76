"""Agents against each other: a match, a tournament, or two versions of an agent."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from endspiel.bounds import DEFAULT_SEED, MOST_DEALER_SEED, MOST_ITERATIONS
from endspiel.errors import EndspielError
from endspiel.jobs.job import ALONE, Context, Files, Job, Result, about, files_of
from endspiel.progress import Progress

if TYPE_CHECKING:
    from endspiel.arena.estimators.estimates import Estimate
    from endspiel.arena.match import MatchResult
    from endspiel.arena.plan import MatchPlan
    from endspiel.arena.tournament import Tournament
    from endspiel.rules.game_def import GameDef


class MatchJob(Job, frozen=True):
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

    ledger: ClassVar = "Log of the match; of a tournament, a folder of logs"
    older: ClassVar = ()
    terse: ClassVar = True

    agents: Annotated[
        list[str],
        about(
            "Agents (see endspiel agents); more than two play a tournament.",
            metavar="A B [MORE...]",
            argument=True,
            complete="agent",
        ),
    ]
    hands: Annotated[int, about("Hands in all, of each pair of agents.", 1, MOST_ITERATIONS)] = (
        10_000
    )
    seed: Annotated[int, about("Seed of the deals and of the agents.", 0, MOST_DEALER_SEED)] = (
        DEFAULT_SEED
    )
    duplicate: Annotated[
        bool,
        about(
            "Play every deal twice, with the seats exchanged.",
            option="--duplicate/--no-duplicate",
        ),
    ] = True
    game: Annotated[str, about("The game played.", metavar="NAME-or-FILE")] = "nolimit-holdem"
    log: (
        Annotated[
            str, about("New log of the match; of a tournament, a folder of logs.", metavar="PATH")
        ]
        | None
    ) = None
    aivat: Annotated[
        bool,
        about(
            "Estimate by AIVAT too, for agents with a policy; slower.", option="--aivat/--no-aivat"
        ),
    ] = False
    aivat_values: (
        Annotated[
            str,
            about(
                "Values for AIVAT: blueprint (default if both agents play one) or open-hands.",
                metavar="blueprint|open-hands",
            ),
        ]
        | None
    ) = None
    base: (
        Annotated[
            str,
            about(
                "Another version of A: both play B, and A is compared with it by its endgames.",
                metavar="AGENT",
                complete="agent",
            ),
        ]
        | None
    ) = None
    estimator: Annotated[
        str,
        about(
            "The hands of A and its base that are compared: see above.", metavar="either|both|same"
        ),
    ] = "either"
    base_seed: (
        Annotated[
            int,
            about("The base's deals and dice; those of A by default.", 0, MOST_DEALER_SEED),
        ]
        | None
    ) = None
    plot: Annotated[str, about("Draw the running result.", metavar="FILE")] | None = None
    phh: Annotated[str, about("Write the log's hands as a PHH file.", metavar="FILE")] | None = None

    def read(self) -> Files:
        return {**files_of(self.agents), "--game": self.game}

    def written(self) -> Files:
        log = self.log if len(self.agents) == 2 else None  # of a tournament it is a folder
        return {"--log": log, "--plot": self.plot, "--phh": self.phh}

    def stopped(self, last: Progress | None, context: Context) -> str:
        log = self._log(context)
        return f"stopped; {'no log was written' if log is None else f'--resume {log} continues it'}"

    def _log(self, context: Context) -> Path | None:
        return context.resume or (None if self.log is None else Path(self.log))

    def run(self, context: Context = ALONE) -> Result:
        from endspiel.rules.builtin import load_rules

        rules, log = load_rules(self.game), self._log(context)
        self._check(context, log)
        kept = log, context.resume is not None, context.workers
        if len(self.agents) > 2:
            return self._tournament(rules, kept, context)
        from endspiel.arena.plan import MatchPlan

        plan = MatchPlan(
            *(rules, (self.agents[0], self.agents[1]), self.hands, self.seed),
            *(self.duplicate, self.aivat, self.aivat_values),
        )
        if self.base is not None:
            from endspiel.jobs.match_versions import compare_versions

            version = self.base, self.seed if self.base_seed is None else self.base_seed
            return compare_versions(plan, version, self.estimator, kept, context.observe)
        return self._match(plan, kept, context)

    def _check(self, context: Context, log: Path | None) -> None:
        """Refuse options that lack others."""
        if context.resume == Path():
            raise EndspielError("there is no log to resume from: name it, as in --resume match.log")
        if len(self.agents) < 2:
            raise EndspielError(f"a match needs two agents; {self.agents[0]} is alone")
        if self.aivat_values and not self.aivat:
            raise EndspielError("values are of AIVAT: ask for it with --aivat")
        if self.base is None and self.base_seed is not None:
            raise EndspielError("a base's seed needs a base: name one with --base")
        if self.base is not None and (len(self.agents) > 2 or self.plot or self.phh or self.aivat):
            raise EndspielError(
                "versions are compared against one opponent, without pictures, PHH files or AIVAT"
            )
        if len(self.agents) > 2 and (self.plot or self.phh or self.aivat_values):
            raise EndspielError(
                "pictures, PHH files and AIVAT's values are of one match, not of a tournament"
            )
        if self.phh and log is None:
            raise EndspielError("a PHH file is made from the log: name one with --resume")
        if self.plot:
            from endspiel.pictures import check_picture

            check_picture(Path(self.plot))

    def _tournament(
        self, rules: "GameDef", kept: tuple[Path | None, bool, Any], context: Context
    ) -> Result:
        from endspiel.arena.tournament import TournamentPlan, run_tournament

        plan = TournamentPlan(
            *(rules, tuple(self.agents), self.hands, self.seed, self.duplicate, self.aivat)
        )
        newest = Progress("hands", 0)

        def observe(progress: Progress) -> None:
            nonlocal newest
            newest = progress
            context.observe(progress)

        def report(result: "MatchResult") -> None:
            a, b = result.plan.agents
            context.observe(replace(newest, note=f"{a} against {b}: {result.main} mbb/h"))

        return TournamentFound(run_tournament(plan, *kept, report, observe))

    def _match(
        self, plan: "MatchPlan", kept: tuple[Path | None, bool, Any], context: Context
    ) -> Result:
        from endspiel.arena.match import run_match
        from endspiel.arena.plots import plot_match

        result = run_match(plan, *kept, context.observe)
        if self.plot:
            plot_match(result, Path(self.plot))
        if self.phh and kept[0]:
            _convert(result, kept[0], Path(self.phh))
        return MatchFound(result)


def _convert(result: "MatchResult", log: Path, phh: Path) -> None:
    """Write the hands of a log as a PHH file."""
    from endspiel.arena.protocol.phh import write_phh
    from endspiel.rules.log import parse_record, read_lines

    game = result.plan.game
    hands = (line for _, line in read_lines(log) if line.startswith("STATE:"))
    write_phh((parse_record(game, line) for line in hands), phh)


class TournamentJob(MatchJob, frozen=True):
    """Play a match of each pair of agents, and rank the agents.

    It is endspiel match with three agents or more, and takes the same options.
    """


class MatchFound(Result):
    """What one match gave."""

    def __init__(self, result: "MatchResult") -> None:
        self.result = result

    def show(self) -> None:
        result, plan, main = self.result, self.result.plan, self.result.main
        estimates = result.estimates()
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

    def record(self) -> dict[str, Any]:
        result, plan, main = self.result, self.result.plan, self.result.main
        estimates = result.estimates()
        agents = zip(plan.labels, result.solves, strict=True)
        solving = {name: solves for name, solves in agents if solves is not None}
        return {
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
        }


class TournamentFound(Result):
    """Bankroll and run-off."""

    def __init__(self, outcome: "Tournament") -> None:
        self.outcome = outcome

    def show(self) -> None:
        outcome = self.outcome
        bankroll, runoff = outcome.bankroll(), outcome.runoff()
        from rich.console import Console
        from rich.table import Table

        table = Table("agent", *outcome.agents, "bankroll", "run-off", title="mbb/h")
        for row, entry in enumerate(bankroll):
            cells = ["" if row == c else f"{x:+.1f}" for c, x in enumerate(outcome.means[row])]
            table.add_row(entry.name, *cells, str(entry), str(runoff.index(entry.name) + 1))
        Console().print(table)

    def record(self) -> dict[str, Any]:
        outcome = self.outcome
        bankroll, runoff = outcome.bankroll(), outcome.runoff()
        return {
            "agents": list(outcome.agents),
            "mbb_per_hand": outcome.means.tolist(),
            "bankroll": {
                e.name: {"mbb_per_hand": e.mean, "interval": e.interval} for e in bankroll
            },
            "runoff": runoff,
        }


def _span(found: "Estimate") -> str:
    return "" if found.interval is None else "{:+.1f} to {:+.1f}".format(*found.interval)


def _record(found: "Estimate", plain: "Estimate") -> dict[str, Any]:
    return {
        "mbb_per_hand": found.mean,
        "interval": found.interval,
        "units": found.units,
        "variance_reduction": found.gain(plain),
    }

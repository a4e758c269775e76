"""``endspiel lbr``: what a local best response wins from an agent."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from endspiel.bounds import DEFAULT_SEED, MOST_DRAWN, MOST_ITERATIONS, MOST_SEED
from endspiel.cli.completing import complete_agent
from endspiel.cli.output import (
    JsonOption,
    WorkersOption,
    check_apart,
    files_of,
    quiet,
    resume_option,
    write_json,
)
from endspiel.errors import Stopped

if TYPE_CHECKING:
    from endspiel.arena.responses import ResponsePlan, ResponseResult
    from endspiel.executor import GivenWorkers


def lbr(
    agent: Annotated[
        str,
        typer.Argument(metavar="AGENT", help="See endspiel agents.", autocompletion=complete_agent),
    ],
    setting: Annotated[
        str,
        typer.Option(
            metavar="fc|fcpa|fcpa-turn|56-turn",
            help="fc folds and calls; fcpa also bets the pot and all-in; fcpa-turn calls until "
            "the turn, then as fcpa; 56-turn has 56 bets from the turn on. In limit games "
            "the one bet is the raise of the rules.",
        ),
    ] = "fcpa-turn",
    boards: Annotated[
        int,
        typer.Option(
            min=1,
            max=MOST_ITERATIONS,
            help="Number of random boards; all hands are played on each.",
        ),
    ] = 100,
    seed: Annotated[
        int, typer.Option(min=0, max=MOST_SEED, help="Seed of the boards and of the agent.")
    ] = DEFAULT_SEED,
    game: Annotated[
        str, typer.Option(metavar="NAME-or-FILE", help="The game played.")
    ] = "nolimit-holdem",
    by: Annotated[
        str | None,
        typer.Option(
            metavar="AGENT",
            autocompletion=complete_agent,
            help="Measure the winnings of this agent, with all its hands, in place of the "
            "response; --setting does not apply.",
        ),
    ] = None,
    trunk: Annotated[
        bool,
        typer.Option(
            "--trunk",
            help="With --by: compare play before the flop alone. Flops are played by the value net "
            "for both, each knowing the range with which the other comes.",
        ),
    ] = False,
    beside: Annotated[
        str | None,
        typer.Option(
            metavar="AGENT",
            autocompletion=complete_agent,
            help="Measure this agent too, on the same boards, and print the difference.",
        ),
    ] = None,
    screen: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            max=MOST_DRAWN,
            help="Evaluate only the N most promising bets; still a valid lower bound. A quick "
            "pass over all bets chooses them: blueprint+nested spends a twentieth of its "
            "work on each from the turn on.",
        ),
    ] = None,
    resume: Annotated[
        Path | None,
        resume_option("File of finished boards, of any agents and settings", "--state"),
    ] = None,
    workers: WorkersOption = None,
    json: JsonOption = None,
) -> None:
    """Bound an agent's exploitability from below.

    On every board both players hold all their hands at once, so card luck is not in the result.
    `endspiel match lbr+setting=NAME+AGENT AGENT` plays the same hand by hand.
    """
    from endspiel.arena.responses import ResponsePlan
    from endspiel.rules.builtin import load_rules

    agents = [one for one in (agent, beside) if one is not None]
    check_apart({"--resume": resume}, json, {**files_of([*agents, by or agent]), "--game": game})
    rules = load_rules(game)
    plans = [ResponsePlan(rules, one, setting, boards, seed, by, screen, trunk) for one in agents]
    result, *others = [_measured(plan, workers, resume) for plan in plans]
    asked = {"setting": setting, "by": by, "game": rules.name, "boards": boards, "seed": seed}
    asked |= {"screen": screen, "trunk": trunk}
    told: dict[str, Any] = asked | _figures(result)
    if others:
        less = result.over(others[0])
        told["beside"] = _figures(others[0])
        told["lost_less"] = {"mbb_per_hand": less.mean, "interval": less.interval}
    write_json(json, told)
    if quiet(json):
        return
    for one in (result, *others):
        _print(one)
    if others:
        typer.echo(f"{beside} loses {less} mbb/h less than {agent} on the same boards")


def _measured(
    plan: "ResponsePlan", workers: "GivenWorkers", state: Path | None
) -> "ResponseResult":
    """What is won from one agent."""
    from endspiel.arena.responses import measure_response
    from endspiel.cli.progress import Reporter

    reporter = Reporter()
    try:
        with reporter.live():
            return measure_response(plan, workers, reporter, state)
    except KeyboardInterrupt as stopped:
        kept = "" if state is None else f"; what is done is in {state}"
        so_far = "no board is done" if reporter.last is None else reporter.last.counts
        raise Stopped(f"stopped: {so_far}{kept}") from stopped


def _figures(result: "ResponseResult") -> dict[str, Any]:
    """The JSON object of one agent."""
    main = result.main
    return {
        "agent": result.plan.agent,
        "mbb_per_hand": main.mean,
        "interval": main.interval,
        "mbb_per_hand_late": float(result.late.mean()),
        "units": result.units.tolist(),
        "slowest_answer_seconds": float(result.slowest.max()),
        "fallbacks": result.fallbacks,
        "processor_seconds": float(result.processor.sum()),
        "seconds": result.seconds,
    }


def _print(result: "ResponseResult") -> None:
    plan, late, processor = result.plan, result.late.mean(), result.processor.sum()
    won = f"{plan.by or f'lbr ({plan.setting})'} wins {result.main} mbb/h from {plan.agent}"
    where = "before the flop" if plan.trunk else f"{late:+.1f} of it by bets on late streets"
    typer.echo(f"{won} on {plan.boards} boards")
    typer.echo(f"  {where}; {processor:.0f} processor seconds")
    for reason, count in result.fallbacks.items():
        typer.echo(f"{plan.agent} did not play as its spec says {count} times: {reason}")

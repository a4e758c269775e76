"""``endspiel lbr``: what a local best response wins from an agent."""

from pathlib import Path
from typing import Annotated

import typer

from endspiel.cli.output import JsonOption, WorkersOption, check_apart, files_of, quiet, write_json
from endspiel.errors import Stopped


def lbr(
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="See `endspiel match --help`.")],
    setting: Annotated[
        str,
        typer.Option(
            metavar="fc|fcpa|fcpa-turn|56-turn",
            help="fc: folds and calls; fcpa: bets the pot and all-in too; fcpa-turn: the same, but "
            "calls until the turn; 56-turn: 56 bets from the turn on. In limit games all "
            "bets are the one raise that the rules allow.",
        ),
    ] = "fcpa-turn",
    boards: Annotated[int, typer.Option(help="Boards drawn; all hands are played on each.")] = 100,
    seed: Annotated[int, typer.Option(help="Of the boards and of the agent.")] = 0,
    game: Annotated[
        str, typer.Option(metavar="NAME-or-FILE", help="The game played.")
    ] = "nolimit-holdem",
    workers: WorkersOption = None,
    state: Annotated[
        Path | None,
        typer.Option(help="Remember finished boards here, and go on from it when it exists."),
    ] = None,
    json: JsonOption = None,
) -> None:
    """Bound what an agent can lose from below, by a player who knows it and looks one step ahead.

    On every board both players hold all their hands at once, so that neither's luck is in the
    result; `endspiel match lbr+setting=NAME+AGENT AGENT` plays the same hand by hand.
    """
    from endspiel.arena.responses import ResponsePlan, ResponseResult, measure_response
    from endspiel.cli.progress import WorkReporter
    from endspiel.rules.builtin import load_rules

    check_apart({"--state": state}, json, {**files_of([agent]), "--game": game})
    plan = ResponsePlan(load_rules(game), agent, setting, boards, seed)
    reporter, so_far = WorkReporter(), ["no board is done"]

    def tell(result: ResponseResult) -> None:
        done, checked, won = len(result.units), len(result.checked), ""
        if done:
            won = f", {result.main} mbb/h"
            so_far[0] = f"{result.main} mbb/h after {done} of {boards} boards"
        if done < boards or not plan.checks:
            reporter.tell("boards", done, boards, won)
        else:
            reporter.tell("boards checked down", checked, plan.checks, won)

    try:
        with reporter.live():
            result = measure_response(plan, workers, tell, state)
    except KeyboardInterrupt as stopped:
        kept = "" if state is None else f"; what is done is in {state}"
        raise Stopped(f"stopped: {so_far[0]}{kept}") from stopped
    main = result.main
    write_json(
        json,
        {
            "agent": agent,
            "setting": setting,
            "game": plan.game.name,
            "boards": boards,
            "boards_checked_down": plan.checks,
            "seed": seed,
            "mbb_per_hand": main.mean,
            "interval": main.interval,
            "slowest_answer_seconds": float(result.slowest.max()),
            "fallbacks": result.fallbacks,
            "seconds": result.seconds,
        },
    )
    if not quiet(json):
        typer.echo(f"lbr ({setting}) wins {main} mbb/h from {agent} on {boards} boards")
        for reason, count in result.fallbacks.items():
            typer.echo(f"{agent} fell back on its blueprint {count} times: {reason}")

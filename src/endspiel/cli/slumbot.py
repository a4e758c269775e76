"""``endspiel slumbot``: hands against a server that speaks Slumbot's web API."""

from typing import Annotated

import typer

from endspiel.bounds import DEFAULT_SEED, MOST_ITERATIONS, MOST_SEED
from endspiel.cli.completing import complete_agent
from endspiel.cli.output import JsonOption, check_apart, quiet, write_json
from endspiel.jobs.job import files_of


def slumbot(
    address: Annotated[
        str, typer.Argument(metavar="URL", help="Address of the API, as in https://HOST/api.")
    ],
    agent: Annotated[
        str,
        typer.Option(
            metavar="AGENT",
            help="The agent that plays: see endspiel agents.",
            autocompletion=complete_agent,
        ),
    ] = "blueprint+nested",
    hands: Annotated[int, typer.Option(min=1, max=MOST_ITERATIONS, help="Hands to play.")] = 100,
    seed: Annotated[
        int, typer.Option(min=0, max=MOST_SEED, help="Seed of the agent's own randomness.")
    ] = DEFAULT_SEED,
    json: JsonOption = None,
) -> None:
    """Play 200-blind no-limit hold'em against the server at an address."""
    from endspiel.agent import make_agent
    from endspiel.agent.solves import solved
    from endspiel.arena.protocol.slumbot import SlumbotClient, asking, play_slumbot
    from endspiel.rules.builtin import load_rules

    check_apart({}, json, files_of([agent]))
    ask, rules = asking(address), load_rules("nolimit-holdem")
    player = make_agent(agent, rules)
    try:
        result = play_slumbot(SlumbotClient(ask, player, rules), hands, seed)
    finally:
        player.close()
    write_json(
        json,
        {
            "agent": agent,
            "address": address,
            "hands": hands,
            "seed": seed,
            "mbb_per_hand": result.mean,
            "interval": result.interval,
            "fallbacks": dict(player.fallbacks),
            **solved(player),
        },
    )
    if not quiet(json):
        typer.echo(f"{agent}: {result} mbb/h over {hands} hands against {address}")

"""``endspiel acpc``: play as a client of the competition's protocol."""

from typing import Annotated

import typer

from endspiel.bounds import DEFAULT_SEED, MOST_SEED
from endspiel.cli.completing import complete_agent
from endspiel.cli.output import JsonOption, check_apart, quiet, write_json
from endspiel.jobs.job import files_of


def acpc(
    host: Annotated[str, typer.Argument(metavar="HOST", help="The dealer's address.")],
    port: Annotated[int, typer.Argument(metavar="PORT", min=1, max=65535, help="The seat's port.")],
    agent: Annotated[
        str,
        typer.Option(
            metavar="AGENT",
            help="The agent that plays: see endspiel agents.",
            autocompletion=complete_agent,
        ),
    ] = "always-call",
    game: Annotated[
        str, typer.Option(metavar="NAME-or-FILE", help="The game the dealer deals.")
    ] = "nolimit-holdem",
    seed: Annotated[
        int, typer.Option(min=0, max=MOST_SEED, help="Seed of the agent's own randomness.")
    ] = DEFAULT_SEED,
    json: JsonOption = None,
) -> None:
    """Connect to an ACPC dealer and play a match."""
    from endspiel.agent import make_agent
    from endspiel.arena.protocol.client import play_client
    from endspiel.arena.protocol.wire import connect
    from endspiel.rules.builtin import load_rules
    from endspiel.rules.log import format_chips

    rules = load_rules(game)
    check_apart({}, json, {**files_of([agent]), "--game": game})
    player = make_agent(agent, rules)
    peer = connect(host, port)
    try:
        result = play_client(peer, player, rules, seed)
    finally:
        peer.close()
        player.close()
    rate = 1000 * result.chips / (rules.big_blind * result.hands)
    if not quiet(json):
        typer.echo(
            f"{agent}: {result.hands} hands, {format_chips(result.chips)} chips, {rate:+.1f} mbb/h"
        )
    write_json(
        json,
        {
            "agent": agent,
            "game": rules.name,
            "hands": result.hands,
            "chips": result.chips,
            "mbb_per_hand": rate,
        },
    )

"""``endspiel slumbot``: the name by which ``endspiel benchmark slumbot`` was known first."""

from typing import Annotated

import typer

from endspiel.bounds import DEFAULT_SEED
from endspiel.cli.benchmark import (
    AgentOption,
    AivatOption,
    AttemptsOption,
    HandsOption,
    PauseOption,
    ResumeOption,
    SeedOption,
    TimeoutOption,
    play_benchmark,
)
from endspiel.cli.output import JsonOption


def slumbot(
    address: Annotated[
        str, typer.Argument(metavar="URL", help="Address of the API, as in https://HOST/api.")
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
    """Play 200-blind no-limit hold'em against the server at an address."""
    asking = (timeout, pause, attempts)
    play_benchmark("slumbot", address, agent, hands, seed, resume, aivat, asking, json)

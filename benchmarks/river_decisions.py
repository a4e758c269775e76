"""River decisions of the endgame-solving agent: prior to answer, by every technique.

Hands are played against an opponent that calls often and bets any amount, so that many are far off
the blueprint's tree. Prints the median and the slowest decision of each technique, its ratio to the
iterative unsafe solve in the same run, and how many decisions overran the move's budget.
"""

import argparse
import time

import numpy as np

from endspiel.agent import make_agent
from endspiel.agent.base import Agent
from endspiel.agent.endgame import EndgameAgent
from endspiel.endgame.safe.techniques import PLAYED
from endspiel.rules.builtin import load_rules
from endspiel.rules.deal import Deal, deals
from endspiel.rules.state import CALL, State, start

SLACK = 0.1  # seconds: what the operating system may take


def opponent(state: State, rng: np.random.Generator) -> int:
    """Calls two times in three; else raises to anything, small amounts more often."""
    bounds = state.raise_bounds()
    if bounds is None or rng.random() < 2 / 3:
        return CALL
    least, most = bounds
    return least + int((most - least) * rng.random() ** 5)


def play(agent: Agent, deal: Deal, seed: int, rng: np.random.Generator) -> list[float]:
    """One hand; the seconds of the agent's river decisions."""
    agent.begin(seed)
    state, seat, taken = start(agent_game), seed % 2, []
    while not state.finished:
        if state.actor != seat:
            state = state.apply(opponent(state, rng))
            continue
        board = deal.board[: agent_game.board_sizes[state.round]]
        begin = time.perf_counter()
        action = agent.act(state, deal.holes[seat], board)
        if state.round == 3:
            taken.append(time.perf_counter() - begin)
        state = state.apply(action)  # an illegal action ends the run
    return taken


def measure(technique: str, options: str, count: int) -> tuple[list[float], list[float], float]:
    """Seconds of so many decisions, the gaps of their endgames, and the budget of a move."""
    agent = make_agent(f"blueprint+{technique}{options}", agent_game)
    assert isinstance(agent, EndgameAgent)
    source, rng = deals(agent_game, 11), np.random.default_rng(11)
    play(agent, next(source), 0, rng)
    seconds: list[float] = []
    gaps: list[float] = []
    for number, deal in enumerate(source):
        seconds += play(agent, deal, number, rng)
        gaps += [t.exploitability for t in agent.thoughts if t.exploitability is not None]
        if len(seconds) >= count:
            return seconds, gaps, agent.options.clock.move
    raise AssertionError("deals never end")


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--decisions", type=int, default=60)
parser.add_argument("--options", default="", help="of the agents, such as file=NAME")
parser.add_argument("--techniques", nargs="+", default=tuple(PLAYED))
agent_game = load_rules("nolimit-holdem")

if __name__ == "__main__":
    given = parser.parse_args()
    base = 0.0
    for name in given.techniques:
        text = f",{given.options}" if given.options else ""
        times, found, budget = measure(name, text, given.decisions)
        median = float(np.median(times))
        base = base or median
        late = sum(seconds > budget + SLACK for seconds in times)
        print(
            f"{name:16} {len(times)} decisions: median {median:.3f} s ({median / base:.2f}x), "
            f"slowest {max(times):.2f} s, {late} late; "
            f"gap of the pot: median {np.median(found):.2e}, largest {max(found):.2e}",
            flush=True,
        )

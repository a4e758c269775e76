"""Decisions of the nested agent against absurd bets: how long, how near, none late.

The opponent raises by the least, a chip more than that, to a chip under all-in, all-in, or to
anything, and calls the rest of the time. Prints by street the median and the slowest decision, the
ratio of the median to the goal, the median gap of the endgames, and counts of decisions that were
late, cut short by the clock, or fell back on the blueprint.
"""

import argparse
import time
from collections.abc import Sequence
from itertools import islice

import numpy as np

from endspiel.agent import make_agent
from endspiel.agent.nested import NestedAgent
from endspiel.agent.thoughts import Thought
from endspiel.rules.builtin import load_rules
from endspiel.rules.deal import Deal, deals
from endspiel.rules.state import CALL, State, start

SLACK = 0.1  # seconds: what the operating system may take
GOALS = {1: 3.0, 2: 3.0, 3: 1.0}  # seconds on two free cores, by round
STREETS = {1: "flop", 2: "turn", 3: "river"}


def opponent(state: State, rng: np.random.Generator) -> int:
    """Calls every other time, else raises by an amount that nobody would choose."""
    bounds = state.raise_bounds()
    if bounds is None or rng.random() < 0.5:
        return CALL
    least, most = bounds
    odd = (least, least + 1, most - 1, most, least + int((most - least) * rng.random() ** 6))
    return max(least, min(most, odd[int(rng.choice(5, p=(0.3, 0.2, 0.05, 0.05, 0.4)))]))


class Tally:
    """Decisions so far."""

    def __init__(self) -> None:
        self.seconds: dict[int, list[float]] = {street: [] for street in STREETS}
        self.gaps: dict[int, list[float]] = {street: [] for street in STREETS}
        self.cut_short = 0

    def add(self, thoughts: Sequence[Thought]) -> None:
        """The gaps that a hand's thoughts tell."""
        for thought in thoughts:
            street = len(thought.board) - 2
            if thought.exploitability is not None:
                self.gaps[street].append(thought.exploitability)
                self.cut_short += "cut short" in thought.why


def play(agent: NestedAgent, deal: Deal, seed: int, tally: Tally) -> None:
    """One hand."""
    agent.begin(seed)
    rng, state, seat = np.random.default_rng(seed), start(game), seed % 2
    while not state.finished:
        if state.actor != seat:
            state = state.apply(opponent(state, rng))
            continue
        board = deal.board[: game.board_sizes[state.round]]
        begin = time.perf_counter()
        action = agent.act(state, deal.holes[seat], board)
        if state.round in STREETS:
            tally.seconds[state.round].append(time.perf_counter() - begin)
        state = state.apply(action)  # an illegal action ends the run
    tally.add(agent.thoughts)


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--hands", type=int, default=60)
parser.add_argument("--options", default="", help="of the agent, such as work=500")
game = load_rules("nolimit-holdem")

if __name__ == "__main__":
    given = parser.parse_args()
    text = f",{given.options}" if given.options else ""
    player = make_agent(f"blueprint+nested{text}", game)
    assert isinstance(player, NestedAgent)
    found = Tally()
    for number, deal in enumerate(islice(deals(game, 7), given.hands)):
        play(player, deal, number, found)
    budget = player.options.clock.move + SLACK
    for street, name in STREETS.items():
        times, gaps = found.seconds[street], found.gaps[street] or [np.nan]
        if times:
            median = float(np.median(times))
            late = sum(seconds > budget for seconds in times)
            print(
                f"{name}: {len(times)} decisions, median {median:.2f} s, "
                f"{median / GOALS[street]:.2f} of the goal, slowest {max(times):.2f} s, "
                f"late {late}, median gap {100 * float(np.median(gaps)):.2f}% of the pot"
            )
    print(f"{given.hands} hands: {found.cut_short} solves cut short by the clock")
    for reason, count in player.fallbacks.items():
        print(f"fell back {count} times: {reason}")

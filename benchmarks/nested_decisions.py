"""Decisions of the nested agent against absurd bets: their time, their gaps, how they were solved.

The opponent raises by the least, a chip more than that, to a chip under all-in, all-in, or to
anything, and calls the rest of the time. Prints by street the median and the slowest decision, the
ratio of the median to the goal, the number of late decisions and the gaps of the solves, then how
decisions were solved and how many fell back on the blueprint, by reason. Then, of the solves within
another, what hands of the opponent get beyond what the last solve left them and their gifts: the
solves that leave a hand more by more than the gap, the largest gain of a hand, and the mean gain.
The theorem of safe solving forbids such gains where the opponent's bets are those of the last tree,
as in `--game limit-holdem`. `--busy 2` keeps two cores busy meanwhile. An interrupt ends it with
the hands played so far.
"""

import argparse
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

import numpy as np

from endspiel.agent import make_agent
from endspiel.agent.attempts import EARLIER
from endspiel.agent.clock import Clock
from endspiel.agent.exploiting import live_endgame
from endspiel.agent.nested import NestedAgent
from endspiel.agent.nested_stages import Nested, NestedStages
from endspiel.agent.solves import Solves, by_count
from endspiel.agent.stages import EndgameEntry, Outcome, Stage
from endspiel.cards.removal import unblocked_weight
from endspiel.endgame.safe.live import LiveEndgame
from endspiel.executor import Executor, WorkerJob
from endspiel.ranges.line import FAINTEST
from endspiel.rules.builtin import load_rules
from endspiel.rules.deal import Deal, deals
from endspiel.rules.state import CALL, State, start

SLACK = 0.1  # seconds: what the operating system may take
GOALS = {1: 3.0, 2: 3.0, 3: 1.0}  # seconds on two free cores, by round
STREETS = {1: "flop", 2: "turn", 3: "river"}
AT_ONCE = 10  # hands of a task
Lists = dict[int, list[float]]  # by street


def opponent(state: State, rng: np.random.Generator) -> int:
    """Calls every other time, else raises by an amount that nobody would choose."""
    bounds = state.raise_bounds()
    if bounds is None or rng.random() < 0.5:
        return CALL
    least, most = bounds
    odd = (least, least + 1, most - 1, most, least + int((most - least) * rng.random() ** 6))
    return max(least, min(most, odd[int(rng.choice(5, p=(0.3, 0.2, 0.05, 0.05, 0.4)))]))


def _lists() -> Lists:
    return {street: [] for street in STREETS}


class Gain(NamedTuple):
    """What a solve leaves the opponent's hands beyond what they had, as shares of the pot."""

    largest: float
    mean: float
    gap: float


class Watch:
    """Notes the gains of the solves within others of an agent."""

    def __init__(self, stages: NestedStages) -> None:
        self.gains: dict[str, list[Gain]] = {}
        self._stages, self._enter = stages, stages.enter
        self._seen: list[LiveEndgame] = []  # endgames of this hand
        stages.enter = self.enter  # type: ignore[method-assign]

    def begin(self) -> None:
        """A new hand."""
        self._seen.clear()

    def enter(self, entry: Nested) -> Outcome:
        """An endgame as the agent asks for it."""
        found = self._enter(entry)
        if entry.entry is None or not isinstance(found, Stage) or found.how == EARLIER:
            return found
        endgame = live_endgame(found)
        if all(endgame is not seen for seen in self._seen):
            self._seen.append(endgame)
            self.gains.setdefault(_kind(entry), []).append(self._gain(entry.entry, found))
        return found

    def _gain(self, entry: EndgameEntry, stage: Stage) -> Gain:
        endgame, seat = live_endgame(stage), self._stages.seat
        assert entry.alternatives is not None
        met = unblocked_weight(endgame.ranges[seat]) * endgame.ranges[1 - seat]
        possible = met > FAINTEST * met.max()
        had = entry.alternatives + np.maximum(entry.gifts, 0)
        gains = (endgame.root_values(1 - seat) - had)[possible] / endgame.pot
        mean = float(np.average(np.maximum(gains, 0), weights=met[possible]))
        return Gain(float(gains.max()), mean, endgame.diagnostics["gap"] / endgame.pot)


def _kind(entry: Nested) -> str:
    """What came before a solve."""
    if entry.left is not None and entry.left.stage.endgame.board != entry.board:
        return "after a card"
    return "after a bet of the last tree" if entry.going_on else "after a bet off the last tree"


@dataclass
class Tally:
    """Decisions so far."""

    seconds: Lists = field(default_factory=_lists)
    solves: Solves = field(default_factory=Solves)
    hands: int = 0
    fallbacks: Counter[str] = field(default_factory=Counter)
    gains: dict[str, list[Gain]] = field(default_factory=dict)  # by what came before the solve

    def merge(self, other: "Tally") -> None:
        """More hands."""
        for street in STREETS:
            self.seconds[street] += other.seconds[street]
        self.solves.update(other.solves)
        self.hands += other.hands
        self.fallbacks += other.fallbacks
        for kind, gains in other.gains.items():
            self.gains.setdefault(kind, []).extend(gains)

    def tell(self, budget: float) -> None:
        """By street, for a move of so many seconds."""
        for street, name in STREETS.items():
            times = self.seconds[street]
            if times:
                median = float(np.median(times))
                late = sum(seconds > budget for seconds in times)
                print(
                    f"{name}: {len(times)} decisions, median {median:.2f} s, "
                    f"{median / GOALS[street]:.2f} of the goal, slowest {max(times):.2f} s, "
                    f"late {late}"
                )
        print(f"{self.hands} hands")
        print(*self.solves.lines(), sep="\n")
        for line in by_count(self.fallbacks):
            print(f"fell back on the blueprint {line}")
        for kind, gains in self.gains.items():
            over = [gain for gain in gains if gain.largest > gain.gap]
            print(
                f"{kind}: {len(gains)} solves, {len(over)} leave a hand more by more than the gap, "
                f"at most {100 * max(gain.largest for gain in gains):.2f}% of the pot, "
                f"{100 * np.mean([gain.mean for gain in gains]):.2f}% in the mean"
            )


BUSY = "import os; parent = os.getppid()\nwhile os.getppid() == parent: pass"


@contextmanager
def keeping_busy(processes: int) -> Iterator[None]:
    """Have processes compute meanwhile; they end with this one, however it ends."""
    command = [sys.executable, "-c", BUSY]
    others = [subprocess.Popen(command) for _ in range(processes)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


class Player:
    """A process's agent: plays hands by the number of the first."""

    def __init__(self, asked: tuple[str, str]) -> None:  # a spec and the name of a game
        spec, name = asked
        self.game = load_rules(name)
        made = make_agent(spec, self.game)
        assert isinstance(made, NestedAgent)
        self.agent, self.watch = made, Watch(made.stages)

    def work(self, first: int) -> Tally:
        """Some hands."""
        tally, before = Tally(), Counter(self.agent.fallbacks)
        for number, deal in enumerate(islice(deals(self.game, 7), first, first + AT_ONCE), first):
            self.play(deal, number, tally)
        tally.fallbacks = Counter(self.agent.fallbacks) - before
        tally.solves, self.agent.solves = self.agent.solves, Solves()
        tally.gains, self.watch.gains = self.watch.gains, {}
        return tally

    def play(self, deal: Deal, seed: int, tally: Tally) -> None:
        """One hand."""
        agent, rng, state, seat = (
            self.agent,
            np.random.default_rng(seed),
            start(self.game),
            seed % 2,
        )
        agent.begin(seed)
        self.watch.begin()
        while not state.finished:
            if state.actor != seat:
                state = state.apply(opponent(state, rng))
                continue
            board = deal.board[: self.game.board_sizes[state.round]]
            begin = time.perf_counter()
            action = agent.act(state, deal.holes[seat], board)
            if state.round in STREETS:
                tally.seconds[state.round].append(time.perf_counter() - begin)
            state = state.apply(action)  # an illegal action ends the run
        tally.hands += 1

    def close(self) -> None:
        """Nothing is held."""


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--hands", type=int, default=60, help="rounded up to tens")
parser.add_argument("--first", type=int, default=0, help="number of the first hand")
parser.add_argument("--options", default="", help="of the agent, such as work=500")
parser.add_argument("--game", default="nolimit-holdem", help="the game that is played")
parser.add_argument("--busy", type=int, default=0, help="processes that do nothing but compute")
parser.add_argument("--workers", type=int, default=1, help="processes")

if __name__ == "__main__":
    given, found = parser.parse_args(), Tally()
    spec = "blueprint+nested" + (f",{given.options}" if given.options else "")
    job = WorkerJob(Player, (spec, given.game), reads_script=True)
    firsts = range(given.first, given.first + given.hands, AT_ONCE)
    with (
        keeping_busy(given.busy),
        suppress(KeyboardInterrupt),
        Executor(given.workers) as executor,
        closing(executor.found(job, firsts)) as work,
    ):
        for _, part in work:
            found.merge(part)
    named = dict(part.split("=") for part in given.options.split(",") if part)
    found.tell(float(named.get("move", Clock.move)) + SLACK)

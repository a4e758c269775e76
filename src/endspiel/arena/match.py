"""Matches in process: all cores, the same result on any number of them, resumed from the log."""

import os
from collections.abc import Callable, Iterator
from contextlib import closing, nullcontext
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Final, NamedTuple

import numpy as np

from endspiel.agent import make_agent
from endspiel.arena.crew import Crew
from endspiel.arena.deals import DealSource
from endspiel.arena.estimates import Estimate, Floats, duplicate, milli_blinds, plain
from endspiel.arena.match_log import MatchLog
from endspiel.arena.plan import Block, MatchPlan, pack
from endspiel.arena.play import Hand, Table, Task
from endspiel.rules.acpc import view
from endspiel.rules.log import Record, format_record

BLOCK: Final = 100  # hands of a task: a killed match loses no more than this much a core
PATIENCE: Final = 1.0  # seconds of work before other processes are started, which takes as long


@dataclass(frozen=True)
class MatchResult:
    """All hands of a match, as chips of agent A."""

    plan: MatchPlan
    chips: Floats  # [sections, hands]
    expected: Floats  # [sections, hands] the same with the luck of all-ins taken out
    seconds: float
    resumed: int  # hands read from the log, not played

    @property
    def main(self) -> Estimate:
        """The result: over pairs in a duplicate match, else over hands."""
        values = milli_blinds(self.plan.game, self.chips)
        return duplicate(values) if self.plan.duplicate else plain(values)

    def estimates(self) -> tuple[Estimate, ...]:
        """The result by every estimator that needs the hands alone."""
        game = self.plan.game
        chips, expected = milli_blinds(game, self.chips), milli_blinds(game, self.expected)
        found = [plain(chips), plain(expected, "all-in")]
        if self.plan.duplicate:
            found += [duplicate(chips), duplicate(expected, "duplicate all-in")]
        return tuple(found)

    def units(self) -> Floats:
        """What the main result is the mean of, in mbb: [pairs or hands]."""
        values: Floats = milli_blinds(self.plan.game, self.chips).mean(axis=0)
        return values


Progress = Callable[[int], None]  # told how many hands are done


def run_match(
    plan: MatchPlan,
    log: Path | None = None,
    resume: bool = False,
    workers: int | None = None,
    progress: Progress | None = None,
) -> MatchResult:
    """Play a match, or what a log says is left of it; workers are all cores by default."""
    begin = perf_counter()
    tables = _Tables(plan)
    with closing(tables), MatchLog(plan, log, resume) if log else nullcontext() as book:
        shape = (plan.sections, plan.section_hands)
        chips, expected = np.zeros(shape), np.zeros(shape)
        done = 0
        if book is not None:
            for block in book.played:
                done += _enter(block, chips, expected)
        resumed = done
        tasks = _tasks(plan, done, keep_lines=book is not None)
        for block in _play_tasks(plan, tables, tasks, workers or os.cpu_count() or 1):
            done += _enter(block, chips, expected)
            if book is not None:
                book.write(block)
            if progress is not None:
                progress(done)
    return MatchResult(plan, chips, expected, perf_counter() - begin, resumed)


def _enter(block: Block, chips: Floats, expected: Floats) -> int:
    """Put a block's hands where they belong; how many they are."""
    count = len(block.chips)
    where = block.section, slice(block.first, block.first + count)
    chips[where], expected[where] = block.chips, block.expected
    return count


class _Job(NamedTuple):
    task: Task
    keep_lines: bool


def _tasks(plan: MatchPlan, done: int, keep_lines: bool) -> Iterator[_Job]:
    """The blocks left to play after so many hands, in the order of the log."""
    for section in range(plan.sections):
        first = min(max(done - section * plan.section_hands, 0), plan.section_hands)
        deals = DealSource(plan.game, plan.seed, first)
        for start in range(first, plan.section_hands, BLOCK):
            words = deals.words(min(BLOCK, plan.section_hands - start))
            yield _Job(Task(plan.seed, section, start, words), keep_lines)


class _Tables:
    """The table of a process; agents that watch are made anew for every section."""

    def __init__(self, plan: MatchPlan) -> None:
        self.plan = plan
        self._section = 0
        self._table = self._make()

    @property
    def watched(self) -> bool:
        """Whether an agent must see every hand, in order."""
        return any(agent.watches for agent in self._table.agents)

    def _make(self) -> Table:
        game = self.plan.game
        return Table(game, [make_agent(spec, game) for spec in self.plan.agents])

    def play(self, job: _Job) -> Block:
        """Play one block."""
        section = job.task.section
        if section != self._section and self.watched:
            self.close()
            self._table = self._make()
        self._section = section
        hands = self._table.play(job.task)
        lines = [_line(hand, self.plan.names(section)) for hand in hands] if job.keep_lines else []
        return pack(section, hands, lines)

    def close(self) -> None:
        """Give back what the agents hold."""
        for agent in self._table.agents:
            agent.close()


def _line(hand: Hand, seats: tuple[str, str]) -> str:
    """The log's line of a hand."""
    names = (seats[hand.number % 2], seats[(hand.number + 1) % 2])
    return format_record(Record(view(hand.state, hand.deal, hand.number), hand.payoffs, names))


def _play_tasks(
    plan: MatchPlan, tables: _Tables, tasks: Iterator[_Job], workers: int
) -> Iterator[Block]:
    """Blocks in the order of their tasks, whoever played them."""
    begin = perf_counter()
    for task in tasks:
        yield tables.play(task)
        if workers > 1 and not tables.watched and perf_counter() - begin >= PATIENCE:
            break
    else:
        return
    with closing(Crew(workers, _Tables, plan)) as crew:
        yield from crew.work(tasks)

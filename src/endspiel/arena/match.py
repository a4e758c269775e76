"""Matches in process: all cores, the same result on any number of them, resumed from the log."""

from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from time import perf_counter
from typing import Final, NamedTuple

import numpy as np

from endspiel.agent import make_agent
from endspiel.agent.base import failure
from endspiel.agent.solves import Solves
from endspiel.arena.deals import DealSource, hand_seeds
from endspiel.arena.estimators.estimates import Estimate, duplicate, milli_blinds, plain
from endspiel.arena.estimators.match_aivat import MatchAivat, MatchTables, chosen_tables
from endspiel.arena.plan import BLUEPRINT, OPEN_HANDS, MatchPlan, PlayedBlock, Reasons, pack
from endspiel.arena.play import Hand, HandBlock, MatchTable
from endspiel.arena.protocol.match_ahead import AheadFile
from endspiel.arena.protocol.match_log import MatchLog
from endspiel.arrays import Float64s
from endspiel.errors import AgentError, EndspielError
from endspiel.executor import Executor, GivenWorkers, WorkerDied, WorkerJob, executor_of
from endspiel.progress import Observe, Progress, unobserved
from endspiel.rules.acpc import view
from endspiel.rules.log import Record, format_record

BLOCK: Final = 100  # hands of a task: a killed match loses no more than this much a core


@dataclass(frozen=True)
class MatchResult:
    """All hands of a match, as chips of agent A.

    Examples:
        >>> import endspiel as es
        >>> result = es.play_match("always-call", "always-fold", hands=20, workers=1)
        >>> float(result.chips.sum()), result.fallbacks
        (600.0, ({}, {}))
    """

    plan: MatchPlan
    chips: Float64s  # [sections, hands]
    expected: Float64s  # [sections, hands] the same with the luck of all-ins taken out
    aivat: Float64s | None  # [sections, hands] the same by AIVAT, where it was asked for
    seconds: float
    resumed: int  # hands read from the log, not played
    values: str | None  # those that AIVAT was given
    fallbacks: tuple[Reasons, Reasons] = ({}, {})  # A's and B's, of the hands played, by reason
    # A's and B's solved decisions in the hands played; None for an agent that solves nothing.
    solves: tuple[Solves | None, Solves | None] = (None, None)

    @property
    def main(self) -> Estimate:
        """The result by the best estimator asked for: AIVAT if it was, over pairs in a duplicate.

        What was asked for decides, not the intervals found: the narrowest of several would be too
        narrow. All-ins are always corrected beside it, and needs no option: chips are counted
        as they were won.
        """
        name = "" if self.aivat is None else "AIVAT"
        values = milli_blinds(self.plan.game, self._main_chips)
        if self.plan.duplicate:
            return duplicate(values, f"duplicate {name}".strip())
        return plain(values, name or "plain")

    @property
    def _main_chips(self) -> Float64s:
        """What the main result is made from: [sections, hands]."""
        return self.chips if self.aivat is None else self.aivat

    def estimates(self) -> tuple[Estimate, ...]:
        """The result by every estimator at hand, the plain one first."""
        values = {"": self.chips, "all-in": self.expected}
        if self.aivat is not None:
            values["AIVAT"] = self.aivat
        blinds = {name: milli_blinds(self.plan.game, chips) for name, chips in values.items()}
        found = [plain(rows, name or "plain") for name, rows in blinds.items()]
        if self.plan.duplicate:
            found += [duplicate(rows, f"duplicate {n}".strip()) for n, rows in blinds.items()]
        return tuple(found)

    def units(self) -> Float64s:
        """What the main result is the mean of, in mbb: [pairs or hands]."""
        values: Float64s = milli_blinds(self.plan.game, self._main_chips).mean(axis=0)
        return values


def after(before: int, total: int, observe: Observe) -> Observe:
    """Observe a match that follows a number of other hands, of a total."""
    return lambda one: observe(replace(one, finished=before + one.finished, total=total))


def run_match(
    plan: MatchPlan,
    log: Path | None = None,
    resume: bool = False,
    workers: GivenWorkers | Executor = None,
    progress: Observe = unobserved,
) -> MatchResult:
    """Play a match, or what a log says is left of it; workers are all cores by default.

    Workers are a number of processes, or ``"ray"``, ``"auto"`` or ``"ray://HOST:PORT"`` for Ray's.

    Examples:
        >>> import endspiel as es
        >>> plan = es.MatchPlan(es.load_rules("leduc"), ("always-call", "always-fold"), hands=100)
        >>> es.run_match(plan, workers=1).main.mean
        0.0
    """
    with executor_of(workers) as executor:
        return _run_match(plan, (log, resume), executor, progress)


def _run_match(
    plan: MatchPlan, kept: tuple[Path | None, bool], executor: Executor, progress: Observe
) -> MatchResult:
    """Run a match with an optional log, from which it can resume."""
    begin = perf_counter()
    log, resume = kept
    tables = _ProcessTable(_MatchStart(plan))
    sheet = _Sheet(plan)
    with closing(tables), _opened(plan, log, resume) as books:
        if books is not None:
            for block in books.log.played:
                sheet.enter(block)
        resumed = done = sheet.entered
        if books is not None:
            resumed += len(books.ahead.hands)
            for block in _play_tasks(tables, _reviews(books.log), executor):
                sheet.enter(block)
        tasks = _tasks(plan, done, books)

        def tell() -> None:
            progress(Progress("hands", done, plan.hands, resumed))

        tell()
        try:
            for block in _play_tasks(tables, tasks, executor, books):
                done += sheet.enter(block)
                if books is not None:
                    books.write(block)
                tell()
        except (AgentError, WorkerDied) as error:
            left = f"; {log} keeps the {done} hands before, and can be resumed" if log else ""
            raise type(error)(f"{error}{left}") from error
    return MatchResult(
        plan,
        sheet.chips,
        sheet.expected,
        sheet.aivat,
        perf_counter() - begin,
        resumed,
        tables.values,
        (dict(sheet.fallbacks[0]), dict(sheet.fallbacks[1])),
        (sheet.solves[0], sheet.solves[1]),
    )


@dataclass(frozen=True)
class _Books:
    """What a match writes: its log, in order, and blocks that wait for their turn."""

    log: MatchLog
    ahead: AheadFile

    def write(self, block: PlayedBlock) -> None:
        """Log the block whose turn it is."""
        self.log.write(block)
        self.ahead.drop(block)


@contextmanager
def _opened(plan: MatchPlan, log: Path | None, resume: bool) -> Iterator[_Books | None]:
    if log is None:
        yield None
        return
    with MatchLog(plan, log, resume) as book, closing(AheadFile(plan, log, book.played)) as ahead:
        yield _Books(book, ahead)


class _Sheet:
    """What the hands gave agent A, entered block by block."""

    def __init__(self, plan: MatchPlan) -> None:
        shape = (plan.sections, plan.section_hands)
        self.chips = np.zeros(shape)
        self.expected = np.zeros(shape)
        self.aivat = np.zeros(shape) if plan.aivat else None
        self.fallbacks: tuple[Counter[str], Counter[str]] = Counter(), Counter()
        self.solves: list[Solves | None] = [None, None]
        self.entered = 0

    def enter(self, block: PlayedBlock) -> int:
        """Put a block's hands where they belong; how many they are."""
        count = len(block.chips)
        where = block.section, slice(block.first, block.first + count)
        self.chips[where], self.expected[where] = block.chips, block.expected
        if self.aivat is not None and len(block.aivat):
            self.aivat[where] = block.aivat
        for counted, new in zip(self.fallbacks, block.fallbacks, strict=True):
            counted.update(new)
        for player, solves in enumerate(block.solves):
            if solves is not None:
                known = self.solves[player] = self.solves[player] or Solves()
                known.update(solves)
        self.entered += count
        return count


class _Job(NamedTuple):
    """Hands to play."""

    task: HandBlock
    keep_lines: bool


class _Review(NamedTuple):
    """Hands that were played before, for AIVAT to see, and for a log that has not their lines."""

    section: int
    hands: list[Hand]
    lines: list[str]


def _reviews(book: MatchLog) -> Iterator[_Job | _Review]:
    """The hands of a log, some at a time."""
    for section, hands in enumerate(book.hands):
        for at in range(0, len(hands), BLOCK):
            yield _Review(section, hands[at : at + BLOCK], [])


def _tasks(plan: MatchPlan, done: int, books: _Books | None) -> Iterator[_Job | _Review]:
    """The blocks left to play after the hands of the log, in its order."""
    ahead = {} if books is None else books.ahead.hands
    for section in range(plan.sections):
        first = min(max(done - section * plan.section_hands, 0), plan.section_hands)
        deals = DealSource(plan.game, plan.seed, first)
        for start in range(first, plan.section_hands, BLOCK):
            numbers = range(start, min(start + BLOCK, plan.section_hands))
            places = [(section, number) for number in numbers]
            for known, group in groupby(places, ahead.__contains__):
                block = list(group)
                words = deals.words(len(block))
                if not known:
                    hands = HandBlock(plan.seed, section, block[0][1], words)
                    yield _Job(hands, keep_lines=books is not None)
                    continue
                found = [ahead[place] for place in block]
                yield _Review(section, [one.hand for one in found], [one.line for one in found])


class _MatchStart(NamedTuple):
    """What a process begins with; values that took long to work out are handed on."""

    plan: MatchPlan
    values: MatchTables | None = None


class _ProcessTable:
    """The table of a process; agents that watch are made again for every section."""

    def __init__(self, start: _MatchStart) -> None:
        self.plan, self._values = start
        self._section = 0
        self._aivat: MatchAivat | None = None
        self._table = self._make()
        if self.plan.aivat:
            if self._values is None:
                self._values = chosen_tables(self.plan, self._table.agents)
            try:  # agents that do not tell how they play are refused before any hand
                self._estimates(0, [])
            except EndspielError:
                self.close()
                raise

    @property
    def start(self) -> _MatchStart:
        """What another process needs to do the same."""
        return _MatchStart(self.plan, self._values)

    @property
    def values(self) -> str | None:
        """Which values AIVAT is given, if it is asked for."""
        if not self.plan.aivat:
            return None
        return OPEN_HANDS if self._values is None else BLUEPRINT

    @property
    def watched(self) -> bool:
        """Whether an agent must see every hand, in order."""
        return any(agent.watches for agent in self._table.agents)

    def _make(self) -> MatchTable:
        game = self.plan.game
        agents = [make_agent(spec, game) for spec in self.plan.agents]
        return MatchTable(game, agents, self.plan.agents)

    def _estimates(self, section: int, hands: list[Hand]) -> list[float]:
        """AIVAT's estimates of consecutive hands by the agents of this table: [hands]."""
        if self._aivat is None:
            plan, agents = self.plan, self._table.agents
            self._aivat = MatchAivat(plan.game, agents, plan.agents, self._values)
        seeds = hand_seeds(self.plan.seed, section, hands[0].number, len(hands)) if hands else []
        return [self._aivat.estimate(*both) for both in zip(hands, seeds, strict=True)]

    def work(self, job: _Job | _Review) -> PlayedBlock:
        """Play one block, or estimate one."""
        if isinstance(job, _Review):
            seen = self._estimates(job.section, job.hands) if self.plan.aivat else []
            return pack(job.section, job.hands, job.lines, seen)
        section = job.task.section
        if section != self._section and self.watched:
            self.close()
            self._table = self._make()
            self._aivat = None
        self._section = section
        before = [Counter(agent.fallbacks) for agent in self._table.agents]
        solving = [agent for agent in self._table.agents if agent.solves is not None]
        for agent in solving:
            agent.solves = Solves()
        hands = self._table.play(job.task)
        one, two = (
            dict(Counter(agent.fallbacks) - known)
            for agent, known in zip(self._table.agents, before, strict=True)
        )
        lines = [_line(hand, self.plan.names(section)) for hand in hands] if job.keep_lines else []
        aivat = self._estimates(section, hands) if self.plan.aivat else []
        return pack(section, hands, lines, aivat)._replace(
            fallbacks=(one, two),
            solves=(self._table.agents[0].solves, self._table.agents[1].solves),
        )

    def close(self) -> None:
        """Give back what the agents hold."""
        for name, agent in zip(self.plan.agents, self._table.agents, strict=True):
            try:
                agent.close()
            except Exception as error:
                raise failure(name, "when the match was over", error) from error


def _line(hand: Hand, seats: tuple[str, str]) -> str:
    """The log's line of a hand."""
    names = (seats[hand.number % 2], seats[(hand.number + 1) % 2])
    return format_record(Record(view(hand.state, hand.deal, hand.number), hand.payoffs, names))


def _play_tasks(
    tables: _ProcessTable,
    tasks: Iterator[_Job | _Review],
    executor: Executor,
    books: _Books | None = None,
) -> Iterator[PlayedBlock]:
    """Blocks in the order of their tasks; books get them in the order of arrival."""
    if tables.watched:
        return map(tables.work, tasks)
    job = WorkerJob(_ProcessTable, tables.start, reads_script=True)
    early = _forget if books is None else books.ahead.put
    return executor.results(job, tasks, at_hand=tables, early=early)


def _forget(block: PlayedBlock) -> None:
    """A log that writes nothing."""

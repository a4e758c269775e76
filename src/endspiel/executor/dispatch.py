"""Tasks on their way through a pool: bundled, a bounded number at a time, none lost.

A task is reported when it is done: a worker that dies takes one with it, the one it was at. That is
done once more, alone; a second death is its outcome.
"""

from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from math import ceil
from typing import Final

from endspiel.executor.tasks import (
    Death,
    ExecutorTask,
    Piece,
    PieceNews,
    TaskNeeds,
    TaskOutcome,
    WorkerDied,
    WorkerPool,
    outcome_of,
)

PIECE_SECONDS: Final = 0.25  # that a piece takes at least, judged by the last one
AHEAD: Final = 8  # pieces a worker whose results may wait for an earlier one
DEATHS: Final = 2  # of workers at one task, after which it is given up
_GROWTH: Final = 4  # times as many tasks as the last piece had, at most

NumberedTask = tuple[int, ExecutorTask]


@dataclass
class _Told:
    """The reports of a piece under way."""

    tasks: int = 0
    seconds: float = 0.0


class Dispatch:
    """The tasks of one job, from an iterator that is drawn from as there is room."""

    def __init__(self, pool: WorkerPool, tasks: Iterator[NumberedTask], first: int) -> None:
        self.pool = pool
        self._tasks = tasks
        self._next: NumberedTask | None = None  # drawn, but not yet in a piece
        self._again: deque[Piece] = deque()
        self._deaths: Counter[int] = Counter()
        self._bundle = 1
        self._under_way: dict[Piece, _Told] = {}
        self._due = first  # number of the next result in order
        self._early: dict[int, TaskOutcome] = {}

    def as_found(self) -> Generator[TaskOutcome, None, None]:
        """Outcomes as they are found."""
        while True:
            self._fill()
            if not self._under_way and self._peek() is None and not self._again:
                return
            for news in self.pool.wait():
                yield from self._outcomes(news)

    def in_order(
        self, early: Callable[[TaskOutcome], None] = lambda outcome: None
    ) -> Generator[TaskOutcome, None, None]:
        """Outcomes in the order of their tasks.

        Those that must wait for another go to `early` when they are found.
        """
        for outcome in self.as_found():
            if outcome.number != self._due:
                early(outcome)
            self._early[outcome.number] = outcome
            while self._due in self._early:
                self._due += 1
                yield self._early.pop(self._due - 1)

    def _fill(self) -> None:
        """Hand over pieces while somebody has room for them."""
        while (needs := self._next_needs()) is not None and self.pool.has_room(needs):
            piece = self._again.popleft() if self._again else self._draw()
            self.pool.submit(piece)
            self._under_way[piece] = _Told()

    def _next_needs(self) -> TaskNeeds | None:
        """What the next piece can use; nothing where none may be handed over yet."""
        if self._again:
            return self._again[0].needs
        if len(self._early) >= AHEAD * self.pool.size * self._bundle:
            return None
        first = self._peek()
        return None if first is None else first[1].needs

    def _peek(self) -> NumberedTask | None:
        if self._next is None:
            self._next = next(self._tasks, None)
        return self._next

    def _draw(self) -> Piece:
        """The next tasks, as many as make a piece and can use the same."""
        taken: list[NumberedTask] = []
        while len(taken) < self._bundle:
            task = self._peek()
            if task is None or (taken and task[1].needs != taken[0][1].needs):
                break
            taken.append(task)
            self._next = None
        return Piece(
            tuple(number for number, _ in taken),
            [task.content for _, task in taken],
            taken[0][1].needs,
        )

    def _outcomes(self, news: PieceNews) -> Iterator[TaskOutcome]:
        """What a task of a piece came to."""
        piece, answer = news
        told = self._under_way[piece]
        if isinstance(answer, Death):
            del self._under_way[piece]
            yield from self._mourned(piece, told.tasks, answer)
            return
        number = piece.numbers[told.tasks]
        told.tasks += 1
        told.seconds += answer.seconds
        if told.tasks == len(piece.numbers):
            del self._under_way[piece]
            self._learn(told)
        yield outcome_of(number, answer.found)

    def _learn(self, told: _Told) -> None:
        """Bundle enough tasks that a piece takes long enough."""
        each = told.seconds / told.tasks
        most = min(_GROWTH * self._bundle, self.pool.most_tasks)
        self._bundle = min(most, max(1, ceil(PIECE_SECONDS / max(each, 1e-9))))

    def _mourned(self, piece: Piece, at: int, death: Death) -> Iterator[TaskOutcome]:
        """The task that a dead worker was at: once more, alone, or given up; then those after."""
        number = piece.numbers[at]
        self._deaths[number] += 1
        if self._deaths[number] < DEATHS:
            self._again.append(piece.part(at, at + 1))
        if at + 1 < len(piece.numbers):
            self._again.append(piece.part(at + 1))
        if self._deaths[number] == DEATHS:
            yield TaskOutcome(
                number,
                None,
                WorkerDied(
                    f"{DEATHS} workers died at the same task ({death.reason}): it may need more "
                    "memory than there is"
                ),
            )

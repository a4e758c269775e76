"""Tasks on their way through a pool: bundled, a bounded number at a time, none lost.

A task whose worker died is done once more, alone; a second death is its outcome.
"""

from collections import Counter, deque
from collections.abc import Generator, Iterator
from math import ceil
from typing import Final

from endspiel.executor.tasks import (
    Death,
    ExecutorTask,
    Piece,
    PieceAnswer,
    PieceEnd,
    TaskNeeds,
    TaskOutcome,
    WorkerDied,
    WorkerPool,
    outcome_of,
)

PIECE_SECONDS: Final = 0.25  # that a piece takes at least, as far as the last one tells
AHEAD: Final = 8  # pieces a worker whose results may wait for an earlier one
DEATHS: Final = 2  # of workers at one task, after which it is given up
_GROWTH: Final = 4  # times as many tasks as the last piece had, at most

NumberedTask = tuple[int, ExecutorTask]


class Dispatch:
    """The tasks of one job, from an iterator that is drawn from as there is room."""

    def __init__(self, pool: WorkerPool, tasks: Iterator[NumberedTask], first: int) -> None:
        self.pool = pool
        self._tasks = tasks
        self._next: NumberedTask | None = None  # drawn, but not yet in a piece
        self._again: deque[Piece] = deque()
        self._deaths: Counter[int] = Counter()
        self._bundle = 1
        self._under_way = 0
        self._due = first  # number of the next result in order
        self._early: dict[int, TaskOutcome] = {}

    def as_found(self) -> Generator[TaskOutcome, None, None]:
        """Outcomes as they are found."""
        while True:
            self._fill()
            if not self._under_way and self._peek() is None and not self._again:
                return
            for end in self.pool.wait():
                yield from self._outcomes(end)

    def in_order(self) -> Generator[TaskOutcome, None, None]:
        """Outcomes in the order of their tasks, whoever was first."""
        for outcome in self.as_found():
            self._early[outcome.number] = outcome
            while self._due in self._early:
                self._due += 1
                yield self._early.pop(self._due - 1)

    def _fill(self) -> None:
        """Hand over pieces while somebody has room for them."""
        while (needs := self._next_needs()) is not None and self.pool.has_room(needs):
            self.pool.submit(self._again.popleft() if self._again else self._draw())
            self._under_way += 1

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

    def _outcomes(self, end: PieceEnd) -> Iterator[TaskOutcome]:
        """What a piece came to."""
        self._under_way -= 1
        if isinstance(end.answer, Death):
            yield from self._mourned(end.piece, end.answer)
            return
        self._learn(end.answer)
        for number, found in zip(end.piece.numbers, end.answer.found, strict=True):
            yield outcome_of(number, found)

    def _learn(self, answer: PieceAnswer) -> None:
        """Bundle so many tasks that a piece takes long enough."""
        each = answer.seconds / len(answer.found)
        most = _GROWTH * max(self._bundle, 1)
        self._bundle = min(most, max(1, ceil(PIECE_SECONDS / max(each, 1e-9))))

    def _mourned(self, piece: Piece, death: Death) -> Iterator[TaskOutcome]:
        """The tasks of a dead worker: once more, each alone, or given up."""
        for number, content in zip(piece.numbers, piece.contents, strict=True):
            self._deaths[number] += 1
            if self._deaths[number] < DEATHS:
                self._again.append(Piece((number,), [content], piece.needs))
                continue
            yield TaskOutcome(
                number,
                None,
                WorkerDied(
                    f"{DEATHS} workers died at the same task ({death.reason}): it may need more "
                    "memory than there is"
                ),
            )

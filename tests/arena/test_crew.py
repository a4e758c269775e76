"""Processes that share work: results in order, errors handed on, deaths noticed."""

import os
from collections.abc import Iterator
from contextlib import closing

import pytest

from endspiel.arena.crew import Crew
from endspiel.errors import EndspielError


class Squares:
    """Squares numbers; some jobs go wrong on purpose."""

    def __init__(self, plus: int) -> None:
        self.plus = plus

    def play(self, job: int) -> tuple[int, int]:
        if job == 13:
            raise EndspielError("thirteen is refused")
        if job == 99:
            os._exit(3)
        return job * job + self.plus, os.getpid()

    def close(self) -> None:
        pass


def numbers(count: int, taken: list[int]) -> Iterator[int]:
    for number in range(count):
        taken.append(number)
        yield number


def test_results_come_in_the_order_of_the_tasks_from_several_processes() -> None:
    with closing(Crew(2, Squares, 5)) as crew:
        taken: list[int] = []
        found = list(crew.work(numbers(12, taken)))
        assert [square for square, _ in found] == [n * n + 5 for n in range(12)]
        assert os.getpid() not in {process for _, process in found}
        assert taken == list(range(12))
        assert [square for square, _ in crew.work(iter([7]))] == [54]  # and again
        with pytest.raises(EndspielError, match="thirteen is refused"):
            list(crew.work(iter([1, 13])))


def test_a_worker_that_dies_ends_the_work() -> None:
    with (
        closing(Crew(1, Squares, 0)) as crew,
        pytest.raises(EndspielError, match="a worker process of the match died"),
    ):
        list(crew.work(iter([2, 99])))


def test_no_work_is_no_result() -> None:
    with closing(Crew(1, Squares, 0)) as crew:
        assert list(crew.work(iter([]))) == []

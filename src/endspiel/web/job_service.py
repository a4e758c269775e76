"""The jobs of the server: solved in turn, their solutions cached, what may be done with each."""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec

from endspiel.cards.text import format_cards
from endspiel.engine.limits import Limits
from endspiel.processors import processors
from endspiel.solvers.boards.store import STORAGES
from endspiel.solvers.methods import EXACT
from endspiel.solving.solution import SpotSolution
from endspiel.solving.spots import DEFAULT_TARGET, PreparedSpot, SpotOptions
from endspiel.web.events import Hub
from endspiel.web.fitting import FitAnswer, fit_spot
from endspiel.web.jobs import SolveJob, answer_job, progress_of, record_of, solver_limits
from endspiel.web.locks import describe_lock
from endspiel.web.messages import (
    CheckAsked,
    Fields,
    JobAnswer,
    JobAsked,
    JobLimits,
    Refused,
    ResumeAsked,
    SpotText,
)
from endspiel.web.runner import NotNow, Runner
from endspiel.web.solution_cache import SolutionCache
from endspiel.web.spots import (
    SizeAnswer,
    build_spot,
    measure_spot,
    memory_limit,
    read_spot,
)
from endspiel.web.store import JobRecord, ServerFolder, new_id

MOST_JOBS: Final = 200
DEFAULT_PERCENT: Final = 100 * DEFAULT_TARGET  # what most spots can reach
OVER: Final = ("stopped", "done", "failed")


class JobService:
    """All jobs, kept in a folder."""

    def __init__(self, store: ServerFolder, memory: int | None = None) -> None:
        self.store, self.memory = store, memory
        self.hub = Hub(self.list_jobs)
        self.jobs: dict[str, SolveJob] = {}
        self.solutions = SolutionCache(store, memory)
        self._telling = threading.Lock()
        for record in store.records():
            if record.state not in OVER:  # the server ended while it ran or waited
                record.state = "stopped"
            self.jobs[record.id] = SolveJob(record)
        self.runner = Runner(store, memory, self._tell, self._show)

    def close(self) -> None:
        """Stop what runs, keep what it found."""
        self.runner.close()

    # What there is

    def job(self, name: str) -> SolveJob:
        """The job of a name."""
        found = self.jobs.get(name)
        if found is None:
            raise Refused(f"there is no job {name[:20]!r}", "id", 404)
        return found

    def answer(self, job: SolveJob) -> JobAnswer:
        """A job as pages see it."""
        waiting = list(self.runner.waiting)
        ahead = waiting.index(job) + (self.runner.running is not None) if job in waiting else 0
        return answer_job(job, ahead, self.has_result(job), self.store.file_bytes(job.id))

    def has_result(self, job: SolveJob) -> bool:
        """Whether its nodes can be opened."""
        return job.live if job.record.state == "running" else self.solutions.has(job.id)

    def solved(self, spot: SpotText, live: bool = True) -> str | None:
        """The id of the newest job that has solved a spot without locks, if one has.

        One that waits or runs counts while there is something to look at, unless `live` is false.
        """
        jobs = list(self.jobs.values())  # copied first, as other threads add and delete
        board = spot.board.split()
        there = [job for job in jobs if job.record.board == board and not job.record.locks]
        if not live:
            there = [job for job in there if job.record.state in OVER]
        for job in sorted(there, key=lambda job: -job.record.created):
            alike = job.record.spot == spot or _same(job.record.spot, spot)
            if alike and self.has_result(job):
                return job.id
        return None

    def list_jobs(self) -> dict[str, Any]:
        """Every job, newest first; copied first, as other threads add and delete."""
        jobs = list(self.jobs.values())
        jobs.sort(key=lambda job: -job.record.created)
        return {"jobs": [self.answer(job) for job in jobs]}

    def full(self, job: SolveJob) -> dict[str, Any]:
        """A job with its spot, curve and locks."""
        curve = job.record.curve
        if job.record.state == "running":
            curve = [(p.iteration, p.seconds, 100 * p.exploitability) for p in job.trace]
        whole: dict[str, Any] = msgspec.to_builtins(self.answer(job))
        record = job.record
        told = {"spot": record.spot, "curve": curve, "locks": record.locks}
        return whole | told | {"shares": record.shares}

    def progress(self) -> dict[str, Any] | None:
        """News of the job that runs."""
        job = self._running()
        return None if job is None else progress_of(job)

    def tell_progress(self) -> None:
        """Tell pages of the job that runs, each point of its curve once."""
        job = self._running()
        if job is not None:
            news = progress_of(job)
            self.hub.publish("progress", news)
            job.told += len(news["points"])

    def _running(self) -> SolveJob | None:
        job = self.runner.running
        return job if job is not None and job.record.state == "running" else None

    # What may be done

    def options(
        self, threads: int | None, locks: list[str], storage: int | None = None
    ) -> SpotOptions:
        """What a solve may use."""
        most = processors()
        if threads is not None and not 1 <= threads <= most:
            raise Refused(f"threads are 1 to {most}, not {threads}", "threads")
        if storage not in (None, *STORAGES):
            raise Refused(f"storage is 16 or 32 bits, not {storage}", "storage")
        return SpotOptions(threads or most, self.memory, locks, storage=storage)

    def check(self, asked: CheckAsked) -> SizeAnswer:
        """How large a spot is and how long it may take."""
        return self._measure(asked)[2]

    def fit(self, asked: CheckAsked) -> FitAnswer:
        """A smaller spot that fits into memory."""
        return fit_spot(
            asked.spot, lambda text: self.check(msgspec.structs.replace(asked, spot=text))
        )

    def _measure(self, asked: CheckAsked | JobAsked) -> tuple[PreparedSpot, JobLimits, SizeAnswer]:
        """A spot's task, when it ends, and its size; a default target is one it can reach."""
        given = _limits_of(asked)
        options = self.options(asked.threads, asked.locks, asked.storage)
        task = build_spot(asked.spot, asked.method, options).fitted(memory_limit(self.memory))
        limits = task.limits(solver_limits(given))
        if given == JobLimits() and limits.target_units is not None:
            given = JobLimits(target_percent=100 * limits.target_units)
        return task, given, measure_spot(task, self.memory, limits)

    def create(self, asked: JobAsked) -> SolveJob:
        """A new job at the end of the queue, once its spot is seen to be solvable."""
        self._check_room()
        task, limits, size = self._measure(asked)
        if not size.fits:
            raise Refused(size.why, "spot")
        if asked.based_on is not None:
            self.job(asked.based_on)
        record = JobRecord(
            id=new_id(),
            name=asked.name.strip() or " ".join(size.board),
            created=time.time(),
            spot=asked.spot,
            board=size.board,
            method=asked.method,
            limits=limits,
            threads=task.options.threads,
            locks=[describe_lock(text) for text in asked.locks],
            based_on=asked.based_on,
            shares=asked.shares,
            memory_bytes=size.memory_bytes,
            storage=size.storage,
        )
        return self._begin(SolveJob(record, task=task if self.runner.idle else None))

    def _begin(self, job: SolveJob) -> SolveJob:
        self.jobs[job.id] = job
        self.runner.add(job)
        self._tell_all()
        return job

    def stop(self, job: SolveJob) -> None:
        """End a job that waits or runs."""
        if job.record.state not in ("queued", "running"):
            raise Refused(f"{job.record.name} is not running", "", 409)
        self._check_stoppable(job)
        self.runner.stop(job)

    def _check_stoppable(self, job: SolveJob) -> None:
        if job is self.runner.running and job.record.method in EXACT:
            raise Refused(
                f"{job.record.method} is solved in one piece and cannot be stopped: it ends by "
                "itself, or when its seconds are over",
                "",
                409,
            )

    def resume(self, job: SolveJob, asked: ResumeAsked) -> None:
        """Let a job go on, with new limits if some are given."""
        record = job.record
        if record.state not in OVER:
            raise Refused(f"{record.name} is {record.state} already", "", 409)
        if record.method in EXACT and record.state == "done":
            raise Refused(f"{record.method} is done: there is nothing to go on with", "", 409)
        if not self.store.checkpoint(job.id).exists() and self.has_result(job):
            raise Refused(
                f"{record.name} came as a file, without the solver's state: solve its spot again",
                "",
                409,
            )
        given = _limits_of(asked)
        if given != JobLimits():
            record.limits = given
        self.runner.add(job)

    def rename(self, job: SolveJob, name: str) -> None:
        """Give a job another name."""
        self.label(job, name, None)

    def delete(self, job: SolveJob) -> None:
        """Stop a job and forget it."""
        self._check_stoppable(job)
        self.runner.stop(job)
        if not self.runner.wait(job, 30.0):
            raise Refused(f"{job.record.name} has not stopped yet: try again", "", 409)
        self.jobs.pop(job.id, None)
        self.solutions.forget(job.id)
        self.store.forget(job.id)
        self._tell_all()

    def _check_room(self) -> None:
        if sum(not job.record.report for job in list(self.jobs.values())) >= MOST_JOBS:
            raise Refused(f"there are {MOST_JOBS} jobs: delete some", "", 409)

    # Looking

    def ask(
        self, job: SolveJob, key: tuple[Any, ...], question: Callable[[SpotSolution], Any]
    ) -> bytes:
        """The answer to a question about a job's solution, or about its average so far."""
        if job.record.state == "running":
            return msgspec.json.encode(self.use(job, question))
        return self.solutions.get(job.record).ask(key, question)

    def use(self, job: SolveJob, work: Callable[[SpotSolution], Any]) -> Any:
        """Something done with a job's solution, or with its average so far."""
        if job.record.state == "running":
            try:
                return self.runner.ask(job, work)
            except NotNow as error:
                if job.record.state == "running":
                    raise Refused(str(error), "", 409) from error
        return self.solutions.get(job.record).use(work)

    def adopt(self, path: Path, name: str) -> SolveJob:
        """A job made of a solution's file, once the file is seen to be sound."""
        self._check_room()
        solution = self.solutions.check_file(path)
        named = name.strip()[:120] or format_cards(solution.spot.board, " ")
        record = record_of(new_id(), named, solution)
        path.replace(self.store.solution(record.id))
        self.store.save(record)
        job = self.jobs[record.id] = SolveJob(record)
        self.solutions.put(job.id, solution)
        self._tell_all()
        return job

    def take_over(self, record: JobRecord) -> None:
        """A job whose solution is in the folder already."""
        self.store.save(record)
        self.jobs[record.id] = SolveJob(record)
        self.solutions.forget(record.id)
        self._tell_all()

    def look_again(self) -> None:
        """Take over the jobs that others have put into the folder."""
        found = list(self.store.records(self.jobs))
        for record in found:
            if record.state not in OVER:
                record.state = "stopped"
            self.jobs[record.id] = SolveJob(record)
        if found:
            self._tell_all()

    def label(self, job: SolveJob, name: str | None, tags: list[str] | None) -> None:
        """Give a job another name, or other tags."""
        if name is not None:
            if not name.strip():
                raise Refused("a name has a letter at least", "name")
            job.record.name = name.strip()
        if tags is not None:
            job.record.tags = tags
        self.store.save(job.record)
        self._tell(job)

    def _show(self, job: SolveJob, solution: SpotSolution) -> None:
        self.solutions.put(job.id, solution)

    def _tell(self, job: SolveJob) -> None:
        with self._telling:  # several threads report: the last report is the latest state
            if job.id in self.jobs:
                self.hub.publish("job", self.answer(job))

    def _tell_all(self) -> None:
        with self._telling:
            self.hub.publish("jobs", self.list_jobs())


def _same(one: SpotText, other: SpotText) -> bool:
    """Whether two texts say the same spot."""
    return read_spot(one).dump() == read_spot(other).dump()


def _limits_of(asked: CheckAsked | JobAsked | ResumeAsked) -> JobLimits:
    """The limits given, each of which can be met."""
    target, iterations, seconds = asked.target_percent, asked.iterations, asked.seconds
    fields = Fields()
    fields.make("target", lambda: Limits(target, iterations=1))
    fields.make("iterations", lambda: Limits(iterations=iterations, seconds=1))
    fields.make("seconds", lambda: Limits(seconds=seconds, iterations=1))
    fields.check()
    return JobLimits(target, iterations, seconds)

"""The tools by name: what each is asked, what it does, and how its answer comes."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from endspiel.errors import EndspielError
from endspiel.mcp import asked
from endspiel.mcp.long_tools import LongTools
from endspiel.mcp.queue import CANCELLED, JobQueue, QueuedJob, Work
from endspiel.mcp.shelf import SolutionShelf
from endspiel.mcp.spot_tools import SpotTools
from endspiel.processors import processors
from endspiel.web.messages import Asked, decode

ANSWERS_BYTES: Final = 64_000_000  # of finished answers that are remembered


@dataclass(frozen=True)
class ToolLimits:
    """What the tools may use."""

    memory: int | None = None  # bytes of a solve and the solutions held; None: most of the free
    seconds: float = 300.0  # that a job may run
    threads: int = 0  # 0: all processors
    folder: Path | None = None  # where solutions are written; None: no file is written
    trust_agents: bool = False  # whether agents may run code and read files


class Pending(NamedTuple):
    """A job in the place of an answer, and how long the call waits for it."""

    job: QueuedJob
    seconds: float


class Tool(NamedTuple):
    """A tool as clients see it."""

    name: str
    asked: type[Asked]
    help: str

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of its arguments."""
        (_,), parts = msgspec.json.schema_components([self.asked], ref_template="#/$defs/{name}")
        own: dict[str, Any] = parts.pop(self.asked.__name__)
        own.pop("title", None)
        own["description"] = self.help
        return own | ({"$defs": parts} if parts else {})


MEASURED: Final = (
    "The answer's field measured states its exploitability and the game that it was measured in."
)
TOOLS: Final[dict[str, Tool]] = {
    tool.name: tool
    for tool in (
        Tool(
            "solve",
            asked.SolveSpot,
            "Solve a heads-up spot (flop, turn or river) and give both players' EVs and the first "
            f"decision. {MEASURED} Ask the tool node for other nodes, by the solution's name.",
        ),
        Tool(
            "node",
            asked.ShowNode,
            "Explain a node of a solution: how often each action is taken, its EV in chips, the "
            f"classes that take it, and play by made hand and by draw. {MEASURED}",
        ),
        Tool(
            "lock",
            asked.LockNode,
            "Hold a node's strategy fixed and solve again: what the other player gains by "
            "answering it. Give one of actions (every hand plays this mix), frequencies (all hands "
            "together do this) or classes (a mix by range, as in {'AA-TT': {'c': 1}}). "
            f"{MEASURED}",
        ),
        Tool(
            "compare",
            asked.CompareNodes,
            f"Show one line in two solutions side by side. {MEASURED}",
        ),
        Tool(
            "report",
            asked.MakeReport,
            "Solve one tree on many flops, turns or rivers: frequencies, EVs, equities and EQR of "
            f"a node, by board and in the mean. {MEASURED}",
        ),
        Tool(
            "preflop",
            asked.SolvePreflop,
            f"Solve a heads-up tree before the flop and show a decision's chart. {MEASURED}",
        ),
        Tool(
            "review",
            asked.ReviewHands,
            f"Find the EV that each played decision of a hand history lost. {MEASURED}",
        ),
        Tool(
            "lbr",
            asked.MeasureAgent,
            "Bound an agent's exploitability from below by a local best response, with a 95% "
            f"interval. {MEASURED}",
        ),
        Tool("job", asked.AskJob, "Wait for a job and get its answer, or how far it is."),
        Tool("cancel", asked.CancelJob, "End a job."),
        Tool("list", asked.ListAll, "List the solutions in memory and the jobs."),
    )
}


class Toolbox:
    """Every tool, over one queue of jobs and one shelf of solutions."""

    def __init__(self, limits: ToolLimits | None = None) -> None:
        limits = limits or ToolLimits()
        threads = limits.threads or processors()
        self.queue = JobQueue(limits.seconds)
        self.spots = SpotTools(SolutionShelf(limits.memory, limits.folder), threads)
        self.long = LongTools(limits.memory, threads, limits.trust_agents)
        self._makers: Mapping[str, Callable[[Any], Work]] = {
            "solve": self.spots.solve,
            "lock": self.spots.lock,
            "report": self.long.report,
            "preflop": self.long.preflop,
            "review": self.long.review,
            "lbr": self.long.lbr,
        }
        self._answers: OrderedDict[bytes, tuple[dict[str, Any], int]] = OrderedDict()
        self._running: dict[bytes, QueuedJob] = {}
        self._lock = threading.Lock()

    def close(self) -> None:
        """Cancel what runs."""
        self.queue.close()

    def call(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any] | Pending:
        """An answer that is there at once, or the job that makes it."""
        tool = TOOLS.get(name)
        if tool is None:
            raise EndspielError(f"there is no tool {name[:40]!r}: there are {', '.join(TOOLS)}")
        given = decode(msgspec.json.encode(dict(arguments)), tool.asked)
        if isinstance(given, asked.ShowNode):
            return self.spots.node(given)
        if isinstance(given, asked.CompareNodes):
            return self.spots.compare(given)
        if isinstance(given, asked.AskJob):
            return Pending(self.queue.find(given.job), given.wait_seconds)
        if isinstance(given, asked.CancelJob):
            job = self.queue.find(given.job)
            job.cancel()
            return job.progress()
        if isinstance(given, asked.ListAll):
            jobs = [job.progress() for job in self.queue.jobs.values()]
            return {"solutions": self.spots.names(), "jobs": jobs}
        return self._long(tool, given)

    def outcome(self, job: QueuedJob) -> dict[str, Any]:
        """What a job came to; an error if it failed, its progress while it runs."""
        if not job.ended.is_set():
            return job.progress() | {
                "answer": f"not yet: ask the tool job for {job.name}, or cancel it"
            }
        if job.state == CANCELLED:
            raise EndspielError(f"{job.name} was cancelled")
        if job.answer is None:
            raise EndspielError(job.error)
        return job.answer

    def _long(self, tool: Tool, given: Asked) -> dict[str, Any] | Pending:
        """The answer of a question that was asked before, or a job."""
        record = msgspec.to_builtins(given)
        wait = float(record.pop("wait_seconds"))
        key = tool.name.encode() + msgspec.json.encode(record)
        with self._lock:
            if key in self._answers:
                self._answers.move_to_end(key)
                return self._answers[key][0]
            running = self._running.get(key)
            if running is not None and not running.ended.is_set() and not running.cancelled:
                return Pending(running, wait)
        work = self._makers[tool.name](given)

        def remembering(job: QueuedJob) -> dict[str, Any]:
            answer = work(job)
            if not job.over:  # an answer that ended early is made better by asking again
                self._remember(key, answer)
            return answer

        job = self._running[key] = self.queue.add(tool.name, remembering)
        return Pending(job, wait)

    def _remember(self, key: bytes, answer: dict[str, Any]) -> None:
        if "solution" in answer:
            return  # which the shelf has, as long as it is there
        with self._lock:
            self._answers[key] = answer, len(msgspec.json.encode(answer))
            while sum(size for _, size in self._answers.values()) > ANSWERS_BYTES:
                self._answers.popitem(last=False)

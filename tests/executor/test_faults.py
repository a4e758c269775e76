"""Processes without Ray: a full disk and a worker out of memory cost what they must, no more."""

import ast
import os
import resource
import signal
import socket
import sys
from pathlib import Path

import numpy as np
import pytest

import endspiel as es
import endspiel.executor.executor as executor_module
from endspiel.arena.match import run_match
from endspiel.arena.plan import MatchPlan
from endspiel.errors import EndspielError
from endspiel.executor import Executor, WorkerDied, WorkerJob
from endspiel.executor.ray_cluster import _one_line, check_version, load_ray
from endspiel.executor.ray_pool import answer_of, serve_task
from endspiel.executor.tasks import Death
from endspiel.ledger import Ledger
from endspiel.rules.builtin import load_rules
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import State
from tests.children import finished, killed, started, wait_until
from tests.executor.work import gone

ROOT = Path(__file__).parents[2]
ray_exceptions = load_ray().exceptions


class Greedy:
    """Takes what memory a task asks for, of little."""

    def __init__(self, room: int) -> None:
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + room, resource.RLIM_INFINITY))

    def work(self, task: int) -> int:
        return int(np.ones(task, np.uint8).sum())

    def close(self) -> None:
        pass


def test_a_worker_out_of_memory_stops_no_other_task() -> None:
    sizes = [1000, 1 << 33, 2000]
    with Executor(2) as executor:
        outcomes = sorted(executor.outcomes(WorkerJob(Greedy, 1 << 29), sizes, patience=0))
    assert [outcome.found for outcome in outcomes] == [1000, None, 2000]
    assert isinstance(outcomes[1].error, MemoryError)


class Killer(es.Agent):
    """Kills its process in some hand, as the system does where memory ends."""

    def begin(self, seed: int) -> None:
        super().begin(seed)
        if seed % 97 == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def act(self, state: State, hole: tuple[int, ...], board: tuple[int, ...]) -> int:
        return 0


def killer(game: GameDef, options: str) -> es.Agent:
    return Killer()


def test_a_match_keeps_the_hands_before_a_block_that_kills_its_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executor_module, "PATIENCE", 0.0)
    log = tmp_path / "match.log"
    plan = MatchPlan(load_rules("leduc"), (f"{__name__}:killer", "always-call"), 4000, 3)
    with pytest.raises(WorkerDied) as caught:
        run_match(plan, log, workers=2)
    said = str(caught.value)
    assert said.startswith("2 workers died at the same task (killed by signal 9): ")
    kept = sum(line.startswith("STATE") for line in log.read_text().splitlines())
    assert said.endswith(f"; {log} keeps the {kept} hands before, and can be resumed")


FULL = """
import resource, sys
from pathlib import Path
from endspiel.ledger import Ledger
from endspiel.errors import EndspielError
from endspiel.executor import Executor, WorkerJob
from tests.executor.work import Squares

if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))
    try:
        with Ledger(Path(sys.argv[1]), {"job": "squares"}) as log, Executor(2) as executor:
            for outcome in executor.outcomes(WorkerJob(Squares, 0), range(9), patience=0):
                log.add(f"task {outcome.number}", {"found": outcome.found[0]})
    except EndspielError as error:
        print(error)
"""


KILLED = """
import sys
from endspiel.executor import Executor, WorkerJob
from tests.executor.work import Sleeper

if __name__ == "__main__":
    with Executor(2) as executor:
        list(executor.outcomes(WorkerJob(Sleeper, sys.argv[1]), range(2), patience=0))
"""


def test_workers_leave_with_a_command_that_is_killed(tmp_path: Path) -> None:
    """Also those that are busy, and would find out minutes later."""
    script, notes = tmp_path / "killed.py", [tmp_path / f"{n}" for n in range(2)]
    script.write_text(KILLED)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    command = started([sys.executable, script, tmp_path], env=environment)
    wait_until(lambda: all(note.exists() and note.read_text() for note in notes), command)
    killed(command)
    wait_until(lambda: all(gone(note.read_text()) for note in notes))


def test_a_full_disk_ends_in_a_sentence_and_keeps_what_is_noted(tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk's: one record fits, and half of another."""
    script, state = tmp_path / "full.py", tmp_path / "state"
    script.write_text(FULL)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    done = finished([sys.executable, script, state], env=environment)
    assert done.stdout == f"cannot write {state}: File too large\n", done.stderr
    with Ledger(state, {"job": "squares"}) as log:
        noted = [n for n in range(9) if log.get(f"task {n}") is not None]
        assert [log.get(f"task {n}") for n in noted] == [{"found": n * n} for n in noted]
    assert len(noted) == 1


def test_a_cluster_that_does_not_answer_is_named_at_once() -> None:
    with socket.socket() as nobody:  # bound, and never listening
        nobody.bind(("127.0.0.1", 0))
        address = f"ray://127.0.0.1:{nobody.getsockname()[1]}"
        with pytest.raises(EndspielError, match=rf"^no Ray at {address}: .*Connection refused$"):
            Executor(address).cluster  # noqa: B018


class Lost:
    """Ray with an answer that is gone."""

    exceptions = ray_exceptions

    def __init__(self, error: Exception) -> None:
        self.error = error

    def get(self, ref: object) -> object:
        raise self.error


def task_error(cause: Exception) -> Exception:
    return ray_exceptions.RayTaskError("serve_task", "a traceback", cause)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ray_exceptions.OutOfMemoryError("killed"), "its node was out of memory"),
        (ray_exceptions.NodeDiedError("gone"), "its node is gone"),
        (ray_exceptions.WorkerCrashedError(), "its process is gone"),
        (ray_exceptions.ActorDiedError(), "its process is gone"),
    ],
)
def test_what_ray_says_of_a_lost_worker_is_a_death(error: Exception, reason: str) -> None:
    """A death is mourned as that of a process is: once more, and then given up in a sentence."""
    assert answer_of(Lost(error), None) == Death(reason)


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (ray_exceptions.OutOfDiskError("full"), "a node of the Ray cluster has no disk space left"),
        (task_error(EndspielError("another version")), "another version"),
        (
            task_error(ZeroDivisionError("by nothing")),
            r"a worker of the Ray cluster failed: ZeroDivisionError\('by nothing'\)",
        ),
    ],
)
def test_what_ray_says_of_an_error_is_a_sentence(error: Exception, sentence: str) -> None:
    with pytest.raises(EndspielError, match=f"^{sentence}$"):
        answer_of(Lost(error), None)


def test_another_version_is_refused_by_a_worker() -> None:
    check_version(es.__version__)
    with pytest.raises(EndspielError, match=r"this machine 0\.0: install one version everywhere$"):
        check_version("0.0")
    with pytest.raises(EndspielError, match="install one version everywhere"):
        serve_task("0.0", "job", [None], 1)


def test_why_a_cluster_refuses_is_told_in_a_line() -> None:
    long = "Initialization failure from server:\nTraceback (most recent call last):\nNo: no room"
    assert _one_line(RuntimeError(long)) == "Initialization failure from server: No: no room"
    assert _one_line(RuntimeError("first\nsecond")) == "first"
    assert _one_line(TimeoutError()) == "TimeoutError"


STARTERS = ("system", "popen", "fork", "posix_spawn", "spawn", "create_subprocess")  # Python's own


def test_nothing_else_starts_processes() -> None:
    """Programs of others that play a match are no workers, and neither is the C++ compiler."""
    package = ROOT / "src" / "endspiel"
    found = set()
    for path in package.rglob("*.py"):
        text = path.read_text()
        nodes = list(ast.walk(ast.parse(text)))
        names = {name.split(".")[0] for node in nodes for name in _imported(node)}
        called = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        forked = any(name.startswith(STARTERS) for name in called)
        if names & {"multiprocessing", "subprocess", "ray"} or "ProcessPool" in text or forked:
            found.add(str(path.relative_to(package).parts[0]))
    assert found == {"executor", "arena", "native"}
    for folder, only in (("arena", "external.py"), ("native", "build.py")):
        files = [p.name for p in (package / folder).rglob("*.py") if "subprocess" in p.read_text()]
        assert files == [only]


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module or ""] if isinstance(node, ast.ImportFrom) else []

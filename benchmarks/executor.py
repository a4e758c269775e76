"""The executor: two one-core nodes against one, and what handing over costs a task.

A report of 25 flops, tasks of 0.2 s and iterations of limit hold'em on 12 cards are done by local
Ray clusters of one and of two one-core nodes, in turn in one run, and by processes of this machine.
What is told are ratios of times of this run, a model fitted to them, and whether all results are
equal. Iterations are timed after the first ones; once with what outlives a killed worker kept every
iteration, once every 20.

python benchmarks/executor.py [--flops 25] [--tasks 40] [--json OUT]
"""

import argparse
import json
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from _executor_work import Spinner
from cluster_model import report as all_flops
from endspiel.batch.boards import report_flops
from endspiel.batch.planning import SpotMethod
from endspiel.batch.report import BoardReport
from endspiel.batch.running import BatchSetting
from endspiel.engine.limits import Limits
from endspiel.engine.schemes import SCHEMES, Answer
from endspiel.executor import Executor, ExecutorTask, WorkerJob
from endspiel.executor.executor import Dispatch
from endspiel.executor.processes import ProcessPool
from endspiel.executor.ray_cluster import load_ray
from endspiel.games.holdem import Holdem
from endspiel.games.registry import load_game
from endspiel.games.spot import Spot, parse_spot
from endspiel.solvers.boards.trunk import Decomposition, TrunkCFR
from endspiel.solving.spots import SpotOptions

SPOT = {
    "board": "Qs Jh 2h", "pot": 100, "stack": 300,
    "ranges": ["99+,AJs+,KQs,AQo+", "TT-66,AQs-ATs,KQs,QJs,JTs,T9s,AQo"],
    "flop": {"bet": "50%"}, "turn": {"bet": "60%"}, "river": {"bet": "60%"},
}  # fmt: skip
ITERATIONS = 30  # of each flop: the work is the same everywhere
TASK_SECONDS = 0.2
LIMIT = "limit-holdem:ranks=3"
CURRENT = SCHEMES["cfr+"].answering(Answer("current"))
BITS = 12
UNTIMED, TIMED = 3, 5  # iterations
SELDOM = 20  # iterations between two copies of what is learned


@contextmanager
def nodes(count: int) -> Iterator[None]:
    """A local cluster of one-core nodes, which this process is connected to."""
    ray = load_ray()
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 1, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    for _ in range(count - 1):
        cluster.add_node(num_cpus=1)
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    try:
        yield
    finally:
        ray.shutdown()
        cluster.shutdown()


def report(workers: str, flops: int) -> tuple[float, list[Any]]:
    """Seconds of a report on warm workers, and its rows without times."""
    spot: Spot = parse_spot(SPOT)
    how = SpotMethod(None, SpotOptions(), Limits(iterations=ITERATIONS))
    boards = report_flops(str(flops), spot)
    warm = BoardReport(spot, boards[:2], how, BatchSetting(workers))
    warm.run()
    made = BoardReport(spot, boards, how, BatchSetting(workers))
    begun = time.perf_counter()
    made.run()
    seconds = time.perf_counter() - begun
    return seconds, [{**row, "seconds": 0} for row in made.rows]


def spin(workers: str, tasks: int) -> float:
    """What handing over adds to tasks of 0.2 s by one worker, as a share of the tasks' own time.

    It is counted from the first result to the last: starting is no part of it.
    """
    job, given = WorkerJob(Spinner, None), [TASK_SECONDS] * tasks
    if workers == "auto":
        with Executor(workers) as executor:
            return _overhead(executor.results(job, given))
    with closing(ProcessPool(1)) as pool:
        pool.begin("spin", job, None)
        numbered = ((n, ExecutorTask(seconds)) for n, seconds in enumerate(given))
        return _overhead(one.found for one in Dispatch(pool, numbered, 0).in_order())


def _overhead(results: Iterable[float]) -> float:
    own, at = [], []
    for seconds in results:
        own.append(seconds)
        at.append(time.perf_counter())
    return (at[-1] - at[0]) / sum(own[1:]) - 1


def limit(workers: str, keep_every: int) -> tuple[float, float]:
    """Seconds of an iteration of packed limit hold'em, and how exploitable it is in the end."""
    solver = TrunkCFR(_game().cards, CURRENT, Decomposition(workers, BITS, keep_every))
    with closing(solver.backend):
        solver.advance(UNTIMED)
        begun = time.perf_counter()
        solver.advance(TIMED)
        return (time.perf_counter() - begun) / TIMED, solver.exploitability()


def _game() -> Holdem:
    game = load_game(LIMIT)
    assert isinstance(game, Holdem)
    return game


def measure(flops: int, tasks: int) -> dict[str, Any]:
    """All figures: by cluster of one and of two nodes, and by processes."""
    found: dict[str, Any] = {}
    rows, gaps = [], []
    for name, count in (("one node", 1), ("two nodes", 2)):
        with nodes(count):
            seconds, made = report("auto", flops)
            iteration, gap = limit("auto", SELDOM)
            kept, again = limit("auto", 1)
            found[name] = {"report": seconds, "iteration": iteration, "iteration, kept": kept}
            if count == 1:
                found["overhead on Ray"] = spin("auto", tasks)
        rows.append(made)
        gaps += [gap, again]
    for name in ("1", "2"):
        seconds, made = report(name, flops)
        iteration, gap = limit(name, SELDOM)
        kept, again = limit(name, 1)
        found[f"{name} processes"] = {
            "report": seconds, "iteration": iteration, "iteration, kept": kept,
        }  # fmt: skip
        rows.append(made)
        gaps += [gap, again]
    found["overhead of processes"] = spin("1", tasks)
    one, two = found["one node"], found["two nodes"]
    found["speedup"] = {kind: one[kind] / two[kind] for kind in one}
    found["same digits"] = all(made == rows[0] for made in rows) and len(set(gaps)) == 1
    found["model"] = model(one["report"], two["report"], flops)
    return found


def model(one: float, two: float, flops: int) -> dict[str, float]:
    """Serial seconds and those a flop, by the two measured runs; then 1,755 flops."""
    each = 2 * (one - two) / flops
    serial = max(0.0, 2 * two - one)
    hours = {f"{n} nodes": all_flops(n, serial, each) / 3600 for n in (1, 2, 16, 100)}
    return {"serial seconds": serial, "seconds a flop": each, **hours}


def main() -> None:
    """Measure and tell."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--flops", type=int, default=25)
    parser.add_argument("--tasks", type=int, default=40)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    found = measure(given.flops, given.tasks)
    text = json.dumps(found, indent=2)
    print(text)
    if given.json is not None:
        given.json.write_text(text + "\n")


if __name__ == "__main__":
    main()

"""Limit hold'em, whole, on small decks: the supplement's CFR+, current strategy against average.

The betting is that of the real game. Exploitability is in milli big blinds a game (mbb/g), the mean
of both players' best-response gains (supplement, equation 13 and Figure S1). Nothing is drawn at
random.
"""

import sys
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from endspiel import files
from endspiel.engine.backend import exploitability
from endspiel.engine.driver import Driver
from endspiel.engine.limits import Limits
from endspiel.engine.run import Checkpoint, RunTask
from endspiel.engine.run import run as run_solver
from endspiel.engine.schemes import AVERAGE, CURRENT, USUAL, Answer
from endspiel.errors import EndspielError
from endspiel.executor import GivenWorkers
from endspiel.games.holdem import Holdem, limit_holdem
from endspiel.gpu.backend import StreamBackend
from endspiel.gpu.cuda.machine import cuda_machine
from endspiel.gpu.holdem import HoldemMaker, keep_fixed, stream_game
from endspiel.gpu.layout import game_bytes
from endspiel.processors import processors
from endspiel.reproduce.limit_facts import (
    facts_of,
    facts_of_packed,
    facts_of_streams,
    word_compression,
)
from endspiel.solvers.boards.cfr import BoardCFR
from endspiel.solvers.boards.holdem import BlockCheckpoint, check_gpu, holdem_scheme, prepare_holdem
from endspiel.solvers.boards.subgames import check_bits
from endspiel.solvers.boards.trunk import Decomposition, TrunkCFR
from endspiel.solving.devices import CPU, gpu_room

METHOD: Final = "cfr+"
TARGET: Final = 1.0  # mbb/g, what the paper calls essentially solved
MILLI: Final = 1000.0
# Figure S1 and its text, mbb/g on 52 cards.
PAPER: Final = {
    "Polaris 2007": 275.9,
    "Polaris 2008": 235.3,
    "Hyperborean 2010": 135.4,
    "CFR+": 0.986,
}
TOGETHER: Final = 1.0  # seconds of steps taken at once
SAVE_SECONDS: Final = 600.0  # between two checkpoints, which are as large as the solve


class LimitPoint(NamedTuple):
    """A measurement, mbb/g; no average where none is kept."""

    iteration: int
    average: float | None
    current: float


Solving = BoardCFR | TrunkCFR | Driver[StreamBackend]
Facts = Callable[[], dict[str, Any]]


def run(
    ranks: int = 3,
    state: Path | None = None,
    workers: GivenWorkers = None,
    device: str = CPU,
    target: float = TARGET,
    seconds: float | None = None,
    bits: int | None = None,
    solution: str | None = None,
    weights: float | None = None,
    method: str = METHOD,
) -> dict[str, Any]:
    """Solve a small deck until one of the strategies is below the target, mbb/g."""
    limits, game = Limits(target / MILLI, seconds=seconds), limit_holdem(ranks)
    free = gpu_room(device)
    if free is not None:
        if state is not None or workers is not None:
            raise EndspielError("a GPU solves limit-holdem by itself: no --resume, no --workers")
        given = solution is not None or weights is not None
        asked = Answer(solution or AVERAGE, weights=weights) if given else None
        return examine_streams(game, limits, (cuda_machine, free), asked, bits, method)
    if bits is not None and workers is None:
        raise EndspielError("fixed point is of subgames or of a GPU: give --workers or --device")
    answer = Answer(solution or AVERAGE, weights=weights)
    return examine(game, limits, state, workers, bits=bits, answer=answer, method=method)


class Examined(NamedTuple):
    """A solve to examine: its game, its method, its solver and its last figures."""

    game: Holdem
    method: str
    solver: Solving
    bits: int | None  # of fixed point, where regrets have some
    facts: Facts


def examine(
    game: Holdem,
    limits: Limits,
    state: Path | None = None,
    workers: GivenWorkers = None,
    *,
    bits: int | None = None,
    answer: Answer = USUAL,
    method: str = METHOD,
) -> dict[str, Any]:
    """Solve a game, and compute the article's figures from its strategies.

    Workers, where they are given, walk the turns and rivers; else it is one solve on all cores. Of
    packed strategies, which may be too many for floats, there are fewer: they are not unpacked.
    """
    parts = None
    if workers is not None:
        parts = Decomposition(workers, bits, folder=None if bits is None else state)
    threads = 1 if parts is not None else processors()
    task = prepare_holdem(game, method, answer, threads, decompose=parts, keep=bits is None)
    if parts is None:
        undivided = BoardCFR(game.cards, task.scheme, threads)
        facts: Facts = partial(facts_of, game, lambda: undivided.store)
        checkpoint = _checkpoint(task.run_task, state, Checkpoint)
        return _examined(Examined(game, method, undivided, None, facts), limits, checkpoint)
    checkpoint = _checkpoint(task.run_task, state, BlockCheckpoint)  # which makes the folder
    solver = TrunkCFR(game.cards, task.scheme, parts)
    with closing(solver.backend):
        whole = partial(facts_of, game, solver.backend.gathered)
        facts = whole if bits is None else partial(facts_of_packed, game, solver.backend)
        return _examined(Examined(game, method, solver, bits, facts), limits, checkpoint)


def examine_streams(
    game: Holdem,
    limits: Limits,
    machine: tuple[HoldemMaker, int],
    answer: Answer | None = None,
    bits: int | None = None,
    method: str = METHOD,
) -> dict[str, Any]:
    """A solver by op streams: the machine's factory, and the bytes that are free there.

    Averages are kept where there is room for them. Regrets of turns and rivers may be rounded as
    packed ones are.
    """
    maker, free = machine
    if bits is not None:
        check_bits(bits)
    check_gpu(game.strategy_bytes(1), free, game)
    cards = stream_game(game)
    if answer is None:
        answer = USUAL if game_bytes(cards) <= free else Answer(CURRENT)
    scheme = holdem_scheme(method).answering(answer)
    averages = answer.solution == AVERAGE
    check_gpu(game_bytes(cards, 2 if averages else 1), free, game, averages)
    started = time.perf_counter()
    backend = StreamBackend(cards, lambda games: maker(games, averages=averages))
    with closing(backend.batch):
        solver = Driver(backend, scheme)
        if bits is not None:
            keep_fixed(backend, bits)
        setting_up = time.perf_counter() - started
        facts = partial(facts_of_streams, game, backend)
        found = _examined(Examined(game, method, solver, bits, facts), limits, None)
    return {**found, "setting_up_seconds": setting_up}


def _examined(what: Examined, limits: Limits, checkpoint: Checkpoint | None) -> dict[str, Any]:
    game, solver = what.game, what.solver
    points: list[LimitPoint] = []
    averages = solver.scheme.solution == AVERAGE

    def measured() -> LimitPoint:
        average = MILLI * exploitability(solver.backend) if averages else None
        with solver.backend.by_current():
            current = MILLI * exploitability(solver.backend)
        return LimitPoint(solver.iteration, average, current)

    def measure() -> float:
        points.append(measured())
        _tell(points[-1], time.perf_counter() - began)
        return _least(points[-1]) / MILLI

    started, began = time.process_time(), time.perf_counter()
    trace, stopped = run_solver(solver, measure, limits, checkpoint, batch_seconds=TOGETHER)
    spent = time.process_time() - started
    whole = isinstance(solver, BoardCFR)
    last = points[-1] if points else measured()
    return {
        "game": game.name,
        "method": what.method,
        "solution": solver.scheme.solution,
        "weights": solver.scheme.gamma,
        "bits": what.bits,
        "infosets": game.cards.num_infosets,
        "iterations": solver.iteration,
        "seconds": trace[-1].seconds,
        "processor_seconds": spent if whole else None,  # of this session, where it is all here
        "threads": processors() if whole else 1,
        "stopped": stopped,
        "exploitability": {"current": last.current, "average": last.average},
        "best": min(points or [last], key=_least)._asdict(),
        "points": [tuple(point) for point in points],
        "trace": [(point.iteration, point.seconds) for point in trace],
        "dealer_value": -MILLI * solver.value(),
        **what.facts(),
        "paper": PAPER,
    }


def _least(point: LimitPoint) -> float:
    """What the better of a measurement's strategies loses."""
    return point.current if point.average is None else min(point.average, point.current)


def _tell(point: LimitPoint, seconds: float) -> None:
    """A line of progress."""
    average = "" if point.average is None else f", average {point.average:.4g}"
    text = f"iteration {point.iteration}, current {point.current:.4g}{average} mbb/g"
    print(f"{text}, {seconds:.0f} s", file=sys.stderr, flush=True)


def _checkpoint(task: RunTask, state: Path | None, kind: type[Checkpoint]) -> Checkpoint | None:
    if state is None:
        return None
    files.make_folder(state)
    name = "limit-holdem.es" if kind is Checkpoint else "limit-holdem.blocks"
    return kind(state / name, task, SAVE_SECONDS)


def _where(result: dict[str, Any]) -> str:
    if "setting_up_seconds" in result:
        return f"on a GPU ({result['setting_up_seconds']:.0f} s of setting up beside)"
    if result["processor_seconds"] is None:
        return "by workers"
    each = result["processor_seconds"] / max(result["iterations"], 1)
    return f"on {result['threads']} threads ({each:.2f} processor seconds an iteration)"


def _point(point: tuple[int, float | None, float]) -> str:
    t, average, current = point
    return f"| {t} | {current:.3f} | {'' if average is None else f'{average:.3f}'} |"


def report(result: dict[str, Any]) -> str:
    """The figures as Markdown."""
    lines = [
        f"{result['game']}: {result['infosets']:,} infosets, {result['method']}, "
        f"{result['iterations']} iterations, {result['seconds']:.0f} s {_where(result)}, ended by "
        f"{result['stopped']}",
        "",
        "| iterations | current strategy, mbb/g | average, mbb/g |",
        "|---|---|---|",
        *map(_point, result["points"]),
        "",
        f"The dealer wins {result['dealer_value']:.2f} mbb/g. First in, it "
        + ", ".join(f"{what}s {100 * share:.1f}%" for what, share in result["first_in"].items()),
    ]
    if result["never_taken"]:
        shares = (f"{name} {100 * x:.0f}%" for name, x in result["never_taken"].items())
        lines.append("Actions never taken by the current strategy: " + ", ".join(shares))
    if result["compression"]:
        lines.append(word_compression(result["compression"]))
    beside = ", ".join(f"{name} {x}" for name, x in result["paper"].items())
    lines.append(f"The paper, on 52 cards, mbb/g: {beside}")
    return "\n".join(lines)

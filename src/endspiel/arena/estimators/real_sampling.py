"""The values of a blueprint's lines on many flops, side by side, each worked out once for ever."""

import base64
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from endspiel.arena.estimators.real_exploit import (
    JOB,
    PreflopResponse,
    RealExploitability,
    class_values,
    draw_flops,
    exact_exploitability,
    flop_cards,
    sampled_exploitability,
)
from endspiel.arena.estimators.real_given import (
    DEALT_BYTES,
    GivenBlueprint,
    gpu_responder,
    respond_to_flops,
)
from endspiel.arena.estimators.real_lanes import response_to
from endspiel.arena.estimators.real_response import RealResponse
from endspiel.arena.estimators.real_strategy import FileStrategy, StrategySource
from endspiel.arrays import Float64s
from endspiel.batch.planning import MemoryPlan, plan_work
from endspiel.cards.classes import NUM_CLASSES
from endspiel.cards.isomorphism import canonical_flops
from endspiel.cards.streets import NUM_FLOPS
from endspiel.cards.text import format_cards
from endspiel.errors import EndspielError, FileError
from endspiel.executor import (
    Executor,
    ExecutorTask,
    GivenWorkers,
    TaskNeeds,
    WorkerJob,
    parse_workers,
)
from endspiel.ledger import Ledger, key_of
from endspiel.progress import Observe, Progress, unobserved
from endspiel.solving.devices import CPU, check_device

Piece = tuple[int, int]  # flop and player
PIECES = "flops and players"


@dataclass(frozen=True)
class ExploitSetting:
    """How many flops are drawn, and how they are worked through.

    Examples:
        >>> import endspiel as es
        >>> es.ExploitSetting(boards=20, workers=2).seed
        1
    """

    boards: int
    seed: int = 1
    workers: GivenWorkers = None  # flops side by side; by default one a processor
    state: Path | None = None  # a file: flops that are finished in it are not done again
    memory: int | None = None  # most bytes; by default most of what is free
    device: str = CPU  # where responses are worked out; flops are dealt on processors


def real_exploitability(
    blueprint: FileStrategy,
    setting: ExploitSetting,
    observe: Observe = unobserved,
) -> RealExploitability:
    """Best responses of both players on real cards, on a sample of flops or on all.

    Examples:
        >>> import endspiel as es
        >>> folds = es.load_strategy("limit-holdem:always-fold")
        >>> found = es.real_exploitability(folds, es.ExploitSetting(boards=2, workers=1))
        >>> 700 < found.fresh <= found.fitted < 800  # mbb a hand
        True
    """
    check_device(setting.device)
    if setting.device != CPU and parse_workers(setting.workers).address:
        raise EndspielError(
            "responses on a GPU are worked out by this machine's: take a number of workers, or cpu"
        )
    _, every = draw_flops(setting.boards, setting.seed)
    responses = [response_to(blueprint, player) for player in (0, 1)]
    preflop = [PreflopResponse(response) for response in responses]
    by_player = line_values(blueprint, responses, setting, observe)
    if not every:
        return sampled_exploitability(blueprint, preflop, by_player)
    weights = canonical_flops()[1] / NUM_FLOPS
    return exact_exploitability(blueprint, preflop, by_player, weights)


def line_values(
    blueprint: FileStrategy,
    responses: list[RealResponse],
    setting: ExploitSetting,
    observe: Observe = unobserved,
) -> list[Float64s]:
    """What the lines into the flop are worth on the flops drawn: [n, X, 169] by player."""
    drawn, _ = draw_flops(setting.boards, setting.seed)
    found = _FlopTables(blueprint, responses, setting).fill(sorted(set(drawn.tolist())), observe)
    return [np.array([found[int(flop), player] for flop in drawn]) for player in (0, 1)]


PATIENCE = 0.0  # seconds before processes are started: a flop takes minutes


class _FlopWorker:
    """Responses of both players in one worker."""

    def __init__(self, source: StrategySource) -> None:
        blueprint = source.open()
        self.responses = [response_to(blueprint, player) for player in (0, 1)]

    def work(self, piece: Piece) -> Float64s:
        """Values [X, 169] of the lines on a flop."""
        flop, player = piece
        return class_values(self.responses[player].flop_values(flop_cards(flop)))

    def close(self) -> None:
        """Nothing is held."""


class _FlopTables:
    """Values [X, 169] of the lines by flop and player, found by workers and noted in a log."""

    def __init__(
        self, blueprint: FileStrategy, responses: list[RealResponse], setting: ExploitSetting
    ) -> None:
        self.blueprint, self.responses, self.setting = blueprint, responses, setting
        self.source = StrategySource.of(blueprint)
        post = self.source.post
        self._about = (blueprint.verify(), post.kind, post)
        self.plan = MemoryPlan(1, 0)

    def fill(self, flops: list[int], observe: Observe) -> dict[Piece, Float64s]:
        """The tables of some flops."""
        found = dict[Piece, Float64s]()
        pieces = [(flop, player) for flop in flops for player in (0, 1)]
        with Executor(self.setting.workers) as executor, Ledger(self.setting.state, JOB) as log:
            for piece in pieces:
                record = log.get(self._key(piece))
                if record is not None:
                    found[piece] = self._read(record, piece[1])
            left = [piece for piece in pieces if piece not in found]
            sizes = [self._work_bytes(player) for _, player in left]
            self.plan = plan_work(sizes, executor, self.setting.memory)
            executor.limit(self.plan.workers, self.plan.allowed)
            before = len(found)

            def tell(note: str = "") -> None:
                observe(Progress(PIECES, len(found), len(pieces), before, note=note))

            tell(self.plan.note)
            on_cpu = self.setting.device == CPU
            found_by = self._work(executor, left) if on_cpu else self._work_on_gpu(left)
            with closing(found_by) as work:
                for piece, table in work:
                    found[piece] = table
                    text = base64.b64encode(table.astype("<f8").tobytes()).decode()
                    log.add(self._key(piece), {"values": text})
                    tell()
        return found

    def _work(
        self, executor: Executor, left: list[Piece]
    ) -> Generator[tuple[Piece, Float64s], None, None]:
        """Pieces as they are finished."""
        job = WorkerJob(_FlopWorker, self.source)
        tasks = [
            ExecutorTask(piece, TaskNeeds(memory_bytes=self._work_bytes(piece[1])))
            for piece in left
        ]
        with closing(executor.found(job, tasks, PATIENCE)) as found:
            for number, table in found:
                yield left[number], table

    def _work_on_gpu(self, left: list[Piece]) -> Generator[tuple[Piece, Float64s], None, None]:
        """Pieces as they are finished, both players of a flop together."""
        if not left:
            return
        given = GivenBlueprint(self.blueprint, self.responses)
        responder = gpu_responder(given.streets)
        numbers = {flop_cards(flop): flop for flop, _ in left}
        try:
            for cards, values in respond_to_flops(
                given, responder, list(numbers), self.plan.workers
            ):
                for piece in ((numbers[cards], player) for player in (0, 1)):
                    if piece in left:
                        yield piece, class_values(values[piece[1]])
        finally:
            responder.close()

    def _work_bytes(self, player: int) -> int:
        on_cpu = self.setting.device == CPU
        return self.responses[player].work_bytes if on_cpu else DEALT_BYTES

    def _key(self, piece: Piece) -> str:
        return key_of("real response", self._about, _name(piece[0]), piece[1])

    def _read(self, record: dict[str, object], player: int) -> Float64s:
        """A table from its record."""
        lines = len(self.responses[player].exits[0])
        try:
            values = np.frombuffer(base64.b64decode(str(record["values"])), "<f8")
            return values.reshape(lines, NUM_CLASSES)
        except (KeyError, ValueError) as error:
            raise FileError(f"{self.setting.state} holds a table that is none: {error}") from error


def _name(flop: int) -> str:
    return format_cards(flop_cards(flop))

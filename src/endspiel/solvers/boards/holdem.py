"""Hold'em, whole, by the board kernels: a task that is known to fit into memory, and its solution.

Exploitability and values are in big blinds; people say milli big blinds a game (mbb/g).
"""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from endspiel import files
from endspiel.cards.deck import hand_index
from endspiel.cards.text import parse_hand
from endspiel.checking import check_finite, read_record, take
from endspiel.engine.backend import Backend
from endspiel.engine.driver import Driver
from endspiel.engine.limits import Limits
from endspiel.engine.record import SolveFields, SolveRecord
from endspiel.engine.run import Checkpoint, RunTask, run
from endspiel.engine.schemes import CURRENT, SPOT_SCHEMES, USUAL, Answer, Scheme
from endspiel.errors import EndspielError, FileError
from endspiel.games.holdem import Holdem
from endspiel.games.nodes import Place, find_place
from endspiel.games.registry import load_game
from endspiel.kernels.arrays import Floats
from endspiel.solvers.boards.cfr import BoardCFR
from endspiel.solvers.boards.strategy import BoardStrategy
from endspiel.solvers.boards.subgames import check_bits
from endspiel.solvers.boards.trunk import Decomposition, TrunkCFR, part_of
from endspiel.solvers.memory import check_memory, format_bytes
from endspiel.solvers.methods import WHOLE_HOLDEM

MANIFEST_KIND, BLOCK_KIND = "manifest", "block"
MANIFEST = "manifest.es"
TRUNK = "trunk"


class BlockCheckpoint(Checkpoint):
    """A checkpoint that is a folder: `path` names it."""

    def write(self, record: dict[str, Any], arrays: dict[str, Any]) -> None:
        """Write the version that does not count, then let it count."""
        version = 1 - self._manifest().get("version", 1)
        blocks: dict[str, dict[str, Any]] = {}
        for key, array in arrays.items():
            flop = part_of(key)[1]
            blocks.setdefault(TRUNK if flop < 0 else f"flop-{flop}", {})[key] = array
        about = {"version": version, "iteration": int(arrays["iteration"][0])}
        files.make_folder(self.path)
        for name, parts in blocks.items():
            files.save(self._block(name, version), BLOCK_KIND, about, parts)
        files.save(self._place, MANIFEST_KIND, {**record, **about, "blocks": list(blocks)}, {})

    def read(self) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """The manifest and all arrays, mapped, of the version that counts, if there is one."""
        files.check_folder(self.path)
        manifest, arrays = self._manifest(), {}
        for name in manifest.get("blocks", ()):
            for version in (0, 1):
                files.remove_leftovers(self._block(name, version))
            place = self._block(name, manifest["version"])
            about, parts = files.map_file(place, BLOCK_KIND)
            if about["iteration"] != manifest["iteration"]:
                raise FileError(
                    f"{place} is of iteration {about['iteration']}, not {manifest['iteration']}"
                )
            arrays.update(parts)
        return (manifest, arrays) if manifest else None

    def check(self, own: dict[str, Any], arrays: dict[str, Any]) -> None:
        """Refuse arrays that are not such as a solver's own; packed ones have any length."""
        if own.keys() != arrays.keys():
            raise FileError(f"it has the arrays of another deck: {len(arrays)}, not {len(own)}")
        for name, array in arrays.items():
            shape = array.shape if part_of(name)[0].startswith("packed") else own[name].shape
            take(arrays, name, own[name].dtype, shape)
            check_finite(name, array)

    @property
    def _place(self) -> Path:
        return self.path / MANIFEST

    def _block(self, name: str, version: int) -> Path:
        return self.path / f"{name}.{version}.es"

    def _manifest(self) -> dict[str, Any]:
        files.remove_leftovers(self._place)
        return files.load(self._place, MANIFEST_KIND)[0] if self._place.exists() else {}


KIND = "holdem-solution"
HOLDEM_METHOD = "cfr+"
HOLDEM_TARGET = 0.001  # big blinds: 1 mbb/g
MILLI = 1000.0


@dataclass(frozen=True, eq=False)
class HoldemTask:
    """A whole game ready to be solved: it is known to fit into memory."""

    game: Holdem
    method: str
    scheme: Scheme
    threads: int
    memory_bytes: int  # what the solve will take
    decompose: Decomposition | None = None  # None: one undivided solve
    keep: bool = True  # whether strategies come back, all in one place

    @property
    def run_task(self) -> RunTask:
        """What is solved and how, as checkpoints compare it."""
        parameters = self.scheme.parameters()
        if self.decompose is not None and self.decompose.bits is not None:
            parameters["bits"] = self.decompose.bits
        return RunTask(self.game.name, self.game.fingerprint, self.method, parameters)

    def run(self, limits: Limits | None = None) -> "HoldemSolution":
        """Solve it; a target is in big blinds."""
        limits = (limits or Limits()).or_target(HOLDEM_TARGET)
        if self.decompose is None:
            undivided = BoardCFR(self.game.cards, self.scheme, self.threads)
            return self.solved(undivided, limits, undivided.backend.strategy)
        solver = TrunkCFR(self.game.cards, self.scheme, self.decompose)
        with closing(solver.backend):
            return self.solved(solver, limits, lambda: BoardStrategy.of(solver.backend.gathered()))

    def solved(
        self, solver: Driver[Backend], limits: Limits, strategy: Callable[[], BoardStrategy]
    ) -> "HoldemSolution":
        """Run a solver of the game, and take its strategies when it ends."""

        def measure() -> float:
            return max(0.0, solver.exploitability())  # rounding can make nothing look like less

        task = self.run_task
        kind = Checkpoint if self.decompose is None else BlockCheckpoint
        trace, stopped = run(solver, measure, limits, kind.of(limits, lambda: task))
        return HoldemSolution(
            game=self.game,
            boards=strategy() if self.keep else None,
            value=solver.value(),
            exploitability=trace[-1].exploitability,
            method=self.method,
            iterations=solver.iteration,
            seconds=trace[-1].seconds,
            trace=tuple(trace),
            parameters=task.parameters,
            stopped=stopped,
        )


class _HoldemRecord(SolveFields):
    """A solution's file but for the strategies."""

    game: str
    fingerprint: str


@dataclass(frozen=True, eq=False, kw_only=True)
class HoldemSolution(SolveRecord):
    """Strategies of both players of a whole game, and how they came about; in big blinds.

    Examples:
        >>> import endspiel as es
        >>> game = es.load_game("limit-holdem:ranks=3,suits=3,max_raises=1")
        >>> solution = es.solve(game, iterations=2)
        >>> sorted(solution.strategy("", "4c4d")), solution.stopped
        (['c', 'f', 'r20'], 'iterations')
    """

    game: Holdem
    boards: BoardStrategy | None  # None where they were not asked for

    @property
    def milli_big_blinds(self) -> float:
        """Exploitability in mbb/g."""
        return MILLI * self.exploitability

    def shares(self, place: Place) -> Floats:
        """Probability [A, K] of each action at a place, by the hands of its board."""
        if self.boards is None:
            raise EndspielError("this solve keeps no strategies")
        behavior = self.boards.behavior(place.street, place.board, place.player)
        return behavior[place.own(self.game.cards).rows]

    def strategy(self, node: str, hand: str) -> dict[str, float]:
        """Probability of each action with a hand, at a node such as ``r20 c / 2c3c4d b10``."""
        cards = self.game.cards
        place, wanted = find_place(cards, node), hand_index(*parse_hand(hand))
        found = np.flatnonzero(place.hands(cards, place.player) == wanted)
        if not len(found):
            raise EndspielError(f"{hand[:20]!r} cannot be held there, by the deck and the board")
        words = cards.betting.words(place.node)
        return dict(zip(words, self.shares(place)[:, found[0]].tolist(), strict=True))

    def save(self, path: str | Path) -> None:
        """Write the whole solution to one file, atomically.

        Examples:
            >>> import endspiel as es
            >>> from pathlib import Path
            >>> from tempfile import mkdtemp
            >>> game = es.load_game("limit-holdem:ranks=3,suits=3,max_raises=1")
            >>> file = Path(mkdtemp()) / "limit.solution"
            >>> es.solve(game, iterations=2).save(file)
            >>> es.HoldemSolution.load(file).iterations
            2
        """
        if self.boards is None:
            raise EndspielError("this solve keeps no strategies")
        about = {"game": self.game.name, "fingerprint": self.game.fingerprint}
        files.save(path, KIND, self.as_dict() | about, {"average": self.boards.average})

    @classmethod
    def load(cls, path: str | Path, game: Holdem | None = None) -> "HoldemSolution":
        """Read a solution back; games that `load_game` does not make by name are to be given."""
        record, arrays = files.load(path, KIND)
        try:
            about = read_record(record, _HoldemRecord)
            average = take(arrays, "average", np.float32, (None,))
        except FileError as error:
            raise FileError(f"{path} is no whole solution: {error}") from error
        found = load_game(about.game) if game is None else game
        if not isinstance(found, Holdem) or about.fingerprint != found.fingerprint:
            raise FileError(f"{path} solves {about.fingerprint}, not this {found.name}")
        boards = BoardStrategy.made(found.cards)
        if len(boards.average) != len(average):
            raise FileError(f"{path} is no whole solution: its strategies are not of {found.name}")
        boards.average[:] = average
        fields = msgspec.structs.asdict(about)
        del fields["fingerprint"]
        return cls(boards=boards, **(fields | {"game": found}))


def holdem_scheme(method: str) -> Scheme:
    """The scheme of a method by name."""
    WHOLE_HOLDEM.check(method)
    return SPOT_SCHEMES[method]


def prepare_holdem(
    game: Holdem,
    method: str | None = None,
    answer: Answer = USUAL,
    threads: int = 1,
    memory: int | None = None,
    decompose: Decomposition | None = None,
    *,
    keep: bool = True,
    gpu: int | None = None,
) -> HoldemTask:
    """See that a whole game fits into memory, before its cards are dealt and once they are.

    Strategies that are not kept need no room for coming back; `gpu` are the bytes of the GPU that
    learns, where one does: then what comes back is all that is stored here.
    """
    method = method or HOLDEM_METHOD
    scheme = holdem_scheme(method).answering(answer)
    if threads < 1:
        raise EndspielError(f"a solve has 1 thread or more, not {threads}")
    copies = 1 if scheme.solution == CURRENT else 2
    if decompose is not None and decompose.bits is not None:
        check_bits(decompose.bits, averages=copies == 2)
    what, hint = f"solving {game.name} by {method}", "take fewer ranks or suits, or allow more"
    if copies == 2:
        hint = f"{hint}; the current strategy as solution takes half"
    if gpu is None and (decompose is None or decompose.bits is None):
        hint = f"{hint}; packed by workers (--workers 2 --bits 12) it takes less"
    stores: float = copies if decompose is None else decompose.stores(copies, keep)
    if gpu is not None:
        stores = copies if keep else 0
        check_gpu(game.strategy_bytes(copies), gpu, game, averages=copies == 2)
    check_memory(game.strategy_bytes(min(copies, stores)), memory, what, hint)
    needed = game.cards.memory(threads, stores)
    check_memory(needed, memory, what, hint)
    return HoldemTask(game, method, scheme, threads, needed, decompose, keep)


def check_gpu(needed: int, free: int, game: Holdem, averages: bool = False) -> None:
    """Refuse a game that needs more than a GPU has."""
    if needed > free:
        less = ", or the current strategy as solution: it takes half" if averages else ""
        raise EndspielError(
            f"solving {game.name} on the GPU needs {format_bytes(needed)} and "
            f"{format_bytes(free)} are free there: take fewer ranks or suits{less}"
        )

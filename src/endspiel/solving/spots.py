"""The solvers' front door for spots: one call for every method, on real cards.

The CFR family runs on the board kernels in 32-bit floats. Predictive CFR+, EGT and the linear
programs run on the dense twin of the game in 64-bit floats, which takes far more memory.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from endspiel.betting.tree import BettingTree
from endspiel.engine.limits import Limits
from endspiel.engine.run import Checkpoint, RunTask, best, run
from endspiel.engine.schemes import CUBIC, SPOT_SCHEMES
from endspiel.errors import EndspielError
from endspiel.games.card_game import CardGame
from endspiel.games.card_tree import FULL_BOARD, card_tree
from endspiel.games.spot import Spot
from endspiel.solvers.boards.cfr import BoardCFR, KeepingBoardCFR
from endspiel.solvers.boards.locks import Lock, apply_locks, hold_locks, keep_symmetry, parse_lock
from endspiel.solvers.boards.store import STORAGES
from endspiel.solvers.boards.strategy import BoardStrategy
from endspiel.solvers.memory import allowed_memory, check_memory, format_bytes
from endspiel.solvers.methods import EXACT, RIVER, SPOT, GameKind
from endspiel.solving.devices import CPU
from endspiel.solving.solution import SpotSolution

DEFAULT_METHOD = "dcfr"
DEFAULT_TARGET = 1e-3  # share of the pot
DEEP = 200  # pots at stake from which rivers are solved by `CUBIC`, unless a method is named
TOO_DEEP = 10_000  # pots from which other schemes need more iterations than anybody waits for
ROUNDING = 3e-12  # share of the deepest stake that 32-bit floats leave exploitable, as measured
TREE_LIMIT = 1_000_000  # betting nodes; each is there on every board
PROGRAM_BYTES = 40_000_000  # what a linear program takes however small it is
MATRIX_BYTES = 300  # an entry of its matrix, in all the places that hold one, as measured
SEQUENCE_BYTES = 150  # a sequence: some fifteen vectors of 64-bit floats


@dataclass(frozen=True)
class SpotOptions:
    """What a solve may use, and what it must leave alone.

    Examples:
        >>> import endspiel as es
        >>> river = es.parse_spot(
        ...     {
        ...         "board": "Qs Jh 2h 4c 8d",
        ...         "pot": 200,
        ...         "stack": 300,
        ...         "ranges": ["QQ,AJs,T9s", "JJ,KQo,A5s"],
        ...         "river": {"bet": "50%, a", "raise": "a"},
        ...     }
        ... )
        >>> options = es.SpotOptions(threads=1, locks=["b300: f 1"])
        >>> es.solve(river, options=options, iterations=10).locks
        ('b300: f 1',)
    """

    threads: int = 1
    memory: int | None = None  # most bytes it may take; by default 80% of what is free
    locks: Sequence[str] = ()  # see `solvers.boards.locks`
    symmetry: bool = True  # fold boards that a relabeling of suits makes equal
    tree_limit: int = TREE_LIMIT  # most betting nodes
    buckets: int | None = None  # of a river by programs: the 2015 paper's T, its alpha, and how
    top: float | None = None  # hands are put together; None is what the paper does
    clustering: str | None = None
    storage: int | None = None  # bits of a regret and an average; None: 32, or 16 to fit in memory

    def __post_init__(self) -> None:
        if self.storage not in (None, *STORAGES):
            raise EndspielError(f"storage is 16 or 32 bits, not {self.storage}")
        if self.threads < 1:
            raise EndspielError(f"a solve has 1 thread or more, not {self.threads}")
        if self.tree_limit < 1:
            raise EndspielError(f"a tree has 1 node or more, not {self.tree_limit}")


@dataclass(frozen=True, eq=False)
class PreparedSpot:
    """A spot ready to be solved: its game is built, and it is known to fit into memory."""

    spot: Spot
    game: CardGame
    method: str
    options: SpotOptions
    locks: tuple[Lock, ...]
    memory_bytes: int  # what the solve will take
    device: str = CPU
    storage: int = 32  # bits of a regret and an average

    @property
    def why_short(self) -> str:
        """Why 16 bits are stored where no number is given, if so."""
        if self.storage == 32 or self.options.storage is not None:
            return ""
        return (
            f"regrets and averages are stored in 16 bits: in 32 this spot needs "
            f"{format_bytes(self.stored_in(32).memory_bytes)}"
        )

    def stored_in(self, storage: int) -> "PreparedSpot":
        """The same with regrets and averages of 32 or 16 bits."""
        needed = board_bytes(self.game, self.method, self.options.threads, storage)
        return replace(self, storage=storage, memory_bytes=needed)

    def fitted(self, limit: int | None) -> "PreparedSpot":
        """The same in 16 bits, where none are asked for and 32 do not fit into memory."""
        allowed = allowed_memory(limit)
        if self.options.storage is not None or self.method not in SPOT_SCHEMES:
            return self
        if self.device != CPU or allowed is None or self.memory_bytes <= allowed:
            return self
        short = self.stored_in(16)
        return short if short.memory_bytes <= allowed else self

    @property
    def depth(self) -> float:
        """The most that a player may put in, in pots."""
        return _depth(self.game.betting)

    @property
    def rounding(self) -> float:
        """Share of the pot that the method's floats may leave exploitable."""
        return ROUNDING * self.depth if self.method in SPOT_SCHEMES else 0.0

    def limits(self, limits: Limits) -> Limits:
        """The limits given; where none is, a target that the method's floats can reach."""
        return limits.or_target(max(DEFAULT_TARGET, 2 * self.rounding))

    def doubts(self, target: float | None) -> tuple[str, ...]:
        """Why a target, a share of the pot, may be out of reach, known before the work."""
        if self.method not in SPOT_SCHEMES:
            return ()
        at_stake = f"{self.depth:,.0f} pots are at stake"
        river = len(self.game.streets) == 1
        exact = "; --method lp is exact, for small ranges" if river else ""
        if self.depth > TOO_DEEP and self.method != CUBIC:
            instead = f"; {CUBIC} does better" if river else "; fewer raises or smaller stacks help"
            return (
                f"{at_stake}: {self.method} hardly outweighs its first regrets, which are as "
                f"large, and may not come below {100 * (target or DEFAULT_TARGET):.2g}% of the pot"
                f"{instead}{exact}",
            )
        if target is not None and self.rounding > min(target, DEFAULT_TARGET):
            return (
                f"{at_stake}: 32-bit floats may leave {100 * self.rounding:.2g}% of the pot "
                f"exploitable, and the target is {100 * target:.2g}%{exact}",
            )
        return ()

    @property
    def symmetry(self) -> bool:
        """Whether boards may be folded by suit symmetry."""
        return self.options.symmetry

    @property
    def fingerprint(self) -> str:
        """A short hash of what is solved."""
        digest = hashlib.blake2b(self.spot.dump().encode(), digest_size=12)
        digest.update(bytes(str(self.game.tree.num_boards), "ascii"))
        for lock in self.locks:
            where = (lock.street, lock.player, lock.decision, lock.board)
            digest.update(f"{where}".encode() + lock.shares.tobytes())
        return digest.hexdigest()

    def run(
        self,
        limits: Limits | None = None,
        started: Callable[[BoardCFR], None] = lambda solver: None,
    ) -> SpotSolution:
        """Solve it; limits are shares of the pot, iterations and seconds.

        On the board kernels, `started` gets the solver before its first step: a caller that halts
        the run (`Limits.halt`) may look into it between steps.
        """
        limits = self.limits(limits or Limits())
        if self.device != CPU:
            return self._on_gpu(limits)
        if self.method in SPOT_SCHEMES:
            return self._on_boards(limits, started)
        return self._on_dense_twin(limits)

    def _on_dense_twin(self, limits: Limits) -> SpotSolution:
        from endspiel.games.dense import dense_game
        from endspiel.solvers.solve import solve

        found = solve(dense_game(self.game), self.method, limits)
        return self.solved(BoardStrategy.of_dense(self.game, found.profile), **found.as_dict())

    def _on_gpu(self, limits: Limits) -> SpotSolution:
        from endspiel.gpu.cuda.device import cuda_device
        from endspiel.gpu.cuda.machine import cuda_machine
        from endspiel.solving.streams import check_room, run_alone

        check_room(self, cuda_device().free_bytes())
        return run_alone(self, limits, cuda_machine)

    def solved(self, boards: BoardStrategy, **record: Any) -> SpotSolution:
        """The solution, with the fields of its `SolveRecord`."""
        return SpotSolution(
            spot=self.spot,
            boards=boards,
            threads=boards.threads,
            memory_bytes=self.memory_bytes,
            locks=tuple(self.options.locks),
            symmetry=self.symmetry,
            **{**record, "method": self.method},
        )

    def _on_boards(self, limits: Limits, started: Callable[[BoardCFR], None]) -> SpotSolution:
        scheme = SPOT_SCHEMES[self.method]
        kind = KeepingBoardCFR if self.method == CUBIC else BoardCFR
        solver = kind(self.game, scheme, self.options.threads, self.storage)
        apply_locks(solver, self.locks)
        started(solver)

        def measure() -> float:
            return max(0.0, solver.exploitability())  # rounding can make nothing look like less

        def task() -> RunTask:
            parameters = scheme.parameters()
            if self.storage != 32:
                parameters["storage"] = self.storage
            return RunTask("spot with its locks", self.fingerprint, self.method, parameters)

        trace, stopped = run(solver, measure, limits, Checkpoint.of(limits, task))
        boards = solver.backend.strategy()
        hold_locks(self.game, self.locks, boards.locked, (boards.average,))
        return self.solved(
            boards,
            value=solver.value(),
            exploitability=(best(trace) if self.method == CUBIC else trace[-1]).exploitability,
            iterations=solver.iteration,
            seconds=trace[-1].seconds,
            trace=tuple(trace),
            parameters=scheme.parameters(),
            stopped=stopped,
            warnings=() if stopped == "target" else self.doubts(limits.target_units),
        )


def kind_of(spot: Spot) -> GameKind:
    """Which methods solve a spot, and what they take."""
    return RIVER if len(spot.board) == FULL_BOARD else SPOT


def default_method(spot: Spot, tree_limit: int = TREE_LIMIT) -> str:
    """The method for a spot when none is named: by how much is at stake on a river."""
    if len(spot.board) < FULL_BOARD or spot.stack < DEEP * spot.pot:
        return DEFAULT_METHOD
    return CUBIC if _depth(spot.tree(tree_limit)) >= DEEP else DEFAULT_METHOD


def _depth(betting: BettingTree) -> float:
    return float(betting.spent.max()) / betting.pot


def lay_out(spot: Spot, method: str, options: SpotOptions, device: str = CPU) -> PreparedSpot:
    """Build a spot's game and see that the method fits into memory, before anything large."""
    boards = method in SPOT_SCHEMES
    if not boards:
        options = replace(options, threads=1, symmetry=False)
    game = card_game(spot, symmetry=options.symmetry, tree_limit=options.tree_limit)
    if not boards:
        game.betting.check_zero_sum(method)
    locks = [parse_lock(game, text) for text in options.locks]
    if not keep_symmetry(game, locks):
        options = replace(options, symmetry=False)
        game = card_game(spot, symmetry=False, tree_limit=options.tree_limit)
        locks = [parse_lock(game, text) for text in options.locks]
    if device != CPU and options.storage == 16:
        raise EndspielError("16 bits are stored on the processors alone: a GPU stores 32")
    storage = options.storage or 32
    threads = options.threads
    needed = board_bytes(game, method, threads, storage) if boards else dense_bytes(game, method)
    task = PreparedSpot(spot, game, method, options, tuple(locks), needed, device, storage)
    task = task.fitted(options.memory)
    hint = (
        "use fewer bet sizes, narrower ranges or fewer threads, or allow more"
        if boards
        else "use dcfr, which solves it on the board kernels, narrower ranges, or allow more"
    )
    check_memory(task.memory_bytes, options.memory, f"solving this spot by {method}", hint)
    return task


def board_bytes(game: CardGame, method: str, threads: int, storage: int) -> int:
    """Bytes that a solve by the board kernels takes in 32 or 16 bits."""
    copies = 3 if method == CUBIC else 2  # the best average besides
    return game.memory(threads, copies, storage)


def card_game(spot: Spot, *, symmetry: bool = True, tree_limit: int = TREE_LIMIT) -> CardGame:
    """The betting of a spot times its cards."""
    first, second = spot.weights
    return CardGame(
        spot.tree(tree_limit), card_tree(spot.board, (first, second), symmetry=symmetry)
    )


def dense_bytes(game: CardGame, method: str) -> int:
    """About how many bytes a solve of the dense twin takes, known before it is built."""
    forms = entries = sequences = 0
    root = game.tree.streets[0][0]
    most = len(root.hands[0]) * len(root.hands[1])
    for street, boards in zip(game.streets, game.tree.streets, strict=True):
        lines = len(street.starts)
        # A terminal on a line from above pays in the states of a board above: at most the root's.
        wide = sum(min(terminal.seqs) < lines for terminal in street.terminals)
        for board in boards:
            pairs = len(board.hands[0]) * len(board.hands[1])
            forms += 2 * pairs + wide * most
            entries += pairs * len(street.terminals)
            sequences += sum((street.size[p] - lines) * (len(board.hands[p]) + 1) for p in (0, 1))
    if method in EXACT:  # the whole matrix, and the programs' copies of it
        programs = PROGRAM_BYTES + MATRIX_BYTES * entries
        return 8 * forms + programs + SEQUENCE_BYTES * sequences
    return 8 * forms + SEQUENCE_BYTES * sequences

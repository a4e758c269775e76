"""The solvers' front door for spots: one call for every method, on real cards.

The CFR family runs on the board kernels in 32-bit floats. Predictive CFR+, EGT and the linear
programs run on the dense twin of the game in 64-bit floats, which takes far more memory.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from endspiel.betting.tree import BettingTree
from endspiel.engine.limits import Limits
from endspiel.engine.record import SolveRecord
from endspiel.engine.run import Checkpoint, RunTask, best, run
from endspiel.errors import EndspielError
from endspiel.games.card_game import CardGame
from endspiel.games.card_tree import card_tree
from endspiel.games.dense import dense_game, spread
from endspiel.games.spot import Spot
from endspiel.solvers.boards.cfr import CUBIC, SPOT_SCHEMES, BoardCFR, KeepingBoardCFR
from endspiel.solvers.memory import check_memory
from endspiel.solvers.solve import EXACT, check_method, solve
from endspiel.solvers.spots.locks import Lock, apply_locks, keep_symmetry, parse_lock

DEFAULT_METHOD = "dcfr"
DEFAULT_TARGET = 1e-3  # share of the pot
DEEP = 200  # pots at stake from which rivers are solved by `CUBIC`, unless a method is named
TOO_DEEP = 10_000  # pots from which other schemes need more iterations than anybody waits for
ROUNDING = 3e-12  # share of the deepest stake that 32-bit floats leave exploitable, as measured
TREE_LIMIT = 1_000_000  # betting nodes; each is there on every board
LOCKABLE = tuple(SPOT_SCHEMES)
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
    locks: Sequence[str] = ()  # see `solvers.spots.locks`
    symmetry: bool = True  # fold boards that a relabeling of suits makes equal
    tree_limit: int = TREE_LIMIT  # most betting nodes

    def __post_init__(self) -> None:
        if self.threads < 1:
            raise EndspielError(f"a solve has 1 thread or more, not {self.threads}")
        if self.tree_limit < 1:
            raise EndspielError(f"a tree has 1 node or more, not {self.tree_limit}")


@dataclass(frozen=True, eq=False)
class SpotTask:
    """A spot ready to be solved: its game is built, and it is known to fit into memory."""

    spot: Spot
    game: CardGame
    method: str
    options: SpotOptions
    locks: tuple[Lock, ...]
    memory_bytes: int  # what the solve will take

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
    ) -> "SpotRun":
        """Solve it; limits are shares of the pot, iterations and seconds.

        On the board kernels, `started` gets the solver before its first step: a caller that halts
        the run (`Limits.halt`) may look into it between steps.
        """
        limits = self.limits(limits or Limits())
        if self.method in SPOT_SCHEMES:
            return self._on_boards(limits, started)
        return self._dense(limits)

    def _on_boards(self, limits: Limits, started: Callable[[BoardCFR], None]) -> "SpotRun":
        scheme = SPOT_SCHEMES[self.method]
        kind = KeepingBoardCFR if self.method == CUBIC else BoardCFR
        solver = kind(self.game, scheme, self.options.threads)
        apply_locks(solver, self.locks)
        started(solver)

        def measure() -> float:
            return max(0.0, solver.exploitability())  # rounding can make nothing look like less

        def task() -> RunTask:
            parameters = scheme.parameters()
            return RunTask("spot with its locks", self.fingerprint, self.method, parameters)

        trace, stopped = run(solver, measure, limits, Checkpoint.of(limits, task))
        apply_locks(solver, self.locks)
        return SpotRun(
            self,
            solver,
            value=solver.value(),
            exploitability=(best(trace) if self.method == CUBIC else trace[-1]).exploitability,
            iterations=solver.iteration,
            seconds=trace[-1].seconds,
            trace=tuple(trace),
            parameters=scheme.parameters(),
            stopped=stopped,
            warnings=() if stopped == "target" else self.doubts(limits.target_units),
        )

    def _dense(self, limits: Limits) -> "SpotRun":
        """Solve the dense twin, and put its strategies where the board kernels look them up."""
        found = solve(dense_game(self.game), self.method, limits)
        solver = BoardCFR(self.game, SPOT_SCHEMES[DEFAULT_METHOD])
        for player in (0, 1):
            where, behavior = spread(self.game, player), found.profile.behavior[player]
            for s, (street, boards) in enumerate(
                zip(self.game.streets, self.game.tree.streets, strict=True)
            ):
                rows = street.size[player] - len(street.starts)
                for b, board in enumerate(boards):
                    at, hands = where.base[s][b], len(board.hands[player])
                    values = behavior[at : at + rows * hands].reshape(rows, hands)
                    solver.store.write(solver.store.average, (s, b, player), values)
        return SpotRun(self, solver, **found.told())


@dataclass(frozen=True, eq=False)
class SpotRun(SolveRecord):
    """What a solve found, values as shares of the pot: averages, and how they came about."""

    task: SpotTask
    solver: BoardCFR  # its averages are the solution


def default_method(spot: Spot, tree_limit: int = TREE_LIMIT) -> str:
    """The method for a spot when none is named: by how much is at stake on a river."""
    if len(spot.board) < 5 or spot.stack < DEEP * spot.pot:
        return DEFAULT_METHOD
    return CUBIC if _depth(spot.tree(tree_limit)) >= DEEP else DEFAULT_METHOD


def _depth(betting: BettingTree) -> float:
    return float(betting.spent.max()) / betting.pot


def prepare(spot: Spot, method: str | None = None, options: SpotOptions | None = None) -> SpotTask:
    """Build a spot's game and see that the method fits into memory, before anything large."""
    options = options or SpotOptions()
    method = method or default_method(spot, options.tree_limit)
    if method not in SPOT_SCHEMES:
        check_method(method)
    boards = method in SPOT_SCHEMES
    check_locks(method, options)
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
    needed = game.memory(options.threads) if boards else dense_bytes(game, method)
    needed += 4 * game.store_size if method == CUBIC else 0  # the best average
    hint = (
        "use fewer bet sizes, narrower ranges or fewer threads, or allow more"
        if boards
        else "use dcfr, which solves it on the board kernels, narrower ranges, or allow more"
    )
    check_memory(needed, options.memory, f"solving this spot by {method}", hint)
    return SpotTask(spot, game, method, options, tuple(locks), needed)


def check_locks(method: str, options: SpotOptions) -> None:
    """Refuse locks where the method cannot keep them."""
    if options.locks and method not in LOCKABLE:
        raise EndspielError(f"{method} cannot keep a lock: use one of {', '.join(LOCKABLE)}")


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

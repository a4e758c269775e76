"""A session of the protocol: reads commands, keeps the state, writes answers.

Every answer ends with the end string, once one is set. What goes wrong is answered with ``ERROR:``,
the command and a sentence, and the session goes on. Lines that begin with ``SOLVER:`` come from a
running solve between answers.
"""

import re
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from endspiel.arrays import Float64s
from endspiel.betting.tree import BettingTree
from endspiel.errors import EndspielError
from endspiel.games.spot import Spot
from endspiel.processors import processors
from endspiel.solving.solution import SpotSolution
from endspiel.solving.spots import SpotOptions
from endspiel.upi.background import BackgroundSolve
from endspiel.upi.setup import TreeSetup
from endspiel.upi.values import NodeValues

Answer = list[str] | None  # lines; None where there is nothing to tell but that it was done
_WORD = re.compile(r'"([^"]*)"|(\S+)')


@dataclass
class SessionTree:
    """The tree that is solved or was loaded."""

    spot: Spot
    betting: BettingTree
    solve: BackgroundSolve | None = None
    loaded: SpotSolution | None = None
    fixed: dict[str, Float64s] = field(default_factory=dict)  # [A, 1326] of set_strategy, by node
    _values: NodeValues | None = None

    @property
    def solution(self) -> SpotSolution:
        """The strategies as they are now."""
        if self.loaded is not None:
            return self.loaded
        if self.solve is None:
            raise EndspielError("this tree has no strategies")
        if self.solve.running:
            raise EndspielError("the solver is running: stop it, or wait_for_solver")
        return self.solve.solution

    def locking(self) -> BackgroundSolve:
        """The solve, where strategies may be held fixed: it must rest."""
        if self.solve is None:
            raise EndspielError("this tree was loaded: build_tree comes first")
        if self.solve.running:
            raise EndspielError("the solver is running: stop it, or wait_for_solver")
        return self.solve

    @property
    def values(self) -> NodeValues:
        """What the strategies say at any node."""
        solution = self.solution
        if self._values is None or self._values.solution is not solution:
            self._values = NodeValues(solution)
        return self._values


@dataclass
class SolveSettings:
    """What holds for every solve of a session."""

    accuracy: float = 0.0  # chips, or a share of the pot
    in_chips: bool = True
    threads: int = 1
    symmetry: bool = True
    storage: int | None = None  # bits of a regret and an average; None: what fits into memory
    info_every: int = 0  # iterations

    def target(self, pot: int) -> float:
        """The accuracy as a share of the pot."""
        return self.accuracy / pot if self.in_chips else self.accuracy

    def options(self) -> SpotOptions:
        """Threads, symmetry and storage; 0 threads are all that there are."""
        threads = self.threads or processors()
        return SpotOptions(threads=threads, symmetry=self.symmetry, storage=self.storage)


@dataclass
class UpiSession:
    """The state of a session, and its end of the conversation."""

    write: Callable[[str], None]  # whole lines, the last without its end
    known: Mapping[str, Callable[["UpiSession", list[str]], Answer]]  # the commands by name
    setup: TreeSetup = field(default_factory=TreeSetup)
    settings: SolveSettings = field(default_factory=SolveSettings)
    info: list[str] = field(default_factory=list)  # lines of add_info_line
    tree: SessionTree | None = None
    end: str = ""
    over: bool = False
    commands: int = 0
    errors: int = 0
    scripts: list[str] = field(default_factory=list)  # files being read, outermost first
    later: list[Callable[[], None]] = field(default_factory=list)  # done after the answer
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self, lines: Iterable[str]) -> None:
        """Answer every line until ``exit`` or the last; then nothing is left running."""
        try:
            for line in lines:
                self.answer(line)
                if self.over:
                    break
        finally:
            self.free_tree()

    def answer(self, line: str) -> None:
        """Answer one line; empty ones and comments have no answer."""
        if not line.strip() or line.lstrip().startswith("#"):
            return
        name, found = self.execute(line)
        text = [f"{name} ok!"] if found is None else found
        if not self.over:
            self.tell("\n".join([*text, *([self.end] if self.end else [])]))
        self.do_the_rest()

    def execute(self, line: str) -> tuple[str, Answer]:
        """A command's name and its answer, which may leave something to be done after it."""
        name, *words = [quoted or plain for quoted, plain in _WORD.findall(line)]
        self.commands += 1
        try:
            if name not in self.known:
                raise EndspielError("there is no such command")
            return name, self.known[name](self, words)
        except Exception as error:  # whatever it is, the script is answered
            self.errors += 1
            return name, [f"ERROR: {name[:40]}: {_sentence(error)}"]

    def do_the_rest(self) -> None:
        """What the last command left to be done once its answer is written."""
        while self.later:
            self.later.pop(0)()

    def tell(self, text: str) -> None:
        """Write lines that belong together."""
        with self._lock:
            self.write(text)

    def the_tree(self) -> SessionTree:
        """The tree; an error where there is none."""
        if self.tree is None:
            raise EndspielError("there is no tree: build_tree or load_tree comes first")
        return self.tree

    def take_tree(self, tree: SessionTree) -> None:
        """Put a tree in the place of the one before."""
        self.free_tree()
        self.tree = tree

    def check_idle(self) -> None:
        """Refuse to touch a tree that is being solved."""
        if self.tree is not None and self.tree.solve is not None and self.tree.solve.running:
            raise EndspielError("the solver is running: stop it, or wait_for_solver")

    def free_tree(self) -> None:
        """Forget the tree, and end its solve."""
        if self.tree is not None and self.tree.solve is not None:
            self.tree.solve.close()
        self.tree = None


def _sentence(error: Exception) -> str:
    """What went wrong, on one line."""
    text = " ".join(str(error).split())
    if isinstance(error, EndspielError | OSError | MemoryError) and text:
        return text
    return f"{type(error).__name__} {text}".strip()

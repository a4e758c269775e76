"""Trees before the flop that the page starts: in rounds, stopped any time, and gone on with."""

import hashlib
from pathlib import Path
from time import perf_counter
from typing import Final

import msgspec

from endspiel.errors import FileError
from endspiel.preflop.shipped import shipped_mark
from endspiel.preflop.solving import EXPLOITABILITY, GAP, MOST_ROUNDS, SETTLED, PlayLimits
from endspiel.progress import Progress
from endspiel.web.events import Hub
from endspiel.web.messages import PreflopAsked, Refused
from endspiel.web.preflops import PreflopAnswer, read_preflop, solved_tree
from endspiel.web.single_run import DONE, RUNNING, STOPPED, RunState, SingleRun, Work

NAME_BYTES: Final = 8


class PreflopRunAnswer(RunState):
    """A tree that is being solved, or the last one: its rounds of play, where flops are played."""

    rounds: int = 0
    most_rounds: int = MOST_ROUNDS
    exploitability: float | None = None  # big blinds, or of the prizes
    gap: float | None = None  # big blinds between pots and play, of lines taken often
    settled: float = SETTLED  # the gap at which rounds end
    charts: bool = False  # whether they can be asked for


class PreflopRuns(SingleRun[PreflopRunAnswer]):
    """Solves one tree at a time; a stopped one goes on where it was when it is asked for again."""

    def __init__(self, folder: Path, hub: Hub) -> None:
        super().__init__(hub, "preflop", PreflopRunAnswer("none"))
        self.folder = folder
        self._charts: PreflopAnswer | None = None  # of the last tree

    def solve(self, asked: PreflopAsked) -> PreflopRunAnswer:
        """Begin a tree, once it is seen to make sense."""
        return self.start(lambda: self._prepare(asked))

    def charts(self) -> PreflopAnswer:
        """What the last tree came to, also where it was stopped."""
        found = self._charts if self.state().charts else None
        if found is None:
            raise Refused("no tree is solved yet", "", 404)
        return found

    def _prepare(self, asked: PreflopAsked) -> Work[PreflopRunAnswer]:
        if asked.push_fold:
            raise Refused("push or fold is solved at once: POST /api/preflop", "push_fold")
        preflop = read_preflop(asked)
        told = PreflopRunAnswer(RUNNING, f"{asked.stack:g} big blinds, {asked.opens}")
        began, state = perf_counter(), self._state_of(asked)

        def note(progress: Progress) -> None:
            told.rounds, told.gap = progress.finished, progress.figures[GAP]
            told.exploitability = progress.figures[EXPLOITABILITY]
            told.seconds = perf_counter() - began
            self.publish()

        def do() -> str:
            limits = PlayLimits(state=state, observe=note, halt=lambda: self.halted)
            self._charts = solved_tree(asked, preflop, limits)
            told.charts, told.seconds = True, perf_counter() - began
            if self.halted and state.exists():
                return STOPPED
            state.unlink(missing_ok=True)
            return DONE

        return Work(told, do)

    def _state_of(self, asked: PreflopAsked) -> Path:
        """Where the rounds of a tree are written."""
        try:
            self.folder.mkdir(exist_ok=True)
        except OSError as error:
            raise FileError(f"cannot use {self.folder}: {error.strerror or error}") from error
        about = msgspec.json.encode(asked) + shipped_mark().encode()
        return self.folder / f"{hashlib.blake2b(about, digest_size=NAME_BYTES).hexdigest()}.es"

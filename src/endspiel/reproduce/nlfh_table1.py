"""Table 1 of the 2017 paper: endgame solving against card abstraction in no-limit flop hold'em.

The base strategy is solved with 30,000 buckets on the flop; then every endgame after the preflop
betting is solved again without buckets, for each player in turn, and put back. Exploitability is
that of the whole strategies in the game without abstraction. Nothing is drawn at random. A run
that is given a folder goes on from what it finds there.
"""

import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from endspiel.cards.deck import NUM_RANKS
from endspiel.endgame.safe.techniques import TECHNIQUES
from endspiel.engine.limits import Limits, TracePoint
from endspiel.engine.run import run as run_until
from endspiel.errors import GameError
from endspiel.games.card_game import Buckets
from endspiel.ledger import check_same
from endspiel.processors import processors
from endspiel.reproduce.nlfh_alternatives import BaseStrategy
from endspiel.reproduce.nlfh_buckets import bucket_count, flop_buckets
from endspiel.reproduce.nlfh_endgames import Refined, refine, unsafe
from endspiel.reproduce.nlfh_game import FlopGame
from endspiel.reproduce.nlfh_solvers import Endgames, Flops, WholeSolver, flops_on

# Milli big blinds a hand. (The published follow-up prints them ten times larger: compare shares.)
PAPER: Final = {
    "small": {
        "base": 9.128,
        "unsafe": 0.5514,
        "resolve": 8.120,
        "maxmargin": 0.9362,
        "reach-maxmargin-improved": 0.8262,
    },
    "large": {
        "base": 4.141,
        "unsafe": 39.68,
        "resolve": 3.626,
        "maxmargin": 0.6121,
        "reach-maxmargin-improved": 0.5496,
    },
}
PAPER_COUNTS: Final = {"small": (9, 48), "large": (30, 172)}
FLOOR: Final = "flop optimal"  # what no endgame technique can get below
ROWS: Final = (FLOOR, "unsafe", "resolve", "maxmargin", "reach-maxmargin-improved")
MILLI: Final = 1000.0
SPAN: Final = 25  # iterations of the base between measurements, at least
Say = Callable[[str], None]


@dataclass(frozen=True)
class Table1Effort:
    """How long to iterate, and where."""

    base: int = 400  # iterations of the base strategy
    endgame: int = 400  # iterations of each endgame
    threads: int = field(default_factory=processors)
    device: str = "cpu"  # or cuda
    buckets: str = "outlook"  # kind of features, see `nlfh_buckets`

    def flops(self) -> Flops:
        """Where flops are solved."""
        return flops_on(self.device, self.threads)


def say_plainly(text: str) -> None:
    """Progress as a line on standard error."""
    print(text, file=sys.stderr, flush=True)


def run(
    size: str = "small",
    ranks: int = NUM_RANKS,
    effort: Table1Effort | None = None,
    state: Path | None = None,
    say: Say = say_plainly,
    iterations: int | None = None,
    base_iterations: int | None = None,
    **changes: Any,
) -> dict[str, Any]:
    """All rows of a size's column; a folder for the state makes the run resumable.

    Iterations (of each endgame, and of the base) replace those of the effort, as do changes to its
    other fields, by name.
    """
    changes |= iterations_given(iterations, base_iterations)
    effort = replace(effort or Table1Effort(), **changes)
    return Table1Column(FlopGame(size, ranks), effort, Records(state), say).fill(ROWS)


def iterations_given(endgame: int | None, base: int | None) -> dict[str, Any]:
    """The fields of an effort that iterations of each endgame and of the base replace."""
    for name, count in (("--iterations", endgame), ("--base-iterations", base)):
        if count is not None and count < 1:
            raise GameError(f"{name} is at least 1, not {count}")
    given = {"endgame": endgame, "base": base}
    return {key: value for key, value in given.items() if value is not None}


class Records:
    """What a run has found so far, also in a folder where one is given."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self.found: dict[str, Any] = {}
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            if (folder / "found.json").exists():
                self.found = json.loads((folder / "found.json").read_text())

    def require(self, name: str, value: Any) -> None:
        """Note what the run is of; an error where the folder holds another run."""
        self.found.setdefault(name, value)
        check_same(self.folder or Path(), self.found, {name: value})

    def note(self, name: str, value: Any) -> None:
        self.found[name] = value
        if self.folder is not None:
            written = self.folder / "found.json.new"
            written.write_text(json.dumps(self.found, indent=1))
            written.replace(self.folder / "found.json")

    def once(self, name: str, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """What a run found before under a name; else it is made, and noted."""
        if name not in self.found:
            self.note(name, make())
        kept: dict[str, Any] = self.found[name]
        return kept

    def arrays(self, name: str) -> dict[str, Any] | None:
        """Arrays of this name, where they were written before."""
        if self.folder is None or not (self.folder / f"{name}.npz").exists():
            return None
        with np.load(self.folder / f"{name}.npz") as file:
            return dict(file)

    def keep(self, name: str, arrays: dict[str, Any]) -> None:
        if self.folder is not None:
            np.savez(self.folder / f"{name}.new.npz", **arrays)
            (self.folder / f"{name}.new.npz").replace(self.folder / f"{name}.npz")


@dataclass(frozen=True)
class BaseTraining:
    """The base strategy on its way, taken up where the records left it."""

    base: WholeSolver
    records: Records
    say: Say
    iterations: int
    parts: int  # measurements on the way, unless there are few iterations between two
    even_out: bool = False  # before each measurement

    def run(self, measured: Callable[[float], None]) -> None:
        """Do what is missing; report each gap, in milli big blinds."""
        base, records = self.base, self.records
        before, seconds = records.arrays("base"), records.found.get("base seconds", 0.0)
        if before is not None:
            base.restore(before)

        def tell(point: TracePoint) -> None:
            gap, took = MILLI * point.exploitability, seconds + point.seconds
            self.say(f"base: iteration {point.iteration}, {gap:.3f} mbb/h, {took:.0f} s")
            measured(gap)
            records.note("base seconds", took)

        if base.iteration < self.iterations:
            limits = Limits(iterations=self.iterations, observe=tell)
            run_until(base, self._measure, limits, every=max(SPAN, self.iterations // self.parts))

    def _measure(self) -> float:
        if self.even_out:
            self.base.even_out()
        return self.base.exploitability()


@dataclass(frozen=True)
class Table1Column:
    """One column of the table while it is filled."""

    game: FlopGame
    effort: Table1Effort
    records: Records
    say: Say

    def fill(self, techniques: tuple[str, ...]) -> dict[str, Any]:
        """The base's exploitability and each technique's, in milli big blinds a hand."""
        for technique in techniques:
            if technique not in (FLOOR, *TECHNIQUES):
                raise GameError(f"there is no technique {technique!r}: {', '.join(TECHNIQUES)}")
        self.records.require("size", self.game.size)
        self.records.require("ranks", self.game.ranks)
        self.records.require("base iterations", self.effort.base)
        self.records.require("kind of buckets", self.effort.buckets)
        flops = self.effort.flops()
        base = BaseStrategy(self.game, self._base(flops), flops)
        whole = WholeSolver(self.game, flops)
        whole.spread(base.solver)
        rows = {"base": self._gains(base.solver, "base")}
        for technique in techniques:
            name = f"{technique}, {self.effort.endgame} iterations"
            rows[technique] = self.records.once(name, partial(self._row, base, whole, technique))
        return self._result(rows)

    def _base(self, flops: Flops) -> WholeSolver:
        """The base strategy spread over all hands."""
        base = WholeSolver(self.game, flops, self._buckets())
        train = BaseTraining(base, self.records, self.say, self.effort.base, parts=10)
        train.run(lambda gap: self.records.keep("base", base.state()))
        whole = WholeSolver(self.game, flops)
        whole.spread(base)
        return whole

    def _buckets(self) -> Buckets:
        before = self.records.arrays("buckets")
        if before is not None:
            return Buckets(int(before["count"]), before["of"])
        wanted = bucket_count(self.game.cards)
        buckets = flop_buckets(self.game.cards, wanted, self.effort.buckets, self.effort.threads)
        self.say(f"{buckets.count} buckets of {len(self.game.cards.streets[1])} flops")
        self.records.keep("buckets", {"count": np.array(buckets.count), "of": buckets.of})
        self.records.note("buckets", buckets.count)
        return buckets

    def _row(self, base: BaseStrategy, whole: WholeSolver, technique: str) -> dict[str, Any]:
        """A technique's exploitability: what the opponent gains against each refined player."""
        if technique == FLOOR:
            return self._floor(base)
        found: dict[str, Any] = {}
        start, count = time.perf_counter(), len(self.game.endgames)
        for endgames in base.flops.groups(self.game.endgames):
            found |= self._refine(base, whole, endgames, technique)
            seconds, done = time.perf_counter() - start, len(found)
            left = seconds * (count / done - 1)
            said = f"{technique}: endgame {done} of {count} ({endgames[-1].line})"
            self.say(f"{said}, {seconds:.0f} s, about {left:.0f} s left")
        gains = self._gains(whole, technique)
        return gains | {"seconds": time.perf_counter() - start, "endgames": found}

    def _floor(self, base: BaseStrategy) -> dict[str, Any]:
        """The least that is left to exploit when only play on the flop may change."""
        start, gains = time.perf_counter(), []
        for player in (0, 1):
            whole = WholeSolver(self.game, base.flops)
            whole.lock_preflop(player, base.solver)
            whole.advance(self.effort.endgame)
            whole.even_out()
            gains.append(MILLI * float(whole.best(1 - player).sum()))
        self.say(f"{FLOOR}: {sum(gains) / 2:.4f} mbb/h")
        seconds = time.perf_counter() - start
        return {"exploitability": sum(gains) / 2, "best responses": gains, "seconds": seconds}

    def _refine(
        self, base: BaseStrategy, whole: WholeSolver, endgames: Endgames, technique: str
    ) -> dict[str, Any]:
        """Solve endgames for both players and put them back; how well that went, by line."""
        effort = self.effort
        found: dict[str, Any] = {endgame.line: {} for endgame in endgames}
        if technique == "unsafe":
            solver = unsafe(base, endgames, effort.endgame)
            for player in (0, 1):
                solver.put_back(whole, player)
            return found
        for player in (0, 1):
            refined = refine(base, endgames, player, technique, effort.endgame)
            refined.solver.put_back(whole, player)
            for line, measures in zip(found.values(), _measures(refined), strict=True):
                line |= {f"player {player}": measures}
        return found

    def _gains(self, whole: WholeSolver, name: str) -> dict[str, Any]:
        """Exploitability and what it is the mean of, by the player exploited."""
        whole.even_out()
        gains = [MILLI * float(whole.best(1 - player).sum()) for player in (0, 1)]
        mean = sum(gains) / 2
        self.say(f"{name}: {mean:.4f} mbb/h")
        return {"exploitability": mean, "best responses": gains}

    def _result(self, rows: dict[str, Any]) -> dict[str, Any]:
        """Everything that was found, and how."""
        base = rows["base"]["exploitability"]
        gaps = {name: row["exploitability"] for name, row in rows.items()}
        return {
            "size": self.game.size,
            "ranks": self.game.ranks,
            "sequences": self.game.counts(),
            "paper_sequences": PAPER_COUNTS[self.game.size],
            "buckets": self.records.found["buckets"],
            "effort": asdict(self.effort),
            "exploitability": gaps,
            "share": {name: gap / base for name, gap in gaps.items()},
            "paper": PAPER[self.game.size],
            "seconds": self.records.found["base seconds"]
            + sum(row.get("seconds", 0.0) for row in rows.values()),
            "rows": rows,
        }


def _measures(refined: Refined) -> list[dict[str, float]]:
    names = ("min_margin", "passed", "gap")
    rows = zip(*(getattr(refined, name) for name in names), strict=True)
    return [dict(zip(names, map(float, row), strict=True)) for row in rows]


def report(result: dict[str, Any]) -> str:
    """The results as text for people."""
    ours, theirs = result["exploitability"], result["paper"]
    own, paper = result["sequences"], result["paper_sequences"]
    lines = [
        f"No-limit flop hold'em, {result['size']} game, {4 * result['ranks']} cards, "
        f"{result['buckets']} buckets by {result['effort']['buckets']}",
        f"non-terminal betting sequences: {own[0]} preflop and {own[1]} on the flop "
        f"(paper: {paper[0]} and {paper[1]})",
        "exploitability in mbb/h, and as a share of the base",
        f"{'technique':26}{'paper':>9}{'share':>9}{'ours':>11}{'share':>9}",
    ]
    for name, gap in ours.items():
        known = name in theirs
        number = f"{theirs[name]:9.4g}" if known else " " * 9
        share = f"{theirs[name] / theirs['base']:9.1%}" if known else " " * 9
        lines.append(f"{name:26}{number}{share}{gap:11.4f}{gap / ours['base']:9.1%}")
    return "\n".join(lines)

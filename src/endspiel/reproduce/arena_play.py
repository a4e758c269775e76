"""The matches behind the arena's results: played once, kept as logs, read again hand by hand."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.arena.estimators.estimates import Estimate, duplicate, estimate, milli_blinds
from endspiel.arena.match import MatchResult, run_match
from endspiel.arena.plan import MatchPlan
from endspiel.arena.versions import NOTHING, endgame_roots
from endspiel.arrays import Float64s
from endspiel.errors import EndspielError
from endspiel.executor import Executor, GivenWorkers
from endspiel.progress import Observe, Pace, Progress
from endspiel.rules.builtin import load_rules
from endspiel.rules.game_def import GameDef

Say = Callable[[str], None]
SAID_EVERY: Final = 30.0  # seconds between two lines of how far a match is


class Player(NamedTuple):
    """An agent and what the tables call it."""

    name: str
    spec: str


def blueprint_player(technique: str, post: str, file: str | None = None) -> Player:
    """A blueprint with a technique (``none`` plays it as it is) and a post-processing.

    Without a file it is the one that comes with the package.
    """
    name = f"blueprint-{technique}-{post.replace(':', '-')}"
    if technique == "none":
        return Player(name, f"blueprint:{file + ',' if file else ''}post={post}")
    return Player(name, f"blueprint+{technique}{f',file={file}' if file else ''},post={post}")


class Played(NamedTuple):
    """The hands of a duplicate match, from the first player's side."""

    values: Float64s  # [2, deals] in mbb, by section
    reached: NDArray[np.bool_]  # [2, deals] whether the river was bet on
    roots: list[list[str]]  # [2][deals] betting before the river, or NOTHING
    result: MatchResult

    @property
    def main(self) -> Estimate:
        """The duplicate estimate."""
        return duplicate(self.values)


@dataclass(frozen=True)
class Matches:
    """Plays matches into a folder of logs; those that are there already are read, or resumed."""

    folder: Path
    seed: int = 1
    workers: GivenWorkers | Executor = None
    say: Say = print
    game: GameDef = field(default_factory=lambda: load_rules("nolimit-holdem"))

    def log(self, a: Player, b: Player, hands: int) -> Path:
        """Where the hands of a match are kept."""
        return self.folder / f"{a.name}-vs-{b.name}-{hands}-{self.seed}.log"

    def reporter(self, what: str) -> Observe:
        """Print the progress of some work now and then."""
        pace, said = Pace(), [time.monotonic()]

        def tell(progress: Progress) -> None:
            line = pace.line(replace(progress, what=what))
            if time.monotonic() - said[0] >= SAID_EVERY and progress.finished < progress.total:
                said[0] = time.monotonic()
                self.say(line)

        return tell

    def play(self, a: Player, b: Player, hands: int, aivat: bool = False) -> Played:
        """The hands of A against B."""
        log = self.log(a, b, hands)
        plan = MatchPlan(self.game, (a.spec, b.spec), hands, self.seed, aivat=aivat)
        progress = self.reporter(f"hands of {a.name} against {b.name}")
        result = run_match(plan, log, resume=True, workers=self.workers, progress=progress)
        played = hands - result.resumed
        rate = f", {played / result.seconds:,.1f} hands/s" if played else ", read from its log"
        found = f"{result.main} mbb/h by {result.main.name}"
        self.say(f"{a.name} against {b.name}: {found}, {hands:,} hands{rate}")
        roots = endgame_roots(plan, log)
        reached = np.array([[root != NOTHING for root in section] for section in roots])
        return Played(milli_blinds(self.game, result.chips), reached, roots, result)


class Difference(NamedTuple):
    """What one version wins more than another that plays the same trunk with the same dice."""

    per_hand: Estimate
    per_endgame: Estimate
    endgames: int  # hands that came to one in both runs


def difference(base: Played, other: Played) -> Difference:
    """Other - base against one opponent (2015, Appendix C; see ``arena.estimators.paired``).

    Both runs have the same deals and the same dice, so they come to the same endgames; hands
    without one are alike and count as nothing. The units are deals, each played in both seats.
    """
    values = np.where(other.reached, other.values, 0) - np.where(base.reached, base.values, 0)
    per_hand = estimate("either endgame", values.mean(axis=0))
    both = int((base.reached & other.reached).sum())
    if not both:
        raise EndspielError("no hand came to an endgame: play more of them")
    # Where both runs come to the same endgames, the mean over these hands is the mean over all
    # hands by how rare endgames are.
    share = both / values.size
    error = None if per_hand.error is None else per_hand.error / share
    return Difference(
        per_hand, Estimate("both endgames", per_hand.mean / share, error, per_hand.units), both
    )


def same_endgames(base: Played, other: Played) -> bool:
    """Whether two runs came to the same endgames in the same hands."""
    return base.roots == other.roots


def row_of(a: Player, b: Player, played: Played) -> dict[str, Any]:
    """The columns that every row of a table has."""
    return {
        "agent": a.name,
        "opponent": b.name,
        "specs": [a.spec, b.spec],
        "hands": played.values.size,
        "result": recorded(played.main),
    }


def recorded(found: Estimate, unit: str = "mbb_per_hand") -> dict[str, Any]:
    """An estimate for a result."""
    return {unit: found.mean, "interval": found.interval, "units": found.units}


def span(found: dict[str, Any], unit: str = "mbb_per_hand") -> str:
    """A recorded estimate as text: its mean and half of its interval."""
    if found["interval"] is None:
        return f"{found[unit]:+.1f}"
    low, high = found["interval"]
    return f"{found[unit]:+.1f} ± {(high - low) / 2:.1f}"

"""Two versions of an agent against one opponent, hand by hand beside each other (2015, Appendix C).

Both play duplicate matches. With one seed they have the same deals and the same dice: versions that
play alike before the last round, dice included, then come to the same endgames. With two seeds the
runs are independent, as the proof of the paper's estimator wants them.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from endspiel.arena.estimators.estimates import Estimate, milli_blinds
from endspiel.arena.estimators.paired import (
    ESTIMATORS,
    Run,
    all_hands,
    in_both,
    in_same,
    line_trunk,
)
from endspiel.arena.match import MatchResult, after, run_match
from endspiel.arena.plan import MatchPlan
from endspiel.arena.trunks import Betting, TrunkCheck, check_decisions, check_frequencies
from endspiel.errors import EndspielError
from endspiel.executor import GivenWorkers, executor_of
from endspiel.progress import Observe, unobserved
from endspiel.rules.log import read_lines

NOTHING: Final = ""  # in place of the betting before an endgame, where none was reached


@dataclass(frozen=True)
class Comparison:
    """What a new version won and what its base won, from hands of the same opponent."""

    new: MatchResult
    base: MatchResult
    roots: tuple[list[list[str]], list[list[str]]]  # by version, [2 sections][deals]
    trunks: TrunkCheck

    @cached_property
    def runs(self) -> tuple[Run, Run]:
        """The base's hands and the new version's, by position."""
        base, new = (
            _run(result, roots)
            for result, roots in ((self.base, self.roots[1]), (self.new, self.roots[0]))
        )
        return base, new

    @property
    def same_endgames(self) -> bool:
        """Whether both came to the same endgames in the same hands."""
        return self.roots[0] == self.roots[1]

    def estimate(self, estimator: str) -> Estimate:
        """New - base by one of Appendix C's estimators: per hand by either, else per endgame."""
        if estimator not in ESTIMATORS:
            names = ", ".join(ESTIMATORS)
            raise EndspielError(f"there is no estimator {estimator!r}: there are {names}")
        return ESTIMATORS[estimator](*self.runs)

    def bias(self, estimator: str) -> str | None:
        """Why an estimator has the wrong mean with these runs; None where the logs show nothing."""
        if self.trunks.reason is not None:
            return self.trunks.reason
        if estimator == "either" or self.same_endgames:
            return None
        if estimator == "same":
            return "the versions come to different endgames"
        if self.new.plan.seed == self.base.plan.seed:
            return "the versions come to different endgames of the same deals"
        return None

    def all_hands(self) -> Estimate:
        """New - base per hand, every hand counted."""
        return all_hands(*self.runs)

    def counts(self) -> dict[str, int]:
        """Hands that count for each estimator."""
        base, new = self.runs
        either = base.reached | new.reached
        found = {"either": either, "both": in_both(base, new), "same": in_same(base, new)}
        return {name: int(chosen.sum()) for name, chosen in found.items()}


def compare(
    plan: MatchPlan,
    base: tuple[str, int],
    log: Path | None = None,
    resume: bool = False,
    workers: GivenWorkers = None,
    progress: Observe = unobserved,
) -> Comparison:
    """Play a plan, and the same with a base version (spec and seed) in place of agent A.

    The base's log stands beside the other with ``.base`` behind its name.
    """
    if not plan.duplicate:
        raise EndspielError("versions are compared by duplicate matches")
    if plan.game.num_rounds < 2:
        raise EndspielError(f"{plan.game.name} has one round: there is nothing before an endgame")
    spec, seed = base
    plans = plan, replace(plan, agents=(spec, plan.agents[1]), seed=seed)
    with _logs(log) as paths, executor_of(workers) as executor:
        new, old = (
            run_match(
                each, path, resume, executor, after(number * plan.hands, 2 * plan.hands, progress)
            )
            for number, (each, path) in enumerate(zip(plans, paths, strict=True))
        )
        betting = [read_betting(each, path) for each, path in zip(plans, paths, strict=True)]
    roots = [_roots(each, plan.game.num_rounds) for each in betting]
    check = check_decisions if seed == plan.seed else check_frequencies
    return Comparison(new, old, (roots[0], roots[1]), check(plan.game, *betting))


def endgame_roots(plan: MatchPlan, log: Path) -> list[list[str]]:
    """The betting before the last round [sections][hands] of a log; NOTHING where it ended before.

    A hand that was all-in before comes to no endgame.
    """
    return _roots(read_betting(plan, log), plan.game.num_rounds)


def read_betting(plan: MatchPlan, log: Path) -> list[list[str]]:
    """The betting [sections][hands] of a log."""
    lines = [line.split(":")[2] for _, line in read_lines(log) if line.startswith("STATE:")]
    if len(lines) != plan.hands:
        raise EndspielError(f"{log} holds {len(lines)} hands, not {plan.hands}")
    size = plan.section_hands
    return [lines[at : at + size] for at in range(0, plan.hands, size)]


def _roots(betting: Betting, rounds: int) -> list[list[str]]:
    """The betting before the last round of each hand, or NOTHING."""
    return [[line_trunk(line, rounds - 1) or NOTHING for line in section] for section in betting]


@contextmanager
def _logs(log: Path | None) -> Iterator[tuple[Path, Path]]:
    """Where the logs of both versions are kept, or are for a while."""
    if log is not None:
        yield log, log.with_name(f"{log.name}.base")
        return
    with TemporaryDirectory() as folder:
        yield Path(folder) / "new.log", Path(folder) / "base.log"


def _run(result: MatchResult, roots: Sequence[Sequence[str]]) -> Run:
    """A version's hands by position: each deal is played once in either."""
    lines = _by_position(np.array(roots, object))
    values = _by_position(milli_blinds(result.plan.game, result.chips))
    return Run(values, (lines != NOTHING).astype(np.bool_), lines.tolist())


def _by_position(hands: NDArray[Any]) -> NDArray[Any]:
    """Hands [2 sections, deals] as [2 positions, deals]: positions change with every hand."""
    swapped = hands.copy()
    swapped[:, 1::2] = hands[::-1, 1::2]
    return swapped

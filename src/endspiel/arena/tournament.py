"""Everybody against everybody: total bankroll and instant run-off, as the competition counts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from pathlib import Path

import numpy as np

from endspiel.arena.estimators.estimates import Estimate
from endspiel.arena.match import MatchResult, after, run_match
from endspiel.arena.plan import MatchPlan
from endspiel.arrays import Float64s
from endspiel.bounds import DEFAULT_SEED
from endspiel.errors import EndspielError, FileError
from endspiel.executor import GivenWorkers, executor_of
from endspiel.progress import Observe, unobserved
from endspiel.rules.game_def import GameDef


@dataclass(frozen=True)
class Tournament:
    """Results of all pairs of n agents."""

    agents: tuple[str, ...]  # [n]
    means: Float64s  # [n, n] the row's mbb a hand against the column; 0 on the diagonal
    errors: Float64s  # [n, n] standard errors; 0 where there is too little to tell
    units: int  # of every pair

    def bankroll(self, among: Sequence[int] | None = None) -> list[Estimate]:
        """Each agent's mean over its opponents, all or some of the agents: in their order.

        The interval takes the opponents as given and their matches as independent.
        """
        chosen = list(range(len(self.agents))) if among is None else list(among)
        others = max(len(chosen) - 1, 1)
        found = []
        for agent in chosen:
            mean = float(self.means[agent, chosen].sum()) / others
            error = sqrt(float((self.errors[agent, chosen] ** 2).sum())) / others
            found.append(Estimate(self.agents[agent], mean, error, self.units))
        return found

    def runoff(self) -> list[str]:
        """Agents from winner to first eliminated: each round drops the smallest bankroll.

        Among equals the last listed goes.
        """
        left = list(range(len(self.agents)))
        dropped = []
        while len(left) > 1:
            totals = [entry.mean for entry in self.bankroll(left)]
            worst = max(at for at, total in enumerate(totals) if total == min(totals))
            dropped.append(left.pop(worst))
        return [self.agents[agent] for agent in (*left, *reversed(dropped))]


@dataclass(frozen=True)
class TournamentPlan:
    """Who plays, and how each pair does."""

    game: GameDef
    agents: tuple[str, ...]  # [n] specs
    hands: int  # of every pair
    seed: int = DEFAULT_SEED
    duplicate: bool = True
    aivat: bool = False  # one of each pair must be able to tell how it plays

    def __post_init__(self) -> None:
        if len(set(self.agents)) != len(self.agents):
            raise EndspielError("an agent is listed twice: a tournament is between different ones")

    def pairs(self) -> list[MatchPlan]:
        """The matches: everybody against everybody listed later."""
        return [
            MatchPlan(self.game, pair, self.hands, self.seed, self.duplicate, self.aivat)
            for pair in combinations(self.agents, 2)
        ]


def run_tournament(
    plan: TournamentPlan,
    logs: Path | None = None,
    resume: bool = False,
    workers: GivenWorkers = None,
    report: Callable[[MatchResult], None] | None = None,
    progress: Observe = unobserved,
) -> Tournament:
    """Play all pairs, each with a log of its own in a folder if one is named.

    `report` gets each result.
    """
    count = len(plan.agents)
    means, errors = np.zeros((count, count)), np.zeros((count, count))
    if logs is not None:
        try:
            logs.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(f"cannot write {logs}: {error.strerror or error}") from error
    units, before, total = 0, 0, plan.hands * len(plan.pairs())
    with executor_of(workers) as executor:
        for (a, b), match in zip(combinations(range(count), 2), plan.pairs(), strict=True):
            log = logs / f"{'-vs-'.join(match.labels)}.log" if logs else None
            result = run_match(match, log, resume, executor, after(before, total, progress))
            before += match.hands
            found = result.main
            means[a, b], means[b, a] = found.mean, -found.mean
            errors[a, b] = errors[b, a] = found.error or 0.0
            units = found.units
            if report is not None:
                report(result)
    return Tournament(plan.agents, means, errors, units)

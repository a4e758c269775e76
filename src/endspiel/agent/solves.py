"""How an agent's decisions were solved: how often in which way, and with what gaps."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from endspiel.betting.menu import STREET_NAMES


class GapSummary(NamedTuple):
    """Gaps of the decisions on a street, as shares of the pot.

    Examples:
        >>> GapSummary.of([0.01, 0.002, 0.003])
        GapSummary(decisions=3, median=0.003, p95=0.01, worst=0.01)
    """

    decisions: int
    median: float
    p95: float  # 95% of the decisions have a gap of at most this
    worst: float

    @classmethod
    def of(cls, gaps: Sequence[float]) -> "GapSummary":
        """Summarize the gaps of at least one decision."""
        median, p95 = np.quantile(gaps, (0.5, 0.95), method="higher")
        return cls(len(gaps), float(median), float(p95), float(max(gaps)))


@dataclass
class Solves:
    """Decisions that were played from a solve.

    Examples:
        >>> solves = Solves()
        >>> solves.add(2, "as planned", 0.004)
        >>> dict(solves.ways), solves.gaps
        ({'as planned': 1}, {'turn': [0.004]})
    """

    ways: Counter[str] = field(default_factory=Counter)  # decisions by how they were solved
    gaps: dict[str, list[float]] = field(default_factory=dict)  # by street, shares of the pot

    def add(self, street: int, way: str, gap: float) -> None:
        """Count a decision."""
        self.ways[way] += 1
        self.gaps.setdefault(STREET_NAMES[street], []).append(gap)

    def update(self, other: "Solves") -> None:
        """Count all of another's decisions."""
        self.ways.update(other.ways)
        for street, gaps in other.gaps.items():
            self.gaps.setdefault(street, []).extend(gaps)

    def summary(self) -> dict[str, dict[str, float]]:
        """The gaps of each street for a JSON record."""
        found = {street: GapSummary.of(gaps) for street, gaps in self.gaps.items()}
        return {street: found[street]._asdict() for street in STREET_NAMES if street in found}

    def lines(self) -> list[str]:
        """The gaps and the ways for people, a line each."""
        lines = [
            f"{street}: {one['decisions']:,} decisions solved, gap {100 * one['median']:.3g}% of "
            f"the pot (median), {100 * one['p95']:.3g}% (95th percentile), "
            f"{100 * one['worst']:.3g}% (worst)"
            for street, one in self.summary().items()
        ]
        return lines + by_count(self.ways)


class Solving(Protocol):
    """An agent that may solve its decisions."""

    @property
    def solves(self) -> Solves | None:
        """Its solved decisions; None where it solves nothing."""


def solved(agent: Solving) -> dict[str, dict[str, Any]]:
    """How an agent's decisions were solved, for a JSON record; empty where it solves nothing."""
    solves = agent.solves
    return {} if solves is None else {"solves": dict(solves.ways), "gaps": solves.summary()}


def by_count(counts: Mapping[str, int]) -> list[str]:
    """Counted reasons for people, the most frequent first."""
    return [f"{count:,} times: {reason}" for reason, count in Counter(counts).most_common()]

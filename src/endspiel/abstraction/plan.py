"""What abstraction to make: buckets by street, recall, and how finely hands are seen."""

import re
from dataclasses import asdict, dataclass, field
from typing import Any

from endspiel.abstraction.errors import AbstractionError
from endspiel.abstraction.features import DEAD, NUM_HALVES
from endspiel.abstraction.streets import ClusteringEffort

MAX_CLUSTERS = 1000  # beyond this they say nothing more
MAX_BINS = 255  # a bin is a byte
NUM_CLASSES = 169


@dataclass(frozen=True)
class Detail:
    """How finely the next round is seen when hands are compared."""

    river_bins: int = 17  # of equity
    turn_clusters: int = 200
    flop_clusters: int = 200

    def __post_init__(self) -> None:
        for name, number in asdict(self).items():
            most = MAX_BINS if name == "river_bins" else MAX_CLUSTERS
            if not 2 <= number <= most:
                raise AbstractionError(f"{name} is {number}; it is 2 to {most}")


@dataclass(frozen=True)
class Plan:
    """Everything that determines an abstraction.

    With perfect recall the numbers are children of each bucket, on the average: 8-12-4-4 has 8
    preflop, 96 flop, 384 turn and 1,536 river buckets. With imperfect recall they are the buckets
    of each street, which forget those of the street before.
    """

    branching: tuple[int, int, int, int]
    perfect_recall: bool = True
    detail: Detail = field(default_factory=Detail)
    effort: ClusteringEffort = field(default_factory=ClusteringEffort)

    def __post_init__(self) -> None:
        if len(self.branching) != 4 or min(self.branching) < 1:
            raise AbstractionError(
                f"branching {self.name}: give four numbers of 1 or more, for preflop to river"
            )
        if self.branching[0] > NUM_CLASSES:
            raise AbstractionError(
                f"branching {self.name}: there are {NUM_CLASSES} different starting hands"
            )
        if max(self.buckets()) >= DEAD:
            raise AbstractionError(
                f"branching {self.name} makes {max(self.buckets())} buckets of one street; "
                f"there can be {DEAD - 1}"
            )
        if not self.perfect_recall and self.branching[3] > NUM_HALVES:
            raise AbstractionError(
                f"{self.branching[3]} river buckets: river hands are told apart by their equity, "
                f"which has {NUM_HALVES} values"
            )

    @property
    def name(self) -> str:
        """As it is written: ``8-12-4-4``."""
        return "-".join(map(str, self.branching))

    def buckets(self) -> tuple[int, int, int, int]:
        """The most buckets there will be, by street."""
        if not self.perfect_recall:
            return self.branching
        a, b, c, d = self.branching
        return a, a * b, a * b * c, a * b * c * d

    def record(self) -> dict[str, Any]:
        """All of it by name."""
        return asdict(self)


def parse_branching(text: str) -> tuple[int, int, int, int]:
    """Four numbers, preflop to river, written ``8-12-4-4``."""
    if not re.fullmatch(r"[0-9]{1,6}(-[0-9]{1,6}){3}", text.strip()):
        raise AbstractionError(
            f"branching {text!r}: write four numbers, preflop to river, like 8-12-4-4"
        )
    a, b, c, d = (int(number) for number in text.strip().split("-"))
    return a, b, c, d

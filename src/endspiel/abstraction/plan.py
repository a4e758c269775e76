"""What abstraction to make: buckets by street, recall, and how finely hands are seen."""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from endspiel.abstraction.errors import AbstractionError
from endspiel.abstraction.features import DEAD, NUM_HALVES
from endspiel.abstraction.kinds import MOST_TEXTURES, num_kinds
from endspiel.abstraction.streets import ClusteringEffort

MAX_CLUSTERS = 1000  # beyond this they say nothing more
MAX_BINS = 255  # a bin is a byte
NUM_CLASSES = 169
Textures = tuple[int, int, int]  # how finely boards are distinguished: flop, turn, river
NO_TEXTURES: Textures = (0, 0, 0)


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
    of each street, which forget those of the street before; with textures, once for each kind of
    board (see ``kinds``).
    """

    branching: tuple[int, int, int, int]
    perfect_recall: bool = True
    detail: Detail = field(default_factory=Detail)
    effort: ClusteringEffort = field(default_factory=ClusteringEffort)
    textures: Textures = NO_TEXTURES

    def __post_init__(self) -> None:
        if len(self.branching) != 4 or min(self.branching) < 1:
            raise AbstractionError(
                f"branching {self.name}: give four numbers of 1 or more, for preflop to river"
            )
        if self.branching[0] > NUM_CLASSES:
            raise AbstractionError(
                f"branching {self.name}: there are {NUM_CLASSES} different starting hands"
            )
        self._check_textures()
        if max(self.buckets()) >= DEAD:
            raise AbstractionError(
                f"branching {self.name} makes {max(self.buckets())} buckets of one street; "
                f"there can be {DEAD - 1}"
            )
        if not self.perfect_recall and self.branching[3] > NUM_HALVES:
            raise AbstractionError(
                f"{self.branching[3]} river buckets: river hands differ by their equity, "
                f"which has {NUM_HALVES} values"
            )

    def _check_textures(self) -> None:
        written, most = (format_textures(given) for given in (self.textures, MOST_TEXTURES))
        if len(self.textures) != len(MOST_TEXTURES):
            raise AbstractionError(
                f"textures {written}: give three numbers, for flop, turn and river"
            )
        if any(not 0 <= own <= top for own, top in zip(self.textures, MOST_TEXTURES, strict=True)):
            raise AbstractionError(f"textures {written}: flop, turn and river have 0 to {most}")
        if self.textures != NO_TEXTURES and self.perfect_recall:
            raise AbstractionError("textures are of imperfect recall: recall knows earlier boards")

    @property
    def name(self) -> str:
        """As it is written: ``8-12-4-4``."""
        return "-".join(map(str, self.branching))

    def buckets(self) -> tuple[int, int, int, int]:
        """The most buckets there will be, by street."""
        a, b, c, d = self.branching
        if not self.perfect_recall:
            flop, turn, river = (self.kinds(street) for street in (1, 2, 3))
            return a, b * flop, c * turn, d * river
        return a, a * b, a * b * c, a * b * c * d

    def kinds(self, street: int) -> int:
        """The number of kinds of boards of a street's buckets."""
        return 1 if street == 0 else num_kinds(street, self.textures[street - 1])

    def record(self) -> dict[str, Any]:
        """All of it by name; textures where there are any: files from before say the same."""
        named = asdict(self)
        if self.textures == NO_TEXTURES:
            del named["textures"]
        return named


def parse_branching(text: str) -> tuple[int, int, int, int]:
    """Four numbers, preflop to river, written ``8-12-4-4``."""
    if not re.fullmatch(r"[0-9]{1,6}(-[0-9]{1,6}){3}", text.strip()):
        raise AbstractionError(
            f"branching {text!r}: write four numbers, preflop to river, like 8-12-4-4"
        )
    a, b, c, d = (int(number) for number in text.strip().split("-"))
    return a, b, c, d


def format_textures(textures: Sequence[int]) -> str:
    """As they are written: ``1-1-1``."""
    return "-".join(map(str, textures))


def parse_textures(text: str) -> Textures:
    """Three digits, flop to river, written ``1-1-1``."""
    if not re.fullmatch(r"[0-9](-[0-9]){2}", text.strip()):
        raise AbstractionError(f"textures {text!r}: write three digits, flop to river, like 1-1-1")
    flop, turn, river = (int(digit) for digit in text.strip().split("-"))
    return flop, turn, river

"""What a match is to play, and what a block of its hands gave."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from endspiel.agent.solves import Solves
from endspiel.arena.estimators.all_in import expected_payoffs
from endspiel.arena.estimators.estimates import Floats
from endspiel.arena.play import Hand
from endspiel.bounds import DEFAULT_SEED
from endspiel.errors import EndspielError
from endspiel.rules.deal import MAX_SEED
from endspiel.rules.game_def import GameDef

BLUEPRINT: Final = "blueprint"  # values of AIVAT: as if both went on by a blueprint
OPEN_HANDS: Final = "open-hands"  # as if nothing more were bet
AIVAT_VALUES: Final = (BLUEPRINT, OPEN_HANDS)
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9.+_-]+")


@dataclass(frozen=True)
class MatchPlan:
    """What is to be played.

    Examples:
        >>> import endspiel as es
        >>> rules = es.load_rules("leduc")
        >>> plan = es.MatchPlan(rules, ("always-call", "random"), hands=100, seed=3)
        >>> plan.sections, plan.section_hands
        (2, 50)
    """

    game: GameDef
    agents: tuple[str, str]  # specs of A and B
    hands: int  # in all sections together
    seed: int = DEFAULT_SEED
    duplicate: bool = True
    aivat: bool = False  # whether every hand is estimated by AIVAT too; play is the same
    aivat_values: str | None = None  # BLUEPRINT if both agents play one, else OPEN_HANDS

    def __post_init__(self) -> None:
        if self.hands < 1:
            raise EndspielError(f"a match has at least one hand, not {self.hands}")
        if self.hands % self.sections:
            raise EndspielError(
                f"a duplicate match plays every deal twice, so {self.hands} hands should be even"
            )
        if not 0 <= self.seed <= MAX_SEED:
            raise EndspielError(f"seed {self.seed} is not between 0 and {MAX_SEED}")
        if self.aivat_values not in (None, *AIVAT_VALUES):
            raise EndspielError(
                f"AIVAT has no values {self.aivat_values!r}: there are {', '.join(AIVAT_VALUES)}"
            )

    @property
    def sections(self) -> int:
        """Two of a duplicate match, else one."""
        return 2 if self.duplicate else 1

    @property
    def section_hands(self) -> int:
        """Hands of each section."""
        return self.hands // self.sections

    @cached_property
    def labels(self) -> tuple[str, str]:
        """Names of A and B fit for a log, and different."""
        a, b = (_UNSAFE.sub("_", spec) for spec in self.agents)
        return (a, b) if a != b else (f"{a}-1", f"{b}-2")

    def names(self, section: int) -> tuple[str, str]:
        """Names by seat."""
        a, b = self.labels
        return (b, a) if section else (a, b)


Reasons = dict[str, int]  # how often, by reason


class PlayedBlock(NamedTuple):
    """What a task's hands gave."""

    section: int
    first: int
    chips: Floats  # [hands] agent A's
    expected: Floats  # [hands] the same with the luck of all-ins taken out
    aivat: Floats  # [hands] by AIVAT; empty if AIVAT is off
    lines: list[str]  # [hands] of the log; empty if none is kept
    fallbacks: tuple[Reasons, Reasons] = ({}, {})  # A's and B's decisions not made as specified
    solves: tuple[Solves | None, Solves | None] = (None, None)  # A's and B's solved decisions


def pack(
    section: int,
    hands: list[Hand],
    lines: list[str],
    aivat: Sequence[float] = (),  # [hands] or none
) -> PlayedBlock:
    """The block of some hands played or read, in order."""
    chips: list[float] = []
    expected: list[float] = []
    for hand in hands:
        if sum(hand.payoffs):
            raise EndspielError(
                f"hand {hand.number}, {hand.state.line!r}: payoffs {hand.payoffs} lose chips"
            )
        chips.append(hand.payoffs[hand.position])
        expected.append(expected_payoffs(hand.state, hand.deal, hand.payoffs)[hand.position])
    return PlayedBlock(
        section,
        hands[0].number,
        np.array(chips, np.float64),
        np.array(expected, np.float64),
        np.array(aivat, np.float64),
        lines,
    )

"""Whether two versions of an agent play alike before the last round, as their logs show.

Appendix C's estimators (2015) are about versions that differ in endgames alone. Runs with one seed
have the same deals and the same dice: a decision that differs after the same betting shows other
play, or other dice. Runs with two seeds share nothing, so that frequencies are compared: at each
position both runs come to every line of betting equally often if the versions play alike. A line's
hands of the two runs are paired in the order played. Pairs of which one hand alone has the line are
then coin flips, and a sign test judges them.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, NamedTuple

from scipy.special import bdtr

from endspiel.arena.play import position_of
from endspiel.errors import EndspielError
from endspiel.rules.acpc import states_of
from endspiel.rules.game_def import GameDef

LEVEL: Final = 0.001  # how often frequencies are found to differ where they are alike
DECISIONS: Final = "decisions"
FREQUENCIES: Final = "frequencies"

Betting = Sequence[Sequence[str]]  # [2 sections][hands] whole lines of betting, as in a log


class TrunkMove(NamedTuple):
    """One action before the last round."""

    before: str  # betting so far
    actor: int  # position
    after: str  # betting with it


@dataclass(frozen=True)
class TrunkCheck:
    """What the hands of two versions say about their play before the last round."""

    by: str  # DECISIONS of runs with one seed, or FREQUENCIES of runs with two
    compared: int  # decisions that both made after the same betting, or lines of betting
    different: int  # of these
    reason: str | None  # how the versions differ, as a sentence's end; None if they play alike

    def as_dict(self) -> dict[str, Any]:
        """The check as JSON."""
        return {"by": self.by, "compared": self.compared, "different": self.different}


class TrunkReader:
    """Splits lines of betting into the moves before the last round; remembers those it has seen."""

    def __init__(self, game: GameDef) -> None:
        if game.num_rounds < 2:
            raise EndspielError(f"{game.name} has one round: there is nothing before an endgame")
        self.game = game
        self._read: dict[str, tuple[TrunkMove, ...]] = {}

    def moves(self, line: str) -> tuple[TrunkMove, ...]:
        """The moves before the last round of a hand's betting."""
        before = "/".join(line.split("/")[: self.game.num_rounds - 1])
        found = self._read.get(before)
        if found is None:
            states = states_of(self.game, before)
            found = tuple(TrunkMove(a.line, a.actor, b.line) for a, b in pairwise(states))
            self._read[before] = found
        return found


def check_decisions(game: GameDef, new: Betting, base: Betting) -> TrunkCheck:
    """Compare agent A's decisions in hands with the same cards, seeds and betting so far."""
    reader = TrunkReader(game)
    compared = different = 0
    first = ""
    for section, hand, ours, theirs in _pairs(reader, new, base):
        position = position_of(0, section, hand)
        for one, other in zip(ours, theirs, strict=False):
            if one.actor == position:
                compared += 1
                if one != other:
                    different += 1
                    first = first or (
                        f"the first in hand {hand} of section {section + 1}, "
                        f"{one.after!r} and {other.after!r}"
                    )
            if one != other:
                break
    if not different:
        return TrunkCheck(DECISIONS, compared, 0, None)
    return TrunkCheck(
        DECISIONS,
        compared,
        different,
        f"the versions decide differently before the last round, {different:,} of {compared:,} "
        f"times after the same cards, seed and betting ({first})",
    )


def check_frequencies(game: GameDef, new: Betting, base: Betting) -> TrunkCheck:
    """Compare how often the hands of each position come to each line of betting."""
    reader = TrunkReader(game)
    more: Counter[tuple[int, str]] = Counter()  # pairs of hands of which the new one has the line
    less: Counter[tuple[int, str]] = Counter()  # or the base's
    lines = set()
    for section, hand, ours, theirs in _pairs(reader, new, base):
        position = position_of(0, section, hand)
        one, other = ({(position, move.after) for move in moves} for moves in (ours, theirs))
        lines |= one | other
        more.update(one - other)
        less.update(other - one)
    chances = {line: _sign_test(more[line], less[line]) for line in lines}
    far = {line: chance for line, chance in chances.items() if chance * len(lines) <= LEVEL}
    if not far:
        return TrunkCheck(FREQUENCIES, len(lines), 0, None)
    worst = min(far, key=lambda line: (far[line], line))
    return TrunkCheck(
        FREQUENCIES,
        len(lines),
        len(far),
        "the betting before the last round differs in frequency, "
        f"in {len(far):,} of {len(lines):,} lines at the level of {LEVEL:.1%} (in position "
        f"{worst[0]}, {worst[1]!r} comes in {more[worst]:,} hands of the new version alone and "
        f"{less[worst]:,} of the base alone)",
    )


def _pairs(
    reader: TrunkReader, new: Betting, base: Betting
) -> Iterator[tuple[int, int, tuple[TrunkMove, ...], tuple[TrunkMove, ...]]]:
    """Section, hand, and both versions' moves in it."""
    for section, (ours, theirs) in enumerate(zip(new, base, strict=True)):
        for hand, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            yield section, hand, reader.moves(one), reader.moves(other)


def _sign_test(more: int, less: int) -> float:
    """The chance that fair coins fall at least as unevenly."""
    return min(1.0, 2 * float(bdtr(min(more, less), more + less, 0.5)))

"""What an opponent does more or less often than the strategy it is compared with, decision by kind.

Deviation-based (Ganzfried and Sandholm 2011): of every decision of the opponent that was seen, what
it did is counted beside how often the strategy would have done it there, with the hands that the
model believes it to hold. Decisions are of a kind: the street, and what is faced, no bet or one of
a class of sizes. What it does of one kind is then expected to change a strategy's frequencies by
the same factors. A kind that was seen little goes by all others alike, and few decisions move
little: `PRIOR` decisions as the strategy has it are counted beside those seen.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.betting.tree import BY_CALL, BY_FOLD, BettingTree
from endspiel.ranges.fitting import fit_frequencies

Floats = NDArray[np.float64]
FOLDS, CALLS, RAISES = range(3)  # a check is a call, a bet is a raise
ACTS: Final = ("folds", "calls", "raises"), ("", "checks", "bets")  # facing a bet, or not
SIZES: Final = (0.0, 0.6, 1.2)  # shares of the pot above which a bet is of the next class
PRIOR: Final = 8.0  # decisions
RAREST: Final = 0.02  # frequency below which a deviation may be chance


class DecisionKind(NamedTuple):
    """Decisions that are taken to be alike."""

    street: int
    size: int  # class of the bet that is faced; 0 where none is


class TreeDecision(NamedTuple):
    """A decision of the opponent in a betting tree."""

    tree: BettingTree
    node: int

    @property
    def pot(self) -> float:
        """Chips in the middle."""
        return float(self.tree.pot + self.tree.spent[self.node].sum())

    @property
    def kind(self) -> DecisionKind:
        spent, player = self.tree.spent[self.node], int(self.tree.player[self.node])
        owed = float(spent.max() - spent[player])
        size = sum(owed > share * (self.pot - owed) for share in SIZES)
        return DecisionKind(int(self.tree.street[self.node]), size)

    @property
    def acts(self) -> list[int]:
        """What each of its actions is: [A], a fold, a call or a raise."""
        words = {BY_FOLD: FOLDS, BY_CALL: CALLS}
        actions = (int(self.tree.action[child]) for child in self.tree.children(self.node))
        return [words.get(action, RAISES) for action in actions]


class SeenDecision(NamedTuple):
    """One decision that was seen."""

    kind: DecisionKind
    act: int
    due: Floats  # [3] how often each act is taken there by the strategy


@dataclass(frozen=True, eq=False)
class _Tally:
    """Decisions of some kinds, by act."""

    seen: Floats = field(default_factory=lambda: np.zeros(3))
    due: Floats = field(default_factory=lambda: np.zeros(3))

    def factors(self, before: Floats) -> Floats:
        """How many times as often as the strategy each act is taken: [3], some known before."""
        count = self.seen.sum()
        if count == 0:
            return before
        often = np.maximum(self.due / count, RAREST)
        found: Floats = (self.seen + PRIOR * often * before) / ((count + PRIOR) * often)
        return found

    def without(self, other: "_Tally") -> "_Tally":
        """All but some of its decisions."""
        return _Tally(self.seen - other.seen, self.due - other.due)


class OpponentModel:
    """What was seen of an opponent."""

    def __init__(self) -> None:
        self._kinds: defaultdict[DecisionKind, _Tally] = defaultdict(_Tally)
        self._all: tuple[_Tally, _Tally] = _Tally(), _Tally()  # facing no bet, and facing one

    @property
    def decisions(self) -> int:
        """How many were seen."""
        return int(sum(tally.seen.sum() for tally in self._all))

    def observe(self, seen: SeenDecision) -> None:
        """Count a decision."""
        for tally in (self._kinds[seen.kind], self._all[seen.kind.size > 0]):
            tally.seen[seen.act] += 1
            tally.due[:] += seen.due

    def factors(self, kind: DecisionKind) -> Floats:
        """How many times as often as the strategy each act [3] is taken."""
        own = self._kinds.get(kind, _Tally())
        return own.factors(self._all[kind.size > 0].without(own).factors(np.ones(3)))

    def tilt(self, spot: TreeDecision, strategy: Floats, lost: Floats, weight: Floats) -> Floats:
        """A strategy [A, K] at a spot, moved to how often the opponent is expected to act.

        Hands that lose least by it (shares of the pot [A, K]) change first; weights [K] add up
        to 1.
        """
        frequencies = strategy @ weight
        wanted = frequencies * self.factors(spot.kind)[spot.acts]
        if not self.decisions or wanted.sum() <= 0:
            return strategy
        fitted = fit_frequencies(strategy, lost, weight, wanted / wanted.sum())
        return np.asarray(fitted, np.float64)

    def tell(self) -> str:
        """The model in a few words."""
        told = []
        for faced, tally in enumerate(self._all):
            count = tally.seen.sum() or 1.0
            did, due = 100 * tally.seen / count, 100 * tally.due / count
            told += [
                f"{name} {did[act]:.0f}% for {due[act]:.0f}%"
                for act, name in enumerate(ACTS[1 - faced])
                if name and tally.seen.any()
            ]
        return f"{self.decisions} decisions seen: {', '.join(told)}" if told else "nothing seen yet"


def due_acts(spot: TreeDecision, frequencies: Floats) -> Floats:
    """How often each act [3] is taken, from the frequencies of the actions [A]."""
    return np.bincount(spot.acts, frequencies, minlength=3).astype(np.float64)

"""No-limit flop hold'em, whole and cut into endgames, for the board kernels.

An endgame begins when the preflop betting ends and before the flop is dealt: one per preflop line,
every flop inside it, entered with every hand. Its betting nodes are the whole game's, so that
strategies move between the two by rows.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from endspiel.betting import BettingTree, Sizing, StreetMenu, game_tree
from endspiel.betting.streets import Street
from endspiel.cards.deck import NUM_RANKS
from endspiel.errors import GameError
from endspiel.games.card_game import CardGame
from endspiel.games.card_tree import CardTree, flop_tree
from endspiel.rules.builtin import load_rules

PREFLOP: Final = 0
FLOP: Final = 1
UNIT: Final = 100.0  # chips of a big blind


def _sizing(preflop: str, flop: str, add_allin: float = 0.0, force_allin: float = 0.0) -> Sizing:
    before, after = StreetMenu.parse(preflop, preflop), StreetMenu.parse(flop, flop)
    return Sizing((before, after, None, None), 3, add_allin, force_allin)


# The paper gives no menus, only how many sequences are not terminal: 9 and 48, 30 and 172. The
# large menu has exactly those; no plain menu has nine preflop, as raises follow a limp as they
# follow the blinds.
SIZINGS: Final = {
    "small": _sizing("150%", "100%", add_allin=1.5, force_allin=0.15),  # 8 and 48
    "large": _sizing("100%, 300%", "100%"),  # 30 and 172
}


@dataclass(frozen=True)
class PreflopEndgame:
    """What follows one preflop line: its node, and where it leaves the preflop street."""

    node: int  # of the betting tree: the chance node that deals the flop
    line: str
    spent: int  # chips of each player
    sequences: tuple[int, int]  # each player's last preflop sequence


@dataclass(frozen=True, eq=False)
class FlopGame:
    """Flop hold'em on a deck with this number of ranks, with one of the menus."""

    size: str
    ranks: int = NUM_RANKS

    def __post_init__(self) -> None:
        if self.size not in SIZINGS:
            raise GameError(f"there is no size {self.size!r}: sizes are {', '.join(SIZINGS)}")

    @cached_property
    def betting(self) -> BettingTree:
        return game_tree(load_rules("flop-holdem"), SIZINGS[self.size])

    @cached_property
    def cards(self) -> CardTree:
        return flop_tree(self.ranks)

    @cached_property
    def whole(self) -> CardGame:
        """The game without card abstraction."""
        return CardGame(self.betting, self.cards, unit=UNIT)

    @property
    def streets(self) -> list[Street]:
        """Preflop and flop."""
        return self.whole.streets

    @cached_property
    def endgames(self) -> tuple[PreflopEndgame, ...]:
        """Every preflop line that is followed by a decision on the flop."""
        betting, found = self.betting, []
        preflop, flop = self.streets
        for start, sequences in zip(flop.starts, preflop.out, strict=True):
            if betting.num_children[start]:  # nothing is left to decide after an all-in
                node = int(betting.parent[start])
                spent = int(betting.spent[node].max())
                found.append(PreflopEndgame(node, betting.line(node), spent, sequences))
        return tuple(found)

    def counts(self) -> tuple[int, int]:
        """Betting sequences, preflop and on the flop, that are not terminal."""
        decisions = self.betting.street_counts()[0]
        return int(decisions[PREFLOP]), int(decisions[FLOP])

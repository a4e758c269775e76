"""What an endgame at the table may cost: its menu and iterations, from sizes alone.

Nothing here looks at a clock: the work of a solve is its entries (a hand's action at a decision on
a board) times its iterations, which take about `ENTRY_SECONDS` each on one core. The richest menu
is taken that leaves the iterations it needs, so a seed gives the same play on any machine.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import comb
from typing import Final, NamedTuple

import numpy as np

from endspiel.arrays import Float64s
from endspiel.betting.from_state import state_tree
from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.betting.streets import cut_streets
from endspiel.cards.deck import NUM_CARDS
from endspiel.cards.streets import RIVER
from endspiel.endgame.river.menus import river_menu
from endspiel.rules.state import State

ENTRY_SECONDS: Final = 2.5e-9  # of one entry in one iteration, on one core
LEAST_ITERATIONS: Final = 100  # leave a gap of about 1% of the pot
NEAR_ALL_IN: Final = 4.0  # pots
MOST_ITERATIONS: Final = 1000
# Share of a range that may be left out. A hand of ours that is left out checks and folds, which
# costs at most this share of the pot; the opponent's cost at most this share of the stacks.
NEGLIGIBLE: Final = 1e-3


class StreetWork(NamedTuple):
    """Updates of entries that a solve may make."""

    turn: float = 2e9
    river: float = 5e8

    def of(self, street: int) -> float:
        """Those of an endgame that begins on a street."""
        return self.river if street == RIVER else self.turn


WORK: Final = StreetWork()


@dataclass(frozen=True)
class SolvePlan:
    """What is solved, and for how long."""

    sizing: Sizing | None  # None in a limit game
    entries: int
    iterations: int

    @property
    def seconds(self) -> float:
        """About how long it takes on one core."""
        return self.entries * self.iterations * ENTRY_SECONDS

    def fits(self, budget: float) -> bool:
        """Return whether updates of entries allow the iterations that it needs."""
        return self.entries * LEAST_ITERATIONS <= budget


def _turn_menu(turn: tuple[str, str], river: tuple[str, str], raises: int) -> Sizing:
    """A menu with all-in where it is near only.

    All-ins of many pots are seldom right, and make the first regrets so large that it takes four
    times the iterations to outweigh them. One that is made is put into the tree as any other bet.
    """
    menus = (None, None, StreetMenu.parse(*turn), StreetMenu.parse(*river))
    return Sizing(
        menus, max_raises=raises, add_allin_threshold=NEAR_ALL_IN, force_allin_threshold=0.15
    )


@cache
def turn_menus() -> tuple[Sizing, ...]:
    """Menus from the turn on, the richest first; every one has the pot."""
    return (
        _turn_menu(("33%, 66%, 100%, 200%", "50%, 100%"), ("33%, 75%, 150%", "100%"), 4),
        _turn_menu(("33%, 66%, 100%, 200%", "100%"), ("50%, 100%, 200%", "100%"), 3),
        _turn_menu(("50%, 100%, 200%", "100%"), ("50%, 100%, 200%", "100%"), 3),
        _turn_menu(("50%, 100%, 200%", "100%"), ("50%, 125%", "100%"), 3),
        _turn_menu(("50%, 100%", "100%"), ("50%, 125%", "100%"), 3),
        _turn_menu(("50%, 100%", "100%"), ("75%, 150%", "100%"), 2),
        _turn_menu(("50%, 100%", "100%"), ("100%", "100%"), 2),
        _turn_menu(("100%", "100%"), ("100%", "100%"), 2),
    )


@cache
def lean_river_menus() -> tuple[Sizing, ...]:
    """Menus of a river, leaner than the one by depth, the richest first."""
    menus = StreetMenu.parse("50%, 100%", "100%"), StreetMenu.parse("100%", "100%")
    return tuple(
        Sizing(
            (None, None, None, menu),
            max_raises=raises,
            add_allin_threshold=NEAR_ALL_IN,
            force_allin_threshold=0.15,
        )
        for menu, raises in zip(menus, (3, 2), strict=True)
    )


def menus_for(state: State) -> Sequence[Sizing | None]:
    """Menus for an endgame that begins at a state, the richest first.

    A limit game has no menu to choose: its rules are the one there is.
    """
    if not state.game.no_limit:
        return (None,)
    if state.round == RIVER:
        deep = river_menu(2 * state.max_spent, state.game.stacks[0] - state.max_spent)
        return (deep, *lean_river_menus())
    return turn_menus()


def plan_solve(
    state: State,
    hands: tuple[int, int],  # that each player may hold where the endgame begins
    work: StreetWork,
    menus: Callable[[State], Sequence[Sizing | None]] = menus_for,
) -> tuple[SolvePlan, ...]:
    """The richest menu with which the work allows enough iterations, then the leaner ones.

    The leanest is alone where no menu is lean enough.
    """
    budget, plans = work.of(state.round), []
    for sizing in menus(state):
        entries = count_entries(street_actions(state, sizing), hands, cards_to_come(state))
        iterations = int(min(max(budget / entries, 1), MOST_ITERATIONS))
        plans.append(SolvePlan(sizing, entries, iterations))
    last = len(plans) - 1
    fitting = (at for at, plan in enumerate(plans) if plan.fits(budget))
    return tuple(plans[next(fitting, last) :])


def cards_to_come(state: State) -> int:
    """Board cards dealt after a state."""
    sizes = state.game.board_sizes
    return sizes[-1] - sizes[state.round]


@lru_cache(maxsize=256)
def street_actions(state: State, sizing: Sizing | None) -> tuple[tuple[int, int], ...]:
    """Actions of all decisions of a menu's tree, by street and player.

    One decision after the other of a hand is planned from the same start.
    """
    streets = cut_streets(state_tree(state, sizing))
    return tuple((sum(street.actions[0]), sum(street.actions[1])) for street in streets)


def count_entries(
    streets: Sequence[tuple[int, int]],  # actions by street and player
    hands: tuple[int, int],
    to_come: int,
) -> int:
    """Actions of all decisions, for every hand and board: what an iteration updates."""
    total = 0.0
    for cards, actions in enumerate(streets):
        seen = NUM_CARDS - (5 - to_come)  # cards that are not on the first board
        boards = comb(seen, cards)
        left = comb(seen - cards, 2) / comb(seen, 2)  # of the hands, on each board
        for player in (0, 1):
            total += boards * left * hands[player] * actions[player]
    return round(total)


def without_negligible(weights: Float64s, share: float = NEGLIGIBLE) -> Float64s:
    """A range [1326] without its unlikeliest hands, which together are at most a share of it."""
    order = np.argsort(weights, kind="stable")
    below = np.cumsum(weights[order])
    out = order[below <= share * below[-1]]
    kept = weights.copy()
    kept[out] = 0.0
    return kept

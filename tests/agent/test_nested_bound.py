"""The bound of nested solving at the table: real cards, two bets off the menu, one after the other.

The answers found are put together with the first endgame's strategy in one tree that has both bets;
what each of the opponent's hands can get there is found by a best response in the whole.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest

from endspiel.agent.clock import UNTIMED
from endspiel.agent.moves import street_moves
from endspiel.agent.stages import Approach, EndgameEntry, Stage, Stages
from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.cards.live import live_hands
from endspiel.cards.removal import unblocked_weight
from endspiel.cards.text import parse_cards
from endspiel.endgame.safe.baseline import Baseline, values_against
from endspiel.endgame.safe.live import LiveEndgame
from endspiel.endgame.safe.techniques import PLAYED
from endspiel.engine.limits import Limits
from endspiel.rules.builtin import load_rules
from endspiel.rules.state import CALL, State, start

BOARD = tuple(parse_cards("Ks Th 7s 4d 2s"))
SIZING = Sizing.same(StreetMenu.parse("100%", "100%"), max_raises=3)
POT, ROUNDING = 1800, 1e-3  # chips; values are 32-bit sums over a thousand hands
Floats = np.ndarray


def river(*bets: int) -> State:
    """The river after a raise to 900 before the flop, then these bets in it."""
    state = start(load_rules("nolimit-holdem"))
    for action in (900, CALL, CALL, CALL, CALL, CALL, *(b + 900 if b else CALL for b in bets)):
        state = state.apply(action)
    return state


FIRST, SECOND = (0, 700), (0, 700, 3900, 8000)  # ours: a check, a raise; off the menu: 700, 8000


@cache
def played(technique: str) -> tuple[Stage, Stage, Stage]:
    """The endgames of a hand in which both bets are made: the first, and one after each."""
    live, rng = live_hands(BOARD), np.random.default_rng(3)
    ranges = (live * rng.random(1326), live * rng.random(1326))
    before = LiveEndgame(river(), BOARD, ranges, SIZING)
    before.solve(Limits(0.0, 20))
    entry = EndgameEntry(ranges, before.root_values(1), np.zeros(1326))
    hand = Stages(Approach(PLAYED[technique], lambda state: (SIZING,), Limits(0.0, 150)))
    one, two, three = (
        hand.solve(river(*bets), BOARD, entry, UNTIMED) for bets in ((), FIRST, SECOND)
    )
    return one, two, three


def whole_values(stages: Sequence[Stage]) -> Floats:
    """What each of the opponent's hands [1326] can get in the tree that has both bets, in chips."""
    first = stages[0].endgame
    moves = tuple(street_moves(river(*SECOND)))
    whole = LiveEndgame(river(), BOARD, first.ranges, SIZING, made=moves).tree
    starts = ["", "c b700 ", "c b700 r3900 r8000 "]

    def strategy(node: int, board: Sequence[int]) -> Floats:
        line = f"{whole.line(node)} "
        newest = max(i for i, start in enumerate(starts) if line.startswith(start))
        endgame = stages[newest].endgame
        found = endgame.strategy(endgame.tree.find(line.removeprefix(starts[newest]).strip()))
        assert len(found) == len(list(whole.children(node)))
        return found

    return values_against(Baseline(whole, 0, 0, strategy, first.ranges[0]), BOARD)


def chance(stage: Stage, line: str) -> Floats:
    """How often we hold cards that let each of the opponent's hands [1326] come to a line."""
    endgame = stage.endgame
    return unblocked_weight(endgame.reach(endgame.tree.find(line), 0) * live_hands(BOARD))


@pytest.mark.parametrize("technique", ["resolve", "maxmargin", "reach-maxmargin"])
def test_bets_off_the_menu_gain_at_most_what_their_answers_fall_short(technique: str) -> None:
    one, two, three = played(technique)
    assert [s.endgame.state for s in (one, two, three)] == [river(), river(*FIRST), river(*SECOND)]
    scale = chance(one, "")
    before, after = scale * one.endgame.root_values(1), scale * whole_values((one, two, three))
    short = np.zeros(1326)
    for old, new, line in ((one, two, "c"), (two, three, "r3900")):
        known = old.endgame.best_values(old.endgame.tree.find(line))  # CBV(I)
        gained = np.maximum(new.endgame.root_values(1) - known, 0.0)
        short += chance(old, line) * gained
        even = LiveEndgame(new.endgame.state, BOARD, new.endgame.ranges, SIZING).root_values(1)
        assert gained.mean() < 0.2 * np.maximum(even - known, 0.0).mean()
    slack = ROUNDING * POT * scale
    assert np.all(after <= before + short + slack)
    assert np.all(after >= before - slack)  # more actions are no worse for any hand


def test_margins_are_counted_from_what_each_hand_had_before_the_bet() -> None:
    one, two, three = played("maxmargin")
    for old, new, line in ((one, two, "c"), (two, three, "r3900")):
        known = old.endgame.best_values(old.endgame.tree.find(line))
        possible = chance(old, line) > 0
        margin = (known - new.endgame.root_values(1))[possible].min()
        assert new.endgame.diagnostics["margin"] == pytest.approx(margin, abs=ROUNDING * POT)

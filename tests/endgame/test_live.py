"""Endgames of the hand in play: solved as the ranges say, or safely against any opponent."""

import time

import numpy as np
import pytest

from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.betting.rake import Rake
from endspiel.cards.live import live_hands
from endspiel.cards.ranges import parse_range
from endspiel.cards.removal import unblocked_weight
from endspiel.cards.text import parse_cards
from endspiel.endgame.safe.baseline import Baseline, values_against
from endspiel.endgame.safe.live import (
    LiveEndgame,
    Offer,
)
from endspiel.endgame.safe.techniques import MAXMARGIN, REACH_MAXMARGIN, RESOLVE, named
from endspiel.engine.limits import Limits
from endspiel.errors import BettingError, RangeError
from endspiel.games.spot import Spot
from endspiel.ranges.line import with_every_hand
from endspiel.rules.builtin import load_rules
from endspiel.rules.state import CALL, State, start
from endspiel.solving.task import prepare

BOARD = tuple(parse_cards("Ks Th 7s 4d 2s"))
SIZING = Sizing.same(StreetMenu.parse("50%, 100%", "100%"), max_raises=3)
RANGES = ("88+,A9s+,KTs+,QTs+,JTs,ATo+,KJo+", "22+,A2s+,K9s+,Q9s+,J9s+,T8s+,98s,87s,ATo+,KTo+")


def river(*bets: int) -> State:
    """The river after a raise to 900 before the flop, then these bets."""
    state = start(load_rules("nolimit-holdem"))
    for action in (900, CALL, CALL, CALL, CALL, CALL, *bets):
        state = state.apply(action)
    return state


def ranges() -> tuple[np.ndarray, np.ndarray]:
    live = live_hands(BOARD)
    return parse_range(RANGES[0]) * live, parse_range(RANGES[1]) * live


def offer(leaves: np.ndarray, gifts: np.ndarray | None = None, trust: float = 0.0) -> Offer:
    return Offer(leaves, np.zeros(1326) if gifts is None else gifts, ranges()[0], trust)


@pytest.fixture(scope="module")
def base() -> LiveEndgame:
    """A poor strategy: a few iterations, every hand of both players in it."""
    everything = tuple(with_every_hand(weights, BOARD) for weights in ranges())
    endgame = LiveEndgame(river(), BOARD, (everything[0], everything[1]), SIZING)
    endgame.solve(Limits(0.0, 6))
    return endgame


def test_it_is_the_spot_with_the_same_ranges() -> None:
    endgame = LiveEndgame(river(), BOARD, ranges(), SIZING)
    gap = endgame.solve(Limits(1e-4, 4000))
    spot = Spot(BOARD, 1800, 19_100, ranges(), SIZING)
    solved = prepare(spot).run(Limits(target_units=1e-4))
    assert gap <= 1e-4
    assert endgame.solver.value() == pytest.approx(solved.value, abs=3e-4)


def test_with_a_rake_it_is_the_raked_spot() -> None:
    rake = Rake(0.05, cap=250)
    endgame = LiveEndgame(river(), BOARD, ranges(), SIZING, rake=rake)
    gap = endgame.solve(Limits(0.0, 50))
    spot = prepare(Spot(BOARD, 1800, 19_100, ranges(), SIZING, rake))
    solved = spot.run(Limits(iterations=50))
    assert endgame.solver.value() == pytest.approx(solved.value, abs=1e-5)
    assert gap == pytest.approx(solved.exploitability, abs=1e-5)
    with pytest.raises(BettingError, match="resolve solves zero-sum games"):
        endgame.solve_safely(0, RESOLVE, offer(np.zeros(1326)), Limits(0.0, 1))


def test_values_are_chips_a_hand() -> None:
    endgame = LiveEndgame(river(), BOARD, ranges(), SIZING)
    endgame.solve(Limits(0.0, 200))
    gains = 0.0
    for player in (0, 1):
        pairs = endgame.ranges[player] * unblocked_weight(endgame.ranges[1 - player])
        gains += pairs @ endgame.root_values(player) / pairs.sum()
    assert gains / 2 == pytest.approx(endgame.solver.exploitability() * endgame.pot, rel=1e-3)
    root = endgame.best_values(0)
    assert np.allclose(root, endgame.root_values(0), atol=1e-3)


@pytest.mark.parametrize("technique", ["resolve", "maxmargin", "reach-maxmargin"])
def test_no_hand_of_the_opponent_gets_more_than_it_had(base: LiveEndgame, technique: str) -> None:
    player, opponent = 1, 0
    live = live_hands(BOARD)
    before = base.root_values(opponent)
    own = (live, base.ranges[player])
    safe = LiveEndgame(river(), BOARD, own, SIZING)
    gap = safe.solve_safely(player, named(technique), offer(before), Limits(0.0, 600))
    after = safe.root_values(opponent)
    held = live > 0
    assert (after - before)[held].max() <= gap * safe.pot * 1.01 + 1e-3 * safe.pot
    if technique != "resolve":
        assert safe.diagnostics["margin"] > 2 * safe.diagnostics["gap"]


def test_gifts_leave_room(base: LiveEndgame) -> None:
    """A gift of every hand is a margin wider by as much; of one that nothing hangs on, no wider."""
    player, live = 1, live_hands(BOARD)
    before, strong = base.root_values(0), np.zeros(1326)
    strong[parse_range("KK+,TT,77") > 0] = 500.0
    found = []
    for given in (np.zeros(1326), 500.0 * live, strong):
        safe = LiveEndgame(river(), BOARD, (live, base.ranges[player]), SIZING)
        safe.solve_safely(player, REACH_MAXMARGIN, offer(before, given), Limits(0.0, 600))
        found.append((safe.diagnostics["margin"], safe.diagnostics["gap"]))
    (none, gap), (all_hands, other_gap), (some, third_gap) = found
    assert max(gap, other_gap, third_gap) < 0.02 * base.pot
    assert all_hands == pytest.approx(none + 500.0, abs=gap + other_gap)
    assert none - third_gap <= some <= none + gap + 500.0
    # Reach-Maxmargin's alone: without gifts to speak of, it is Maxmargin.
    plain = LiveEndgame(river(), BOARD, (live, base.ranges[player]), SIZING)
    plain.solve_safely(player, MAXMARGIN, offer(before, 500.0 * live), Limits(0.0, 600))
    assert plain.diagnostics["margin"] == pytest.approx(none, abs=1e-6)


def test_nested_endgames_begin_at_a_bet_off_the_menu(base: LiveEndgame) -> None:
    state = river(900 + 777)
    values = base.best_values(0)
    nested = LiveEndgame(state, BOARD, (live_hands(BOARD), base.ranges[1]), SIZING)
    nested.solve_safely(1, MAXMARGIN, offer(values), Limits(0.0, 300))
    assert nested.tree.words(0)[:2] == ["f", "c"]
    strategy = nested.strategy(0)
    assert np.allclose(strategy.sum(axis=0), live_hands(BOARD))


def test_the_clock_ends_a_solve() -> None:
    endgame = LiveEndgame(river(), BOARD, ranges(), SIZING)
    endgame.solve(Limits(0.0, 10**9, deadline_seconds=time.perf_counter()))
    assert endgame.solver.iteration == 1


def test_a_player_without_hands_is_refused() -> None:
    with pytest.raises(RangeError, match="player 1 comes to this endgame with no hand"):
        LiveEndgame(river(), BOARD, (live_hands(BOARD), np.zeros(1326)), SIZING)


def test_what_a_strategy_leaves_the_opponent(base: LiveEndgame) -> None:
    """Read through its betting tree, a strategy leaves what it leaves in its own endgame."""
    for player in (0, 1):
        blueprint = Baseline(
            base.tree, 0, player, lambda node, board: base.strategy(node), base.ranges[player]
        )
        values = values_against(blueprint, BOARD)
        assert np.allclose(values, base.root_values(1 - player), atol=1e-3 * base.pot)


def test_values_after_the_river_card_add_up_to_those_of_the_turn() -> None:
    """Checked down, what comes after each card is the turn's value on average."""
    state = start(load_rules("nolimit-holdem"))
    for action in (900, CALL, CALL, CALL):
        state = state.apply(action)
    nothing = Sizing.same(StreetMenu.parse("", ""))
    turn = LiveEndgame(state, BOARD[:4], ranges(), nothing)
    turn.solve(Limits(0.0, 2))
    checked = turn.tree.find("c c")
    met, worth = np.zeros(1326), np.zeros(1326)
    for card in set(range(52)) - set(BOARD[:4]):
        live = live_hands((*BOARD[:4], card))
        mass = unblocked_weight(turn.ranges[1] * live) * live
        met += mass
        worth += mass * turn.entry_values(checked, card, 0)
    held = turn.ranges[0] > 0
    assert np.allclose(worth[held] / met[held], turn.root_values(0)[held], atol=1e-2)


def test_trust_decides_among_what_is_safe(base: LiveEndgame) -> None:
    """A little trust in the range costs little safety, and wins more from that range."""
    before, found = base.root_values(0), []
    for trust in (0.0, 0.1):
        safe = LiveEndgame(river(), BOARD, (live_hands(BOARD), base.ranges[1]), SIZING)
        safe.solve_safely(1, RESOLVE, offer(before, trust=trust), Limits(0.0, 600))
        after = safe.root_values(0)
        met = ranges()[0] * unblocked_weight(base.ranges[1])
        found.append((met @ after / met.sum(), (after - before)[live_hands(BOARD) > 0].max()))
    (lost, _), (believed, most) = found
    assert believed < lost - 1  # chips that the opponent's best response wins with its range
    assert most <= 0.02 * base.pot

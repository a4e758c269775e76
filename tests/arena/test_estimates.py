"""Every estimator on Leduc, where the true value is known: no bias over many seeds, less noise."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from endspiel.agent.base import Agent
from endspiel.arena.aivat import Aivat, Values, check_down, open_hands
from endspiel.arena.all_in import cards_at_last_action, expected_payoffs
from endspiel.arena.deals import DealSource
from endspiel.arena.estimates import duplicate, estimate, plain, running
from endspiel.arena.play import Hand, Table, Task
from endspiel.cards.equity import hand_equity
from endspiel.cards.text import parse_cards
from endspiel.errors import EndspielError
from endspiel.game import Profile, expected_value
from endspiel.kernels.arrays import Floats
from endspiel.rules.acpc import parse_betting
from endspiel.rules.builtin import load_game
from endspiel.rules.deal import Deal
from endspiel.rules.game_def import GameDef
from tests.arena.leduc import GAME, RULES, Exact, agent_of, match_value, random_profile

SHORT = replace(RULES, stacks=(5, 5))  # two raises before the board are all-in
SEEDS = range(40)
HANDS = 250  # of each section and seed

A, B = agent_of(random_profile(1)), agent_of(random_profile(2))


def play(game: GameDef, agents: Sequence[Agent], seed: int, section: int, hands: int) -> list[Hand]:
    words = DealSource(game, seed).words(hands)
    return Table(game, agents).play(Task(seed, section, 0, words))


def sections(game: GameDef, worth: Callable[[Hand], float], seed: int) -> Floats:
    """What the hands of a duplicate match are worth to A: [2, hands]."""
    return np.array([[worth(h) for h in play(game, (A, B), seed, s, HANDS)] for s in (0, 1)])


def check_unbiased(estimates: Sequence[float], truth: float) -> None:
    """The mean over seeds lies within four of its standard errors of the truth."""
    found = estimate("seeds", estimates)
    assert found.error is not None
    assert abs(found.mean - truth) < 4 * found.error
    assert found.error < 0.2 * max(abs(truth), 0.5)  # the test could have seen a bias


def test_recursion_gives_the_value_of_the_game() -> None:
    one, two = random_profile(1), random_profile(2)
    mixed = Profile((one.behavior[0], two.behavior[1]))
    assert Exact((A, B)).root() == pytest.approx(expected_value(GAME, mixed), abs=1e-12)


def test_plain_and_duplicate_have_no_bias_and_their_intervals_hold() -> None:
    truth = match_value(A, B)
    values = [sections(RULES, lambda h: h.payoffs[h.position], seed) for seed in SEEDS]
    for estimator in (plain, duplicate):
        found = [estimator(v) for v in values]
        check_unbiased([e.mean for e in found], truth)
        covered = [e.interval[0] <= truth <= e.interval[1] for e in found if e.interval]
        assert sum(covered) >= 0.85 * len(SEEDS)
    whole = np.concatenate(values, axis=1)
    gain = duplicate(whole).gain(plain(whole))
    assert gain is not None
    assert gain > 1.1


def test_all_in_expectation_has_no_bias_and_less_noise() -> None:
    truth = match_value(A, B, SHORT)

    def adjusted(hand: Hand) -> float:
        return expected_payoffs(hand.state, hand.deal, hand.payoffs)[hand.position]

    actual = np.concatenate(
        [sections(SHORT, lambda h: h.payoffs[h.position], seed) for seed in SEEDS], axis=1
    )
    expected = [sections(SHORT, adjusted, seed) for seed in SEEDS]
    check_unbiased([plain(v).mean for v in expected], truth)
    gain = plain(np.concatenate(expected, axis=1)).gain(plain(actual))
    assert gain is not None
    assert gain > 1.02
    assert np.any(actual != np.concatenate(expected, axis=1))


def test_all_in_expectation_in_holdem_is_the_exact_equity() -> None:
    game = load_game("nolimit-holdem")
    state = parse_betting(game, "r300c/r20000c//")
    first, second = parse_cards("AsAh"), parse_cards("KdKc")
    board = parse_cards("2c3d4h5s6s")
    deal = Deal((tuple(first), tuple(second)), tuple(board))
    equity = hand_equity(first, second, board[:3])
    assert cards_at_last_action(state) == 3
    won = expected_payoffs(state, deal, state.payoffs(deal))
    assert won == pytest.approx((20000 * (2 * equity - 1), -20000 * (2 * equity - 1)))
    called = parse_betting(game, "r300c/cc/cc/cc")
    assert expected_payoffs(called, deal, (300, -300)) == (300, -300)


def exact_values(other: Agent) -> Values:
    """The value function that knows both players."""
    solved = Exact((A, other)), Exact((other, A))

    def values(state, position, holes, theirs, board):  # type: ignore[no-untyped-def]
        found = np.zeros(len(holes))
        for at, hole in enumerate(holes):
            if set(hole) & {*theirs, *board}:
                continue
            pair = (hole, theirs) if position == 0 else (theirs, hole)
            chips = solved[position].value(state, pair, board)
            found[at] = chips if position == 0 else -chips
        return found

    return values


def noise(state, position, holes, other, board):  # type: ignore[no-untyped-def]
    """Values that mean nothing, but are the same every time."""
    numbers = [len(state.line), position, *other, *board, sum(map(ord, state.line))]
    return np.random.default_rng(numbers).normal(0, 3, len(holes))


def zero(state, position, holes, other, board):  # type: ignore[no-untyped-def]
    """Values that correct nothing: what is left is weighing all of A's hands."""
    return np.zeros(len(holes))


@pytest.mark.parametrize(
    ("values", "least_gain"),
    [(exact_values(B), 3.0), (check_down, 1.0), (open_hands, 1.0), (zero, 1.0), (noise, 0.0)],
    ids=["exact", "check-down", "open-hands", "zero", "noise"],
)
def test_aivat_has_no_bias_whatever_the_values(values: Values, least_gain: float) -> None:
    truth = match_value(A, B)
    aivat = Aivat(RULES, A.policy, values)
    found, actual = [], []
    for seed in range(12):
        hands = [h for s in (0, 1) for h in play(RULES, (A, B), seed, s, 60)]
        found.append([aivat.estimate(h.state, h.deal, h.position) for h in hands])
        actual.append([h.payoffs[h.position] for h in hands])
    whole = estimate("aivat", np.ravel(found))
    gain = whole.gain(estimate("plain", np.ravel(actual)))
    assert whole.error is not None
    assert gain is not None
    assert abs(whole.mean - truth) < 4 * whole.error
    assert gain > least_gain


def test_aivat_knows_all_when_the_other_player_has_no_choice() -> None:
    """Against an opponent without dice, true values leave no noise at all."""
    caller = agent_of(random_profile(3))
    for table in caller.tables:
        for actions in table.values():
            actions.update({action: float(action == "c") for action in actions})
    aivat = Aivat(RULES, A.policy, exact_values(caller))
    by_position = Exact((A, caller)).root(), -Exact((caller, A)).root()
    for section in (0, 1):
        for hand in play(RULES, (A, caller), 5, section, 50):
            found = aivat.estimate(hand.state, hand.deal, hand.position)
            assert found == pytest.approx(by_position[hand.position], abs=1e-9)


def test_aivat_refuses_agents_that_do_not_tell() -> None:
    aivat = Aivat(RULES, lambda state, holes, board: None, check_down)
    hand = play(RULES, (A, B), 1, 0, 1)[0]
    with pytest.raises(EndspielError, match="can tell how it plays"):
        aivat.estimate(hand.state, hand.deal, 0)


def test_running_results_end_with_the_result() -> None:
    values = np.random.default_rng(1).normal(5, 3, 1000)
    counts, means, halves = running(values, points=50)
    final = estimate("all", values)
    assert counts[-1] == 1000
    assert means[-1] == pytest.approx(final.mean)
    assert halves[-1] == pytest.approx(final.half_width)
    early = estimate("some", values[: counts[10]])
    assert (means[10], halves[10]) == pytest.approx((early.mean, early.half_width))


def test_too_little_to_tell() -> None:
    one = estimate("one", [3.0])
    assert (one.error, one.half_width, one.interval) == (None, None, None)
    with pytest.raises(EndspielError, match="at least one"):
        estimate("none", [])
    with pytest.raises(EndspielError, match="two sections"):
        duplicate(np.zeros((1, 5)))

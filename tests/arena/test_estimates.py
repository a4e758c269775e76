"""Every estimator on Leduc, where the true value is known: no bias over many seeds, less noise."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from endspiel.agent import make_agent
from endspiel.agent.base import Agent
from endspiel.arena.deals import DealSource
from endspiel.arena.estimators.aivat import Aivat, Policy
from endspiel.arena.estimators.all_in import cards_at_last_action, expected_payoffs
from endspiel.arena.estimators.estimates import duplicate, estimate, plain, running
from endspiel.arena.estimators.shares import all_holes, shares
from endspiel.arena.estimators.values import Seen, Values, check_down, open_hands
from endspiel.arena.play import Hand, HandBlock, MatchTable
from endspiel.cards.equity import hand_equity
from endspiel.cards.text import parse_cards
from endspiel.errors import EndspielError
from endspiel.game import Profile, expected_value
from endspiel.kernels.arrays import Floats
from endspiel.rules.acpc import parse_betting
from endspiel.rules.builtin import load_rules
from endspiel.rules.deal import Deal
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import CALL, State, start
from tests.arena.leduc import GAME, RULES, Exact, agent_of, match_value, random_profile

SHORT = replace(RULES, stacks=(5, 5))  # two raises before the board are all-in
SEEDS = range(40)
HANDS = 250  # of each section and seed

A, B = agent_of(random_profile(1)), agent_of(random_profile(2))


def play(game: GameDef, agents: Sequence[Agent], seed: int, section: int, hands: int) -> list[Hand]:
    words = DealSource(game, seed).words(hands)
    return MatchTable(game, agents).play(HandBlock(seed, section, 0, words))


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
    game = load_rules("nolimit-holdem")
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

    def values(seen: Seen) -> Floats:
        state, position, theirs, board = seen
        holes = all_holes(state.game)
        found = np.zeros(len(holes))
        for at, hole in enumerate(holes):
            if set(hole) & {*theirs, *board}:
                continue
            pair = (hole, theirs) if position == 0 else (theirs, hole)
            chips = solved[position].value(state, pair, board)
            found[at] = chips if position == 0 else -chips
        return found

    return values


def noise(seen: Seen) -> Floats:
    """Values that mean nothing, but are the same every time."""
    state, position, other, board = seen
    numbers = [len(state.line), position, *other, *board, sum(map(ord, state.line))]
    return np.random.default_rng(numbers).normal(0, 3, len(all_holes(state.game)))


def zero(seen: Seen) -> Floats:
    """Values that correct nothing: what is left is weighing all of A's hands."""
    return np.zeros(len(all_holes(seen.state.game)))


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


class Endings:
    """Every way two agents' hands may go, with its chance: deals of Leduc and lines of betting."""

    def __init__(self, agents: Sequence[Agent], game: GameDef = RULES) -> None:
        self.agents = agents
        self.game = game

    def all(self) -> Iterator[tuple[float, State, Deal]]:
        deals = list(permutations(self.game.deck, 3))
        for first, second, board in deals:
            deal = Deal(((first,), (second,)), (board,))
            for chance, state in self.after(start(self.game), deal):
                yield chance / len(deals), state, deal

    def after(self, state: State, deal: Deal) -> Iterator[tuple[float, State]]:
        if state.finished:
            yield 1.0, state
            return
        hole = deal.holes[state.actor]
        board = deal.board[: self.game.board_sizes[state.round]]
        choice = self.agents[state.actor].policy(state, [hole], board)
        assert choice is not None
        for action, chance in zip(choice.actions, choice.probabilities[0], strict=True):
            for rest, end in self.after(state.apply(action), deal):
                yield chance * rest, end


@pytest.mark.parametrize("values", [open_hands, noise], ids=["open-hands", "noise"])
@pytest.mark.parametrize("game", [RULES, SHORT], ids=["leduc", "short"])
@pytest.mark.parametrize("other", [None, B.policy], ids=["one", "both"])
def test_the_mean_of_aivat_over_everything_is_the_value(
    values: Values, game: GameDef, other: Policy | None
) -> None:
    aivat = Aivat(game, A.policy, values, other)
    found = sum(
        chance * aivat.estimate(state, deal, 0)
        for chance, state, deal in Endings((A, B), game).all()
    )
    assert found == pytest.approx(Exact((A, B), game).root(), abs=1e-9)


def plainly(values: Values) -> Values:
    """The same values without what they know of deals."""

    return lambda seen: values(seen)


@pytest.mark.parametrize("values", [check_down, open_hands], ids=["check-down", "open-hands"])
def test_what_a_deal_may_bring_is_the_mean_of_what_it_brings(values: Values) -> None:
    told = Aivat(RULES, A.policy, values, max_boards=0)
    dealt = Aivat(RULES, A.policy, plainly(values))
    for hand in play(RULES, (A, B), 3, 0, 200):
        case = hand.state, hand.deal, hand.position
        assert told.estimate(*case) == pytest.approx(dealt.estimate(*case), abs=1e-12)


def test_it_is_so_in_holdem_and_the_flop_is_corrected_too() -> None:
    """Against a player who calls all, check-down values leave no luck but that of the dice."""
    game = load_rules("nolimit-holdem")
    policy = make_agent("always-call", game).policy
    told, dealt = Aivat(game, policy, check_down), Aivat(game, policy, plainly(check_down))
    rng = np.random.default_rng(3)
    state = start(game)
    while not state.finished:
        state = state.apply(CALL)
    for _ in range(3):
        cards = tuple(rng.choice(52, 9, replace=False).tolist())
        deal = Deal((cards[:2], cards[2:4]), cards[4:])
        assert told.estimate(state, deal, 0) == pytest.approx(0, abs=1e-9)
        before, came = (shares(game, deal.holes[1], board) for board in ((), deal.board[:3]))
        flop = 100 * (before.sum() / 1225 - came.sum() / 1081)
        assert dealt.estimate(state, deal, 0) == pytest.approx(-flop, abs=1e-9)


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


def test_aivat_knows_all_when_it_knows_both_players() -> None:
    aivat = Aivat(RULES, A.policy, exact_values(B), B.policy)
    by_position = Exact((A, B)).root(), -Exact((B, A)).root()
    for hand in play(RULES, (A, B), 5, 0, 50):
        found = aivat.estimate(hand.state, hand.deal, hand.position)
        assert found == pytest.approx(by_position[hand.position], abs=1e-9)


def test_aivat_refuses_agents_that_do_not_tell() -> None:
    aivat = Aivat(RULES, lambda state, holes, board: None, check_down)
    hand = play(RULES, (A, B), 1, 0, 1)[0]
    with pytest.raises(EndspielError, match="can tell how it plays every hand"):
        aivat.estimate(hand.state, hand.deal, 0)
    half = Aivat(RULES, A.policy, check_down, lambda state, holes, board: None)
    with pytest.raises(EndspielError, match="can tell how it plays a hand"):
        half.estimate(hand.state, hand.deal, hand.position)


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

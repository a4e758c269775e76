"""Local best response: never above a best response, equal to it where one step is all there is."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endspiel.agent import make_agent
from endspiel.agent.base import Agent, Choice
from endspiel.arena.estimators.local_best_response import (
    LocalBestResponse,
    Opponent,
    ResponseOptions,
)
from endspiel.arena.estimators.shares import all_holes, shares
from endspiel.arena.match import run_match
from endspiel.arena.plan import MatchPlan
from endspiel.cards.equity import hand_equity, preflop_table
from endspiel.cards.text import parse_cards
from endspiel.errors import BettingError, EndspielError, RulesError
from endspiel.game import best_response
from endspiel.rules.acpc import parse_betting
from endspiel.rules.builtin import load_rules
from endspiel.rules.deal import Deal
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import CALL, FOLD, State, start
from tests.arena.leduc import GAME, RULES, Exact, agent_of, random_profile

HOLDEM = load_rules("nolimit-holdem")
KUHN = load_rules("kuhn")
NO_LIMIT = replace(RULES, no_limit=True, stacks=(9, 9), raise_sizes=())
Cards = tuple[int, ...]


class Mixed(Agent):
    """Plays every hand by probabilities that a seed draws; bets the least and the greatest."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def chances(self, state: State, hole: Cards, board: Cards) -> list[float]:
        numbers = [self.seed, *map(ord, state.line), 0, *hole, *board]
        rng = np.random.default_rng(numbers)
        drawn = rng.gamma(0.5, size=len(state.legal_actions())) + 1e-6
        return list(drawn / drawn.sum())

    def act(self, state: State, hole: Cards, board: Cards) -> int:
        return state.legal_actions()[self.draws.choose(self.chances(state, hole, board))]

    def policy(self, state: State, holes: Sequence[Cards], board: Cards) -> Choice:
        rows = [self.chances(state, hole, board) for hole in holes]
        return Choice(state.legal_actions(), np.array(rows))


class Best:
    """A best response by brute force: what a player may win who knows the opponent's policy."""

    def __init__(self, game: GameDef, opponent: Agent, position: int) -> None:
        self.game, self.opponent, self.position = game, opponent, position

    def root(self) -> float:
        """Chips a hand."""
        deck = self.game.deck
        total = sum(
            self.value(start(self.game), (card,), {(o,): 1.0 for o in deck if o != card}, ())
            for card in deck
        )
        return total / (len(deck) * (len(deck) - 1))

    def value(self, state: State, hole: Cards, range_: dict[Cards, float], board: Cards) -> float:
        """Chips, summed over the opponent's hands by weight."""
        if state.finished and not state.showdown:
            return sum(range_.values()) * state.payoffs()[self.position]
        if len(board) < self.game.board_sizes[state.round]:
            left = [card for card in self.game.deck if card not in (*hole, *board)]
            live = len(self.game.deck) - 2  # cards that neither player holds
            return sum(
                self.value(
                    state,
                    hole,
                    {o: w / live for o, w in range_.items() if card not in o},
                    (*board, card),
                )
                for card in left
            )
        if state.finished:
            return sum(
                weight * state.payoffs(self.deal(hole, other, board))[self.position]
                for other, weight in range_.items()
            )
        if state.actor == self.position:
            return max(
                self.value(state.apply(action), hole, range_, board)
                for action in state.legal_actions()
            )
        choice = self.opponent.policy(state, list(range_), board)
        assert choice is not None
        total = 0.0
        for at, action in enumerate(choice.actions):
            played = {
                other: weight * choice.probabilities[row, at]
                for row, (other, weight) in enumerate(range_.items())
            }
            total += self.value(state.apply(action), hole, played, board)
        return total

    def deal(self, hole: Cards, other: Cards, board: Cards) -> Deal:
        return Deal((hole, other) if self.position == 0 else (other, hole), board)


def local(
    game: GameDef, opponent: Agent, options: ResponseOptions | None = None
) -> LocalBestResponse:
    return LocalBestResponse(game, Opponent(game, opponent, "it"), options or ResponseOptions())


def won(game: GameDef, player: Agent, opponent: Agent, position: int) -> float:
    """Exact chips a hand of a player at a position."""
    agents = (player, opponent) if position == 0 else (opponent, player)
    value = Exact(agents, game).root()
    return value if position == 0 else -value


def test_the_brute_force_is_a_best_response() -> None:
    profile = random_profile(4)
    opponent = agent_of(profile)
    for position in (0, 1):
        found, _ = best_response(GAME, position, profile)
        assert Best(RULES, opponent, position).root() == pytest.approx(found, abs=1e-9)


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10**6))
def test_one_step_is_all_there_is_for_the_second_player_of_kuhn(seed: int) -> None:
    opponent = Mixed(seed)
    best = [Best(KUHN, opponent, position).root() for position in (0, 1)]
    found = [won(KUHN, local(KUHN, opponent), opponent, position) for position in (0, 1)]
    assert found[1] == pytest.approx(best[1], abs=1e-9)
    assert found[0] <= best[0] + 1e-9


@pytest.mark.parametrize("game", [RULES, NO_LIMIT], ids=["limit", "no-limit"])
@pytest.mark.parametrize("seed", [1, 2])
def test_never_more_than_a_best_response_in_leduc(game: GameDef, seed: int) -> None:
    opponent = Mixed(seed)
    # Of the sizes, the least and the greatest are all that the brute force looks at.
    player = local(game, opponent, ResponseOptions(sizes="1c, a"))
    for position in (0, 1):
        best = Best(game, opponent, position).root()
        found = won(game, player, opponent, position)
        assert found <= best + 1e-9
        assert found > 0.3 * best  # it does exploit play that was drawn at random


@pytest.mark.parametrize("name", ["always-call", "always-raise"])
def test_nearly_a_best_response_to_those_who_never_fold(name: str) -> None:
    """Only the cards decide then; what it misses is to wait for more of them, or to raise more."""
    opponent = make_agent(name, RULES)
    player = local(RULES, opponent)
    best = sum(Best(RULES, opponent, position).root() for position in (0, 1))
    found = sum(won(RULES, player, opponent, position) for position in (0, 1))
    assert 0.75 * best < found <= best + 1e-9


def test_always_fold_loses_750_to_it() -> None:
    result = run_match(MatchPlan(HOLDEM, ("lbr+always-fold", "always-fold"), 40, 3))
    assert result.main.interval == (750.0, 750.0)


def test_against_always_call_every_hand_is_played_by_its_equity() -> None:
    """The opponent never folds: all-in with the better half of hands, before the flop."""
    player = local(HOLDEM, make_agent("always-call", HOLDEM), ResponseOptions(bets=frozenset({0})))
    ahead = 2 * np.nanmean(preflop_table(), axis=1) - 1
    limped = start(HOLDEM).apply(CALL)
    for at in range(0, 1326, 17):
        hole = all_holes(HOLDEM)[at]
        small, big = (player.values(state, hole, ()) for state in (start(HOLDEM), limped))
        assert small[FOLD] == -50
        assert small[CALL] == pytest.approx(100 * ahead[at])
        assert big[20000] == pytest.approx(20000 * ahead[at])
        assert player.act(limped, hole, ()) == (20000 if ahead[at] > 0 else CALL)
        expected = 20000 if ahead[at] > 0 else CALL if ahead[at] > -0.5 else FOLD
        assert player.act(start(HOLDEM), hole, ()) == expected


class FoldsUnpaired(Agent):
    """Bets nothing, folds to bets without a pair in the hand."""

    def act(self, state: State, hole: Cards, board: Cards) -> int:
        return FOLD if state.can_fold() and hole[0] // 4 != hole[1] // 4 else CALL

    def policy(self, state: State, holes: Sequence[Cards], board: Cards) -> Choice:
        folds = np.array([self.act(state, hole, board) == FOLD for hole in holes], np.float64)
        if not state.can_fold():
            return Choice((CALL,), np.ones((len(holes), 1)))
        return Choice((FOLD, CALL), np.stack([folds, 1 - folds], axis=1))


def test_bets_are_worth_what_folds_and_what_the_rest_costs() -> None:
    """By brute force over the opponent's hands on a turn, after a bet that narrowed its range."""
    player = local(HOLDEM, FoldsUnpaired())
    hole, board = tuple(sorted(parse_cards("AsKd"))), tuple(parse_cards("Ah9c4d2s"))
    for line, paired in (("cc/cc/", False), ("r300c/cc/", True)):
        state = parse_betting(HOLDEM, line + "c")  # position 1 acts
        left = [card for card in range(52) if card not in (*hole, *board)]
        others = [o for o in combinations(left, 2) if not paired or o[0] // 4 == o[1] // 4]
        pairs = [o for o in others if o[0] // 4 == o[1] // 4]
        lead = sum(2 * hand_equity(hole, o, board) - 1 for o in pairs) / len(others)
        level = state.max_spent
        folds = 1 - len(pairs) / len(others)
        values = player.values(state, hole, board)
        assert set(values) == {CALL, 2 * level, 3 * level, 5 * level, 20000}
        for chips in values.keys() - {CALL}:
            assert values[chips] == pytest.approx(folds * level + chips * lead, abs=1e-6)


def test_shares_are_equities() -> None:
    hole = tuple(sorted(parse_cards("QsQd")))
    for text in ("Ah9c4d", "QhJhTh2c", "QhJhTh2c9h", ""):
        board = tuple(parse_cards(text))
        found = shares(HOLDEM, hole, board)
        for other in ("AsAd", "KhJc", "7s2d", "9h8h"):
            theirs = tuple(sorted(parse_cards(other)))
            at = all_holes(HOLDEM).index(theirs)
            if {*theirs} & {*board}:
                assert len(board) < 5 or found[at] == 0
                continue
            assert found[at] == pytest.approx(1 - 2 * hand_equity(hole, theirs, board), abs=1e-12)
        assert found[all_holes(HOLDEM).index(hole)] == 0


def test_what_it_does_on_which_streets() -> None:
    """Only checks and calls where told to; never bets where not allowed to."""
    spec = "lbr+sizes=100%,a+streets=river+calls=preflop,flop+always-fold"
    player = make_agent(spec, HOLDEM)
    hole, board = tuple(parse_cards("7s2d")), tuple(parse_cards("AhKhQh3c4c"))
    assert player.act(start(HOLDEM), hole, ()) == CALL
    assert player.act(parse_betting(HOLDEM, "cc/r20000"), hole, board[:3]) == CALL
    assert player.act(parse_betting(HOLDEM, "cc/cc/r200"), hole, board[:4]) == FOLD
    assert player.act(parse_betting(HOLDEM, "cc/cc/c"), hole, board[:4]) == CALL
    assert player.act(parse_betting(HOLDEM, "cc/cc/cc/c"), hole, board) == 200 + 100


def test_the_same_seed_gives_the_same_match() -> None:
    plan = MatchPlan(RULES, (f"lbr+{__name__}:mixed", f"{__name__}:mixed"), 400, 8)
    first, again = run_match(plan, workers=1), run_match(plan, workers=1)
    assert np.array_equal(first.chips, again.chips)
    truth = sum(won(RULES, local(RULES, Mixed(5)), Mixed(5), position) for position in (0, 1)) / 2
    assert first.main.error is not None
    assert abs(first.main.mean - 1000 * truth / RULES.big_blind) < 4 * first.main.error


def mixed(game: GameDef, options: str) -> Agent:
    return Mixed(5)


@pytest.mark.parametrize(
    ("spec", "kind", "message"),
    [
        ("lbr", RulesError, "plays against an agent it knows"),
        ("lbr+sizes=100%", RulesError, "plays against an agent it knows"),
        ("lbr+sizes=many+always-call", BettingError, "many"),
        ("lbr+streets=lake+always-call", RulesError, "no street 'lake'"),
        ("lbr+nobody", RulesError, "no agent 'nobody'"),
    ],
)
def test_specs_that_make_no_agent(spec: str, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        make_agent(spec, HOLDEM)


def test_an_opponent_that_does_not_tell_is_refused() -> None:
    with pytest.raises(EndspielError, match="agent random cannot tell"):
        run_match(MatchPlan(HOLDEM, ("lbr+random", "random"), 10))

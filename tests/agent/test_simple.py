"""Simple agents: what they do, their policies, their names."""

import numpy as np
import pytest

from endspiel.agent import Agent, Draws, agent_names, make_agent, register
from endspiel.agent.simple import PotOdds, RandomAgent
from endspiel.arena.estimators.shares import all_holes
from endspiel.cards.equity import hand_equity
from endspiel.cards.text import parse_cards
from endspiel.errors import EndspielError, RulesError
from endspiel.rules.acpc import parse_betting
from endspiel.rules.builtin import load_rules
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import CALL, FOLD, State, start

HOLDEM = load_rules("nolimit-holdem")
LEDUC = load_rules("leduc")


def cards(text: str) -> tuple[int, ...]:
    return tuple(parse_cards(text))


def test_draws_are_fair_and_repeat() -> None:
    draws = Draws(5)
    first = [draws.below(6) for _ in range(60_000)]
    counts = np.bincount(first, minlength=6)
    assert np.all(abs(counts - 10_000) < 400)
    again = Draws(5)
    assert [again.below(6) for _ in range(1000)] == first[:1000]
    uniform = [Draws(seed).uniform() for seed in range(0, 2**64, 2**51)]
    assert 0 <= min(uniform) < max(uniform) < 1
    assert Draws(1).choose((0.0, 1.0, 0.0)) == 1


def test_draws_are_knuths_linear_congruence() -> None:
    """MMIX: x -> 6364136223846793005 x + 1442695040888963407 modulo 2 ** 64, top bits first."""
    draws, word = Draws(2**64 + 5), 5
    for _ in range(3):
        word = (6364136223846793005 * word + 1442695040888963407) % 2**64
        assert draws.uniform() == (word >> 11) / 2**53
    draws, word = Draws(5), 5
    for count in (1, 6, 52, 2**32 - 1):
        word = (6364136223846793005 * word + 1442695040888963407) % 2**64
        assert draws.below(count) == (word >> 32) * count // 2**32


def test_choices_are_as_often_as_they_say() -> None:
    draws, shares = Draws(9), (0.0, 0.2, 0.0, 0.5, 0.3)
    counts = np.bincount([draws.choose(shares) for _ in range(20_000)], minlength=5)
    assert counts / 20_000 == pytest.approx(shares, abs=0.015)  # four standard errors
    assert counts[0] == counts[2] == 0


class Last(Draws):
    """The largest number there is."""

    def uniform(self) -> float:
        return 1 - 2.0**-53


def test_what_rounding_leaves_goes_to_the_last_action_with_a_chance() -> None:
    assert Last(0).choose((0.25, 0.75 - 1e-12, 0.0)) == 1
    assert Last(0).choose((0.25, 0.75)) == 1


@pytest.mark.parametrize("line", ["", "r300", "cc/", "r300c/r600", "r20000"])
def test_constant_agents(line: str) -> None:
    state = parse_betting(HOLDEM, line)
    hole, board = cards("AsAh"), cards("2c3d4h")[: HOLDEM.board_sizes[state.round]]
    play = {name: make_agent(name, HOLDEM).act(state, hole, board) for name in agent_names()[:4]}
    bounds = state.raise_bounds()
    assert play["always-call"] == CALL
    assert play["always-fold"] == (FOLD if state.can_fold() else CALL)
    assert play["always-raise"] == (bounds[0] if bounds else CALL)
    assert state.can(play["random"])


def test_random_plays_every_kind_of_action_equally_often() -> None:
    agent = RandomAgent()
    state = start(HOLDEM)
    played = []
    for seed in range(3000):
        agent.begin(seed * 2**52)
        played.append(agent.act(state, cards("AsAh"), ()))
    for kind in (FOLD, CALL):
        assert abs(played.count(kind) - 1000) < 150
    sizes = [action for action in played if action > 0]
    assert min(sizes) < 1500
    assert max(sizes) > 18_500


def test_pot_odds_before_the_flop_is_equity() -> None:
    agent = PotOdds(HOLDEM)
    aces = agent.chance(cards("AsAh"), ())
    assert aces == pytest.approx(0.852, abs=0.001)
    shove = parse_betting(HOLDEM, "r20000")  # 19,900 to win 40,000
    assert agent.act(shove, cards("AsAh"), ()) == CALL
    assert agent.act(shove, cards("7c2d"), ()) == FOLD
    assert agent.act(parse_betting(HOLDEM, "cc/c"), cards("7c2d"), cards("AhKhQh")) == CALL


def test_pot_odds_on_the_river_is_equity() -> None:
    hole, board = cards("KsQd"), cards("Kh9h4c4d2s")
    others = [(a, b) for b in range(52) for a in range(b) if not {a, b} & {*hole, *board}]
    exact = np.mean([hand_equity(hole, other, board) for other in others])
    assert PotOdds(HOLDEM).chance(hole, board) == pytest.approx(exact)


def test_pot_odds_in_leduc_counts_hands() -> None:
    agent = PotOdds(LEDUC)
    assert agent.chance(cards("As"), ()) == pytest.approx((2 * 4 + 1) / 10)
    assert agent.chance(cards("Qs"), cards("Qh")) == 1.0


def test_pot_odds_in_rhode_island_waits_for_the_whole_hand() -> None:
    agent = PotOdds(load_rules("rhode-island"))
    assert agent.chance(cards("As"), ()) == 0.5
    # Three aces: the last ace is level, the 48 other cards are behind.
    assert agent.chance(cards("As"), cards("AhAd")) == pytest.approx((48 + 0.5) / 49)


def test_pot_odds_needs_no_more_than_its_price() -> None:
    """A queen in Leduc is level with half of all cards: worth 1 in 3 and more, not 2 in 3."""
    agent = PotOdds(LEDUC)
    middle = sorted(LEDUC.deck)[2]
    assert agent.chance((middle,), ()) == 0.5
    raised = parse_betting(LEDUC, "r")
    assert (raised.pot, raised.to_call) == (4, 2)
    assert agent.act(raised, (middle,), ()) == CALL
    assert agent.act(raised, (min(LEDUC.deck),), ()) == FOLD  # wins 1 in 10


@pytest.mark.parametrize(
    "name", ["random", "always-fold", "always-call", "always-raise", "pot-odds"]
)
@pytest.mark.parametrize("line", ["", "r", "cr", "rc/", "rc/r"])
def test_policies_are_what_is_played(name: str, line: str) -> None:
    agent, state = make_agent(name, LEDUC), parse_betting(LEDUC, line)
    board = cards("Qh")[: LEDUC.board_sizes[state.round]]
    holes = all_holes(LEDUC)
    choice = agent.policy(state, holes, board)
    assert choice is not None
    assert choice.probabilities.dtype == np.float64
    assert choice.probabilities.sum(axis=1) == pytest.approx(1)
    for hole, row in zip(holes, choice.probabilities, strict=True):
        if set(hole) & set(board):
            continue
        played = set()
        for seed in range(50):
            agent.begin(seed * 2**57)
            played.add(agent.act(state, hole, board))
        assert played == {a for a, p in zip(choice.actions, row, strict=True) if p > 0}


class Stubborn(Agent):
    """For the registry."""

    def __init__(self, options: str) -> None:
        self.options = options

    def act(self, state: State, hole: tuple[int, ...], board: tuple[int, ...]) -> int:
        return CALL


def stubborn(game: GameDef, options: str) -> Agent:
    return Stubborn(options)


def test_names() -> None:
    register("stubborn", f"{__name__}:stubborn")
    for spec, options in (("stubborn", ""), ("stubborn+x:y", "x:y"), ("stubborn:a b", "a b")):
        agent = make_agent(spec, HOLDEM)
        assert isinstance(agent, Stubborn)
        assert agent.options == options
    foreign = make_agent(f"{__name__}:stubborn", HOLDEM)
    assert isinstance(foreign, Stubborn)
    assert foreign.options == ""
    with pytest.raises(RulesError) as caught:
        make_agent("nobody", HOLDEM)
    names = ", ".join(agent_names())
    assert str(caught.value) == f"no agent 'nobody': there are {names}, and MODULE:NAME"
    for spec in ("random+", "nobody:", ":make", "no.such-module:make"):
        with pytest.raises(RulesError, match="no agent"):
            make_agent(spec, HOLDEM)
    with pytest.raises(RulesError, match="random has no option 'fast'"):
        make_agent("random+fast", HOLDEM)
    with pytest.raises(EndspielError, match="cannot load agent no_such_module:make"):
        make_agent("no_such_module:make", HOLDEM)


def no_agent(game: GameDef, options: str) -> str:
    return "text"


def too_few(game: GameDef) -> Agent:
    return Stubborn("")


def test_foreign_functions_must_make_an_agent() -> None:
    with pytest.raises(EndspielError, match=f"^{__name__}:no_agent makes a str, not an agent$"):
        make_agent(f"{__name__}:no_agent", HOLDEM)
    with pytest.raises(EndspielError, match=f"^{__name__}:too_few makes no agent of a game and"):
        make_agent(f"{__name__}:too_few", HOLDEM)
    with pytest.raises(EndspielError, match=f"^cannot load agent {__name__}:nothing: "):
        make_agent(f"{__name__}:nothing", HOLDEM)

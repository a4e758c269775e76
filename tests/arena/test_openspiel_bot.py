"""Agents inside OpenSpiel's universal_poker: its states read, its numbers played, its payoffs."""

import zlib
from typing import Any

import numpy as np
import pytest

from endspiel.agent import register
from endspiel.agent.base import Agent
from endspiel.agent.bots import BotAgent
from endspiel.arena.protocol.openspiel_bot import OpenSpielPolicy, make_bot, rules_of, seen_by
from endspiel.errors import RulesError
from endspiel.rules.builtin import load_rules
from endspiel.rules.deal import Deal
from endspiel.rules.log import parse_record
from endspiel.rules.state import CALL, FOLD, State
from tests.blueprint_fixture import small_blueprint

pyspiel: Any = pytest.importorskip("pyspiel")
HOLDEM = (
    "universal_poker(betting=nolimit,numPlayers=2,numRounds=4,blind=100 50,firstPlayer=2 1 1 1,"
    "numSuits=4,numRanks=13,numHoleCards=2,numBoardCards=0 3 1 1,stack=20000 20000,"
    "bettingAbstraction={})"
)
LIMIT = (
    "universal_poker(betting=limit,numPlayers=2,numRounds=2,blind=1 1,firstPlayer=1 1,numSuits=2,"
    "numRanks=3,numHoleCards=1,numBoardCards=0 1,raiseSize=2 4,maxRaises=2 2)"
)
SHOWN: list[State] = []


class Wild(Agent):
    """Takes any legal action, and notes where it was asked."""

    def act(self, state: State, hole: tuple[int, ...], board: tuple[int, ...]) -> int:
        SHOWN.append(state)
        legal = state.legal_actions()
        return legal[self.draws.below(len(legal))]


def played(game: Any, bot: Any, seed: int) -> Any:
    """A hand that a bot plays against itself; its end."""
    rng, state = np.random.default_rng(seed), game.new_initial_state()
    bot.restart()
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(int(rng.choice(state.legal_actions())))
            continue
        before = str(state)
        action = bot.step(state)
        assert str(state) == before
        assert action in state.legal_actions()
        state.apply_action(action)
    return state


@pytest.mark.parametrize("text", [HOLDEM.format("fullgame"), HOLDEM.format("fcpa"), LIMIT])
def test_every_step_is_read_and_legal(text: str) -> None:
    register("wild", lambda game, options: Wild())
    game = pyspiel.load_game(text)
    bot = make_bot(game, "wild", seed=3)
    for seed in range(25):
        SHOWN.clear()
        end = played(game, bot, seed)
        assert SHOWN
        # what it was shown last is how the hand went on there
        line = str(end).partition("STATE:0:")[2].partition(":")[0]
        assert line.startswith(SHOWN[-1].line)


def test_the_rules_are_those_of_the_parameters() -> None:
    ours = load_rules("nolimit-holdem")
    found = rules_of(pyspiel.load_game(HOLDEM.format("fullgame")).get_parameters())
    for name in ("stacks", "blinds", "first_players", "num_board_cards", "no_limit"):
        assert getattr(found, name) == getattr(ours, name)


def test_the_same_seed_plays_the_same() -> None:
    register("wild", lambda game, options: Wild())
    game = pyspiel.load_game(HOLDEM.format("fullgame"))
    ends = [str(played(game, make_bot(game, "wild", seed), 7)) for seed in (1, 1, 2, 3)]
    assert ends[0] == ends[1]
    assert len(set(ends)) > 1


def test_other_games_are_refused() -> None:
    with pytest.raises(RulesError, match="agents play universal_poker, not kuhn_poker"):
        make_bot(pyspiel.load_game("kuhn_poker"), "always-call")


def test_a_limit_strategy_plays_and_is_paid_as_by_our_rules(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Whole limit hold'em: stacks that nobody can lose are no other game."""
    file = small_blueprint(tmp_path_factory.getbasetemp(), limit=True).path
    game = pyspiel.load_game(
        "universal_poker(betting=limit,numPlayers=2,numRounds=4,blind=10 5,firstPlayer=2 1 1 1,"
        "numSuits=4,numRanks=13,numHoleCards=2,numBoardCards=0 3 1 1,stack=1200 1200,"
        "raiseSize=10 10 20 20,maxRaises=3 4 4 4)"
    )
    bot, rules = make_bot(game, f"blueprint:{file}", seed=0), rules_of(game.get_parameters())
    raised = 0
    for seed in range(12):
        end = played(game, bot, seed)
        text = str(end).partition("STATE:")[2].split()[0]
        won = "|".join(f"{chips:.0f}" for chips in end.returns())
        shown = parse_record(rules, f"STATE:{text}:{won}:A|B").shown
        raised += shown.state.line.count("r")
        assert shown.state.payoffs(Deal(shown.holes, shown.board)) == tuple(end.returns())
    assert raised > 12


class ByCards:
    """A policy of OpenSpiel that depends on all that its player sees."""

    def action_probabilities(self, state: Any) -> dict[int, float]:
        text = state.information_state_string()
        weights = {
            number: 1 + zlib.crc32(f"{text}{number}".encode()) % 97
            for number in state.legal_actions()
        }
        total = sum(weights.values())
        return {number: weight / total for number, weight in weights.items()}


@pytest.mark.parametrize("text", [LIMIT, HOLDEM.format("fcpa")])
def test_a_policy_plays_every_hand_as_in_openspiel(text: str) -> None:
    """Along games played at random, with the cards that were dealt there."""
    game = pyspiel.load_game(text)
    agent = BotAgent(OpenSpielPolicy(game, ByCards()), rules_of(game.get_parameters()))
    rng, seen = np.random.default_rng(5), 0
    for _ in range(20):
        state = game.new_initial_state()
        while not state.is_terminal():
            if not state.is_chance_node():
                table, hole, board = seen_by(agent.game, state.information_state_string())
                ours = agent.policy(table, [hole], board)
                for number, chance in ByCards().action_probabilities(state).items():
                    action = {0: FOLD, 1: CALL}.get(number, raised_to(state, number))
                    assert ours.chances(action)[0] == pytest.approx(chance)
                    seen += 1
            state.apply_action(int(rng.choice(state.legal_actions())))
    assert seen > 100


def raised_to(state: Any, number: int) -> int:
    """The most that a player has put in after an action."""
    spent = str(state.child(number)).partition("Spent: [")[2].partition("]")[0]
    return max(
        int(part.split()[1]) for part in spent.replace("P", "\nP").split("\n") if part.strip()
    )


def test_short_decks_are_read_by_their_order() -> None:
    """OpenSpiel's deck of three ranks is twos to fours, ours queens to aces."""
    rules = rules_of(pyspiel.load_game(LIMIT).get_parameters())
    text = "[Private: {}][Public: {}][Sequences: cc|]"
    _, hole, board = seen_by(rules, text.format("2c", "4d"))
    assert hole == (min(rules.deck),)
    assert board == (max(rules.deck),)

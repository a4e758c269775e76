"""Agents inside OpenSpiel's universal_poker: its states read, its numbers played, its payoffs."""

from typing import Any

import numpy as np
import pytest

from endspiel.agent import register
from endspiel.agent.base import Agent
from endspiel.arena.protocol.openspiel_bot import make_bot, rules_of
from endspiel.errors import RulesError
from endspiel.rules.builtin import load_rules
from endspiel.rules.deal import Deal
from endspiel.rules.log import parse_record
from endspiel.rules.state import State
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

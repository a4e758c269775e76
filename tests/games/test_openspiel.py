"""OpenSpiel's games, imported: their sizes, their values, and the ones refused."""

import builtins
import math

import numpy as np
import pytest

from endspiel.engine.schemes import SCHEMES
from endspiel.errors import GameError
from endspiel.game import Profile, exploitability
from endspiel.games.export import to_tabular_policy
from endspiel.games.openspiel import PLAYS, _SizeTest, from_openspiel
from endspiel.games.registry import load_game
from endspiel.solvers.firstorder.cfr import CFR

pyspiel = pytest.importorskip("pyspiel")


def dice(sides):
    return f"liars_dice(numdice=1,dice_sides={sides})"


TURNS = "turn_based_simultaneous_game(game={})"

# name, infosets, terminals that different pairs of sequences reach, value of player 0
TRUTH = [
    ("kuhn_poker", 12, 30, -1 / 18),
    ("leduc_poker", 936, 5520, -0.0856064240780005),
    (dice(2), 32, 60, 1 / 2),
    (dice(3), 192, 567, 1 / 9),
    (dice(4), 1024, 4080, 1 / 16),
    (TURNS.format("matrix_rps()"), 2, 9, 0),
    (TURNS.format("matrix_mp()"), 2, 4, 0),
    (TURNS.format("goofspiel(num_cards=3,points_order=descending)"), None, None, 0),
]


@pytest.mark.parametrize(("name", "infosets", "terminals", "value"), TRUTH)
def test_sizes_and_values(name, infosets, terminals, value):
    game = from_openspiel(name)
    if infosets is not None:
        assert (game.num_infosets, game.matrix.nnz) == (infosets, terminals)
    solver = CFR(game, SCHEMES["cfr+"])
    for _ in range(1000):
        solver.step()
    found = exploitability(game, solver.average())
    assert -found.best[1] - 1e-9 <= value <= found.best[0] + 1e-9
    assert found.mean < 2e-3


@pytest.mark.parametrize(
    "name", ["kuhn_poker", "leduc_poker", dice(2), dice(3), TURNS.format("matrix_rps()")]
)
def test_uniform_play_is_as_exploitable_as_openspiel_says(name):
    from open_spiel.python.algorithms.exploitability import nash_conv
    from open_spiel.python.policy import UniformRandomPolicy

    spiel_game = pyspiel.load_game(name)
    game = from_openspiel(spiel_game)
    found = exploitability(game, Profile.uniform(game))
    theirs = nash_conv(spiel_game, UniformRandomPolicy(spiel_game))
    assert 2 * found.mean == pytest.approx(theirs, rel=1e-12)


@pytest.mark.parametrize(
    ("name", "histories"),
    [("kuhn_poker", 58), ("leduc_poker", 9457), (dice(3), 1147), ("tic_tac_toe", 549_946)],
)
def test_random_plays_refuse_a_game_beyond_the_limit_and_no_other(name, histories):
    spiel_game = pyspiel.load_game(name)
    _SizeTest(spiel_game, name, histories).play(PLAYS)
    with pytest.raises(GameError, match=rf"about 10\^{math.log10(histories):.0f} histories"):
        _SizeTest(spiel_game, name, histories // 2).play(PLAYS)


def test_one_huge_play_among_many_small_ones_proves_nothing():
    size = _SizeTest(pyspiel.load_game("kuhn_poker"), "some", 10**7)
    size._plays = iter([1.0] * 500 + [1e12] + [1.0] * 500 + 3 * [1e12])
    size.play(1001)
    with pytest.raises(GameError, match=r"some has about 10\^10 histories by random plays"):
        size.play(3)


def test_a_game_beyond_the_limit_is_refused_while_it_is_walked(monkeypatch):
    """A play of this one counts a few histories, but for rare ones that count billions."""
    monkeypatch.setattr("endspiel.games.tree.OBSERVED_EVERY", 100)
    walked = []
    with pytest.raises(GameError, match=r"can be walked unless --histories allows more"):
        from_openspiel("pig(winscore=3)", walked.append)
    assert 0 < len(walked) < 100


def test_the_limit_of_histories_is_an_option():
    assert from_openspiel("kuhn_poker", histories=58).num_infosets == 12
    with pytest.raises(GameError, match="more than 57 histories, how many is unknown, and at most"):
        from_openspiel("kuhn_poker", histories=57)
    with pytest.raises(GameError, match="is for games of OpenSpiel, not for 'kuhn'"):
        load_game("kuhn", histories=58)


def test_a_walk_is_observed(monkeypatch):
    monkeypatch.setattr("endspiel.games.tree.OBSERVED_EVERY", 20)
    seen = []
    from_openspiel("kuhn_poker", seen.append)
    assert [one.finished for one in seen] == [20, 40]  # of 58 histories with dealing
    assert " by random plays, " in seen[0].text


def test_names_are_openspiels():
    game = from_openspiel("kuhn_poker")
    assert game.labels is not None
    names = {name for block in game.labels[0].infosets for name in block}
    assert names == {"0", "1", "2", "0pb", "1pb", "2pb"}
    assert set(game.labels[1].actions[0]) == {("Pass", "Bet")}


def test_perfect_information_games_need_no_information_states():
    spiel_game = pyspiel.load_game("breakthrough(rows=4,columns=2)")
    assert not spiel_game.get_type().provides_information_state_string
    game = from_openspiel(spiel_game)
    solver = CFR(game, SCHEMES["cfr+"])
    for _ in range(200):
        solver.step()
    value = _minimax(spiel_game.new_initial_state())
    found = exploitability(game, solver.average())
    assert -found.best[1] - 1e-9 <= value <= found.best[0] + 1e-9
    assert found.mean < 1e-2
    with pytest.raises(GameError, match="no information states to keep a policy by"):
        to_tabular_policy(game, solver.average(), spiel_game)


def _minimax(state):
    if state.is_terminal():
        return state.returns()[0]
    values = [_minimax(state.child(action)) for action in state.legal_actions()]
    return max(values) if state.current_player() == 0 else min(values)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("matrix_rps", r"simultaneously: wrap it, turn_based_simultaneous_game\(game=matrix_rps"),
        (TURNS.format("matrix_pd()"), "not zero-sum"),
        ("bargaining", "not zero-sum"),
        ("zerosum(game=negotiation())", "only samples its chance moves"),
        ("dark_chess", "no information states"),
        ("leduc_poker(players=3)", "has 3 players: two must play"),
        ("mfg_crowd_modelling", "two must play|in turn"),
        ("no_such_game", "OpenSpiel has no game 'no_such_game'"),
        ("leduc_poker(cards=9)", "refuses the game.*cards"),
        ("leduc_poker(", "refuses the game"),
        (7, "neither the name of an OpenSpiel game"),
    ],
)
def test_refusals(name, message):
    with pytest.raises(GameError, match=message):
        from_openspiel(name)


def test_a_missing_package_is_named(monkeypatch):
    real = builtins.__import__

    def without(name, *rest, **more):
        if name == "pyspiel":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(GameError, match=r"pip install 'endspiel\[openspiel\]'"):
        from_openspiel("kuhn_poker")


def test_payoffs_equal_a_walk_through_openspiel():
    """The expected payoff of a random profile, by plain recursion over OpenSpiel's states."""
    spiel_game = pyspiel.load_game(dice(2))
    game = from_openspiel(spiel_game)
    random = np.random.default_rng(5)
    behavior = [plex.behavior(random.random(plex.num_sequences)) for plex in game.plexes]
    play = {}
    for player in (0, 1):
        for infoset, action, sequence in game.labels[player].walk(game.plexes[player]):
            play[player, infoset, action] = behavior[player][sequence]

    def value(state):
        if state.is_terminal():
            return state.returns()[0]
        if state.is_chance_node():
            return sum(p * value(state.child(a)) for a, p in state.chance_outcomes())
        player, infoset = state.current_player(), state.information_state_string()
        return sum(
            play[player, infoset, state.action_to_string(player, a)] * value(state.child(a))
            for a in state.legal_actions()
        )

    found = exploitability(game, Profile((behavior[0], behavior[1]))).value
    assert found == pytest.approx(value(spiel_game.new_initial_state()), abs=1e-13)

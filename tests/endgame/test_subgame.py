"""Endgames: both conditions of their definition, the head, reaches, values, and the way back."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endspiel.endgame.safe.problem import Problem
from endspiel.endgame.safe.subgame import Endgame, counterfactual_reach, move_names
from endspiel.errors import GameError
from endspiel.game import Profile, counterfactual_values, expected_value
from endspiel.games.leduc_holdem import leduc
from endspiel.games.toy import coin_toss, kuhn
from endspiel.games.tree import Chance, Decision, Leaf, Node, build
from tests.endgame.publicgames import endgame_at, lines_of, random_game, random_profile

SEEDS = st.integers(0, 10_000)
few = settings(max_examples=12, deadline=None)


def test_infosets_must_be_closed_under_successors() -> None:
    with pytest.raises(GameError, match=r"player 1's infoset 'Right' can follow .* successors"):
        Endgame.where(coin_toss(), lambda player, name: player == 0)
    with pytest.raises(GameError, match=r"player 0's infoset '0pb' can follow"):
        Endgame.where(kuhn(), lambda player, name: name.endswith("p") and player == 1)


def test_moves_must_be_closed_under_infosets() -> None:
    game = coin_toss()
    heads_right = next(
        s
        for infoset, a, s in game.labels[0].walk(game.plexes[0])
        if (infoset, a) == ("Heads", "Right")
    )
    with pytest.raises(GameError, match=r"player 1's infoset 'Right' has histories .* infosets"):
        Endgame.after(game, 0, [heads_right])


def test_an_endgame_needs_infosets_recall_names_and_histories() -> None:
    game = coin_toss()
    with pytest.raises(GameError, match="has no infosets"):
        Endgame.where(game, lambda player, name: False)
    with pytest.raises(GameError, match="does not remember its histories"):
        Endgame.where(replace(game, nodes=None), lambda player, name: player == 1)
    with pytest.raises(GameError, match="no names"):
        Endgame.where(replace(game, labels=None), lambda player, name: player == 1)

    def expand(state: str) -> Node:
        if not state:
            return Decision(0, "first", [("l", "l"), ("r", "r")])
        if len(state) == 1:
            return Decision(0, "forgets", [("l", state + "l"), ("r", state + "r")])
        return Leaf(1)

    with pytest.raises(GameError, match="perfect recall"):
        Endgame.where(build("", expand), lambda player, name: name == "forgets")


def test_the_same_endgame_by_infosets_by_moves_and_around() -> None:
    game = leduc()
    by_name = Endgame.where(game, lambda player, name: ":rc/" in name)
    calls = [
        s
        for infoset, action, s in game.labels[1].walk(game.plexes[1])
        if infoset.endswith(":r") and action == "c"
    ]
    by_moves = Endgame.after(game, 1, calls)
    first = [name for block in game.labels[0].infosets for name in block if name.endswith(":rc/")]
    around = Endgame.around(game, 0, first)
    for other in (by_moves, around):
        assert all((a == b).all() for a, b in zip(by_name.inside, other.inside, strict=True))
    assert set(by_name.head(1)) == {f"{r}{s}:r" for r in "012" for s in "ab"}
    assert set(by_name.head(0)) == {f"{r}{s}:" for r in "012" for s in "ab"}


def test_endgames_that_overlap_are_refused_by_infoset() -> None:
    game = leduc()
    one = Endgame.where(game, lambda player, name: ":rc/" in name)
    two = Endgame.where(game, lambda player, name: "/" in name)
    with pytest.raises(GameError, match=r"two endgames share player 0's infoset '.*:rc/"):
        Problem(one, 0, Profile.uniform(game), (two,))


@few
@given(SEEDS)
def test_reach_is_what_a_game_pays_that_always_pays_one(seed: int) -> None:
    game, _ = random_game(seed, pay=lambda line: 1.0)
    profile = random_profile(game, seed)
    for player, sign in ((0, 1), (1, -1)):
        reach = counterfactual_reach(game, player, profile)
        paid = sign * counterfactual_values(game, player, profile)
        assert reach == pytest.approx(paid, abs=1e-12)


@few
@given(SEEDS)
def test_probability_is_what_a_game_pays_that_pays_inside(seed: int) -> None:
    _, tree = random_game(seed)
    for line in lines_of(tree):
        if tree[line][0] == 2:  # nature may end the endgame before anybody decides
            continue
        game, _ = random_game(seed, pay=lambda end, start=line: float(end.startswith(start)))
        profile = random_profile(game, seed)
        paid = expected_value(game, profile)
        assert endgame_at(game, line).probability(profile) == pytest.approx(paid, abs=1e-12)


@few
@given(SEEDS)
def test_entries_are_worth_what_best_responses_say(seed: int) -> None:
    """CBV of an entry is its value in the cut and what else follows it."""
    game, tree = random_game(seed)
    profile = random_profile(game, seed)
    for line in lines_of(tree):
        for player in (0, 1):
            problem = Problem(endgame_at(game, line), player, profile)
            values = counterfactual_values(game, 1 - player, profile)[problem.entries]
            assert problem.entry_values + problem.beside == pytest.approx(values, abs=1e-12)
            assert (problem.floors(problem.entered) <= problem.entry_values + 1e-12).all()


@few
@given(SEEDS)
def test_a_cut_put_back_is_the_strategy_it_was_cut_from(seed: int) -> None:
    game, tree = random_game(seed)
    base, other = random_profile(game, seed), random_profile(game, seed + 1)
    for line in lines_of(tree):
        endgame = endgame_at(game, line)
        part = endgame.cut()
        here = Profile((part.behavior(0, other.behavior[0]), part.behavior(1, other.behavior[1])))
        mixed = part.embed(here, base)
        for player in (0, 1):
            inside = endgame.inside[player]
            wanted = np.where(inside, other.behavior[player], base.behavior[player])
            assert mixed.behavior[player] == pytest.approx(wanted, abs=1e-12)


def test_a_player_who_has_not_moved_enters_at_the_start() -> None:
    """An endgame after nature alone has no head infoset, and one entry."""

    def expand(state: str) -> Node:
        if not state:
            return Chance([(0.5, "a"), (0.5, "b")])
        if len(state) == 1:
            return Decision(0, state, [("l", state + "l"), ("r", state + "r")])
        if len(state) == 2:
            return Decision(1, state[0], [("l", state + "l"), ("r", state + "r")])
        return Leaf(1.0 if state[1] == state[2] else -1.0)

    game = build("", expand)
    endgame = Endgame.where(game, lambda player, name: name == "a")
    assert endgame.head(0) == ()
    problem = Problem(endgame, 1, Profile.uniform(game))
    assert move_names(game, 0, problem.entries) == ("start",)
    assert endgame.probability(Profile.uniform(game)) == pytest.approx(0.5)

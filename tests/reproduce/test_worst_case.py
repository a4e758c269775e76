"""The (epsilon, delta)-endgame property: the paper's two values, and all answers tried in turn."""

import numpy as np
import pytest

from endspiel.endgame.safe.nested import moves
from endspiel.endgame.safe.problem import Problem
from endspiel.endgame.safe.refine import refine
from endspiel.endgame.safe.subgame import Endgame
from endspiel.errors import GameError
from endspiel.game import Game, Profile, best_response
from endspiel.games.toy import choose_endgame, coin_toss, kuhn, rock_paper_scissors
from endspiel.reproduce.coin_toss import ENDGAMES, base_strategy
from endspiel.reproduce.worst_case import WorstCase, epsilon_star, worst_case
from endspiel.solvers.lp import solve
from tests.endgame.all_answers import by_trying
from tests.endgame.publicgames import endgame_at, lines_of, random_game

EXACT = 1e-8


def test_rock_paper_scissors_is_lost_whatever_the_endgame_solver_does() -> None:
    """2015 paper, section 2: epsilon*(delta) = 1 for every delta."""
    game = rock_paper_scissors()
    endgame = Endgame.where(game, lambda player, name: player == 1)
    for delta in (0.0, 0.3, 1.0, 5.0):
        assert epsilon_star([endgame], Profile.uniform(game), delta) == pytest.approx(1)


@pytest.fixture(scope="module")
def figure_2() -> tuple[list[Endgame], Profile]:
    """A public choice of endgames worth 0, 1/5 and -1, which player 0 makes for the second."""
    game = choose_endgame(ENDGAMES)
    endgames = [Endgame.after(game, 0, moves(game, 0, f"G{i}", [""]).tolist()) for i in (1, 2, 3)]
    return endgames, solve(game).profile


@pytest.mark.parametrize("delta", [0.0, 0.01, 0.25, 1.2, 1.8])
def test_a_public_choice_of_endgames_loses_as_much_as_they_do(
    figure_2: tuple[list[Endgame], Profile], delta: float
) -> None:
    """2015 paper, section 2: epsilon*(delta) = delta, as long as so much can be lost at all.

    In the second endgame player 1 may lose 2 instead of 1/5, player 0 may get -1 instead.
    """
    endgames, base = figure_2
    assert epsilon_star(endgames, base, delta) == pytest.approx(delta, abs=EXACT)
    assert worst_case(endgames, 0, base, delta).epsilon == pytest.approx(min(delta, 1.2), abs=EXACT)


def test_no_more_is_lost_than_there_is(figure_2: tuple[list[Endgame], Profile]) -> None:
    assert epsilon_star(*figure_2, 100.0) == pytest.approx(1.8)


def test_unsafe_solving_of_coin_toss_does_the_worst_it_may() -> None:
    """It gets exploited for 0.75 (2017 paper); all that its endgame allows."""
    game = coin_toss()
    endgame = Endgame.where(game, lambda player, name: player == 1)
    base = base_strategy(game)
    found = worst_case([endgame], 1, base, 0.0)
    unsafe = refine(Problem(endgame, 1, base), "unsafe").profile
    assert found.epsilon == pytest.approx(best_response(game, 0, unsafe)[0])
    assert found.epsilon == pytest.approx(0.75)


def test_a_player_without_moves_inside_keeps_its_trunk() -> None:
    game = coin_toss()
    endgame = Endgame.where(game, lambda player, name: player == 1)
    found = worst_case([endgame], 0, base_strategy(game), 3.0)
    lost, _ = best_response(game, 1, base_strategy(game))
    assert found.epsilon == pytest.approx(lost)  # the game is worth nothing


def mixed(game: Game, seed: int) -> Profile:
    """Random behavior that plays everything."""
    rng = np.random.default_rng(seed)
    one, two = (plex.behavior(rng.exponential(size=plex.num_sequences)) for plex in game.plexes)
    return Profile((one, two))


def some(seed: int) -> tuple[list[Endgame], Profile]:
    """All endgames after the first move of a random game, and a trunk."""
    game, tree = random_game(seed, depth=3)
    lines = [line for line in lines_of(tree) if len(line) == 1]
    return [endgame_at(game, line) for line in lines], mixed(game, seed)


def lost_inside(endgame: Endgame, found: WorstCase, base: Profile) -> float:
    """What a strategy loses within an endgame, per time that it is reached."""
    part, other = endgame.cut(), 1 - found.player
    one, two = (base.plan(endgame.game, i)[part.entries(i)] for i in (0, 1))
    game = part.ranged((one, two))
    behavior = part.behavior(found.player, found.profile.behavior[found.player])
    pair = (behavior, game.plexes[1].uniform()), (game.plexes[0].uniform(), behavior)
    gets, _ = best_response(game, other, Profile(pair[found.player]))
    value = solve(game).value * (1 if other == 0 else -1)
    return (gets - value) / endgame.probability(base)


SEEDS = [2, 3, 8]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("player", [0, 1])
def test_random_games_by_trying_every_answer(seed: int, player: int) -> None:
    endgames, base = some(seed)
    for delta in (0.0, 0.4):
        found = worst_case(endgames, player, base, delta)
        assert found.epsilon == pytest.approx(by_trying(endgames, player, base, delta), abs=1e-6)
        assert found.epsilon <= found.bound <= found.epsilon + 1e-6
        for endgame in endgames:
            assert lost_inside(endgame, found, base) <= delta + EXACT


@pytest.mark.parametrize("seed", SEEDS)
def test_proposition_2(seed: int) -> None:
    """What loses more than epsilon* loses more than delta inside; what loses less is harmless."""
    endgames, base = some(seed)
    game, rng = endgames[0].game, np.random.default_rng(seed)
    value = solve(game).value
    before = -np.inf
    for delta in (0.0, 0.2, 1.0):
        star = epsilon_star(endgames, base, delta)
        assert star >= before - EXACT  # more may be lost where more is allowed
        before = star
        for _ in range(8):
            player = int(rng.integers(2))
            tried = list(base.behavior)
            plan = game.plexes[player].random_plan(rng)
            drawn = game.plexes[player].behavior(plan)
            for endgame in endgames:
                inside = endgame.inside[player]
                tried[player] = np.where(inside, drawn, tried[player])
            profile = Profile((tried[0], tried[1]))
            lost = best_response(game, 1 - player, profile)[0] + value * (1, -1)[player]
            case = WorstCase(player, delta, lost, lost, profile)
            inside_losses = [lost_inside(endgame, case, base) for endgame in endgames]
            assert lost <= star + EXACT or max(inside_losses) > delta - EXACT


def test_kuhn_poker_lies_between_the_papers_extremes() -> None:
    """After player 0's first action: trunk and endgame both matter."""
    game = kuhn()
    endgames = [Endgame.where(game, lambda _, name, a=a: name[1:].startswith(a)) for a in "pb"]
    base = solve(game).profile
    exact = epsilon_star(endgames, base, 0.0)
    assert 0.01 < exact < 2
    for delta in (0.05, 0.5):
        assert epsilon_star(endgames, base, delta) > exact + EXACT


def test_what_cannot_be_asked(figure_2: tuple[list[Endgame], Profile]) -> None:
    endgames, base = figure_2
    for delta in (-0.1, float("nan")):
        with pytest.raises(GameError, match="0 or more"):
            epsilon_star(endgames, base, delta)
    with pytest.raises(GameError, match="no endgame"):
        epsilon_star([], base, 0.0)
    with pytest.raises(GameError, match="two endgames share"):
        epsilon_star([endgames[0], endgames[0]], base, 0.0)

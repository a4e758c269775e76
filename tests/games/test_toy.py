"""Small games have the values the papers give them."""

import numpy as np
import pytest

from endspiel.engine.schemes import SCHEMES
from endspiel.errors import GameError
from endspiel.game import Profile, exploitability
from endspiel.games import toy
from endspiel.games.openspiel import from_openspiel
from endspiel.solvers.firstorder.cfr import CFR


def solve(game, iterations=3000):
    solver = CFR(game, SCHEMES["cfr+"])
    for _ in range(iterations):
        solver.step()
    profile = solver.average()
    return exploitability(game, profile), profile


@pytest.mark.parametrize(
    ("game", "value", "infosets"),
    [
        (toy.kuhn(), -1 / 18, 12),
        (toy.kuhn(4), -1 / 24, 16),
        (toy.kuhn(5), -1 / 15, 20),
        (toy.kuhn(13), -5 / 78, 52),
        (toy.coin_toss(), 0, 3),
        (toy.rock_paper_scissors(), 0, 2),
        (toy.guess_the_ace(), 0, 2),
        (toy.choose_endgame([[[1, -1], [-1, 1]], [[1, -1], [-1, 2]]]), 1 / 5, 5),
    ],
    ids=lambda x: x.name if hasattr(x, "name") else None,
)
def test_values(game, value, infosets):
    assert game.num_infosets == infosets
    found, _ = solve(game)
    # The game's value lies between what the two best responses concede.
    assert -found.best[1] - 1e-12 <= value <= found.best[0] + 1e-12
    assert found.mean < 2e-3 * game.payoff_range


def test_kuhn_is_openspiels():
    ours, theirs = toy.kuhn(), from_openspiel("kuhn_poker")
    a, b = (exploitability(game, Profile.uniform(game)) for game in (ours, theirs))
    np.testing.assert_allclose((a.value, *a.best), (b.value, *b.best), rtol=1e-14)
    assert ours.matrix.nnz == theirs.matrix.nnz == 30


@pytest.mark.parametrize("bet", [0.5, 1.0, 2.0])
def test_clairvoyance_bets_and_calls_as_the_half_street_theory_says(bet):
    game = toy.clairvoyance(bet)
    _, profile = solve(game)
    play = {}
    for player in (0, 1):
        for infoset, action, s in game.labels[player].walk(game.plexes[player]):
            play[infoset, action] = profile.behavior[player][s]
    assert play["win", "bet"] == pytest.approx(1, abs=1e-3)
    assert play["lose", "bet"] == pytest.approx(bet / (1 + bet), abs=0.02)
    assert play["b", "call"] == pytest.approx(1 / (1 + bet), abs=0.02)


def test_coin_toss_without_forfeit_keeps_its_value_and_loses_an_action():
    full, short = toy.coin_toss(), toy.coin_toss(forfeit=False)
    assert full.plexes[1].num_sequences == short.plexes[1].num_sequences + 1
    assert solve(short)[0].value == pytest.approx(0, abs=1e-2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: toy.kuhn(1), "two cards"),
        (lambda: toy.guess_the_ace(1), "two cards"),
        (lambda: toy.clairvoyance(bet=0), "positive"),
        (lambda: toy.clairvoyance(bet=float("nan")), "positive"),
        (lambda: toy.clairvoyance(bet=float("inf")), "finite"),
        (lambda: toy.choose_endgame([]), "an endgame"),
        (lambda: toy.choose_endgame([[[1, 2], [3]]]), "endgame 1"),
        (lambda: toy.choose_endgame([[[1]], []]), "endgame 2"),
        (lambda: toy.choose_endgame([[[]]]), "endgame 1"),
    ],
)
def test_refusals(make, message):
    with pytest.raises(GameError, match=message):
        make()

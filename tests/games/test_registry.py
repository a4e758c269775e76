"""Games by name, as a user writes them."""

import pytest

from endspiel.errors import EndspielError, FileError, GameError
from endspiel.games.registry import GAMES, load_game
from tests.games.test_efg import DATA


@pytest.mark.parametrize("name", GAMES)
def test_every_name_makes_a_game(name):
    assert load_game(name).num_infosets > 0


@pytest.mark.parametrize(
    ("spec", "infosets"),
    [
        ("kuhn:cards=4", 16),
        ("kuhn(cards=4)", 16),
        (" kuhn ( cards = 4 ) ", 16),
        ("leduc:ranks=2,suits=3", load_game("leduc(ranks=2, suits=3)").num_infosets),
        ("clairvoyance:bet=2", 3),
        ("coin-toss:left=0.25,forfeit=no", 3),
        (str(DATA / "kuhn-rational.efg"), 12),
        ("openspiel:kuhn_poker", 12),
        ("openspiel:leduc_poker(players=2)", 936),
    ],
)
def test_specs(spec, infosets):
    assert load_game(spec).num_infosets == infosets


def test_parameters_reach_the_game():
    assert load_game("clairvoyance:bet=2").span == 5
    assert load_game("coin-toss:forfeit=no").plexes[1].num_sequences == 3


def test_any_file_is_read_as_gambits(tmp_path):
    (tmp_path / "game.txt").write_text((DATA / "antes.efg").read_text())
    assert load_game(str(tmp_path / "game.txt")).num_infosets == 2


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("poker", "there is no game 'poker': games are kuhn, leduc, coin-toss"),
        ("", "there is no game ''"),
        ("a\0b", "there is no game"),
        ("kuhn:cards=x", "cards must be a whole number, not 'x'"),
        ("kuhn:cards=3.5", "cards must be a whole number"),
        ("kuhn:cards", "needs one value"),
        ("kuhn:cards=3,cards=4", "needs one value"),
        ("kuhn:decks=2", "no parameter 'decks'; it has cards"),
        ("rps:x=2", "it has none"),
        ("clairvoyance:bet=big", "bet must be a number"),
        ("coin-toss:forfeit=maybe", "forfeit must be yes or no"),
        ("kuhn:cards=1", "at least two cards"),
        ("openspiel:nothing", "OpenSpiel has no game 'nothing'"),
        ("openspiel:", "OpenSpiel has no game ''"),
    ],
)
def test_refusals(spec, message):
    with pytest.raises(GameError, match=message):
        load_game(spec)


def test_missing_file(tmp_path):
    with pytest.raises(FileError, match="there is no file"):
        load_game(str(tmp_path / "none.efg"))
    with pytest.raises(EndspielError):
        load_game(str(tmp_path))

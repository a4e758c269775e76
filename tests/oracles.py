"""Games whose value is known exactly, for one suite that runs over every solver."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import pytest

from endspiel.game import Game
from endspiel.games.leduc_holdem import leduc
from endspiel.games.openspiel import from_openspiel
from endspiel.games.registry import choose_endgame_example
from endspiel.games.toy import clairvoyance, coin_toss, guess_the_ace, kuhn, rock_paper_scissors


@dataclass(frozen=True)
class Oracle:
    """A game, player 0's value in it, and who says so."""

    name: str
    build: Callable[[], Game]
    value: float
    infosets: int
    source: str
    digits: float = 1e-15  # how far the value's own figures reach


def liars_dice(sides: int) -> Game:
    """OpenSpiel's Liar's Dice with one die each, where OpenSpiel is installed."""
    pytest.importorskip("pyspiel")
    return from_openspiel(f"liars_dice(dice_sides={sides})")


RATIONAL = "optimal LP basis re-solved in rationals, OpenSpiel's rules"
RESPONSES = "certified by best responses, OpenSpiel's rules"
LONE_GUESS = "by hand: the game is not worth playing"


def _half_street(bet: float) -> Oracle:
    """Player 1 calls 1/(1+s); a winner is then worth 1/2 + s/(1+s), a loser -1/2."""
    value = 0.5 * (0.5 + bet / (1 + bet)) - 0.25
    source = "half-street clairvoyance, closed form"
    return Oracle(f"clairvoyance-{bet:g}", partial(clairvoyance, bet), value, 3, source)


ORACLES = (
    Oracle("kuhn", kuhn, -1 / 18, 12, RATIONAL),
    Oracle("kuhn-4", partial(kuhn, 4), -1 / 24, 16, RATIONAL),
    Oracle("kuhn-5", partial(kuhn, 5), -1 / 15, 20, RATIONAL),
    Oracle("kuhn-13", partial(kuhn, 13), -5 / 78, 52, RATIONAL),
    Oracle("leduc", leduc, -0.0856064240780005, 936, RATIONAL),
    Oracle("liars-dice-2", partial(liars_dice, 2), 1 / 2, 32, RATIONAL),
    Oracle("liars-dice-3", partial(liars_dice, 3), 1 / 9, 192, RATIONAL),
    Oracle("liars-dice-4", partial(liars_dice, 4), 1 / 16, 1024, RATIONAL),
    Oracle("coin-toss", coin_toss, 0.0, 3, "Brown and Sandholm 2017, Figure 1"),
    Oracle("rps", rock_paper_scissors, 0.0, 2, "by symmetry"),
    Oracle("choose-endgame", choose_endgame_example, 1 / 5, 5, "by hand: the better of both"),
    Oracle("guess-the-ace", guess_the_ace, 0.0, 2, LONE_GUESS),
    _half_street(0.5),
    _half_street(1.0),
    _half_street(2.0),
    _half_street(10.0),
)

LARGE_ORACLES = (
    Oracle("leduc-5", partial(leduc, 5), -0.112768934481, 2760, RESPONSES, digits=5e-13),
    Oracle(
        "liars-dice-6", partial(liars_dice, 6), -0.027131782945736, 24576, RESPONSES, digits=5e-16
    ),
)


def each(oracles: tuple[Oracle, ...] = ORACLES) -> pytest.MarkDecorator:
    """Run a test once for every oracle, as its argument `oracle`."""
    return pytest.mark.parametrize("oracle", oracles, ids=lambda oracle: oracle.name)

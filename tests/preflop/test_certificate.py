"""Certificates of charts with solved flops: laws of the response, and flops that are solved."""

import numpy as np
import pytest

from endspiel.batch.boards import WeightedBoard
from endspiel.batch.preflop_solve import Preflop
from endspiel.batch.running import BatchSetting
from endspiel.batch.together import SpotsTogether
from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.cards.class_equity import class_matchups
from endspiel.cards.classes import NUM_CLASSES
from endspiel.cards.text import parse_cards
from endspiel.engine.driver import Driver
from endspiel.engine.schemes import SCHEMES
from endspiel.games.preflop_tree import PreflopSetting
from endspiel.gpu.backend import numpy_machine
from endspiel.preflop import certificate as certificates
from endspiel.preflop import solved_flops
from endspiel.preflop.certificate import certificate, certify
from endspiel.preflop.flop_lines import FlopSet, LineShares
from endspiel.preflop.solved_flops import SolvedFlops, SolvedPot
from endspiel.preflop.solving import PlayLimits, solve_by_charts
from endspiel.preflop.street import PreflopStreet

TREE = Preflop(PreflopSetting(2000, opens="2x", reraises="", max_raises=1))
BOARDS = [WeightedBoard(tuple(parse_cards(text)), 1.0) for text in ("9s 8s 6s", "7s 7h 7d")]
TWO = FlopSet(BOARDS, 1)


@pytest.fixture(scope="module")
def street() -> PreflopStreet:
    return solve_by_charts(TREE, PlayLimits(1e-2)).street


def as_charted(street: PreflopStreet, node: int) -> LineShares:
    """What the charts say that classes win at a line."""
    first, second = street.coming(node)
    share, chance = street.preflop.share(node), class_matchups().chance
    against = chance * second, chance * first[:, None]
    mine = (against[0] * share).sum(axis=1) / against[0].sum(axis=1)
    theirs = (against[1] * (1 - share)).sum(axis=0) / against[1].sum(axis=0)
    return LineShares(np.stack([mine, theirs]), 0.0)


def lines(street: PreflopStreet, more: float = 0.0, line: str = "") -> dict[int, SolvedPot]:
    """Flops worth what the charts say, and to best responses more on one line."""
    found = {}
    for node in street.preflop.flop_nodes:
        charted = as_charted(street, node)
        extra = more if street.preflop.tree.line(node) == line else 0.0
        best = LineShares(charted.shares + extra, 0.0)
        found[node] = SolvedPot(charted, best, *np.zeros((2, 2, 2, NUM_CLASSES)), extra)
    return found


def certified(street: PreflopStreet, solved: dict[int, SolvedPot]) -> certificates.Certificate:
    return certificate(street, {node: street.coming(node) for node in solved}, solved, TWO)


def test_flops_as_the_charts_have_them_give_their_own_exploitability(street: PreflopStreet) -> None:
    found = certified(street, lines(street))
    driver = Driver(street, SCHEMES["dcfr"])
    assert found.mbb_per_hand == pytest.approx(10 * driver.exploitability(), rel=1e-6)
    assert sum(found.by_player) / 2 == pytest.approx(found.mbb_per_hand, rel=1e-6)
    assert not found.exact
    assert min(found.by_player) > -1e-6


def test_what_a_response_wins_on_flops_is_lost_as_often_as_they_come(street: PreflopStreet) -> None:
    least = certified(street, lines(street))
    rare = min(least.lines, key=lambda one: one.frequency)
    for more in (0.01, 0.5):
        found = certified(street, lines(street, more, rare.line))
        (loss,) = (one for one in found.lines if one.line == rare.line)
        assert loss.mbb == pytest.approx(1000 * loss.frequency * loss.pot * more)
        gained = found.mbb_per_hand - least.mbb_per_hand
        assert gained >= loss.mbb - 1e-6  # a response goes there as often at least
    assert gained > 1.5 * loss.mbb  # and more often where much is won there


def test_flops_of_no_betting_are_worth_equity(
    street: PreflopStreet, monkeypatch: pytest.MonkeyPatch
) -> None:
    none = StreetMenu.parse("", "")
    monkeypatch.setattr(
        solved_flops, "solved_menus", lambda game, node: Sizing((None, none, none, none))
    )
    solver = SolvedFlops(street.preflop, TWO, BatchSetting(1))
    node = street.preflop.tree.find("c c")
    ranges = street.coming(node)
    found = solver.solve(node, ranges)
    assert found.gap == pytest.approx(0, abs=1e-6)
    np.testing.assert_allclose(found.best.shares, found.shares.shares, atol=1e-5)
    # By class, what it wins of all pairs that meet there, from hands' own equities.
    assert abs(found.shares.shares[0] - found.shares.shares[1]).max() > 0.01
    total = certify(street, solver)
    assert total.flops == 2
    assert total.interval[0] < total.mbb_per_hand < total.interval[1]


def test_a_gpu_solves_the_same_flops(
    street: PreflopStreet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the twin of its kernels: what classes win, by what was solved and by best responses."""
    push, none = StreetMenu.parse("a", ""), StreetMenu.parse("", "")
    monkeypatch.setattr(
        solved_flops, "solved_menus", lambda game, node: Sizing((None, push, none, none))
    )
    monkeypatch.setattr(solved_flops, "MOST_ITERATIONS", 10)
    one = FlopSet(BOARDS[1:], 1)
    node = street.preflop.tree.find("c r200 c")
    ranges = street.coming(node)
    solver = SolvedFlops(street.preflop, one, BatchSetting(1))
    here = solver.solve(node, ranges, 1e-6)
    monkeypatch.setattr(
        "endspiel.batch.running.backend",
        lambda device, executor, largest: SpotsTogether(numpy_machine, lambda: 10**10, 1),
    )
    there = solver.solve(node, ranges, 1e-6)
    assert 0 < max(here.gap, there.gap) < 1e-1
    met = np.stack([ranges[0] > 0.01, ranges[1] > 0.01])  # those that are dealt learn most
    for ours, theirs in ((here.shares, there.shares), (here.best, there.best)):
        np.testing.assert_allclose(theirs.shares[met], ours.shares[met], atol=0.02)
    assert (here.best_won.sum(axis=2) > here.won.sum(axis=2)).all()

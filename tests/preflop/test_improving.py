"""Flop values corrected by solved flops: what is added, in which order, and when it ends."""

from time import perf_counter

import numpy as np
import pytest

from endspiel.batch.boards import flop_subset
from endspiel.batch.preflop_solve import Preflop
from endspiel.cards.classes import NUM_CLASSES
from endspiel.games.preflop_tree import PreflopSetting
from endspiel.preflop import improving
from endspiel.preflop.flop_lines import FlopLines, FlopSet, LineShares, Ranges
from endspiel.preflop.improving import Improving, LineChoice, drawn_flops
from endspiel.preflop.playing import Playing
from endspiel.preflop.pooling import NET_ERROR
from endspiel.preflop.shipped import SMALL_SET, LineStart
from endspiel.preflop.solved_flops import SolvedPot
from endspiel.preflop.solving import new_playing

DEPTH = 30.0  # big blinds
TREE = Preflop(PreflopSetting(3000, opens="2.5x", reraises="", max_raises=1))
POTS = {"c c": 2.0, "r250 c": 5.0, "c r250 c": 5.0}
MORE, GAP = 0.06, 0.01  # share of the pot that the big blind wins more; flops' exploitability


class MoreThanTheNet:
    """Flops on which every class of the big blind wins more than the net says."""

    def __init__(self, playing: Playing) -> None:
        self.playing, self.boards = playing, FlopSet([], 1)
        self.solved, self.flops = list[int](), list[list[str]]()

    def __call__(self, boards: FlopSet) -> "MoreThanTheNet":
        self.boards = boards
        self.flops.append([flop.name for flop in boards.flops])
        return self

    def solve(self, node: int, ranges: Ranges, target: float) -> SolvedPot:
        self.solved.append(node)
        met = self.boards._met(ranges).weights
        more = np.stack([MORE * met[0], -MORE * met[1]])
        net = FlopLines(self.playing.preflop, self.boards, self.playing.flops.net)
        by_net = net.won({node: ranges}, improving.NET_ITERATIONS)[node]
        shares = LineShares(np.zeros((2, NUM_CLASSES)), 0.0)
        return SolvedPot(shares, shares, by_net + more, by_net, GAP)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> tuple[Improving, MoreThanTheNet]:
    monkeypatch.setattr("endspiel.preflop.solving.report_flops", lambda *given: flop_subset(25)[:2])
    monkeypatch.setattr(improving, "WARMING", 3)
    monkeypatch.setattr(improving, "SETTLING", 3)
    monkeypatch.setattr(improving, "NET_ITERATIONS", 5)
    none = np.zeros((2, NUM_CLASSES))
    starts = {
        line: LineStart(none, none, 0.1, 0.0, 0.0, NET_ERROR * pot) for line, pot in POTS.items()
    }
    playing = new_playing(TREE, SMALL_SET, lambda game: starts)
    found = Improving(playing, DEPTH, starts, (), LineChoice(flops=2))
    found.warm_up()
    return found, MoreThanTheNet(playing)


def test_what_solved_flops_give_beyond_the_net_is_added(
    made: tuple[Improving, MoreThanTheNet],
) -> None:
    improver, solver = made
    before = {line: one.share().mean() for line, one in improver.found().items()}
    kept = list[int]()
    improver.keep = lambda solved: kept.append(len(solved))
    improver.solve(solver)  # type: ignore[arg-type]
    assert kept == [1, 2, 3]  # in the file after each line
    assert {one.line for one in improver.solved} == set(POTS)
    for one in improver.solved:
        np.testing.assert_allclose(
            one.added, [[MORE] * NUM_CLASSES, [-MORE] * NUM_CLASSES], atol=1e-9
        )
        assert (one.depth, one.flops) == (DEPTH, 2)
        assert one.error == pytest.approx(GAP / 2)  # no flop differs from another
    improver.transfer()
    shrunk = NET_ERROR**2 / (NET_ERROR**2 + (GAP / 2) ** 2)
    for line, start in improver.found().items():
        assert start.added is not None
        np.testing.assert_allclose(start.added[0], shrunk * MORE, rtol=1e-6)
        node = improver.playing.preflop.tree.find(line)
        np.testing.assert_allclose(improver.playing.flops.kinder(node), -start.added)
        assert start.net == pytest.approx(POTS[line] * shrunk**0.5 * GAP / 2)
        assert start.share().mean() - before[line] > MORE / 3
    assert improver.due() == []  # nothing is solved twice, unless it is asked for
    improver.choice = LineChoice(flops=2, more=True)
    assert len(improver.due()) == len(POTS)
    first = solver.flops[0]
    improver.solve(solver)  # type: ignore[arg-type]
    assert first not in solver.flops[len(POTS) :]  # on other flops then


def test_lines_that_count_most_are_solved_first_until_time_is_over(
    made: tuple[Improving, MoreThanTheNet],
) -> None:
    improver, solver = made
    least = NET_ERROR * 4  # big blinds: the limped pot stays as it is
    improver.choice = LineChoice(least, often=1.0, flops=2)
    assert improver.due() == []  # no line is taken in all hands
    improver.choice = LineChoice(least, often=0.0, flops=2, until=perf_counter() + 1000)
    improver.longest = 2000.0
    said = list[str]()
    improver.say = said.append
    improver.solve(solver)  # type: ignore[arg-type]
    assert (solver.solved, improver.solved) == ([], ())
    assert "time is over" in said[0]
    improver.longest = 0.0
    due = improver.due()
    improver.solve(solver)  # type: ignore[arg-type]
    assert solver.solved == due
    names = [improver.playing.preflop.tree.line(node) for node in due]
    assert sorted(names) == ["c r250 c", "r250 c"]
    often = [improver.playing.gaps[node].frequency >= improving.OFTEN for node in due]
    assert often == sorted(often, reverse=True)


def test_lines_taken_often_are_played_on_more_flops(
    made: tuple[Improving, MoreThanTheNet],
) -> None:
    improver, _ = made
    before = dict(improver.starts)
    improver.widen(FlopSet(flop_subset(25)[:3], 1))
    for node, start in improver._nodes():
        line = improver.playing.preflop.tree.line(node)
        wider = start.uncertain > 0
        assert wider == (improver.playing.gaps[node].frequency >= improving.OFTEN)
        assert wider != np.array_equal(start.kinder, before[line].kinder)
        assert improver.playing.flops.known[node].uncertain == pytest.approx(
            start.uncertain / POTS[line]
        )


def test_flops_are_drawn_as_often_as_they_are_dealt() -> None:
    every = [drawn_flops(12, (at + 0.5) / 500) for at in range(500)]
    assert {len({flop.name for flop in drawn}) for drawn in every} == {12}
    paired = np.mean([len({card // 4 for card in flop.cards}) < 3 for d in every for flop in d])
    assert paired == pytest.approx(1 - 48 * 44 / (51 * 50), abs=0.003)

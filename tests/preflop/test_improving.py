"""Flop values corrected by solved flops: what is added, in which order, and when it ends."""

from time import perf_counter
from typing import Any

import numpy as np
import pytest

from endspiel.batch.boards import flop_subset
from endspiel.batch.preflop_solve import Preflop
from endspiel.cards.classes import NUM_CLASSES
from endspiel.games.preflop_tree import PreflopSetting
from endspiel.preflop import improving
from endspiel.preflop.flop_lines import LineShares, Ranges
from endspiel.preflop.improving import Improving
from endspiel.preflop.playing import Playing
from endspiel.preflop.shipped import SMALL_SET, LineStart
from endspiel.preflop.solved_flops import SolvedPot
from endspiel.preflop.solving import NET_ERROR, new_playing

TREE = Preflop(PreflopSetting(3000, opens="2.5x", reraises="", max_raises=1))
POTS = {"c c": 2.0, "r250 c": 5.0, "c r250 c": 5.0}
MORE, GAP = 0.06, 0.01  # share of the pot that the big blind wins more; flops' exploitability


class MoreThanTheNet:
    """Flops on which every class of the big blind wins more than the net says."""

    def __init__(self, playing: Playing) -> None:
        self.playing, self.solved = playing, list[str]()
        self.by_net, played = np.zeros(0), playing.flops.won

        def won(ranges: dict[int, Ranges], iterations: int) -> Any:
            found = played(ranges, iterations)
            self.by_net = next(iter(found.values()))
            return found

        playing.flops.won = won  # type: ignore[method-assign]

    def solve(self, node: int, ranges: Ranges, target: float) -> SolvedPot:
        self.solved.append(self.playing.preflop.tree.line(node))
        met = self.playing.flops.boards._met(ranges).weights
        more = np.stack([MORE * met[0], -MORE * met[1]])
        shares = LineShares(np.zeros((2, NUM_CLASSES)), 0.0)
        return SolvedPot(shares, shares, self.by_net + more, self.by_net, GAP)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> tuple[Improving, MoreThanTheNet]:
    monkeypatch.setattr("endspiel.preflop.solving.report_flops", lambda *given: flop_subset(25)[:2])
    monkeypatch.setattr(improving, "WARMING", 3)
    monkeypatch.setattr(improving, "SETTLING", 3)
    none = np.zeros((2, NUM_CLASSES))
    starts = {
        line: LineStart(none, none, 0.1, 0.0, 0.0, NET_ERROR * pot) for line, pot in POTS.items()
    }
    playing = new_playing(TREE, SMALL_SET, lambda game: starts)
    solver = MoreThanTheNet(playing)
    found = Improving(playing, starts, solver)  # type: ignore[arg-type]
    found.warm_up()
    return found, solver


def test_what_solved_flops_give_beyond_the_net_is_added(
    made: tuple[Improving, MoreThanTheNet],
) -> None:
    improver, solver = made
    before = {line: one.share().mean() for line, one in improver.found().items()}
    files = list[set[str]]()  # of lines corrected, as they were written
    improver.keep = lambda found: files.append(
        {line for line, one in found.items() if one.net < NET_ERROR * POTS[line]}
    )
    improver.round()
    assert files == [set(solver.solved[: at + 1]) for at in range(len(POTS))]
    assert set(solver.solved) == set(POTS)
    for node, added in improver.added.items():
        np.testing.assert_allclose(added, [[MORE] * NUM_CLASSES, [-MORE] * NUM_CLASSES], atol=1e-9)
        np.testing.assert_allclose(improver.playing.flops.kinder(node), -added)
    for line, one in improver.found().items():
        assert one.net == pytest.approx(POTS[line] * GAP / 2)  # no flop differs from another
        assert one.share().mean() - before[line] > MORE / 2
    improver.starts = improver.found()
    assert improver._due() == []  # nothing is added twice


def test_lines_that_count_most_are_solved_first_until_time_is_over(
    made: tuple[Improving, MoreThanTheNet],
) -> None:
    improver, solver = made
    improver.least = NET_ERROR * 4  # big blinds: the limped pot stays as it is
    improver.often = 1.0
    assert improver._due() == []  # no line is taken in all hands
    improver.often = 0.0
    improver.until = perf_counter() + 1000
    improver.longest = 2000.0
    said = list[str]()
    improver.say = said.append
    improver.round()
    assert (solver.solved, improver.added) == ([], {})
    assert "time is over" in said[0]
    improver.longest = 0.0
    improver.round()
    assert sorted(solver.solved) == ["c r250 c", "r250 c"]
    lines = improver.playing.gaps
    often = [node for node, gap in lines.items() if gap.frequency >= improving.OFTEN]
    pots = [POTS[improver.playing.preflop.tree.line(node)] for node in often]
    due = [pot for _, pot in improver._due()]
    assert due == sorted(due, reverse=True)
    assert max(pots) == due[0]

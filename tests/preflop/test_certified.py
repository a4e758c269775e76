"""Charts that improve by their certificates."""

import numpy as np
import pytest

from endspiel.batch.boards import flop_subset
from endspiel.batch.preflop_solve import Preflop
from endspiel.games.preflop_tree import PreflopSetting
from endspiel.preflop import certified
from endspiel.preflop.certified import BY_SOLVED, certify_rounds
from endspiel.preflop.flop_lines import FlopLines, FlopSet, Ranges
from endspiel.preflop.solved_flops import SolvedPot
from endspiel.preflop.solving import PlayLimits, SolvedByPlay, solve_by_charts
from endspiel.progress import Progress
from endspiel.values.nets import shipped_net

TREE = Preflop(PreflopSetting(2000, opens="2x", reraises="", max_raises=1, limp=False))
FLOPS = 4
MORE, GAP = 0.1, 0.002  # share of the pot that the button wins more; flops' exploitability


class MoreThanTheNet:
    """Flops on which every class of the button wins more than the net says."""

    def __init__(self, charts: SolvedByPlay) -> None:
        self.preflop, self.boards = charts.street.preflop, FlopSet(flop_subset(25)[:FLOPS], 1)

    def solve(self, node: int, ranges: Ranges, target: float) -> SolvedPot:
        net = FlopLines(self.preflop, self.boards, shipped_net())
        met = self.boards._met(ranges).weights
        by_net = net.won({node: ranges}, certified.NET_ITERATIONS)[node]
        won = by_net + np.stack([-MORE * met[0], MORE * met[1]])
        shares = self.boards.line(won, ranges)
        return SolvedPot(shares, shares, won, won, GAP)


@pytest.fixture
def charts(monkeypatch: pytest.MonkeyPatch) -> SolvedByPlay:
    few = flop_subset(25)[:FLOPS]
    monkeypatch.setattr("endspiel.preflop.solving.report_flops", lambda *given: few)
    monkeypatch.setattr(certified, "NET_ITERATIONS", 20)
    monkeypatch.setattr(certified, "SETTLING", 8)
    return solve_by_charts(TREE, PlayLimits(1e-2))


@pytest.mark.parametrize("whole", [True, False])
def test_what_a_certificate_solved_makes_charts_less_exploitable(
    charts: SolvedByPlay, whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FlopSet, "is_whole", whole)
    seen = list[Progress]()
    best = certify_rounds(TREE, charts, MoreThanTheNet(charts), 2, seen.append)  # type: ignore[arg-type]
    every = [one.mbb_per_hand for one in best.rounds]
    assert every[0] > 100
    assert len(every) == 2
    assert 0 < len(seen) <= 8  # rounds of play
    assert best.certificate.mbb_per_hand == every[1] < 0.5 * every[0]
    assert best.found.by == BY_SOLVED
    assert best.record()["rounds"] == every
    assert best.certificate.exact == whole
    for line in best.found.lines:
        assert line.net == pytest.approx(GAP / 2 * line.pot)
        assert (line.uncertain == 0.0) == whole
    assert best.found.charts.value() > charts.charts.value()  # the button's


def test_one_round_only_certifies(charts: SolvedByPlay) -> None:
    once = certify_rounds(TREE, charts, MoreThanTheNet(charts), 1)  # type: ignore[arg-type]
    assert once.found is charts
    assert [once.certificate] == once.rounds


def test_a_stopped_improvement_ends_with_the_charts_so_far(
    charts: SolvedByPlay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certified, "settle", lambda *given: False)
    best = certify_rounds(TREE, charts, MoreThanTheNet(charts), 3)  # type: ignore[arg-type]
    assert (best.found, len(best.rounds)) == (charts, 1)

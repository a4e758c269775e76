"""The paper's Appendix B hand: figures that depend on no blueprint, and the shipped one's."""

from dataclasses import replace

import numpy as np
import pytest

from endspiel.blueprint.blueprint import load_blueprint
from endspiel.cards.deck import hand_index
from endspiel.cards.ranges import parse_range
from endspiel.cli.demo import hand_ranges, river_state
from endspiel.endgame.river.exact import RiverOptions, build_river, solve_river
from endspiel.endgame.river.river import River
from endspiel.reproduce.appendix_b import (
    BOARD,
    HAND,
    OPTIONS,
    PAPER_SECONDS,
    PAPER_TOTAL,
    POT,
    STACK,
    US,
    appendix_b,
)


def test_the_hand_step_by_step() -> None:
    found = appendix_b(lambda: np.ones((2, 1326)), RiverOptions(budget=1500, alpha=0.995))
    assert found.seconds.keys() == PAPER_SECONDS.keys()
    assert sum(PAPER_SECONDS.values()) == pytest.approx(PAPER_TOTAL, abs=1e-9)
    assert found.total == pytest.approx(sum(found.seconds.values()))
    assert list(found.strategy) == [
        "c", "b225", "b750", "b1500", "b2250", "b3375", "b4500", "b6750", "b18875",
    ]  # fmt: skip
    assert sum(found.strategy.values()) == pytest.approx(1)
    assert 280 <= found.rank <= 300  # the paper counts 296, ties among them
    assert found.equity == found.their_equity  # against any hand it is the same for both
    assert found.solution.exploitability <= 1e-6
    assert 0 <= found.bucket < found.buckets[1]
    assert found.on_real_cards > 1e-4  # what the buckets hide


def test_all_hands_make_as_many_buckets_as_the_papers() -> None:
    """With Algorithm 5 as printed the program is of the paper's size, its 38 and 35 between them.

    Our hand, if the opponent had it, is in bucket 8, which is the paper's figure.
    """
    river = River.of(BOARD, POT, STACK, hand_ranges(load_blueprint(), river_state()))
    counts = {}
    for population in ("range", "all"):
        game = build_river(river, replace(OPTIONS, population=population))
        counts[population] = tuple(buckets.count for buckets in game.buckets)
    assert counts == {"range": (21, 23), "all": (43, 31)}
    assert game.buckets[1 - US].of[hand_index(*HAND)] == 8
    assert game.buckets[US].of[hand_index(*HAND)] == 0
    used = [np.unique(b.of[w > 0]) for b, w in zip(game.buckets, river.ranges, strict=True)]
    assert [len(buckets) for buckets in used] == [21, 23]


@pytest.mark.parametrize("budget", [2000, 5000])
def test_buckets_of_hands_that_nobody_holds_change_nothing(budget: int) -> None:
    """They pay nothing, so the value is that without them, and the strategies are as good."""
    ranges = [parse_range("QQ+,T9s,54s"), parse_range("JJ,88,AKo,KQs,72o")]
    river = River.of(BOARD, 200, 500, ranges)
    found = [
        solve_river(river, RiverOptions(budget=budget, population=population))
        for population in ("range", "all")
    ]
    assert [one.method for one in found] == ["lp", "lp"]
    assert found[1].game.buckets[0].count > found[0].game.buckets[0].count
    assert found[1].value == pytest.approx(found[0].value, abs=1e-9)
    assert found[1].exploitability <= 1e-9
    assert found[1].on_real_cards().value == pytest.approx(found[1].value, abs=1e-9)

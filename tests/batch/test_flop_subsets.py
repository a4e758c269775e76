"""The shipped sets of flops against what all flops are known to be."""

from math import comb

import numpy as np
import pytest

from endspiel.batch.boards import SUBSETS, flop_subset, report_flops
from endspiel.cards.equity import range_equity
from endspiel.cards.isomorphism import canonical_flops
from endspiel.cards.ranges import parse_range
from tests.batch.rivers import flop

ALL = comb(52, 3)
# Points of a hundred that a set's share may be off: a random draw of as many flops has four times
# as much as its standard error.
POINTS = {25: 2.5, 49: 1.6, 95: 1.0, 184: 0.7}


@pytest.mark.parametrize("size", SUBSETS)
def test_a_set_stands_for_all(size: int) -> None:
    found = flop_subset(size)
    assert len(found) == size
    assert sum(board.weight for board in found) == ALL
    assert min(board.weight for board in found) >= 1
    canonical = {tuple(cards) for cards in canonical_flops()[0].tolist()}
    chosen = {tuple(sorted(board.cards)) for board in found}
    assert len(chosen) == size
    assert chosen <= canonical
    assert report_flops(str(size), flop()) == found


def suits(cards: tuple[int, ...]) -> int:
    return len({card & 3 for card in cards})


def ranks(cards: tuple[int, ...]) -> int:
    return len({card >> 2 for card in cards})


@pytest.mark.parametrize("size", SUBSETS)
def test_its_suits_and_ranks_are_those_of_all(size: int) -> None:
    found = flop_subset(size)

    def share(holds: "list[bool]") -> float:
        return sum(b.weight for b, one in zip(found, holds, strict=True) if one) / ALL

    known = {
        "one suit": (4 * comb(13, 3), [suits(b.cards) == 1 for b in found]),
        "three suits": (comb(4, 3) * 13**3, [suits(b.cards) == 3 for b in found]),
        "a pair": (13 * comb(4, 2) * 48, [ranks(b.cards) == 2 for b in found]),
        "an ace": (ALL - comb(48, 3), [max(b.cards) >= 48 for b in found]),
        "nothing over nine": (comb(32, 3), [max(b.cards) < 32 for b in found]),
    }
    for name, (number, holds) in known.items():
        assert 100 * share(holds) == pytest.approx(100 * number / ALL, abs=POINTS[size]), name


@pytest.mark.parametrize("size", [25, 184])
def test_equities_are_nearly_those_before_the_flop(size: int) -> None:
    """Ranges that the choice did not look at, weighed by how often each flop is dealt to them."""
    one, two = parse_range("A2s+,A2o+"), parse_range("22+,KQs,QJs,JTs,T9s,98s,KQo,QJo,JTo")
    before = range_equity(one, two).equity
    total = met = 0.0
    for board in flop_subset(size):
        share = board.weight * pairs(one, two, board.cards)
        total += share * range_equity(one, two, board.cards).equity
        met += share
    assert 100 * total / met == pytest.approx(100 * before, abs={25: 0.6, 184: 0.2}[size])


def pairs(one: np.ndarray, two: np.ndarray, board: tuple[int, ...]) -> float:
    """Weight of the pairs of hands that can be dealt beside a board."""
    from endspiel.cards.live import live_hands
    from endspiel.cards.removal import exact_unblocked_weight

    live = live_hands(board)
    return float((one * live) @ exact_unblocked_weight(two * live))

"""Laws of the suit-isomorphic index: exact sizes, bijection, invariance, nothing merged."""

from itertools import combinations, permutations
from math import comb, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endspiel.cards.deck import NUM_HANDS, hand_cards, hand_index
from endspiel.cards.isomorphism import (
    Indexer,
    canonical_boards,
    canonical_flops,
    hand_permutations,
    hole_and_board,
    perfect_recall,
    suit_permutations,
)
from endspiel.cards.text import parse_cards
from endspiel.errors import CardError
from tests.native.each_build import same_on_each_build

# Counts long known in the field; burnside() below finds them again without any index.
PERFECT_RECALL = (169, 1_286_792, 55_190_538, 2_428_287_420)
HOLE_AND_BOARD = (169, 1_286_792, 13_960_050, 123_156_254)
BOARDS = {1: 13, 2: 169, 3: 1_755, 4: 16_432, 5: 134_459}

STREETS = [build(street) for build in (perfect_recall, hole_and_board) for street in range(4)]
OTHERS = [
    Indexer(groups)
    for groups in [(1,), (5,), (4,), (3, 1, 1), (4, 3, 1, 1), (1,) * 8, (4, 4, 4), (26,), (52,)]
]
INDEXERS = list(dict.fromkeys(STREETS)) + OTHERS


def named(indexer: Indexer) -> str:
    return "|".join(map(str, indexer.groups))


def burnside(groups: tuple[int, ...]) -> int:
    """Classes counted with no index at all: the mean, over relabelings, of the deals they fix.

    A relabeling fixes a deal when it maps each group to itself, so groups are made of whole cycles
    of cards: 13 copies (one per rank) of the cycles of suits.
    """
    total = 0
    for image in permutations(range(4)):
        cycles = _cycle_lengths(image)
        ways = {(0,) * len(groups): 1}  # cards placed in each group -> number of ways
        for length in cycles * 13:
            grown = dict(ways)  # the cycle stays in the deck
            for placed, count in ways.items():
                for group, size in enumerate(groups):
                    if placed[group] + length <= size:
                        after = (*placed[:group], placed[group] + length, *placed[group + 1 :])
                        grown[after] = grown.get(after, 0) + count
            ways = grown
        total += ways.get(groups, 0)
    return total // 24


def _cycle_lengths(image: tuple[int, ...]) -> list[int]:
    left, lengths = set(range(4)), []
    while left:
        at, length = min(left), 0
        while at in left:
            left.remove(at)
            at, length = image[at], length + 1
        lengths.append(length)
    return lengths


def random_deals(count: int, num_cards: int, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.argsort(rng.random((count, 52)), axis=1)[:, :num_cards].astype(np.uint8)


def flop_deals(first: int, last: int) -> np.ndarray:
    """Every hand in first..last-1 with every flop that leaves it alone."""
    flops = np.array([*combinations(range(52), 3)], np.uint8)
    hands = hand_cards()[first:last]
    hit = (flops[None, :, :, None] == hands[:, None, None, :]).any(axis=(2, 3))  # [hands, flops]
    hand, flop = np.nonzero(~hit)
    return np.column_stack([hands[hand], flops[flop]])


def test_sizes_are_the_known_counts():
    assert tuple(perfect_recall(street).size() for street in range(4)) == PERFECT_RECALL
    assert tuple(perfect_recall(3).size(street) for street in range(4)) == PERFECT_RECALL
    assert tuple(hole_and_board(street).size() for street in range(4)) == HOLE_AND_BOARD
    assert {n: Indexer((n,)).size() for n in BOARDS} == BOARDS


@pytest.mark.parametrize("indexer", INDEXERS, ids=named)
def test_sizes_agree_with_burnside(indexer):
    assert indexer.size() == burnside(indexer.groups)


@pytest.mark.parametrize("indexer", INDEXERS, ids=named)
def test_index_of_unindex_is_the_index(indexer):
    size = indexer.size()
    rng = np.random.default_rng(2)
    edges = [*range(min(1000, size)), *range(max(0, size - 1000), size)]
    numbers = np.concatenate([np.array(edges), rng.integers(0, size, 200_000)]).astype(np.uint64)
    deals = indexer.unindex_batch(numbers)
    assert np.array_equal(indexer.index_batch(deals), numbers)


@pytest.mark.parametrize("indexer", INDEXERS, ids=named)
def test_family_boundaries_round_trip(indexer):
    bounds = indexer._tables.offset
    numbers = np.unique(np.concatenate([bounds[:-1], bounds[1:] - 1]))
    assert np.array_equal(indexer.index_batch(indexer.unindex_batch(numbers)), numbers)


@pytest.mark.parametrize("indexer", [hole_and_board(s) for s in range(3)], ids=named)
def test_small_rounds_round_trip_exhaustively(indexer):
    numbers = np.arange(indexer.size(), dtype=np.uint64)
    assert np.array_equal(indexer.index_batch(indexer.unindex_batch(numbers)), numbers)


@pytest.mark.slow
@pytest.mark.parametrize("indexer", [perfect_recall(2), hole_and_board(3)], ids=named)
def test_large_rounds_round_trip_exhaustively(indexer):
    for first in range(0, indexer.size(), 1 << 22):
        numbers = np.arange(first, min(first + (1 << 22), indexer.size()), dtype=np.uint64)
        assert np.array_equal(indexer.index_batch(indexer.unindex_batch(numbers)), numbers)


@pytest.mark.parametrize("indexer", INDEXERS, ids=named)
def test_canonical_deals_are_deals_in_order(indexer):
    rng = np.random.default_rng(3)
    deals = indexer.unindex_batch(rng.integers(0, indexer.size(), 2000))
    assert deals.max() < 52
    assert (np.diff(np.sort(deals, axis=1).astype(int)) > 0).all()
    at = 0
    for size in indexer.groups:
        assert (np.diff(deals[:, at : at + size].astype(int)) > 0).all()
        at += size


@pytest.mark.parametrize("indexer", INDEXERS, ids=named)
def test_canonical_deal_is_a_relabeling_of_the_deal(indexer):
    for deal in random_deals(50, indexer.num_cards):
        canonical = indexer.unindex(indexer.index(deal))
        assert as_sets(canonical, indexer.groups) in {
            as_sets(deal // 4 * 4 + image[deal % 4], indexer.groups)
            for image in suit_permutations()
        }


def as_sets(cards, groups: tuple[int, ...]) -> tuple[frozenset[int], ...]:
    starts = [sum(groups[:at]) for at in range(len(groups))]
    return tuple(
        frozenset(int(card) for card in cards[start : start + size])
        for start, size in zip(starts, groups, strict=True)
    )


@given(data=st.data(), indexer=st.sampled_from(INDEXERS))
@settings(deadline=None)
def test_index_ignores_suit_names_and_order_within_groups(data, indexer):
    deck = data.draw(st.permutations(range(52)))
    image = data.draw(st.permutations(range(4)))
    deal = deck[: indexer.num_cards]
    moved: list[int] = []
    for size in indexer.groups:
        group = data.draw(st.permutations(deal[len(moved) : len(moved) + size]))
        moved += [card - card % 4 + image[card % 4] for card in group]
    assert indexer.index(moved) == indexer.index(deal)


def test_all_rounds_at_once_equal_each_round():
    deals = random_deals(5000, 7)
    rounds = perfect_recall(3).index_rounds_batch(deals)
    for street, num_cards in enumerate((2, 5, 6, 7)):
        expected = perfect_recall(street).index_batch(deals[:, :num_cards])
        assert np.array_equal(rounds[:, street], expected)


@pytest.mark.parametrize("groups", [(2, 3, 1, 1), (2, 5), (7,)], ids=str)
def test_every_build_numbers_alike(groups):
    indexer, deals = Indexer(groups), random_deals(3000, 7)
    numbers = same_on_each_build(lambda: indexer.index_batch(deals))
    canonical = same_on_each_build(lambda: indexer.unindex_batch(numbers))
    assert np.array_equal(indexer.index_batch(canonical), numbers)
    # A canonical deal is the deal with other suits: as many cards of each rank in each group.
    at = 0
    for size in groups:
        one, two = (np.sort(rows[:, at : at + size] // 4) for rows in (deals, canonical))
        assert np.array_equal(one, two)
        at += size


def test_every_flop_and_hand_is_counted_once_per_class():
    counts = np.zeros(PERFECT_RECALL[1], dtype=np.int64)
    for first in range(0, NUM_HANDS, 221):
        numbers = perfect_recall(1).index_batch(flop_deals(first, first + 221))
        counts += np.bincount(numbers.astype(np.int64), minlength=len(counts))
    assert counts.sum() == 25_989_600
    assert counts.min() > 0
    assert (24 % counts == 0).all()
    canonical = perfect_recall(1).unindex_batch(np.arange(len(counts)))
    assert np.array_equal(perfect_recall(1).orbit_sizes(canonical), counts)


@pytest.mark.parametrize("num_cards", [1, 2, 3, 4, 5])
def test_boards_are_counted_once_per_class(num_cards):
    boards, multiplicity = canonical_boards(num_cards)
    flat = np.fromiter((c for board in combinations(range(52), num_cards) for c in board), np.uint8)
    numbers = Indexer((num_cards,)).index_batch(flat.reshape(-1, num_cards))
    assert len(boards) == BOARDS[num_cards]
    assert np.array_equal(np.bincount(numbers.astype(np.int64)), multiplicity)
    assert multiplicity.sum() == comb(52, num_cards)


def test_different_orbits_of_flops_have_different_indices():
    orbits: dict[tuple[int, ...], int] = {}
    for flop in combinations(range(52), 3):
        images = (
            tuple(sorted(card - card % 4 + image[card % 4] for card in flop))
            for image in permutations(range(4))
        )
        orbits.setdefault(min(images), Indexer((3,)).index(flop))
    assert sorted(orbits.values()) == list(range(1755))


def test_canonical_flops_have_known_multiplicities():
    flops, multiplicity = canonical_flops()
    assert flops.shape == (1755, 3)
    assert multiplicity.sum() == 22_100
    by_cards = {tuple(map(int, flop)): int(m) for flop, m in zip(flops, multiplicity, strict=True)}
    counts = np.unique(multiplicity, return_counts=True)
    # 4: 13 trips, 286 of one suit; 12: 2 x 156 pairs, 3 x 286 of two suits; 24: 286 of three.
    assert dict(zip(*map(np.ndarray.tolist, counts), strict=True)) == {4: 299, 12: 1170, 24: 286}
    monotone = Indexer((3,)).unindex(Indexer((3,)).index(parse_cards("AsKsQs")))
    assert monotone == tuple(sorted(parse_cards("AcKcQc")))
    assert by_cards[monotone] == 4


def test_hand_permutations_move_cards():
    table = hand_permutations()
    assert table.shape == (24, NUM_HANDS)
    assert np.array_equal(table[0], np.arange(NUM_HANDS))
    for row, image in zip(table, suit_permutations(), strict=True):
        assert len(set(row.tolist())) == NUM_HANDS
        for hand in range(0, NUM_HANDS, 17):
            a, b = (int(c) - int(c) % 4 + int(image[c % 4]) for c in hand_cards()[hand])
            assert row[hand] == hand_index(a, b)
    preflop = perfect_recall(0).index_batch(hand_cards())
    assert (preflop[table] == preflop).all()


def test_scalar_and_batch_agree_for_any_integer_type():
    indexer = hole_and_board(3)
    deals = random_deals(100, 7)
    expected = indexer.index_batch(deals)
    assert [indexer.index(deal.tolist()) for deal in deals] == expected.tolist()
    assert np.array_equal(indexer.index_batch(deals.astype(np.int64)), expected)
    assert np.array_equal(indexer.index_batch(np.asfortranarray(deals)), expected)
    assert indexer.index_batch(np.empty((0, 7))).shape == (0,)
    assert indexer.unindex_batch([]).shape == (0, 7)


@pytest.mark.parametrize(
    ("cards", "message"),
    [
        (parse_cards("As Kd 2c 3c 4c 5c"), "has 7 cards, got 6"),
        ([51, 50, 1, 2, 3, 4, 51], "card As is repeated in deal 0"),
        ([51, 50, 1, 2, 3, 4, 52], "52 in deal 0 is no card"),
        (np.array([51, 50, 1, 2, 3, 4, 200], dtype=np.uint8), "200 in deal 0 is no card"),
        ([51, 50, 1, 2, 3, 4, -1], "-1 in deal 0 is no card"),
        ([51, 50, 1, 2, 3, 4, 0.5], "integers"),
    ],
)
def test_cards_that_are_no_deal_are_refused(cards, message):
    with pytest.raises(CardError, match=message):
        perfect_recall(3).index(cards)


def test_the_refused_deal_of_a_batch_is_named():
    deals = random_deals(10, 7)
    deals[6, 5] = deals[6, 0]
    with pytest.raises(CardError, match="repeated in deal 6"):
        hole_and_board(3).index_batch(deals)


@pytest.mark.parametrize("index", [-1, 169, 1 << 70])
def test_indices_out_of_range_are_refused(index):
    with pytest.raises(CardError, match=rf"index {index} is not in 0\.\.168"):
        perfect_recall(0).unindex(index)


def test_the_refused_index_of_a_batch_is_named():
    with pytest.raises(CardError, match="index 169 at position 2"):
        perfect_recall(0).unindex_batch([0, 168, 169])
    with pytest.raises(CardError, match="must be a list of integers"):
        perfect_recall(0).unindex_batch([0.5])


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ((), "one card or more"),
        ((2, 0), "one card or more"),
        ((50, 3), "take 53 cards"),
        ((10, 10, 10), "ways, more than an index can hold"),
        ((1,) * 9, "too many ways"),
    ],
)
def test_groups_that_cannot_be_indexed_are_refused(groups, message):
    with pytest.raises(CardError, match=message):
        Indexer(groups)


def test_streets_and_rounds_that_do_not_exist_are_refused():
    with pytest.raises(CardError, match="street 4"):
        perfect_recall(4)
    with pytest.raises(CardError, match="street -1"):
        hole_and_board(-1)
    with pytest.raises(CardError, match="no round 2"):
        Indexer((2, 3)).size(2)


def test_deals_in_all_classes_add_up_to_all_deals():
    indexer = Indexer((3, 1, 1))
    deals = indexer.unindex_batch(np.arange(indexer.size()))
    assert indexer.orbit_sizes(deals).sum(dtype=np.int64) == prod((comb(52, 3), 49, 48))

"""The card tree: which boards come, what suit symmetry folds, and where hands go."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endspiel.cards.deck import NUM_CARDS, NUM_HANDS, hand_cards, hand_masks
from endspiel.cards.isomorphism import hand_permutations, suit_permutations
from endspiel.cards.ranges import parse_range
from endspiel.cards.strength import board_strengths, strength
from endspiel.cards.text import parse_board, parse_hand
from endspiel.errors import CardError, RangeError
from endspiel.games.card_tree import CardTree, card_tree, street_cards
from endspiel.games.spot import load_spot
from tests.games.spots import DATA, random_range

ALL = parse_range("random")
FLOP_RANGES = tuple(load_spot(DATA / "flop.toml").weights)


def moved(cards: tuple[int, ...], permutation: int) -> tuple[int, ...]:
    suits = suit_permutations()[permutation]
    return tuple(4 * (card // 4) + int(suits[card % 4]) for card in cards)


def all_boards(tree: CardTree, street: int) -> list[tuple[int, ...]]:
    """Every board of a street in the order dealt: images of boards below images of boards."""
    found = []
    for board in tree.streets[street]:
        paths = [board.cards]
        line = board
        for above in range(street, 0, -1):
            paths = [moved(path, p) for path in paths for p in line.images]
            line = tree.streets[above - 1][line.parent]
        found += paths
    return found


def dealt(board: list[int], street: int) -> Counter[tuple[int, ...]]:
    """Every board that can be dealt, in the order dealt."""
    left = [card for card in range(NUM_CARDS) if card not in board]
    return Counter((*board, *cards) for cards in permutations(left, street))


@pytest.mark.parametrize(
    ("text", "ranges", "boards"),
    [
        ("Qs Jh 2h", FLOP_RANGES, (1, 36, 1429)),
        ("Qs Jh 2d", (ALL, ALL), None),
        ("Qh Jh 2h", (ALL, ALL), None),
        ("Qh Qs 2h", (ALL, parse_range("22+,AKs")), None),
        ("Qs Jh 2h", (ALL, parse_range("AcKc,QQ")), (1, 49, 49 * 48)),
        ("Qh Jh 2h", (parse_range("AcKc,AsKs"), parse_range("77")), None),
    ],
)
def test_every_board_is_one_image_of_one_board(
    text: str, ranges: tuple[np.ndarray, np.ndarray], boards: tuple[int, ...] | None
) -> None:
    root = parse_board(text)
    tree = card_tree(root, ranges)
    assert boards is None or tree.num_boards == boards
    for street in (1, 2):
        found = Counter((*root, *path[3:]) for path in all_boards(tree, street))
        # A board's first cards may come permuted among themselves: the root is a set.
        assert all(set(path[:3]) == set(root) for path in all_boards(tree, street))
        assert found == dealt(root, street)


def test_symmetric_flop_has_all_images() -> None:
    tree = card_tree(parse_board("Qs Jh 2h"), FLOP_RANGES)
    assert [len(all_boards(tree, street)) for street in range(3)] == [1, 49, 49 * 48]
    apart = card_tree(parse_board("Qs Jh 2h"), FLOP_RANGES, symmetry=False)
    assert apart.num_boards == (1, 49, 49 * 48)


@pytest.mark.parametrize(
    ("text", "symmetries"),
    [
        ("Qh Jh 2h", 6),
        ("Qs Jh 2h", 2),
        ("Qs Jh 2d", 1),
        ("Qs Qh 2d", 2),
        ("Qs Qh Qd", 6),
        ("Qs Qh 2c 2d", 4),
        ("Qs Qh 2s 2h", 4),
        ("Qs Jh 2d 3c", 1),
    ],
)
def test_symmetries_of_boards_with_full_ranges(text: str, symmetries: int) -> None:
    assert len(card_tree(parse_board(text), (ALL, ALL)).streets[0][0].symmetry) == symmetries


def test_one_hand_breaks_the_symmetry() -> None:
    odd = ALL.copy()
    low, high = sorted(parse_hand("AcKc"))
    odd[high * (high - 1) // 2 + low] = 0.999
    for ranges in ((odd, ALL), (ALL, odd)):
        tree = card_tree(parse_board("Qh Jh 2h 3h"), ranges)
        assert len(tree.streets[0][0].symmetry) == 2  # diamonds and spades still trade places


def check_tree(tree: CardTree) -> None:
    """Hands, maps and images of every board, against their definitions."""
    for s, boards in enumerate(tree.streets):
        arrays = street_cards(tree, s)
        for player in (0, 1):
            side, others = arrays.sides[player], tree.streets[s]
            for b, board in enumerate(boards):
                start, width = 16 * side.start[b], 16 * int(side.start[b + 1] - side.start[b])
                hands = side.hand[start : start + side.hands[b]]
                check_hands(tree, board.cards, player, hands)
                assert (side.hand[start + side.hands[b] : start + width] == -1).all()
                twins = side.same[start : start + side.hands[b]]
                mine, theirs = hands.tolist(), others[b].hands[1 - player].tolist()
                assert [theirs.index(h) if h in theirs else -1 for h in mine] == twins.tolist()
                if s:
                    held = tree.streets[s - 1][board.parent].hands[player]
                    copies = side.copies[side.copy_at[b] :][: width * len(board.images)]
                    for row, image in zip(copies.reshape(-1, width), board.images, strict=True):
                        places = row[: len(hands)]
                        np.testing.assert_array_equal(
                            held[places], hand_permutations()[image][hands]
                        )
                        assert (row[len(hands) :] == -1).all()
                    above = side.above[start : start + width]
                    np.testing.assert_array_equal(above, copies[:width])
            if s:
                assert np.array_equal(
                    np.repeat(np.arange(len(tree.streets[s - 1])), child_counts(tree, s)),
                    [board.parent for board in boards],
                )


def child_counts(tree: CardTree, street: int) -> np.ndarray:
    return np.diff(street_cards(tree, street - 1).child)


def check_hands(tree: CardTree, cards: tuple[int, ...], player: int, hands: np.ndarray) -> None:
    dead = set(cards)
    held = np.flatnonzero(tree.ranges[player] > 0)
    expected = [h for h in held if not dead & set(hand_cards()[h].tolist())]
    assert sorted(hands.tolist()) == expected
    if len(cards) == 5:
        order = board_strengths(cards)[hands]
        assert (np.diff(order.astype(int)) >= 0).all()


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([4, 4, 5]), st.booleans())
def test_hands_and_maps_of_random_boards(seed: int, cards: int, symmetric: bool) -> None:
    rng = np.random.default_rng(seed)
    board = rng.choice(NUM_CARDS, cards, replace=False).tolist()
    if symmetric:
        ranges = parse_range("22+:0.3,K9s"), parse_range("A5o,76s:0.2")
    else:
        ranges = random_range(rng, 30), random_range(rng, 17)
    check_tree(card_tree(board, ranges))


def test_hands_and_maps_of_a_flop() -> None:
    check_tree(card_tree(parse_board("9s 9h 2h"), (parse_range("88,A9s"), parse_range("AKs,22"))))


def test_strength_groups_end_where_strengths_change() -> None:
    tree = card_tree(parse_board("Th 9h 2c 2d 2s"), (ALL, parse_range("22+,T9s")))
    arrays, root = street_cards(tree, 0), tree.streets[0][0]
    ranks = [[strength([*hand_cards()[h].tolist(), *root.cards]) for h in p] for p in root.hands]
    levels = sorted({*ranks[0], *ranks[1]})
    for side, mine in zip(arrays.sides, ranks, strict=True):
        assert side.ends.tolist() == [sum(r <= level for r in mine) for level in levels]


@pytest.mark.parametrize(
    ("cards", "expected"), [(3, (1, 1 / 45, 1 / 45 / 44)), (4, (1, 1 / 44)), (5, (1,))]
)
def test_chances_of_boards_given_two_hands(cards: int, expected: tuple[float, ...]) -> None:
    tree = card_tree(list(range(cards)), (random_range(np.random.default_rng(1), 9), ALL))
    assert tree.chance == pytest.approx(expected)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_pairs_equal_summing_over_pairs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ranges = random_range(rng, 30), random_range(rng, 40) + parse_range("77:0.4")
    board = rng.choice(NUM_CARDS, 5, replace=False).tolist()
    free = np.array([not set(board) & set(hand) for hand in hand_cards().tolist()])
    total = sum(
        ranges[0][i] * ranges[1][j]
        for i in np.flatnonzero((ranges[0] > 0) & free)
        for j in np.flatnonzero((ranges[1] > 0) & free)
        if not hand_masks()[i] & hand_masks()[j]
    )
    if total:
        assert card_tree(board, ranges).pairs() == pytest.approx(total)


@pytest.mark.parametrize("board", [[], [1], [1, 2], list(range(6)), [1, 2, 2], [1, 2, 3, 52]])
def test_boards_that_cannot_be(board: list[int]) -> None:
    with pytest.raises(CardError, match="board"):
        card_tree(board, (ALL, ALL))


@pytest.mark.parametrize(
    "ranges",
    [
        (np.zeros(NUM_HANDS), ALL),
        (ALL, np.zeros(NUM_HANDS)),
        (parse_range("AsAh"), parse_range("AsAh")),
        (parse_range("AsAh"), parse_range("AhKh:0.3,AsKs:0.1")),
        (ALL, parse_range("QsJs")),  # the board has the queen
    ],
)
def test_ranges_that_cannot_meet(ranges: tuple[np.ndarray, np.ndarray]) -> None:
    with pytest.raises(RangeError, match="range"):
        card_tree(parse_board("Qs Jh 2h 4c"), ranges)


def test_no_rounding_lets_impossible_ranges_pass() -> None:
    """All hands have the ace of spades, with weights whose sums do not cancel exactly."""
    aces = np.flatnonzero(hand_cards()[:, 1] == NUM_CARDS - 1)
    for seed in range(30):
        rng = np.random.default_rng(seed)
        ranges = np.zeros(NUM_HANDS), np.zeros(NUM_HANDS)
        for weights in ranges:
            weights[aces] = rng.random(len(aces))
        with pytest.raises(RangeError):
            card_tree(parse_board("2c 3c 4d 5d 7h"), ranges)

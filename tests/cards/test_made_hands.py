"""Kinds of hands against plain counting, against strengths, and against what players call them."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endspiel.cards.deck import NUM_HANDS, RANKS, hand_cards, hand_index
from endspiel.cards.live import live_mask
from endspiel.cards.made_hands import DRAWS, MADE, draws, made_hands
from endspiel.cards.strength import board_strengths, category
from endspiel.cards.text import parse_cards, parse_hand
from endspiel.errors import CardError

BOARDS = st.lists(st.integers(0, 51), min_size=3, max_size=5, unique=True)
STRONG = MADE[:5]


def straight(ranks):
    """The highest straight among ranks 0..12, 0 if there is none; an ace is low, too."""
    found = {rank + 1 for rank in ranks} | ({0} if 12 in ranks else set())
    return max((low + 1 for low in range(10) if set(range(low, low + 5)) <= found), default=0)


def own_pairs(hand, board):
    """The kind of a hand below a straight, by counting."""
    low, high = sorted(card // 4 for card in hand)
    table = Counter(card // 4 for card in board)
    order = sorted(table, reverse=True)
    if low == high:
        if table[low]:
            return "set"
        return "overpair" if low > order[0] else "underpair"
    if table[low] > 1 or table[high] > 1:
        return "trips"
    if table[low] and table[high]:
        return "two pair"
    for rank in (high, low):
        if table[rank]:
            return ("top pair", "second pair", "low pair")[min(order.index(rank), 2)]
    return "ace high" if high == 12 else "no pair"


def plain_draws(hand, board, made):
    """The draws of a hand, by trying every rank and every pair of ranks."""
    found = set()
    if len(board) == 5:
        return found
    ranks, table = [{card // 4 for card in cards} for cards in ([*hand, *board], board)]
    suits = Counter(card % 4 for card in [*hand, *board])
    of_hand = {suits[card % 4] for card in hand}
    if 4 in of_hand and made not in STRONG[:4]:
        found.add("flush draw")
    if 3 in of_hand and len(board) == 3:
        found.add("backdoor flush")
    if made in STRONG:
        return found

    def better(more):
        return straight(ranks | more) > straight(table | more)

    outs = sum(better({rank}) for rank in range(13))
    if outs:
        found.add("open-ended" if outs > 1 else "gutshot")
    elif len(board) == 3 and any(better(set(pair)) for pair in combinations(range(13), 2)):
        found.add("backdoor straight")
    return found


@settings(deadline=None, max_examples=8)  # each of 1326 hands
@given(BOARDS)
def test_kinds_are_those_of_plain_counting(board):
    made, drawn, strengths = made_hands(board), draws(board), board_strengths(board)
    assert made.shape == (NUM_HANDS,)
    assert drawn.shape == (len(DRAWS), NUM_HANDS)
    for hand in range(NUM_HANDS):
        cards = hand_cards()[hand].tolist()
        if not strengths[hand]:
            assert made[hand] == len(MADE)
            assert not drawn[:, hand].any()
            continue
        kind = category(int(strengths[hand]))
        wanted = kind if kind in STRONG else own_pairs(cards, board)
        assert MADE[made[hand]] == wanted
        found = {name for name, has in zip(DRAWS, drawn[:, hand], strict=True) if has}
        assert found == plain_draws(cards, board, wanted)


SAME = {"set": "three of a kind", "trips": "three of a kind", "two pair": "two pair"}
SAME |= {"ace high": "high card", "no pair": "high card"}


@settings(deadline=None)
@given(BOARDS.filter(lambda board: len({card // 4 for card in board}) == len(board)))
def test_without_a_pair_on_the_board_kinds_divide_the_categories(board):
    for made, strength in zip(made_hands(board), board_strengths(board), strict=True):
        if strength:
            name = MADE[made]
            wanted = name if name in STRONG else SAME.get(name, "pair")
            assert category(int(strength)) == wanted


@settings(deadline=None)
@given(BOARDS, st.permutations(range(4)))
def test_names_of_suits_do_not_matter(board, suits):
    def renamed(card):
        return 4 * (card // 4) + suits[card % 4]

    moved = [hand_index(renamed(low), renamed(high)) for low, high in hand_cards().tolist()]
    other = [renamed(card) for card in board]
    assert np.array_equal(made_hands(board), made_hands(other)[moved])
    assert np.array_equal(draws(board), draws(other)[:, moved])


KNOWN = [
    ("Kh 7h 2c", "AsAd", "overpair", []),
    ("Kh 7h 2c", "KsQs", "top pair", []),
    ("Kh 7h 2c", "QdQs", "underpair", []),
    ("Kh 7h 2c", "7s6s", "second pair", []),
    ("Kh 7h 2c", "2s2d", "set", []),
    ("Kh 7h 2c", "Ah3h", "ace high", ["flush draw"]),
    ("9h 8c 2d", "JhTh", "no pair", ["open-ended", "backdoor flush"]),
    ("9h 8c 2d", "QsJs", "no pair", ["gutshot"]),
    ("9h 7c 5d", "8s3s", "no pair", ["gutshot"]),  # a six; no ten: a jack is missing too
    ("9h 7c 5d 2s", "8cJd", "no pair", ["open-ended"]),  # a ten or a six, a double gutshot
    ("Kc Kd 7s", "7dQd", "second pair", ["backdoor flush"]),  # the pair of kings is everybody's
    ("Kc Kd 7s", "KhQd", "trips", []),
    ("Kc Kd 7s", "AhQs", "ace high", []),
    ("As 2d 3c", "4h5h", "straight", []),
    ("As 2d 3c", "4h4d", "underpair", ["gutshot"]),
    ("5c 6d 7s 8h", "AhKh", "ace high", []),  # a four or a nine would be everybody's straight
    ("5c 6d 7s 8h", "TdTc", "overpair", ["gutshot"]),  # a nine makes a higher one
    ("2h 5h 9h Kh", "AsAd", "overpair", []),
    ("2h 5h 9h", "AhAd", "overpair", ["flush draw"]),
]


@pytest.mark.parametrize(("board", "hand", "made", "drawn"), KNOWN)
def test_players_call_them_so(board, hand, made, drawn):
    at, cards = hand_index(*parse_hand(hand)), parse_cards(board)
    assert MADE[made_hands(cards)[at]] == made
    found = [name for name, has in zip(DRAWS, draws(cards)[:, at], strict=True) if has]
    assert [name for name in found if name != "backdoor straight"] == drawn


def test_counts_on_a_dry_flop():
    board = parse_cards("Ks 7h 2d")
    counts = Counter(made_hands(board)[live_mask(board)].tolist())
    found = {name: counts[at] for at, name in enumerate(MADE) if counts[at]}
    assert found["set"] == 3 * 3
    assert found["two pair"] == 3 * 9
    assert found["overpair"] == 6  # aces
    assert found["underpair"] == 9 * 6
    assert found["top pair"] == found["second pair"] == found["low pair"] == 3 * 40
    assert found["ace high"] == 4 * 4 * (len(RANKS) - 4)
    assert sum(found.values()) == 49 * 48 // 2


@pytest.mark.parametrize("board", [[], [0, 1], [0, 0, 1]])
def test_a_board_without_kinds_is_refused(board):
    with pytest.raises(CardError, match="board"):
        made_hands(board)
    with pytest.raises(CardError, match="board"):
        draws(board)

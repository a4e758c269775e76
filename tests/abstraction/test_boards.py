"""Boards up to suits: how many there are, and that lookups agree with the index of hands."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endspiel.abstraction.boards import all_boards, boards_of, some_boards
from endspiel.cards.deck import hand_cards, hand_index
from endspiel.cards.isomorphism import Indexer, canonical_flops, hand_permutations, perfect_recall
from endspiel.cards.live import live_mask
from endspiel.errors import CardError

dealt = st.permutations(range(52)).map(lambda deck: deck[:6])


def test_every_flop_and_turn_is_there_once() -> None:
    boards = all_boards()
    assert len(boards.flops) == 1755 == Indexer((3,)).size()
    assert len(boards.turns) == 63193 == Indexer((3, 1)).size()
    assert boards.flop_weight.sum() == 22100
    assert boards.turn_weight.sum() == 22100 * 49
    assert len(np.unique(Indexer((3, 1)).index_batch(boards.turns))) == 63193
    assert (boards.turns[:, :3] == boards.flops[boards.turn_flop]).all()
    orbits = Indexer((3, 1)).orbit_sizes(boards.turns)
    assert (boards.turn_weight == orbits).all()


@given(dealt)
@settings(max_examples=200, deadline=None)
def test_a_hand_is_found_where_one_equal_up_to_suits_is(deck: list[int]) -> None:
    hole, board = deck[:2], deck[2:]
    boards = all_boards()
    for street, cards in ((1, board[:3]), (2, board)):
        place = boards.find(cards)
        row = boards.flops[place.flop] if street == 1 else boards.turns[place.turn]
        found = hand_cards()[hand_permutations()[place.relabeling, hand_index(*hole)]]
        index = perfect_recall(street).index
        assert index([*found.tolist(), *row.tolist()]) == index([*hole, *cards])


def all_indices(street: int, boards: np.ndarray) -> np.ndarray:
    """Perfect-recall index of every live hand on some boards."""
    rows, hands = np.nonzero(live_mask(boards))
    deals = np.column_stack([hand_cards()[hands], boards[rows]])
    return perfect_recall(street).index_batch(deals)


def test_the_flops_hold_all_1286792_hands() -> None:
    found = np.unique(all_indices(1, all_boards().flops))
    assert len(found) == 1_286_792 == perfect_recall(1).size()


@pytest.mark.slow
def test_the_turns_hold_all_55190538_hands() -> None:
    seen = np.zeros(perfect_recall(2).size(), bool)
    turns = all_boards().turns
    for start in range(0, len(turns), 2000):
        seen[all_indices(2, turns[start : start + 2000])] = True
    assert len(seen) == 55_190_538
    assert seen.all()


def test_flops_left_out_are_refused() -> None:
    flops, weight = canonical_flops()
    boards = boards_of(flops[:1], weight[:1])
    left_out = flops[5].tolist()
    with pytest.raises(CardError, match="not among those abstracted"):
        boards.find(left_out)
    with pytest.raises(CardError, match="1755 up to suits"):
        some_boards(1756)

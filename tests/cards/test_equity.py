"""Equities: pokerkit over all run-outs, brute force over pairs, laws, the preflop table."""

from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pokerkit import StandardHighHand

from endspiel.cards.deck import NUM_HANDS, hand_cards, hand_index
from endspiel.cards.equity import equities, hand_equity, range_equity
from endspiel.cards.preflop import (
    NUM_BOARDS,
    NUM_PAIR_CLASSES,
    compute_preflop_counts,
    load_preflop_counts,
    pair_classes,
    preflop_counts,
    preflop_table,
    save_preflop_counts,
)
from endspiel.cards.removal import conflicts
from endspiel.cards.strength import strengths
from endspiel.cards.text import format_cards, parse_board, parse_hand
from endspiel.errors import CardError, FileError, RangeError

HANDS = [tuple(hand) for hand in hand_cards().tolist()]


def _meet(hand_a, hand_b, board):
    """Wins and ties of one hand against another, as shares of all run-outs, dealt one by one."""
    live = [card for card in range(52) if card not in {*hand_a, *hand_b, *board}]
    missing = 5 - len(board)
    dealt = np.fromiter(chain.from_iterable(combinations(live, missing)), np.uint8)
    dealt = dealt.reshape(-1, missing) if missing else np.empty((1, 0), np.uint8)
    a, b = (
        strengths(np.hstack([np.tile([*hand, *board], (len(dealt), 1)), dealt]))
        for hand in (hand_a, hand_b)
    )
    return np.mean(a > b), np.mean(a == b)


def _by_pairs(range_a, range_b, board):
    """Wins, ties and compatible weight of two ranges by a double loop over their hands."""
    sums = np.zeros(3)
    for i in np.flatnonzero(range_a):
        for j in np.flatnonzero(range_b):
            if len({*HANDS[i], *HANDS[j], *board}) == 4 + len(board):
                win, tie = _meet(HANDS[i], HANDS[j], board)
                sums += range_a[i] * range_b[j] * np.array([win, tie, 1.0])
    return sums


def _range(hands):
    """Weights [1326] from a dictionary of hands as text."""
    weights = np.zeros(NUM_HANDS)
    for text, weight in hands.items():
        weights[hand_index(*parse_hand(text))] = weight
    return weights


@st.composite
def _spots(draw, num_board_cards, num_hands=4):
    """A board and two small ranges whose hands crowd on few cards, so that many conflict."""
    deck = draw(st.permutations(range(52)))
    board, cards = deck[:num_board_cards], deck[num_board_cards : num_board_cards + 6]
    indices = st.sampled_from([hand_index(a, b) for a, b in combinations(cards + board[:1], 2)])
    weight = st.floats(0.01, 1.0)
    small = st.dictionaries(indices, weight, min_size=1, max_size=num_hands)
    ranges = np.zeros((2, NUM_HANDS))
    for row in ranges:
        for hand, value in draw(small).items():
            row[hand] = value
    return board, ranges[0], ranges[1]


@pytest.mark.parametrize(("num_board_cards", "num_deals"), [(3, 2), (4, 15), (5, 100)])
def test_hand_equity_equals_pokerkit_over_all_run_outs(num_board_cards, num_deals):
    rng = np.random.default_rng(num_board_cards)
    for _ in range(num_deals):
        deck = rng.permutation(52).tolist()
        a, b, board = deck[:2], deck[2:4], deck[4 : 4 + num_board_cards]
        won, dealt = 0.0, 0
        for rest in combinations(deck[4 + num_board_cards :], 5 - num_board_cards):
            community = format_cards([*board, *rest])
            mine = StandardHighHand.from_game(format_cards(a), community)
            theirs = StandardHighHand.from_game(format_cards(b), community)
            won += 1.0 if mine > theirs else 0.5 if mine == theirs else 0.0
            dealt += 1
        assert hand_equity(a, b, board) == pytest.approx(won / dealt, abs=1e-12)


def _assert_equals_brute_force(spot):
    board, range_a, range_b = spot
    win, tie, total = _by_pairs(range_a, range_b, board)
    if total == 0:
        with pytest.raises(RangeError, match="no pair of hands"):
            range_equity(range_a, range_b, board)
        return
    found = range_equity(range_a, range_b, board)
    expected = (win, tie, total - win - tie, win + tie / 2)
    assert found == pytest.approx(np.array(expected) / total, abs=1e-12)


@settings(deadline=None, max_examples=60)
@given(_spots(5))
def test_range_equity_equals_brute_force_on_the_river(spot):
    _assert_equals_brute_force(spot)


@settings(deadline=None, max_examples=40)
@given(_spots(4))
def test_range_equity_equals_brute_force_on_the_turn(spot):
    _assert_equals_brute_force(spot)


@settings(deadline=None, max_examples=25)
@given(_spots(3))
def test_range_equity_equals_brute_force_on_the_flop(spot):
    _assert_equals_brute_force(spot)


@settings(deadline=None, max_examples=30)
@given(st.sampled_from([0, 3, 4, 5]).flatmap(lambda size: _spots(size, 12)))
def test_each_hands_equity_equals_its_range_of_one(spot):
    board, _, weights = spot
    found = equities(weights, board)
    assert np.isnan(found[np.isin(hand_cards(), board).any(axis=1)]).all()
    for hand in [*np.flatnonzero(weights), 0, 700, 1325]:
        alone = np.zeros(NUM_HANDS)
        alone[hand] = 1.0
        if np.isnan(found[hand]):
            with pytest.raises(RangeError):
                range_equity(alone, weights, board)
        else:
            assert found[hand] == pytest.approx(range_equity(alone, weights, board).equity)


@settings(deadline=None, max_examples=12)
@given(st.integers(0, 2**32), st.sampled_from([0, 3, 4, 5]))
def test_equities_of_both_sides_complement_each_other(seed, num_board_cards):
    rng = np.random.default_rng(seed)
    board = rng.permutation(52)[:num_board_cards].tolist()
    range_a, range_b = rng.random((2, NUM_HANDS)) * (rng.random((2, NUM_HANDS)) < 0.3)
    ours, theirs = range_equity(range_a, range_b, board), range_equity(range_b, range_a, board)

    assert ours.win == pytest.approx(theirs.lose, abs=1e-12)
    assert ours.tie == pytest.approx(theirs.tie, abs=1e-12)
    assert ours.equity + theirs.equity == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("board", ["", "Qs Jh 2h", "Qs Jh 2h 4c", "Qs Jh 2h 4c 9d"])
def test_a_hand_that_blocks_nearly_all_of_a_range_keeps_its_digits(board):
    cards = parse_board(board)
    weights = _range({"AsAh": 1.0, "AhTh": 1.0, "7c3d": 1e-13})
    exact = hand_equity(parse_hand("AhKs"), parse_hand("7c3d"), cards)
    found = equities(weights, cards)[hand_index(*parse_hand("AhKs"))]
    assert found == pytest.approx(exact, rel=1e-12)


def test_no_compatible_opponent_is_nan_and_never_a_rounded_number():
    weights = _range({"AsAh": 0.1, "AsKd": 0.2, "AsQc": 0.3, "Ah2c": 1 / 3})
    for board in ("", "Ts 9h 3d"):
        found = equities(weights, parse_board(board))
        assert np.isnan(found[hand_index(*parse_hand("AsAh"))])
        assert not np.isnan(found[hand_index(*parse_hand("As5h"))])


@pytest.mark.parametrize("matchup", ["AsAh KsKh", "AsAh 7c2d", "8h7h AhKd"])
def test_preflop_counts_equal_direct_enumeration(matchup):
    a, b = (parse_hand(text) for text in matchup.split())
    win, tie = _meet(a, b, [])
    i, j = hand_index(*a), hand_index(*b)
    assert preflop_counts().win[i, j] == round(win * NUM_BOARDS)
    assert preflop_counts().tie[i, j] == round(tie * NUM_BOARDS)
    assert hand_equity(a, b) == pytest.approx(win + tie / 2, abs=1e-12)


@pytest.mark.parametrize(
    ("hand", "against_any"),
    # as printed in every table of hands against a random hand, in percent
    [("AsAh", 85.20), ("KsKh", 82.40), ("AsKs", 67.04), ("2s2h", 50.33), ("3s2h", 32.30)],
)
def test_preflop_equity_against_any_hand_is_the_published_one(hand, against_any):
    found = equities(np.ones(NUM_HANDS))[hand_index(*parse_hand(hand))]
    assert 100 * found == pytest.approx(against_any, abs=0.006)


def test_preflop_table_obeys_its_laws():
    win, tie = preflop_counts()
    free = ~conflicts()
    assert ((win + win.T + tie)[free] == NUM_BOARDS).all()
    assert (tie == tie.T).all()
    assert min(win.min(), tie.min()) == 0
    assert not win[~free].any()
    assert not tie[~free].any()
    equity = preflop_table()
    assert np.isnan(equity[~free]).all()
    assert (equity + equity.T)[free] == pytest.approx(1.0)


def test_pairs_fall_into_the_known_number_of_classes():
    number, _, pairs = pair_classes()
    assert number.max() + 1 == NUM_PAIR_CLASSES == len(np.unique(pairs, axis=0))
    assert (number[conflicts()] == -1).all()
    assert (number[~conflicts()] >= 0).all()


def test_preflop_equity_does_not_depend_on_the_names_of_suits():
    swapped = [hand_index(a ^ 1, b ^ 1) for a, b in HANDS]  # c with d, h with s
    equity = preflop_table()
    assert np.array_equal(equity, equity[np.ix_(swapped, swapped)], equal_nan=True)


def test_preflop_table_is_saved_and_read_unchanged(tmp_path):
    save_preflop_counts(preflop_counts(), tmp_path / "table.npz")
    again = load_preflop_counts(tmp_path / "table.npz")
    assert np.array_equal(again.win, preflop_counts().win)
    assert np.array_equal(again.tie, preflop_counts().tie)


def test_damaged_or_missing_preflop_table_is_refused(tmp_path):
    damaged = tmp_path / "damaged.npz"
    damaged.write_bytes(b"PK\x03\x04 nothing")
    short = tmp_path / "short.npz"
    np.savez(short, win=np.zeros(3, np.uint32), tie=np.zeros(3, np.uint32))
    for path in (damaged, short, tmp_path / "missing.npz"):
        with pytest.raises(FileError, match=path.name):
            load_preflop_counts(path)


@pytest.mark.slow
def test_preflop_table_is_what_all_boards_give():
    computed = compute_preflop_counts()
    assert np.array_equal(computed.win, preflop_counts().win)
    assert np.array_equal(computed.tie, preflop_counts().tie)


@pytest.mark.parametrize(
    ("hands", "board", "reason"),
    [
        (([0, 1], [1, 2]), [], "card 2d at position 3 of the two hands and the board is repeated"),
        (([0, 1], [2, 3]), [10, 11, 3], "card 2s at position 7"),
        (([0, 1, 5], [2, 3]), [], "a hand has two cards, this one has 3"),
        (([0, 1], [2, 52]), [], "card 52"),
        (([0, 1], [2, 3]), [4], "a board has 0, 3, 4 or 5 cards, this one has 1"),
    ],
)
def test_hands_that_cannot_meet_are_refused(hands, board, reason):
    with pytest.raises(CardError, match=reason):
        hand_equity(*hands, board)


@pytest.mark.parametrize(
    ("weights", "reason"),
    [
        (np.ones(169), r"must have 1326 weights, its shape is \(169,\)"),
        (-np.ones(NUM_HANDS), "the weight of 2d2c in the range is -1.0"),
        (np.full(NUM_HANDS, np.nan), "is nan: weights are finite"),
        (["x"] * NUM_HANDS, "must be 1326 numbers"),
    ],
)
def test_bad_ranges_are_refused(weights, reason):
    with pytest.raises(RangeError, match=reason):
        equities(weights)

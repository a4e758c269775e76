"""Nets: suits do not matter, nothing is won from nowhere, slopes are right, stops cost nothing."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endspiel.cards.equity import equities
from endspiel.cards.isomorphism import hand_permutations, renamed_cards
from endspiel.cards.live import live_hands, live_mask
from endspiel.cards.ranges import parse_range
from endspiel.cards.removal import exact_unblocked_weight, unblocked_weights
from endspiel.cards.strength import board_strengths
from endspiel.cards.text import parse_board
from endspiel.errors import FileError
from endspiel.files import save
from endspiel.values.nets import (
    KIND,
    OUTPUTS,
    NetLayer,
    NetRows,
    ValueNet,
    by_bucket,
    by_hand,
    load_net,
    make_rows,
    new_net,
    save_net,
    shipped_net,
)
from endspiel.values.standing import BUCKETS, FACTS, NOW_KNOTS, RANK_KNOTS, stand
from endspiel.values.training import Lesson, Pupil, loss_and_gradients, mean_loss, teach

Ranges = np.ndarray


def some_net(cards: int = 4, seed: int = 0) -> ValueNet:
    """A small net whose outputs are not small."""
    net = new_net(cards, 16, 2, np.random.default_rng(seed))
    net.layers[-1].weight[:] *= 100
    return net


def some_ranges(boards: list[tuple[int, ...]], rng: np.random.Generator) -> Ranges:
    return np.stack([rng.random((2, 1326)) * live_hands(board) for board in boards])


@settings(max_examples=15, deadline=None)
@given(st.permutations(range(52)), st.integers(0, 23), st.sampled_from([3, 4]))
def test_names_of_suits_do_not_matter(deck: list[int], name: int, cards: int) -> None:
    net, board = some_net(cards), np.array(deck[:cards])
    ranges = some_ranges([tuple(deck[:cards])], np.random.default_rng(deck[0]))
    moved = hand_permutations()[name].astype(int)
    there = np.empty_like(ranges)
    there[:, :, moved] = ranges
    plain = net(board[None], np.array([2.0]), ranges)[0]
    found = net(renamed_cards(board)[name][None], np.array([2.0]), there)[0]
    assert found[:, moved] == pytest.approx(plain, abs=1e-4)
    assert np.abs(plain).max() > 0.01
    assert not plain[:, live_hands(tuple(deck[:cards])) == 0].any()


@pytest.mark.parametrize("board", [(0, 14, 28, 45), (3, 7, 11)])
def test_hands_stand_by_their_equity_and_what_they_are_now(board: tuple[int, ...]) -> None:
    shares, facts, _ = stand(board)
    live = live_hands(board) > 0
    assert shares.min() >= 0
    assert shares.sum(axis=1)[live] == pytest.approx(1)
    assert not shares[~live].any()
    grid = shares.reshape(1326, len(RANK_KNOTS), len(NOW_KNOTS))
    rank = grid.sum(axis=2)[live] @ RANK_KNOTS
    equity = equities(live_hands(board), board)[live]
    apart = equity[:, None] > equity[None] + 1e-6
    assert (rank[:, None] - rank[None])[apart].min() > -1e-6  # more equity, no lower
    assert float(np.corrcoef(rank, equity)[0, 1]) > 0.95
    ahead = grid.sum(axis=1)[live] @ NOW_KNOTS
    drawing = board_strengths(board)[live] < 1300  # no pair
    assert ahead[drawing & (rank > 0.5)].max() < 0
    assert facts[:13].sum() == len(board)
    assert len(facts) == FACTS


def test_values_by_bucket_are_means_and_told_by_hand() -> None:
    boards = np.array([(0, 14, 28, 45), (0, 14, 28, 45), (20, 21, 22, 40)])
    rng = np.random.default_rng(3)
    told = rng.normal(size=(3, OUTPUTS)).astype(np.float32)
    hands = by_hand(boards, told)
    for row, board in enumerate(boards):
        shares = stand(tuple(map(int, board))).shares
        for player in (0, 1):
            assert hands[row, player] == pytest.approx(
                shares @ told[row].reshape(2, BUCKETS)[player], abs=1e-4
            )
    same = np.where(live_mask(boards)[:, None], np.float32(0.7), 0).repeat(2, axis=1)
    assert by_hand(boards, by_bucket(boards, same)) == pytest.approx(same, abs=1e-5)


def test_values_add_up_to_nothing_over_all_pairs() -> None:
    boards = [(0, 14, 28, 45), (3, 7, 11, 15), (20, 21, 22, 40)]
    ranges = some_ranges(boards, np.random.default_rng(2))
    found = some_net()(np.array(boards), np.array([0.5, 3.0, 20.0]), ranges)
    for values, (one, two) in zip(found, ranges, strict=True):
        first = one @ (values[0] * exact_unblocked_weight(two))
        second = two @ (values[1] * exact_unblocked_weight(one))
        assert first + second == pytest.approx(0, abs=1e-4 * abs(first))
        assert abs(first) > 0


def test_lines_of_one_board_are_valued_as_any_situations() -> None:
    board, depths, net = (3, 20, 45), np.array([0.5, 3.0, 20.0]), some_net(3)
    ranges = some_ranges([board] * 3, np.random.default_rng(4)).astype(np.float32)
    ask = net.on_board(board, depths)
    ask(0, ranges[::-1].copy())  # what was asked before changes nothing
    plain = net(np.tile(board, (3, 1)), depths, ranges) * unblocked_weights(ranges)[:, ::-1]
    for player in (0, 1):
        found = ask(player, ranges)
        assert found == pytest.approx(plain[:, player], abs=1e-3 * float(np.abs(plain).max()))
        assert np.abs(found).max() > 0.01


def test_weight_left_is_card_removals() -> None:
    ranges = np.random.default_rng(1).random((3, 2, 1326))
    expected = [[exact_unblocked_weight(one) for one in pair] for pair in ranges]
    assert unblocked_weights(ranges) == pytest.approx(np.array(expected))


def lesson(count: int = 6) -> tuple[NetRows, np.ndarray]:
    boards = [(i, 13 + i, 26 + i, 39 + i) for i in range(count)]
    rng = np.random.default_rng(7)
    rows = make_rows(np.array(boards), rng.random(count) * 9, some_ranges(boards, rng))
    targets = rng.normal(size=(count, OUTPUTS)).astype(np.float32)
    return rows, targets


def test_slopes_are_the_losss() -> None:
    net = some_net()
    rows, targets = lesson()
    exact = ValueNet(
        tuple(NetLayer(*(part.astype(float) for part in one)) for one in net.layers), 4
    )
    wide = NetRows(*(part.astype(float) for part in rows))
    _, slopes = loss_and_gradients(net, rows, targets)
    for layer, part, at in ((0, 0, (60, 7)), (1, 1, (3,)), (2, 0, (2, 200)), (2, 1, (90,))):
        array, step = exact.layers[layer][part], 1e-4
        kept, losses = array[at], []
        for way in (1, -1):
            array[at] = kept + way * step
            losses.append(mean_loss(exact, wide, targets.astype(float)))
        array[at] = kept
        slope = (losses[0] - losses[1]) / (2 * step)
        assert slopes[2 * layer + part][at] == pytest.approx(slope, rel=1e-2, abs=1e-9)


def test_teaching_lowers_the_loss_and_a_stop_changes_nothing() -> None:
    rows, targets = lesson()
    plan = Lesson(steps=30, rate=3e-3)

    def batch(rng: np.random.Generator) -> tuple[NetRows, np.ndarray]:
        chosen = rng.integers(0, len(targets), 4)
        return rows.take(chosen), targets[chosen]

    losses: list[float] = []
    whole = Pupil(some_net())
    before = mean_loss(whole.net, rows, targets)
    teach(whole, plan, batch, lambda pupil, loss: losses.append(loss))
    assert len(losses) == 30
    assert mean_loss(whole.net, rows, targets) < 0.8 * before

    def stop(pupil: Pupil, loss: float) -> None:
        if pupil.step == 11:
            raise KeyboardInterrupt

    half = Pupil(some_net())
    with pytest.raises(KeyboardInterrupt):
        teach(half, plan, batch, stop)
    state = {name: array.copy() for name, array in half.state().items()}
    again = Pupil.restored(state, 4)
    teach(again, plan, batch, lambda pupil, loss: None)
    for one, two in zip(whole.net.layers, again.net.layers, strict=True):
        assert np.array_equal(one.weight, two.weight)
        assert np.array_equal(one.bias, two.bias)


def test_nets_are_read_as_they_were_written(tmp_path: Path) -> None:
    net = some_net(cards=3)
    save_net(tmp_path / "net", net, {"steps": 5})
    found, record = load_net(tmp_path / "net")
    assert record["steps"] == 5
    assert found.cards == 3
    assert found.layers[0].weight == pytest.approx(net.layers[0].weight, rel=1e-3, abs=1e-6)


def test_layers_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    layers = {"weight0": np.zeros((5, 4), np.float16), "bias0": np.zeros(4, np.float32)}
    save(tmp_path / "net", KIND, {"cards": 4, "layers": 1}, layers)
    with pytest.raises(FileError, match="layer 0 of the net does not fit"):
        load_net(tmp_path / "net")
    save(tmp_path / "none", KIND, {"cards": 4, "layers": 0}, {})
    with pytest.raises(FileError, match="does not end with a value for every hand"):
        load_net(tmp_path / "none")


@pytest.mark.parametrize("board", ["Ks 7h 2d", "Ts 9s 4c"])
def test_the_shipped_net_knows_what_hands_are_worth(board: str) -> None:
    """With hardly a stack nearly their equity; with more, strong hands more than that."""
    flop = tuple(int(card) for card in parse_board(board))
    ranges = np.stack([parse_range("22+, A2s+, KTs+, QTs+, JTs, T9s, AJo+, KQo")] * 2)
    ranges *= live_hands(flop)
    held = ranges[0] > 0
    equity = equities(ranges[1], flop)[held] - 0.5
    net = shipped_net()
    assert net.cards == 3
    short, deep = net(np.array([flop] * 2), np.array([0.1, 20.0]), np.stack([ranges] * 2))[:, 1]
    assert float(np.corrcoef(short[held], equity)[0, 1]) > 0.9
    assert np.abs(short[held] - equity).mean() < 0.1
    best = equity > np.quantile(equity, 0.95)
    assert deep[held][best].mean() > equity[best].mean() + 0.2

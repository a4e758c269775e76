"""Trees solved with their flops: errors line by line, states to go on from, starts by depth."""

import _thread
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from endspiel.batch.boards import report_flops
from endspiel.batch.preflop_flops import any_spot
from endspiel.batch.preflop_solve import Preflop
from endspiel.cards.class_equity import class_matchups
from endspiel.cards.classes import NUM_CLASSES, class_names, hand_classes
from endspiel.cards.live import live_hands
from endspiel.cards.removal import unblocked_weights
from endspiel.errors import FileError, GameError
from endspiel.games.preflop_tree import PreflopSetting
from endspiel.games.spot import Spot
from endspiel.preflop.flop_lines import FlopLines, Known, flop_menus
from endspiel.preflop.shipped import LineStart, Shipped, beyond_equity, read_shipped, save_shipped
from endspiel.preflop.solving import OFTEN, PlayLimits, PlayProgress, solve_by_play
from endspiel.values.flop_shares import NetFlop
from endspiel.values.nets import shipped_net

TREE = Preflop(PreflopSetting(3000, opens="2.5x", reraises="", max_raises=1, limp=False))
LINE = "r250 c"


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Small products in two threads wait for each other."""
    with threadpool_limits(1):
        yield


@pytest.fixture
def flops(tmp_path: Path) -> str:
    path = tmp_path / "flops.txt"
    path.write_text("Ks 7h 2d 2\n9s 8s 6d 1\n")
    return str(path)


def test_pots_come_to_be_shared_as_the_flops_are_played(flops: str) -> None:
    seen = list[PlayProgress]()
    played = solve_by_play(TREE, flops, PlayLimits(rounds=12, observe=seen.append))
    assert [one.rounds for one in seen] == list(range(1, len(seen) + 1))
    assert seen[-1].gap < 0.03 < seen[0].gap
    (line,) = played.lines
    assert (line.line, line.pot, played.flops, played.stopped) == (LINE, 5.0, 2, False)
    assert line.frequency > OFTEN
    assert played.error == line.error > abs(line.gap)
    value = played.flop_value()
    assert (value["model"], value["lines"][0]["error"]) == ("play", line.error)
    chart = played.charts.node_charts()[0]
    aces = chart["classes"]["AA"]
    assert aces[chart["actions"].index("r250")] > 0.9


def test_classes_get_what_the_flops_give_their_hands(flops: str) -> None:
    game = TREE.game()
    node, boards = game.tree.find(LINE), report_flops(flops, any_spot())
    rng = np.random.default_rng(5)
    classes = rng.random(NUM_CLASSES) ** 3, rng.random(NUM_CLASSES) ** 3
    lines = FlopLines(game, boards, shipped_net(), 1)
    shares = lines.values({node: classes}, 40)[node].shares
    ranges = classes[0][hand_classes()], classes[1][hand_classes()]
    spot = Spot(boards[0].cards, game.pot(node), game.behind(node), ranges, flop_menus(game, node))
    alone = [NetFlop(spot, shipped_net(), 40).share(board) for board in boards]
    won = sum(share.weight * share.ev for share in alone) / sum(share.weight for share in alone)
    # Of each class: how much it meets on these flops, and how much kinder they are to it.
    met, equity = np.zeros(NUM_CLASSES), np.zeros((2, NUM_CLASSES))
    matchups = class_matchups()
    for board in boards:
        live = live_hands(tuple(board.cards)).astype(np.float64)
        left = unblocked_weights(ranges[1] * live) * live
        met += board.weight * np.bincount(hand_classes(), left, NUM_CLASSES)
        against = live_equity(tuple(board.cards))
        equity[0] += board.weight * np.bincount(hand_classes(), against, NUM_CLASSES)
        equity[1] += board.weight * np.bincount(hand_classes(), live, NUM_CLASSES)
    usual = (matchups.chance * matchups.equity).sum(axis=1) / matchups.chance.sum(axis=1)
    raw = shares[0] + equity[0] / equity[1] - usual
    weight = classes[0] * met
    assert weight @ raw / weight.sum() == pytest.approx(won, abs=1e-3)
    lines.known[node] = Known(np.full((2, NUM_CLASSES), 0.25), 0.5)
    again = lines.values({node: classes}, 1)[node]
    assert again.uncertain == 0.5
    np.testing.assert_allclose(again.shares, shares - 0.25, atol=0.03)


def live_equity(board: tuple[int, ...]) -> np.ndarray:
    """Equity of hands against a random one, from all run-outs; 0 for dead hands."""
    import endspiel as es

    live = live_hands(board)
    return np.where(live, np.nan_to_num(es.equities(live.astype(np.float64), board)), 0.0)


def test_a_stopped_run_is_gone_on_with(flops: str, tmp_path: Path) -> None:
    state, seen = tmp_path / "state.es", list[int]()

    def stop(progress: PlayProgress) -> None:
        seen.append(progress.rounds)
        if len(seen) == 2:
            _thread.interrupt_main()  # as Ctrl-C does

    limits = PlayLimits(rounds=4, state=state, observe=stop)
    first = solve_by_play(TREE, flops, limits)
    assert (first.stopped, seen) == (True, [1, 2])
    assert np.isfinite(first.charts.value())
    assert not solve_by_play(TREE, flops, limits).stopped
    assert seen == [1, 2, 3, 4]
    other = Preflop(PreflopSetting(2900, opens="2.5x", reraises="", max_raises=1, limp=False))
    with pytest.raises(FileError, match="of another tree"):
        solve_by_play(other, flops, limits)


def test_a_tree_without_flops_has_nothing_to_play(flops: str) -> None:
    push = Preflop(PreflopSetting(800, opens="a", reraises="", max_raises=1, limp=False))
    with pytest.raises(GameError, match="nothing to play"):
        solve_by_play(push, flops, PlayLimits())


def start(level: float) -> LineStart:
    rows = np.full((2, NUM_CLASSES), level)
    rows[1, 0] = 0.0  # as shares are written down
    return LineStart(rows, rows / 2, level, level / 10, level / 20)


def test_depths_in_between_lie_between(tmp_path: Path) -> None:
    ends = Shipped({10.0: {LINE: start(0.1), "c c": start(0.4)}, 40.0: {LINE: start(0.3)}})
    path = tmp_path / "flops.es"
    save_shipped(ends, path)
    read = read_shipped(path)
    middle = read.near(20)
    assert middle[LINE].beyond[0, 7] == pytest.approx(0.2, abs=1e-3)
    assert middle[LINE].kinder[0, 7] == pytest.approx(0.1, abs=1e-3)
    assert (middle[LINE].error, middle[LINE].uncertain) == (0.03, 0.015)
    assert middle["c c"].frequency == 0.4
    for depth, level in ((5, 0.1), (10, 0.1), (40, 0.3), (80, 0.3)):
        assert read.near(depth)[LINE].frequency == pytest.approx(level)
    assert read.near(4.9) == read.near(81) == {}
    share = start(0.3).share()
    np.testing.assert_allclose(beyond_equity(share), start(0.3).beyond, atol=1e-12)
    assert share[3, 4] == pytest.approx(class_matchups().equity[3, 4])
    assert len(class_names()) == NUM_CLASSES

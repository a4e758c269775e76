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
from endspiel.games.preflop_tree import PreflopGame, PreflopSetting
from endspiel.games.spot import Spot
from endspiel.preflop.flop_lines import FlopLines, FlopSet, Known, flop_menus
from endspiel.preflop.shipped import LineStart, Shipped, read_shipped, save_shipped, shipped
from endspiel.preflop.solving import (
    BY_CHARTS,
    GAP,
    OFTEN,
    PlayLimits,
    solve_by_charts,
    solve_by_play,
)
from endspiel.preflop.street import beyond_equity
from endspiel.progress import Progress
from endspiel.values.flop_shares import NetFlop
from endspiel.values.nets import shipped_net

TREE = Preflop(PreflopSetting(3000, opens="2.5x", reraises="", max_raises=1, limp=False))
LINE, LIMITS = "r250 c", PlayLimits(1e-2)


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
    seen = list[Progress]()
    played = solve_by_play(TREE, flops, PlayLimits(rounds=12, observe=seen.append))
    assert [one.finished for one in seen] == list(range(1, len(seen) + 1))
    assert seen[-1].figures[GAP] < 0.03 < seen[0].figures[GAP]
    (line,) = played.lines
    assert (line.line, line.pot, played.flops, played.stopped) == (LINE, 5.0, 2, False)
    assert line.frequency > OFTEN
    assert played.error == line.error > abs(line.gap)
    value = played.flop_value()
    assert (value["model"], value["lines"][0]["error"]) == ("play", line.error)
    chart = played.charts.node_charts()[0]
    aces = chart["classes"]["AA"]
    assert aces[chart["actions"].index("r250")] > 0.9


def test_what_hands_win_is_of_flops_as_they_are_worth(flops: str) -> None:
    """By a plain walk over the ends: the worth that play or the charts gave, not the formula's."""
    for found in (solve_by_play(TREE, flops, PlayLimits(rounds=1)), solve_by_charts(TREE, LIMITS)):
        charts, won = found.charts, 0.0
        assert charts.preflop.shares.keys() == {LINE}
        for end in charts.preflop.numbering.ends:
            one, two = (charts.reach(end.seqs[player], player) for player in (0, 1))
            won += one @ (charts.preflop.payoff(end.node, 1) * class_matchups().chance) @ two
        assert charts.value() == pytest.approx(won, rel=1e-9)


def test_charts_begin_where_they_are_known() -> None:
    found = solve_by_charts(TREE, LIMITS)
    assert (found.by, found.method, found.flops) == (BY_CHARTS, "dcfr", shipped().flops)
    assert 0 < found.exploitability <= 1.0  # hundredths of a big blind
    (line,) = found.lines
    assert line.error == pytest.approx(
        abs(line.gap) + line.between + np.hypot(line.uncertain, line.net)
    )
    assert line.between > 0  # 2.5 is between 2 and 3
    for wrong, said in (
        (PreflopSetting(3000, ante=10), "without antes"),
        (PreflopSetting(3000, straddle=200), "without a straddle"),
        (PreflopSetting(3000, small_blind=40), "a small blind other than half"),
        (PreflopSetting(30_000), "of stacks from"),
        (PreflopSetting(2500, opens="a", reraises="", max_raises=1, limp=False), "no flop is seen"),
    ):
        with pytest.raises(GameError, match=said):
            solve_by_charts(Preflop(wrong), LIMITS)


def test_classes_get_what_the_flops_give_their_hands(flops: str) -> None:
    game = TREE.game()
    node, boards = game.tree.find(LINE), report_flops(flops, any_spot())
    rng = np.random.default_rng(5)
    classes = rng.random(NUM_CLASSES) ** 3, rng.random(NUM_CLASSES) ** 3
    lines = FlopLines(game, FlopSet(boards, 1), shipped_net())
    shares = lines.values({node: classes}, 40)[node].shares
    ranges = classes[0][hand_classes()], classes[1][hand_classes()]
    pot, behind = game.pot(node), game.behind(node)
    spot = Spot(boards[0].cards, pot, behind, ranges, flop_menus(pot, behind))
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

    def stop(progress: Progress) -> None:
        seen.append(progress.finished)
        if len(seen) == 2:
            _thread.interrupt_main()  # as Ctrl-C does

    limits = PlayLimits(rounds=4, state=state, observe=stop)
    first = solve_by_play(TREE, flops, limits)
    assert (first.stopped, seen) == (True, [1, 2])
    assert np.isfinite(first.charts.value())
    assert not solve_by_play(TREE, flops, limits).stopped
    assert seen == [1, 2, 3, 4]
    other = Preflop(PreflopSetting(2900, opens="2.5x", reraises="", max_raises=1, limp=False))
    with pytest.raises(FileError, match="was made with tree"):
        solve_by_play(other, flops, limits)


def test_a_tree_without_flops_has_nothing_to_play(flops: str) -> None:
    push = Preflop(PreflopSetting(800, opens="a", reraises="", max_raises=1, limp=False))
    with pytest.raises(GameError, match="nothing to play"):
        solve_by_play(push, flops, PlayLimits())


def test_sizes_in_between_lie_between() -> None:
    lines = {"r200 c": 0.1, "r400 c": 0.3, "c c": 0.2, "c r200 c": 0.25}
    known = Shipped({20.0: {line: start(level) for line, level in lines.items()}})
    for to, level in ((200, 0.1), (400, 0.3), (600, 0.3)):
        found = known.starts(tree(2000, f"{to / 100:g}x"))[f"r{to} c"]
        assert found.frequency == pytest.approx(level)
    between = known.starts(tree(2000, "3x"))["r300 c"].frequency
    assert between == pytest.approx(0.1 + 0.2 * np.log(1.5) / np.log(2))
    # No line of the file has two raises: the one of the same raiser takes its place.
    deep = known.starts(tree(2000, "2x", "2x", 2))
    assert deep["r200 r400 c"].frequency == 0.25
    assert deep.keys() == {"c c", "r200 c", "c r200 c", "r200 r400 c", "c r200 r400 c"}


def tree(stack: int, opens: str, reraises: str = "", raises: int = 1) -> PreflopGame:
    return PreflopGame(PreflopSetting(stack, opens=opens, reraises=reraises, max_raises=raises))


def start(level: float) -> LineStart:
    rows = np.full((2, NUM_CLASSES), level)
    rows[1, 0] = 0.0  # as shares are written down
    return LineStart(rows, rows / 2, level, level / 10, level / 20, level / 40)


def test_a_size_of_the_file_has_its_own_error() -> None:
    lines = {"r200 c": start(0.1), "r400 c": start(0.3), "c c": start(0.2)}
    known = Shipped({20.0: lines}).starts(tree(2000, "2x, 4x"))
    for line in ("r200 c", "r400 c"):
        assert known[line][3:] == pytest.approx(lines[line][3:])


def test_depths_in_between_lie_between(tmp_path: Path) -> None:
    ends = Shipped({10.0: {LINE: start(0.1), "c c": start(0.4)}, 40.0: {LINE: start(0.3)}})
    path = tmp_path / "flops.es"
    save_shipped(ends, path)
    read = read_shipped(path)
    middle = read.starts(tree(2000, "2.5x"))
    # In proportion to the share of the chips that is behind: 17.5 of 22.5, 7.5 of 12.5, 37.5 of
    # 42.5.
    part = (17.5 / 22.5) * (0.1 / (7.5 / 12.5) + 0.3 / (37.5 / 42.5)) / 2
    assert middle[LINE].beyond[0, 7] == pytest.approx(part, abs=1e-3)
    assert middle[LINE].kinder[0, 7] == pytest.approx(part / 2, abs=1e-3)
    assert middle[LINE][3:6] == (0.03, 0.015, 0.0075)
    for depth, level in ((500, 0.1), (1000, 0.1), (4000, 0.3), (8000, 0.3)):
        assert read.starts(tree(depth, "2.5x"))[LINE].frequency == pytest.approx(level)
    assert read.starts(tree(490, "2.5x")) == read.starts(tree(8100, "2.5x")) == {}
    share = start(0.3).share()
    np.testing.assert_allclose(beyond_equity(share), start(0.3).beyond, atol=1e-12)
    assert share[3, 4] == pytest.approx(class_matchups().equity[3, 4])
    assert len(class_names()) == NUM_CLASSES

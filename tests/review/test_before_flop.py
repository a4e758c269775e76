"""Decisions before the flop: their trees, what they lose, ranges for the flop, links."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import msgspec
import numpy as np
import pytest

from endspiel.batch.boards import flop_subset
from endspiel.batch.preflop_solve import Preflop
from endspiel.betting.menu import StreetMenu
from endspiel.betting.rake import Rake
from endspiel.cards.class_equity import class_matchups
from endspiel.cards.classes import NUM_CLASSES, class_names
from endspiel.cards.ranges import parse_range
from endspiel.errors import EndspielError
from endspiel.games.preflop_tree import PreflopSetting
from endspiel.preflop.solving import PlayLimits
from endspiel.review.before_flop import JudgedTree, PreflopMenus, PreflopTrees, played_tree
from endspiel.review.judge import Reviewer, ReviewSettings
from endspiel.review.played import FOLDED, BrokenHand, PlayedAction, PlayedHand, PlayedPreflop
from endspiel.review.sources import read_hands
from endspiel.web.messages import PreflopAsked
from endspiel.web.preflops import read_preflop

DATA = Path(__file__).parents[1] / "data"
EVERY = np.ones(1326)
HOW = ReviewSettings(
    (EVERY, EVERY), StreetMenu.parse("66%", ""), first_street=0, last_street=0, page="http://x"
)
SHORT = """
variant = "NT"
antes = [10, 10]
blinds_or_straddles = [50, 100]
min_bet = 100
starting_stacks = [3000, 810]
actions = [
  "d dh p1 KsQd", "d dh p2 7c2h", "p2 cbr 800", "p1 cc", "d db Kc7d2s", "d db 3c", "d db 4c",
]
players = ["Big", "Small"]
"""


@pytest.fixture(autouse=True)
def one_flop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trees that no charts fit, those with antes or a rake, are played on one flop, for a round."""
    monkeypatch.setattr("endspiel.preflop.whole.PlayLimits", lambda: PlayLimits(rounds=1))
    monkeypatch.setattr("endspiel.preflop.solving.report_flops", lambda *given: flop_subset(25)[:1])


def phh(tmp_path: Path, text: str) -> PlayedHand | BrokenHand:
    path = tmp_path / "hand.phh"
    path.write_text(text)
    (hand,) = read_hands(path)
    return hand


def first_hand(room: str = "heads-up") -> PlayedHand:
    hand = next(iter(read_hands(DATA / "hands" / f"{room}.txt")))
    assert isinstance(hand, PlayedHand)
    return hand


@pytest.mark.parametrize("room", ["heads-up", "ggpoker", "888poker", "winamax"])
def test_rooms_tell_what_two_did_before_the_flop(room: str) -> None:
    before = first_hand(room).preflop
    assert before == PlayedPreflop(50, 0, 0, ((0, 1, 250), (0, 0, 250)))
    more = list(read_hands(DATA / "hands" / f"{room}.txt"))[1]
    assert isinstance(more, PlayedHand)
    assert more.preflop is None  # three began


def test_logs_tell_it_too() -> None:
    hands = list(read_hands(DATA / "acpc" / "dealer-nolimit-seed42.log"))
    for hand in hands:
        assert isinstance(hand, PlayedHand)
        assert hand.preflop is not None
        assert (hand.preflop.small_blind, hand.preflop.ante) == (50, 0)
        assert hand.preflop.actions[0].player == 1  # the button begins
        assert bool(hand.starts) == all(one.chips != FOLDED for one in hand.preflop.actions)


def test_antes_and_a_straddle(tmp_path: Path) -> None:
    hand = phh(tmp_path, SHORT)
    assert isinstance(hand, PlayedHand)
    assert hand.preflop == PlayedPreflop(5000, 1000, 0, ((0, 1, 81000), (0, 0, 81000)))
    straddled = SHORT.replace("[50, 100]", "[200, 100]").replace('"p2 cbr 800", "p1 cc"', '"p1 f"')
    hand = phh(tmp_path, straddled)
    assert isinstance(hand, PlayedHand)
    assert hand.preflop is not None
    assert (hand.preflop.straddle, hand.preflop.actions) == (20000, ((0, 0, FOLDED),))
    tree = played_tree(hand, PreflopMenus())
    assert (tree.preflop.setting.straddle, tree.preflop.setting.ante) == (200, 10)
    odd = phh(tmp_path, SHORT.replace("antes = [10, 10]", "antes = [10, 0]"))
    assert isinstance(odd, PlayedHand)
    assert odd.preflop is None


def test_trees_count_hundredths_of_a_big_blind(tmp_path: Path) -> None:
    usual = played_tree(first_hand(), PreflopMenus()).preflop.setting
    assert (usual.stack, usual.small_blind) == (8000, 50)
    assert (usual.opens, usual.reraises) == ("2x, 3x, a, 150c", "3x, a")
    narrow = played_tree(first_hand(), PreflopMenus("2x", "3x")).preflop.setting
    assert (narrow.opens, narrow.reraises) == ("2x, 150c", "3x")
    hand = phh(tmp_path, SHORT)
    assert isinstance(hand, PlayedHand)
    tree = played_tree(hand, PreflopMenus("2x", ""), Rake(0.05, 30000))
    assert (tree.preflop.setting.stack, tree.preflop.setting.ante) == (810, 10)
    assert tree.preflop.setting.opens == "2x, a"
    assert tree.preflop.rake.cap == 300  # three big blinds
    assert [step.chips for step in tree.steps] == [800, 800]
    raised = phh(tmp_path, SHORT.replace("cbr 800", "cbr 230"))
    assert isinstance(raised, PlayedHand)
    tree = played_tree(raised, PreflopMenus())  # antes are no part of a raise
    assert [step.chips for step in tree.steps] == [230, 230]
    assert tree.preflop.setting.opens == "2x, 3x, a, 130c"


def test_a_push_loses_what_it_wins_less_than_folding(tmp_path: Path) -> None:
    hand = phh(tmp_path, SHORT)
    assert isinstance(hand, PlayedHand)
    reviewer = Reviewer(replace(HOW, preflop=PreflopMenus("a", "")))
    push, call = reviewer.review([hand]).judgments
    ((charts, _),) = reviewer.trees.solved.values()
    nodes = {chart["line"]: chart for chart in charts.node_charts()}
    called = np.array([nodes["r800"]["classes"][name][1] for name in class_names()])
    matchups, seven = class_matchups(), class_names().index("72o")
    met = matchups.chance[:, seven]  # of the big blind's classes
    lost = 1 - matchups.equity[:, seven]
    pays = (1 - called) * 1.1 + called * 8.1 * (2 * lost - 1)  # blind and ante, or all of it
    pushed = float(met @ pays / met.sum())
    folded = -0.6
    assert push.blinds == pytest.approx(max(folded - pushed, 0), abs=2e-3)
    assert push.lost == pytest.approx(100 * push.blinds)
    assert (push.player, push.taken, push.node) == ("Small", "raise to 800", "")
    assert push.kind == "before the flop, button, first to act"
    assert (call.player, call.taken, call.best) == ("Big", "call", "call")
    assert (call.node, call.where, call.lost) == ("r800", "r800", 0)
    assert call.kind == "before the flop, big blind, facing a raise"


def test_a_folded_ace_pair_is_the_dearest(tmp_path: Path) -> None:
    text = SHORT.replace("7c2h", "AcAh").replace('"p2 cbr 800", "p1 cc"', '"p2 f"')
    hand = phh(tmp_path, text.partition(', "d db')[0] + "]\nplayers = ['Big', 'Small']\n")
    assert isinstance(hand, PlayedHand)
    assert hand.starts == {}
    review = Reviewer(HOW).review([hand])
    (fold,) = review.judgments
    assert fold.taken == "fold"
    assert fold.blinds > 1
    assert review.lost(0) == (1, fold.blinds)
    assert Reviewer(replace(HOW, first_street=2, last_street=3)).review([hand]).early[0].reason == (
        "it ends before the turn"
    )


def folded_aces(tmp_path: Path, stack: int) -> PlayedHand:
    text = SHORT.replace("7c2h", "AcAh").replace('"p2 cbr 800", "p1 cc"', '"p2 f"')
    text = text.replace("3000, 810", f"{stack}, {stack}").replace("[10, 10]", "[0, 0]")
    hand = phh(tmp_path, text.partition(', "d db')[0] + "]\nplayers = ['Big', 'Small']\n")
    assert isinstance(hand, PlayedHand)
    return hand


def test_charts_of_the_hands_own_depth_judge_it(tmp_path: Path) -> None:
    reviewer = Reviewer(HOW)
    for stack in (10_000, 2_000):
        (fold,) = reviewer.review([folded_aces(tmp_path, stack)]).judgments
        tree = list(reviewer.trees.solved.values())[-1]
        assert fold.by == tree.name == f"charts of {stack // 100} big blinds"
        assert set(tree.errors) == {
            tree.charts.preflop.tree.line(n) for n in tree.charts.preflop.flop_nodes
        }
        assert fold.best.startswith(("raise", "call"))
        assert 0.5 < fold.blinds < 10  # over half a big blind, the one folded
        assert 0 < fold.error < fold.blinds
        assert fold.ranges[1] == "random"


def test_a_loss_within_the_error_is_not_judged(tmp_path: Path) -> None:
    hand = folded_aces(tmp_path, 2_000)
    reviewer = Reviewer(HOW)
    (fold,) = reviewer.review([hand]).judgments
    ((key, tree),) = reviewer.trees.solved.items()
    for times, judged in ((0.9, True), (1.1, False)):
        scale = times * fold.blinds / fold.error
        errors = {line: scale * error for line, error in tree.errors.items()}
        trees = PreflopTrees(solved={key: JudgedTree(tree.charts, errors)})
        review = Reviewer(HOW, trees=trees).review([hand])
        assert len(review.judgments) == judged
        assert len(review.unsure) == (not judged)
        assert review.lost(0) == ((1, fold.blinds) if judged else (0, 0.0))
    (one,) = review.unsure
    assert "fold loses" in one.reason
    assert "charts of 20 big blinds, which may be off by" in one.reason


def test_flops_follow_actions_as_often_as_lines_are_taken(tmp_path: Path) -> None:
    reviewer = Reviewer(HOW)
    reviewer.review([folded_aces(tmp_path, 2_000)])
    ((charts, _),) = reviewer.trees.solved.values()
    for line in ("", "c", "r200"):
        decision = charts.decision(charts.preflop.tree.find(line))
        found, values = dict[str, float](), charts.at(decision)
        for kind in range(NUM_CLASSES):
            for after, chances in charts.flop_chances(decision, kind).items():
                weight = values.own[kind] * values.met[kind]
                share = float(weight * (values.shares[:, kind] @ chances))
                found[after] = found.get(after, 0.0) + share
        lines = {charts.preflop.tree.line(node): node for node in charts.preflop.flop_nodes}
        assert found.keys() == {one for one in lines if one.startswith(f"{line} ".lstrip())}
        for after, often in found.items():
            assert often == pytest.approx(charts.frequency(lines[after]), abs=1e-9)


def test_the_flop_is_solved_with_the_charts_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    hand, seen = first_hand(), list[Any]()

    def told(spot: Any, **more: Any) -> Any:
        seen.append(spot)
        raise EndspielError("not solved")

    monkeypatch.setattr("endspiel.review.judge.solve", told)
    reviewer = Reviewer(replace(HOW, last_street=3))
    review = reviewer.review([hand])
    assert len(review.judgments + review.unsure) == 2
    assert review.broken[-1].reason == "not solved"
    ((charts, _),) = reviewer.trees.solved.values()
    assert parse_range(charts.held(charts.decision(charts.preflop.tree.find("r250")))[0]).all()
    for ours, theirs in zip(seen[0].ranges, charts.ranges(charts.node("r250 c")), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert (seen[0].pot, seen[0].stack) == (500, 7750)


def test_a_line_that_no_chart_takes_leaves_hands_to_play(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("endspiel.games.preflop_charts._FAINT", 2.0)  # as if nobody came
    hand, seen = first_hand(), list[Any]()
    monkeypatch.setattr("endspiel.review.judge.solve", lambda spot, **more: seen.append(spot))
    with pytest.raises(AttributeError):
        Reviewer(replace(HOW, last_street=3)).review([hand])
    assert all(weights.any() for weights in seen[0].ranges)


def test_trees_are_solved_once_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    how = replace(HOW, cache=tmp_path)
    reviewer = Reviewer(how)
    first = reviewer.review([first_hand(), first_hand("winamax")])
    assert (len(reviewer.trees.solved), reviewer.spots) == (1, 1)
    monkeypatch.setattr("endspiel.review.before_flop.solve_whole", None)
    reviewer = Reviewer(how)
    again = reviewer.review([first_hand()])
    assert again.judgments == [one for one in first.judgments if one.hand == "1001"]
    assert again.unsure == [one for one in first.unsure if one.name == "1001"]
    assert len(again.judgments + again.unsure) == 2
    monkeypatch.setattr("endspiel.review.before_flop.shipped_mark", lambda: "other flop values")
    with pytest.raises(TypeError):  # charts of other flop values are not those kept
        Reviewer(how).review([first_hand()])


def test_few_trees_are_held() -> None:
    push = {"opens": "a", "reraises": "", "max_raises": 1, "limp": False}
    stacks = (300, 400, 300, 500, 300)
    trees, held = PreflopTrees(most=2), list[int]()
    for stack in stacks:
        trees.tree(Preflop(PreflopSetting(stack, **push)))  # type: ignore[arg-type]
        held.append(trees.count)
    assert held == [1, 2, 2, 3, 4]
    assert len(trees.solved) == 2


def test_links_solve_the_same_tree_on_the_page(tmp_path: Path) -> None:
    hand = phh(tmp_path, SHORT)
    assert isinstance(hand, PlayedHand)
    reviewer = Reviewer(replace(HOW, rake=Rake(0.05, 300)))
    review = reviewer.review([hand])
    address = unquote(review.judgments[1].link)
    content = json.loads(address.partition("http://x/#/preflop/open/")[2])
    assert content.pop("line") == review.judgments[1].node == "r800"
    asked = read_preflop(msgspec.convert(content, PreflopAsked))
    ((charts, _),) = reviewer.trees.solved.values()
    assert asked.setting == charts.preflop.setting
    assert asked.rake == charts.preflop.rake


@pytest.mark.parametrize(
    ("actions", "said"),
    [
        (((0, 0, 250),), "acts out of turn"),
        (((0, 1, 100), (0, 0, FOLDED)), "checking is free"),
        (((0, 1, FOLDED), (0, 0, 100)), "acts out of turn"),
        (((0, 1, 250),), "the betting before it is not over"),
    ],
)
def test_what_does_not_fit_is_named(actions: Any, said: str) -> None:
    hand = first_hand()
    wrong = replace(
        hand, preflop=PlayedPreflop(50, 0, 0, tuple(PlayedAction(*one) for one in actions))
    )
    how = replace(HOW, last_street=1)
    (broken,) = Reviewer(how).review([wrong]).broken
    assert said in broken.reason


def test_hands_of_more_players_are_named_and_judged_from_the_flop_on() -> None:
    hand = list(read_hands(DATA / "hands" / "heads-up.txt"))[1]
    review = Reviewer(HOW).review([hand])
    assert "others played" in review.broken[0].reason

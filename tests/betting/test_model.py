"""Betting models: the shipped one against the paper's words, rules at known points, bad files."""

import itertools
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endspiel.betting import DECISION, BettingTree, game_tree
from endspiel.betting.grow import Point, TreeSetting
from endspiel.betting.menu import Sizing, StreetMenu, parse_menu
from endspiel.betting.model import BettingModel, Rule, format_model, load_model, parse_model
from endspiel.betting.translation import tree_sizes
from endspiel.betting.tree import BY_CALL, BY_FOLD
from endspiel.errors import BettingError
from endspiel.rules.builtin import load_rules

HOLDEM = load_rules("nolimit-holdem")


@pytest.fixture(scope="module")
def shipped() -> BettingTree:
    return load_model().tree(HOLDEM)


def test_fold_call_and_all_in_are_everywhere(shipped: BettingTree) -> None:
    for node in range(shipped.num_nodes):
        if shipped.kind[node] != DECISION:
            continue
        actions = [int(shipped.action[child]) for child in shipped.children(node)]
        spent = shipped.spent[node]
        assert BY_CALL in actions
        assert (BY_FOLD in actions) == (spent[0] != spent[1])
        if spent.max() < shipped.stack:
            largest = shipped.spent[list(shipped.children(node))[-1]]
            assert largest[shipped.player[node]] == shipped.stack


def test_one_or_two_sizes_in_between_of_those_in_the_paper(shipped: BettingTree) -> None:
    seen = set()
    for node in range(shipped.num_nodes):
        if shipped.kind[node] != DECISION or shipped.spent[node].max() == shipped.stack:
            continue
        children, shares = tree_sizes(shipped, node)
        raises = [s for c, s in zip(children, shares, strict=True) if shipped.action[c] > BY_CALL]
        between = raises[:-1]  # the last is all-in
        assert len(between) <= 2
        pots_behind = raises[-1]
        if pots_behind > 1.5:  # a pot-sized raise is then well short of all-in
            assert len(between) >= 1
        level = int(shipped.spent[node].max())
        for share in between:
            nearest = min((0.5, 2 / 3, 1.0, 1.5, 2.0), key=lambda size: abs(size - share))
            assert share == pytest.approx(nearest, abs=0.51 / (2 * level))  # whole chips
            seen.add(nearest)
    assert seen == {0.5, 2 / 3, 1.0, 1.5, 2.0}


def test_sizes_depend_on_the_history(shipped: BettingTree) -> None:
    assert shipped.words(0) == ["f", "c", "r300", "r500", "r20000"]
    assert shipped.words(shipped.find("r300")) == ["f", "c", "r900", "r1200", "r20000"]
    assert shipped.words(shipped.find("r300 r900")) == ["f", "c", "r2700", "r20000"]
    assert shipped.words(shipped.find("r300 c /")) == ["c", "b400", "b900", "b19700"]
    assert shipped.words(shipped.find("r300 c / c c /")) == ["c", "b300", "b600", "b19700"]


def test_a_model_of_one_rule_is_a_menu() -> None:
    menu = parse_menu("50%, a")
    model = BettingModel("plain", (Rule(parse_menu("50%")),), 0.1, 0.2)
    sizing = Sizing((StreetMenu((menu, menu), (menu, menu)),) * 4, None, 0.0, 0.1, 0.2)
    ours, theirs = model.tree(HOLDEM, 2, 4000), game_tree(HOLDEM, sizing, 2, 4000)
    assert ours.show() == theirs.show()


def test_conditions_pick_points() -> None:
    model = parse_model(
        """
        [[rule]]
        street = "river"
        checked = true
        sizes = "200%"
        [[rule]]
        street = ["river", "turn"]
        position = "out"
        raises = [0, 1]
        sizes = "50%"
        [[rule]]
        behind = [0.0, 2.5]
        sizes = ""
        [[rule]]
        sizes = "100%"
        """
    )
    river = model.tree(HOLDEM, 3, 1000)
    assert river.words(0) == ["c", "b500", "b19500"]
    assert river.words(river.find("c")) == ["c", "b2000", "b19500"]
    # Against 500 of 1000 the pot is 2000 after a call, and 19000 are behind: the last rule.
    assert river.words(river.find("b500")) == ["f", "c", "r2500", "r19500"]
    # Against 2500 the pot is 6000 and 17000 are behind, 2.8 pots; against 8500 less than one.
    assert river.words(river.find("b500 r2500")) == ["f", "c", "r8500", "r19500"]
    assert river.words(river.find("b500 r2500 r8500")) == ["f", "c", "r19500"]


def test_what_is_behind_counts_after_a_call() -> None:
    """Of stacks of 3,500, against 500 into 1,000, a call leaves 3,000 behind a pot of 2,000."""
    table = TreeSetting(pot=1000, stack=3500, first_players=(0,) * 4, min_bet=1)
    point = Point(street=3, player=1, spent=(500, 0), begun=0, step=500, raises=1, passed=1)
    for low, high, fits in ((1.5, 2.0, True), (0.0, 1.5, False), (1.51, 9.0, False)):
        assert Rule((), behind=(low, high)).fits(table, point) == fits


def test_checked_means_a_check_before_any_bet() -> None:
    table = TreeSetting(pot=1000, stack=3500, first_players=(0,) * 4, min_bet=1)
    first = Point(street=3, player=0, spent=(0, 0), begun=0, step=1)
    checked = first._replace(player=1, passed=1)
    raised = first._replace(spent=(0, 500), passed=1, raises=1)
    for point, was_checked in ((first, False), (checked, True), (raised, False)):
        assert Rule((), checked=True).fits(table, point) == was_checked
        assert Rule((), checked=False).fits(table, point) != was_checked


rules = st.builds(
    Rule,
    st.sampled_from(["", "50%", "50%, 100%", "2e, 300c"]).map(parse_menu),
    st.none() | st.lists(st.integers(0, 3), min_size=1, max_size=3).map(tuple),
    st.none() | st.lists(st.integers(0, 4), min_size=1, max_size=3).map(tuple),
    st.sampled_from([None, 0, 1]),
    st.sampled_from([None, True, False]),
    st.sampled_from([(0.0, 5.0), (1.5, 30.0)]),
)
models = st.builds(
    BettingModel,
    st.sampled_from(["", "mine"]),
    st.lists(rules, max_size=4).map(tuple),
    st.sampled_from([0.0, 0.15]),
    st.sampled_from([0.0, 0.1]),
)


@given(models)
@settings(max_examples=50, deadline=None)
def test_a_written_model_reads_back(model: BettingModel) -> None:
    assert parse_model(format_model(model)) == model


def test_the_shipped_model_reads_back_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(format_model(load_model()))
    assert load_model(path) == load_model()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("sizes = ", "is no TOML"),
        ("bets = 1", "no key 'bets'"),
        ("[rule]\nsizes = ''", r"\[\[rule\]\]"),
        ("[[rule]]\nraises = 1", "rule 1: sizes are a text"),
        ("[[rule]]\nsizes = ''\n[[rule]]\nsizes = '50'", "rule 2: '50' at position 1"),
        ("[[rule]]\nsizes = ''\nstreet = 'fifth'", "no street 'fifth'"),
        ("[[rule]]\nsizes = ''\nposition = 'button'", "'in' or 'out', not 'button'"),
        ("[[rule]]\nsizes = ''\nchecked = 1", "true or false, not 1"),
        ("[[rule]]\nsizes = ''\nraises = 'two'", "whole number"),
        ("[[rule]]\nsizes = ''\nbehind = [1.0]", "two numbers"),
        ("[[rule]]\nsizes = ''\nbehind = [-1, 2]", "0 or more"),
        ("merging_threshold = inf", "finite"),
        ("name = 3", "not a text"),
    ],
)
def test_bad_files_are_refused(text: str, complaint: str) -> None:
    with pytest.raises(BettingError, match=complaint):
        parse_model(text)


def test_missing_models_and_limit_games_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BettingError, match="neither a file nor tartanian5"):
        load_model(tmp_path / "none.toml")
    with pytest.raises(BettingError, match="fixed limits"):
        load_model().tree(load_rules("limit-holdem"))


def test_two_sizes_never_coincide(shipped: BettingTree) -> None:
    for node in range(shipped.num_nodes):
        actions = [int(shipped.action[child]) for child in shipped.children(node)]
        assert all(a < b for a, b in itertools.pairwise(actions))

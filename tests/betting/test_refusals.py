"""Refusals in full, one sentence each, and what lies just on the other side of each bound."""

from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from endspiel.betting import (
    Counts,
    Sizing,
    StreetMenu,
    game_tree,
    limit_tree,
    no_limit_tree,
    parse_menu,
)
from endspiel.betting.from_state import state_tree
from endspiel.betting.menu import MAX_CHIPS
from endspiel.betting.model import load_model, parse_model
from endspiel.betting.translation import MAPPINGS, Bet, find_mapping
from endspiel.errors import BettingError
from endspiel.rules.builtin import load_rules
from endspiel.rules.state import FOLD, start

HOLDEM = load_rules("nolimit-holdem")
LIMIT = load_rules("limit-holdem")
MENU = Sizing.same(StreetMenu.parse("a", "a"))
KEYS = "there are street, raises, position, checked, behind, sizes"


def rule(text: str) -> Callable[[], Any]:
    return lambda: parse_model(f"[[rule]]\n{text}", "mine.toml")


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (
            lambda: no_limit_tree(100, 1000, 1, MENU, limit=3),
            "the betting tree has more than 3 nodes: growth stopped there and lines are still "
            "open; use fewer sizes, a smaller max_raises or a higher limit",
        ),
        (
            lambda: no_limit_tree(100, MAX_CHIPS + 1, 1, MENU),
            "the stack is 2147483648; it is 1 to 2147483647 chips",
        ),
        (
            lambda: no_limit_tree(100, 100, 4, MENU),
            "street 4: a tree starts on the flop (1), turn (2) or river (3)",
        ),
        (
            lambda: game_tree(LIMIT, MENU),
            f"game {LIMIT.name} has fixed limits, not a menu; see limit_tree",
        ),
        (
            lambda: limit_tree(HOLDEM),
            f"game {HOLDEM.name} has no fixed limits; see game_tree",
        ),
        (
            lambda: state_tree(start(HOLDEM).apply(FOLD), MENU),
            "the hand is over after 'f': nothing follows",
        ),
        (
            lambda: state_tree(start(LIMIT), MENU),
            f"game {LIMIT.name} has fixed limits, not a menu",
        ),
        (
            lambda: game_tree(HOLDEM, MENU, 4, 400),
            f"game {HOLDEM.name} has streets 0 to 3, no 4",
        ),
        (
            lambda: game_tree(HOLDEM, MENU, 1, 401),
            "the pot is 401; both players put in the same, at least a chip",
        ),
        (
            lambda: game_tree(HOLDEM, MENU, 1),
            "the pot is 0; both players put in the same, at least a chip",
        ),
        (
            lambda: load_model().tree(HOLDEM, 1),
            "the pot is 0; both players put in the same, at least a chip",
        ),
        (
            lambda: limit_tree(LIMIT, 1),
            "the pot is 0; both players put in the same, at least a chip",
        ),
        (
            lambda: game_tree(HOLDEM, MENU, 1, 40_000),
            "a pot of 40000 leaves nothing of stacks of 20000",
        ),
        (
            lambda: game_tree(replace(HOLDEM, stacks=(20_000, 10_000)), MENU),
            f"game {HOLDEM.name} has stacks (20000, 10000); a tree needs equal ones",
        ),
        (
            lambda: limit_tree(load_rules("holdem.limit.3p")),
            f"game {load_rules('holdem.limit.3p').name} has 3 players; a tree is for two",
        ),
        (
            lambda: Sizing((None,) * 3),
            "menus for 3 streets; give 4, None where there is no betting to come",
        ),
        (lambda: Sizing((None,) * 4, -1), "max_raises is -1; it is 0 or more"),
        (
            lambda: Sizing((None,) * 4, merging_threshold=MAX_CHIPS + 1.0),
            "merging_threshold is 2147483648.0; it is a number from 0 to 2147483647",
        ),
        (lambda: Sizing((None,) * 4).menu(0), "no menu for the preflop"),
        (
            lambda: parse_menu("1x", raising=True),
            "'1x' at position 1 of the menu: a raise is more than 1 times the last bet",
        ),
        (
            lambda: parse_menu("a, 2x"),
            "'2x' at position 4 of the menu: a multiple of the last bet is a raise, not a bet",
        ),
        (
            lambda: parse_menu("1.5c"),
            "'1.5c' at position 1 of the menu: chips are a whole number",
        ),
        (
            lambda: parse_menu("2147483648c"),
            "'2147483648c' at position 1 of the menu: a size is at most 2147483647",
        ),
        (
            lambda: parse_menu("e2147483648%"),
            "'e2147483648%' at position 1 of the menu: a size is at most 2147483647",
        ),
        (
            lambda: parse_menu("101e"),
            "'101e' at position 1 of the menu: a geometric size is over 1 to 100 streets",
        ),
        (
            lambda: parse_menu(f"50%,  {'z' * 50}"),
            f"'{'z' * 40}' at position 7 of the menu: "
            "a size is written like 50%, 2.5x, 100c, e, 3e, 3e200% or a",
        ),
        (
            lambda: Bet.of_chips(100, 100, 300),
            "a bet to 100 over a last bet of 100 into a pot of 300: "
            "chips must exceed the last bet, and the pot 0",
        ),
        (lambda: Bet(0.0), "a bet or raise is more than a call, not 0.0 of the pot"),
        (
            lambda: MAPPINGS["pseudo-harmonic"](2.0, 3.0, 1.0, 5.0),
            "a mapping needs sizes 0 <= A < B and a pot above 0, "
            "not A = 3.0, B = 1.0 and a pot of 5.0",
        ),
        (
            lambda: MAPPINGS["pseudo-harmonic"]([1.5, 4.0], 1.0, 3.0),
            "pseudo-harmonic maps bets from 1.0 to 3.0, not 4.0",
        ),
        (
            lambda: find_mapping("x"),
            f"there is no mapping 'x': mappings are {', '.join(MAPPINGS)}",
        ),
        (
            lambda: load_model("nothing.toml"),
            "no betting model 'nothing.toml': neither a file nor tartanian5",
        ),
        (
            lambda: load_model().tree(LIMIT),
            f"game {LIMIT.name} has fixed limits; a model is for no limit",
        ),
        (lambda: parse_model("name = 3"), "the model: name is 3, not a text"),
        (
            lambda: parse_model("rule = 3", "mine.toml"),
            "mine.toml: rules are tables that begin with [[rule]]",
        ),
        (
            lambda: parse_model("merging_threshold = inf", "mine.toml"),
            "mine.toml: merging_threshold is a finite number",
        ),
        (
            lambda: parse_model("merging_threshold = true", "mine.toml"),
            "mine.toml: merging_threshold is True, not a number of 0 or more",
        ),
        (rule("size = 1"), f"mine.toml, rule 1: no key 'size'; {KEYS}"),
        (rule(""), "mine.toml, rule 1: sizes are a text like '50%, 100%', empty for none"),
        (
            rule("sizes = ''\nstreet = ['flop', 'fifth']"),
            "mine.toml, rule 1: no street 'fifth'; there are preflop, flop, turn, river",
        ),
        (
            rule("sizes = ''\nraises = [1, true]"),
            "mine.toml, rule 1: raises is a whole number or a list of them, not [1, True]",
        ),
        (
            rule("sizes = ''\nbehind = 2.5"),
            "mine.toml, rule 1: behind is two numbers, [from, below], not 2.5",
        ),
        (
            rule("sizes = ''\nbehind = [1.5, 'x']"),
            "mine.toml, rule 1: behind is 'x', not a number of 0 or more",
        ),
        (
            rule("sizes = ''\nposition = 'button'"),
            "mine.toml, rule 1: position is 'in' or 'out', not 'button'",
        ),
        (
            rule("sizes = ''\nchecked = 0"),
            "mine.toml, rule 1: checked is true or false, not 0",
        ),
    ],
)
def test_sentences(build: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(BettingError) as caught:
        build()
    assert str(caught.value) == sentence


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    path = tmp_path / "latin.toml"
    path.write_bytes(b'name = "\xff"')
    with pytest.raises(BettingError, match=rf"^betting model: {path}, line 1, is not text"):
        load_model(path)


def test_an_unknown_model_is_told_what_there_is() -> None:
    with pytest.raises(BettingError) as caught:
        load_model("tartanian")
    said = str(caught.value)
    assert said.startswith("no betting model 'tartanian': neither a file nor ")
    assert said.partition("nor ")[2].split(", ") == sorted(
        path.stem for path in (files("endspiel.betting") / "data").iterdir()
    )


def test_faults_of_a_file_are_told_with_its_name(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("name = 3")
    with pytest.raises(BettingError, match=rf"^{path}: name is 3, not a text$"):
        load_model(path)


def test_the_bounds_themselves_are_allowed() -> None:
    assert parse_menu("100e, e2147483647%, 2147483647c, 1.01x", raising=True)
    assert parse_menu("1e")[0].number == 1.0
    assert Sizing((None,) * 4, 0, MAX_CHIPS, MAX_CHIPS, MAX_CHIPS).max_raises == 0
    assert no_limit_tree(1, 1, 3, MENU).num_nodes > 1
    assert no_limit_tree(MAX_CHIPS, MAX_CHIPS, 3, MENU).stack == MAX_CHIPS
    whole = no_limit_tree(100, 100, 3, MENU)
    assert no_limit_tree(100, 100, 3, MENU, limit=whole.num_nodes).num_nodes == whole.num_nodes
    with pytest.raises(BettingError, match="more than"):
        no_limit_tree(100, 100, 3, MENU, limit=whole.num_nodes - 1)
    assert game_tree(HOLDEM, MENU, 3, 39_998).words(0) == ["c", "b1"]
    assert game_tree(HOLDEM, MENU, 0, 200).words(0) == ["c", "b19900"]  # no blinds to raise
    assert game_tree(HOLDEM, MENU, 3, 2).pot == 2
    assert Bet.of_chips(101, 100, 1).share == 1.0


def test_counts_weigh_streets_by_their_boards() -> None:
    tree = no_limit_tree(100, 300, 2, MENU)
    turn, river = tree.street_counts()[:, 2], tree.street_counts()[:, 3]
    assert tree.counts((7, 100)) == Counts(*(7 * turn + 100 * river))
    assert tree.counts() == Counts(*(turn + river))
    assert tree.counts((1, 10**30)).showdowns == 10**30 * int(river[2])  # without overflow
    with pytest.raises(BettingError, match=r"^boards of 1 streets; this tree has 2$"):
        tree.counts((1,))


def test_the_columns_of_a_tree_are_read_only() -> None:
    tree = no_limit_tree(100, 300, 2, MENU)
    for name in ("kind", "player", "street", "spent", "parent", "first_child", "action"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(tree, name)[0] = 1
    assert tree.spent.dtype == tree.action.dtype == np.int64
    assert tree.parent.dtype == tree.first_child.dtype == np.int32

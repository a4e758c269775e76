"""Gambit files: what is read, what is refused, and nothing else comes out."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endspiel.engine.schemes import SCHEMES
from endspiel.errors import EndspielError, FileError, GameError
from endspiel.game import Profile, exploitability
from endspiel.games.efg import load_efg, parse_efg
from endspiel.games.openspiel import from_openspiel
from endspiel.solvers.firstorder.cfr import CFR

DATA = Path(__file__).parent.parent / "data" / "efg"
HEAD = 'EFG 2 R "x" { "A" "B" }\n'


def solved_value(game, iterations=2000):
    solver = CFR(game, SCHEMES["cfr+"])
    for _ in range(iterations):
        solver.step()
    return exploitability(game, solver.average())


def test_hand_written_kuhn_has_the_exact_value():
    game = load_efg(DATA / "kuhn-rational.efg")
    assert game.name == "One-card poker with rational deals"
    assert game.num_infosets == 12
    found = solved_value(game)
    assert found.mean < 1e-4
    assert found.value == pytest.approx(-1 / 18, abs=1e-4)


def test_names_of_the_file_become_labels():
    labels = load_efg(DATA / "kuhn-rational.efg").labels
    assert labels is not None
    assert "card 3 after pass" in labels[1].infosets[0]
    assert labels[0].actions[0][0] == ("pass", "bet")


def test_outcomes_add_up_along_the_path_and_numbers_may_be_of_any_kind():
    game = load_efg(DATA / "antes.efg")
    assert game.name == 'Payments along the path "add up"'
    assert game.labels is not None
    assert game.labels[1].actions == ((("1", "2"),),)
    # Entries: stay 1/2 (half the time) beside nothing; pay then 8.5 or -1.5; down pays 1/2.
    dense = game.matrix.toarray()
    assert dense[0, 0] == pytest.approx(0.25)
    assert sorted(dense[1:, :].ravel()[dense[1:, :].ravel() != 0]) == pytest.approx(
        [-0.75, 0.25, 4.25]
    )


def test_imperfect_recall_becomes_shared_rows():
    game = load_efg(DATA / "forgetful.efg")
    rows = game.plexes[0].rows
    assert rows is not None
    assert game.plexes[0].num_infosets == 2
    with pytest.raises(GameError, match="perfect recall"):
        game.require_perfect_recall("the LP")
    CFR(game, SCHEMES["cfr+"]).step()


def test_chance_rounded_to_six_digits_is_accepted_and_normalized():
    sixths = " ".join(f'"{i}" 0.166667' for i in range(6))
    leaves = "\n".join(f't "" {i + 1} "" {{ 6 -6 }}' for i in range(6))
    game = parse_efg(f'{HEAD}c "" 1 "" {{ {sixths} }} 0\n{leaves}')
    assert game.matrix.sum() == pytest.approx(6, abs=1e-14)


@pytest.mark.parametrize("name", ["kuhn_poker", "leduc_poker", "tiny_hanabi"])
def test_openspiel_exports_equal_direct_imports(name):
    pyspiel = pytest.importorskip("pyspiel")
    from open_spiel.python.algorithms.gambit import export_gambit

    text = export_gambit(pyspiel.load_game(name))
    if name == "tiny_hanabi":  # a game of shared payoffs
        with pytest.raises(GameError, match="general-sum"):
            parse_efg(text)
        return
    ours, direct = parse_efg(text), from_openspiel(name)
    assert ours.num_infosets == direct.num_infosets
    assert ours.matrix.nnz == direct.matrix.nnz
    a, b = (exploitability(game, Profile.uniform(game)) for game in (ours, direct))
    np.testing.assert_allclose((a.value, *a.best), (b.value, *b.best), rtol=1e-12)
    a, b = (solved_value(game, 100) for game in (ours, direct))
    np.testing.assert_allclose((a.value, *a.best), (b.value, *b.best), rtol=1e-8)


CHANCE = HEAD + 'c "" 1 "" { "a" 0.5 "b" 0.5 } 0\n'
MOVE = HEAD + 'p "" 1 1 "" { "a" "b" } 0\n'
LEAF = 't "" 1 "" { 1 -1 }\n'

REFUSED = [
    ("", "line 1: expected EFG, found the end of the file"),
    ("NFG 1 R", "line 1: expected EFG, found word 'NFG'"),
    ('EFG 1 R "x" { "A" "B" }', "line 1: format version 1 is unknown"),
    ('EFG 2 Q "x" { "A" "B" }', "expected R or D, found word 'Q'"),
    ("EFG 2 R x", "expected the game's title in quotes, found word 'x'"),
    ('EFG 2 R "x" { "A" "B" "C" }', "the game has 3 players: two must play"),
    ('EFG 2 R "x" { "A" }', "the game has 1 player: two must play"),
    ('EFG 2 R "x" { "A" ', "line 1: expected players or }, found the end of the file"),
    ('EFG 2 R "x', "line 1: a quoted string is not closed"),
    (HEAD, "line 2: expected c or p or t, found the end of the file"),
    (HEAD + "\n\nq", "line 4: expected c or p or t, found word 'q'"),
    (HEAD + 't "" 1.5', "line 2: expected the outcome's number, found number '1.5'"),
    (HEAD + 't "" $', "line 2: cannot read '$'"),
    (HEAD + 't "" 7', "line 2: outcome 7 is used before its payoffs are listed"),
    (HEAD + 't "" 1 "" { 1 }', "line 2: outcome 1 has 1 payoffs for two players"),
    (HEAD + 't "" 1 "" { 1/0 1 }', "line 2: a payoff is no finite number: number '1/0'"),
    (HEAD + 't "" 1 "" { 1e999 1 }', "line 2: a payoff is no finite number: number '1e999'"),
    (HEAD + 't "" 1 "" { 1 x }', "line 2: expected a payoff, found word 'x'"),
    (HEAD + 't "end" 1 "" { 1 1/3 }', "terminal node 'end' pays 1 and 0.333333333333"),
    (HEAD + 't "" 1 "" { 1e-9 1e-9 }', "line 2: the game is general-sum"),
    (MOVE + 't "" 1 "" { 1e19 -1e19 }\nt "" 2 "" { 1 1 }', "line 4: the game is general-sum"),
    (HEAD + LEAF + LEAF, "line 3: the tree is complete, but word 't' follows"),
    (MOVE + LEAF, "line 4: expected c or p or t, found the end of the file"),
    (MOVE + LEAF + 't "" 1 "" { 2 -2 }', "line 4: outcome 1 pays otherwise than on line 3"),
    (HEAD + 'p "" 3 1 "" { "a" } 0', "line 2: player 3 does not exist"),
    (HEAD + 'p "" 1 1 0', "line 2: player 1's infoset 1 is used before its actions"),
    (HEAD + 'p "" 1 1 "" { } 0', "line 2: a move needs at least one action"),
    (HEAD + 'p "" 1 1 "" { a } 0', "expected an action's name in quotes, found word 'a'"),
    (MOVE + 'p "" 1 1 "" { "a" } 0', "line 3: player 1's infoset 1 has other actions"),
    (CHANCE + 'c "" 1 "" { "a" 0.4 "b" 0.6 } 0', "line 3: chance's infoset 1 has other actions"),
    (HEAD + 'c "" 1 "" { "a" 0.5 "b" 0.4 } 0', "line 2: the probabilities of a chance move sum"),
    (HEAD + 'c "" 1 "" { "a" 1.5 "b" -0.5 } 0', "line 2: number '1.5' is no probability"),
    (HEAD + 'c "" 1 "" { "a" "b" } 0', "expected the probability of action 'a', found string 'b'"),
    (HEAD + 'c "" 1 0', "line 2: chance's infoset 1 is used before its actions"),
]


@pytest.mark.parametrize(("text", "message"), REFUSED, ids=range(len(REFUSED)))
def test_refusals_name_line_and_token(text, message):
    with pytest.raises(GameError) as caught:
        parse_efg(text, "game.efg")
    assert message in str(caught.value)
    assert str(caught.value).startswith("game.efg, line ")


def test_general_sum_games_are_refused_by_terminal():
    with pytest.raises(GameError, match=r"line 4: .*terminal node 'both' pays 3 and 3"):
        load_efg(DATA / "prisoners.efg")


def test_missing_and_binary_files(tmp_path):
    with pytest.raises(FileError, match="there is no file"):
        load_efg(tmp_path / "none.efg")
    (tmp_path / "binary.efg").write_bytes(b"EFG \xff\xfe")
    with pytest.raises(FileError, match="not UTF-8"):
        load_efg(tmp_path / "binary.efg")


def test_deep_trees_need_no_recursion():
    depth = 20_000
    lines = [f'p "" {i % 2 + 1} {i} "" {{ "go" "stop" }} 0' for i in range(depth)]
    ends = [LEAF] + ['t "" 1'] * depth
    game = parse_efg(HEAD + "\n".join([*lines, *ends]))
    assert game.num_infosets == depth


def test_long_runs_of_digits_are_read_in_linear_time():
    with pytest.raises(GameError, match="no finite number"):
        parse_efg(HEAD + 't "" 1 "" { ' + "9" * 200_000 + "/3 1 }")
    with pytest.raises(GameError, match="cannot read"):
        parse_efg(HEAD + 't "" 1 "" { ' + "1" * 200_000 + "x }")


PIECES = ["{", "}", ",", "1", "2", "0", "-1", "1/2", "0.5", "1e3", "c", "p", "t", '"a"', '""', "\n"]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=30))
def test_token_soup_only_raises_our_errors(pieces):
    _parse_or_refuse(HEAD + " ".join(pieces))


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_damaged_files_only_raise_our_errors(data):
    name = data.draw(st.sampled_from(["antes", "forgetful", "kuhn-rational"]))
    text = (DATA / f"{name}.efg").read_text()
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 20)))
        text = text[:start] + data.draw(st.text(max_size=4) | st.sampled_from(PIECES)) + text[end:]
    _parse_or_refuse(text)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60))
def test_any_text_only_raises_our_errors(text):
    _parse_or_refuse(text)


def _parse_or_refuse(text):
    try:
        game = parse_efg(text)
    except EndspielError:
        return
    assert np.isfinite(game.matrix.data).all()

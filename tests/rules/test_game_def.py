"""Game definitions: built-in games, printing, defaults, and refusals of files that make no game."""

import contextlib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endspiel.errors import EndspielError, RulesError
from endspiel.rules.builtin import ALIASES, builtin_names, load_rules
from endspiel.rules.game_def import (
    UNLIMITED_CHIPS,
    UNLIMITED_RAISES,
    GameDef,
    format_game,
    parse_game,
)
from tests.rules.hands import ACPC, games, no_limit_games

SMALL = (ACPC / "kuhn.limit.3p.game").read_text()


@given(games)
def test_a_printed_game_reads_back(game: GameDef) -> None:
    assert parse_game(format_game(game), game.name) == game


@pytest.mark.parametrize("path", sorted(ACPC.glob("holdem*.game")), ids=lambda path: path.name)
def test_competition_files_print_as_they_are(path: Path) -> None:
    assert format_game(load_rules(path)) == path.read_text()


def test_every_built_in_game_loads() -> None:
    for name in builtin_names():
        assert load_rules(name) == load_rules(f"{name}.game")
        assert load_rules(name).name == name
    for alias, name in ALIASES.items():
        assert load_rules(alias) == load_rules(name)


def test_the_papers_games() -> None:
    limit = load_rules("limit-holdem")
    assert (limit.blinds, limit.raise_sizes) == ((10, 5), (10, 10, 20, 20))
    assert limit.max_raises == (3, 4, 4, 4)
    flop = load_rules("flop-holdem")
    assert (flop.blinds, flop.stacks, flop.num_rounds) == ((100, 50), (20000, 20000), 2)
    assert flop.first_players == (1, 0)
    assert len(load_rules("leduc").deck) == 6
    assert len(load_rules("kuhn").deck) == 3
    assert load_rules("rhode-island").ranking == "three-card"


def test_missing_values_take_the_dealers_defaults() -> None:
    text = "\n".join(
        line for line in SMALL.splitlines() if not line.startswith(("firstPlayer", "maxRaises"))
    )
    game = parse_game(text, "defaults")
    assert game.stacks == (UNLIMITED_CHIPS,) * 3
    assert game.max_raises == (UNLIMITED_RAISES,)
    assert game.first_players == (0,)


def test_case_comments_spaces_and_line_ends_do_not_matter() -> None:
    text = "# a comment\r\n\r\n" + SMALL.upper().replace(" = ", "\t=  ").replace("\n", " # x\r\n")
    assert parse_game(text, "kuhn.limit.3p") == load_rules("kuhn.limit.3p")


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("GAMEDEF\nlimit", "limit", "begins with GAMEDEF"),
        ("END GAMEDEF", "", "END GAMEDEF"),
        ("numPlayers = 3", "numPlayers = 11", "numPlayers must be one number, 1 to 10"),
        ("numPlayers = 3", "numPlayers = 2 3", "numPlayers must be one number"),
        ("numPlayers = 3", "", "numPlayers must be"),
        ("numRounds = 1", "numRounds = 5", "numRounds must be one number, 1 to 4"),
        ("blind = 1 1 1", "blind = 1 1", "blind has 2 values; it needs 3, one a player"),
        ("blind = 1 1 1", "blind = 1 1 1\nstack = 9 9 0", "player 3 has blind 1 and stack 0"),
        ("blind = 1 1 1", "blind = 1 1 1\nstack = 1 1 1", "no player a chip"),
        ("blind = 1 1 1", "blind = 1 -1 1", "player 2 has blind -1"),
        ("blind = 1 1 1", "blind = 1 1 99999999999", "line 5: blind is an integer of up to 10"),
        ("blind = 1 1 1", "blind = 1 1 9999999999", "player 3"),
        ("blind = 1 1 1", "blind = 1 x 1", "line 5: blind is an integer"),
        ("blind = 1 1 1", "blind =", "line 5: blind has no value"),
        ("blind = 1 1 1", "blind = 1 1 1\nblind = 1 1 1", "line 6: blind is given twice"),
        ("blind = 1 1 1", "blinds = 1 1 1", "line 5: blinds is no key"),
        ("raiseSize = 1", "raiseSize = 0", "raise sizes"),
        ("raiseSize = 1", "", "raiseSize has 0 values"),
        ("firstPlayer = 1", "firstPlayer = 4", "first players"),
        ("maxRaises = 1", "maxRaises = 256", "max raises"),
        ("numRanks = 4", "numRanks = 2", "deals 3 cards from a deck of 2"),
        ("numBoardCards = 0", "numBoardCards = 8", "board cards"),
        ("numBoardCards = 0", "numBoardCards = 0\nranking = lowball", "no ranking 'lowball'"),
        ("numBoardCards = 0", "numBoardCards = 0\nranking = three-card", "compares hands of 3"),
        ("numSuits = 1", "%%%", "line 9: cannot read"),
    ],
)
def test_a_bad_file_is_refused_with_the_place(old: str, new: str, why: str) -> None:
    with pytest.raises(RulesError, match=why):
        parse_game(SMALL.replace(old, new, 1), "bad")


def test_bad_files(tmp_path: Path) -> None:
    with pytest.raises(RulesError, match="neither a file nor one of"):
        load_rules("no-such-game")
    with pytest.raises(RulesError, match="cannot read"):
        load_rules(tmp_path)
    with pytest.raises(RulesError, match=r"cannot read|neither"):
        load_rules("a\0b")
    binary = tmp_path / "binary.game"
    binary.write_bytes(b"GAMEDEF\n\xff\xfe\n")
    with pytest.raises(RulesError, match="not text"):
        load_rules(binary)


@given(no_limit_games(), st.integers(-5, 300))
def test_only_a_rules_error_refuses_a_definition(game: GameDef, value: int) -> None:
    for change in (
        {"blinds": (value, *game.blinds[1:])},
        {"stacks": game.stacks[:-1]},
        {"num_hole_cards": value},
        {"num_board_cards": (value,) * game.num_rounds},
        {"num_ranks": value},
    ):
        with contextlib.suppress(RulesError):
            replace(game, **change)


@given(st.data())
def test_mutated_files_raise_nothing_else(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([path.read_text() for path in ACPC.glob("*.game")]))
    at = data.draw(st.integers(0, len(text)))
    gone = data.draw(st.integers(0, 12))
    new = data.draw(st.text(max_size=12) | st.sampled_from(["0", "-1", "9" * 5000, "\n", " 1 2"]))
    try:
        game = parse_game(text[:at] + new + text[at + gone :], "mutated")
    except EndspielError:
        return
    assert parse_game(format_game(game), "mutated") == game

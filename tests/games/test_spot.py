"""Spots: the benchmark files, what the loader refuses, and that only our errors come out."""

import contextlib
import io
import json
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from endspiel.betting import Counts, Sizing, StreetMenu
from endspiel.cards.deck import hand_index
from endspiel.cards.isomorphism import hand_permutations, suit_permutations
from endspiel.cards.ranges import parse_range
from endspiel.cards.text import parse_board, parse_hand
from endspiel.errors import BettingError, CardError, EndspielError, FileError, GameError, RangeError
from endspiel.games.libratus import hand_order, parse_endgame
from endspiel.games.spot import Spot, load_spot, parse_spot
from tests.betting.strategies import SIZINGS

SPOTS = Path(__file__).parents[1] / "data" / "spots"
FILES = sorted([*SPOTS.glob("*.toml"), *SPOTS.glob("libratus/*.txt")])
RIVER: dict[str, Any] = {
    "board": "Qs Jh 2h 4c 7d",
    "pot": 200,
    "stack": 900,
    "ranges": ["TT-22", "AA, KQs:0.5"],
    "river": {"bet": "50%", "raise": "60%"},
}


def changed(**changes: Any) -> dict[str, Any]:
    """The river spot with other values; None takes a key away."""
    return {key: value for key, value in {**RIVER, **changes}.items() if value is not None}


def boards(spot: Spot) -> tuple[int, ...]:
    """Boards of each street that no relabeling of suits, fixing board and ranges, makes equal."""
    symmetries = [
        suits
        for suits, hands in zip(suit_permutations(), hand_permutations(), strict=True)
        if {4 * (c // 4) + int(suits[c % 4]) for c in spot.board} == set(spot.board)
        and (spot.weights[:, hands] == spot.weights).all()
    ]

    def orbits(deals: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
        return [
            deal
            for deal in deals
            if deal == min(tuple(4 * (c // 4) + int(s[c % 4]) for c in deal) for s in symmetries)
        ]

    counts, deals = [1], [()]
    for _ in range(5 - len(spot.board)):
        grown = [(*d, c) for d in deals for c in range(52) if c not in (*d, *spot.board)]
        deals = orbits(grown)  # the least of an orbit begins with the least of its own orbit
        counts.append(len(deals))
    return tuple(counts)


@pytest.mark.parametrize(
    ("name", "hands", "counts"),
    [
        ("river_a", [1081, 1081], Counts(188, 0, 187, 186)),
        ("river_b", [400, 480], Counts(32, 0, 31, 30)),
    ],
)
def test_benchmark_rivers(name: str, hands: list[int], counts: Counts) -> None:
    spot = load_spot(SPOTS / f"{name}.toml")
    assert (spot.weights > 0).sum(axis=1).tolist() == hands
    assert spot.tree().counts() == counts


@pytest.mark.parametrize(
    ("name", "hands", "num_boards", "decisions"),
    [
        ("turn", [416, 495], (1, 48), 3_280),
        # Cards that suit symmetry makes equal are counted once; all told apart it is 151,908.
        ("flop", [426, 506], (1, 36, 1429), 92_472),
    ],
)
def test_benchmark_turn_and_flop(
    name: str, hands: list[int], num_boards: tuple[int, ...], decisions: int
) -> None:
    spot = load_spot(SPOTS / f"{name}.toml")
    assert (spot.weights > 0).sum(axis=1).tolist() == hands
    assert boards(spot) == num_boards
    assert spot.tree().counts(num_boards).decisions == decisions


def test_all_flop_decisions_when_no_card_is_left_out() -> None:
    tree = load_spot(SPOTS / "flop.toml").tree()
    assert tree.counts((1, 49, 49 * 48)).decisions == 151_908


def test_libratus_files() -> None:
    order = hand_order()
    first = [parse_hand(text) for text in ("2s2h", "2s2d", "2s2c", "2s3s", "2s3h")]
    assert order[:5].tolist() == [hand_index(*hand) for hand in first]
    assert order[-1] == hand_index(*parse_hand("AdAc"))
    assert sorted(order) == list(range(1326))
    spot = load_spot(SPOTS / "libratus" / "subgame1.txt")
    assert spot.board == tuple(parse_board("7s9h9cTc"))
    assert (spot.pot, spot.stack) == (500, 19_750)
    assert spot.ranges[0][hand_index(*parse_hand("2s2d"))] == 0.24590964455339098
    assert spot.ranges[1][hand_index(*parse_hand("AdAc"))] == 0.9757236104961685
    assert spot.tree().words(0) == ["c", "b250", "b500", "b19750"]


def test_libratus_weights_over_one_are_scaled_down() -> None:
    reach = ["0"] * 2652
    reach[1000], reach[1001], reach[2000] = "4", "1.0E0", "5e-1"
    game = parse_endgame(f"-round 4 -board 2s3s4s5s7h -pot 20 -reach {' '.join(reach)}")
    assert sorted(game.ranges[0])[-2:] == [0.25, 1.0]
    assert game.ranges[1].max() == 0.5


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_spots_read_back(path: Path, tmp_path: Path) -> None:
    spot = load_spot(path)
    spot.save(tmp_path / "spot.toml")
    assert load_spot(tmp_path / "spot.toml") == spot
    (tmp_path / "spot.json").write_text(json.dumps(tomllib.loads(spot.dump())))
    assert load_spot(tmp_path / "spot.json") == spot


@settings(max_examples=40, deadline=None)
@given(SIZINGS, st.integers(1, 2**31 - 1), st.integers(1, 2**31 - 1))
def test_any_menus_read_back(sizing: Sizing, pot: int, stack: int) -> None:
    sizing = Sizing((None, *sizing.streets[1:]), sizing.max_raises, sizing.add_allin_threshold)
    ranges = (parse_range("random"), parse_range("AA,KQs:0.25"))
    spot = Spot(tuple(parse_board("2c3c4c")), pot, stack, ranges, sizing)
    assert parse_spot(tomllib.loads(spot.dump())) == spot


def test_a_big_blind_reads_back_and_changes_no_tree() -> None:
    spot = parse_spot(changed(big_blind=20))
    assert spot.big_blind == 20
    again = parse_spot(tomllib.loads(spot.dump()))
    assert again.big_blind == 20
    assert again == parse_spot(RIVER)  # the same game
    assert "big_blind" not in parse_spot(RIVER).dump()
    with pytest.raises(GameError, match="big_blind is 0; it is a whole number of chips"):
        parse_spot(changed(big_blind=0))
    with pytest.raises(FileError, match="big_blind"):
        parse_spot(changed(big_blind=2.5))


def test_ranges_file(tmp_path: Path) -> None:
    (tmp_path / "game.txt").write_bytes((SPOTS / "libratus/subgame3.txt").read_bytes())
    path = tmp_path / "spot.toml"
    menu = '[river]\nbet = ["50%", "a"]\n'
    path.write_text('ranges_file = "game.txt"\nboard = "2s9hTc8h4s"\nstack = 19750\n' + menu)
    spot = load_spot(path)
    assert spot.board == tuple(parse_board("4s8hTc9h2s"))
    assert spot.tree().words(0) == ["c", "b250"]
    for wrong in ('board = "2s9hTc8h5s"', "pot = 400", "stack = 900", 'ranges = ["AA", "KK"]'):
        path.write_text(f'ranges_file = "game.txt"\n{wrong}\n{menu}')
        with pytest.raises(FileError, match=rf"spot\.toml: {wrong.split()[0]}"):
            load_spot(path)
    path.write_text('ranges_file = "none.txt"\n' + menu)
    with pytest.raises(FileError, match=r"ranges_file 'none\.txt': there is no file"):
        load_spot(path)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"bored": 1}, FileError, "no key 'bored'"),
        ({"pot": None}, FileError, "the key pot is missing"),
        ({"river": None}, FileError, "the key river is missing"),
        ({"pot": "200"}, FileError, "pot must be a whole number, not '200'"),
        ({"pot": True}, FileError, "pot must be a whole number"),
        ({"pot": 200.0}, FileError, "pot must be a whole number"),
        ({"pot": 0}, GameError, "pot is 0"),
        ({"stack": -5}, GameError, "stack is -5"),
        ({"stack": 16**9000}, FileError, "stack is over"),
        ({"board": [16**9000]}, FileError, "board must be text in quotes"),
        ({"board": "Qs Jh"}, CardError, "board: a board has"),
        ({"board": ""}, GameError, "board has 0 cards"),
        ({"board": "Qs Jh 2h 4c Qs"}, CardError, "board: card Qs .* repeated"),
        ({"ranges": ["AA"]}, FileError, "ranges are two texts"),
        ({"ranges": ["AA", "AX"]}, RangeError, r"ranges\[1\]: 'AX' at position 1"),
        ({"ranges": ["QsQh", "AA"]}, RangeError, "the range out of position has no hand"),
        ({"ranges": ["AA", "2h2d"]}, RangeError, "the range in position has no hand"),
        ({"ranges": ["AsAh", "AsKs"]}, RangeError, "nothing can be dealt"),
        ({"max_raises": 1.5}, FileError, "max_raises must be a whole number"),
        ({"max_raises": -1}, BettingError, "max_raises is -1"),
        ({"merging_threshold": "0"}, FileError, "merging_threshold must be a number"),
        ({"merging_threshold": float("nan")}, BettingError, "merging_threshold is nan"),
        ({"river": "50%"}, FileError, "river must be a table"),
        ({"river": {"raise": "a"}}, FileError, r"\[river\] lacks the key bet"),
        ({"river": {"bet": "a", "check": "a"}}, FileError, r"no key 'check' in \[river\]"),
        ({"river": {"bet": 50}}, FileError, r"bet in \[river\] is a menu"),
        ({"river": {"bet": ["a", "a", "a"]}}, FileError, r"bet in \[river\] is a menu"),
        ({"river": {"bet": "a", "donk": ["a", "a"]}}, FileError, r"donk in \[river\]"),
        ({"river": {"bet": "2x"}}, BettingError, r"bet in \[river\]: '2x' at position 1"),
        ({"river": {"bet": "a", "raise": ["a", "y"]}}, BettingError, r"raise in \[river\]: 'y'"),
    ],
)
def test_refusals_name_the_key(
    change: dict[str, Any], error: type[EndspielError], message: str
) -> None:
    with pytest.raises(error, match=message):
        parse_spot(changed(**change))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("spot.toml", b"\xff\xfe", "is not text: byte 1"),
        ("spot.toml", b"board = ", "this is no TOML"),
        ("spot.toml", b"pot = 0x" + b"f" * 9000, "pot|missing"),
        ("spot.toml", b"a = " + b"[" * 100_000, "this is no TOML"),
        ("spot.json", b"[" * 100_000, "this is no JSON"),
        ("spot.json", b"[]", "a spot is a JSON object"),
        ("spot.json", b'{"pot": 1, "pot": 2}', "given twice"),
        ("spot.txt", b"", "there is no -round"),
        ("spot.txt", b"-round 4 -round 4", "'-round' is given twice"),
        ("spot.txt", b"-round 3 -board 2s3s4s5s7h -pot 2 -reach 0", "-round 3 needs 4"),
        ("spot.txt", b"-round 4 -board 2s3s4s5s7h -pot 3 -reach 0", "-pot is 3"),
        ("spot.txt", b"-round 4 -board 2s3s4s5s7h -pot 2 -reach nan", "'nan'"),
        ("spot.txt", b"-round 4 -board 2s3s4s5s7h -pot 2 -reach 1", "-reach has 1 numbers"),
        ("spot.yaml", b"", "a spot file is"),
    ],
)
def test_bad_files_are_named(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(EndspielError, match=message) as caught:
        load_spot(path)
    assert str(path) in str(caught.value)


def test_files_that_cannot_be_read_or_written(tmp_path: Path) -> None:
    for path in (tmp_path / "none.toml", tmp_path, "a\0b.toml"):
        with pytest.raises(FileError):
            load_spot(path)
    with pytest.raises(FileError):
        load_spot(SPOTS / "river_b.toml").save(tmp_path)


def test_spots_are_checked_and_keep_their_own_arrays() -> None:
    weights = parse_range("AA")
    sizing = Sizing((None, None, None, StreetMenu.parse("a")))
    board = tuple(parse_board("2c3c4c5d9h"))
    spot = Spot(board, 10, 10, (weights, weights), sizing)
    weights[:] = 1.0
    assert spot.ranges[0].sum() == 6.0
    assert spot != 3
    with pytest.raises(GameError, match="not of different cards"):
        Spot((1, 1, 2, 3, 4), 10, 10, (weights, weights), sizing)
    with pytest.raises(BettingError, match="no menu for the turn"):
        Spot(board[:4], 10, 10, (weights, weights), sizing)
    with pytest.raises(RangeError, match="weights"):
        Spot(board, 10, 10, (weights[:5], weights), sizing)
    assert np.all(spot.weights[:, hand_index(board[0], board[1])] == 0.0)


KEYS = st.sampled_from(
    [*RIVER, "ranges_file", "max_raises", "turn", "flop", "bet", "raise", "donk"]
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["50%", "a", "AA", "random", "Qs Jh 2h", "2s3s4s5s6s", "game.txt", ""])
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(KEYS | st.text(max_size=4), VALUES, max_size=5))
def test_any_content_is_a_spot_or_an_error_of_ours(changes: dict[str, Any]) -> None:
    with contextlib.suppress(EndspielError):
        assert isinstance(parse_spot({**RIVER, **changes}, "/nowhere"), Spot)


@settings(
    max_examples=150,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    st.sampled_from(FILES),
    st.lists(
        st.tuples(st.integers(0, 2**20), st.integers(0, 3), st.binary(max_size=3)), max_size=4
    ),
    st.sampled_from([".toml", ".json", ".txt"]),
)
@example(FILES[0], [], ".json")
def test_damaged_files_are_a_spot_or_an_error_of_ours(
    tmp_path: Path, source: Path, edits: list[tuple[int, int, bytes]], suffix: str
) -> None:
    data = source.read_bytes()
    for at, width, patch in edits:
        at %= len(data)
        data = data[:at] + patch + data[at + width :]
    path = tmp_path / f"spot{source.suffix if edits else suffix}"
    path.write_bytes(data)
    with contextlib.suppress(EndspielError):
        assert isinstance(load_spot(path), Spot)


@pytest.mark.parametrize("written", ["toml", "json"])
def test_a_spot_is_read_from_standard_input(written: str, monkeypatch: pytest.MonkeyPatch) -> None:
    spot = load_spot(SPOTS / "river_b.toml")
    text = spot.dump()
    if written == "json":
        text = json.dumps(tomllib.loads(text))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert load_spot("-").dump() == spot.dump()


def test_standard_input_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with Path("/dev/zero").open() as endless:
        monkeypatch.setattr("sys.stdin", endless)
        with pytest.raises(FileError, match=r"standard input: it has more than 67,108,864 bytes"):
            load_spot("-")


def test_of_two_stacks_the_smaller_is_played_for() -> None:
    content = {
        "board": "Qs Jh 2h 4c 8d", "pot": 200, "ranges": ["QQ", "JJ"], "river": {"bet": "a"},
    }  # fmt: skip
    for stacks in ([900, 600], [600, 5000]):
        assert parse_spot(content | {"stack": stacks}) == parse_spot(content | {"stack": 600})
    for wrong in ([900], [900, "600"], [900, True], [1, 2, 3]):
        with pytest.raises(FileError, match="stack"):
            parse_spot(content | {"stack": wrong})

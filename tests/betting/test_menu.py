"""Menus: what they mean, what they refuse, and that they read back."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endspiel.betting import Size, Sizing, StreetMenu, format_menu, parse_menu
from endspiel.errors import BettingError
from tests.betting.strategies import BETS, RAISES


def test_every_kind_of_size() -> None:
    assert parse_menu("33%, 2.5x,100c , e,3e,3e200%,.5%, A,", raising=True) == (
        Size("%", 33.0),
        Size("x", 2.5),
        Size("c", 100.0),
        Size("e"),
        Size("e", 3.0),
        Size("e", 3.0, 200.0),
        Size("%", 0.5),
        Size("a"),
    )
    assert parse_menu("") == parse_menu("  ") == ()
    assert parse_menu("e")[0].cap == math.inf


def test_menus_are_written_plainly() -> None:
    menu = parse_menu("33.0%,2.50x,100c,e,3e,3e200%,.5%,A", raising=True)
    assert format_menu(menu) == "33%, 2.5x, 100c, e, 3e, 3e200%, 0.5%, a"


def test_one_menu_may_serve_all_streets() -> None:
    menu = StreetMenu.parse("50%", "2x")
    assert Sizing.same(menu, 3) == Sizing((menu,) * 4, 3)
    assert Sizing.same(menu).max_raises is None


@given(BETS)
def test_bets_read_back(text: str) -> None:
    menu = parse_menu(text)
    assert parse_menu(format_menu(menu)) == menu


@given(RAISES)
def test_raises_read_back(text: str) -> None:
    menu = parse_menu(text, raising=True)
    assert parse_menu(format_menu(menu), raising=True) == menu


@given(st.floats(0, 2**31 - 1))
def test_numbers_read_back_to_the_last_bit(number: float) -> None:
    menu = (Size("%", number), Size("e", 2.0, number))
    assert parse_menu(format_menu(menu)) == menu


@pytest.mark.parametrize(
    ("text", "token", "position"),
    [
        ("50%, 5y", "5y", 6),
        ("50%,, a", "", 5),
        ("2.5x", "2.5x", 1),
        ("a, 10", "10", 4),
        ("+42%", "+42%", 1),
        ("-30%", "-30%", 1),
        ("12.3c", "12.3c", 1),
        ("0e", "0e", 1),
        ("101e", "101e", 1),
        ("3e7", "3e7", 1),
        ("1e2e3", "1e2e3", 1),
        ("1a", "1a", 1),
        ("٣%", "٣%", 1),
        ("nan%", "nan%", 1),
        ("9999999999c", "9999999999c", 1),
        ("e9999999999%", "e9999999999%", 1),
    ],
)
def test_refusals_name_token_and_position(text: str, token: str, position: int) -> None:
    with pytest.raises(BettingError) as caught:
        parse_menu(text)
    assert f"{token!r} at position {position} of the menu" in str(caught.value)


@pytest.mark.parametrize("text", ["1x", "0x", "x"])
def test_a_multiple_must_raise(text: str) -> None:
    with pytest.raises(BettingError):
        parse_menu(text, raising=True)


@given(st.text(alphabet="0123456789.%xcea, +-", max_size=12))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        menu = parse_menu(text, raising=True)
    except BettingError:
        return
    assert parse_menu(format_menu(menu), raising=True) == menu


def test_one_menu_for_both_players_or_one_each() -> None:
    both = StreetMenu.parse("50%", "60%")
    assert both.bets[0] == both.bets[1] == parse_menu("50%")
    each = StreetMenu.parse(["50%", "33%"], ["2x", ""], donk="25%")
    assert each.bets == (parse_menu("50%"), parse_menu("33%"))
    assert each.raises == (parse_menu("2x", raising=True), ())
    assert each.donk == parse_menu("25%")
    with pytest.raises(BettingError, match="3 menus"):
        StreetMenu.parse(["a", "a", "a"])


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_raises": -1},
        {"add_allin_threshold": -0.1},
        {"force_allin_threshold": math.nan},
        {"merging_threshold": math.inf},
    ],
)
def test_sizing_refuses_what_makes_no_sense(wrong: dict[str, float]) -> None:
    with pytest.raises(BettingError, match=next(iter(wrong))):
        Sizing((None,) * 4, **wrong)  # type: ignore[arg-type]

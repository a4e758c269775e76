"""Nodes by name: suit-symmetric images, and errors that name the first word that does not fit."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endspiel.cards.deck import hand_masks
from endspiel.cards.strength import board_strengths
from endspiel.cards.text import format_card, parse_card
from endspiel.errors import BettingError, RangeError
from endspiel.games.card_game import CardGame
from endspiel.games.nodes import find_place
from endspiel.solving.door import solve
from endspiel.solving.solution import SpotSolution
from endspiel.solving.spots import SpotOptions, card_game
from tests.solving.spots import RIVER, SYMMETRIC_FLOP, SYMMETRIC_TURN, TURN, spot


@pytest.fixture(scope="module")
def flop() -> CardGame:
    return card_game(spot(SYMMETRIC_FLOP))


@pytest.fixture(scope="module")
def turn() -> SpotSolution:
    return solve(spot(TURN), iterations=10)


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_every_deal_is_found_with_its_own_hands(flop: CardGame, data: st.DataObject) -> None:
    board = flop.tree.streets[0][0].cards
    live = st.sampled_from([card for card in range(52) if card not in board])
    dealt = data.draw(st.lists(live, min_size=2, max_size=2, unique=True))
    place = find_place(flop, "c c /{} c c / {}".format(*map(format_card, dealt)))
    assert place.cards == (*board, *dealt)
    dead = np.uint64(sum(1 << card for card in place.cards))
    for player in (0, 1):
        hands = place.hands(flop, player)
        held = np.flatnonzero((flop.tree.ranges[player] > 0) & ((hand_masks() & dead) == 0))
        assert sorted(hands.tolist()) == held.tolist()
        strengths = board_strengths(place.cards)[hands].astype(int)
        assert (np.diff(strengths) >= 0).all()  # hands are kept in order of strength


@pytest.mark.parametrize(
    ("content", "nodes"),
    [
        (SYMMETRIC_TURN, ["", "c", "c c / 3c", "c c / 3d", "c b75 c / As b188", "b75 c / Qd c"]),
        (SYMMETRIC_FLOP, ["c c / 2s c c / 3d", "c c / 2d c c / 3s c", "c c /Td c c /Tc"]),
    ],
)
def test_folded_boards_say_what_boards_apart_say(
    content: dict[str, object], nodes: list[str]
) -> None:
    # A few iterations only: later, 32-bit rounding tips what is nearly indifferent.
    folded = solve(spot(content), iterations=6)
    apart = solve(spot(content), options=SpotOptions(symmetry=False), iterations=6)
    assert folded.game.num_nodes < apart.game.num_nodes
    assert folded.value == pytest.approx(apart.value, abs=1e-5)
    for node in nodes:
        one, two = folded.view(node), apart.view(node)
        assert one.board == two.board
        for values in ("reach", "ev", "equity"):
            both = [view.by_hand(getattr(view, values)) for view in (one, two)]
            assert np.allclose(*both, rtol=1e-3, atol=1e-3, equal_nan=True), (node, values)
        for a in range(len(one.actions)):
            assert np.allclose(
                one.by_hand(one.strategy[a]), two.by_hand(two.strategy[a]), atol=1e-3
            )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x", "no 'x' at the start: there are c, b200"),
        ("c b5", "no 'b5' after 'c': there are c, b200"),
        ("c c", "a card is dealt after 'c c': name it, as in 'c c / 8h'"),
        ("c c /", "a card is dealt after 'c c': name it"),
        ("c c b200", "a card is dealt after 'c c': name it"),
        ("c c / c", "'c' is no card"),
        ("c c / Qs", "Qs cannot be dealt: it is on the board Qs Jh 2h 4c"),
        ("c c / 8h b200 f", "no player decides after 'c c / 8h b200 f': the betting is over"),
        ("c c / 8h b200 f c", "no 'c' after 'c c / 8h b200 f': the hand is over"),
        ("c / 8h", "no '/' after 'c': there are c, b200"),
    ],
)
def test_bad_nodes(turn: SpotSolution, text: str, message: str) -> None:
    with pytest.raises(BettingError) as error:
        turn.view(text)
    assert message in str(error.value)


def test_hands(turn: SpotSolution) -> None:
    assert sum(turn.strategy("", "AhJd").values()) == pytest.approx(1)
    assert sum(turn.strategy("", "TT,KQs").values()) == pytest.approx(1)
    with pytest.raises(RangeError, match="no hand of 'AA' is in the range out of position on Qs"):
        turn.strategy("", "AA")
    with pytest.raises(RangeError, match="in position on Qs Jh 2h 4c 9h"):
        turn.strategy("c c / 9h c", "Th9h")


def test_reach_is_range_times_own_play() -> None:
    solution = solve(spot(RIVER), iterations=20)
    weights = solution.spot.weights
    assert np.array_equal(solution.reach("", 0), weights[0])
    root, reply = solution.view(""), solution.view("b100")
    bet = root.by_hand(root.strategy[root.actions.index("b100")])
    assert np.allclose(solution.reach("b100", 0), weights[0] * bet)
    assert np.array_equal(solution.reach("b100", 1), weights[1])
    assert reply.to_call == 100
    assert reply.pot == 300


def test_hands_with_a_dealt_card_do_not_reach_the_river(turn: SpotSolution) -> None:
    holding = (hand_masks() >> np.uint64(parse_card("Jd"))) & np.uint64(1) == 1
    for player in (0, 1):
        assert turn.reach("", player)[holding].any()
        after = turn.reach("c c / Jd", player)
        assert not after[holding].any()
        assert after.any()


def test_every_node_is_told_once() -> None:
    for content in (RIVER, SYMMETRIC_TURN):
        solution = solve(spot(content), iterations=2)
        names = [view.node for view in solution.views()]
        assert len(names) == len(set(names)) == solution.game.num_nodes


def test_after_a_flop_every_turn_and_its_rivers_are_told_in_order() -> None:
    """Where nothing is bet and suits differ: two decisions on each board, rivers of each turn."""
    content = {**RIVER, "board": "Qs Jh 2d", "ranges": ["AsKs", "9c8d"]}
    for street in ("flop", "turn", "river"):
        content[street] = {"bet": "", "raise": ""}
    solution = solve(spot(content), options=SpotOptions(symmetry=False), iterations=1)
    board = solution.game.tree.streets[0][0].cards
    deck = [card for card in range(52) if card not in board]
    expected = ["", "c"]
    for turn_card in deck[:3]:
        turn_line = f"c c / {format_card(turn_card)}"
        expected += [turn_line, f"{turn_line} c"]
        for river in deck:
            if river != turn_card:
                line = f"{turn_line} c c / {format_card(river)}"
                expected += [line, f"{line} c"]
    found = [view.node for view in islice(solution.views(), len(expected))]
    assert found == expected

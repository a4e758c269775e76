"""The state machine: laws over random play, refusals, the dealer's own answers, side pots."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endspiel.errors import IllegalAction, StateError
from endspiel.rules.acpc import parse_betting, parse_state
from endspiel.rules.builtin import load_rules
from endspiel.rules.deal import Deal
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import CALL, FOLD, State, start
from tests.rules.hands import ACPC, plays

NO_LIMIT = load_rules("nolimit-holdem")
LIMIT = load_rules("limit-holdem")


@given(plays(to_end=True))
def test_chips_are_conserved(play: tuple[State, Deal]) -> None:
    state, deal = play
    payoffs = state.payoffs(deal)
    assert sum(payoffs) == pytest.approx(0, abs=1e-9)
    for chips, spent, stack in zip(payoffs, state.spent, state.game.stacks, strict=True):
        assert -spent <= chips <= state.pot - spent
        assert spent <= stack
    if len(payoffs) == 2:
        assert all(isinstance(chips, int) for chips in payoffs)


@given(plays(), st.integers(-3, 300))
def test_an_action_is_accepted_exactly_when_legal(play: tuple[State, Deal], action: int) -> None:
    state, _ = play
    bounds = state.raise_bounds()
    legal = not state.finished and (
        action == CALL
        or (action == FOLD and state.to_call > 0)
        or (bounds is not None and bounds[0] <= action <= bounds[1])
    )
    assert state.can(action) is legal
    if legal:
        after = state.apply(action)
        assert after.line.startswith(state.line)
        assert sum(after.spent) >= sum(state.spent)
    else:
        with pytest.raises(IllegalAction, match=r"after|no action"):
            state.apply(action)
    if not state.finished:
        assert state.can(state.mend(action))


@given(plays())
def test_every_listed_action_is_legal(play: tuple[State, Deal]) -> None:
    state, _ = play
    actions = state.legal_actions()
    assert bool(actions) is not state.finished
    assert len(set(actions)) == len(actions)
    for action in actions:
        state.apply(action)


@given(plays())
def test_applying_changes_nothing(play: tuple[State, Deal]) -> None:
    state, _ = play
    before = tuple(state)
    for action in state.legal_actions():
        assert state.apply(action) == state.apply(action)
    assert tuple(state) == before


def test_the_dealer_gives_the_same_answers() -> None:
    game: GameDef | None = None
    answers = 0
    for line in (ACPC / "dealer-answers.txt").read_text().splitlines():
        if line.startswith("# game "):
            game = load_rules(ACPC / line.removeprefix("# game "))
        if line.startswith("#"):
            continue
        assert game is not None
        text, answer = line.split(";")
        shown = parse_state(game, text)
        state = shown.state
        if state.finished:
            payoffs = state.payoffs(Deal(shown.holes, shown.board))
            ours = "end" + "".join(f"|{chips:.6f}" for chips in payoffs)
        else:
            bounds = state.raise_bounds()
            # In limit the dealer reports the sizes as 0.
            least, most = bounds if bounds and game.no_limit else (0, 0)
            ours = f"{state.actor}|{bounds is not None:d}|{least}|{most}|{state.can_fold():d}"
        assert (text, ours) == (text, answer)
        answers += 1
    assert answers > 1500


@pytest.mark.parametrize(
    ("line", "action", "why"),
    [
        ("", 199, "at least 200 and at most 20000"),
        ("", 20001, "at least 200 and at most 20000"),
        ("c", FOLD, "checking is free"),
        ("r300", 499, "at least 500"),
        ("r300c/", 399, "at least 400"),
        ("r20000", 20000, "no player is left to call"),
        ("f", CALL, "the hand is over"),
        ("", -2, "no action -2"),
    ],
)
def test_a_refusal_says_why(line: str, action: int, why: str) -> None:
    with pytest.raises(IllegalAction, match=why):
        parse_betting(NO_LIMIT, line).verify(action)


def test_limit_refusals() -> None:
    with pytest.raises(IllegalAction, match="the limit raise is to 20"):
        start(LIMIT).verify(30)
    with pytest.raises(IllegalAction, match="3 raises were made"):
        parse_betting(LIMIT, "rrr").verify(50)


def test_a_round_leaves_room_for_one_call_of_everybody() -> None:
    state = start(NO_LIMIT)
    while (bounds := state.raise_bounds()) is not None:
        state = state.apply(bounds[0])
    assert state.actions == 63
    with pytest.raises(IllegalAction, match="at most 64 actions"):
        state.verify(state.min_raise_to)
    assert state.apply(CALL).round == 1


def test_the_dealer_mends_as_documented() -> None:
    state = start(NO_LIMIT)
    assert state.mend(150) == 200
    assert state.mend(30000) == 20000
    assert state.apply(CALL).mend(FOLD) == CALL
    assert state.apply(20000).mend(20000) == CALL


def test_reverse_blinds_order() -> None:
    state = start(NO_LIMIT)
    assert (state.actor, state.spent, state.to_call) == (1, (100, 50), 50)
    flop = state.apply(CALL).apply(CALL)
    assert (flop.actor, flop.round, flop.line, flop.street_start) == (0, 1, "cc/", 100)


def test_a_short_all_in_may_be_less_than_the_least_raise() -> None:
    state = parse_betting(NO_LIMIT, "r15000")
    assert state.raise_bounds() == (20000, 20000)


def test_side_pots_and_uncalled_bets() -> None:
    game = load_rules(ACPC / "side-pots.nolimit.3p.game")
    shown = parse_state(game, "STATE:2:r1031cc///:7s3c|Ac6c|Kh8s/Qs2h3h/Ts/8c")
    assert shown.state.spent == (300, 900, 1031)
    assert shown.state.payoffs(Deal(shown.holes, shown.board)) == (-300, -900, 1200)


def test_payoffs_need_an_ended_hand_and_its_cards() -> None:
    with pytest.raises(StateError, match="not over"):
        start(NO_LIMIT).payoffs()
    with pytest.raises(StateError, match="cards are needed"):
        parse_betting(NO_LIMIT, "r20000c///").payoffs()
    assert parse_betting(NO_LIMIT, "r300f").payoffs() == (-100, 100)


def test_a_limit_raise_must_exceed_the_bet() -> None:
    game = GameDef(
        name="short",
        no_limit=False,
        blinds=(1, 1, 1),
        stacks=(2, 2, 2),
        raise_sizes=(1,),
        max_raises=(9,),
        first_players=(0,),
        num_suits=1,
        num_ranks=4,
        num_hole_cards=1,
        num_board_cards=(0,),
    )
    with pytest.raises(IllegalAction, match="does not exceed the bet"):
        start(game).apply(2).verify(3)

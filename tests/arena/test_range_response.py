"""Local best response with all hands at once: the same player as hand by hand, less the luck."""

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from endspiel.agent import Agent, make_agent
from endspiel.arena.estimators.local_best_response import (
    SETTINGS,
    LocalBestResponse,
    Opponent,
    ResponseOptions,
    considered,
)
from endspiel.arena.estimators.range_response import RangeResponse, RangeWalk
from endspiel.arena.estimators.shares import all_holes, all_shares
from endspiel.arena.responses import (
    ResponsePlan,
    ResponseResult,
    _keys,
    _Responder,
    measure_response,
)
from endspiel.batch.log import BatchLog
from endspiel.cards.equity import hand_equity
from endspiel.cards.text import parse_cards
from endspiel.cli.app import app
from endspiel.errors import EndspielError, FileError
from endspiel.rules.acpc import parse_betting
from endspiel.rules.builtin import load_rules
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import CALL
from tests.arena.leduc import RULES, agent_of, random_profile
from tests.arena.test_local_best_response import HOLDEM, KUHN, NO_LIMIT, Mixed, local, won
from tests.blueprint_fixture import save_small

CASES = {
    "kuhn": (KUHN, SETTINGS["fc"]),
    "leduc": (RULES, ResponseOptions()),
    "no-limit leduc": (NO_LIMIT, ResponseOptions("1c, a", calls=frozenset({0}))),
}


def responding(game: GameDef, agent: Agent, options: ResponseOptions) -> RangeResponse:
    return RangeResponse(game, Opponent(game, agent, "it"), options)


def boards(game: GameDef) -> list[tuple[int, ...]]:
    return list(combinations(game.deck, game.board_sizes[-1]))


@pytest.mark.parametrize("name", CASES)
def test_the_mean_over_all_boards_is_what_the_player_wins(name: str) -> None:
    """By recursion over every deal, with the player that holds one hand at a time."""
    (game, options), agent = CASES[name], Mixed(7)
    response = responding(game, agent, options)
    for position in (0, 1):
        expected = won(game, local(game, agent, options), agent, position)
        found = np.mean([response.all_lines(board, position) for board in boards(game)])
        assert found == pytest.approx(expected, abs=1e-9)


def test_following_one_action_is_right_on_average() -> None:
    response = responding(RULES, agent_of(random_profile(3)), ResponseOptions())
    board = (RULES.deck[2],)
    exact = response.all_lines(board, 0)
    drawn = np.array([response.win(board, 0, seed) for seed in range(80)])
    error = drawn.std() / np.sqrt(len(drawn))
    assert error > 0
    assert abs(drawn.mean() - exact) < 4 * error
    assert response.win(board, 0, 5) == drawn[5]


def test_checking_down_takes_the_noise_of_the_first_streets_out() -> None:
    """The same mean, with a narrower interval, on hold'em against one who never bets."""
    plan = ResponsePlan(HOLDEM, "always-call", "fcpa-turn", boards=3, seed=2)
    result = measure_response(plan, 1)
    assert len(result.checked) == 8 * 3
    assert result.main.mean == pytest.approx(result.more.mean() + result.checked.mean())
    # nothing was bet before the turn, and both players hold every hand: a check-down is worth 0
    assert abs(result.checked).max() < 1e-6
    assert np.allclose(result.units, result.more)
    response = responding(HOLDEM, make_agent("always-fold", HOLDEM), SETTINGS["fcpa-turn"])
    board = tuple(parse_cards("Ah9c4d2s7h"))
    assert response.check_down(board, 0, 1) == 50.0  # the small blind folds at once


@pytest.mark.parametrize("text", ["Ah9c4d2s", "QhJhTh2c9h"])
def test_every_pairs_share_is_its_equity(text: str) -> None:
    board = tuple(parse_cards(text))
    found, holes = all_shares(HOLDEM, board), all_holes(HOLDEM)
    rng = np.random.default_rng(1)
    for one, two in rng.integers(0, 1326, (60, 2)):
        mine, theirs = holes[one], holes[two]
        apart = len({*mine, *theirs, *board}) == 4 + len(board)
        expected = 2 * hand_equity(mine, theirs, board) - 1 if apart else 0.0
        if apart or {*mine} & {*theirs}:
            assert found[one, two] == pytest.approx(expected, abs=1e-6)


def test_every_hand_values_its_actions_as_the_player_does() -> None:
    """The shipped blueprint on a turn, after actions that have narrowed its range."""
    agent = make_agent("blueprint", HOLDEM)
    opponent = Opponent(HOLDEM, agent, "blueprint")
    response = RangeResponse(HOLDEM, opponent, SETTINGS["fcpa-turn"])
    player = LocalBestResponse(HOLDEM, opponent, SETTINGS["fcpa-turn"])
    opponent.begin(1)
    board = tuple(parse_cards("Ah9c4d2s7h"))
    state = parse_betting(HOLDEM, "cr300c/cr600c/c")
    run = RangeWalk(response, board, state.actor, None)
    other = np.prod(
        [
            opponent.choice(before, board[:seen]).chances(action)
            for before, seen, action in (
                (parse_betting(HOLDEM, "c"), 0, 300),
                (parse_betting(HOLDEM, "cr300c/"), 3, CALL),
                (parse_betting(HOLDEM, "cr300c/cr600"), 3, CALL),
                (parse_betting(HOLDEM, "cr300c/cr600c/"), 4, CALL),
            )
            if before.actor != state.actor
        ],
        axis=0,
    )
    live = np.array([not {*hole} & {*board[:4]} for hole in opponent.holes])
    actions, values = run.values(state, other * live)
    for at in np.flatnonzero(live)[::97]:
        alone = player.values(state, opponent.holes[at], board[:4])
        assert actions == tuple(alone)
        assert values[:, at] == pytest.approx(list(alone.values()), rel=1e-6, abs=1e-6)


def test_settings_are_the_literatures() -> None:
    turn, flop = (parse_betting(HOLDEM, line) for line in ("cc/cc/c", "cc/c"))
    assert considered(turn, SETTINGS["fc"]) == (CALL,)
    assert considered(turn, SETTINGS["fcpa"]) == (CALL, 300, 20000)
    assert considered(flop, SETTINGS["fcpa"]) == (CALL, 300, 20000)
    assert considered(turn, SETTINGS["fcpa-turn"]) == (CALL, 300, 20000)
    assert {0, 1} == SETTINGS["fcpa-turn"].calls == SETTINGS["56-turn"].calls
    assert len(SETTINGS["56-turn"].sizes.split(",")) == 56
    deep = parse_betting(HOLDEM, "cr500c/cc/c")  # 19.5 pots behind
    assert len(considered(deep, SETTINGS["56-turn"])) == 1 + 55


def test_the_command_tells_what_it_found() -> None:
    asked = ["lbr", "always-fold", "--game", "leduc", "--setting", "fcpa", "--boards", "4"]
    result = CliRunner().invoke(app, [*asked, "--workers", "1", "--json", "-"])
    assert result.exit_code == 0, result.output
    assert '"setting": "fcpa"' in result.output
    plan = ResponsePlan(load_rules("leduc"), "always-fold", "fcpa", 4)
    assert f'"mbb_per_hand": {measure_response(plan, 1).main.mean}' in result.output
    assert f"boards: 4 of 4, {measure_response(plan, 1).main} mbb/h, " in result.output


def test_a_state_keeps_boards_and_takes_no_other_questions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed after some boards, it plays the others; more boards, and one more seed, are new."""
    played: list[int] = []
    work = _Responder.work

    def counted(self: _Responder, number: int) -> object:
        played.append(number)
        return work(self, number)

    monkeypatch.setattr(_Responder, "work", counted)
    state, told = tmp_path / "state", list[int]()
    plan = ResponsePlan(HOLDEM, "always-call", "fcpa-turn", boards=2, seed=2)
    whole = measure_response(plan, 1)
    played.clear()

    def stop(so_far: ResponseResult) -> None:
        if len(so_far.units) + len(so_far.checked) == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure_response(plan, 1, stop, state)
    assert played == [0, 1, 2, 3, 4]
    again = measure_response(
        plan, 1, lambda so_far: told.append(len(so_far.units) + len(so_far.checked)), state
    )
    assert played == list(range(18))
    assert told == list(range(5, 19))  # the first tells of what was there
    for name in ("units", "more", "checked"):
        assert getattr(again, name).tolist() == getattr(whole, name).tolist()
    assert measure_response(plan, 1, state=state).main == whole.main
    assert len(played) == 18
    measure_response(replace(plan, boards=3), 1, state=state)
    assert played[18:] == [2, *range(18, 27)]  # the third was only checked down before
    for other in (replace(plan, seed=3), replace(plan, agent="pot-odds")):
        played.clear()
        measure_response(other, 1, state=state)
        assert len(played) == 18


def test_a_state_knows_a_file_that_has_changed(tmp_path: Path) -> None:
    file = save_small(tmp_path / "small.blueprint")
    plan = ResponsePlan(HOLDEM, f"blueprint:{file}", "fcpa", boards=2)
    before = _keys(plan)
    assert before == _keys(plan)
    file.write_bytes(file.read_bytes() + b" ")
    assert not {*before} & {*_keys(plan)}


def test_a_state_of_something_else_is_refused(tmp_path: Path) -> None:
    state, plan = tmp_path / "state", ResponsePlan(KUHN, "always-call", "fc", boards=1)
    with BatchLog(state) as log:
        log.add(_keys(plan)[0], {"chips": "many"})
    with pytest.raises(FileError, match="state holds a board that is none: Expected `float"):
        measure_response(plan, 1, state=state)


def test_unknown_settings_are_refused() -> None:
    with pytest.raises(
        EndspielError, match="no setting 'all' of local best response: fc, fcpa, fcpa-turn, 56-turn"
    ):
        ResponsePlan(KUHN, "always-call", "all")
    with pytest.raises(EndspielError, match="goes with no other option"):
        make_agent("lbr+setting=fc+sizes=a+always-call", HOLDEM)

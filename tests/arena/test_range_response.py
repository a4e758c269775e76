"""Local best response with all hands at once: the same player as hand by hand, less the luck."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from typer.testing import CliRunner

from endspiel.agent import Agent, make_agent
from endspiel.arena.estimators import range_response
from endspiel.arena.estimators.local_best_response import (
    SETTINGS,
    LocalBestResponse,
    Opponent,
    ResponseOptions,
    considered,
)
from endspiel.arena.estimators.range_response import RangeResponse, RangeWalk, Won
from endspiel.arena.estimators.shares import all_holes, all_shares
from endspiel.arena.responses import (
    JOB,
    ResponsePlan,
    _keys,
    _Responder,
    measure_response,
)
from endspiel.cards.equity import hand_equity
from endspiel.cards.text import parse_cards
from endspiel.cli.app import app
from endspiel.errors import EndspielError, FileError
from endspiel.executor import Executor
from endspiel.ledger import Ledger
from endspiel.progress import Progress
from endspiel.rules.acpc import parse_betting
from endspiel.rules.builtin import load_rules
from endspiel.rules.game_def import GameDef, format_game
from endspiel.rules.state import CALL, FOLD, State, start
from tests.arena.leduc import RULES, agent_of, match_value, random_profile
from tests.arena.test_local_best_response import HOLDEM, KUHN, NO_LIMIT, Best, Mixed, local, won
from tests.blueprint_fixture import save_small
from tests.cli.commands import runner
from tests.executor.work import found_backwards
from tests.hostile.surroundings import only_sentence

CASES = {
    "kuhn": (KUHN, SETTINGS["fc"]),
    "leduc": (RULES, ResponseOptions()),
    "no-limit leduc": (NO_LIMIT, ResponseOptions("1c, a", calls=frozenset({0}))),
}


THREE = replace(
    RULES,
    raise_sizes=(2, 4, 4),
    max_raises=(1, 1, 1),
    first_players=(0, 0, 0),
    num_board_cards=(0, 1, 0),
)  # one more street, no more cards


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


@pytest.mark.parametrize("street", [0, 1])
def test_following_one_line_is_right_on_average(street: int) -> None:
    """Of an agent that solves from the street on; before it every line is followed."""
    agent = agent_of(random_profile(3))
    response, board = responding(RULES, agent, ResponseOptions()), (RULES.deck[2],)
    exact = response.all_lines(board, 0)
    # the game has no turn
    assert response.win(board, 0, 1).chips == pytest.approx(exact, abs=1e-9)
    agent.solves_from = street
    drawn = np.array([response.win(board, 0, seed).chips for seed in range(120)])
    error = drawn.std() / np.sqrt(len(drawn))
    assert error > 0
    assert abs(drawn.mean() - exact) < 4 * error
    assert response.win(board, 0, 5).chips == drawn[5]


def test_an_agent_in_place_of_the_response_wins_what_it_wins_in_matches() -> None:
    one, two = (agent_of(random_profile(seed)) for seed in (1, 2))
    won = []
    for agent, opponent in ((one, two), (two, one)):
        by, of = Opponent(RULES, agent, "by"), Opponent(RULES, opponent, "of")
        response = RangeResponse(RULES, of, SETTINGS["fc"], by)
        lines = [[response.all_lines(board, at) for board in boards(RULES)] for at in (0, 1)]
        drawn = [response.win(board, 0, 1).chips for board in boards(RULES)]
        assert drawn == pytest.approx(lines[0], abs=1e-9)  # the game has no turn
        won.append(np.mean(lines, axis=1))
    assert won[0] == pytest.approx(-won[1][::-1], abs=1e-9)
    assert won[0].mean() == pytest.approx(match_value(one, two), abs=1e-9)


def test_agents_sit_in_both_seats_of_every_board() -> None:
    """So nobody wins from itself, on any board, and what one wins the other loses."""
    itself = ResponsePlan(RULES, "always-raise", boards=3, setting="fc", by="always-raise")
    assert measure_response(itself, 1).units == pytest.approx(np.zeros(3), abs=1e-9)
    caller = replace(itself, agent="always-call")
    raiser = replace(itself, by="always-call")
    won, lost = (measure_response(plan, 1).units for plan in (caller, raiser))
    assert won == pytest.approx(-lost, abs=1e-9)


class NotedWalk(RangeWalk):
    """Notes which actions were compared where."""

    noted: ClassVar[dict[tuple[str, tuple[int, ...]], tuple[int, ...]]] = {}

    def _screened(self, state: State, own: np.ndarray, other: np.ndarray) -> tuple[int, ...]:
        found = super()._screened(state, own, other)
        self.noted[state.line, self.seen(state)] = found
        return found


class Among(LocalBestResponse):
    """Takes the best of the actions that were noted, with one hand at a time."""

    def act(self, state: State, hole: tuple[int, ...], board: tuple[int, ...]) -> int:
        values, noted = self.values(state, hole, board), NotedWalk.noted[state.line, board]
        return max(noted, key=values.__getitem__)


class Hasty(Mixed):
    """Answers otherwise in a hurry, and then as before."""

    @contextmanager
    def hurried(self, share: float) -> Iterator[None]:
        kept, self.seed = self.seed, 99
        yield
        self.seed = kept


@pytest.mark.parametrize("agent", [Mixed(7), Hasty(7)])
def test_screened_bets_win_what_they_win_when_played(
    agent: Mixed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By recursion over every deal; never more than a best response; with room for all, the same.

    Bets that are screened against another agent than it is are paid by the agent as it is.
    """
    monkeypatch.setattr(range_response, "RangeWalk", NotedWalk)
    sizes = "1c, 2c, 3c, a"
    whole, some = ResponseOptions(sizes), ResponseOptions(sizes, screen=1)
    response, all_bets = (responding(NO_LIMIT, agent, options) for options in (some, whole))
    for position in (0, 1):
        NotedWalk.noted.clear()
        found = np.mean([response.all_lines(board, position) for board in boards(NO_LIMIT)])
        most = max(len({*noted} - {FOLD, CALL}) for noted in NotedWalk.noted.values())
        assert most == 1
        player = Among(NO_LIMIT, Opponent(NO_LIMIT, agent, "it"), some)
        assert found == pytest.approx(won(NO_LIMIT, player, agent, position), abs=1e-9)
        assert found <= Best(NO_LIMIT, agent, position).root() + 1e-9
    board = (NO_LIMIT.deck[2],)
    assert response.all_lines(board, 0) != all_bets.all_lines(board, 0)
    roomy = responding(NO_LIMIT, agent, replace(whole, screen=4))
    assert roomy.all_lines(board, 0) == all_bets.all_lines(board, 0)


def test_the_bet_that_adds_most_is_chosen_first() -> None:
    """Two bets for two kinds of hands are better than the two best for one of them."""
    agent = Mixed(7)
    response = responding(NO_LIMIT, agent, ResponseOptions("1c, 2c, 3c, a", screen=2))
    walk = RangeWalk(response, (NO_LIMIT.deck[2],), 0, None)
    state, every = start(NO_LIMIT), np.ones(len(all_holes(NO_LIMIT)))
    if state.actor != 0:
        state = state.apply(CALL)
    bets = [a for a in considered(state, response.options) if a not in (FOLD, CALL)]
    assert len(bets) > 2
    values = {a: walk.values(state, every, [a])[0] for a in considered(state, response.options)}
    passive = np.max([values[a] for a in values if a not in bets], axis=0)

    def worth(*some: int) -> float:
        return float(np.maximum(passive, np.max([values[a] for a in some], axis=0)).sum())

    chosen = [a for a in walk._screened(state, every, every) if a in bets]
    first = max(bets, key=worth)
    assert first in chosen
    assert worth(*chosen) == pytest.approx(max(worth(first, other) for other in bets))


class Script:
    """A generator that draws what it is told, then the first; it tells how likely that was."""

    def __init__(self, picks: Sequence[int]) -> None:
        self.picks, self.sizes, self.chance = list(picks), list[int](), 1.0

    def choice(self, size: int, p: np.ndarray) -> int:
        at = len(self.sizes)
        self.picks += [0] * (at == len(self.picks))
        self.sizes.append(size)
        self.chance *= float(p[self.picks[at]])
        return self.picks[at]


@pytest.mark.parametrize("light", [1e-9, 0.3])
@pytest.mark.parametrize("plays", [False, True])
def test_all_that_can_be_drawn_together_is_exact(
    plays: bool, light: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a local best response and by an agent, with lines on which little hangs and without."""
    monkeypatch.setattr(range_response, "LIGHT", light)
    player = Opponent(NO_LIMIT, Mixed(3), "by") if plays else None
    opponent = Opponent(NO_LIMIT, Mixed(7), "of")
    response = RangeResponse(NO_LIMIT, opponent, ResponseOptions("1c"), player)
    assert_exact(response, 1, frozenset())


def test_lines_of_a_street_that_is_called_are_followed_once_more() -> None:
    """One line to the second street is drawn, all its lines are followed, and one of them drawn."""
    opponent, calls = Opponent(THREE, Mixed(7), "of"), frozenset({0, 1})
    response = RangeResponse(THREE, opponent, ResponseOptions("1c", calls=calls))
    assert_exact(response, 1, calls)
    opponent.agent.solves_from = 1
    run = response._begin((THREE.deck[2],), 0, 1)
    assert (run.late_from, run.followed) == (1, calls)
    ways = [run._is_followed(street) for street in range(3)]
    assert ways == [True, True, False]
    assert [run._is_kept(street) for street in (1, 2)] == [True, True]


def assert_exact(response: RangeResponse, late_from: int, followed: frozenset[int]) -> None:
    """Everything that can be drawn, each by its chance, comes to all lines."""
    game = response.game
    board, everything = (game.deck[2],), np.ones(len(all_holes(game)))
    total = chance = 0.0
    picks: list[int] = []
    while True:
        script = Script(picks)
        walk = RangeWalk(response, board, 0, script, late_from, followed)  # type: ignore[arg-type]
        early = walk.value(start(game), everything, everything)
        won = early + walk.late()
        total += won * script.chance
        chance += script.chance
        picks = script.picks[: len(script.sizes)]
        while picks and picks[-1] + 1 == script.sizes[len(picks) - 1]:
            picks.pop()
        if not picks:
            break
        picks[-1] += 1
    assert chance == pytest.approx(1, abs=1e-9)
    assert total == pytest.approx(response.all_lines(board, 0), abs=1e-9)


def test_the_luck_of_the_cards_is_taken_out() -> None:
    """Who has no say wins on every board what it wins on all of them."""
    response = responding(HOLDEM, make_agent("always-call", HOLDEM), SETTINGS["fcpa-turn"])
    board = tuple(parse_cards("Ah9c4d2s7h"))
    won = response.win(board, 0, 1)
    # nothing is bet before the turn, and both players hold every hand: a check-down is worth 0
    assert abs(won.early) < 1e-6
    assert won.late > 0
    folding = responding(HOLDEM, make_agent("always-fold", HOLDEM), SETTINGS["fcpa-turn"])
    assert folding.win(board, 0, 1) == (50.0, 0.0)  # the small blind folds at once


def test_boards_that_were_kept_are_not_played_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, few = tmp_path / "boards", ResponsePlan(RULES, "always-call", "fcpa", boards=3)
    first = measure_response(few, 1, state=state)
    other = measure_response(replace(few, agent="always-fold"), 1, state=state)
    more = replace(few, boards=5)
    played = []
    win = RangeResponse.win

    def noted(self: RangeResponse, board: tuple[int, ...], position: int, seed: int) -> Won:
        played.append(board)
        return win(self, board, position, seed)

    monkeypatch.setattr(RangeResponse, "win", noted)
    second = measure_response(more, 1, state=state)
    assert len(played) == 2
    assert second.units[:3].tolist() == first.units.tolist()
    assert second.units.tolist() == measure_response(more, 1).units.tolist()
    difference = second.over(other)
    assert difference.units == 3
    assert difference.mean == pytest.approx(first.main.mean - other.main.mean)
    with pytest.raises(EndspielError, match="in one setting, by one seed"):
        second.over(replace(other, plan=replace(few, seed=2)))


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
    actions = considered(state, SETTINGS["fcpa-turn"])
    values = run.values(state, other * live, actions)
    for at in np.flatnonzero(live)[::97]:
        alone = player.values(state, opponent.holes[at], board[:4])
        assert actions == tuple(alone)
        assert values[:, at] == pytest.approx(list(alone.values()), rel=1e-6, abs=1e-6)


def test_a_response_that_compares_no_bet_is_refused() -> None:
    with pytest.raises(EndspielError, match="compares one bet or more, not 0"):
        ResponsePlan(HOLDEM, "always-call", "56-turn", screen=0)


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


def test_the_command_screens_bets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of the pot and all-in one is compared; with room for both, it is as without."""
    monkeypatch.setattr(range_response, "RangeWalk", NotedWalk)
    lbr, game = runner("lbr", monkeypatch, capsys), tmp_path / "no-limit.game"
    game.write_text(format_game(NO_LIMIT))
    asked = ("pot-odds", "--game", game, "--setting", "fcpa", "--boards", 4, "--workers", 1)
    units, most = {}, {}
    for screen in (None, 1, 2):
        NotedWalk.noted.clear()
        given = () if screen is None else ("--screen", screen)
        found = lbr(*asked, *given, "--json", "-").json
        assert found["screen"] == screen
        units[screen] = found["units"]
        most[screen] = max(len({*noted} - {FOLD, CALL}) for noted in NotedWalk.noted.values())
    assert most == {None: 2, 1: 1, 2: 2}
    assert units[2] == units[None]
    refused = lbr(*asked, "--screen", 0)
    assert (refused.status, refused.out) == (2, "")
    assert "--screen takes a whole number from 1 to 1,000,000, not 0" in only_sentence(refused.err)


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
    plan = ResponsePlan(HOLDEM, "always-call", "fcpa-turn", boards=4, seed=2)
    whole = measure_response(plan, 1)
    played.clear()

    def stop(progress: Progress) -> None:
        if progress.finished == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure_response(plan, 1, stop, state)
    assert played == [0, 1, 2]
    again = measure_response(plan, 1, lambda one: told.append(one.finished), state)
    assert played == list(range(4))
    assert told == [3, 4]  # the first tells of what was there
    for name in ("units", "late"):
        assert getattr(again, name).tolist() == getattr(whole, name).tolist()
    assert measure_response(plan, 1, state=state).main == whole.main
    assert len(played) == 4
    measure_response(replace(plan, boards=6), 1, state=state)
    assert played[4:] == [4, 5]
    others = {"seed": 3}, {"agent": "pot-odds"}, {"setting": "fcpa"}, {"by": "pot-odds"}
    for other in (*others, {"screen": 1}):
        played.clear()
        measure_response(replace(plan, **other), 1, state=state)
        assert len(played) == 4


def test_boards_are_told_in_their_order_whoever_is_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = ResponsePlan(HOLDEM, "always-call", "fcpa-turn", boards=2, seed=2)
    whole, state = measure_response(plan, 1), tmp_path / "state"
    assert len(set(whole.units.tolist())) == 2
    monkeypatch.setattr(Executor, "found", found_backwards)
    measure_response(plan, 1, state=state)
    for _ in range(2):  # as they were noted, and as they are found
        again = measure_response(plan, 1, state=state)
        assert again.units.tolist() == whole.units.tolist()
        state.unlink()


def test_a_state_knows_a_file_that_has_changed(tmp_path: Path) -> None:
    file = save_small(tmp_path / "small.blueprint")
    plan = ResponsePlan(HOLDEM, f"blueprint:{file}", "fcpa", boards=2)
    before = _keys(plan)
    assert before == _keys(plan)
    file.write_bytes(file.read_bytes() + b" ")
    assert not {*before} & {*_keys(plan)}


def test_a_state_of_something_else_is_refused(tmp_path: Path) -> None:
    state, plan = tmp_path / "state", ResponsePlan(KUHN, "always-call", "fc", boards=1)
    with Ledger(state, JOB) as log:
        log.add(_keys(plan)[0], {"early": "many"})
    with pytest.raises(FileError, match="state holds a board that is none: Expected `float"):
        measure_response(plan, 1, state=state)


def test_the_command_compares_two_agents() -> None:
    asked = [
        "lbr",
        "always-call",
        "--beside",
        "always-fold",
        "--game",
        "leduc",
        "--setting",
        "fcpa",
    ]
    result = CliRunner().invoke(app, [*asked, "--boards", "3", "--workers", "1"])
    assert result.exit_code == 0, result.output
    plan = ResponsePlan(load_rules("leduc"), "always-call", "fcpa", 3)
    one, two = measure_response(plan, 1), measure_response(replace(plan, agent="always-fold"), 1)
    assert f"always-fold loses {one.over(two)} mbb/h less than always-call" in result.output
    assert f"wins {one.main} mbb/h from always-call on 3 boards" in result.output


def test_unknown_settings_are_refused() -> None:
    with pytest.raises(
        EndspielError, match="no setting 'all' of local best response: fc, fcpa, fcpa-turn, 56-turn"
    ):
        ResponsePlan(KUHN, "always-call", "all")
    with pytest.raises(EndspielError, match="goes with no other option"):
        make_agent("lbr+setting=fc+sizes=a+always-call", HOLDEM)

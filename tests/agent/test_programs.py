"""River endgames by linear programming at the table: what is asked for, what is played for it."""

from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np
import pytest

from endspiel.agent import exact, make_agent
from endspiel.agent.attempts import AS_PLANNED, LEANER, MORE_BUCKETS, MORE_TIME, TOO_WIDE
from endspiel.agent.clock import UNTIMED
from endspiel.agent.endgame import EndgameAgent
from endspiel.agent.exact import (
    BucketedRiver,
    Program,
    RiverProgram,
    bucketed,
    payoffs,
    solve_exactly,
    within,
)
from endspiel.agent.stages import Approach, EndgameEntry, Stages
from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.betting.tree import DECISION
from endspiel.cards.live import live_hands
from endspiel.cards.text import parse_cards
from endspiel.endgame.river import buckets
from endspiel.endgame.river import exact as rivers
from endspiel.endgame.river.game import num_sequences
from endspiel.endgame.river.menus import river_menu
from endspiel.endgame.safe.live import TABLE_LIMITS, LiveEndgame
from endspiel.endgame.safe.nested_solve import Unsolved
from endspiel.endgame.safe.techniques import PLAYED
from endspiel.engine.limits import Limits
from endspiel.errors import EndspielError
from endspiel.rules.acpc import parse_betting
from endspiel.rules.builtin import load_rules
from endspiel.rules.state import CALL, start
from endspiel.solvers import memory
from endspiel.solvers.lp import SolverError
from tests.blueprint_fixture import small_blueprint
from tests.endgame.plain_river import PlainRiver, pair_forms

GAME = load_rules("nolimit-holdem")
BOARD = tuple(parse_cards("Ks Th 7s 4d 2c"))
LEAN = Sizing.same(StreetMenu.parse("100%", "100%"), max_raises=2)
SMALL = Program(budget=120)


def table(sizing: Sizing | None = LEAN) -> LiveEndgame:
    """A river with 1,800 in the middle to which both come with anything, some hands more often."""
    state = start(GAME)
    for action in (900, CALL, CALL, CALL, CALL, CALL):
        state = state.apply(action)
    rng = np.random.default_rng(4)
    one, two = (live_hands(BOARD) * rng.random(1326) ** 4 for _ in range(2))
    sizing = sizing or river_menu(state.pot, GAME.stacks[0] - state.max_spent)
    return LiveEndgame(state, BOARD, (one, two), sizing)


@pytest.fixture(scope="module")
def solved() -> BucketedRiver:
    return solve_exactly(table(), TABLE_LIMITS, SMALL)


@pytest.mark.parametrize("lean", [True, False])
def test_t_is_taken_as_it_is_where_entries_allow_it(lean: bool) -> None:
    """Few sequences get many buckets, as the paper's T has it; the shipped menu is never short."""
    program = Program(clustering="equal", **({"entries": 10**9} if lean else {}))
    form, options = within(table(LEAN if lean else None), program)
    for player, sequences in enumerate(num_sequences(form.street)):
        paper = buckets.equity_buckets(form.river, player, 7500 // sequences)
        assert np.array_equal(form.buckets[player].of, paper.of)
    assert options.budget == 7500
    assert payoffs(form) > 400_000


@pytest.mark.parametrize("clustering", ["equal", "occupied", "kmeans"])
@pytest.mark.parametrize("entries", [50_000, 300_000])
def test_t_is_lowered_to_what_entries_allow(clustering: str, entries: int) -> None:
    """Of the program that is solved: ends of the betting by the pairs of buckets in use."""
    form, options = within(table(), Program(clustering=clustering, entries=entries))
    ends = np.count_nonzero(form.tree.num_children == 0)
    one, two = (len(np.unique(side.of[side.of >= 0])) for side in form.buckets)
    assert 0.8 * entries < payoffs(form) == ends * one * two <= entries
    assert options.budget is not None
    for player, sequences in enumerate(num_sequences(form.street)):
        assert form.buckets[player].count <= options.budget // sequences < 7500 // sequences
    assert within(table(), Program(clustering=clustering, entries=1))[0].buckets[0].count == 1


@pytest.mark.parametrize("clustering", buckets.CLUSTERINGS)
@pytest.mark.parametrize("population", buckets.POPULATIONS)
def test_hands_are_put_together_as_asked(clustering: str, population: str) -> None:
    form = bucketed(table(), Program(300, 0.9, "", clustering, population).options())
    for player, sequences in enumerate(num_sequences(form.street)):
        number = 300 // sequences
        if clustering == "equal":
            found = buckets.equity_buckets(form.river, player, number, 0.9, population)
        elif clustering == "occupied":
            found = buckets.occupied_buckets(form.river, player, number, 0.9, population)
        elif clustering == "kmeans":
            found = buckets.kmeans_buckets(form.river, player, number, 0.9)
        else:
            found = buckets.hand_buckets(form.river, player)
        assert np.array_equal(form.buckets[player].of, found.of)


def test_the_gap_on_real_cards_is_that_of_a_plain_walk(solved: BucketedRiver) -> None:
    river = PlainRiver(solved.tree, *pair_forms(BOARD, solved.ranges), float(solved.state.pot))
    known = {
        node: solved.strategy(node)
        for node in range(solved.tree.num_nodes)
        if solved.tree.kind[node] == DECISION
    }
    gain = sum(river.values(player, known.__getitem__).sum() for player in (0, 1)) / 2
    assert solved.real_gap == pytest.approx(gain, abs=1e-9)
    assert solved.real_gap > 1e-3 > 1e-8 > solved.gap  # exact in buckets says little


def test_a_wide_gap_on_real_cards_gets_more_buckets(solved: BucketedRiver) -> None:
    """Twice T at each further try; the gap in the buckets is none to begin with."""
    river, gaps = RiverProgram(table(), SMALL), []
    counts = []
    for _ in range(3):
        gaps.append(river.solve(TABLE_LIMITS))
        assert river.best is not None
        counts.append(river.best.solution.game.buckets[0].count)
    assert gaps[0] == solved.real_gap
    assert gaps[2] < gaps[1] < gaps[0]
    assert 1.7 * counts[0] < counts[1] < 0.6 * counts[2]
    assert river.more == MORE_BUCKETS
    assert river.best.downgrade == ""


def test_a_program_that_was_not_finished_gets_more_time() -> None:
    river = RiverProgram(table(), replace(SMALL, budget=240))
    late = replace(TABLE_LIMITS, iterations=1, deadline_seconds=perf_counter())
    first = river.solve(late)
    count = river.best.solution.game.buckets[0].count if river.best else 0
    assert river.solve(TABLE_LIMITS) < first
    assert river.more == MORE_TIME
    assert river.best is not None
    assert (river.best.solution.method, river.best.downgrade) == ("lp", "")
    assert river.best.solution.game.buckets[0].count == count


@pytest.mark.parametrize(
    ("playable", "ways"),
    [(1.0, {AS_PLANNED}), (0.004, {MORE_BUCKETS, LEANER}), (0.0, {TOO_WIDE.reason})],
)
def test_a_river_is_judged_by_its_gap_on_real_cards(playable: float, ways: set[str]) -> None:
    """It is exact in its buckets each time; what is done is said with it."""
    lean, river = Sizing.same(StreetMenu.parse("100%"), max_raises=1), table()
    found = Stages(
        Approach(
            PLAYED["unsafe-lp"],
            lambda state: (LEAN, lean),
            TABLE_LIMITS,
            program=SMALL,
            playable=playable,
        )
    ).solve(river.state, BOARD, EndgameEntry(river.ranges, None, np.zeros(1326)), UNTIMED)
    if isinstance(found, Unsolved):
        assert found.reason in ways
        return
    assert found.how in ways
    assert isinstance(found.endgame, BucketedRiver)
    assert found.gap == found.endgame.real_gap <= playable
    assert found.endgame.gap < 1e-6


def test_single_hands_are_measured_on_real_cards(solved: BucketedRiver) -> None:
    narrow = replace(table(), ranges=tuple(np.where(r > 0.9, r, 0) for r in table().ranges))
    found = solve_exactly(narrow, TABLE_LIMITS, Program(clustering="all-hands"))
    assert (found.measured, found.downgrade) == ("on real cards", "")
    assert found.real_gap == found.gap <= 1e-6
    assert found.solution.on_real_cards().mean <= 1e-6
    one, two = (side.count for side in solved.solution.game.buckets)
    wide = f"on real cards, {100 * solved.gap:.3g}% in {one} and {two} buckets"
    assert (solved.measured, solved.downgrade) == (wide, "")


def test_a_lowered_t_is_told(solved: BucketedRiver) -> None:
    lowered = solve_exactly(table(), TABLE_LIMITS, replace(SMALL, entries=1000))
    assert lowered.solution.method == "lp"
    assert lowered.downgrade == "T is lowered to what entries allows"
    assert lowered.real_gap > solved.real_gap
    late = replace(TABLE_LIMITS, deadline_seconds=perf_counter())
    both = solve_exactly(table(), late, replace(SMALL, entries=1000)).downgrade
    assert both == f"{lowered.downgrade}; lp was not finished: dcfr is played"


def test_single_hands_with_more_payoffs_than_entries_are_iterated() -> None:
    limits = Limits(target_units=0.01)
    found = solve_exactly(table(), limits, Program(clustering="all-hands"))
    assert found.downgrade == "lp has more payoffs than entries: dcfr is played"
    assert found.solution.method == "dcfr"
    assert found.gap == found.real_gap <= 0.01


def test_a_refinement_that_is_not_done_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = replace(SMALL, refine="undominated")
    assert solve_exactly(table(), TABLE_LIMITS, asked).downgrade == ""

    def refuse(*given: object, **options: object) -> None:
        raise SolverError("no time is left")

    monkeypatch.setattr(rivers, "exact_solver", lambda method: refuse)
    found = solve_exactly(table(), TABLE_LIMITS, asked)
    assert found.solution.method == "lp"
    assert found.downgrade == "undominated was not finished: plain lp is played"


def test_iterations_played_for_a_program_are_told() -> None:
    late = replace(TABLE_LIMITS, deadline_seconds=perf_counter())
    for asked in ("", "quasi-perfect"):
        found = solve_exactly(table(), late, replace(SMALL, refine=asked))
        assert found.solution.method == "dcfr"
        assert found.downgrade == f"{asked or 'lp'} was not finished: dcfr is played"


def test_a_step_that_is_not_the_last_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rivers, "CERTIFIED", -1.0)  # no gap is as narrow
    monkeypatch.setattr(rivers, "by_highs", _refused)
    found = solve_exactly(table(), TABLE_LIMITS, SMALL)
    assert found.solution.method == rivers.UNFINISHED
    assert found.downgrade == "lp was not finished: the best step of lp is played"


def _refused(*given: object) -> None:
    raise SolverError("rounding")


def test_a_program_too_large_for_memory_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table goes on by iterations, to the agent's own target."""
    monkeypatch.setattr(memory, "available_memory", lambda: 10_000)
    limits = Limits(target_units=0.01)
    found = solve_exactly(table(), limits, SMALL)
    assert found.solution.method == "dcfr"
    assert found.downgrade == "lp does not fit in memory: dcfr is played"
    assert found.gap <= 0.01


def test_time_is_kept_back_to_measure_on_real_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Any] = []
    finish = exact.finish_river
    monkeypatch.setattr(
        exact, "finish_river", lambda form, how: given.append(how) or finish(form, how)
    )
    solve_exactly(table(), replace(TABLE_LIMITS, deadline_seconds=perf_counter() + 60), SMALL)
    assert given[0].seconds <= 60 - exact.MEASURING


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("unsafe,clustering=kmeans", "option clustering is of unsafe-lp; unsafe solves no program"),
        ("none,population=all", "option population is of unsafe-lp"),
        ("resolve,entries=9", "option entries is of unsafe-lp"),
        ("unsafe-lp,entries=0", "option entries is a whole number from 1 up"),
        ("unsafe-lp,clustering=round", "option clustering is equal or occupied or kmeans or all-"),
        ("unsafe-lp,population=some", "option population is range or all, not 'some'"),
        ("unsafe-lp,clustering=kmeans,population=all", "kmeans leaves option population nothing"),
        ("unsafe-lp,clustering=all-hands,T=500", "all-hands leaves option T nothing to decide"),
        ("unsafe-lp,alpha=0.9,clustering=all-hands", "all-hands leaves option alpha nothing"),
        ("unsafe-lp,population=all,clustering=all-hands", "leaves option population nothing"),
    ],
)
def test_options_that_do_not_apply_are_refused(spec: str, reason: str) -> None:
    with pytest.raises(EndspielError, match=reason):
        make_agent(f"blueprint+{spec}", GAME)


def test_agents_solve_as_their_options_say(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Whatever the buckets, an agent is ready at once: it rehearses on small programs."""
    path = small_blueprint(tmp_path_factory.getbasetemp(), gifts=True).path
    text = "T=400,alpha=0.95,clustering=equal,population=all,refine=quasi-perfect,entries=9000"
    for options, program in (
        ("", Program(7500, 0.99, "", "occupied", "range", 1_000_000)),
        (f",{text}", Program(400, 0.95, "quasi-perfect", "equal", "all", 9000)),
        (",clustering=all-hands", Program(clustering="all-hands")),
    ):
        agent = make_agent(f"blueprint+unsafe-lp,file={path}{options}", GAME)
        assert isinstance(agent, EndgameAgent)
        assert agent.stages.approach.program == program


def test_what_is_played_for_a_program_is_counted_as_a_fallback(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    path = small_blueprint(tmp_path_factory.getbasetemp(), gifts=True).path
    agent = make_agent(f"blueprint+unsafe-lp,file={path},T=400,entries=50,bound=100", GAME)
    assert isinstance(agent, EndgameAgent)
    agent.begin(1)
    agent.act(parse_betting(GAME, "cc/cc/cc/"), tuple(parse_cards("QdJc")), BOARD)
    reason = "T is lowered to what entries allows"
    assert agent.fallbacks == agent.solves.ways == {reason: 1}
    assert reason in agent.thoughts[-1].why

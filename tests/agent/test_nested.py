"""Nested solving at the table, decided by values: what a best response wins from what is told.

The best responses are worked out here, hand by hand, from nothing but the strategy told at each
decision; the value of a river is that of a spot solved by itself.
"""

from collections.abc import Callable
from dataclasses import replace
from math import inf

import numpy as np
import pytest

import endspiel as es
from endspiel.agent import make_agent, nested_stages, planning
from endspiel.agent.attempts import AS_PLANNED, EARLIER, NO_TIME
from endspiel.agent.clock import UNTIMED, MoveTime
from endspiel.agent.nested import NestedAgent
from endspiel.agent.nested_stages import NestedApproach, NestedStages
from endspiel.agent.planning import (
    NEGLIGIBLE,
    WORK,
    StreetWork,
    count_entries,
    plan_solve,
    street_actions,
    turn_menus,
    without_negligible,
)
from endspiel.agent.stages import EndgameEntry, Stage
from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.cards.deck import hand_index
from endspiel.cards.live import live_hands
from endspiel.cards.removal import unblocked_weight
from endspiel.cards.text import parse_cards
from endspiel.endgame.safe.baseline import Baseline, values_against
from endspiel.endgame.safe.live import LiveEndgame, Offer
from endspiel.endgame.safe.techniques import PLAYED, Technique
from endspiel.engine.limits import Limits
from endspiel.errors import EndspielError
from endspiel.kernels.arrays import Floats
from endspiel.rules.acpc import parse_betting
from endspiel.rules.builtin import load_rules
from endspiel.rules.state import CALL, FOLD, State
from tests.blueprint_fixture import small_blueprint
from tests.endgame.plain_river import pair_forms

GAME = load_rules("nolimit-holdem")
BOARD = tuple(parse_cards("Ks Th 7s 4d 2c"))
POLAR = es.parse_range("KK, 77, 65s, A5s, Q9s:0.5")
CATCHERS = es.parse_range("AK, KQs, KJs, QTs, 88:0.5")
RANGES = (POLAR, CATCHERS)
BETS = "100%, a"
MENU = Sizing((None, None, StreetMenu.parse(BETS, "a"), StreetMenu.parse(BETS, "a")), 2)
RIVER_START = parse_betting(GAME, "r900c/cc/cc/")
Ranges = tuple[Floats, Floats]
POT, TURN, RIVER = 1800, 2, 3


def entering(ranges: tuple[Floats, Floats] = RANGES) -> Callable[..., EndgameEntry]:
    def entry(_state: State, _board: tuple[int, ...], _seat: int) -> EndgameEntry:
        return EndgameEntry(ranges, None, np.zeros(1326))

    return entry


def stages(street: int, technique: str = "reach-maxmargin", **changes: object) -> NestedStages:
    approach = NestedApproach(
        PLAYED[technique],
        Limits(1e-4),
        StreetWork(1e9, 1e9),
        street,
        threads=1,
        menus=lambda state: (MENU,),
    )
    return NestedStages(replace(approach, **changes), entering())  # type: ignore[arg-type]


def told(
    found: NestedStages, state: State, board: tuple[int, ...]
) -> tuple[tuple[int, ...], Floats]:
    """Actions and strategy [A, 1326] at a decision."""
    stage = found.solve(state, board, UNTIMED)
    assert isinstance(stage, Stage)
    return stage.actions, found.strategy(stage)


def best_response(found: NestedStages, start: State, seat: int, ranges: Ranges) -> Floats:
    """Chips [1326] of each opponent's hand, by weight, whatever odd sizes it bets on the river."""
    met, won = pair_forms(BOARD, (ranges[1 - seat], ranges[seat]))

    def walk(state: State, reach: Floats) -> Floats:
        if state.finished:
            stake = min(state.spent)
            if state.showdown:
                return stake * (won @ reach)
            return (stake if state.folded[seat] else -stake) * (met @ reach)
        if state.actor == seat:
            actions, rows = told(found, state, BOARD)
            parts = zip(actions, rows, strict=True)
            return sum(
                (walk(state.apply(a), reach * row) for a, row in parts if (reach * row).any()),
                np.zeros(1326),
            )
        return np.max([walk(state.apply(a), reach) for a in answers(state)], axis=0)

    return walk(start, np.ones(1326))


def answers(state: State) -> list[int]:
    """What the opponent may do: a bet or raise of 37%, in no menu here, and of 100% of the pot."""
    actions = [FOLD, CALL] if state.can_fold() else [CALL]
    bounds = state.raise_bounds()
    if bounds is not None and state.raises < 2:
        sizes = (round(state.max_spent * (1 + 2 * share)) for share in (0.37, 1.0))
        actions += sorted({min(max(chips, bounds[0]), bounds[1]) for chips in sizes})
    return actions


def spot_of(board: tuple[int, ...], **menus: dict[str, str]) -> es.Spot:
    ranges = [es.format_range(weights) for weights in RANGES]
    behind = GAME.stacks[0] - POT // 2
    fixed = {"board": es.format_cards(board), "pot": POT, "stack": behind, "ranges": ranges}
    return es.parse_spot({**fixed, "max_raises": 2, **menus})


@pytest.fixture(scope="module")
def worth() -> float:
    """Chips that the river is worth to the first player, by a solve of the spot alone."""
    spot = spot_of(BOARD, river={"bet": BETS, "raise": "a"})
    return POT * float(es.solve(spot, target=5e-4).value)


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("technique", ["reach-maxmargin", "resolve"])
def test_odd_bets_win_no_more_than_the_river_is_worth(
    worth: float, seat: int, technique: str
) -> None:
    """A best response that bets off the menu, and raises off it, gains nothing by that."""
    found = stages(RIVER, technique)
    gained = float(best_response(found, RIVER_START, seat, RANGES).sum())
    due = worth if seat else -worth
    assert gained <= due + 0.01 * POT


def test_unsafe_trusts_the_ranges_at_every_decision() -> None:
    """What both hold by what was told of them; a safe technique lets the opponent hold anything."""
    raised = RIVER_START.apply(2700).apply(GAME.stacks[0])
    for technique, note in (("unsafe", "as the ranges say"), ("resolve", "by resolve within")):
        found = stages(RIVER, technique, limits=Limits(iterations=20), playable=inf)
        actions, rows = told(found, RIVER_START, BOARD)
        stage = found.solve(raised, BOARD, UNTIMED)
        assert isinstance(stage, Stage)
        assert note in stage.note
        came = POLAR * rows[actions.index(2700)]
        assert stage.endgame.ranges[0] / came.sum() == pytest.approx(came / came.sum(), abs=1e-3)
        assert (len({*stage.endgame.ranges[1]}) > 2) == (technique == "unsafe")


def test_a_river_within_a_turn_leaves_no_hand_more_than_the_turn_did() -> None:
    """By exact values: what each hand may get on the river after the turn was checked."""
    found, seat = stages(TURN), 1
    turn = parse_betting(GAME, "r900c/cc/c")
    assert isinstance(found.solve(turn, BOARD[:4], UNTIMED), Stage)
    first = found.root
    assert first is not None
    assert isinstance(first.endgame, LiveEndgame)
    end = first.endgame.tree.find("c c")
    allowed = first.endgame.entry_values(end, BOARD[4], 1 - seat)
    own = first.endgame.reach(end, seat)
    ranges = (first.endgame.ranges[0], own)
    gained = best_response(found, turn.apply(CALL), seat, ranges)
    met, _ = pair_forms(BOARD, (ranges[0], own))
    more = gained - allowed * met.sum(axis=1)
    assert float(np.maximum(more, 0).sum()) <= 0.01 * POT
    assert float(abs(allowed[POLAR > 0]).max()) > 0.2 * POT  # else nothing is seen here


def entries(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Offer, LiveEndgame, int]]:
    """The offers of all safe solves from now on, their endgames and the players solved for."""
    seen: list[tuple[Offer, LiveEndgame, int]] = []
    solve = LiveEndgame.solve_safely

    def noted(
        endgame: LiveEndgame, player: int, technique: Technique, offer: Offer, limits: Limits
    ) -> float:
        seen.append((offer, endgame, player))
        return solve(endgame, player, technique, offer, limits)

    monkeypatch.setattr(LiveEndgame, "solve_safely", noted)
    return seen


def test_gifts_that_a_solve_gives_back_are_not_given_back_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What an endgame leaves a hand beyond its alternative is taken from its gifts."""
    found = stages(TURN, limits=Limits(iterations=60), playable=inf)
    seen = entries(monkeypatch)
    river = parse_betting(GAME, "r900c/cc/cr2700c/c")
    for state in (river, parse_betting(GAME, "r900c/cc/cr2700c/cr8100r20000")):
        assert isinstance(found.solve(state, BOARD, UNTIMED), Stage)
    spent = []
    for offer, endgame, player in seen:
        more = endgame.root_values(1 - player) - offer.alternatives
        given = np.clip(more, 0.0, offer.gifts)
        (stage,) = (one for one in found._solved.values() if one.endgame is endgame)
        assert np.allclose(stage.gifts, offer.gifts - given)
        spent.append(float(given.max()))
    assert len(spent) == 2
    assert max(spent) > 0.001 * POT


def test_every_hand_of_the_opponent_stays_in_the_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also those that the first endgame does not believe in: later gadgets let them in."""
    narrow = RANGES[0] * (np.arange(1326) % 7 > 0), RANGES[1]
    found = stages(TURN, limits=Limits(iterations=10), playable=inf)
    found._first_entry = entering(narrow)
    seen = entries(monkeypatch)
    found.solve(parse_betting(GAME, "r900c/cc/c"), BOARD[:4], UNTIMED)
    assert found.root is not None
    assert (found.root.endgame.ranges[0] > 0).sum() == 1128
    found.solve(parse_betting(GAME, "r900c/cc/cc/c"), BOARD, UNTIMED)
    ((_, river, _),) = seen
    assert (river.ranges[0] > 0).sum() == 1081


def test_hands_gain_little_where_the_river_has_bets_that_the_turn_lacks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Some hand must gain then; by margins alone all others could gain as much as that one."""
    few, many = StreetMenu.parse("50%, 100%"), StreetMenu.parse("25%, 50%, 100%, 150%")
    turn, river = Sizing((None, None, few, few), 1), Sizing((None, None, None, many), 1)
    seen, wide = entries(monkeypatch), es.parse_range("22+, A2s+, K9s+, QTs+, JTs, T9s, ATo+, KJo+")

    found = stages(TURN, menus=lambda s: (river if s.round == RIVER else turn,))
    found._first_entry = entering((wide, wide))
    found.solve(parse_betting(GAME, "r900c/cc/c"), BOARD[:4], UNTIMED)

    def gained() -> tuple[float, float]:
        """The largest and the mean gain of the opponent's hands in the river."""
        copied = found.hurried(1.0)
        copied.solve(parse_betting(GAME, "r900c/cc/cc/c"), BOARD, UNTIMED)
        offer, endgame, player = seen[-1]
        live = unblocked_weight(endgame.ranges[player]) * endgame.ranges[1 - player]
        more = (endgame.root_values(1 - player) - offer.alternatives - offer.gifts)[live > 0]
        return float(more.max()), float(np.average(np.maximum(more, 0), weights=live[live > 0]))

    dealt = gained()
    monkeypatch.setattr(nested_stages, "half_dealt", lambda technique: technique)
    free = gained()
    assert free[0] > 0.01 * POT
    assert dealt[0] < 1.1 * free[0]
    assert dealt[1] < 0.7 * free[1]


ANSWERED = parse_betting(GAME, "r900c/cc/cc/cr2700r20000")  # a bet of ours, raised all-in


@pytest.mark.parametrize("margin", [-0.02, -0.005, 0.02])
def test_a_solve_that_leaves_a_hand_more_than_the_last_one_did_is_not_played(
    monkeypatch: pytest.MonkeyPatch, margin: float
) -> None:
    """By more than its gap of 1% of the pot, that is; the last solve goes on in place of it."""
    found = stages(RIVER, limits=Limits(iterations=20), playable=inf)
    first = found.solve(parse_betting(GAME, "r900c/cc/cc/c"), BOARD, UNTIMED)

    def solved(endgame: LiveEndgame, *_given: object) -> float:
        endgame.diagnostics.update(margin=margin * POT, gap=0.01 * POT)
        return 0.01

    monkeypatch.setattr(LiveEndgame, "solve_safely", solved)
    second = found.solve(ANSWERED, BOARD, UNTIMED)
    assert isinstance(first, Stage)
    assert isinstance(second, Stage)
    assert (second.endgame is first.endgame) == (margin == -0.02)
    assert second.how == (EARLIER if margin == -0.02 else AS_PLANNED)
    assert second.actions == (FOLD, CALL)


def test_without_time_the_last_solve_goes_on() -> None:
    found = stages(RIVER, limits=Limits(iterations=20), playable=inf)
    first = found.solve(parse_betting(GAME, "r900c/cc/cc/c"), BOARD, UNTIMED)
    late = MoveTime(0.0, 0.0)
    second = found.solve(ANSWERED, BOARD, late)
    assert isinstance(first, Stage)
    assert isinstance(second, Stage)
    assert (second.endgame, second.how) == (first.endgame, EARLIER)
    off_tree = found.solve(parse_betting(GAME, "r900c/cc/cc/cr2700r9999"), BOARD, late)
    assert off_tree == NO_TIME


def test_without_time_the_turns_solution_goes_on_on_the_river() -> None:
    """Our opponent gets by it, hand by hand, what the turn left it on that card."""
    found, seat = stages(TURN, limits=Limits(iterations=30), playable=inf), 1
    assert isinstance(found.solve(parse_betting(GAME, "r900c/cc/c"), BOARD[:4], UNTIMED), Stage)
    assert found.root is not None
    turn = found.root.endgame
    assert isinstance(turn, LiveEndgame)
    late = MoveTime(0.0, 0.0)
    river = found.solve(parse_betting(GAME, "r900c/cc/cc/c"), BOARD, late)
    assert isinstance(river, Stage)
    assert (river.how, river.actions) == (EARLIER, (CALL, 2700, 20000))
    assert turn.tree.line(river.node) == "c c / c"
    assert np.allclose(found.strategy(river).sum(axis=0), live_hands(BOARD))
    end = turn.tree.find("c c")
    first, own = int(turn.tree.first_child[end]), turn.reach(end, seat)
    base = Baseline(turn.tree, first, seat, lambda node, _: river.endgame.strategy(node), own)
    left = turn.entry_values(end, BOARD[4], 1 - seat)
    live = live_hands(BOARD) > 0
    assert values_against(base, BOARD)[live] == pytest.approx(left[live], abs=5e-3 * POT)
    held = found.ranges(river, BOARD)[seat]
    assert held / held.sum() == pytest.approx(own * live / (own * live).sum(), abs=1e-9)
    # The next decision starts afresh; bets that the turn's tree lacks cannot be answered by it.
    after = found.solve(ANSWERED, BOARD, late)
    assert after == NO_TIME
    odd = parse_betting(GAME, "r900c/cc/cc/r3333")
    assert found.solve(odd, BOARD, late) == NO_TIME


def test_solving_starts_afresh_after_a_decision_that_was_not_solved() -> None:
    """On the same street where we are to act, else from the next street's start."""
    late = MoveTime(0.0, 0.0)
    found = stages(TURN, limits=Limits(iterations=5), playable=inf)
    turn = parse_betting(GAME, "r900c/cc/c")
    assert found.solve(turn, BOARD[:4], late) == NO_TIME
    raised = parse_betting(GAME, "r900c/cc/cr2700r20000")
    stage = found.solve(raised, BOARD[:4], UNTIMED)
    assert isinstance(stage, Stage)
    assert (stage.endgame.state, stage.node) == (raised, 0)
    bet = parse_betting(GAME, "r900c/cc/cc/r2700")
    stage = found.solve(bet, BOARD, UNTIMED)
    assert isinstance(stage, Stage)
    assert stage.endgame.state == parse_betting(GAME, "r900c/cc/cc/")
    assert stage.endgame.tree.line(stage.node) == "b1800"


def test_doubt_gives_every_hand_of_the_opponent_a_least_weight() -> None:
    for technique in ("reach-maxmargin", "unsafe"):
        found = stages(RIVER, technique, limits=Limits(iterations=2), playable=inf, doubt=0.1)
        stage = found.solve(RIVER_START, BOARD, UNTIMED)
        assert isinstance(stage, Stage)
        own, other = stage.endgame.ranges
        assert other[live_hands(BOARD) > 0].min() == pytest.approx(0.1 * other.max())
        assert (own[live_hands(BOARD) > 0] == 0).any()


def test_the_first_turn_is_solved_as_the_ranges_say() -> None:
    """What both can get against it adds up to a thousandth of the pot, around the spot's value."""
    found = stages(TURN)
    told(found, parse_betting(GAME, "r900c/cc/"), BOARD[:4])
    menu = {"bet": BETS, "raise": "a"}
    spot = spot_of(BOARD[:4], turn=menu, river=menu)
    alone = POT * float(es.solve(spot, target=5e-4).value)
    root = found.root
    assert root is not None
    assert isinstance(root.endgame, LiveEndgame)
    apart = pair_forms(BOARD[:4], RANGES)[0]  # [1326, 1326] adds up to 1
    got = [float(apart.sum(axis=1 - p) @ root.endgame.root_values(p)) for p in (0, 1)]
    assert 0 <= sum(got) / 2 <= 1e-3 * POT
    assert -got[1] - 2e-3 * POT <= alone <= got[0] + 2e-3 * POT


def test_what_is_asked_before_changes_nothing() -> None:
    """Nor do bets of the menu make another endgame; bets off it do."""
    turn = parse_betting(GAME, "r900c/cc/")
    pot_bet, odd = turn.apply(2700), turn.apply(2345)
    few = {"limits": Limits(iterations=20), "playable": inf}
    one, two = stages(TURN, **few), stages(TURN, **few)
    first = told(one, pot_bet, BOARD[:4])
    told(two, odd, BOARD[:4])
    again = told(two, pot_bet, BOARD[:4])
    assert first[0] == again[0]
    assert np.array_equal(first[1], again[1])
    checked = two.solve(turn.apply(CALL), BOARD[:4], UNTIMED)
    bet = two.solve(pot_bet, BOARD[:4], UNTIMED)
    off = two.solve(odd, BOARD[:4], UNTIMED)
    assert isinstance(checked, Stage)
    assert isinstance(bet, Stage)
    assert isinstance(off, Stage)
    assert checked.endgame is bet.endgame
    assert off.endgame is not bet.endgame
    assert off.endgame.tree.spent[off.node].tolist() == [2345, 900]


def test_threads_are_fixed_so_that_any_machine_plays_the_same() -> None:
    assert NestedApproach().threads == 2


def test_entries_are_those_that_the_solver_has() -> None:
    for board, line in ((BOARD, "r900c/cc/cc/"), (BOARD[:4], "r900c/cc/r2700")):
        everything = np.ones(1326)
        state = parse_betting(GAME, line)
        endgame = LiveEndgame(state, board, (everything, everything), MENU)
        entries = sum(
            len(one.hands[player]) * sum(street.actions[player])
            for street, boards in zip(endgame.game.streets, endgame.game.tree.streets, strict=True)
            for one in boards
            for player in (0, 1)
        )
        hands = len(endgame.game.tree.streets[0][0].hands[0])
        found = count_entries(street_actions(state, MENU), (hands, hands), 5 - len(board))
        assert found == entries


def test_the_richest_menu_is_taken_that_the_work_allows() -> None:
    state, hands, menus = parse_betting(GAME, "r300c/cc/"), (600, 1000), turn_menus()
    sizes = [count_entries(street_actions(state, menu), hands, 1) for menu in menus]
    assert sizes == sorted(sizes, reverse=True)
    chosen = []
    for work in (1e7, 3e8, 1e9, 3e9, 1e11):
        plan = plan_solve(state, hands, StreetWork(work, work))[0]
        chosen.append(menus.index(plan.sizing))
        richer = sizes[: chosen[-1]]
        assert all(size * planning.LEAST_ITERATIONS > work for size in richer)
        assert plan.entries * plan.iterations <= max(work, plan.entries)
    assert chosen == sorted(chosen, reverse=True)
    assert (chosen[0], chosen[-1]) == (len(menus) - 1, 0)
    # What the default work takes: at most three seconds on two cores, and one on a river.
    assert plan_solve(state, hands, WORK)[0].seconds / 2 < 3
    assert plan_solve(RIVER_START, (1081, 1081), WORK)[0].seconds < 1


def test_no_more_is_left_out_than_is_said() -> None:
    rng = np.random.default_rng(3)
    weights = rng.random(1326) ** 12
    kept = without_negligible(weights)
    out = weights[kept == 0].sum()
    assert 0 < out <= NEGLIGIBLE * weights.sum()
    assert out + kept[kept > 0].min() > NEGLIGIBLE * weights.sum()
    assert np.array_equal(kept[kept > 0], weights[kept > 0])


def test_hands_left_out_check_and_fold() -> None:
    found = stages(RIVER, limits=Limits(iterations=5), playable=inf)
    bet = RIVER_START.apply(1800)
    for state, passive in ((RIVER_START, CALL), (bet, FOLD)):
        actions, rows = told(found, state, BOARD)
        aces = tuple(parse_cards("AsAh"))
        row = rows[:, hand_index(*aces)]
        assert row[actions.index(passive)] == 1
        assert row.sum() == 1


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> NestedAgent:
    file = small_blueprint(tmp_path_factory.getbasetemp()).path
    made = make_agent(
        f"blueprint+nested,file={file},preflop=blueprint,work=3,bound=100,hand=1000,move=1000", GAME
    )
    assert isinstance(made, NestedAgent)
    return made


def test_absurd_bets_are_answered(agent: NestedAgent) -> None:
    """The least raise again and again, a chip more, all-in: every answer legal, all solved."""
    hole = tuple(parse_cards("QdJc"))
    for seed, extra in ((1, 0), (2, 1), (3, 10**6)):
        agent.begin(seed)
        state = parse_betting(GAME, "cc/cc/")
        while not state.finished:
            board = BOARD[: GAME.board_sizes[state.round]]
            if state.actor == 1:
                state = state.apply(agent.act(state, hole, board))
                continue
            bounds = state.raise_bounds()
            raising = bounds is not None and state.raises < 3
            state = state.apply(min(bounds[0] + extra, bounds[1]) if raising and bounds else CALL)
        late = [thought for thought in agent.thoughts if len(thought.board) > 3]
        assert late
        assert all(thought.source == "endgame nested" for thought in late)
        assert "as the ranges say" in late[0].why
        assert all("by reach-maxmargin within the last one" in thought.why for thought in late[1:])
    assert not agent.fallbacks


def test_hurried_answers_are_rougher_and_forgotten(agent: NestedAgent) -> None:
    """What was asked in a hurry leaves the true answers to the digit as they are."""
    state = parse_betting(GAME, "cc/cc/cc/r300")
    holes = [tuple(parse_cards(hand)) for hand in ("QdJc", "Kd9c", "TsTd", "8h3h", "AcQc")]

    def asked() -> list[list[float]]:
        choice = agent.policy(state, holes, BOARD)
        assert choice is not None
        return choice.probabilities.tolist()

    agent.begin(1)
    true = asked()
    agent.begin(1)
    with agent.hurried(0.02):
        assert agent.stages.approach.work.river == pytest.approx(0.02 * 0.75e6)
        rough = asked()
    assert agent.stages.approach.work.river == pytest.approx(0.75e6)
    assert rough != true
    assert asked() == true
    with agent.hurried(0.02):
        assert asked() == true  # what is known is told


def test_without_time_the_blueprint_plays_and_says_so(agent: NestedAgent) -> None:
    agent.begin(1)
    clock, agent.options.clock = (
        agent.options.clock,
        replace(agent.options.clock, hand=0.0, left=0.0),
    )
    state = parse_betting(GAME, "cc/cc/")
    agent.act(state, tuple(parse_cards("QdJc")), BOARD[:4])
    agent.options.clock = clock
    assert agent.fallbacks == {"no time is left to solve anything": 1}
    assert "no time is left" in agent.thoughts[-1].why
    agent.fallbacks.clear()


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ("safe=no", "option safe is unsafe, resolve, maxmargin, reach-maxmargin, not 'no'"),
        ("safe=unsafe,exploit=5", "opponents are exploited safely: not with safe=unsafe"),
        ("street=flop", "option street is turn or river, not 'flop'"),
        ("turn=yes", "no option 'turn=yes'"),
    ],
)
def test_bad_options_are_refused(options: str, complaint: str) -> None:
    with pytest.raises(EndspielError, match=complaint):
        make_agent(f"blueprint+nested,{options}", GAME)

"""Heads-up push or fold: against a linear program of its own, all 1326 hands, and known charts."""

from functools import cache

import numpy as np
import pytest
from scipy.optimize import linprog

import endspiel as es
from endspiel.batch.preflop_solve import Preflop, solve_preflop
from endspiel.cards.class_equity import class_matchups
from endspiel.cards.classes import class_hands, class_names, hand_classes
from endspiel.cards.equity import hand_equity, preflop_table
from endspiel.cards.text import parse_hand
from endspiel.engine.limits import Limits
from endspiel.errors import GameError
from endspiel.game import Profile
from endspiel.games.export import strategy_table
from endspiel.games.preflop_tree import PreflopSetting
from endspiel.games.push_or_fold import PushFoldStakes, push_fold, push_fold_charts, push_fold_game

NAMES = class_names()
PAIRS_DEALT = 1326 * 1225


@cache
def charts(stack: float, ante: float = 0.0) -> tuple[es.Solution, np.ndarray, np.ndarray]:
    """The exact solution, and how often each class pushes and calls [169]."""
    game = push_fold(stack, ante)
    solution = es.solve(game, "lp")
    pusher, caller = strategy_table(game, solution.profile)
    return (
        solution,
        np.array([pusher[name]["push"] for name in NAMES]),
        np.array([caller[name]["call"] for name in NAMES]),
    )


@cache
def tables() -> tuple[np.ndarray, np.ndarray]:
    """Chances [169, 169] and the row's expected share of the pot times them, hand by hand."""
    table = preflop_table()
    member = np.zeros((169, 1326))
    member[hand_classes(), np.arange(1326)] = 1.0
    dealt = member @ ~np.isnan(table) @ member.T / PAIRS_DEALT
    shares = member @ np.nan_to_num(table) @ member.T / PAIRS_DEALT
    return dealt, shares


def lp_value(stack: float, small: float, big: float) -> float:
    """The small blind's value: push x, and v the worst that each class of the caller makes of it.

    Maximize sum(v) - small * sum(dealt @ 1 * (1 - x)) with v_j under both of j's answers.
    """
    dealt, shares = tables()
    called = stack * (2 * shares - dealt)  # [169 pusher, 169 caller]
    one, none = np.eye(169), np.zeros(169)
    rows = np.block([[-called.T, one], [-big * dealt.T, one]])
    found = linprog(
        -np.concatenate([small * dealt.sum(axis=1), np.ones(169)]),
        A_ub=rows,
        b_ub=np.concatenate([none, none]),
        bounds=[(0, 1)] * 169 + [(None, None)] * 169,
        method="highs",
    )
    assert found.status == 0
    return float(-found.fun - small)


@pytest.mark.parametrize(("stack", "ante"), [(1, 0), (4.5, 0), (10, 0), (10, 0.125), (25, 0)])
def test_the_value_is_that_of_a_program_of_its_own(stack: float, ante: float) -> None:
    solution, _, _ = charts(stack, ante)
    wanted = lp_value(stack, 0.5 + ante, min(1 + ante, stack))
    assert solution.value == pytest.approx(wanted, abs=1e-9)
    assert solution.exploitability == pytest.approx(0, abs=1e-9)


def test_regret_matching_finds_the_same() -> None:
    found = es.solve(push_fold(10), "cfr+", target=1e-5)
    assert found.value == pytest.approx(charts(10)[0].value, abs=1e-5)


@pytest.mark.parametrize("stack", [3, 12])
def test_no_single_hand_of_1326_gains(stack: float) -> None:
    """Suits within a class change nothing: best answers hand by hand earn the value."""
    solution, push, call = charts(stack)
    table = preflop_table()
    meets = ~np.isnan(table)
    showdown = stack * (2 * np.nan_to_num(table) - meets)  # [1326, 1326] the row's chips
    pushes, calls = push[hand_classes()], call[hand_classes()]
    in_pot = showdown @ calls + meets @ (1 - calls)
    pusher = np.maximum(in_pot, -0.5 * meets.sum(axis=1)).sum() / PAIRS_DEALT
    # showdown is antisymmetric, so the caller's hands, as rows, win what the pusher loses
    answers = np.minimum(-(showdown @ pushes), meets @ pushes)
    caller = (answers.sum() - 0.5 * meets.sum(axis=1) @ (1 - pushes)) / PAIRS_DEALT
    assert pusher == pytest.approx(solution.value, abs=1e-9)
    assert caller == pytest.approx(solution.value, abs=1e-9)


# Highest stacks at which a hand is pushed or called, as the public heads-up charts of
# HoldemResources have them (holdemresources.net, "Using the Nash Charts"): T3s is pushed up to 7.7,
# Q2o calls up to 5.6, 63s is pushed from 5.1 to 7.1 and under 2.3. The exact program also folds T3s
# at 7.6 and 63s at 5.8 and 6, for at most 0.01 big blinds: such stacks are left out.
@pytest.mark.parametrize(
    ("hand", "stack", "pushed"),
    [
        ("T3s", 7.4, 1), ("T3s", 7.9, 0), ("63s", 2.2, 1), ("63s", 2.5, 0), ("63s", 4, 0),
        ("63s", 7, 1), ("63s", 7.3, 0), ("22", 10, 1), ("A2o", 10, 1), ("Q8o", 12, 1),
        ("Q7o", 12, 0), ("72o", 10, 0),
    ],
)  # fmt: skip
def test_pushes_of_the_public_charts(hand: str, stack: float, pushed: int) -> None:
    assert charts(stack)[1][NAMES.index(hand)] == pytest.approx(pushed)


@pytest.mark.parametrize(("stack", "called"), [(5.5, 1), (5.7, 0)])
def test_a_call_of_the_public_charts(stack: float, called: int) -> None:
    assert charts(stack)[2][NAMES.index("Q2o")] == pytest.approx(called)


def test_deeper_stacks_are_pushed_less() -> None:
    sizes = np.array([len(hands) for hands in class_hands()])
    shares = [float(charts(stack)[1] @ sizes) for stack in (4.5, 10, 25)]
    assert shares == sorted(shares, reverse=True)


def test_antes_bring_more_pushes_and_calls() -> None:
    (_, push, call), (_, more_push, more_call) = charts(10), charts(10, 0.125)
    assert more_push.sum() > push.sum()
    assert more_call.sum() > call.sum()


def test_a_blind_that_is_all_in_calls_with_everything() -> None:
    assert charts(1)[2] == pytest.approx(1)


def test_chips_are_big_blinds_times_their_worth() -> None:
    chips = es.solve(push_fold(1000, small_blind=50, big_blind=100), "lp")
    assert chips.value / 100 == pytest.approx(charts(10)[0].value, abs=1e-9)


def test_charts_are_those_of_the_tree_that_only_pushes() -> None:
    tree = Preflop(PreflopSetting(1000, 50, 100, 10, opens="a", max_raises=1, limp=False))
    built, solution = solve_preflop(tree.game(), "lp", Limits())
    stakes = PushFoldStakes(10, 0.1)
    game = push_fold_game(stakes)
    first, second = solution.profile.behavior  # big blind first there, the small blind here
    same = push_fold_charts(stakes, Profile((second, first)))
    for own, other in zip(same, built.node_charts(), strict=True):
        assert own.keys() == other.keys()
        for key in ("line", "player", "actions", "names"):
            assert own[key] == other[key]
        for key in ("pot", "to_call", "reach", "frequencies"):
            assert own[key] == pytest.approx(other[key]), key
        for key in ("weights", "evs"):
            assert own[key] == pytest.approx(other[key], abs=1e-9), key
    assert es.exploitability(game, Profile((second, first))).mean == pytest.approx(0, abs=1e-9)


def test_a_blind_that_is_all_in_has_nothing_to_call() -> None:
    stakes = PushFoldStakes(1)
    push, call = push_fold_charts(stakes, es.solve(push_fold_game(stakes), "lp").profile)
    assert (push["to_call"], call["to_call"], call["pot"]) == (0.5, 0, 2)
    assert call["evs"]["AA"] > call["evs"]["32o"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("stack", range(1, 26))
def test_every_stack_from_1_to_25_is_exact(stack: int) -> None:
    solution, _, _ = charts(stack)
    assert solution.value == pytest.approx(lp_value(stack, 0.5, 1), abs=1e-9)


def test_matchups_count_every_pair_once() -> None:
    pairs, equity, _ = class_matchups()
    assert pairs.sum() == PAIRS_DEALT
    assert (pairs == pairs.T).all()
    assert equity + equity.T == pytest.approx(1)
    aces, kings = NAMES.index("AA"), NAMES.index("AKs")
    assert pairs[aces, aces] == 6  # of 36 ordered pairs, those of the other two aces
    assert pairs[aces, kings] == 12  # three pairs of aces for each suit
    means = [hand_equity(parse_hand(one), parse_hand("AsKs")) for one in ("AhAd", "AhAc", "AdAc")]
    assert equity[aces, kings] == pytest.approx(np.mean(means))


@pytest.mark.parametrize(
    ("stakes", "said"),
    [
        ({"stack": 0.5}, "nothing to decide"),
        ({"stack": float("nan")}, "stack is nan"),
        ({"ante": -1.0}, "ante is -1"),
        ({"small_blind": 2.0}, "small one"),
        ({"small_blind": 0.0}, "small one"),
    ],
)
def test_stakes_that_make_no_game(stakes: dict[str, float], said: str) -> None:
    with pytest.raises(GameError, match=said):
        push_fold(**stakes)

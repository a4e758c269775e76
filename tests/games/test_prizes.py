"""Prizes: equities by brute force, and a game before the flop whose payoffs are prizes."""

from itertools import permutations

import numpy as np
import pytest

import endspiel as es
from endspiel.betting.prizes import PrizeMap, prize_equities
from endspiel.cards.class_equity import class_matchups
from endspiel.cards.classes import NUM_CLASSES
from endspiel.cards.deck import hand_cards
from endspiel.cards.preflop import NUM_BOARDS, preflop_counts
from endspiel.engine.limits import Limits
from endspiel.errors import EndspielError, GameError
from endspiel.game import Profile
from endspiel.games.preflop_charts import PreflopCharts
from endspiel.games.preflop_tree import BIG_BLIND, BUTTON, PreflopGame, PreflopSetting
from endspiel.solvers.solve import solve

PUSH = PreflopSetting(stack=800, ante=20, opens="a", reraises="", max_raises=1, limp=False)
TABLE = PrizeMap((1500.0, 800.0), (1200.0, 300.0), (50.0, 30.0, 20.0))


def by_orders(stacks: tuple[float, ...], prizes: tuple[float, ...]) -> list[float]:
    """Every order of finishing, with its chance."""
    equity = [0.0] * len(stacks)
    for order in permutations(range(len(stacks))):
        chance, left = 1.0, sum(stacks)
        for player in order:
            chance *= stacks[player] / left if left else 1.0
            left -= stacks[player]
        for place, player in enumerate(order[: len(prizes)]):
            equity[player] += chance * prizes[place]
    return equity


@pytest.mark.parametrize(
    ("stacks", "prizes"),
    [
        ((50.0, 30.0, 20.0), (50.0, 30.0, 20.0)),
        ((7.0, 11.0, 2.0, 5.0), (65.0, 35.0)),
        ((9.0, 1.0, 4.0, 4.0, 3.0), (50.0, 25.0, 15.0, 10.0)),
    ],
)
def test_equities_are_those_of_all_orders(
    stacks: tuple[float, ...], prizes: tuple[float, ...]
) -> None:
    assert prize_equities(stacks, prizes) == pytest.approx(by_orders(stacks, prizes))
    assert sum(prize_equities(stacks, prizes)) == pytest.approx(sum(prizes))


def test_who_has_no_chips_gets_the_last_place() -> None:
    assert prize_equities((0.0, 60.0, 40.0), (50.0, 30.0, 20.0))[0] == 20
    assert prize_equities((0.0, 60.0, 40.0), (70.0, 30.0))[0] == 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"stacks": (0.0, 5.0)}, {"others": (-1.0,)}, {"prizes": ()}, {"prizes": (1.0, 2.0)},
        {"prizes": (3.0, 2.0, 1.0, 1.0, 1.0)}, {"others": (1.0,) * 11},
        {"prizes": (0.0,)}, {"prizes": (1e308, 1e308)}, {"others": (float("nan"),)},
    ],
)  # fmt: skip
def test_what_is_no_table_is_refused(wrong: dict[str, tuple[float, ...]]) -> None:
    with pytest.raises(GameError):
        PrizeMap(**({"stacks": (5.0, 5.0), "others": (5.0, 5.0), "prizes": (2.0, 1.0)} | wrong))


def pushed_values(push: np.ndarray, call: np.ndarray) -> np.ndarray:
    """Prize equity that both win a hand [2], from the rules: no trees, every outcome by itself."""
    chance = class_matchups().chance
    dealt = push[None, :] * chance  # [big blind, button]
    folded, called = dealt * (1 - call[:, None]), dealt * call[:, None]
    gone = chance.sum() - dealt.sum()
    found = []
    for player in (BIG_BLIND, BUTTON):
        sign = 1 if player == BIG_BLIND else -1
        share = class_matchups().equity if player == BIG_BLIND else 1 - class_matchups().equity
        ties = class_matchups().tie
        wins = share - ties / 2
        found.append(
            gone * TABLE.worth(player, sign * 70)
            + folded.sum() * TABLE.worth(player, -sign * 120)
            + (called * wins).sum() * TABLE.worth(player, 800)
            + (called * (1 - wins - ties)).sum() * TABLE.worth(player, -800)
        )
    return np.array(found)


@pytest.fixture(scope="module")
def solved() -> tuple[PreflopGame, PreflopCharts, float]:
    preflop = PreflopGame(PUSH, prizes=TABLE)
    game = preflop.game()
    found = solve(game, "cfr+", Limits(target_units=2e-3))
    return preflop, PreflopCharts(preflop, game, found.profile), found.exploitability


def strategies(charts: PreflopCharts) -> tuple[np.ndarray, np.ndarray]:
    push, call = charts.node_charts()
    assert (push["line"], push["actions"], call["actions"]) == ("", ["f", "r780"], ["f", "c"])
    pushed, called = ([row[1] for row in one["classes"].values()] for one in (push, call))
    return np.array(pushed), np.array(called)


def test_values_and_best_responses_are_those_of_every_outcome(
    solved: tuple[PreflopGame, PreflopCharts, float],
) -> None:
    _, charts, exploitability = solved
    push, call = strategies(charts)
    mine = pushed_values(push, call)
    found = es.exploitability(charts.game, charts.profile)
    assert (found.value, found.second) == pytest.approx(tuple(mine), abs=1e-9)
    assert abs(mine.sum()) > 1e-3  # others win what these two lose to each other
    # A best response class by class: what is gained where one class alone changes.
    best = mine.copy()
    for k in range(NUM_CLASSES):
        for player, own in ((BUTTON, push), (BIG_BLIND, call)):
            values = []
            for share in (0.0, 1.0):
                changed = own.copy()
                changed[k] = share
                both = (changed, call) if player == BUTTON else (push, changed)
                values.append(pushed_values(*both)[player])
            best[player] += max(values) - mine[player]
    assert found.best == pytest.approx(tuple(best), abs=1e-9)
    assert exploitability == pytest.approx((best - mine).sum() / 2, abs=1e-9)
    assert exploitability <= 2e-3


def test_prizes_make_callers_tighter(solved: tuple[PreflopGame, PreflopCharts, float]) -> None:
    _, charts, _ = solved
    _, call = strategies(charts)
    preflop = PreflopGame(PUSH)
    game = preflop.game()
    chips = PreflopCharts(preflop, game, solve(game, "cfr+", Limits(target_units=0.5)).profile)
    assert call.sum() < strategies(chips)[1].sum() - 5


def test_winner_takes_all_is_played_for_chips() -> None:
    """Between two players prizes are linear in chips: the game is the same in another unit."""
    alone = PrizeMap((800.0, 800.0), (), (160.0,))
    prizes, chips = PreflopGame(PUSH, prizes=alone).game(), PreflopGame(PUSH).game()
    profile = Profile.uniform(chips)
    one, two = es.exploitability(prizes, profile), es.exploitability(chips, profile)
    assert one.value == pytest.approx(two.value / 10)
    assert one.mean == pytest.approx(two.mean / 10)
    assert one.second == pytest.approx(-two.value / 10)


@pytest.mark.parametrize("method", ["lp", "egt"])
def test_methods_of_zero_sum_games_refuse_prizes(
    method: str, solved: tuple[PreflopGame, PreflopCharts, float]
) -> None:
    with pytest.raises(EndspielError, match="solves zero-sum games, and this is none"):
        solve(solved[1].game, method)


def test_ties_are_counted_pair_by_pair() -> None:
    _, tie = preflop_counts()
    one, two = (np.flatnonzero(es.parse_range(text)) for text in ("AA", "AKs"))
    cards = hand_cards()
    boards = [tie[a, b] for a in one for b in two if not set(cards[a]) & set(cards[b])]
    assert class_matchups().tie[0, 1] == pytest.approx(np.mean(boards) / NUM_BOARDS)

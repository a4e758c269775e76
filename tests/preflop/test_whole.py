"""Trees by the usual default: one answer by every door, and depths in between beside play."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import endspiel as es
from endspiel.batch.boards import flop_subset
from endspiel.batch.preflop_solve import Preflop
from endspiel.cards.class_equity import class_matchups
from endspiel.engine.driver import Driver
from endspiel.engine.schemes import SCHEMES
from endspiel.games.preflop_tree import PreflopGame, PreflopSetting
from endspiel.preflop.shipped import OPENS, RAISES, RERAISES, Shipped, shipped
from endspiel.preflop.solving import OFTEN, PlayLimits, solve_valued
from endspiel.preflop.street import PreflopStreet
from endspiel.preflop.tables import STACKS, line_rows, solved_rows, stack_row
from endspiel.preflop.whole import CHARTS, EXACT, MODEL, NET, solve_whole, usual_values
from endspiel.web.messages import PreflopAsked
from endspiel.web.preflops import answer_preflop
from tests.cli.commands import runner

BLIND = 100  # chips
PAGE = (Path(__file__).parents[2] / "docs" / "preflop.md").read_text()  # made by `tables`


def game_of(stack: float) -> PreflopGame:
    chips = round(BLIND * stack)
    return PreflopGame(PreflopSetting(chips, opens=OPENS, reraises=RERAISES, max_raises=RAISES))


def test_command_page_and_library_have_the_same_default(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = runner("preflop", monkeypatch, capsys)("--stack", 12, "--json", "-").json
    page = answer_preflop(PreflopAsked(12))
    library = es.preflop_charts(12)
    assert told["value"] == page.value == library.record()["value"]
    assert told["error_bb"] == page.error_bb == library.error_bb > 0
    assert told["flop_value"]["model"] == page.flop_value["model"] == "play"
    assert told["charts"] == page.charts == library.record()["charts"]
    often = [one for one in told["flop_value"]["lines"] if one["frequency"] >= OFTEN]
    assert told["error_bb"] == max(one["error"] for one in often)
    assert library.errors == {one["line"]: one["error"] for one in told["flop_value"]["lines"]}


@pytest.mark.parametrize(("stack", "aces"), [(100, 0.15), (10, 1.0)])
def test_strong_hands_raise_and_weak_ones_do_not_by_default(stack: float, aces: float) -> None:
    """Aces first in at 100 big blinds are mostly raised, which is worth 0.002 more; at 10 they may
    be slow-played, J5o not raised."""
    found = es.preflop_charts(stack)
    first = found.charts.node_charts()[0]
    all_in = f"r{round(BLIND * stack)}"

    def taken(hand: str) -> dict[str, float]:
        return dict(zip(first["actions"], first["classes"][hand], strict=True))

    def raised(hand: str) -> float:
        return sum(share for to, share in taken(hand).items() if to[0] == "r" and to != all_in)

    assert taken("AA")["c"] <= aces
    assert taken("AA")["f"] < 0.001
    assert taken("72o")["f"] > 0.99
    assert taken("J5o")[all_in] + (raised("J5o") if stack == 10 else 0) < 0.01
    folds = dict(zip(first["actions"], first["frequencies"], strict=True))["f"]
    assert 0.05 < folds < 0.3  # a button is folded, as it is not by strategies of few buckets
    assert stack_row(found) in PAGE
    if stack == 100:
        assert "\n".join(line_rows(found)) in PAGE


def test_the_page_has_what_solved_flops_gave() -> None:
    assert "\n".join(solved_rows()) in PAGE


@pytest.mark.slow
@pytest.mark.parametrize("stack", sorted({*STACKS} - {10.0, 100.0}))
def test_the_page_has_the_charts_that_come_along(stack: float) -> None:
    assert stack_row(es.preflop_charts(stack)) in PAGE


def test_what_values_flops_where_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("endspiel.preflop.solving.report_flops", lambda *given: flop_subset(25)[:1])
    push = {"opens": "a", "reraises": "", "max_raises": 1, "limp": False}
    for setting, by in (
        (PreflopSetting(1200), CHARTS),
        (PreflopSetting(1200, ante=10), NET),
        (PreflopSetting(1200, **push), EXACT),  # type: ignore[arg-type]
    ):
        assert usual_values(Preflop(setting)) == by
    assert es.preflop_charts(8, **push).error_bb == 0.0  # type: ignore[arg-type]
    setting = PreflopSetting(800, ante=10, opens="2x", max_raises=1)
    antes = solve_whole(Preflop(setting), limits=PlayLimits(rounds=1))
    assert antes.flop_value["by"] == "a value net at the end of the flop"
    sketch = solve_whole(Preflop(PreflopSetting(800, max_raises=1)), MODEL)
    assert (sketch.error_bb, sketch.errors) == (None, {})


def neighbors() -> list[tuple[float, float, float]]:
    """Depths of the file between two others: below, here, above."""
    known = sorted(shipped().depths)
    return [(low, here, high) for (low, here), (_, high) in pairwise(pairwise(known))]


@pytest.mark.parametrize("here", [10.0, 25.0, 50.0, 100.0])
def test_a_depth_in_between_is_near_the_one_that_was_played(here: float) -> None:
    """Charts begun from its neighbors alone lose little where flops are worth what was played."""
    (low, high) = next((low, high) for low, at, high in neighbors() if at == here)
    between = Shipped({depth: shipped().depths[depth] for depth in (low, high)})
    game, direct = game_of(here), shipped().starts(game_of(here))
    guessed = between.starts(game)
    weights = class_matchups().chance / class_matchups().chance.sum()
    for line, start in direct.items():  # pots are off by no more than is said
        if start.frequency >= OFTEN:
            pot = game.pot(game.tree.find(line)) / BLIND
            apart = pot * abs(float((weights * (guessed[line].share() - start.share())).sum()))
            said = guessed[line].between + np.hypot(guessed[line].net, guessed[line].uncertain)
            said += guessed[line].gap + start.gap
            assert apart < said, line
    solved = solve_valued(game, {line: one.share() for line, one in guessed.items()}, BLIND)
    street = PreflopStreet(game_of(here))
    street.value_flops({line: one.share() for line, one in direct.items()})
    street.restore(solved.street.state())
    lost = Driver(street, SCHEMES["dcfr"]).exploitability() / BLIND
    assert lost < 0.05  # big blinds

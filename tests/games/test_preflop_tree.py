"""Whole trees before the flop: payoffs by a plain walk, charts, ranges handed on, flops solved."""

from pathlib import Path

import numpy as np
import pytest

import endspiel as es
from endspiel.batch.planning import SpotMethod
from endspiel.batch.preflop_flops import ANY_FLOP, EngineFlops, FlopShare, check_line
from endspiel.batch.running import BatchSetting
from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.cards.class_equity import class_matchups
from endspiel.cards.classes import NUM_CLASSES, class_names, hand_classes
from endspiel.cards.text import format_cards
from endspiel.engine.limits import Limits
from endspiel.errors import GameError
from endspiel.game import Profile
from endspiel.games.preflop_charts import PreflopCharts
from endspiel.games.preflop_tree import BIG_BLIND, BUTTON, PreflopGame, PreflopSetting
from endspiel.preflop.solving import BY_CHARTS
from endspiel.solvers.solve import solve
from endspiel.solving.spots import SpotOptions
from tests.cli.commands import Run, runner

SKETCH = ("--flops-by", "model")
SMALL = PreflopSetting(stack=1200, ante=10, opens="2.5x", reraises="a", max_raises=2)


def random_profile(game: es.Game) -> Profile:
    rng = np.random.default_rng(7)
    sides = []
    for plex in game.plexes:
        behavior = np.ones(plex.num_sequences)
        for b in range(plex.num_blocks):
            block = plex.block(b)
            size = block.num_actions * block.num_states
            shares = rng.random((block.num_actions, block.num_states)) ** 3
            behavior[block.first : block.first + size] = (shares / shares.sum(axis=0)).ravel()
        sides.append(behavior)
    return Profile((sides[0], sides[1]))


def walked_value(preflop: PreflopGame, charts: PreflopCharts, who: int = 0) -> float:
    """A player's chips a hand, from the rules: who put in what, and who gets it, less the rake."""
    tree, setting = preflop.tree, preflop.setting
    strategies = {chart["line"]: chart for chart in charts.node_charts()}
    matchups = class_matchups()

    def walk(line: str, weights: list[np.ndarray]) -> float:
        node = tree.find(line)
        spent = tree.spent[node] + setting.ante
        met = weights[0][:, None] * matchups.chance * weights[1][None, :]
        words = tree.words(node)
        if not words:
            pot = spent.sum()
            if line.split()[-1] == "f":
                folder = int(tree.player[node])
                return met.sum() * (-spent[who] if folder == who else pot - spent[who])
            behind = setting.stack - spent.max()
            odds = 1.3 ** (behind / (behind + pot))
            share = matchups.equity / (matchups.equity + odds * (1 - matchups.equity))
            left = pot - min(preflop.rake.share * pot, preflop.rake.cap)
            return float((met * (abs(who - share) * left - spent[who])).sum())
        chart = strategies[line]
        player = ("big blind", "button").index(chart["player"])
        total = 0.0
        for a, word in enumerate(words):
            after = list(weights)
            after[player] = weights[player] * [chart["classes"][name][a] for name in class_names()]
            total += walk(f"{line} {word}".strip(), after)
        return total

    return walk("", [np.ones(NUM_CLASSES)] * 2)


@pytest.fixture(scope="module")
def charts() -> PreflopCharts:
    preflop = PreflopGame(SMALL)
    game = preflop.game()
    return PreflopCharts(preflop, game, random_profile(game))


def test_values_agree_with_a_plain_walk(charts: PreflopCharts) -> None:
    value = es.expected_value(charts.game, charts.profile)
    assert value == pytest.approx(walked_value(charts.preflop, charts), abs=1e-9)


@pytest.mark.parametrize("cap", [30, 2000])
def test_pots_that_see_a_flop_are_raked(charts: PreflopCharts, cap: float) -> None:
    preflop = PreflopGame(SMALL, rake=es.Rake(0.05, cap))
    raked = PreflopCharts(preflop, preflop.game(), charts.profile)
    values = [raked.value(player) for player in (BIG_BLIND, BUTTON)]
    walked = [walked_value(preflop, raked, player) for player in (BIG_BLIND, BUTTON)]
    assert values == pytest.approx(walked, abs=1e-9)
    found = es.exploitability(raked.game, raked.profile)
    assert (found.value, found.second) == pytest.approx(tuple(values), abs=1e-9)
    assert sum(values) < -1
    spot = raked.spot(
        raked.node("r250 c"), ANY_FLOP, Sizing((None, *[StreetMenu.parse("", "")] * 3))
    )
    assert spot.rake == preflop.rake


def test_a_rake_of_nothing_changes_nothing(charts: PreflopCharts) -> None:
    nothing = PreflopGame(SMALL, rake=es.Rake(0.0)).game()
    assert es.expected_value(nothing, charts.profile) == es.expected_value(
        charts.game, charts.profile
    )


def test_evs_of_charts_add_up_to_the_value(charts: PreflopCharts) -> None:
    root, *_ = charts.node_charts()
    assert root["player"] == "button"
    dealt = class_matchups().chance.sum(axis=0)
    mean = dealt @ [root["evs"][name] for name in class_names()]
    value = -es.expected_value(charts.game, charts.profile)
    assert 100 * mean - 60 == pytest.approx(value, abs=1e-9)  # a small blind and an ante are in
    assert root["reach"] == pytest.approx(1)
    assert sum(root["frequencies"]) == pytest.approx(1)


def test_all_in_is_worth_its_equity(charts: PreflopCharts) -> None:
    preflop = charts.preflop
    all_in = preflop.tree.find("r250 r1190 c")
    assert preflop.behind(all_in) == 0
    np.testing.assert_allclose(preflop.share(all_in), class_matchups().equity)
    flop = preflop.tree.find("r250 c")
    assert preflop.flop_nodes == (preflop.tree.find("c c"), flop, preflop.tree.find("c r250 c"))
    assert (preflop.share(flop) < class_matchups().equity).all()
    np.testing.assert_allclose(preflop.share(flop, 1.0), class_matchups().equity)


def test_solved_by_any_method_it_is_an_equilibrium() -> None:
    preflop = PreflopGame(PreflopSetting(stack=800, opens="a", reraises="", max_raises=1))
    game = preflop.game()
    found = solve(game, "cfr+", Limits(target_units=0.3))
    assert es.exploitability(game, found.profile).mean <= 0.3
    charts = PreflopCharts(preflop, game, found.profile)
    root = charts.node_charts()[0]
    assert root["classes"]["AA"][root["actions"].index("f")] < 1e-3
    # A class plays only what is best for it, up to the exploitability.
    push = es.solve(es.games.push_fold(stack=8), "lp")
    assert -found.value / 100 >= push.value - 0.005  # who may also limp wins no less


def test_straddles_and_antes_are_posted() -> None:
    setting = PreflopSetting(stack=2000, ante=5, straddle=200, opens="3x", max_raises=1)
    tree = setting.tree()
    assert tree.player[0] == 0  # the big blind begins
    assert tree.words(0) == ["f", "c", "r600"]
    assert float(tree.stake[tree.find("f")]) == 105
    assert float(tree.stake[tree.find("c r600 f")]) == 205
    assert PreflopGame(setting).pot(tree.find("c c")) == 410


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"stack": 100}, "nothing to raise"),
        ({"stack": 500, "small_blind": 0}, "the blinds are"),
        ({"stack": 500, "straddle": 150}, "two big blinds or more, not 1.5"),
        ({"stack": 500, "ante": -1}, "antes"),
    ],
)
def test_what_is_no_game_is_refused(wrong: dict[str, int], said: str) -> None:
    with pytest.raises(GameError, match=said):
        PreflopSetting(**wrong)


def test_ranges_are_handed_on_to_a_flop(charts: PreflopCharts) -> None:
    menu = StreetMenu.parse("50%", "")
    spot = charts.spot(charts.node("r250 c"), ANY_FLOP, Sizing((None, menu, menu, menu)))
    assert (spot.pot, spot.stack) == (520, 940)
    chart = {one["line"]: one for one in charts.node_charts()}
    called = chart["r250"]["classes"]["T9s"][chart["r250"]["actions"].index("c")]
    hand = es.parse_range("Th9h") > 0
    assert spot.ranges[0][hand] == pytest.approx(called, abs=1e-3)
    opened = chart[""]["classes"]["T9s"][chart[""]["actions"].index("r250")]
    assert spot.ranges[1][hand] == pytest.approx(opened, abs=1e-3)
    with pytest.raises(GameError, match="no flop is bet on after 'r250 r1190'"):
        charts.node("r250 r1190")


def only(charts: PreflopCharts, classes: tuple[tuple[str, ...], tuple[str, ...]]) -> PreflopCharts:
    """Charts by which only some classes raise and call; all others fold."""
    sides = []
    for player, names in enumerate(classes):
        plex = charts.game.plexes[player]
        behavior = np.zeros(plex.num_sequences)
        behavior[0] = 1.0
        for decision in (d for d in charts.preflop.numbering.decisions if d.player == player):
            words = charts.preflop.tree.words(decision.node)
            raised = next((a for a, word in enumerate(words) if word == "r250"), words.index("c"))
            for k, name in enumerate(class_names()):
                taken = (raised if player else words.index("c")) if name in names else 0
                behavior[1 + (decision.first - 1 + taken) * NUM_CLASSES + k] = 1.0
        sides.append(behavior)
    return PreflopCharts(charts.preflop, charts.game, Profile((sides[0], sides[1])))


@pytest.mark.parametrize("bet", ["", "a"])
def test_what_flops_realize_beyond_equity_is_measured(
    charts: PreflopCharts, tmp_path: Path, bet: str
) -> None:
    few = only(charts, (("QJs", "88"), ("AKs", "55")))
    flop = tmp_path / "flops.txt"
    flop.write_text("As 7d 2c\n")
    menu, nothing = StreetMenu.parse(bet, ""), StreetMenu.parse("", "")
    how = SpotMethod(None, SpotOptions(1), Limits(iterations=20))
    sizing = Sizing((None, menu, nothing, nothing))
    solver = EngineFlops(how, BatchSetting(1, "cpu", None))
    nobody = {chart["line"]: chart for chart in few.node_charts()}["c"]
    assert (nobody["reach"], nobody["frequencies"]) == (0, [None] * len(nobody["actions"]))
    assert nobody["evs"]["AA"] is None
    node = few.node("r250 c")
    found = check_line(few, node, str(flop), sizing, solver)
    one, two = few.ranges(node)
    board = es.parse_cards("As7d2c")
    solved = es.solve(few.spot(node, tuple(board), sizing), iterations=20)
    realized = solved.evs[0] / 520 - es.range_equity(one, two, list(board))[0]
    assert abs(realized) < 1e-5 if not bet else abs(realized) > 0.01
    assert found.solved == pytest.approx(class_equity(one, two) + realized, abs=1e-5)
    assert found.error == pytest.approx((found.model - found.solved) * 5.2)
    fitted = PreflopCharts(PreflopGame(SMALL, {"r250 c": found.fitted}), few.game, few.profile)
    again = check_line(fitted, node, str(flop), sizing, solver)
    assert again.error == pytest.approx(0, abs=1e-6)
    assert (found.by, found.flops, found.uncertain) == ("solved to the river", 1, 0.0)
    assert format_cards(ANY_FLOP) == "2c7dAh"


def test_the_error_of_a_mean_over_flops_is_told(charts: PreflopCharts, tmp_path: Path) -> None:
    shares = [FlopShare(0.5, 0.4, 2.0), FlopShare(0.3, 0.4, 1.0), FlopShare(0.6, 0.4, 1.0)]

    class Given:
        by = "given"

        def __call__(self, spot: es.Spot, boards: object) -> list[FlopShare]:
            assert not spot.rake
            return shares

    flops = tmp_path / "flops.txt"
    flops.write_text("As 7d 2c\nKs 7d 2c\n9s 8d 2c\n")
    menu = StreetMenu.parse("", "")
    node = charts.node("r250 c")
    found = check_line(charts, node, str(flops), Sizing((None, menu, menu, menu)), Given())
    beyond = 0.075  # (2 * 0.1 - 0.1 + 0.2) / 4
    assert found.solved == pytest.approx(class_equity(*charts.ranges(node)) + beyond, abs=1e-9)
    squares = 0.5**2 * 0.025**2 + 0.25**2 * 0.175**2 + 0.25**2 * 0.125**2
    assert found.uncertain == pytest.approx((squares * 3 / 2) ** 0.5 * found.pot)
    assert found.by == "given"


def class_equity(one: np.ndarray, two: np.ndarray) -> float:
    """Equity of a range [1326] against another over all boards, by counts of classes."""
    kinds, matchups = hand_classes(), class_matchups()
    held = [np.array([w[kinds == k].mean() for k in range(NUM_CLASSES)]) for w in (one, two)]
    met = np.outer(*held) * matchups.chance
    return float((met * matchups.equity).sum() / met.sum())


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return runner("preflop", monkeypatch, capsys)


def test_the_command_writes_charts_and_a_spot(command: Run, tmp_path: Path) -> None:
    spot = tmp_path / "flop.toml"
    tree = ("--stack", 8, "--opens", "2x", "--reraises", "a", "--max-raises", 2, "--target", 0.01)
    out = ("--line", "r200 c", "--board", "As 7d 2c", "--spot-out", spot)
    outcome = command(*tree, *out, *SKETCH, "--method", "cfr+", "--json", "-")
    assert outcome.status == 0, outcome.err
    found = outcome.json
    assert found["exploitability"] <= 0.01
    assert found["charts"][0]["names"] == ["fold", "call", "raise to 2"]
    assert {flop["line"] for flop in found["flops"]} >= {"c c", "r200 c"}
    written = es.load_spot(spot)
    assert (written.pot, written.stack) == (400, 600)
    refused = command(*tree, "--spot-out", spot)
    assert refused.status == 2
    assert "--spot-out needs --line and --board" in refused.err


def test_the_command_tells_of_rake(command: Run) -> None:
    tree = (
        "--stack",
        8,
        "--opens",
        "a",
        "--max-raises",
        1,
        "--target",
        0.05,
        "--json",
        "-",
        *SKETCH,
    )
    assert command(*tree).json["rake"] == 0
    raked = command(*tree, "--rake", "5%", "--rake-cap", 0.5).json
    assert 0.01 < raked["rake"] < 0.5
    refused = command(*tree, "--rake-cap", 0.5)
    assert (refused.status, "--rake-cap is given without --rake" in refused.err) == (2, True)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("--stack", "nan"), "--stack takes a number from 0 to"),
        (("--stack", 8, "--big-blind", 0), "--big-blind takes a number from 1e-09 to"),
        (("--stack", 8, "--big-blind", 5e-324), "--big-blind takes a number from 1e-09 to"),
        (("--stack", 1e9), "at most 10,000 big blinds"),
        (("--stack", 8, "--prizes", ""), "--prizes names no prize"),
        (("--stack", 8, "--rake", "x"), "a rake is written"),
        (("--stack", 300, "--reraises", "2x, 2.5x, 3x", "--max-raises", 7), "raise less"),
        (("--stack", 8, "--straddle", 1), "two big blinds or more, not 1"),
        (("--stack", 1), "a stack of 1 big blinds"),
        (("--stack", 8, "--prizes", "2,1", "--stacks", "5,9"), "stacks of 5 and 9 big blinds"),
        (("--stack", 8, "--line", "zz"), "no 'zz' at the start: there are f, c, r200"),
        (("--stack", 8, "--flops", "26"), "no set of 26 flops"),
        (
            ("--stack", 8, "--flops", "25", "--flops-by", "magic"),
            "charts, net, engine or model, not",
        ),
        (("--stack", 8, "--flops-by", "engine"), "--flops-by engine needs --flops"),
        (("--stack", 8, "--flops-by", "model", "--flops", "25"), "model solves no flops"),
        (
            ("--stack", 8, "--flops-by", "model", "--resume", "x.es"),
            "--resume is of --flops-by net",
        ),
        (("--stack", 8, "--flops-by", "charts", "--flops", "25"), "charts solves no flops"),
        (("--stack", 8, "--flops-by", "charts", "--ante", 0.1), "of trees without antes"),
        (("--stack", 8, "--flops-by", "charts", "--rake", "5%"), "of trees without a rake"),
        (("--stack", 500, "--flops-by", "charts"), "of stacks from"),
        (("--stack", 8, "--method", "cfr+"), "such a tree is solved by dcfr"),
        (("--stack", 8, "--board", "As 7d 2c"), "--board is of --spot-out"),
        (("--stack", 8, "--board", "As 7d", "--line", "c c", "--spot-out", "x.toml"), "has 2"),
    ],
)
def test_what_cannot_be_solved_is_said(command: Run, typed: tuple[object, ...], said: str) -> None:
    refused = command("--opens", "2x", *typed)
    assert refused.status == 2
    assert said in refused.err


def test_a_tree_without_flops_is_solved_exactly_and_needs_no_model(command: Run) -> None:
    tree = ("--stack", 8, "--opens", "a", "--max-raises", 1, "--no-limp")
    found = command(*tree, "--json", "-").json
    assert (found["method"], found["flop_value"]["model"]) == ("lp", "none")
    assert found["value"] == pytest.approx(es.solve(es.games.push_fold(stack=8), "lp").value)
    assert "model" not in command(*tree).out
    assert command(*tree, "--rake", "5%", "--json", "-").json["method"] == "cfr+"


def test_flops_are_played_and_every_line_has_its_error(command: Run, tmp_path: Path) -> None:
    flops = tmp_path / "flops.txt"
    flops.write_text("Ks 7h 2d\n")
    tree = ("--stack", 20, "--opens", "2x", "--max-raises", 1, "--no-limp", "--target", 0.01)
    outcome = command(*tree, "--flops", flops)
    assert "after 'r200 c'" in outcome.out
    assert "of hands or more are off by" in outcome.out
    found = command(*tree, "--flops", flops, "--json", "-").json
    (line,) = found["flop_value"]["lines"]
    assert (found["flop_value"]["model"], line["line"], line["pot"]) == ("play", "r200 c", 4)
    assert found["error_bb"] == line["error"] >= abs(line["gap"])
    assert found["exploitability"] <= 0.01
    assert (found["method"], found["stopped"]) == ("dcfr", False)


def test_charts_that_come_along_are_shown_at_once(command: Run) -> None:
    """No round of play is made: flops are worth what the package's charts say, with its errors."""
    found = command("--stack", 100, "--json", "-").json
    assert (found["flop_value"]["by"], found["method"]) == (BY_CHARTS, "dcfr")
    assert found["exploitability"] <= 1e-3
    often = [one for one in found["flop_value"]["lines"] if one["frequency"] >= 0.02]
    assert {one["line"] for one in often} >= {"c c", "r200 c", "r300 c", "c r300 c"}
    assert found["error_bb"] == max(one["error"] for one in often) > 0
    first = found["charts"][0]
    assert first["names"] == ["fold", "call", "raise to 2", "raise to 3", "raise to 100"]
    assert first["classes"]["AA"][1] < 0.3  # at the most: the formula limps half of them
    assert first["classes"]["72o"][0] > 0.9
    outcome = command("--stack", 37)
    assert "between lines played" in outcome.out
    assert "button: raise to 37" not in outcome.out  # nobody does


def test_the_model_is_named_a_sketch_whose_error_is_not_known(command: Run) -> None:
    tree = ("--stack", 8, "--opens", "2x", "--max-raises", 1, "--target", 0.05, *SKETCH)
    assert "a rough sketch" in command(*tree).out
    assert command(*tree, "--json", "-").json["error_bb"] is None


def test_the_ranges_of_a_flop_are_shown(command: Run) -> None:
    tree = ("--stack", 8, "--opens", "2x", "--max-raises", 1, "--target", 0.05, *SKETCH)
    shown = command(*tree, "--line", "r200 c").out
    assert "Flops after 'r200 c': pot 4, 6 behind" in shown
    (flop,) = (
        flop for flop in command(*tree, "--json", "-").json["flops"] if flop["line"] == "r200 c"
    )
    assert f"big blind: {flop['ranges'][0]}" in shown


def test_a_target_of_nothing_is_no_target_left_out(command: Run) -> None:
    tree = ("--stack", 8, "--opens", "a", "--max-raises", 1, "--no-limp", "--method", "cfr+")
    loose = command(*tree, "--target", 0.5, "--json", "-").json
    assert loose["iterations"] < command(*tree, "--json", "-").json["iterations"]
    assert command(*tree, "--target", "-1").status == 2


def test_prizes_are_handed_on_to_a_flop(command: Run, tmp_path: Path) -> None:
    spot = tmp_path / "flop.toml"
    tree = ("--stack", 8.7, "--opens", "2x", "--max-raises", 1, "--target", 0.5, *SKETCH)
    prizes = ("--prizes", "50,30,20", "--stacks", "15,8.7", "--others", "12")
    out = ("--line", "r200 c", "--board", "As 7d 2c", "--spot-out", spot)
    assert command(*tree, *prizes, *out).status == 0
    written = es.load_spot(spot)
    assert (written.stack, written.behind) == (670, (1300, 670))
    assert (written.prizes.stacks, written.prizes.others) == ((1500, 870), (1200,))

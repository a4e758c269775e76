"""Turns solved again: values that must not change, draws that must be fair, an honest interval."""

from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from endspiel.arena.estimators import resolved_exploit
from endspiel.arena.estimators.real_exploit import class_values
from endspiel.arena.estimators.real_lanes import LimitResponse
from endspiel.arena.estimators.real_response import next_cards
from endspiel.arena.estimators.resolved_exploit import (
    DrawnFlop,
    ResolvedSetting,
    draw_boards,
    resolved_exploitability,
)
from endspiel.arena.estimators.resolved_streams import BatchedTurnSolver
from endspiel.arena.estimators.resolved_turns import (
    TURNS,
    FlopTables,
    ResolvedFlop,
    TurnSolver,
    state_at,
)
from endspiel.blueprint.blueprint import Blueprint, load_blueprint
from endspiel.cards.live import live_hands
from endspiel.cards.text import parse_cards
from endspiel.endgame.safe.live import LiveEndgame
from endspiel.engine.limits import Limits
from endspiel.errors import EndspielError, GameError
from endspiel.executor import Executor
from endspiel.gpu.cuda.device import Device
from endspiel.gpu.cuda.machine import cuda_machine
from endspiel.kernels.arrays import Floats
from endspiel.rules.acpc import parse_betting
from endspiel.rules.builtin import load_rules
from tests.blueprint_fixture import save_small
from tests.cli.commands import runner
from tests.endgame.plain_river import pair_forms
from tests.executor.work import found_backwards
from tests.hostile.surroundings import only_sentence

LIMIT = load_rules("limit-holdem")
CHECKED = replace(LIMIT, max_raises=(1, 1, 0, 0))  # nothing is bet from the turn on
FLOP = tuple(sorted(parse_cards("Ks 9s 4s")))  # one suit: few turns differ
RIVER = tuple(parse_cards("Ks Th 7s 4d 2c"))
FEW = Limits(iterations=3)


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Blueprint:
    path = tmp_path_factory.mktemp("resolved") / "checked.blueprint"
    return load_blueprint(save_small(path, limit=CHECKED))


@cache
def flop_of(blueprint: Blueprint) -> ResolvedFlop:
    responses = LimitResponse(blueprint, 0), LimitResponse(blueprint, 1)
    return ResolvedFlop(responses, TurnSolver(blueprint, FEW), FLOP)


def test_solving_changes_nothing_where_nothing_is_bet(checked: Blueprint) -> None:
    """By other code, from other tables: hands, reaches, cards to come and chips all agree."""
    flop = flop_of(checked)
    card = flop.cards[5][0]
    gains = flop._gains(5)
    for player in (0, 1):
        values = flop._by_blueprint[card][player]
        assert abs(values).max() > 1000
        assert abs(gains[player]).max() < 1e-4 * abs(values).max()


def test_a_flop_without_changes_is_the_blueprints(
    checked: Blueprint, monkeypatch: pytest.MonkeyPatch
) -> None:
    flop = flop_of(checked)
    monkeypatch.setattr(flop, "_gains", lambda at: [0 * v for v in unchanged(flop, at)])
    for player, tables in enumerate(flop.tables((1, 2))):
        right = class_values(flop.responses[player].flop_values(FLOP))
        assert np.allclose(tables.fitted, right, atol=1e-5 * abs(right).max())
        assert np.allclose(tables.fresh, right, atol=1e-5 * abs(right).max())


def unchanged(flop: ResolvedFlop, at: int) -> list[Floats]:
    return flop._by_blueprint[flop.cards[at][0]]


def test_lines_of_a_turn_are_solved_side_by_side(tmp_path: Path) -> None:
    """As one after another, by a machine of op streams."""
    rules = replace(LIMIT, max_raises=(1, 0, 0, 1))
    blueprint = load_blueprint(save_small(tmp_path / "bets.blueprint", limit=rules))
    exits = LimitResponse(blueprint, 0).exits[1]
    nodes = [int(blueprint.tree.first_child[node]) for node in exits]
    board, limits = (*FLOP, parse_cards("2s")[0]), Limits(iterations=2)
    wanted, found = (
        make(blueprint, limits).values(nodes, board) for make in (TurnSolver, BatchedTurnSolver)
    )
    assert len(found) == len(nodes) == 3
    for one, two in zip(found, wanted, strict=True):
        for player in (0, 1):
            assert np.allclose(one[player], two[player], atol=2e-4 * abs(two[player]).max())
            assert abs(two[player]).max() > 100


def test_doubt_is_in_the_range_of_the_one_who_responds(tmp_path: Path) -> None:
    """Each seat plays its own solution, in which the other may hold anything; by streams too."""
    rules = replace(LIMIT, max_raises=(1, 0, 0, 1))
    blueprint = load_blueprint(save_small(tmp_path / "bets.blueprint", limit=rules))
    node = int(blueprint.tree.first_child[LimitResponse(blueprint, 0).exits[1][0]])
    board, limits = (*FLOP, parse_cards("2s")[0]), Limits(iterations=2)
    plain, solver = TurnSolver(blueprint, limits), TurnSolver(blueprint, limits, 0.25)
    (found,) = solver.values([node], board)
    (streams,) = BatchedTurnSolver(blueprint, limits, 0.25).values([node], board)
    (believed,) = plain.lines([node], board)
    for player in (0, 1):
        (line,) = solver.lines([node], board, doubted=player)
        own, other = line.endgame.ranges[1 - player], line.endgame.ranges[player]
        before = believed.endgame.ranges
        assert np.allclose(own, before[1 - player])
        live, most = live_hands(board) > 0, before[player].max()
        assert np.allclose(other[live], np.maximum(before[player], most / 4)[live])
        assert not np.allclose(other, before[player])
        line.endgame.solve(limits)
        wanted = line.endgame.weighed_values(player, line.reaches[1 - player])
        assert np.allclose(found[player], wanted, atol=1e-6 * abs(wanted).max())
        assert np.allclose(streams[player], wanted, atol=2e-4 * abs(wanted).max())
    with pytest.raises(EndspielError, match="doubt is a share from 0 to 1"):
        TurnSolver(blueprint, limits, 1.5)


def test_drawn_turns_are_fair_on_both_sides_of_the_truth(checked: Blueprint) -> None:
    """Over all pairs of turns by their chances: fresh is at most the truth, fitted at least."""
    flop = flop_of(checked)
    rng = np.random.default_rng(2)
    noise: list[Any] = [[rng.normal(0, 0.5, v.shape) * abs(v) for v in unchanged(flop, at)]
             for at in range(len(flop.cards))]  # fmt: skip
    images = np.array([len(images) for _, images in flop.cards])
    assert images.sum() == TURNS
    assert len(images) < 30
    gains = dict(enumerate(noise))
    truth = flop._table(0, gains, ())
    assert np.array_equal(truth.fitted, truth.fresh)
    fitted, fresh = np.zeros_like(truth.fitted), np.zeros_like(truth.fitted)
    chances = images / TURNS
    for one, two in product(range(len(images)), repeat=2):
        if one > two:
            continue  # the halves are used either way round
        found = flop._table(0, gains, (one, two))
        weight = chances[one] * chances[two] * (1 if one == two else 2)
        fitted += weight * found.fitted
        fresh += weight * found.fresh
    size = abs(truth.fitted).max()
    assert (fitted - truth.fitted).min() > -1e-9 * size
    assert (truth.fitted - fresh).min() > -1e-9 * size
    assert (fitted - truth.fitted).max() > 1e-3 * size
    assert (truth.fitted - fresh).max() > 1e-3 * size


def test_values_against_a_reach_are_worked_out_by_hand() -> None:
    """On a river: the best response to the solution where the other comes with other hands."""
    rng = np.random.default_rng(4)
    live = live_hands(RIVER)
    ranges = (rng.random(1326) * live, rng.random(1326) * live)
    root = parse_betting(LIMIT, "rc/rrc/rc/")
    endgame = LiveEndgame(root, RIVER, ranges, None)
    endgame.solve(Limits(iterations=20))
    reach = rng.random(1326) ** 8 * live * 1e-3
    met, won = pair_forms(RIVER, (live, reach))
    total = float(live @ (met > 0) @ reach)

    def walk(node: int, state, coming: Floats) -> Floats:  # type: ignore[no-untyped-def]
        if state.finished:
            stake = min(state.spent)
            if state.showdown:
                return stake * (won @ coming)
            return (-stake if state.folded[0] else stake) * (met @ coming)
        children = list(endgame.tree.children(node))
        after = [state.apply(action) for action in state.legal_actions()]
        if state.actor == 0:
            parts = [walk(*both, coming) for both in zip(children, after, strict=True)]
            return np.max(parts, axis=0)
        rows = endgame.strategy(node)
        parts = [
            walk(child, one, coming * row)
            for child, one, row in zip(children, after, rows, strict=True)
        ]
        return np.sum(parts, axis=0)

    expected = walk(0, root, np.ones(1326)) * total
    before = endgame.root_values(0)
    found = endgame.weighed_values(0, reach)
    assert np.allclose(found, expected, atol=1e-5 * abs(expected).max())
    assert np.array_equal(endgame.root_values(0), before)  # nothing is changed by asking
    assert not endgame.weighed_values(0, 0 * reach).any()


def test_flops_and_turns_are_drawn_by_how_often_they_come() -> None:
    drawn = draw_boards(ResolvedSetting(40, turns=3, seed=2))
    assert drawn == draw_boards(ResolvedSetting(40, turns=3, seed=2))
    assert drawn != draw_boards(ResolvedSetting(40, turns=3, seed=3))
    assert {len(one.turns) for one in drawn} == {3}
    assert draw_boards(ResolvedSetting(2, turns=49))[0].turns == ()
    with pytest.raises(EndspielError, match="two turns a flop or more"):
        ResolvedSetting(2, turns=1)
    with pytest.raises(EndspielError, match="flops are drawn here"):
        draw_boards(ResolvedSetting(1755))


def test_turns_that_stand_for_many_are_drawn_oftener() -> None:
    got, expected = 0.0, 0.0
    for drawn in draw_boards(ResolvedSetting(60, turns=40, seed=1)):
        images = np.array([len(images) for _, images in next_cards(drawn.flop)])
        got += images[list(drawn.turns)].mean()
        expected += (images**2).sum() / TURNS
    assert got == pytest.approx(expected, rel=0.03)


def test_nodes_have_their_states(checked: Blueprint) -> None:
    tree = checked.tree
    state = state_at(CHECKED, tree, tree.find("r20 c / c b10 c /"))
    assert (state.line, state.spent) == ("rc/crc/", (30, 30))


def test_no_limit_is_refused(tmp_path: Path) -> None:
    blueprint = load_blueprint(save_small(tmp_path / "no.blueprint"))
    with pytest.raises(GameError, match="has no limits"):
        resolved_exploitability(blueprint, ResolvedSetting(2))


class QuickTables:
    """Tables that cost nothing, in place of those of solved turns; it notes who asks for which."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: list[DrawnFlop] = []
        self.solvers: list[TurnSolver] = []
        zeros = np.zeros((1, 1326))
        monkeypatch.setattr(LimitResponse, "turn_values", lambda response, turn: zeros)
        monkeypatch.setattr(ResolvedFlop, "tables", lambda flop, draws: self.tables(flop, draws))

    def tables(self, flop: ResolvedFlop, draws: tuple[int, ...]) -> tuple[FlopTables, ...]:
        self.asked.append(DrawnFlop(flop.flop, draws))
        self.solvers.append(flop.solver)
        rng = np.random.default_rng(list(flop.flop))
        lines = [len(response.exits[0]) for response in flop.responses]
        made = [rng.normal(0, 1e4, (2, count, 169)) for count in lines]
        return tuple(FlopTables(one.max(axis=0), one.max(axis=0) - 1e6) for one in made)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> QuickTables:
    return QuickTables(monkeypatch)


def test_the_command(
    checked: Blueprint,
    quick: QuickTables,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Once worked out, flops are read from the state; another draw is another question."""
    asked = quick.asked
    exploit = runner("exploit", monkeypatch, capsys)
    words = (checked.path, "--boards", 4, "--resolve-turns", 2, "--resume", tmp_path / "state",
             "--workers", 1)  # fmt: skip
    found = exploit(*words, "--json", "-").json
    assert (found["flops"], found["resolved_turns"], len(asked)) == (4, 2, 4)
    low, high = found["interval"]
    assert low < found["mbb_per_hand"] < found["fitted_mbb_per_hand"] - 10_000 < high
    assert exploit(*words, "--json", "-").json == found
    assert len(asked) == 4
    exploit(*words, "--seed", 5, "--json", "-")
    assert len(asked) == 8
    with monkeypatch.context() as last_first:
        last_first.setattr(Executor, "found", found_backwards)
        words = (*words[:-3], tmp_path / "another", "--workers", 1)
        assert exploit(*words, "--json", "-").json == found
        assert exploit(*words, "--json", "-").json == found
    assert len(asked) == 12
    noted, again = ((tmp_path / name).read_text().splitlines() for name in ("state", "another"))
    assert sorted(again) == sorted(noted[:5])  # what it is, and four flops
    assert again != noted[:5]
    refused = exploit("limit-holdem:uniform", "--resolve-turns", 2)
    assert refused.status == 2
    assert "a strategy file: name one" in refused.err
    refused = exploit(checked.path, "--resolve-turns", 2, "--memory", "8GB")
    assert "turns are solved again with what" in refused.err
    refused = exploit(checked.path, "--doubt", 0.1)
    assert "--doubt is of turns solved again" in only_sentence(refused.err)
    refused = exploit(checked.path, "--resolve-turns", 2, "--doubt", 2)
    assert "--doubt takes a number from 0 to 1" in only_sentence(refused.err)


def test_a_device_that_is_not_there_is_refused_before_any_work(
    checked: Blueprint,
    quick: QuickTables,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def missing() -> Device:
        raise EndspielError("no GPU is here")

    monkeypatch.setattr("endspiel.gpu.cuda.device.cuda_device", missing)
    exploit, state = runner("exploit", monkeypatch, capsys), tmp_path / "state"
    words = (checked.path, "--resolve-turns", 2, "--workers", 1, "--resume", state, "--device")
    sentences = {"cuda": "no GPU is here", "abacus": "there is no device 'abacus'"}
    for device, sentence in sentences.items():
        refused = exploit(*words, device)
        assert refused.status == 2
        assert sentence in only_sentence(refused.err)
    assert not quick.asked
    assert not state.exists()


def test_a_state_of_one_device_is_not_read_as_anothers(
    checked: Blueprint, quick: QuickTables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each solves in its own way; once both have, neither does it again."""
    monkeypatch.setattr(resolved_exploit, "check_device", lambda device: None)
    on_cpu = ResolvedSetting(2, workers=1, state=tmp_path / "state")
    on_gpu = replace(on_cpu, device="cuda")
    for setting in (on_cpu, on_gpu, on_cpu, on_gpu):
        resolved_exploitability(checked, setting)
    asked = len(quick.asked)
    for _ in range(2):
        resolved_exploitability(checked, replace(on_gpu, doubt=0.1))
    assert len(quick.asked) == asked + 2
    assert quick.solvers[-1].doubt == 0.1
    del quick.solvers[asked:]
    assert [type(solver) for solver in quick.solvers] == [TurnSolver] * 2 + [BatchedTurnSolver] * 2
    last = quick.solvers[-1]
    assert isinstance(last, BatchedTurnSolver)
    assert last.maker is cuda_machine

"""Training over buckets: the general solver and linear programming agree with it."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from endspiel.betting.tree import CHANCE, DECISION, SHOWDOWN
from endspiel.blueprint import train_products
from endspiel.blueprint.abstract_game import Betting, abstract_game, betting_tree
from endspiel.blueprint.train import Trainer, measured, split_states
from endspiel.blueprint.train_gpu import GpuEGT, GpuTrainer
from endspiel.blueprint.training import Hardware, Setting, place, train
from endspiel.engine.limits import Limits
from endspiel.engine.schemes import SCHEMES, Answer
from endspiel.errors import EndspielError, FileError, GameError
from endspiel.game import Game, Matrix, Profile, TerminalGroup, best_response, exploitability
from endspiel.games.product import BettingLines, GameSize
from endspiel.gpu.buckets import levels_of
from endspiel.gpu.cuda.device import Device
from endspiel.rules.builtin import load_rules
from endspiel.solvers import lp
from endspiel.solvers.firstorder.cfr import CFR
from endspiel.solvers.firstorder.egt import EGT
from tests.blueprint.small import joint, made_up_joint, model, setting
from tests.gpu.cpu_device import CpuDevice
from tests.native.each_build import same_on_each_build

needs_compiler = pytest.mark.skipif(shutil.which("g++") is None, reason="needs a C++ compiler")

State = dict[str, np.ndarray]


@pytest.fixture(scope="module")
def exact() -> Game:
    return setting().abstract_game()


@pytest.fixture(scope="module")
def single() -> Game:
    return setting().abstract_game(np.float32)


def irregular(game: Game) -> State:
    """A state with regrets of both signs, none of them tied, and actions that are never taken."""
    rng = np.random.default_rng(7)
    state: State = {"iteration": np.array([3])}
    for player, plex in enumerate(game.plexes):
        size = plex.num_sequences
        state[f"regret{player}"] = rng.normal(size=size).astype(np.float32)
        state[f"average{player}"] = rng.exponential(size=size).astype(np.float32)
        positive = np.maximum(state[f"regret{player}"], 0).astype(np.float64)
        state[f"behavior{player}"] = plex.behavior(positive).astype(np.float32)
    return state


def test_hands_that_are_all_in_are_shown_down_at_once(exact: Game) -> None:
    betting = setting().betting
    whole, short = betting.whole, betting.tree
    assert (short.kind == SHOWDOWN).sum() == (whole.kind == SHOWDOWN).sum()
    assert (short.kind == CHANCE).sum() < (whole.kind == CHANCE).sum()
    for node in np.flatnonzero(betting.node >= 0).tolist():
        assert short.line(int(betting.node[node])) == whole.line(node)
    assert (betting.node[whole.kind == DECISION] >= 0).all()
    dealt_out = abstract_game(setting().game, BettingLines(whole), joint())
    for one, other in zip(both(exact), both(dealt_out), strict=True):
        assert one == pytest.approx(other, rel=1e-9)


def both(game: Game) -> tuple[float, float, float]:
    """The value of uniform play, and what best responses to it earn."""
    uniform = Profile.uniform(game)
    found = exploitability(game, uniform)
    return found.value, best_response(game, 0, uniform)[0], found.best[1]


def test_an_iteration_is_the_general_solvers(exact: Game, single: Game) -> None:
    general, special = CFR(exact, SCHEMES["dcfr"]), Trainer(single, SCHEMES["dcfr"])
    state = irregular(exact)
    special.restore(state)
    general.iteration = 3
    for player, learner in enumerate(general.learners):
        arrays = learner.arrays()
        arrays["regret"][:] = state[f"regret{player}"]
        arrays["average"][:] = state[f"average{player}"]
        arrays["choice"][:] = state[f"behavior{player}"]
        arrays["plan"][:] = exact.plexes[player].walk_down(arrays["choice"])
    general.step()
    special.step()
    for player, learner in enumerate(general.learners):
        own = special.learners[player]
        assert own.regret == pytest.approx(learner.regret, rel=1e-3, abs=1e-4)
        assert own.plan == pytest.approx(learner.plan, abs=1e-4)
        assert own.average == pytest.approx(learner.average, rel=1e-3, abs=1e-4)


def test_exploitability_is_the_general_one(exact: Game, single: Game) -> None:
    trainer = Trainer(single, SCHEMES["dcfr"])
    state = irregular(exact)
    trainer.restore(state)
    profile = Profile.from_plans(exact, state["average0"], state["average1"])
    special, general = measured(trainer, single), exploitability(exact, profile)
    assert special.value == pytest.approx(general.value, rel=1e-4, abs=1e-3)
    assert special.best == pytest.approx(general.best, rel=1e-5)
    for player in (0, 1):
        assert trainer.backend.average_plan(player) == pytest.approx(
            profile.plan(exact, player), abs=1e-6
        )


@pytest.mark.parametrize("share", [0.001, 0.3, 1.0])
def test_few_entries_or_many_give_the_same_products(
    single: Game, exact: Game, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(train_products, "SPARSE", share)
    monkeypatch.setattr(train_products, "CHUNK", 500)  # several pieces
    trainer = Trainer(single, SCHEMES["dcfr"], threads=2)
    trainer.restore(irregular(exact))
    for player in (0, 1):
        plan = trainer.learners[1 - player].plan
        wanted = exact.gradient(player, plan.astype(np.float64))
        assert trainer.backend.gradient(player, plan) == pytest.approx(wanted, rel=1e-4, abs=1e-3)


@pytest.mark.parametrize("width", [77, 600])
def test_products_are_the_same_on_each_build(width: int) -> None:
    rng = np.random.default_rng(width)
    matrix = rng.random((width, width)).astype(np.float32)
    group = TerminalGroup(Matrix(matrix + matrix.T), rng.random(9), *[width * np.arange(9)] * 2)
    plan = np.where(rng.random(9 * width) < 0.1, rng.random(9 * width), 0).astype(np.float32)

    def work() -> np.ndarray:
        with ThreadPoolExecutor(2) as pool:
            out = np.ones(9 * width, np.float32)
            products = train_products.Products(Game((), (group,)), pool, 2)  # type: ignore[arg-type]
            products.add_gradient(0, plan, out)
        return out

    wanted = 1 + (plan.reshape(9, width) * group.stakes[:, None]) @ group.payoff.matrix
    assert same_on_each_build(work) == pytest.approx(wanted.ravel(), rel=1e-5)


def test_threads_share_out_the_states_and_change_nothing(single: Game) -> None:
    for player in (0, 1):
        spans = split_states(single, player, 2)
        assert len(spans) == 2
        states = single.plexes[player].arrays.states
        assert np.array_equal(sum(high - low for low, high in spans), states)
    one, two = Trainer(single, SCHEMES["dcfr"], 1), Trainer(single, SCHEMES["dcfr"], 2)
    for trainer in (one, two):
        trainer.restore(irregular(single))
        for _ in range(3):
            trainer.step()
    for player in (0, 1):
        assert np.array_equal(one.learners[player].regret, two.learners[player].regret)
        assert np.array_equal(one.learners[player].average, two.learners[player].average)


@pytest.fixture(scope="module")
def tiny() -> Setting:
    return Setting(load_rules("nolimit-holdem"), model(), made_up_joint(2, 1, 2, 2), "tiny")


@pytest.fixture(scope="module")
def value(tiny: Setting) -> float:
    return lp.solve(tiny.abstract_game()).value / tiny.game.big_blind


@pytest.mark.parametrize("method", ["dcfr", "cfr+", "egt"])
def test_every_method_finds_the_value(tiny: Setting, value: float, method: str) -> None:
    trained = train(tiny, method, Limits(0.01 * tiny.game.big_blind, 3000))
    assert trained.stopped == "target"
    assert trained.exploitability <= 0.01
    assert trained.measured.value / tiny.game.big_blind == pytest.approx(value, abs=0.02)
    record = trained.record()
    assert record["iterations"] == record["trace"][-1][0]
    assert record["infosets"] == tiny.abstract_game().num_infosets
    profile = profile_of(tiny, trained.strategy)
    found = exploitability(tiny.abstract_game(), profile).mean / tiny.game.big_blind
    assert found == pytest.approx(trained.exploitability, abs=1e-4)


def test_the_current_strategy_may_be_trained(tiny: Setting, value: float, tmp_path: Path) -> None:
    """Without an average: what is measured, kept, resumed and read is the current strategy."""
    limits, current = Limits(0.02 * tiny.game.big_blind, 2000), Answer("current")
    trained = train(tiny, "cfr+", limits, answer=current)
    assert trained.stopped == "target"
    assert trained.measured.value / tiny.game.big_blind == pytest.approx(value, abs=0.04)
    found = exploitability(tiny.abstract_game(), profile_of(tiny, trained.strategy)).mean
    assert found / tiny.game.big_blind == pytest.approx(trained.exploitability, abs=1e-4)
    for iterations in (11, 30):
        some = Limits(iterations=iterations, checkpoint=tmp_path)
        resumed = train(tiny, "cfr+", some, answer=current)
    straight = train(tiny, "cfr+", Limits(iterations=30), answer=current)
    assert resumed.measured == straight.measured
    late = train(tiny, "cfr+", Limits(iterations=30), answer=Answer(delay=20))
    usual = train(tiny, "cfr+", Limits(iterations=30))
    assert len({run.measured for run in (straight, late, usual)}) == 3


def profile_of(of: Setting, strategy) -> Profile:  # type: ignore[no-untyped-def]
    """A strategy by betting nodes as a profile of the abstract game."""
    game = of.abstract_game()
    profile = Profile.uniform(game)
    for node in np.flatnonzero(of.betting.whole.kind == DECISION).tolist():
        player, first, num_actions, states = place(of, game, node)
        rows = strategy(node)
        assert rows.shape == (num_actions, states)
        assert rows.sum(axis=0) == pytest.approx(1, abs=1e-5)
        profile.behavior[player][first : first + rows.size] = rows.ravel()
    return profile


def test_limit_holdem_goes_the_same_way() -> None:
    game = replace(load_rules("limit-holdem"), max_raises=(1, 1, 1, 1))
    limit = Setting(game, None, made_up_joint(2, 1, 2, 2), "tiny")
    trained = train(limit, "dcfr", Limits(0.005 * game.big_blind, 2000))
    assert trained.stopped == "target"
    assert trained.record()["model"] is None
    whole = limit.betting.whole
    assert np.array_equal(limit.betting.tree.kind, whole.kind)
    assert betting_tree(game, None).num_nodes == whole.num_nodes


def test_a_resumed_training_ends_in_the_same_place(tmp_path: Path) -> None:
    straight = train(setting(), "dcfr", Limits(iterations=60))
    for iterations in (7, 23, 60):
        resumed = train(setting(), "dcfr", Limits(iterations=iterations, checkpoint=tmp_path))
    assert resumed.measured == straight.measured
    for node in np.flatnonzero(setting().betting.whole.kind == DECISION)[:20].tolist():
        assert np.array_equal(resumed.strategy(node), straight.strategy(node))
    other = replace(setting(), cards="another")
    with pytest.raises(FileError, match="checkpoint of another game"):
        train(other, "dcfr", Limits(iterations=70, checkpoint=tmp_path))
    with pytest.raises(FileError, match="made with method dcfr, not cfr"):
        train(setting(), "cfr+", Limits(iterations=70, checkpoint=tmp_path))


def test_what_cannot_be_trained_is_refused(
    single: Game, monkeypatch: pytest.MonkeyPatch, tiny: Setting
) -> None:
    with pytest.raises(EndspielError, match="there is no method 'magic'"):
        train(tiny, "magic", Limits(iterations=1))
    with pytest.raises(EndspielError, match="egt has one solution"):
        train(tiny, "egt", Limits(iterations=1), answer=Answer(delay=1))
    with pytest.raises(EndspielError, match="there is no device 'abacus'"):
        train(tiny, "dcfr", Limits(iterations=1), Hardware(device="abacus"))
    with pytest.raises(GameError, match="one after the other"):
        Trainer(single, replace(SCHEMES["dcfr"], alternating=False))
    flop = load_rules("flop-holdem")
    with pytest.raises(GameError, match="needs a game with four streets"):
        train(Setting(flop, model(), joint(), ""), "dcfr", Limits(iterations=1))
    monkeypatch.setattr("endspiel.solvers.memory.available_memory", lambda: 1000)
    with pytest.raises(EndspielError, match=r"training by dcfr needs .* fewer buckets"):
        train(tiny, "dcfr", Limits(iterations=1))
    with pytest.raises(EndspielError, match="no decision"):
        place(tiny, single, 10**9)


def trainers(game: Game) -> list[Any]:
    """A trainer on each device that there is."""
    found: list[Any] = [Trainer(game, SCHEMES["dcfr"])]
    if shutil.which("g++") is not None:
        found.append(GpuTrainer(game, SCHEMES["dcfr"], CpuDevice()))
    return found


def test_the_best_average_is_kept(single: Game) -> None:
    for trainer, resumed, newer in zip(*(trainers(single) for _ in range(3)), strict=True):
        newer.fall_back()  # nothing was kept: nothing happens
        for _ in range(3):
            trainer.step()
        kept = trainer.exploitability()
        trainer.keep()
        trainer.step()
        assert trainer.exploitability() != kept
        resumed.restore({name: array.copy() for name, array in trainer.state().items()})
        for one in (trainer, resumed):
            one.step()
            one.fall_back()
            assert one.exploitability() == kept


def assert_learns_the_same(device: Device, scheme: str) -> None:
    single, exact = setting().abstract_game(np.float32), setting().abstract_game()
    one, two = Trainer(single, SCHEMES[scheme]), GpuTrainer(single, SCHEMES[scheme], device)
    for trainer in (one, two):
        trainer.restore(irregular(exact))
        trainer.step()
    first, second = one.state(), two.state()
    for name in first:
        assert second[name] == pytest.approx(first[name], rel=1e-3, abs=1e-3)
    ours, theirs = measured(two, single), measured(one, single)
    assert ours.best == pytest.approx(theirs.best, rel=1e-4)
    assert ours.value == pytest.approx(theirs.value, rel=1e-4)
    for block in single.plexes[1]:
        place_of = block.first, block.num_actions, block.num_states
        rows = two.learners[1].probabilities(*place_of)
        assert rows == pytest.approx(one.learners[1].probabilities(*place_of), abs=1e-4)


def assert_same_steps(device: Device) -> None:
    exact = setting().abstract_game()
    one, two = EGT(exact), GpuEGT(exact, device)
    for solver in (one, two):
        for _ in range(30):  # rounding tells many more apart
            solver.step()
    assert one.recenterings > 0
    assert two.gap == pytest.approx(one.gap, rel=1e-6)
    first, second = one.state(), two.state()
    assert first.keys() == second.keys()
    for name in first:
        assert second[name] == pytest.approx(first[name], rel=1e-5, abs=1e-5)
    for ours, theirs in zip(one.average().behavior, two.average().behavior, strict=True):
        assert theirs == pytest.approx(ours, abs=1e-4)


def assert_wide_products(device: Device) -> None:
    """Rows and columns of several tiles, none of them full."""
    wide = Setting(load_rules("nolimit-holdem"), model(), made_up_joint(3, 3, 4, 4), "wide")
    game = wide.abstract_game(np.float32)
    one, two = Trainer(game, SCHEMES["dcfr"]), GpuTrainer(game, SCHEMES["dcfr"], device)
    for trainer in (one, two):
        trainer.step()
    assert two.exploitability() == pytest.approx(one.exploitability(), rel=1e-4)


@needs_compiler
@pytest.mark.parametrize("scheme", ["dcfr", "pcfr+"])
def test_the_gpu_learns_the_same(scheme: str) -> None:
    assert_learns_the_same(CpuDevice(), scheme)


@needs_compiler
def test_egt_takes_the_same_steps_on_the_gpu() -> None:
    assert_same_steps(CpuDevice())


@needs_compiler
def test_products_wider_than_a_tile() -> None:
    assert_wide_products(CpuDevice())


def test_states_that_come_from_one_state_lie_side_by_side(single: Game) -> None:
    arrays = single.plexes[0].arrays
    mixed = arrays._replace(maps=arrays.maps.copy())
    start = int(arrays.map_at.max())
    mixed.maps[start:] = mixed.maps[start:][::-1]
    with pytest.raises(GameError, match="side by side"):
        levels_of(replace(single.plexes[0], arrays=mixed))


def test_a_short_tree_keeps_its_order() -> None:
    whole = betting_tree(setting().game, model())
    short = Betting.of(whole).tree
    for node in range(short.num_nodes):
        for child in short.children(node):
            assert short.parent[child] == node


def test_sizes_are_counted_alike_from_lines_and_from_the_tree() -> None:
    """The empty sequence of each player and bucket is one of them, as in the game itself."""
    size, tree = setting().size, setting().betting.whole
    assert GameSize.of(tree, setting().joint.sizes) == size
    assert size.sequences == sum(p.num_sequences for p in setting().abstract_game().plexes)

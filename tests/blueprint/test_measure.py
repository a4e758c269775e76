"""Exploitability of what is stored: by the general best response, and near what was trained."""

from pathlib import Path

import numpy as np
import pytest

from endspiel import files
from endspiel.betting.tree import DECISION
from endspiel.blueprint.blueprint import Blueprint, amend_training, load_blueprint
from endspiel.blueprint.measure import measure_strategy, save_measured
from endspiel.blueprint.training import place, train
from endspiel.engine.limits import Limits
from endspiel.game import Profile, exploitability
from endspiel.game.post import Post
from tests.blueprint.small import cards, setting


def by_general_response(read: Blueprint) -> float:
    """The same in 64 bits, by the best response that every game has."""
    game, tree = setting().abstract_game(), read.tree
    behavior = np.ones(game.plexes[0].num_sequences), np.ones(game.plexes[1].num_sequences)
    for node in np.flatnonzero(tree.kind == DECISION).tolist():
        player, first, num_actions, states = place(setting(), game, node)
        behavior[player][first : first + num_actions * states] = read.rows(node).ravel()
    return exploitability(game, Profile(behavior)).mean / read.game.big_blind


def test_a_file_tells_its_own_exploitability(tmp_path: Path) -> None:
    trained = train(setting(), "dcfr", Limits(iterations=150))
    path = tmp_path / "b"
    told = save_measured(path, setting(), cards(), trained.strategy, trained.record())
    read = load_blueprint(path)
    assert read.exploitability == told["exploitability"]
    assert read.exploitability == pytest.approx(by_general_response(read), rel=1e-4)
    assert told["exploitability_before_rounding"] == trained.exploitability
    assert read.exploitability == pytest.approx(trained.exploitability, rel=0.3)
    assert read.trace


def test_what_is_told_is_of_the_rows_in_the_file(tmp_path: Path) -> None:
    """Also where a strategy, asked again, answers otherwise, as sums on other hardware may."""
    rng = np.random.default_rng(5)

    def never_twice_the_same(node: int) -> np.ndarray:
        rows = 0.01 + trained.strategy(node) * rng.uniform(0.9, 1.1)
        rows[0] *= rng.uniform(0.9, 1.1, rows.shape[1])
        return rows / rows.sum(axis=0)

    trained = train(setting(), "dcfr", Limits(iterations=20))
    path = tmp_path / "b"
    told = save_measured(path, setting(), cards(), never_twice_the_same, trained.record())
    read = load_blueprint(path)
    measured = measure_strategy(setting(), read.rows).mean / read.game.big_blind
    assert read.exploitability == told["exploitability"] == pytest.approx(measured, rel=1e-6)


def test_amending_the_record_leaves_the_strategy_bit_for_bit(tmp_path: Path) -> None:
    trained = train(setting(), "dcfr", Limits(iterations=3))
    path = tmp_path / "b"
    save_measured(path, setting(), cards(), trained.strategy, trained.record())
    before = files.verify(path)
    told = amend_training(path, {"exploitability": 0.25})
    after = files.verify(path)
    assert load_blueprint(path).training == told == after.record["training"]
    assert told == before.record["training"] | {"exploitability": 0.25}
    assert after.arrays.keys() == before.arrays.keys()
    for name, array in after.arrays.items():
        assert array.tobytes() == before.arrays[name].tobytes()


def test_post_processing_is_measured_too(tmp_path: Path) -> None:
    trained = train(setting(), "dcfr", Limits(iterations=150))
    save_measured(tmp_path / "b", setting(), cards(), trained.strategy, trained.record())
    read = load_blueprint(tmp_path / "b")
    for post in (Post("purify"), Post("threshold")):
        played = read.played(post)
        lost = measure_strategy(setting(), played.rows).mean / read.game.big_blind
        assert lost == pytest.approx(by_general_response(played), rel=1e-4)

"""Exploitability of what is stored: by the general best response, and near what was trained."""

from pathlib import Path

import numpy as np
import pytest

from endspiel.betting.tree import DECISION
from endspiel.blueprint.blueprint import Blueprint, load_blueprint
from endspiel.blueprint.measure import measure_strategy, save_measured
from endspiel.blueprint.training import Effort, place, train
from endspiel.game import Profile, exploitability
from endspiel.strategy.post import Post
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
    trained = train(setting(), "dcfr", Effort(iterations=150))
    path = tmp_path / "b"
    told = save_measured(path, setting(), cards(), trained.strategy, trained.record())
    read = load_blueprint(path)
    assert read.exploitability == told["exploitability"]
    assert read.exploitability == pytest.approx(by_general_response(read), rel=1e-4)
    assert told["exploitability_before_rounding"] == trained.exploitability
    assert read.exploitability == pytest.approx(trained.exploitability, rel=0.3)
    assert read.trace


def test_post_processing_is_measured_too(tmp_path: Path) -> None:
    trained = train(setting(), "dcfr", Effort(iterations=150))
    save_measured(tmp_path / "b", setting(), cards(), trained.strategy, trained.record())
    read = load_blueprint(tmp_path / "b")
    for post in (Post("purify"), Post("threshold")):
        played = read.played(post)
        lost = measure_strategy(setting(), played.rows).mean / read.game.big_blind
        assert lost == pytest.approx(by_general_response(played), rel=1e-4)

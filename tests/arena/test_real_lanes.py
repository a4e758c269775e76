"""Responses in lanes against responses node by node: the same values, whatever the strategy."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from endspiel.arena.estimators import real_response
from endspiel.arena.estimators.real_lanes import LimitResponse, response_to
from endspiel.arena.estimators.real_response import RealResponse
from endspiel.betting.limit import limit_tree
from endspiel.betting.tree import DECISION
from endspiel.blueprint.blueprint import Blueprint, load_blueprint, save_blueprint
from endspiel.blueprint.fixed import FixedStrategy
from endspiel.rules.builtin import load_rules
from tests.blueprint_fixture import small_abstraction, small_blueprint

FLOP = (0, 17, 37)
ALL_CARDS = real_response.next_cards


@pytest.fixture(scope="module")
def strategy(tmp_path_factory: pytest.TempPathFactory) -> Blueprint:
    """One bet a street, at random, some actions never taken."""
    game = replace(load_rules("limit-holdem"), max_raises=(1, 1, 1, 1))
    cards, rng = small_abstraction(), np.random.default_rng(3)
    tree, rows = limit_tree(game), {}
    for node in np.flatnonzero(tree.kind == DECISION).tolist():
        shape = int(tree.num_children[node]), cards.sizes[tree.street[node]]
        shares = rng.random(shape) ** 3 * (rng.random(shape) < 0.8) + 1e-3
        rows[node] = shares / shares.sum(axis=0)
    path = tmp_path_factory.mktemp("limit") / "one.blueprint"
    save_blueprint(path, game, None, cards, rows.__getitem__, {"method": "random"})
    return load_blueprint(path)


def two_turns(board: tuple[int, ...]) -> list[tuple[int, list[int]]]:
    """Of the turns two, one of them with images; all rivers."""
    found = ALL_CARDS(board)
    if len(board) > 3:
        return found
    alike = next(one for one in found if len(one[1]) > 1) if len(found) < 49 else found[7]
    return [alike, found[-1]]


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("flop", [FLOP, (0, 1, 20)])
def test_lanes_have_the_values_of_nodes(
    strategy: Blueprint, player: int, flop: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(real_response, "next_cards", two_turns)
    found = LimitResponse(strategy, player).flop_values(flop)
    wanted = RealResponse(strategy, player).flop_values(flop)
    assert found == pytest.approx(wanted, rel=1e-4, abs=1e-5 * float(np.abs(wanted).max()))


def test_who_is_walked_how(strategy: Blueprint, tmp_path: Path) -> None:
    assert type(response_to(strategy, 0)) is LimitResponse
    assert type(response_to(FixedStrategy("limit-holdem", "uniform"), 0)) is LimitResponse
    assert type(response_to(FixedStrategy("limit-holdem", "always-call"), 1)) is RealResponse
    assert type(response_to(small_blueprint(tmp_path), 0)) is RealResponse

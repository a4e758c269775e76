"""Training by CFR-BR: what its averages are of, and what its record says of them."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from endspiel.blueprint import training_cfr_br
from endspiel.blueprint.sampled import Sampling
from endspiel.blueprint.training_cfr_br import ResponseTraining, train_cfr_br
from endspiel.engine.limits import Limits
from endspiel.errors import EndspielError
from endspiel.rules.builtin import load_rules
from tests.blueprint.small import cards


def trained(iterations: int, average_from: int = 1) -> ResponseTraining:
    """So many turns of two rivers, one bet a street."""
    rules = replace(load_rules("limit-holdem"), max_raises=(1, 1, 1, 1))
    limits = Limits(iterations=iterations)
    return train_cfr_br(rules, (cards(), cards()), limits, Sampling(1), 2, average_from)


def average(training: ResponseTraining) -> np.ndarray:
    """Its sums of strategies."""
    return training.solver.backend.rows.average


def test_the_average_is_of_the_iterations_from_one_on() -> None:
    before, whole, late = trained(2), trained(3), trained(3, average_from=3)
    assert late.record()["parameters"]["average_from"] == 3
    assert whole.record()["parameters"]["average_from"] == 1
    last = average(whole) - average(before)
    assert np.abs(average(late) - last).max() < 1e-5 * last.max()
    assert np.abs(average(late) - average(whole)).max() > 0.1 * last.max()


def test_what_ends_before_its_average_begins_says_so() -> None:
    with pytest.warns(UserWarning, match="ended after 2 iterations, before 3, .* of all of them"):
        early = trained(2, average_from=3)
    assert early.record()["parameters"]["average_from"] == 1
    assert np.array_equal(average(early), average(trained(2)))


def test_a_checkpoint_of_another_draw_of_rivers_is_not_gone_on_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = replace(load_rules("limit-holdem"), max_raises=(1, 1, 1, 1))

    def go_on(iterations: int) -> ResponseTraining:
        limits = Limits(iterations=iterations, checkpoint=tmp_path)
        return train_cfr_br(rules, (cards(), cards()), limits, Sampling(1), 2)

    with monkeypatch.context() as patch:
        patch.setattr(training_cfr_br, "DRAW", "best of eight")
        go_on(1)
        assert go_on(2).solver.iteration == 2
    with pytest.raises(EndspielError, match="was made with draw"):
        go_on(3)

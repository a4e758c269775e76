"""The paper's Appendix B hand: the figures that do not depend on a blueprint."""

import numpy as np
import pytest

from endspiel.endgame.appendix_b import PAPER_SECONDS, PAPER_TOTAL, appendix_b
from endspiel.endgame.exact import RiverOptions


def test_the_hand_step_by_step() -> None:
    found = appendix_b(lambda: np.ones((2, 1326)), RiverOptions(budget=1500, alpha=0.995))
    assert found.seconds.keys() == PAPER_SECONDS.keys()
    assert sum(PAPER_SECONDS.values()) == pytest.approx(PAPER_TOTAL, abs=1e-9)
    assert found.total == pytest.approx(sum(found.seconds.values()))
    assert list(found.strategy) == [
        "c", "b225", "b750", "b1500", "b2250", "b3375", "b4500", "b6750", "b18875",
    ]  # fmt: skip
    assert sum(found.strategy.values()) == pytest.approx(1)
    assert 280 <= found.rank <= 300  # the paper counts 296, ties among them
    assert found.equity == found.their_equity  # against any hand it is the same for both
    assert found.solution.exploitability <= 1e-6
    assert 0 <= found.bucket < found.buckets[1]

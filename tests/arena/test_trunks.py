"""Whether versions play alike before the last round: what counts as the same decision."""

import numpy as np
import pytest
from scipy.stats import binomtest

from endspiel.arena.trunks import LEVEL, TrunkMove, TrunkReader, check_decisions, check_frequencies
from endspiel.errors import EndspielError
from endspiel.rules.builtin import load_rules

RULES = load_rules("leduc")
HOLDEM = load_rules("nolimit-holdem")


def different(new: str, base: str, section: int = 0) -> tuple[int, int]:
    """Decisions of agent A that two versions of one hand share, and those that differ."""
    hands = [[[line] if at == section else [] for at in (0, 1)] for line in (new, base)]
    found = check_decisions(RULES, hands[0], hands[1])
    return found.compared, found.different


@pytest.mark.parametrize(
    ("new", "base", "in_position_0", "in_position_1"),
    [
        ("cc/cc", "cc/rc", (1, 0), (1, 0)),  # the last round is the versions' own
        ("cc/cc", "rf", (1, 1), (0, 0)),  # nothing is compared after the first difference
        ("crc/cc", "cc/cc", (1, 0), (1, 1)),
        ("crf", "crc/cc", (2, 1), (1, 0)),
        ("crrf", "crrc/rf", (2, 0), (2, 1)),
        ("crc/cc", "crc/cc", (2, 0), (1, 0)),
    ],
)
def test_decisions_of_the_agent_alone_are_compared(
    new: str, base: str, in_position_0: tuple[int, int], in_position_1: tuple[int, int]
) -> None:
    assert different(new, base) == in_position_0
    assert different(new, base, section=1) == in_position_1


def test_the_first_difference_is_named() -> None:
    called, raised = ["cc/cc", "cc/cc"], ["rf", "rf"]
    found = check_decisions(RULES, [called, ["rf", "cc/cc"]], [called, raised])
    assert found.reason is not None
    assert "1 of 4 times" in found.reason
    assert "(the first in hand 1 of section 2, 'c' and 'r')" in found.reason


def test_moves_are_those_before_the_last_round() -> None:
    reader = TrunkReader(HOLDEM)
    assert reader.moves("r20000f") == (
        TrunkMove("", 1, "r20000"),
        TrunkMove("r20000", 0, "r20000f"),
    )
    assert reader.moves("cc/cc/r300f")[-1] == TrunkMove("cc/cc/r300", 1, "cc/cc/r300f")
    assert [m.after for m in reader.moves("cc/cc/cc/r100f")] == [
        *("c", "cc/", "cc/c", "cc/cc/", "cc/cc/c", "cc/cc/cc/")
    ]
    with pytest.raises(EndspielError, match="one round"):
        TrunkReader(load_rules("kuhn"))


def test_frequencies_of_the_same_play_differ_no_oftener_than_they_say() -> None:
    """Runs of independent hands with one distribution: the level holds, and a change is seen."""
    rng = np.random.default_rng(3)
    lines = np.array(["rf", "rc/cc", "crf", "crc/cc", "cc/cc"])

    def run(chances: list[float]) -> list[list[str]]:
        return [rng.choice(lines, 300, p=chances).tolist() for _ in range(2)]

    alike = [0.2, 0.2, 0.1, 0.3, 0.2]
    assert not any(check_frequencies(RULES, run(alike), run(alike)).different for _ in range(30))
    found = check_frequencies(RULES, run(alike), run([0.4, 0.2, 0.1, 0.1, 0.2]))
    assert found.different > 1
    assert found.reason is not None
    assert "'crc/'" in found.reason


def test_the_chance_is_the_binomial_tests() -> None:
    """The number of uneven pairs from which a line counts as different, by another program."""
    lines = 6  # r, rf, c and cc/ of position 0, c and cc/ of position 1
    for pairs in range(1, 40):
        far = binomtest(pairs, pairs, 0.5).pvalue * lines <= LEVEL
        new = [["rf", "cc/cc"] * pairs, ["cc/cc", "cc/cc"] * pairs]
        base = [["cc/cc", "cc/cc"] * pairs, ["cc/cc", "cc/cc"] * pairs]
        assert bool(check_frequencies(RULES, new, base).different) == far

"""Reverse mappings reproduced: the paper's numbers, closed forms, and the page that shows them."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from endspiel.betting.translation import MAPPINGS
from endspiel.errors import FileError
from endspiel.reproduce.off_tree import (
    ABSTRACTIONS,
    POT,
    MenuAbstraction,
    any_bet_game,
    call_probability,
    called,
    gains,
)
from endspiel.reproduce.reverse_mapping import FIGURES, draw, even_point, properties, report, run
from endspiel.solvers import lp

PAGE = Path(__file__).parents[2] / "docs" / "reproduction" / "reverse-mapping.md"


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return run(tmp_path_factory.mktemp("figures"))


def test_curves_are_even_where_the_paper_says(result: dict[str, Any]) -> None:
    for name, paper in result["paper"]["even"]["figure-2"].items():
        assert result["even"]["figure-2"][name] == pytest.approx(paper, abs=0.01)


@pytest.mark.parametrize(("low", "high"), FIGURES.values())
def test_even_points_are_the_papers_formulas(low: float, high: float) -> None:
    middle = (low + high + 2 * low * high) / (low + high + 2)
    assert even_point("pseudo-harmonic", low, high) == pytest.approx(middle)
    assert even_point("randomized-arithmetic", low, high) == pytest.approx((low + high) / 2)
    for name in ("randomized-geometric-1", "randomized-geometric-2"):
        assert even_point(name, low, high) == pytest.approx((low * high) ** 0.5)


def test_properties_are_as_the_paper_says(result: dict[str, Any]) -> None:
    for name, holds in result["properties"].items():
        assert holds["boundary"]
        assert holds["scale_with_pot"]
        if name in result["paper"]["monotone"]:
            assert holds["monotone"] == result["paper"]["monotone"][name]


def test_a_mapping_that_breaks_a_property_is_caught() -> None:
    """The checks themselves: mappings made to fail each one."""
    f = MAPPINGS["randomized-arithmetic"]
    rising = type(f)("rising", lambda x, A, B, pot: (x - A) / (B - A), False)
    assert not properties(rising)["monotone_above_check"]
    absolute = type(f)("absolute", lambda x, A, B, pot: 1 / (1 + x), False)
    assert properties(absolute)["monotone"]
    assert not properties(absolute)["scale_with_pot"]


@pytest.mark.parametrize("chips", [1, 10, 50, 100, 250, 2000])
def test_one_size_is_called_as_ankenman_and_chen_say(chips: int) -> None:
    assert call_probability(chips) == pytest.approx(1 / (1 + chips / POT))


@pytest.mark.parametrize("pots", [1, 4])
def test_only_the_largest_bet_counts_for_the_value(pots: int) -> None:
    """The winner's bet of s is worth s / (1 + s) beyond the pot, bluffs nothing: most at all-in."""
    value = lp.solve(any_bet_game(pots * POT)).value / POT
    assert value == pytest.approx(pots / (2 * (1 + pots)))


def closed_form(known: MenuAbstraction, name: str) -> float:
    """The opponent's gain by hand: mapped calls of 1 / (1 + s), best size for each hand."""
    tree = known.tree()
    sizes = [0.0, *(int(tree.action[c]) / POT for c in list(tree.children(0))[1:])]
    x = np.arange(known.stack * POT + 1) / POT
    calls = np.ones(len(x))
    for low, high in pairwise(sizes):
        inside = (x >= low) & (x <= high)
        f = MAPPINGS[name](x[inside], low, high)
        calls[inside] = f / (1 + low) + (1 - f) / (1 + high)
    winner, loser = (x * calls).max(), (1 - calls * (1 + x)).max()
    return float(winner - known.stack / (1 + known.stack) + loser) / 2


@pytest.mark.parametrize("at", range(len(ABSTRACTIONS)))
def test_gains_equal_their_closed_form(result: dict[str, Any], at: int) -> None:
    for gain in result["off_tree"][at]["gains"]:
        by_hand = closed_form(ABSTRACTIONS[at], gain["mapping"])
        assert gain["gain"] == pytest.approx(by_hand, abs=1e-9)
        assert gain["gain"] == pytest.approx(gain["gain_by_value"] + gain["gain_by_bluffs"])
        assert gain["gain"] > -1e-9


def test_only_pseudo_harmonic_gives_nothing_away_on_every_menu(result: dict[str, Any]) -> None:
    most = {
        name: max(
            gain["gain"]
            for priced in result["off_tree"]
            for gain in priced["gains"]
            if gain["mapping"] == name
        )
        for name in MAPPINGS
    }
    assert most.pop("pseudo-harmonic") == pytest.approx(0, abs=1e-9)
    assert min(most.values()) > 0.1


def test_the_papers_example_of_betting_just_under_the_middle() -> None:
    """A pot-size bet and an all-in: strong hands bet slightly under (A + B) / 2."""
    found = {gain.mapping: gain for gain in gains(ABSTRACTIONS[3])[1]}
    arithmetic = found["deterministic-arithmetic"]
    assert arithmetic.value_bet == pytest.approx((1 + 20) / 2 - 1 / POT)
    assert arithmetic.value_called == pytest.approx(0.5)
    # "Exploitable in the same way (though to a lesser extent)", and less again by the ratio.
    by_value = {name: gain.gain_by_value for name, gain in found.items()}
    assert by_value["deterministic-arithmetic"] > by_value["randomized-arithmetic"] > 0.5
    assert by_value["deterministic-arithmetic"] > by_value["deterministic-geometric"]


def test_known_sizes_are_answered_as_solved_by_every_mapping() -> None:
    known = MenuAbstraction("50%, 100%, a", 3, "three sizes")
    for mapping in MAPPINGS.values():
        chances = called(known, mapping)
        assert len(chances) == 3 * POT + 1
        assert [chances[c] for c in (0, 50, 100, 300)] == pytest.approx([1, 2 / 3, 1 / 2, 1 / 4])


def test_figures_are_pictures(result: dict[str, Any]) -> None:
    assert len(result["figures"]) == 2
    for path in map(Path, result["figures"]):
        assert path.read_bytes().startswith(b"\x89PNG")
        assert path.stat().st_size < 100_000


def test_a_folder_that_cannot_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="cannot write"):
        draw(tmp_path / "file")


def test_the_page_shows_what_the_command_prints(result: dict[str, Any]) -> None:
    page = PAGE.read_text()
    for part in report(result).split("\n\n"):
        assert part.strip() in page
    for number in FIGURES:
        assert f"reverse-mapping-figure-{number}.png" in page
        assert (PAGE.parent / f"reverse-mapping-figure-{number}.png").exists()

"""Reverse mappings: the paper's properties both ways, its numbers, and bets taken into trees."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from endspiel.betting import BettingTree, Sizing, StreetMenu, game_tree, no_limit_tree
from endspiel.betting.translation import (
    MAPPINGS,
    Bet,
    Mapping,
    choices,
    find_mapping,
    street_begun,
    translate,
    tree_sizes,
)
from endspiel.betting.tree import BY_CALL, CHANCE, DECISION
from endspiel.errors import BettingError
from endspiel.rules.builtin import load_rules
from tests.betting.strategies import spot_trees

ALL = pytest.mark.parametrize("mapping", MAPPINGS.values(), ids=MAPPINGS)
DETERMINISTIC = {name for name, mapping in MAPPINGS.items() if mapping.deterministic}
GEOMETRIC = {name for name in MAPPINGS if "geometric" in name}
HARMONIC = {"pseudo-harmonic", "threshold-harmonic"}

SMALLEST = float(np.nextafter(0.0, 1.0))
sizes = st.floats(1e-3, 50.0)


@st.composite
def gaps(draw: st.DrawFn, from_zero: bool = True) -> tuple[float, float]:
    """Two neighboring sizes A < B, told apart by more than rounding."""
    low = draw(st.just(0.0) | sizes) if from_zero else draw(sizes)
    return low, low + draw(sizes)


# The paper's four properties.


@ALL
@given(gap=gaps())
@example(gap=(0.0, 1.0))
def test_boundary_constraints_hold(mapping: Mapping, gap: tuple[float, float]) -> None:
    """Properties 1 and 2: a size that the tree has is itself."""
    assert mapping(gap[0], *gap) == 1.0
    assert mapping(gap[1], *gap) == 0.0


@ALL
@given(gap=gaps(), pot=sizes, shares=st.lists(st.floats(0, 1), min_size=2, unique=True))
def test_never_increases(
    mapping: Mapping, gap: tuple[float, float], pot: float, shares: list[float]
) -> None:
    """Property 3 without strictness: every mapping has it."""
    x = gap[0] + (gap[1] - gap[0]) * np.sort(shares)
    chance = mapping(np.minimum(x, gap[1]), *gap, pot)
    assert ((chance >= 0) & (chance <= 1)).all()
    assert (np.diff(chance) <= 1e-12).all()


def strictly_decreases(mapping: Mapping, low: float, high: float) -> bool:
    """Property 3 as the paper means it: constant stretches violate it."""
    return bool((np.diff(mapping(np.linspace(low, high, 33), low, high)) < 0).all())


@pytest.mark.parametrize("name", sorted(set(MAPPINGS) - DETERMINISTIC))
@given(gap=gaps(from_zero=False))
def test_randomized_mappings_strictly_decrease(name: str, gap: tuple[float, float]) -> None:
    assert strictly_decreases(MAPPINGS[name], *gap)


@pytest.mark.parametrize("name", ["randomized-arithmetic", "pseudo-harmonic"])
@given(high=sizes)
def test_two_mappings_strictly_decrease_from_a_check(name: str, high: float) -> None:
    assert strictly_decreases(MAPPINGS[name], 0.0, high)


@pytest.mark.parametrize("name", sorted(DETERMINISTIC))
def test_deterministic_mappings_are_not_monotone(name: str) -> None:
    assert not strictly_decreases(MAPPINGS[name], 1.0, 4.0)
    assert len(set(MAPPINGS[name](np.linspace(1.0, 4.0, 50), 1.0, 4.0))) == 2


@pytest.mark.parametrize("name", sorted(GEOMETRIC))
def test_geometric_mappings_take_every_bet_for_the_larger_size_after_a_check(name: str) -> None:
    """The paper's example: with A = 0 and B = 1, a tenth of the pot is believed to be the pot."""
    assert not strictly_decreases(MAPPINGS[name], 0.0, 1.0)
    assert MAPPINGS[name](0.1, 0.0, 1.0) == 0.0
    assert (MAPPINGS[name](np.linspace(1e-6, 1, 50), 0.0, 1.0) == 0.0).all()


@ALL
@pytest.mark.parametrize("high", [1e-3, 1.0, 50.0])
def test_the_smallest_number_is_a_bet_like_others(mapping: Mapping, high: float) -> None:
    assert mapping(SMALLEST, 0.0, high) == (0.0 if mapping.name in GEOMETRIC else 1.0)


@ALL
@given(gap=gaps(), pot=sizes, scale=st.floats(1e-3, 1e3), share=st.floats(0, 1))
@example(gap=(0.0, 1.0), pot=1.0, scale=0.5, share=SMALLEST)
def test_scale_invariance_holds_when_the_pot_is_scaled_too(
    mapping: Mapping, gap: tuple[float, float], pot: float, scale: float, share: float
) -> None:
    """Property 4 in chips: the unit in which bets and pot are counted does not matter."""
    low, high = gap
    x = low + (high - low) * share
    scaled = scale * low, scale * high
    assume(scaled[0] <= scale * x <= scaled[1])
    # What scaling makes subnormal has lost digits, or is a check.
    assume(x == 0 or scale * x >= np.finfo(np.float64).smallest_normal)
    # At a threshold itself, rounding decides.
    around = mapping(np.clip([x * (1 - 1e-9), x * (1 + 1e-9)], low, high), low, high, pot)
    assume(abs(around[0] - around[1]) < 0.5)
    assert mapping(scale * x, *scaled, scale * pot) == pytest.approx(
        mapping(x, low, high, pot), abs=1e-6
    )


@pytest.mark.parametrize("name", sorted(set(MAPPINGS) - HARMONIC))
@given(gap=gaps(), scale=st.sampled_from([0.25, 0.5, 2.0, 8.0]), share=st.floats(0, 1))
@example(gap=(0.0, 1.0), scale=0.5, share=SMALLEST)
def test_other_mappings_do_not_know_the_pot(
    name: str, gap: tuple[float, float], scale: float, share: float
) -> None:
    """Property 4 by its letter, bets scaled and the pot not; powers of 2 scale without rounding."""
    low, high = gap
    x = min(low + (high - low) * share, high)
    assume(x == 0 or scale * x >= np.finfo(np.float64).smallest_normal)
    f = MAPPINGS[name]
    assert f(scale * x, scale * low, scale * high) == pytest.approx(f(x, low, high), abs=1e-12)


@pytest.mark.parametrize("name", sorted(HARMONIC))
def test_harmonic_mappings_are_not_invariant_unless_the_pot_is_scaled(name: str) -> None:
    f = MAPPINGS[name]
    assert f(2.0, 1.0, 4.0) == pytest.approx(4 / 9 if name == "pseudo-harmonic" else 0.0)
    assert f(0.2, 0.1, 0.4) == pytest.approx(11 / 18 if name == "pseudo-harmonic" else 1.0)
    assert f(0.2, 0.1, 0.4, pot=0.1) == pytest.approx(f(2.0, 1.0, 4.0))


# The two further axioms of the 2013 paper: small changes of the bet, or of A, change f little.


@pytest.mark.parametrize("name", MAPPINGS)
def test_action_robustness_is_what_thresholds_lack(name: str) -> None:
    x = np.linspace(1.0, 4.0, 300_001)
    jump = np.abs(np.diff(MAPPINGS[name](x, 1.0, 4.0))).max()
    assert jump == 1.0 if name in DETERMINISTIC else jump < 1e-4


@pytest.mark.parametrize("name", sorted(set(MAPPINGS) - DETERMINISTIC))
def test_boundary_robustness_is_what_geometric_mappings_lack_near_a_check(name: str) -> None:
    """A shrinks from a hundredth of the pot to a millionth; a bet of 1% should hardly notice."""
    before, after = (float(MAPPINGS[name](0.01, low, 1.0)) for low in (0.0099, 1e-6))
    assert (before - after > 0.9) == (name in GEOMETRIC)
    assert (before - after < 0.03) == (name not in GEOMETRIC)


# What the paper says of each mapping.


@given(gap=gaps(from_zero=False))
def test_geometric_mappings_are_even_at_the_geometric_mean(gap: tuple[float, float]) -> None:
    middle = float(np.clip(np.sqrt(gap[0] * gap[1]), *gap))
    for name in ("randomized-geometric-1", "randomized-geometric-2"):
        assert MAPPINGS[name](middle, *gap) == pytest.approx(0.5, abs=1e-6)


@given(gap=gaps(from_zero=False), share=st.floats(0.01, 0.99))
def test_geometric_formulas_are_the_papers(gap: tuple[float, float], share: float) -> None:
    A, B = gap
    x = A + (B - A) * share
    g, h = (A / x - A / B) / (1 - A / B), (x / B - A / B) / (1 - A / B)
    assert MAPPINGS["randomized-geometric-1"](x, A, B) == pytest.approx(g / (g + h), abs=1e-9)
    second = A * B * (A + B) / ((B - A) * (x * x + A * B)) + A / (A - B)
    assert MAPPINGS["randomized-geometric-2"](x, A, B) == pytest.approx(second, abs=1e-6)


@given(gap=gaps(), share=st.floats(0, 1))
def test_pseudo_harmonic_calls_a_bet_as_often_as_its_size_asks(
    gap: tuple[float, float], share: float
) -> None:
    """The equation whose solution it is."""
    A, B = gap
    x = min(A + (B - A) * share, B)
    f = float(MAPPINGS["pseudo-harmonic"](x, A, B))
    assert f / (1 + A) + (1 - f) / (1 + B) == pytest.approx(1 / (1 + x), rel=1e-9)


@pytest.mark.parametrize(
    ("threshold", "randomized"),
    [
        ("deterministic-arithmetic", "randomized-arithmetic"),
        ("deterministic-geometric", "randomized-geometric-1"),
        ("deterministic-geometric", "randomized-geometric-2"),
        ("threshold-harmonic", "pseudo-harmonic"),
    ],
)
@given(gap=gaps(), share=st.floats(0, 1))
def test_thresholds_take_the_likelier_size(
    threshold: str, randomized: str, gap: tuple[float, float], share: float
) -> None:
    x = min(gap[0] + (gap[1] - gap[0]) * share, gap[1])
    chance = MAPPINGS[randomized](x, *gap)
    assume(abs(chance - 0.5) > 1e-9)
    assert MAPPINGS[threshold](x, *gap) == (chance > 0.5)


@ALL
@pytest.mark.parametrize(
    ("x", "low", "high", "pot"),
    [
        (2, 2, 2, 1),
        (1, 2, 1, 1),
        (0.5, -1, 1, 1),
        (5, 1, 4, 1),
        (0, 1, 4, 1),
        (2, 1, 4, 0),
        (np.nan, 1, 4, 1),
        (1, 1, np.inf, 1),
        (2, 1, 4, np.nan),
    ],
)
def test_sizes_that_make_no_gap_are_refused(
    mapping: Mapping, x: float, low: float, high: float, pot: float
) -> None:
    with pytest.raises(BettingError, match=r"A < B|maps bets from"):
        mapping(x, low, high, pot)


def test_unknown_mappings_are_refused() -> None:
    assert find_mapping("pseudo-harmonic").name == "pseudo-harmonic"
    with pytest.raises(BettingError, match="no mapping 'harmonic': mappings are deterministic-"):
        find_mapping("harmonic")


# Bets taken into a tree.


def river(pot: int, stack: int, bet: str, raises: str = "") -> BettingTree:
    menus = (None, None, None, StreetMenu.parse(bet, raises))
    return no_limit_tree(pot, stack, 3, Sizing(menus))


HARMONIC_MAPPING = MAPPINGS["pseudo-harmonic"]


def taken(tree: BettingTree, node: int, chips: int) -> dict[str, float]:
    bet = Bet.in_tree(tree, node, chips)
    return {tree.word(c): p for c, p in choices(tree, node, bet, HARMONIC_MAPPING)}


def test_a_bet_between_two_sizes_is_taken_for_either() -> None:
    tree = river(100, 1000, "100%, 400%, a", "100%, a")
    assert tree.words(0) == ["c", "b100", "b400", "b1000"]
    assert taken(tree, 0, 200) == pytest.approx({"b100": 4 / 9, "b400": 5 / 9})
    assert taken(tree, 0, 400) == {"b400": 1.0}
    assert taken(tree, 0, 1000) == {"b1000": 1.0}


def test_a_small_first_bet_may_be_taken_for_a_check_as_the_turn_passes_either_way() -> None:
    tree = river(100, 1000, "100%", "")
    assert taken(tree, 0, 10) == pytest.approx({"c": 0.9 / 1.1, "b100": 0.2 / 1.1})


def test_a_small_last_bet_is_never_taken_for_what_ends_the_street() -> None:
    tree = river(100, 1000, "100%", "100%")
    assert taken(tree, tree.find("c"), 10) == {"b100": 1.0}
    assert taken(tree, tree.find("b100"), 250) == {"r400": 1.0}  # a raise by half a pot


def test_a_raise_is_measured_against_the_pot_after_calling() -> None:
    tree = river(100, 5000, "100%", "50%, 100%")
    node = tree.find("b100")
    assert tree.words(node) == ["f", "c", "r250", "r400"]
    share = Bet.in_tree(tree, node, 310).share
    assert share == pytest.approx(0.7)
    low = float(HARMONIC_MAPPING(0.7, 0.5, 1.0))
    assert taken(tree, node, 310) == pytest.approx({"r250": low, "r400": 1 - low})


def test_bets_beyond_the_tree_are_its_largest() -> None:
    tree = river(100, 1000, "50%, 100%")
    assert taken(tree, 0, 999) == {"b100": 1.0}
    assert taken(tree, 0, 1000) == {"b100": 1.0}  # the tree has no all-in


def test_all_in_is_the_trees_all_in_even_where_the_pots_differ() -> None:
    tree = river(100, 1000, "100%, a")
    bet = Bet.of_chips(600, 0, 100, all_in=True)
    assert [tree.word(c) for c, _ in choices(tree, 0, bet, HARMONIC_MAPPING)] == ["b1000"]
    assert len(choices(tree, 0, Bet(bet.share), HARMONIC_MAPPING)) == 2


def test_where_the_tree_has_no_raise_left_only_the_call_stands() -> None:
    tree = river(100, 1000, "100%", "")
    node = tree.find("b100")
    assert taken(tree, node, 300) == {"c": 1.0}


def test_preflop_blinds_count_as_a_bet() -> None:
    game = load_rules("nolimit-holdem")
    sizing = Sizing((StreetMenu.parse("100%", "100%, a"),) + (StreetMenu.parse("a", "a"),) * 3)
    tree = game_tree(game, sizing)
    big = game.big_blind
    assert street_begun(tree, 0) == 0
    bet = Bet.in_tree(tree, 0, 3 * big)
    assert bet.share == 1.0  # calling makes two big blinds; the raise adds as many
    assert choices(tree, 0, bet, HARMONIC_MAPPING)[0][1] == 1.0
    limp = tree.find("c")
    assert Bet.in_tree(tree, limp, 3 * big).share == 1.0


@given(tree=spot_trees(), data=st.data())
def test_every_legal_bet_is_taken_for_neighbors_and_known_ones_for_themselves(
    tree: BettingTree, data: st.DataObject
) -> None:
    open_nodes = [
        n for n in range(tree.num_nodes) if tree.kind[n] == DECISION and tree.num_children[n] > 2
    ]
    assume(open_nodes)
    node = data.draw(st.sampled_from(open_nodes))
    mapping = data.draw(st.sampled_from(list(MAPPINGS.values())))
    begun, level = street_begun(tree, node), int(tree.spent[node].max())
    assume(level < tree.stack)
    chips = data.draw(st.integers(level + 1 - begun, tree.stack - begun))
    bet = Bet.in_tree(tree, node, chips)
    options = choices(tree, node, bet, mapping)
    assert sum(p for _, p in options) == pytest.approx(1.0)
    children, shares = tree_sizes(tree, node)
    assert shares == sorted(shares)
    assert all(b - a > 0 for a, b in pairwise(shares))
    by_chips = {int(tree.action[c]): c for c in children if tree.action[c] > BY_CALL}
    if chips in by_chips:
        assert options == ((by_chips[chips], 1.0),)
    for child, _ in options:
        low, high = sorted((shares[children.index(child)], bet.share))
        assert not [share for share in shares if low < share < high]
        assert tree.kind[child] != CHANCE


def test_translation_draws_from_its_seed_and_keeps_the_probabilities() -> None:
    tree = river(100, 1000, "100%, 400%", "")
    bet = Bet.in_tree(tree, 0, 200)
    draws = [
        [translate(tree, 0, bet, HARMONIC_MAPPING, rng) for _ in range(20_000)]
        for rng in (np.random.default_rng(7), np.random.default_rng(7))
    ]
    assert draws[0] == draws[1]
    share = np.mean(np.array(draws[0]) == tree.find("b100"))
    assert share == pytest.approx(4 / 9, abs=0.015)  # four standard errors


def test_a_certain_translation_draws_nothing() -> None:
    tree = river(100, 1000, "100%, 400%", "")
    rng = np.random.default_rng(1)
    before = rng.bit_generator.state
    assert tree.word(translate(tree, 0, Bet(4.0), HARMONIC_MAPPING, rng)) == "b400"
    assert rng.bit_generator.state == before


def test_what_is_no_bet_is_refused() -> None:
    tree = river(100, 1000, "100%", "")
    with pytest.raises(BettingError, match="only 1000 are left"):
        Bet.in_tree(tree, 0, 1001)
    with pytest.raises(BettingError, match="exceed the last bet"):
        Bet.in_tree(tree, tree.find("b100"), 100)
    with pytest.raises(BettingError, match="more than a call"):
        Bet(float("nan"))
    with pytest.raises(BettingError, match=r"no player bets at node \d+ \(c c\)"):
        choices(tree, tree.find("c c"), Bet(1.0), HARMONIC_MAPPING)

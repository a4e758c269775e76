"""Every compiled kernel equals its readable twin on random treeplexes."""

from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from endspiel.game import Treeplex
from endspiel.game.payoffs import compressed
from endspiel.kernels import cpu
from endspiel.kernels.arrays import DenseEnds, Discounts, Side
from tests.kernels import reference
from tests.native.each_build import same_on_each_build


def random_plex(rng: np.random.Generator, most: int = 8) -> Treeplex:
    """A treeplex with a few roots and blocks of states that hang anywhere before them."""
    roots = int(rng.integers(1, 4))
    blocks, size = [], roots
    for _ in range(int(rng.integers(0, 6))):
        K, A = int(rng.integers(1, most + 1)), int(rng.integers(1, 5))
        blocks.append((rng.integers(0, size, K), A))
        size += K * A
    plex = Treeplex.from_blocks(rng.random(roots), blocks)
    plex.validate(0)
    return plex


def worked(module: ModuleType, name: str, *args: object) -> list[np.ndarray]:
    """Copies of the arguments after a kernel."""
    copies = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    getattr(module, name)(*copies)
    return [a for a in copies if isinstance(a, np.ndarray)]


def narrow(array: np.ndarray) -> np.ndarray:
    """Floats in 32 bits."""
    return array.astype(np.float32) if array.dtype == np.float64 else array


def assert_same(name: str, *args: object, both: bool = True) -> None:
    """A kernel equals its twin, and on each build itself: in 32 bits, too, if there are both."""
    fast = same_on_each_build(lambda: worked(cpu, name, *args))
    if both:
        short = [narrow(a) if isinstance(a, np.ndarray) else a for a in args]
        same_on_each_build(lambda: worked(cpu, name, *short))
    for a, b in zip(fast, worked(reference, name, *args), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_tree_kernels(seed: int) -> None:
    rng = np.random.default_rng(seed)
    plex = random_plex(rng, most=40)  # states of a block fill no, one or several registers
    S = plex.num_sequences
    behavior = plex.behavior(rng.random(S))
    gradient = rng.normal(size=S)
    weights = np.ones(S)
    for block in plex:
        span = slice(block.first, block.first + block.num_states * block.num_actions)
        weights[span] = np.tile(rng.random(block.num_states) + 0.1, block.num_actions)
    by = Discounts(rng.random(), rng.random(), rng.random(), float(rng.integers(2)))
    arrays = plex.arrays
    assert_same("walk_down", arrays, behavior, rng.random(S))
    assert_same("advantages", arrays, behavior, gradient)
    assert_same("best_up", arrays, gradient, np.ones(S))
    assert_same("smooth_up", arrays, gradient, weights, np.ones(S), both=False)
    assert_same("match_regrets", arrays, gradient, rng.normal(size=S), behavior, by)
    zeros = np.where(rng.random(S) < 0.5, 0.0, rng.random(S))
    assert_same("normalize", arrays, zeros, np.ones(S))
    plan, average = plex.walk_down(behavior), rng.random(S)
    assert_same("learn", arrays, gradient, rng.normal(size=S), behavior, plan, average, by)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_terminal_kernels(seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = sparse.random(6, 9, density=0.4, format="csr", random_state=rng)
    assert_same("multiply", compressed(matrix), rng.random(9), rng.random(6), both=False)
    seqs = rng.integers(0, 10, 4)
    assert_same("gather", rng.random(15), seqs, rng.random(4), np.empty((4, 5)))
    assert_same("scatter", rng.random((4, 5)), seqs, rng.random(15))


def random_side(rng: np.random.Generator, plex: Treeplex, width: int) -> Side:
    """A player in the middle of learning, with payoffs against each of `width` sequences.

    None is zero: where nothing is at stake, rounding alone decides what regrets play.
    """
    S = plex.num_sequences
    form = compressed(sparse.csr_matrix(rng.normal(size=(S, width))))
    T, sizes = int(rng.integers(0, 4)), rng.integers(1, [S + 1, width + 1])
    starts = rng.integers(0, [S + 1 - sizes[0], width + 1 - sizes[1]], (T, 2))
    places = np.concatenate([starts, np.tile(sizes, (T, 1)), np.zeros((T, 1), np.int64)], axis=1)
    ends = DenseEnds(*places.T.copy(), rng.normal(size=T), rng.normal(size=sizes.prod()))
    behavior = plex.behavior(rng.random(S))
    changed = rng.normal(size=S), behavior, plex.walk_down(behavior), rng.random(S)
    return Side(plex.arrays, form, ends, np.empty(S), *changed)


def copied(side: Side) -> Side:
    return Side(*side[:3], *(array.copy() for array in side[3:]))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_fused_iterations(seed: int, alternating: bool) -> None:
    rng = np.random.default_rng(seed)
    plexes = random_plex(rng, most=20), random_plex(rng)
    one, two = (random_side(rng, plexes[i], plexes[1 - i].num_sequences) for i in (0, 1))
    schedule = rng.uniform(0.1, 1, (3, 4))

    def iterated(module: ModuleType) -> list[np.ndarray]:
        sides = copied(one), copied(two)
        module.iterate(*sides, schedule, alternating)
        return [array for side in sides for array in side[3:]]

    ours = same_on_each_build(lambda: iterated(cpu))
    for a, b in zip(ours, iterated(reference), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_gradients_of_sides(seed: int) -> None:
    rng = np.random.default_rng(seed)
    plex, others = random_plex(rng, most=20), random_plex(rng).num_sequences
    side, plan = random_side(rng, plex, others), rng.random(others)

    def earned(module: ModuleType) -> np.ndarray:
        one = copied(side)
        module.earn(one, plan)
        return one.gradient

    ours = same_on_each_build(lambda: [earned(cpu)])
    np.testing.assert_allclose(ours[0], earned(reference), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("module", [cpu, reference], ids=["cpu", "reference"])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_vanishing_totals_play_uniformly(module: ModuleType, kind: type) -> None:
    plex = Treeplex.from_blocks(np.array([1.0]), [(np.zeros(3, np.int64), 2)])
    tiny = np.finfo(kind).tiny
    totals = np.array([tiny / 8, np.finfo(kind).smallest_subnormal, tiny], dtype=kind)
    weights = np.ones(7, dtype=kind)
    weights[1:] = np.concatenate([totals, np.zeros(3, dtype=kind)])
    behavior = np.ones(7, dtype=kind)
    module.normalize(plex.arrays, weights, behavior)
    assert behavior[1:].tolist() == [0.5, 0.5, 1, 0.5, 0.5, 0]
    regret = np.zeros(7, dtype=kind)
    module.match_regrets(plex.arrays, weights, regret, behavior, Discounts(1.0, 1.0, 1.0, 0.0))
    assert behavior[1:].tolist() == [0.5, 0.5, 1, 0.5, 0.5, 0]


def test_twins_have_the_same_names() -> None:
    public = [n for n in vars(reference) if callable(getattr(reference, n)) and n[0].islower()]
    ours = [n for n in public if getattr(reference, n).__module__ == reference.__name__]
    for name in ours:
        if name != "blocks":
            assert hasattr(cpu, name), name


@pytest.mark.parametrize("kernel", ["walk_down", "advantages", "best_up"])
def test_a_player_without_decisions_is_fine(kernel: str) -> None:
    plex = Treeplex.from_blocks(np.array([1.0]), [])
    assert_same(kernel, plex.arrays, np.ones(1), np.ones(1))


def test_vectors_of_other_types_and_lengths_are_refused() -> None:
    plex = random_plex(np.random.default_rng(3))
    vector, short = np.ones(plex.num_sequences), np.ones(plex.num_sequences - 1)
    with pytest.raises(TypeError, match="int64, not of float32 or float64"):
        cpu.walk_down(plex.arrays, vector.astype(np.int64), vector)
    with pytest.raises(TypeError, match="plan has entries of float64, not float32"):
        cpu.walk_down(plex.arrays, vector, vector.astype(np.float32))
    with pytest.raises(TypeError, match="plan has shape"):
        cpu.walk_down(plex.arrays, vector, short)
    with pytest.raises(TypeError, match="gradient does not lie in one piece"):
        cpu.advantages(plex.arrays, vector, np.ones((plex.num_sequences, 2))[:, 0])
    with pytest.raises(TypeError, match="has shape"):
        cpu.learn(plex.arrays, *(vector,) * 4, short, Discounts(1, 1, 1, 0))


def test_sides_of_other_lengths_are_refused() -> None:
    rng = np.random.default_rng(4)
    plex = random_plex(rng)
    side = random_side(rng, plex, plex.num_sequences)
    schedule = np.ones((2, 4))
    with pytest.raises(TypeError, match="different lengths"):
        cpu.iterate(side, side._replace(plan=side.plan[1:]), schedule, True)
    with pytest.raises(TypeError, match="different lengths"):
        cpu.iterate(side, side._replace(average=side.average[1:]), schedule, True)
    with pytest.raises(TypeError, match="schedule has shape"):
        cpu.iterate(side, side, np.ones((2, 3)), True)

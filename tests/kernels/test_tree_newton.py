"""Newton's equations along a public tree against one dense matrix, on random small trees."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endspiel.kernels.tree_newton import TreeArrays
from endspiel.solvers.lp import public_tree
from endspiel.solvers.lp.public_tree import Newton
from tests.kernels import tree_newton_reference as reference
from tests.native.each_build import same_on_each_build


@pytest.fixture(params=["loops", "blocked"], scope="module", autouse=True)
def way(request: pytest.FixtureRequest) -> Iterator[None]:
    """Both ways of folding the tree, whatever the number of states."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(public_tree, "MANY_STATES", 1 if request.param == "blocked" else 10**9)
        yield


def random_tree(rng: np.random.Generator) -> TreeArrays:
    """Players act in turn; every action ends the game or leads to a decision of the other."""
    sizes = rng.integers(1, 6, 2)
    heads, actions, starts = [], [], [0]
    used, decided = [1, 1], [0, 0]
    nodes = [(int(rng.integers(2)), (0, 0), 0)]
    for player, seqs, depth in nodes:  # grows while it is walked
        heads.append((player, decided[player], seqs[player], seqs[1 - player]))
        decided[player] += 1
        for _ in range(int(rng.integers(1, 5))):
            seq, below = used[player], -1
            used[player] += 1
            if depth < 4 and rng.uniform() < 0.4:
                below = len(nodes)
                after = (seq, seqs[1]) if player == 0 else (seqs[0], seq)
                nodes.append((1 - player, after, depth + 1))
            actions.append((seq, below, int(rng.integers(2))))
        starts.append(len(actions))
    head, action = np.array(heads), np.array(actions)
    return TreeArrays(
        *head.T.copy(), np.array(starts), *action.T.copy(), rng.normal(size=len(action)), sizes
    )


def random_case(seed: int, spread: float) -> tuple[TreeArrays, tuple, tuple, tuple, tuple]:
    """A tree, forms, diagonals up to powers of ten apart, linear parts, what sums are short of."""
    rng = np.random.default_rng(seed)
    tree = random_tree(rng)
    one, two = tree.sizes
    forms = rng.normal(size=(2, one, two)), rng.normal(size=(2, two, one))
    shapes, numbers = [], []
    for player in (0, 1):
        here = np.flatnonzero(tree.player == player)
        used = sum(tree.start[n + 1] - tree.start[n] for n in here)
        shapes.append((1 + used, tree.sizes[player]))
        numbers.append((len(here), tree.sizes[player]))
    D = tuple(10 ** rng.uniform(-spread, spread, shape) for shape in shapes)
    g = tuple(rng.normal(size=shape) for shape in shapes)
    missing = tuple(rng.normal(size=shape) for shape in numbers)
    for part in (*D, *g):
        part[0] = 0
    return tree, forms, D, g, missing


def padded(tree: TreeArrays, forms: tuple) -> np.ndarray:
    W = tree.sizes.max()
    wide = np.zeros((2, 2, W, W))
    for player, form in enumerate(forms):
        wide[player, :, : form.shape[1], : form.shape[2]] = form
    return wide


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_tree_solves_the_dense_equations(seed: int) -> None:
    tree, forms, D, g, missing = random_case(seed, spread=1.0)

    def solved() -> tuple:
        newton = Newton(tree, forms)
        newton.factor(D)
        return newton.solve(g, missing)

    fast = same_on_each_build(solved)
    slow = reference.solve(tree, padded(tree, forms), D, g, missing)
    scale = max(1.0, *(abs(part).max(initial=0) for side in slow for part in side))
    for ours, theirs in zip(fast, slow, strict=True):
        for player in (0, 1):
            np.testing.assert_allclose(ours[player], theirs[player], rtol=0, atol=1e-9 * scale)


@pytest.mark.parametrize("seed", range(20))
def test_diagonals_far_apart_keep_the_sums_and_the_optimum(seed: int) -> None:
    """Sixteen powers of ten, as near a solution: the dense matrix would leave no digit."""
    tree, forms, D, g, missing = random_case(seed, spread=8.0)
    newton = Newton(tree, forms)
    newton.factor(D)
    x, u = newton.solve(g, missing)
    A = reference.payoffs(tree, padded(tree, forms), D)
    flat = [part.ravel() for part in x]
    earned = (A @ flat[1]).reshape(D[0].shape), (-A.T @ flat[0]).reshape(D[1].shape)
    for player in (0, 1):
        E = reference.sums(tree, player, D[player].shape)
        short = E @ flat[player] + missing[player].ravel()
        size = abs(E) @ abs(flat[player]) + 1
        np.testing.assert_allclose(short / size, 0, atol=1e-9)
        pulled = (E.T @ u[player].ravel()).reshape(D[player].shape)
        terms = D[player] * x[player], pulled, -earned[player], -g[player]
        worst = np.max([abs(term).max() for term in terms])
        np.testing.assert_allclose(sum(terms)[1:] / worst, 0, atol=1e-9)


def test_arrays_of_other_shapes_are_refused() -> None:
    tree, forms, D, g, missing = random_case(3, spread=1.0)
    newton = Newton(tree, forms)
    newton.factor(D)
    with pytest.raises(TypeError, match="g has shape"):
        newton.solve((g[0][:, :0], g[1]), missing)
    factors = newton._factors
    newton._factors = factors._replace(L=factors.L[1:])
    with pytest.raises(TypeError, match="have other shapes"):
        newton.solve(g, missing)

"""Post-processing of strategies: laws over random rows, and profiles of real games."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endspiel.errors import EndspielError, GameError
from endspiel.game import Profile, exploitability
from endspiel.game.post import KINDS, PAPER_THRESHOLD, TIE, Post, purify, threshold
from endspiel.games import kuhn, leduc
from endspiel.kernels.arrays import Floats
from endspiel.solvers.solve import solve
from tests.solvers.coarse import shared


@st.composite
def probabilities(draw: st.DrawFn) -> Floats:
    """Rows [N, A] of probabilities, small whole weights so that ties and zeros are common."""
    N, A = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    row = st.lists(st.integers(0, 9), min_size=A, max_size=A).filter(any)
    weights = np.array(draw(st.lists(row, min_size=N, max_size=N)), dtype=np.float64)
    return weights / weights.sum(axis=1, keepdims=True)


levels = st.floats(0, 1)
posts = st.builds(Post, st.sampled_from(KINDS), levels, st.integers(-5, 2**70))


@given(rows=probabilities(), post=posts)
def test_rows_stay_probabilities_and_gain_no_action(rows: Floats, post: Post) -> None:
    before = rows.copy()
    played = post.rows(rows)
    assert (rows == before).all()
    assert (played >= 0).all()
    assert played.sum(axis=1) == pytest.approx(1.0)
    assert (rows[played > 0] > 0).all()


@given(rows=probabilities(), post=posts)
def test_reading_twice_changes_nothing_more(rows: Floats, post: Post) -> None:
    once = post.rows(rows)
    assert post.rows(once) == pytest.approx(once)


@given(rows=probabilities(), post=posts)
def test_rows_are_read_alone_as_among_others(rows: Floats, post: Post) -> None:
    numbers = np.arange(len(rows), dtype=np.int64)
    together = post.rows(rows, numbers)
    for i in range(len(rows)):
        assert (post.rows(rows[i : i + 1], numbers[i : i + 1])[0] == together[i]).all()


@given(rows=probabilities(), seed=st.integers(0, 10))
def test_purified_rows_play_one_action_of_the_largest(rows: Floats, seed: int) -> None:
    pure = purify(rows, seed)
    assert (np.sort(pure, axis=1)[:, -1] == 1).all()
    assert (np.count_nonzero(pure, axis=1) == 1).all()
    assert rows[pure == 1] == pytest.approx(rows.max(axis=1), abs=TIE)


def test_ties_are_split_evenly_over_rows_and_over_seeds() -> None:
    rows = np.tile([0.4, 0.2, 0.4], (30_000, 1))
    pure = purify(rows, seed=3)
    assert pure.mean(axis=0) == pytest.approx([0.5, 0, 0.5], abs=0.012)  # four standard errors
    assert (purify(rows, seed=3) == pure).all()
    one = np.array([[0.5, 0.5]])
    over_seeds = np.mean([purify(one, seed)[0, 0] for seed in range(4_000)])
    assert over_seeds == pytest.approx(0.5, abs=0.032)
    # Neighboring seeds do not merely shift the same choices along the rows.
    other = purify(rows, seed=4)
    assert np.mean(pure[1:, 0] == other[:-1, 0]) == pytest.approx(0.5, abs=0.012)


def test_ties_are_decided_by_splitmix64() -> None:
    """The generator's published first numbers from the state 0, one for each row."""
    published = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F, 0xF88BB8A8724C81EC]
    chosen = purify(np.full((4, 1000), 1e-3)).argmax(axis=1)
    assert chosen.tolist() == [number % 1000 for number in published]


def test_rounding_makes_no_winner_of_a_tie() -> None:
    rows = np.tile([1 / 3, 1 / 3 + 1e-16, 1 - 2 / 3], (3_000, 1))
    assert purify(rows).mean(axis=0) == pytest.approx([1 / 3] * 3, abs=0.035)


@given(rows=probabilities())
def test_a_threshold_of_zero_is_the_identity(rows: Floats) -> None:
    assert (threshold(rows, 0.0) == rows).all()


@given(rows=probabilities(), low=levels, high=levels)
def test_higher_thresholds_leave_fewer_actions(rows: Floats, low: float, high: float) -> None:
    low, high = sorted((low, high))
    assert ((threshold(rows, high) > 0) <= (threshold(rows, low) > 0)).all()


@given(rows=probabilities(), level=levels)
def test_a_threshold_keeps_what_reaches_it_in_proportion(rows: Floats, level: float) -> None:
    played = threshold(rows, level)
    for before, after in zip(rows, played, strict=True):
        kept = before >= level
        if not kept.any():  # the most probable stay
            kept = before >= before.max() - TIE
        assert after == pytest.approx(np.where(kept, before, 0) / before[kept].sum())


def test_the_papers_threshold() -> None:
    rows = np.array([[0.14, 0.16, 0.7], [0.15, 0.85, 0.0]])
    assert PAPER_THRESHOLD == 0.15
    assert threshold(rows) == pytest.approx(np.array([[0, 16 / 86, 70 / 86], [0.15, 0.85, 0]]))


def test_a_threshold_above_every_action_leaves_the_most_probable() -> None:
    rows = np.array([[0.3, 0.3, 0.4], [0.4, 0.4, 0.2]])
    assert threshold(rows, 0.9) == pytest.approx(np.array([[0, 0, 1], [0.5, 0.5, 0]]))


def test_single_precision_rows_stay_single() -> None:
    rows = np.array([[0.1, 0.9]], dtype=np.float32)
    assert purify(rows).dtype == threshold(rows).dtype == np.float32


@pytest.mark.parametrize("row", [[0.5, np.nan], [-0.5, 1.5], [0.0, 0.0], [np.inf, 0.0], [3.0, 1.0]])
@pytest.mark.parametrize("kind", ["purify", "threshold"])
def test_rows_that_are_no_probabilities_are_refused(kind: str, row: list[float]) -> None:
    with pytest.raises(GameError, match="strategy row 1 is not a probability vector"):
        Post.parse(kind).rows(np.array([[0.5, 0.5], row]))


def test_rows_of_the_wrong_shape_are_refused() -> None:
    with pytest.raises(GameError, match="shape"):
        purify(np.array([0.5, 0.5]))


@pytest.mark.parametrize(
    "text", ["none", "purify", "purify-after-first", "threshold:0.15", "threshold:0.05"]
)
def test_post_processing_is_written_as_it_is_read(text: str) -> None:
    assert str(Post.parse(text)) == text
    assert Post.parse("threshold") == Post("threshold", PAPER_THRESHOLD)
    assert Post.parse(text, seed=9).seed == 9


@pytest.mark.parametrize(
    "text",
    ["", "pure", "purify:0.1", "purify-after-first:0", "threshold:", "threshold:x", "none:1"],
)
def test_unreadable_post_processing_is_refused(text: str) -> None:
    with pytest.raises(EndspielError, match=r"no post-processing|not a number"):
        Post.parse(text)


def test_the_refusal_names_what_there_is() -> None:
    with pytest.raises(EndspielError) as caught:
        Post.parse("pure")
    assert str(caught.value) == (
        "there is no post-processing 'pure': write none, purify, purify-after-first or "
        "threshold:0.15"
    )


@pytest.mark.parametrize("level", ["-0.1", "1.1", "nan"])
def test_thresholds_that_are_no_probability_are_refused(level: str) -> None:
    with pytest.raises(EndspielError, match="a threshold is a probability"):
        Post.parse(f"threshold:{level}")


def test_profiles_are_read_row_by_row() -> None:
    game = leduc()
    profile = solve(game, "cfr+", iterations=30).profile
    assert Post().profile(game, profile) is profile
    for post in (Post("purify"), Post("threshold")):
        played = post.profile(game, profile)
        for player, plex in enumerate(game.plexes):
            assert (played.behavior[player][: plex.num_roots] == 1).all()
            for block in plex:
                span = slice(block.first, block.first + block.num_states * block.num_actions)
                before, after = (
                    p.behavior[player][span].reshape(block.num_actions, -1).T
                    for p in (profile, played)
                )
                assert after.sum(axis=1) == pytest.approx(1.0)
                if post.kind == "purify":
                    assert set(np.unique(after)) <= {0.0, 1.0}
                else:
                    assert after == pytest.approx(threshold(before))


def test_purification_may_leave_first_decisions_alone() -> None:
    """In Leduc player 0 first decides at the start, player 1 after a check or a bet."""
    game = leduc()
    profile = solve(game, "cfr+", iterations=30).profile
    pure, spared = (Post(k).profile(game, profile) for k in ("purify", "purify-after-first"))
    for player, blocks in ((0, 1), (1, 2)):
        plex = game.plexes[player]
        found, read, all_pure = (p.behavior[player] for p in (profile, spared, pure))
        first = np.zeros(plex.num_sequences, np.bool_)
        for at in range(blocks):  # parents come before children
            block = plex.block(at)
            first[block.first : block.first + block.num_states * block.num_actions] = True
        assert (read[first] == found[first]).all()
        assert ((read > 0.01) & (read < 0.99))[first].any()
        assert (read[~first] == all_pure[~first]).all()


def test_a_small_threshold_removes_mistakes_and_purification_may_add_them() -> None:
    """In Kuhn poker, a hand of which mixes: pure play is exploitable, cleared play hardly."""
    game = kuhn()
    rough = solve(game, "cfr", iterations=2_000).profile
    before = exploitability(game, rough).mean
    assert exploitability(game, Post("threshold", 0.01).profile(game, rough)).mean < before + 1e-3
    assert exploitability(game, Post("purify").profile(game, rough)).mean > 0.02


def test_states_that_share_a_row_are_purified_alike() -> None:
    game = shared(kuhn(8), lambda name: f"{int(name[0]) // 4}{name[1:]}")
    pure = Post("purify", seed=5).profile(game, Profile.uniform(game))
    for player, plex in enumerate(game.plexes):
        assert plex.rows is not None
        by_row = np.full(plex.rows.size, -1.0)
        by_row[plex.rows.of] = pure.behavior[player]
        assert (by_row[plex.rows.of] == pure.behavior[player]).all()

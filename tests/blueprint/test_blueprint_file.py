"""The strategy file: what was saved is what is read, in every way of reading; damage is refused."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endspiel import files
from endspiel.betting.limit import limit_tree
from endspiel.betting.tree import DECISION
from endspiel.blueprint import blueprint as module
from endspiel.blueprint.blueprint import Blueprint, load_blueprint, save_blueprint
from endspiel.cards.deck import hand_index
from endspiel.errors import FileError, GameError
from endspiel.game.post import Post
from endspiel.rules.builtin import load_rules
from tests.blueprint_fixture import (
    save_small,
    small_abstraction,
    small_blueprint,
    small_game,
    small_model,
)

BOARD = (0, 13, 26, 40, 51)


@pytest.fixture(scope="module")
def blueprint(tmp_path_factory: pytest.TempPathFactory) -> Blueprint:
    return small_blueprint(tmp_path_factory.getbasetemp())


def decisions(blueprint: Blueprint) -> list[int]:
    return np.flatnonzero(blueprint.tree.kind == DECISION).tolist()


def test_all_of_it_comes_back(blueprint: Blueprint) -> None:
    tree = small_model().tree(small_game())
    for name in tree.__dataclass_fields__:
        assert np.array_equal(getattr(blueprint.tree, name), getattr(tree, name)), name
    assert blueprint.game == small_game()
    assert blueprint.model == small_model()
    assert blueprint.sizes == blueprint.abstraction.sizes == (4, 12, 24, 48)
    assert blueprint.exploitability == 1.25
    assert [point.exploitability for point in blueprint.trace] == [2.5, 1.25]
    assert blueprint.verify() == files.verify(blueprint.path).checksum
    for cards in (0, 3, 4, 5):
        own = blueprint.abstraction.board_buckets(BOARD[:cards])
        assert (own == small_abstraction().board_buckets(BOARD[:cards])).all()


def test_strategies_lose_no_more_than_the_record_says(tmp_path: Path) -> None:
    game, model, abstraction = small_game(), small_model(), small_abstraction()
    tree = model.tree(game)
    rng = np.random.default_rng(0)
    shapes = {
        node: (int(tree.num_children[node]), abstraction.sizes[tree.street[node]])
        for node in np.flatnonzero(tree.kind == DECISION).tolist()
    }
    strategy = {node: rng.dirichlet([0.4] * A, K).T for node, (A, K) in shapes.items()}
    save_blueprint(tmp_path / "b", game, model, abstraction, strategy.__getitem__, {})
    read = load_blueprint(tmp_path / "b")
    assert np.isnan(read.exploitability)
    streets = ("preflop", "flop", "turn", "river")
    worst = dict.fromkeys(streets, 0.0)
    for node, wanted in strategy.items():
        rows = read.rows(node)
        assert rows.sum(axis=0) == pytest.approx(1, abs=1e-12)
        far = np.abs(rows - wanted).sum(axis=0) / 2
        street = streets[tree.street[node]]
        worst[street] = max(worst[street], float(far.max()))
    for street, (mean, most) in read.record["loss"].items():
        assert worst[street] == pytest.approx(most)
        assert mean < (1e-4 if street in ("preflop", "flop") else 0.01)
        assert most < 0.1


def test_rows_that_matter_are_coded_finely(tmp_path: Path) -> None:
    game, model, abstraction = small_game(), small_model(), small_abstraction()
    tree = model.tree(game)

    def careful(node: int) -> np.ndarray:
        """Player 1 always limps first; everything else is as likely as anything."""
        A, K = int(tree.num_children[node]), abstraction.sizes[tree.street[node]]
        row = np.eye(A)[1] if node == 0 else np.full(A, 1 / A)
        return np.repeat(row[:, None], K, axis=1)

    for bits in (4.0, 7.0):
        save_blueprint(tmp_path / "b", game, model, abstraction, careful, {}, bits)
        read = load_blueprint(tmp_path / "b")
        layout, late = read.layout, tree.street >= 2
        free = int((layout.num_rows * np.maximum(tree.num_children - 1, 0))[late].sum())
        assert bits - 1 < 8 * layout.num_bytes / free <= bits + 0.1
        after_limp = np.array([tree.line(node).startswith("c") for node in range(tree.num_nodes)])
        own = late & (tree.player == 1) & (tree.kind == DECISION)
        steps = np.array([grid.steps for grid in layout.grids])[layout.grid_of]
        assert steps[own & ~after_limp].mean() < steps[own & after_limp].mean() / 2


@pytest.mark.parametrize("post", [Post(), Post("purify", seed=3), Post("threshold", 0.2)], ids=str)
def test_every_way_to_read_gives_the_same(blueprint: Blueprint, post: Post) -> None:
    played = blueprint.played(post)
    nodes, buckets = [], []
    rng = np.random.default_rng(2)
    for node in rng.choice(decisions(blueprint), 40, replace=False).tolist():
        rows, plain = played.rows(node), blueprint.rows(node)
        numbers = blueprint.layout.row_at[node] + np.arange(plain.shape[1])
        assert rows == pytest.approx(post.rows(plain.T, numbers).T)
        for bucket in range(rows.shape[1]):
            assert (played.row(node, bucket) == rows[:, bucket]).all()
        bucket = int(rng.integers(rows.shape[1]))
        nodes.append(node)
        buckets.append(bucket)
        hands = played.hands(node, BOARD)
        street = int(blueprint.tree.street[node])
        for hole in ((5, 9), (48, 50), (1, 2)):
            own = blueprint.abstraction.bucket(street, hole, BOARD)
            assert (hands[:, hand_index(*hole)] == rows[:, own]).all()
        dead = hands[:, hand_index(0, 5)]
        assert (dead == 0).all() == (street > 0)
    many = played.many(np.array(nodes), np.array(buckets))
    for node, bucket, row in zip(nodes, buckets, many, strict=True):
        width = blueprint.num_actions(node)
        assert (row[:width] == played.row(node, bucket)).all()
        assert (row[width:] == 0).all()


def test_first_decisions_may_be_left_as_they_are(blueprint: Blueprint) -> None:
    played, pure = (blueprint.played(Post(k)) for k in ("purify-after-first", "purify"))
    tree = blueprint.tree
    first = [""] + [word for word in tree.words(0) if word != "f"]  # nobody answers a fold
    for node in decisions(blueprint):
        expected = blueprint if tree.line(node) in first else pure
        assert (played.rows(node) == expected.rows(node)).all()
        assert (played.row(node, 3) == expected.row(node, 3)).all()
    at = np.array([tree.find(line) for line in first])
    found, wanted = (b.many(at, np.full(len(at), 1)) for b in (played, blueprint))
    assert (found == wanted).all()
    assert (found != pure.many(at, np.full(len(at), 1))).any()


def test_rows_cannot_be_changed(blueprint: Blueprint) -> None:
    with pytest.raises(ValueError, match="read-only"):
        blueprint.row(0, 0)[0] = 1.0


def test_rows_that_are_not_there(blueprint: Blueprint) -> None:
    end = int(np.flatnonzero(blueprint.tree.kind != DECISION)[0])
    for read in (lambda: blueprint.row(end, 0), lambda: blueprint.rows(end)):
        with pytest.raises(GameError, match=f"no player decides at node {end}"):
            read()
    for read in (
        lambda: blueprint.row(0, 4),
        lambda: blueprint.row(0, -1),
        lambda: blueprint.many(np.array([0]), np.array([4])),
    ):
        with pytest.raises(GameError, match=r"no bucket -?\d on the preflop: there are 4"):
            read()


def test_the_same_input_makes_the_same_content(tmp_path: Path) -> None:
    first, second = save_small(tmp_path / "a"), save_small(tmp_path / "b")
    assert files.verify(first).checksum == files.verify(second).checksum


def test_wrong_shapes_are_refused(tmp_path: Path) -> None:
    game, model, abstraction = small_game(), small_model(), small_abstraction()
    with pytest.raises(GameError, match=r"at node 0 has shape .* not 4 actions by 4 buckets"):
        save_blueprint(tmp_path / "b", game, model, abstraction, lambda node: np.ones((2, 4)), {})
    assert not list(tmp_path.iterdir())


def test_limit_games_have_no_model(tmp_path: Path) -> None:
    game, abstraction = load_rules("limit-holdem"), small_abstraction()
    tree = limit_tree(game)

    def uniform(node: int) -> np.ndarray:
        shape = int(tree.num_children[node]), abstraction.sizes[tree.street[node]]
        return np.full(shape, 1 / shape[0])

    save_blueprint(tmp_path / "b", game, None, abstraction, uniform, {"exploitability": None})
    read = load_blueprint(tmp_path / "b")
    assert read.model is None
    assert read.tree.num_nodes == tree.num_nodes
    assert read.row(0, 0) == pytest.approx([1 / 3] * 3, abs=0.01)


def test_a_file_is_opened_once_until_it_changes(tmp_path: Path) -> None:
    path = save_small(tmp_path / "b")
    first = load_blueprint(path)
    assert load_blueprint(path) is first
    save_small(path, seed=2)
    assert load_blueprint(path) is not first


def test_missing_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileError, match="there is no strategy file"):
        load_blueprint(tmp_path / "nothing")
    monkeypatch.setattr(module, "default_path", lambda game: tmp_path / "default.blueprint")
    with pytest.raises(FileError, match="make one with endspiel abstract and endspiel train"):
        load_blueprint()


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_damage_is_found(
    blueprint: Blueprint, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    sound = blueprint.path.read_bytes()
    header = 8 + int.from_bytes(sound[:8], "little")
    # Half of the tries in the header, which is checked on opening.
    at = data.draw(st.one_of(st.integers(0, header - 1), st.integers(header, len(sound) - 1)))
    damaged = bytearray(sound)
    damaged[at] ^= 1 << data.draw(st.integers(0, 7))
    path = tmp_path_factory.getbasetemp() / "damaged.blueprint"
    path.write_bytes(damaged)
    with pytest.raises(FileError):
        files.verify(path)
    checksum = sound.index(blueprint.verify().encode())  # of what opening does not read
    if at < header and not checksum <= at < checksum + 32:
        with pytest.raises(FileError):
            files.map_file(path, module.KIND)


@pytest.mark.parametrize("share", [0.0, 1e-5, 0.01, 0.5, 0.999])
def test_truncated_files_are_refused(blueprint: Blueprint, tmp_path: Path, share: float) -> None:
    sound = blueprint.path.read_bytes()
    path = tmp_path / "short.blueprint"
    path.write_bytes(sound[: int(share * len(sound))])
    with pytest.raises(FileError, match=r"short\.blueprint is damaged"):
        load_blueprint(path)


def test_foreign_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "foreign"
    path.write_bytes(b"PK\x03\x04 some archive of something else" * 9)
    with pytest.raises(FileError, match="damaged or no Endspiel file"):
        load_blueprint(path)
    files.save(path, "solution", {}, {"x": np.zeros(3)})
    with pytest.raises(FileError, match="holds a solution, not a blueprint"):
        load_blueprint(path)
    files.save(path, module.KIND, {"game": {}}, {"codes": np.zeros(3, np.uint8)})
    with pytest.raises(FileError, match="is no whole blueprint"):
        load_blueprint(path)


def test_shipped_files_go_by_the_name_of_their_game() -> None:
    """The limit strategy tells what it loses to best responses on real cards, as far as known."""
    limit = load_blueprint("limit-holdem")
    assert limit is load_blueprint(None, load_rules("limit-holdem"))
    assert load_blueprint("nolimit-holdem") is load_blueprint()
    assert limit.model is None
    assert limit.tree.num_nodes == limit_tree(load_rules("limit-holdem")).num_nodes
    assert limit.training["method"] == "cfr-br"
    assert limit.training["iterations"] == 14853
    assert limit.training["real_exact"] is False
    assert limit.training["real_mbb_per_hand"] == pytest.approx(110.145, abs=1e-3)
    assert limit.training["real_flops"] == 20
    assert limit.path.stat().st_size < 50_000_000
    first = limit.hands(0, ())
    assert first.sum(axis=0) == pytest.approx(1, abs=1e-3)
    aces, seven_two = hand_index(51, 50), hand_index(0, 21)
    assert first[2, aces] > 0.8  # raises
    assert first[0, seven_two] > 0.5  # folds

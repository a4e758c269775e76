"""Joint counts: against all pairs compared one by one, and the laws they obey."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from endspiel import files
from endspiel.abstraction.abstraction import DEAD
from endspiel.abstraction.errors import AbstractionError
from endspiel.blueprint.joint import KIND, Joint, count_joint, fingerprint
from endspiel.blueprint.joint_kernels import count_turn_boards
from endspiel.cards.deck import hand_cards, hand_masks
from endspiel.cards.strength import board_strengths
from endspiel.cards.strength_tables import strength_tables
from endspiel.progress import Progress
from tests.blueprint.small import cards, joint
from tests.native.each_build import same_on_each_build


def pair_by_pair(turn: list[int], size: int) -> np.ndarray:
    """Halves of all pairs of hands on all river cards of a turn board: [K, K]."""
    masks, counts = hand_masks(), np.zeros((size, size), np.int64)
    apart = (masks[:, None] & masks) == 0
    for river in sorted(set(range(52)) - set(turn)):
        board = [*turn, river]
        buckets, strengths = cards().board_buckets(board), board_strengths(board).astype(int)
        live = np.flatnonzero(buckets != DEAD)
        halves = 1 + np.sign(strengths[live][:, None] - strengths[live])
        halves = np.where(apart[np.ix_(live, live)], halves, 0)
        rows, columns = np.broadcast_arrays(buckets[live][:, None], buckets[live])
        np.add.at(counts, (rows.ravel(), columns.ravel()), halves.ravel())
    return counts


def test_counts_are_those_of_all_pairs() -> None:
    made, rows = cards(), [0, 40]

    def count() -> np.ndarray:
        counts = np.zeros((made.sizes[3], made.sizes[3]), np.int64)
        count_turn_boards(
            strength_tables(7),
            (made.boards.turns[rows], np.array([1, 3])),
            hand_cards(),
            made.turn.buckets.reshape(-1, 1326)[rows],
            (made.river.first, made.river.limit),
            counts,
        )
        return counts

    counts = same_on_each_build(count)
    turns = made.boards.turns[rows].tolist()
    wanted = pair_by_pair(turns[0], len(counts)) + 3 * pair_by_pair(turns[1], len(counts))
    assert np.array_equal(counts, wanted)


def test_every_deal_is_counted_once() -> None:
    assert joint().deals == cards().boards.turn_weight.sum() * 48 * 1081 * 990
    assert joint().sizes == cards().sizes


@pytest.mark.parametrize("street", range(4))
def test_chances_and_showdowns_obey_their_laws(street: int) -> None:
    chance, showdown = joint().street(street)
    assert chance.sum() == pytest.approx(1, abs=1e-12)
    assert np.array_equal(chance, chance.T)
    assert np.array_equal(showdown, -showdown.T)
    assert (np.abs(showdown) <= chance).all()
    if street:
        mass = (cards().flop, cards().turn, cards().river)[street - 1].mass
        assert chance.sum(axis=1) == pytest.approx(mass / mass.sum(), abs=1e-12)
        above = joint().street(street - 1)
        for matrix, summed in zip((chance, showdown), above, strict=True):
            parents = cards().parents(street)
            total = np.zeros_like(summed)
            np.add.at(total, (parents[:, None], parents), matrix)
            assert total == pytest.approx(summed, abs=1e-12)


def test_threads_and_compact_tables_count_the_same() -> None:
    counted = count_joint(cards().compact(), threads=2)
    assert np.array_equal(counted.halves, joint().halves)
    assert fingerprint(cards().compact()) == fingerprint(cards())


def test_a_stopped_count_goes_on(tmp_path: Path) -> None:
    path, shares = tmp_path / "counts", []

    def stop(progress: Progress) -> None:
        shares.append(progress.finished)
        if 2 * progress.finished > progress.total:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        count_joint(cards(), path, progress=stop, save_every=0)
    done = files.load(path, KIND)[0]["done"]
    assert 0 < done < len(cards().boards.turns)
    shares.clear()
    counted = count_joint(cards(), path, progress=lambda p: shares.append(p.finished / p.total))
    assert shares[0] == pytest.approx(done / len(cards().boards.turns))
    assert np.array_equal(counted.halves, joint().halves)


def test_a_file_of_another_abstraction_or_a_damaged_one_is_not_believed(tmp_path: Path) -> None:
    path = tmp_path / "counts"
    wrong = np.zeros_like(joint().halves)
    record = {"abstraction": "another", "boards": 1, "done": 1}
    files.save(path, KIND, record, {"halves": wrong})
    assert np.array_equal(count_joint(cards(), path).halves, joint().halves)
    whole = path.read_bytes()
    for damaged in (whole[:-8] + b"8 bytes!", whole[:-100]):
        path.write_bytes(damaged)
        with pytest.warns(UserWarning, match="is damaged.* are counted again"):
            found = count_joint(cards(), path)
        assert np.array_equal(found.halves, joint().halves)


@pytest.mark.parametrize("lie", [{"done": -1}, {"done": 10**9}, {"done": "all"}, {"boards": None}])
def test_counts_that_lie_are_not_believed(tmp_path: Path, lie: dict[str, object]) -> None:
    path = tmp_path / "counts"
    count_joint(cards(), path)
    record, arrays = files.load(path, KIND)
    files.save(path, KIND, record | lie, arrays)
    with pytest.warns(UserWarning, match="are counted again"):
        assert np.array_equal(count_joint(cards(), path).halves, joint().halves)
    files.save(path, KIND, record, {"halves": -arrays["halves"]})
    with pytest.warns(UserWarning, match=r"halves holds -\d+.* are counted again"):
        assert np.array_equal(count_joint(cards(), path).halves, joint().halves)


def test_imperfect_recall_is_refused() -> None:
    forgetful = replace(cards(), plan=replace(cards().plan, perfect_recall=False))
    with pytest.raises(AbstractionError, match="imperfect recall: joint matrices need perfect"):
        count_joint(forgetful)


def test_single_precision_rounds_the_same_matrices() -> None:
    exact, rounded = joint().street(3), Joint(joint().halves, joint().parents).street(3, np.float32)
    for one, other in zip(exact, rounded, strict=True):
        assert other.dtype == np.float32
        assert np.array_equal(one.astype(np.float32), other)

"""Buckets by kinds of boards: kinds against plain counting, lookups, files, bad textures."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from endspiel.abstraction.abstraction import DEAD, Abstraction, load_abstraction
from endspiel.abstraction.boards import some_boards
from endspiel.abstraction.errors import AbstractionError
from endspiel.abstraction.kinds import board_kind, kinds_of, num_kinds
from endspiel.abstraction.pipeline import make_abstraction
from endspiel.abstraction.plan import Detail, Plan, parse_textures
from endspiel.abstraction.streets import ClusteringEffort
from endspiel.abstraction.textures import kind_shares, with_textures
from endspiel.abstraction.work import Store, Workers
from endspiel.cards.deck import hand_cards
from endspiel.cards.text import parse_cards

PLAN = Plan((169, 8, 6, 5), False, Detail(5, 6, 5), ClusteringEffort(300, 1), textures=(2, 1, 1))


@pytest.fixture(scope="module")
def plain() -> Abstraction:
    plan = replace(PLAN, textures=(0, 0, 0))
    return make_abstraction(plan, some_boards(3), Store(None), Workers())


@pytest.fixture(scope="module")
def textured(plain: Abstraction) -> Abstraction:
    return with_textures(plain, PLAN.textures)


def kind(text: str, texture: int) -> int:
    return int(board_kind(np.array(parse_cards(text), np.uint8), texture))


def suits_and_pairs(board: Sequence[int]) -> tuple[int, int]:
    """What texture 1 sees of a board, counted plainly."""
    suited = Counter(card % 4 for card in board).most_common(1)[0][1]
    paired = len(board) - len({card // 4 for card in board})
    if len(board) == 5:
        return min(max(suited, 2), 4), min(paired, 2)
    return suited, min(paired, 1)


@pytest.mark.parametrize("cards", [3, 4, 5])
def test_kinds_tell_suits_and_pairs_and_nothing_else(cards: int) -> None:
    rng = np.random.default_rng(cards)
    boards = np.array([rng.choice(52, cards, replace=False) for _ in range(3000)], np.uint8)
    kinds = kinds_of(boards, 1).tolist()
    seen = [suits_and_pairs(board) for board in boards.tolist()]
    assert len(set(zip(kinds, seen, strict=True))) == len(set(kinds)) == len(set(seen))
    assert 0 <= min(kinds) <= max(kinds) < num_kinds(cards - 2, 1)
    assert set(kinds_of(boards, 0).tolist()) == {0}


def test_flops_by_ranks() -> None:
    flops = np.array(list(combinations(range(0, 52), 3)), np.uint8)
    kinds = kinds_of(flops, 2)
    assert kinds.min() >= 0
    assert kinds.max() < num_kinds(1, 2)
    assert len(np.unique(kinds)) > 50
    # What ranks tell apart: the highest, the next, what lies within a straight; and suits.
    assert kind("Ah 9d 2c", 2) == kind("As 8d 3c", 2)
    others = ("Kh 9d 2c", "Ah Td 2c", "Ah 4d 2c", "Ah 9h 2c", "Ah 9h 2h", "Ah 9d 9c", "9h 9d 2c")
    assert len({kind(text, 2) for text in ("Ah 9d 2c", *others)}) == 8
    assert kind("Qh Qd 2c", 2) == kind("Kh Kd 2c", 2) != kind("Jh Jd 2c", 2)
    assert kind("7h 7d 7c", 2) == kind("8h 8d 2c", 2) != kind("8h 8d 9c", 2)


def test_buckets_are_those_without_textures_by_kind(
    plain: Abstraction, textured: Abstraction
) -> None:
    assert textured.sizes == (169, 8 * 78, 6 * 8, 5 * 9)
    rng = np.random.default_rng(4)
    for abstraction in (textured, textured.compact()):
        for row in rng.choice(len(plain.boards.turns), 8, replace=False):
            turn = plain.boards.turns[row].tolist()
            river = [*turn, int(rng.choice(sorted(set(range(52)) - set(turn))))]
            for street, cards in ((1, 3), (2, 4), (3, 5)):
                board = river[:cards]
                own, bare = abstraction.board_buckets(board), plain.board_buckets(board)
                live = bare != DEAD
                assert (own[~live] == DEAD).all()
                of = int(board_kind(np.array(board, np.uint8), PLAN.textures[street - 1]))
                assert (own[live] == bare[live] + of * PLAN.branching[street]).all()
                hand = int(rng.choice(np.flatnonzero(live)))
                hole = hand_cards()[hand].tolist()
                assert abstraction.bucket(street, hole, river) == own[hand]


def test_masses_are_shared_out_by_kind(plain: Abstraction, textured: Abstraction) -> None:
    shares = kind_shares(plain.boards, PLAN.textures)
    for name, share in zip(("flop", "turn", "river"), shares, strict=True):
        before, after = getattr(plain, name).mass, getattr(textured, name).mass
        found = after.reshape(len(share), -1)
        assert share.sum() == pytest.approx(1)
        assert found.sum(axis=0) == pytest.approx(before, abs=len(share))
        assert found.sum(axis=1) == pytest.approx(share * before.sum(), abs=len(before))
    counts: Counter[int] = Counter()
    for turn, weight in zip(
        plain.boards.turns.tolist(), plain.boards.turn_weight.tolist(), strict=True
    ):
        for card in set(range(52)) - set(turn):
            counts[int(board_kind(np.array([*turn, card], np.uint8), 1))] += weight
    total = sum(counts.values())
    assert shares[2] == pytest.approx([counts[k] / total for k in range(num_kinds(3, 1))])


def test_files_keep_textures(textured: Abstraction, tmp_path: Path) -> None:
    textured.save(tmp_path / "cards.abs")
    again = load_abstraction(tmp_path / "cards.abs")
    assert again.plan == textured.plan
    board = textured.boards.turns[5].tolist()
    assert (again.board_buckets(board) == textured.board_buckets(board)).all()


def test_without_textures_nothing_changes(plain: Abstraction) -> None:
    assert with_textures(plain, (0, 0, 0)) is plain
    assert "textures" not in plain.plan.record()


def test_textures_that_there_are_not() -> None:
    with pytest.raises(
        AbstractionError, match="textures 1-2-1: flop, turn and river have 0 to 2-1-1"
    ):
        replace(PLAN, textures=(1, 2, 1))
    for given, written in (((1, 1), "1-1"), ((1, 1, 1, 1), "1-1-1-1"), ((), "")):
        sentence = f"textures {written}: give three numbers, for flop, turn and river"
        with pytest.raises(AbstractionError, match=sentence):
            replace(PLAN, textures=given)
    with pytest.raises(AbstractionError, match="textures are of imperfect recall"):
        replace(PLAN, branching=(8, 3, 2, 2), perfect_recall=True)
    with pytest.raises(AbstractionError, match="write three digits, flop to river, like 1-1-1"):
        parse_textures("1-1")
    assert parse_textures("2-1-0") == (2, 1, 0)

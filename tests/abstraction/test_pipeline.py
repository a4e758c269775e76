"""Whole abstractions of a few flops: recall, symmetry, files, resuming; all flops when slow."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from endspiel.abstraction.abstraction import DEAD, Abstraction, load_abstraction
from endspiel.abstraction.boards import Boards, all_boards, some_boards
from endspiel.abstraction.errors import AbstractionError
from endspiel.abstraction.pipeline import make_abstraction, memory_bytes
from endspiel.abstraction.plan import Detail, Plan, parse_branching
from endspiel.abstraction.report import format_report, quality
from endspiel.abstraction.streets import ClusteringEffort
from endspiel.abstraction.work import Store, Workers
from endspiel.cards.deck import NUM_HANDS, hand_cards, hand_index
from endspiel.cards.equity import equities
from endspiel.cards.isomorphism import suit_permutations
from endspiel.cards.text import parse_cards
from endspiel.errors import CardError, EndspielError, FileError
from endspiel.progress import Progress

PLAN = Plan((4, 3, 2, 3), detail=Detail(9, 12, 10), effort=ClusteringEffort(500, 1))


@pytest.fixture(scope="module")
def boards() -> Boards:
    return some_boards(4)


@pytest.fixture(scope="module")
def made(boards: Boards) -> Abstraction:
    return make_abstraction(PLAN, boards, Store(None), Workers())


@pytest.fixture(scope="module")
def forgetful(boards: Boards) -> Abstraction:
    plan = replace(PLAN, branching=(169, 40, 30, 20), perfect_recall=False)
    return make_abstraction(plan, boards, Store(None), Workers())


def rivers(boards: Boards, count: int) -> list[list[int]]:
    rng = np.random.default_rng(0)
    found = []
    for row in rng.choice(len(boards.turns), count, replace=False):
        turn = boards.turns[row].tolist()
        found.append([*turn, int(rng.choice(sorted(set(range(52)) - set(turn))))])
    return found


def test_sizes_stay_within_the_budget_and_all_deals_are_counted(made: Abstraction) -> None:
    assert made.sizes == (4, 12, 24, 72)
    turns = made.boards.turn_weight.sum()
    assert made.flop.mass.sum() == made.boards.flop_weight.sum() * 49 * 48 // 2
    assert made.turn.mass.sum() == turns * 48 * 47 // 2
    assert made.river.mass.sum() == turns * 48 * 47 * 46 // 2
    assert min(level.mass.min() for level in (made.preflop, made.flop, made.turn)) > 0


def test_a_bucket_tells_the_bucket_before(made: Abstraction) -> None:
    for board in rivers(made.boards, 6):
        before = made.board_buckets([])
        for street, cards in ((1, 3), (2, 4), (3, 5)):
            buckets = made.board_buckets(board[:cards])
            live = buckets != DEAD
            assert live.sum() == (52 - cards) * (51 - cards) // 2
            assert (made.parents(street)[buckets[live]] == before[live]).all()
            before = buckets


def test_suits_do_not_matter(made: Abstraction, forgetful: Abstraction) -> None:
    hands = hand_cards().astype(int)
    for abstraction in (made, forgetful):
        for board in rivers(made.boards, 3):
            for suits in suit_permutations()[[1, 9, 23]]:
                renamed = hands - hands % 4 + suits[hands % 4]
                to = [hand_index(*pair) for pair in renamed.tolist()]
                moved = [card - card % 4 + int(suits[card % 4]) for card in board]
                moved = [*sorted(moved[:3], reverse=True), *moved[3:]]
                for cards in (3, 4, 5):
                    here = abstraction.board_buckets(board[:cards])
                    assert (abstraction.board_buckets(moved[:cards])[to] == here).all()


def test_river_buckets_are_intervals_of_equity(made: Abstraction, forgetful: Abstraction) -> None:
    for board in rivers(made.boards, 4):
        equity = equities(np.ones(NUM_HANDS), board)
        nodes = made.board_buckets(board[:4])
        for abstraction, above in ((made, nodes), (forgetful, np.zeros_like(nodes))):
            buckets = abstraction.board_buckets(board)
            live = np.flatnonzero(buckets != DEAD)
            order = live[np.lexsort((equity[live], above[live]))]
            assert (np.diff(buckets[order].astype(int)) >= 0).all()


def test_one_hand_is_looked_up_like_all(made: Abstraction) -> None:
    for abstraction in (made, made.compact()):
        for board in rivers(made.boards, 2):
            for hand in range(0, NUM_HANDS, 97):
                hole = hand_cards()[hand].tolist()
                if set(hole) & set(board):
                    continue
                for street, cards in enumerate((0, 3, 4, 5)):
                    expected = made.board_buckets(board[:cards])[hand]
                    assert abstraction.bucket(street, hole, board) == expected


def test_a_compact_abstraction_computes_the_same_buckets(
    made: Abstraction, forgetful: Abstraction
) -> None:
    for abstraction in (made, forgetful):
        compact = abstraction.compact()
        assert compact.is_compact
        for board in rivers(made.boards, 12):
            for cards in (4, 5):
                same = compact.board_buckets(board[:cards]) == abstraction.board_buckets(
                    board[:cards]
                )
                assert same.all()


def test_imperfect_recall_has_the_buckets_asked_for(forgetful: Abstraction) -> None:
    assert forgetful.sizes == (169, 40, 30, 20)
    assert sorted(forgetful.preflop.buckets.tolist()) == list(range(169))
    with pytest.raises(AbstractionError, match="imperfect recall"):
        forgetful.parents(2)


def test_hands_are_nearer_to_their_own_bucket(made: Abstraction) -> None:
    # The streets' errors fall as buckets are added: one bucket each is the worst.
    worst = quality(made)["streets"]["river"]
    assert 0 < worst["distance"] < 0.2
    assert worst["distance"] <= worst["distance_equal_branching"] + 1e-9


def test_threads_do_not_change_the_result(made: Abstraction, boards: Boards) -> None:
    again = make_abstraction(PLAN, boards, Store(None), Workers(2))
    assert (again.turn.buckets == made.turn.buckets).all()
    assert (again.river.limit == made.river.limit).all()


def test_a_stopped_run_goes_on(made: Abstraction, boards: Boards, tmp_path: Path) -> None:
    def stop(progress: Progress) -> None:
        if progress.what == "turn: clustering":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_abstraction(PLAN, boards, Store(tmp_path), Workers(1, stop))
    assert (tmp_path / "flop").exists()
    (tmp_path / "flop-clusters").write_bytes(b"half a file")
    stages: list[str] = []
    store = Store(tmp_path)
    with pytest.warns(UserWarning, match="flop-clusters is damaged .* it is made again"):
        again = make_abstraction(
            PLAN, boards, store, Workers(1, lambda one: stages.append(one.what))
        )
    assert "equities of turn hands" not in stages
    assert "flop: clustering" not in stages
    assert "potential of the flop: clustering" in stages
    assert (again.turn.buckets == made.turn.buckets).all()

    # Another branching uses what does not depend on it, and nothing else.
    stages.clear()
    other = replace(PLAN, branching=(4, 2, 2, 2))
    plain = make_abstraction(other, boards, Store(None), Workers())
    kept = make_abstraction(other, boards, store, Workers(1, lambda one: stages.append(one.what)))
    assert "equities of turn hands" not in stages
    assert "flop: clustering" in stages
    assert (kept.turn.buckets == plain.turn.buckets).all()
    store.clear()
    assert not tmp_path.exists()


def test_files_give_back_the_same_abstraction(
    made: Abstraction, forgetful: Abstraction, tmp_path: Path
) -> None:
    path = tmp_path / "a.endspiel"
    for abstraction in (made, forgetful, made.compact()):
        abstraction.save(path)
        loaded = load_abstraction(path)
        assert loaded.plan == abstraction.plan
        assert loaded.sizes == abstraction.sizes
        assert loaded.is_compact == abstraction.is_compact
        for board in rivers(made.boards, 3):
            for cards in (0, 3, 4, 5):
                same = loaded.board_buckets(board[:cards]) == abstraction.board_buckets(
                    board[:cards]
                )
                assert same.all()
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(FileError):
        load_abstraction(path)


def test_the_report_names_every_starting_hand(made: Abstraction) -> None:
    text = format_report(made)
    preflop = [line for line in text.splitlines() if line.startswith("preflop ") and ":" in line]
    assert sum(len(line.split(": ")[1].split()) for line in preflop) == 169
    assert " on " in text
    assert "river under turn bucket" in text


def test_bad_requests_are_refused(made: Abstraction) -> None:
    for text in ("8-12-4", "8-12-4-4-4", "eight", "8-12--4"):
        with pytest.raises(AbstractionError, match="four numbers"):
            parse_branching(text)
    with pytest.raises(AbstractionError, match="1 or more"):
        Plan((8, 0, 4, 4))
    with pytest.raises(AbstractionError, match="169 different"):
        Plan((170, 1, 1, 1))
    with pytest.raises(AbstractionError, match="there can be 65534"):
        Plan((169, 100, 10, 10))
    with pytest.raises(AbstractionError, match="1981 values"):
        Plan((169, 5000, 5000, 5000), perfect_recall=False)
    with pytest.raises(AbstractionError, match="turn_clusters is 1001"):
        Detail(turn_clusters=1001)
    with pytest.raises(AbstractionError, match="river_bins is 256"):
        Detail(river_bins=256)
    board = rivers(made.boards, 1)[0]
    with pytest.raises(CardError, match="repeated"):
        made.bucket(1, board[:2], board)
    with pytest.raises(AbstractionError, match="on the turn has 2 cards and 4 on the board"):
        made.bucket(2, [0, 1], board[:3])
    with pytest.raises(AbstractionError, match="street 4"):
        made.bucket(4, [0, 1], board)


@pytest.mark.slow
def test_all_flops(tmp_path: Path) -> None:
    plan = Plan(parse_branching("8-4-3-3"))
    made = make_abstraction(plan, all_boards(), Store(None), Workers(2))
    assert made.sizes == (8, 32, 96, 288)
    assert made.river.mass.sum() == 22100 * 49 * 48 * 47 * 46 // 2
    # Both win about 60% against a random hand, and are played very differently.
    queen_jack, fives = made.bucket(0, parse_cards("QsJs")), made.bucket(0, parse_cards("5c5d"))
    assert queen_jack != fives
    compact = made.compact()
    path = tmp_path / "compact.endspiel"
    compact.save(path)
    assert path.stat().st_size < 3_000_000
    loaded = load_abstraction(path)
    for board in rivers(made.boards, 50):
        for cards in (3, 4, 5):
            buckets = loaded.board_buckets(board[:cards])
            assert (buckets == made.board_buckets(board[:cards])).all()


def test_too_little_memory_is_told_beforehand(monkeypatch: pytest.MonkeyPatch) -> None:
    boards, store = some_boards(2), Store(None)
    monkeypatch.setattr("endspiel.solvers.memory.available_memory", lambda: 10**8)
    with pytest.raises(EndspielError, match=r"abstraction 30-30-30-2 needs 859 MB"):
        make_abstraction(Plan((30, 30, 30, 2)), boards, store, Workers())
    assert 2.6e9 < memory_bytes(Plan((8, 12, 4, 4)), len(all_boards().turns), 2) < 3.4e9

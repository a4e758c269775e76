"""Reports over many boards: rows as solved one by one, means as recomputed, boards as counted."""

import csv
import re
from collections import Counter
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import endspiel as es
import endspiel.executor.executor as executor_module
from endspiel.batch.boards import (
    WeightedBoard,
    all_flops,
    range_symmetry,
    read_flops,
    report_flops,
    report_runouts,
)
from endspiel.batch.planning import SpotMethod
from endspiel.batch.report import BoardReport, report_row
from endspiel.batch.report_files import page, write_report_csv
from endspiel.batch.running import BatchSetting
from endspiel.cards.deck import hand_cards
from endspiel.cards.equity import hand_equity, range_equity
from endspiel.cards.isomorphism import hand_permutations, suit_permutations
from endspiel.cards.text import parse_cards
from endspiel.engine.limits import Limits
from endspiel.errors import EndspielError
from endspiel.games.spot import Spot, parse_spot
from endspiel.solving.spots import SpotOptions
from tests.batch.rivers import flop, flop_content

FLOPS = ("Qs Jh 2h", "Ks 7h 2d", "9s 8s 7s")
TURNS = ("Qs Jh 2h 4c", "Ks 7h 2d 2c", "9s 8s 7s Ks")  # a fraction of a flop's work


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is: what is patched or counted here is not in other processes."""
    monkeypatch.setattr(executor_module, "PATIENCE", 600.0)


def boards(*texts: str, weights: tuple[float, ...] = (3.0, 1.0, 2.5)) -> list[WeightedBoard]:
    pairs = zip(texts, weights, strict=False)
    return [WeightedBoard(tuple(parse_cards(text)), weight) for text, weight in pairs]


def made(
    spot: Spot, on: list[WeightedBoard], node: str = "", state: Path | None = None, steps: int = 20
) -> BoardReport:
    how = SpotMethod(None, SpotOptions(), Limits(iterations=steps))
    report = BoardReport(spot, on, how, BatchSetting(2, "cpu", state), node)
    report.run()
    assert not report.failures
    return report


def turn(ranges: tuple[str, str] = ("AA,KQs,76s", "QQ,AJs,98s"), bet: str = "50%") -> Spot:
    content = flop_content("Qs Jh 2h 4c", ranges)
    return parse_spot(content | {"turn": {"bet": bet}, "river": {"bet": ["", bet]}})


@pytest.mark.parametrize(("node", "on"), [("", FLOPS[:2]), ("c", FLOPS[2:])])
def test_a_row_is_that_board_solved_alone(node: str, on: tuple[str, ...]) -> None:
    report = made(flop(), boards(*on), node)
    assert [row["board"] for row in report.rows] == list(on)
    for row, text in zip(report.rows, on, strict=True):
        alone = es.solve(flop(text), iterations=20)
        assert row["exploitability"] == alone.exploitability
        view = alone.view(node)
        assert row["frequencies"] == pytest.approx(
            dict(zip(view.actions, view.strategy @ view.weight, strict=True))
        )
        own = 0 if node == "" else 1
        assert row["evs"][own] == pytest.approx(float(view.weight @ view.ev))
        assert row["equities"][own] == pytest.approx(float(view.weight @ view.equity))


def test_expectations_are_of_the_whole_pot() -> None:
    alone = es.solve(turn(), iterations=50)
    row = report_row(alone)
    assert row["evs"] == pytest.approx([100 * (0.5 + alone.value), 100 * (0.5 - alone.value)])
    assert row["eqrs"] == pytest.approx(
        [ev / (100 * equity) for ev, equity in zip(row["evs"], row["equities"], strict=True)]
    )
    assert row["reach"] == pytest.approx(1.0)
    after = report_row(alone, "b50")
    assert sum(after["evs"]) == pytest.approx(150)
    assert after["player"] == 1
    assert after["reach"] == pytest.approx(row["frequencies"]["b50"])


def test_equities_are_those_of_hands_against_hands() -> None:
    spot = flop(ranges=("AcAd,7s6s", "QcQh:0.5,AdJd"))
    row = report_row(es.solve(spot, iterations=1))
    won = total = 0.0
    for one in np.flatnonzero(spot.weights[0]):
        for two in np.flatnonzero(spot.weights[1]):
            a, b = (hand_cards()[hand].tolist() for hand in (one, two))
            if not set(a) & set(b):
                weight = spot.weights[0, one] * spot.weights[1, two]
                won += weight * hand_equity(a, b, spot.board)
                total += weight
    assert total == pytest.approx(2.0)
    assert row["equities"] == pytest.approx([won / total, 1 - won / total])
    assert row["pairs"] == pytest.approx(total)


def test_the_mean_is_that_of_the_rows() -> None:
    report = made(turn(), boards(*TURNS), "c")
    weights = np.array([3.0, 1.0, 2.5])
    dealt = weights * [row["pairs"] * row["reach"] for row in report.rows]
    assert not np.allclose(dealt / dealt.sum(), weights / weights.sum())
    for mean, share in (
        (report.mean, weights / weights.sum()),
        (report.mean_dealt, dealt / dealt.sum()),
    ):
        for name in ("evs", "equities"):
            table = np.array([row[name] for row in report.rows])
            assert mean[name] == pytest.approx((share @ table).tolist())
        for word in ("c", "b50"):
            found = share @ [row["frequencies"][word] for row in report.rows]
            assert mean["frequencies"][word] == pytest.approx(found)
        gaps = [row["exploitability"] for row in report.rows]
        assert mean["exploitability"] == pytest.approx(share @ gaps)
        assert mean["eqrs"][0] == pytest.approx(mean["evs"][0] / (100 * mean["equities"][0]))


@pytest.mark.parametrize(("spot", "street"), [(turn(), "river"), (flop(), "turn")])
def test_the_mean_of_all_deals_is_the_equity_before_them(spot: Spot, street: str) -> None:
    """Wherever a card comes from, chances are what they were before it came."""
    report = made(spot, report_runouts("all", spot, street), steps=1)
    found = range_equity(*spot.weights, spot.board)
    assert report.mean_dealt["equities"] == pytest.approx([found.equity, 1 - found.equity])


def test_without_bets_the_pot_is_shared_by_equity() -> None:
    row = made(turn(bet=""), boards(TURNS[1]), steps=1).rows[0]
    assert row["evs"] == pytest.approx([100 * share for share in row["equities"]], rel=1e-5)
    assert row["eqrs"] == pytest.approx([1.0, 1.0], rel=1e-5)


def test_a_relabeling_of_suits_changes_nothing() -> None:
    """Ranges with suits of their own, moved together with the flops."""
    spot = turn(("AA,KhQh,7s6s", "QQ,AJs,9h8h"))
    number = 17
    image, suits = hand_permutations()[number], suit_permutations()[number]
    ranges = tuple(np.zeros(1326) for _ in range(2))
    for moved, weights in zip(ranges, spot.ranges, strict=True):
        moved[image] = weights
    other = Spot(spot.board, spot.pot, spot.stack, (ranges[0], ranges[1]), spot.sizing)
    on = boards(*TURNS)
    moved_on = [
        WeightedBoard(tuple(4 * (c >> 2) + int(suits[c & 3]) for c in b.cards), b.weight)
        for b in on
    ]
    plain, moved_report = made(spot, on, steps=200), made(other, moved_on, steps=200)
    for a, b in zip(plain.rows, moved_report.rows, strict=True):
        assert a["equities"] == pytest.approx(b["equities"])
        # Sums in another order round otherwise, which a choice between equals can make visible.
        assert a["evs"] == pytest.approx(b["evs"], abs=0.2)
        assert a["frequencies"] == pytest.approx(b["frequencies"], abs=0.02)


def test_all_flops_are_counted_up_to_suits() -> None:
    found = report_flops("all", flop())
    assert len(found) == 1755
    assert sum(board.weight for board in found) == 22_100
    assert sum(spot.weight for spot in found if len({c & 3 for c in spot.cards}) == 1) == 4 * 286


@pytest.mark.parametrize("text", ["AA,KhQh", "AA,KhQh,KsQs", "AcKd"])
def test_flops_of_ranges_with_suits_are_told_apart(text: str) -> None:
    """Counted by brute force: flops that some relabeling swaps while it keeps the ranges."""
    spot = flop(ranges=(text, "QQ,JJ"))
    weights = spot.ranges[0]
    keeping = []
    for suits in permutations(range(4)):
        moved = {
            frozenset(4 * (c >> 2) + suits[c & 3] for c in hand.tolist())
            for hand, weight in zip(hand_cards(), weights, strict=True)
            if weight
        }
        held = {
            frozenset(hand.tolist())
            for hand, weight in zip(hand_cards(), weights, strict=True)
            if weight
        }
        if moved == held:
            keeping.append(suits)
    assert len(range_symmetry(spot)) == len(keeping) < 24
    classes = Counter(
        min(tuple(sorted(4 * (c >> 2) + suits[c & 3] for c in cards)) for suits in keeping)
        for cards in combinations(range(52), 3)
    )
    found = all_flops(range_symmetry(spot))
    assert {tuple(sorted(board.cards)): board.weight for board in found} == classes
    with pytest.raises(EndspielError, match="treat all suits alike"):
        report_flops("25", spot)


def test_runouts_are_counted_up_to_suits() -> None:
    spot = flop("9s 8s 7s")
    turns = report_runouts("all", spot, "turn")
    assert sum(board.weight for board in turns) == 49
    assert len(turns) == 10 + 13  # spades, and any other suit
    named = report_runouts("Ah 2c", spot, "turn")
    assert [(board.name, board.weight) for board in named] == [
        ("9s 8s 7s Ah", 1.0),
        ("9s 8s 7s 2c", 1.0),
    ]
    rivers = report_runouts("all", turn(), "river")
    assert sum(board.weight for board in rivers) == 48
    with pytest.raises(EndspielError, match="9s cannot be dealt: it is on the board 9s 8s 7s"):
        report_runouts("9s", spot, "turn")
    with pytest.raises(EndspielError, match="a river follows 4 cards"):
        report_runouts("all", spot, "river")


def test_a_file_of_flops(tmp_path: Path) -> None:
    path = tmp_path / "flops.txt"
    path.write_text("# mine\nQs Jh 2h\n\nKsKhKd  # three\n9s8s7s\nAs 7h 2d\n")
    found = read_flops(str(path), range_symmetry(flop()))
    assert [(board.name, board.weight) for board in found] == [
        ("Qs Jh 2h", 12.0),
        ("Ks Kh Kd", 4.0),
        ("9s 8s 7s", 4.0),
        ("As 7h 2d", 24.0),
    ]
    path.write_text("QsJh2h:0.5\nAs 7h 2d 1e2\n")
    found = read_flops(str(path), range_symmetry(flop()))
    assert [board.weight for board in found] == [0.5, 100.0]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Qs Jh 2h\nQs Jx 2h", "line 2: no card 'Jx'"),
        ("Qs Jh 2h\n\nQd Jc 2c", "line 3: 'Qd Jc 2c' is the flop of line 1, up to suits"),
        ("Qs Jh 2h 0", "line 1: a flop's weight is a number above 0, not 0"),
        ("Qs Jh 2h -3", "line 1: a flop's weight is a number above 0, not -3"),
        ("Qs Jh 2h nan", "line 1: a flop's weight is a number above 0, not nan"),
        ("Qs Jh 2h 4\nQs Jh 3h", "line 2: either all flops have a weight or none"),
        ("Qs Jh", "line 1: a flop has three cards, 'Qs Jh' has 2"),
        ("Qs Jh 2h 4c", "line 1: a flop has three cards, 'Qs Jh 2h 4c' has 4"),
        ("Qs Qs 2h", "line 1: card Qs .* is repeated"),
        ("12", "line 1: a flop has three cards, '12' has 0"),
        ("# nothing", "names no flop"),
    ],
)
def test_a_file_that_is_none(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "flops.txt"
    path.write_text(text)
    with pytest.raises(EndspielError, match=sentence):
        read_flops(str(path), range_symmetry(flop()))


def test_a_report_goes_on_from_its_state(tmp_path: Path) -> None:
    state = tmp_path / "state"
    first = made(turn(), boards(*TURNS[:2]), "c", state)
    again = made(turn(), boards(*TURNS), "c", state)
    results = again.batch.results
    assert [one.resumed for one in results if one] == [True, True, False]
    assert again.rows[:2] == first.rows
    other = made(turn(), boards(*TURNS), "", state)  # another node is another report
    assert not any(one.resumed for one in other.batch.results if one)


def test_refusals() -> None:
    def refused(spot: Spot, on: list[WeightedBoard], node: str = "") -> str:
        with pytest.raises(EndspielError) as caught:
            made(spot, on, node)
        return str(caught.value)

    assert "on As Ah Ad: the range out of position has no hand" in refused(
        flop(ranges=("AA", "QQ")), boards("Qs Jh 2h", "As Ah Ad")
    )
    assert "comes before any card is dealt" in refused(flop(), boards(*FLOPS), "c c / 8h")
    assert "no 'b77'" in refused(flop(), boards(*FLOPS), "b77")
    with pytest.raises(
        EndspielError, match="there is no set of 26 flops: sets are 25, 49, 95, 184"
    ):
        report_flops("26", flop())
    with pytest.raises(EndspielError, match="there is no file nowhere"):
        report_flops("nowhere", flop())


def test_memory_is_planned_by_the_largest_board() -> None:
    on = boards("9s 8s 7s", "Ks 7h 2d", "Kc 7c 2d")
    report = made(flop(), on, steps=1)
    sizes = [es.solve(flop(board.name), iterations=1).memory_bytes for board in on]
    largest, next_largest = sorted(sizes, reverse=True)[:2]
    planned = report.batch.plan.memory_bytes
    assert largest + next_largest <= planned <= 2 * 1.06 * largest


def table(report: BoardReport, path: Path) -> list[dict[str, str]]:
    write_report_csv(path, report.rows, report.mean, "turn")
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_the_table_has_the_same_numbers(tmp_path: Path) -> None:
    report = made(turn(), boards(*TURNS))
    rows = table(report, tmp_path / "report.csv")
    assert [row["turn"] for row in rows] == [*TURNS, "mean"]
    for told, row in zip(rows, [*report.rows, report.mean], strict=True):
        assert float(told["b50"]) == row["frequencies"]["b50"]
        assert [float(told[f"EV {p}"]) for p in ("OOP", "IP")] == row["evs"]
        assert [float(told[f"equity {p}"]) for p in ("OOP", "IP")] == row["equities"]


def test_the_page_stands_alone() -> None:
    report = made(turn(), boards(*TURNS))
    about: dict[str, Any] = {"first": "turn", "title": "3 <flops>", "in position": "A&B"}
    text = page(report.rows, report.mean, about)
    assert "<title>3 &lt;flops&gt;</title>" in text
    assert "A&amp;B" in text
    assert not re.search(r"https?://|src=|href=", text)
    values = re.findall(r'data-value="([^"]*)"', text)
    assert repr(100 * report.rows[1]["equities"][0]) in values
    assert len(re.findall("<tr>", text)) == 1 + 3 + 1

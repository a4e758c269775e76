"""What sessions answer about solved trees, against the library's own numbers and by hand."""

from collections.abc import Iterator

import numpy as np
import pytest

import endspiel as es
from endspiel.cards.equity import hand_equity
from endspiel.cards.text import parse_board, parse_hand
from tests.upi.talk import Talk

RIVER = "Qs Jh 2h 4c 7d"
RANGES = ("AA,TT,KQs,A5s:0.5", "KK,QJs,T9s,88:0.25")
LINES = ("0 100 300", "150 300", "0 300")
STEPS = 60


@pytest.fixture(scope="module")
def river() -> Iterator[Talk]:
    """A river given by lines, solved by some steps."""
    talk = Talk()
    talk.done(
        f"set_board {RIVER}", f"set_range OOP {RANGES[0]}", f"set_range IP {RANGES[1]}",
        "set_pot 0 0 200", "set_eff_stack 300", *(f"add_line {line}" for line in LINES),
        "build_tree", f"go {STEPS} steps", "wait_for_solver",
    )  # fmt: skip
    yield talk
    talk.session.free_tree()


@pytest.fixture(scope="module")
def solved(river: Talk) -> es.SpotSolution:
    """The same spot solved by the library."""
    assert river.session.tree is not None
    return es.solve(river.session.tree.spot, iterations=STEPS, target=0)


def test_hands_are_ordered_by_the_higher_card(river: Talk) -> None:
    order = river.order()
    assert order[:4] == ["2d2c", "2h2c", "2h2d", "2s2c"]
    assert order[-1] == "AsAh"
    assert len(set(order)) == 1326
    cards = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]
    assert order == [cards[i] + cards[j] for i in range(52) for j in range(i)]


@pytest.mark.parametrize(
    ("name", "line", "player"),
    [
        ("r:0", "", "OOP"),
        ("r:0:c", "c", "IP"),
        ("r:0:c:b100", "c b100", "OOP"),
        ("r:0:b150:b300", "b150 r300", "OOP"),
    ],
)
def test_a_decision_is_the_librarys(
    name: str, line: str, player: str, river: Talk, solved: es.SpotSolution
) -> None:
    view, order = solved.view(line), river.order()
    spent = {"r:0:b150:b300": 150}.get(name, 0)
    shares = river.rows(f"show_strategy {name}")
    evs, weights = river.rows(f"calc_ev {player} {name}")
    equities = river.ask(f"calc_eq_node {player} {name}")
    assert len(shares) == len(view.actions)
    for k, hand in enumerate(view.hands):
        text = order[hand]
        played = solved.strategy(line, text)
        assert shares[:, hand] == pytest.approx(list(reversed(played.values())), abs=1e-8)
        assert evs[hand] == pytest.approx(solved.ev(line, text) - spent, abs=1e-5)
        assert float(equities[0].split()[hand]) == pytest.approx(solved.equity(line, text))
        assert weights[hand] == pytest.approx(view.reach[k] * view.met[k])
    assert float(equities[2]) == pytest.approx(view.mean(view.equity))
    others = np.setdiff1d(np.arange(1326), view.hands)
    assert np.isnan(evs[others]).all()
    assert not shares[:, others].any()


def test_children_and_strategies_go_together(river: Talk) -> None:
    names = [line for line in river.ask("show_children r:0:c") if line.startswith("r:")]
    assert names == ["r:0:c:b300", "r:0:c:b100", "r:0:c:c"]
    names = [line for line in river.ask("show_children r:0:c:b100") if line.startswith("r:")]
    assert names == ["r:0:c:b100:b300", "r:0:c:b100:c", "r:0:c:b100:f"]
    assert len(river.ask("show_strategy r:0:c:b100")) == 3


def children(talk: Talk, name: str) -> list[str]:
    return [line for line in talk.ask(f"show_children {name}") if line.startswith("r:")]


def by_hand(talk: Talk, name: str, own: int, other: int, player: int) -> float:
    """Chips from a node on, of one pair of hands, by the answers about strategies."""
    _, kind, board, pot, _, _ = talk.ask(f"show_node {name}")
    spent, start = [int(chips) for chips in pot.split()[:2]], int(pot.split()[2])
    if kind == "END_NODE":
        if name.endswith(":f"):
            folder = spent.index(min(spent))
            return -spent[player] if folder == player else start + spent[1 - player]
        order = talk.order()
        share = hand_equity(parse_hand(order[own]), parse_hand(order[other]), parse_board(board))
        return share * (start + sum(spent)) - spent[player]
    decider = 0 if kind == "OOP_DEC" else 1
    shares = talk.rows(f"show_strategy {name}")[:, own if decider == player else other]
    total = 0.0
    for share, child in zip(shares, children(talk, name), strict=True):
        if share > 0:
            total += share * by_hand(talk, child, own, other, player)
    return total


@pytest.mark.parametrize(
    ("name", "player"), [("r:0", 1), ("r:0:c", 0), ("r:0:b150", 0), ("r:0:c:b100", 1)]
)
def test_the_waiting_players_values_are_those_of_all_pairs(
    name: str, player: int, river: Talk
) -> None:
    who = ("OOP", "IP")
    evs, _ = river.rows(f"calc_ev {who[player]} {name}")
    against = river.rows(f"show_range {who[1 - player]} {name}")[0]
    order = river.order()
    for own in np.flatnonzero(~np.isnan(evs))[:2]:
        cards = {order[own][:2], order[own][2:]}
        pairs = [
            (weight, by_hand(river, name, int(own), int(other), player))
            for other, weight in enumerate(against)
            if weight > 0 and not cards & {order[other][:2], order[other][2:]}
        ]
        wanted = sum(w * chips for w, chips in pairs) / sum(w for w, _ in pairs)
        assert evs[own] == pytest.approx(wanted, abs=1e-3)


def test_both_players_values_add_up_to_the_pot_everywhere(river: Talk) -> None:
    for name in river.ask("show_all_lines"):
        (ev0, weight0), (ev1, weight1) = (river.rows(f"calc_ev {p} {name}") for p in ("OOP", "IP"))
        assert weight0.sum() == pytest.approx(weight1.sum())
        if weight0.sum() > 1e-9:
            means = [np.nansum(e * w) / w.sum() for e, w in ((ev0, weight0), (ev1, weight1))]
            assert sum(means) == pytest.approx(200, abs=1e-4), name


def test_frequencies_of_children_add_up(river: Talk) -> None:
    def often(name: str) -> float:
        return float(river.ask(f"calc_global_freq {name}")[0])

    assert often("r:0") == often("r") == pytest.approx(1)
    for name in ("r:0", "r:0:c", "r:0:c:b100"):
        below = [often(child) for child in children(river, name)]
        assert sum(below) == pytest.approx(often(name))


def test_results_are_the_librarys(river: Talk, solved: es.SpotSolution) -> None:
    told = dict(line.split(": ") for line in river.ask("calc_results"))
    chips = {name: float(value) for name, value in told.items()}
    assert list(chips) == ["EV OOP", "EV IP", "OOP's MES", "IP's MES", "Exploitable for"]
    assert chips["EV OOP"] == pytest.approx(200 * (0.5 + solved.value), abs=1e-5)
    assert chips["EV OOP"] + chips["EV IP"] == pytest.approx(200)
    assert chips["Exploitable for"] == pytest.approx(200 * solved.exploitability, abs=1e-5)
    both = chips["OOP's MES"] + chips["IP's MES"] - 200
    assert both / 2 == pytest.approx(chips["Exploitable for"], abs=1e-5)
    evs, weights = river.rows("calc_ev OOP r:0")
    assert np.nansum(evs * weights) / weights.sum() == pytest.approx(chips["EV OOP"], abs=1e-3)


def test_equity_of_what_is_set_needs_no_tree(river: Talk) -> None:
    talk = Talk()
    talk.done(f"set_board {RIVER}", f"set_range 0 {RANGES[0]}", f"set_range 1 {RANGES[1]}")
    wanted = river.rows("calc_ev OOP r:0")[1]
    values, weights = talk.rows("calc_eq OOP")
    assert weights == pytest.approx(wanted)
    assert np.nansum(values * weights) / weights.sum() == pytest.approx(
        float(river.ask("calc_eq_node OOP r:0")[2])
    )


@pytest.fixture(scope="module")
def turn() -> Iterator[Talk]:
    """A turn by bet sizes, boards folded by symmetry."""
    talk = Talk()
    talk.done(
        "set_board QsJs4s2h", "set_range OOP AA,KQs", "set_range IP KK,JTs", "set_pot 100",
        "set_eff_stack 200", 'set_bet_sizes turn "50%" "a"', 'set_bet_sizes river "100%"',
        "build_tree", "go 30 steps", "wait_for_solver",
    )  # fmt: skip
    yield talk
    talk.session.free_tree()


def test_a_dealt_card_is_a_child(turn: Talk) -> None:
    assert turn.ask("show_node r:0:b50:c")[1:5] == [
        "SPLIT_NODE", "Qs Js 4s 2h", "50 50 100", "48 children",
    ]  # fmt: skip
    assert turn.ask("show_node r:0:b50:c:8h")[:4] == [
        "r:0:b50:c:8h", "OOP_DEC", "Qs Js 4s 2h 8h", "50 50 100",
    ]  # fmt: skip
    assert children(turn, "r:0:b50:c:8h") == ["r:0:b50:c:8h:b200", "r:0:b50:c:8h:c"]
    assert len(children(turn, "r:0:c:c")) == 48


def test_values_at_cards_add_up_to_the_pot(turn: Talk) -> None:
    for name in ("r:0:c:c", "r:0:b50:c", "r:0:c:c:8h", "r:0:b50:b200:c", "r:0:b50:b200:c:2s"):
        answers = [turn.rows(f"calc_ev {player} {name}") for player in ("OOP", "IP")]
        means = [np.nansum(evs * weights) / weights.sum() for evs, weights in answers]
        assert sum(means) == pytest.approx(100, abs=1e-3), name


def test_the_root_is_worth_its_children(turn: Talk) -> None:
    """The deciding player's own value is the mean of the children's, a card away or not."""
    evs, _ = turn.rows("calc_ev IP r:0:c")
    shares = turn.rows("show_strategy r:0:c")
    below = [turn.rows(f"calc_ev IP {child}")[0] for child in children(turn, "r:0:c")]
    known = ~np.isnan(evs)
    mean = sum(share * np.nan_to_num(ev) for share, ev in zip(shares, below, strict=True))
    assert mean[known] == pytest.approx(evs[known], abs=1e-2)


def test_a_card_folded_away_by_symmetry_is_the_librarys(turn: Talk) -> None:
    assert turn.session.tree is not None
    solution = turn.session.tree.solution
    order = turn.order()
    assert len(solution.game.tree.streets[1]) < 48
    shares = turn.rows("show_strategy r:0:c:c:9d")
    mirrored = turn.rows("show_strategy r:0:c:c:9c")
    assert shares[:, order.index("KdQd")] == pytest.approx(mirrored[:, order.index("KcQc")])
    for hand in ("AdAc", "KhQh", "AsAh"):
        wanted = list(solution.strategy("c c / 9d", hand).values())[::-1]
        assert shares[:, order.index(hand)] == pytest.approx(wanted, abs=1e-8)


def test_a_way_through_the_tree_multiplies_ranges(turn: Talk) -> None:
    start = turn.rows("show_range OOP r")[0]
    share = turn.rows("show_strategy r:0")[children(turn, "r:0").index("r:0:b50")]
    assert turn.rows("show_range OOP r:0:b50")[0] == pytest.approx(start * share, abs=1e-8)
    dealt = turn.rows("show_range OOP r:0:b50:c:Kh")[0]
    assert dealt[turn.order().index("KhQh")] == 0

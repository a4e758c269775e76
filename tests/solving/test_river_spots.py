"""A user's own river by lp: against the dense twin's program, plain walks, and brute force."""

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import endspiel as es
from endspiel.endgame.river.buckets import divide_line, equity_buckets, kmeans_buckets
from endspiel.endgame.river.exact import SCOUTING, RiverOptions, solve_river
from endspiel.endgame.river.game import num_sequences
from endspiel.endgame.river.river import River
from endspiel.engine.limits import Limits
from endspiel.errors import EndspielError, GameError
from endspiel.games.spot import Spot
from endspiel.solving.rivers import PreparedRiver
from endspiel.solving.solution import SpotSolution, solution_record
from endspiel.solving.solution_files import load_solution, save_solution
from endspiel.solving.spots import SpotOptions, lay_out
from endspiel.solving.task import prepare
from tests.endgame.plain_river import PlainRiver, algorithm_5, pair_forms, plain_equities
from tests.endgame.rivers import random_river
from tests.solving.spots import RIVER, TURN, spot

WIDE = {**RIVER, "ranges": ["88+,A8s+,KQo,87s", "99+,ATs+,KQs,JTs,65s"]}
BUCKETS: dict[str, Any] = {"buckets": 100, "top": 0.95}


def by_node(solution: SpotSolution, node: int) -> np.ndarray:
    """The strategy at a node of the betting tree for every hand [A, 1326], as it is looked up."""
    view = solution.view(solution.game.betting.line(node))
    shares = np.zeros((len(view.actions), 1326))
    shares[:, view.hands] = view.strategy
    return shares


def plain_gain(solution: SpotSolution) -> float:
    """The mean best-response gain on real cards by a plain walk over all pairs of hands."""
    tried = solution.spot
    river = PlainRiver(solution.game.betting, *pair_forms(tried.board, tried.weights))
    known = {node: by_node(solution, node) for node in _decisions(solution)}
    return sum(river.values(player, known.__getitem__).sum() for player in (0, 1)) / 2


def _decisions(solution: SpotSolution) -> list[int]:
    street = solution.game.streets[0]
    return [*street.decisions[0], *street.decisions[1]]


@pytest.fixture(scope="module")
def wide() -> Spot:
    return spot(WIDE)


@pytest.fixture(scope="module")
def bucketed(wide: Spot) -> SpotSolution:
    return es.solve(wide, "lp", **BUCKETS)


def test_all_hands_are_solved_as_the_dense_twin() -> None:
    tried = spot(RIVER)
    fast, plain = es.solve(tried, "lp"), lay_out(tried, "lp", SpotOptions()).run()
    assert fast.value == pytest.approx(plain.value, abs=1e-9)
    assert fast.exploitability <= 1e-9
    assert fast.parameters["clustering"] == "all-hands"
    assert fast.parameters["buckets"] == [len(fast.view("").hands), len(fast.view("c").hands)]
    assert fast.parameters["exploitability_in_buckets"] == pytest.approx(0, abs=1e-9)
    assert plain_gain(fast) == pytest.approx(0, abs=1e-6)  # kept in 32-bit floats
    assert fast.stopped == "optimal"
    assert fast.ev("", "TdTc") == pytest.approx(plain.ev("", "TdTc"), abs=0.05)


def test_buckets_are_exact_inside_and_measured_on_real_cards(
    wide: Spot, bucketed: SpotSolution
) -> None:
    """The value is that of a program written here; the gain on real cards that of a plain walk."""
    tree, weights = bucketed.game.betting, wide.weights
    sequences = [int((tree.num_children[nodes]).sum()) for nodes in _by_player(bucketed)]
    of = [
        algorithm_5(
            plain_equities(wide.board, weights[1 - player]),
            np.flatnonzero((weights[player] > 0) & _live(wide)),
            100 // sequences[player],
            0.95,
        )
        for player in (0, 1)
    ]
    whole = PlainRiver(tree, *pair_forms(wide.board, weights))
    assert bucketed.parameters["buckets"] == [of[0].max() + 1, of[1].max() + 1]
    assert bucketed.value == pytest.approx(whole.in_buckets(of).optimum, abs=1e-8)
    assert bucketed.parameters["exploitability_in_buckets"] <= 1e-9
    gaps = [point.exploitability for point in bucketed.trace]
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] == pytest.approx(bucketed.parameters["exploitability_in_buckets"], abs=1e-12)
    assert bucketed.exploitability > 1e-3  # so few buckets cannot be exact on real cards
    assert plain_gain(bucketed) == pytest.approx(bucketed.exploitability, abs=1e-6)
    for node in _decisions(bucketed):
        shares = by_node(bucketed, node)
        player = int(tree.player[node])
        for number in range(of[player].max() + 1):
            assert np.ptp(shares[:, of[player] == number], axis=1).max() == 0


def _by_player(solution: SpotSolution) -> list[list[int]]:
    return [list(solution.game.streets[0].decisions[player]) for player in (0, 1)]


def _live(tried: Spot) -> np.ndarray:
    return River.of(tried.board, tried.pot, tried.stack, tried.weights).strengths > 0


def test_what_is_solved_can_be_saved_and_looked_into(
    bucketed: SpotSolution, tmp_path: Path
) -> None:
    save_solution(tmp_path / "solution", bucketed)
    again = load_solution(tmp_path / "solution")
    assert again.parameters == bucketed.parameters
    assert again.exploitability == bucketed.exploitability
    assert again.strategy("c", "KK") == bucketed.strategy("c", "KK")
    root = again.view("")
    assert root.mean(root.ev) == pytest.approx(200 * (0.5 + bucketed.value), abs=1e-2)


def test_more_buckets_are_nearer_to_the_cards(wide: Spot, bucketed: SpotSolution) -> None:
    finer = es.solve(wide, "lp", buckets=2000)
    exact = es.solve(wide, "lp", clustering="all-hands")
    assert finer.parameters["T"] == 2000
    assert exact.exploitability <= 1e-9 < finer.exploitability < bucketed.exploitability
    assert finer.value == pytest.approx(exact.value, abs=2 * finer.exploitability)


def test_refinements_in_buckets_are_equilibria(wide: Spot, bucketed: SpotSolution) -> None:
    found = es.solve(wide, "undominated", **BUCKETS)
    assert found.parameters["made_by"] == "undominated"
    assert found.parameters["exploitability_in_buckets"] <= 1e-8
    assert found.value == pytest.approx(bucketed.value, abs=1e-8)


def test_clusters_on_a_line_are_the_best_there_are() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        points, mass = np.sort(rng.random(9)), rng.random(9) + 0.01
        for k in (1, 2, 3, 5):
            label = divide_line(points, mass, k)
            assert label.tolist() == sorted(label.tolist())
            best = min(
                _squares(points, mass, np.searchsorted(cuts, np.arange(9), "right"))
                for cuts in combinations(range(1, 9), k - 1)
            )
            assert _squares(points, mass, label) == pytest.approx(best, abs=1e-12)
    assert divide_line(points, mass, 99).tolist() == list(range(9))


def test_many_clusters_are_those_of_the_plain_recursion() -> None:
    """Starts are only tried between those of fewer and of more points, and nothing is lost."""
    rng = np.random.default_rng(4)
    points, mass = np.sort(rng.random(120)), rng.random(120) ** 4 + 1e-5
    cost = np.full((121, 121), np.inf)
    for i in range(120):
        for j in range(i + 1, 121):
            own, weight = points[i:j], mass[i:j]
            cost[i, j] = weight @ (own - weight @ own / weight.sum()) ** 2
    least = cost[0]
    for clusters in range(2, 61):
        least = (least[:, None] + cost).min(axis=0)
        if clusters in (2, 7, 30, 60):
            label = divide_line(points, mass, clusters)
            assert len(set(label.tolist())) == clusters
            assert _squares(points, mass, label) == pytest.approx(least[120], abs=1e-12)


def _squares(points: np.ndarray, mass: np.ndarray, label: np.ndarray) -> float:
    """Weighted squared distance of all points to the means of their clusters."""
    total = 0.0
    for cluster in set(label.tolist()):
        own, weight = points[label == cluster], mass[label == cluster]
        total += float(weight @ (own - weight @ own / weight.sum()) ** 2)
    return total


def test_kmeans_spends_its_clusters_where_the_hands_are() -> None:
    """The paper's reason for equal intervals instead: they need no crowd of hands."""
    better = 0
    for seed in range(12):
        river = random_river(seed)
        held = river.ranges[0] > 0
        equity = np.nan_to_num(river.equities[0], nan=0.5)[held]
        found = []
        for make in (kmeans_buckets, equity_buckets):
            buckets = make(river, 0, 8, 0.99)
            of = buckets.of[held]
            assert buckets.count <= 8
            assert buckets.mass.sum() == pytest.approx(river.ranges[0].sum())
            assert (np.diff(of[np.argsort(equity, kind="stable")]) >= 0).all()
            assert len(np.unique(of[equity >= 0.99])) <= 1
            found.append(_squares(equity, river.ranges[0][held], of))
        assert found[0] <= found[1] + 1e-12
        better += found[0] < 0.9 * found[1]
    assert better > 5


def test_clusters_are_what_is_solved() -> None:
    river = random_river(7)
    solved = solve_river(river, RiverOptions(budget=600, clustering="kmeans"))
    assert solved.method == "lp"
    assert solved.exploitability <= 1e-9
    number = 600 // num_sequences(solved.game.street)[0]
    assert np.array_equal(solved.game.buckets[0].of, kmeans_buckets(river, 0, number).of)
    assert not np.array_equal(solved.game.buckets[0].of, equity_buckets(river, 0, number).of)


def test_t_can_count_the_buckets_that_hold_hands(wide: Spot) -> None:
    """The paper's T counts intervals, some without hands; here it counts what is left of them."""
    paper, found = (
        es.solve(wide, "lp", buckets=500, clustering=clustering)
        for clustering in ("equal", "occupied")
    )
    few, more = (solution.parameters["buckets"] for solution in (paper, found))
    sequences = num_sequences(found.game.streets[0])
    assert all(500 // s >= m >= f for s, m, f in zip(sequences, more, few, strict=True))
    assert sum(more) > sum(few)
    assert found.parameters["exploitability_in_buckets"] <= 1e-9
    assert plain_gain(found) == pytest.approx(found.exploitability, abs=1e-6)


def test_a_record_tells_steps_from_scouting(bucketed: SpotSolution) -> None:
    record = solution_record(bucketed)
    assert record["iterations"] == bucketed.iterations < 100
    assert record["scouting_iterations"] == SCOUTING
    assert bucketed.trace[-1].iteration == bucketed.iterations


def test_time_and_other_limits(wide: Spot) -> None:
    cut = es.solve(wide, "lp", buckets=2000, seconds=0)
    assert cut.stopped == "seconds"
    assert cut.parameters["made_by"] == "dcfr"
    assert "lp was not finished" in cut.warnings[0]
    halted = es.solve(wide, "lp", buckets=2000, halt=lambda steps, seconds: True)
    assert halted.stopped == "interrupted"
    assert len(halted.trace) == 1  # the first step of the program is the last
    assert halted.exploitability < 0.05
    limited = es.solve(wide, "lp", iterations=5, target=1e-4, **BUCKETS)
    assert limited.parameters["exploitability_in_buckets"] <= 1e-9
    assert "does not limit it" in limited.warnings[0]
    assert "more than the target" in limited.warnings[1]
    with pytest.raises(EndspielError, match="seconds must be"):
        es.solve(wide, "lp", seconds=-1)


@pytest.mark.parametrize(
    ("content", "method", "asked", "reason"),
    [
        (
            RIVER,
            "dcfr",
            {"buckets": 500},
            "dcfr takes no buckets on a river: lp, undominated, quasi-perfect do",
        ),
        (RIVER, "egt", {"top": 0.9}, "egt takes no top on a river: lp"),
        (
            TURN,
            "lp",
            {"clustering": "equal"},
            "a spot before the river takes no clustering: a river does",
        ),
        (
            RIVER,
            "lp",
            {"clustering": "round"},
            "no clustering 'round': there are equal, occupied, kmeans",
        ),
        (RIVER, "lp", {"clustering": "all-hands", "buckets": 9}, "there are no buckets"),
        (RIVER, "lp", {"clustering": "all-hands", "top": 0.9}, "there are no buckets"),
        (RIVER, "lp", {"buckets": 0}, "T is 0"),
        (RIVER, "lp", {"top": 1.5}, "alpha in"),
    ],
)
def test_what_does_not_apply_is_refused(
    content: dict[str, Any], method: str, asked: dict[str, Any], reason: str
) -> None:
    with pytest.raises(EndspielError, match=reason):
        es.solve(spot(content), method, **asked)


def test_refusals_before_the_work(wide: Spot) -> None:
    with pytest.raises(EndspielError, match="lp takes no locks"):
        prepare(wide, "lp", SpotOptions(locks=[": c 1"]))
    with pytest.raises(EndspielError, match=r"this river by lp needs [0-9.]+ [KMG]B and 1 MB are"):
        prepare(wide, "lp", SpotOptions(memory=10**6))
    with pytest.raises(EndspielError, match="a small game takes no buckets: a river does"):
        es.solve(es.games.kuhn(), "lp", buckets=5)
    with pytest.raises(GameError, match="no population 'some'"):
        RiverOptions(population="some")
    with pytest.raises(GameError, match="refines the linear program"):
        RiverOptions("dcfr", refine="undominated")


def test_memory_grows_with_the_hands(wide: Spot) -> None:
    one = prepare(wide, "lp", SpotOptions(clustering="all-hands"))
    two = prepare(wide, "lp", SpotOptions(buckets=500))
    assert isinstance(one, PreparedRiver)
    states = max(len(hands) for hands in one.game.tree.streets[0][0].hands)
    squares = 8 * 3 * states**2  # of each decision and each action
    assert one.memory_bytes > squares * (12 + 29) > two.memory_bytes


def test_games_take_their_limits() -> None:
    """The one `solve` hands everything on to small games."""
    assert es.solve(es.games.kuhn(), "cfr+", limits=Limits(iterations=7)).iterations == 7


def test_what_is_solved_in_one_piece_takes_one_thread() -> None:
    options = SpotOptions(threads=3)
    for method in ("lp", "egt", "undominated"):
        assert prepare(spot(RIVER), method, options).options.threads == 1
    assert prepare(spot(RIVER), "dcfr", options).options.threads == 3


def test_exact_solves_say_so(wide: Spot) -> None:
    assert es.solve(es.games.kuhn(), "lp").stopped == "optimal"
    assert prepare(wide, "lp", SpotOptions(buckets=100)).run().stopped == "optimal"

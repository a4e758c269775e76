"""Prizes after the flop: values and best responses by a plain walk over pairs of hands."""

import numpy as np
import pytest

import endspiel as es
from endspiel.betting.prizes import prize_equities
from endspiel.betting.tree import FOLD
from endspiel.errors import EndspielError
from endspiel.gpu.backend import StreamBackend
from endspiel.kernels.board_arrays import Meta
from endspiel.solving.spots import card_game
from tests.solvers.test_rake import RIVER, TURN, PairWalk

# Many hands tie on these boards, and both the larger stack and the smaller may be put in.
TIES = {"board": "Qs Qh 2h 2c 8d", "ranges": ["A8s,AKs:0.5,KJs,QJs,33", "AJs,KTs:0.7,QTs,A3s,44"]}
PAID = {"prizes": [50, 30, 20], "others": [700, 260]}
SPOTS = {
    "river": RIVER | TIES | PAID | {"stack": [420, 300]},
    "turn": TURN | PAID | {"stack": [150, 400]},
}


class PrizeWalk(PairWalk):
    """The same walk, paid by every player's chips when the hand is over."""

    def __init__(self, solution: es.SpotSolution, content: dict) -> None:
        super().__init__(solution, 0.0, 0.0)
        self.behind, self.others = content["stack"], content["others"]
        self.prizes = content["prizes"]

    def equities(self, *changes: float) -> list[float]:
        """Both players' prizes with chips beside those behind."""
        chips = [stack + change for stack, change in zip(self.behind, changes, strict=True)]
        return prize_equities((*chips, *self.others), self.prizes)[:2]

    def chips(self, node, better):
        """Prize equity beyond that of giving up the pot at once."""
        tree, spent = self.tree, self.tree.spent[node].tolist()
        called, pot = min(spent), self.spot.pot
        winner = 1 - int(tree.player[node]) if tree.kind[node] == FOLD else better
        shares = [0.5 if winner is None else float(winner == p) for p in (0, 1)]
        now = self.equities(*((pot + 2 * called) * share - called for share in shares))
        gone = self.equities(0, pot)[0], self.equities(pot, 0)[1]
        return now[0] - gone[0], now[1] - gone[1]


@pytest.fixture(scope="module", params=["river", "turn"])
def prized(request) -> tuple[es.SpotSolution, PrizeWalk]:
    content = SPOTS[request.param]
    solution = es.solve(es.parse_spot(content), iterations=60)
    return solution, PrizeWalk(solution, content)


def test_values_and_best_responses_agree_with_a_plain_walk(prized):
    solution, walk = prized
    pot, chip = solution.spot.pot, solution.spot.prizes.chip
    assert chip == pytest.approx(100 / (sum(walk.behind) + pot + sum(walk.others)))
    evs = walk.value()
    assert np.multiply(solution.evs, chip) == pytest.approx(evs, abs=2e-5 * pot * chip)
    gone = walk.equities(0, pot)[0], walk.equities(pot, 0)[1]
    assert solution.prize_equities == pytest.approx(np.add(evs, gone), abs=2e-5 * pot * chip)
    best = [walk.value(respond=player)[player] for player in (0, 1)]
    nash_conv = (sum(best) - sum(evs)) / chip / pot
    assert solution.exploitability == pytest.approx(nash_conv / 2, abs=2e-5)
    assert solution.value == pytest.approx(
        (evs[0] + gone[0] - solution.spot.prizes.before[0]) / chip / pot, abs=2e-5
    )


def test_evs_at_a_node_are_each_players_own(prized):
    solution, walk = prized
    view, chip = solution.view("c"), solution.spot.prizes.chip
    total, met = np.zeros(2), 0.0
    for hand, others in walk.deals(0):
        checked = walk.shares("")[hand][0]
        theirs = {other: weight * checked for other, weight in others.items()}
        met += sum(theirs.values())
        total += walk.walk(1, "c", solution.spot.board, hand, theirs, None)
    assert np.multiply(solution.evs_at(view), chip) == pytest.approx(total / met, abs=2e-3 * chip)


def test_folding_is_worth_nothing(prized):
    solution, _ = prized
    bet = next(word for word in solution.view("").actions if word != "c")
    view = solution.view(bet)
    fold = view.action_ev[view.actions.index("f")]
    np.testing.assert_allclose(fold[~np.isnan(fold)], 0.0, atol=1e-3)


def test_one_prize_between_two_is_played_for_chips():
    """Chips are then worth their share of the prize: the same strategies, values and EVs."""
    chips = es.parse_spot(RIVER | TIES)
    paid = es.parse_spot(RIVER | TIES | {"prizes": [65], "stack": [300, 500]})
    one, two = (es.solve(spot, iterations=200) for spot in (chips, paid))
    assert two.value == pytest.approx(one.value, abs=1e-6)
    assert two.exploitability == pytest.approx(one.exploitability, abs=1e-6)
    assert np.divide(two.evs, 200) == pytest.approx(np.divide(one.evs, 200), abs=1e-6)
    for node in ("", "c", "c b100"):
        strategies = (solution.view(node).strategy for solution in (one, two))
        np.testing.assert_allclose(*strategies, atol=1e-3)
    assert sum(two.prize_equities) == pytest.approx(65)


def test_nothing_is_added_to_lanes_where_chips_are_played_for():
    plain, paid = (card_game(es.parse_spot(spot)) for spot in (RIVER, SPOTS["river"]))
    again = card_game(es.parse_spot(RIVER | {"prizes": [1.0]}))
    for game, more in ((plain, 0), (again, 0), (paid, 1)):
        tied, tiles = game.tables.meta[0, 0, [Meta.TIED, Meta.TILES]]
        assert tiles == tied + more


@pytest.mark.parametrize("method", ["lp", "egt", "pcfr+"])
def test_methods_of_zero_sum_games_refuse_prizes(method):
    with pytest.raises(EndspielError, match="zero-sum games, and with prizes this is none"):
        es.solve(es.parse_spot(SPOTS["river"]), method=method)


def test_the_gpu_refuses_prizes():
    with pytest.raises(EndspielError, match="zero-sum games, and with prizes this is none"):
        StreamBackend(card_game(es.parse_spot(SPOTS["river"])))


def test_a_spot_file_keeps_its_prizes(tmp_path):
    given = es.parse_spot(SPOTS["river"])
    given.save(tmp_path / "spot.toml")
    again = es.load_spot(tmp_path / "spot.toml")
    assert again == given
    assert (again.behind, again.stack, again.prizes.others) == ((420, 300), 300, (700, 260))
    assert again != es.parse_spot(SPOTS["river"] | {"prizes": [50, 30]})


def test_a_saved_solution_keeps_its_prizes(prized, tmp_path):
    solution, _ = prized
    es.save_solution(tmp_path / "prized", solution)
    again = es.load_solution(tmp_path / "prized")
    assert again.spot == solution.spot
    assert (again.evs, again.prize_equities) == (solution.evs, solution.prize_equities)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"prizes": []}, "there are 0 prizes for 4 players"),
        ({"prizes": [0, 0]}, "the first prize is 1e-12 or more"),
        ({"prizes": [5e-324]}, "the first prize is 1e-12 or more"),
        ({"prizes": [20, 30]}, "first place's first and largest"),
        ({"prizes": ["50"]}, "prizes must be a number"),
        ({"prizes": "50,30"}, "prizes must be a list"),
        ({"others": [-5]}, "stacks are over 0"),
        ({"rake": "5%"}, "a rake or prizes"),
    ],
)
def test_prizes_that_are_none_are_refused(keys, said):
    with pytest.raises(EndspielError, match=said):
        es.parse_spot(SPOTS["river"] | keys)


def test_others_need_prizes():
    with pytest.raises(EndspielError, match="give prizes too"):
        es.parse_spot(RIVER | {"others": [500]})

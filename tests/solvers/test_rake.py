"""Rake: values and best responses by a plain walk over pairs of hands; a spot solved by hand."""

import tomllib
from dataclasses import replace

import numpy as np
import pytest

import endspiel as es
from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.betting.no_limit import game_tree
from endspiel.betting.rake import parse_rake
from endspiel.betting.tree import DECISION, FOLD, SHOWDOWN
from endspiel.cards.deck import hand_cards
from endspiel.cards.strength import board_strengths
from endspiel.errors import EndspielError
from endspiel.gpu.backend import StreamBackend
from endspiel.solving.spots import card_game
from endspiel.upi.nodes import child_nodes, root_node
from endspiel.upi.values import NodeValues, weighted_mean

RIVER = {
    "board": "Qs Jh 2h 4c 8d",
    "pot": 200,
    "stack": 300,
    "ranges": ["QQ,AJs,T9s:0.5,QdJd", "JJ,KQo:0.7,A5s,QhJs,QcJc"],
    "river": {"bet": "50%, a", "raise": "a"},
}
TURN = {
    "board": "Qs Jh 2h 4c",
    "pot": 100,
    "stack": 150,
    "ranges": ["QhQd,QhQc,Td9d", "KhQh,AdKd"],
    "turn": {"bet": "60%", "raise": "a"},
    "river": {"bet": "a"},
}
FIVE = {"rake": "5%", "rake_cap": 17}


class PairWalk:
    """A solution walked pair by pair of hands, pots and rake counted from the rules alone."""

    def __init__(self, solution: es.SpotSolution, share: float, cap: float) -> None:
        self.solution, self.share, self.cap = solution, share, cap
        self.spot, self.tree = solution.spot, solution.game.betting
        self.hands = [np.flatnonzero(weights) for weights in self.spot.weights]
        self.cards, self.known = hand_cards(), {}

    def chips(self, node, better):
        """What each takes of the pot, less what it put in; nobody's hand is better: a tie."""
        tree, spent = self.tree, self.tree.spent[node].tolist()
        called = min(spent)
        pot = self.spot.pot + 2 * called  # what nobody called goes back
        rake = min(self.share * pot, self.cap)
        winner = 1 - int(tree.player[node]) if tree.kind[node] == FOLD else better
        got = [(pot - rake) * (0.5 if winner is None else winner == p) for p in (0, 1)]
        return got[0] - called, got[1] - called

    def deals(self, me):
        """Each hand of a player, and the other's that it may meet by weight."""
        for own in self.hands[me].tolist():
            yield (
                own,
                {
                    other: self.spot.weights[me][own] * self.spot.weights[1 - me][other]
                    for other in self.hands[1 - me].tolist()
                    if not set(self.cards[own]) & set(self.cards[other])
                },
            )

    def value(self, respond=None):
        """Both players' EVs; a responder plays best against the other's strategy."""
        deals = list(self.deals(respond or 0))
        total = sum(self.walk(0, "", self.spot.board, *deal, respond) for deal in deals)
        return tuple(total / sum(sum(theirs.values()) for _, theirs in deals))

    def shares(self, line):
        """Every hand's probabilities at a decision."""
        if line not in self.known:
            view = self.solution.view(line)
            self.known[line] = dict(zip(view.hands.tolist(), view.strategy.T, strict=True))
        return self.known[line]

    def walk(self, node, line, board, own, theirs, respond):
        """Chips of both players [2] with a hand against weighed hands of the other."""
        tree, me = self.tree, respond or 0
        if not theirs:
            return np.zeros(2)
        if tree.kind[node] == DECISION:
            words = tree.words(node)
            children = list(tree.children(node))
            shares = self.shares(line)
            lines = [f"{line} {word}".strip() for word in words]
            if tree.player[node] != me:
                parts = [
                    self.walk(
                        child,
                        text,
                        board,
                        own,
                        {h: w * shares[h][a] for h, w in theirs.items() if shares[h][a] > 0},
                        respond,
                    )
                    for a, (child, text) in enumerate(zip(children, lines, strict=True))
                ]
                return sum(parts)
            parts = [
                self.walk(child, text, board, own, theirs, respond)
                for child, text in zip(children, lines, strict=True)
            ]
            if respond is not None:
                return max(parts, key=lambda chips: chips[me])
            return sum(share * part for share, part in zip(shares[own], parts, strict=True))
        if tree.kind[node] in (FOLD, SHOWDOWN):
            return self.settle(node, board, own, theirs, me)
        return self.deal(node, line, board, own, theirs, respond)

    def settle(self, node, board, own, theirs, me):
        strength = board_strengths(board) if self.tree.kind[node] == SHOWDOWN else None
        total = np.zeros(2)
        for hand, weight in theirs.items():
            better = None
            if strength is not None and strength[own] != strength[hand]:
                better = me if strength[own] > strength[hand] else 1 - me
            total += weight * np.array(self.chips(node, better))
        return total

    def deal(self, node, line, board, own, theirs, respond):
        total = np.zeros(2)
        child = int(self.tree.first_child[node])
        for card in set(range(52)) - set(board) - set(self.cards[own].tolist()):
            left = {h: w / 44 for h, w in theirs.items() if card not in self.cards[h]}
            text = f"{line} / {es.format_cards([card])}"
            total += self.walk(child, text, (*board, card), own, left, respond)
        return total


def spot(content: dict, **rake) -> es.Spot:
    return es.parse_spot(content | rake)


@pytest.fixture(scope="module", params=[RIVER, TURN], ids=["river", "turn"])
def raked(request) -> es.SpotSolution:
    return es.solve(spot(request.param, **FIVE), iterations=60)


def test_values_best_responses_and_rake_agree_with_a_plain_walk(raked):
    walk, pot = PairWalk(raked, 0.05, 17), raked.spot.pot
    evs = walk.value()
    assert raked.evs == pytest.approx(evs, abs=2e-5 * pot)
    assert sum(raked.evs) + raked.rake == pytest.approx(pot, abs=1e-9)
    assert raked.rake == pytest.approx(pot - sum(evs), abs=2e-7 * pot)
    assert raked.rake > 5.5  # some pots are larger than the one at the start
    best = [walk.value(respond=player)[player] for player in (0, 1)]
    nash_conv = sum(best) - sum(evs)
    assert raked.exploitability * pot == pytest.approx(nash_conv / 2, abs=2e-5 * pot)


def test_the_house_takes_the_same_of_both_players(raked):
    root = raked.game.tree.ranges[1][raked.game.tree.streets[0][0].hands[1]]
    second = raked.spot.pot * (0.5 + root @ raked.boards.expected(1))
    assert raked.evs[1] == pytest.approx(second, abs=2e-5 * raked.spot.pot)


def test_evs_at_a_node_leave_the_rake_out(raked):
    view = raked.view("c")
    own, other = raked.evs_at(view)[::-1]
    walk = PairWalk(raked, 0.05, 17)
    total, met = np.zeros(2), 0.0
    for hand, others in walk.deals(0):
        checked = walk.shares("")[hand][0]
        theirs = {other: weight * checked for other, weight in others.items()}
        met += sum(theirs.values())
        total += walk.walk(1, "c", raked.spot.board, hand, theirs, None)
    assert (other, own) == pytest.approx(tuple(total / met), abs=2e-5 * raked.spot.pot)


def test_no_rake_and_nothing_to_take_are_the_same_to_the_last_digit():
    plain = es.solve(spot(RIVER), iterations=20)
    for nothing in ({"rake": "0%"}, {"rake": "5%", "rake_cap": 0}):
        zero = es.solve(spot(RIVER, **nothing), iterations=20)
        assert zero.boards.average.tobytes() == plain.boards.average.tobytes()
        assert (zero.exploitability, zero.evs) == (plain.exploitability, plain.evs)
    assert spot(RIVER).dump() == spot(RIVER, rake="0%").dump()


def test_a_bluff_catcher_and_its_bettor_are_indifferent_after_rake():
    """In position a set or nothing, out of position one pair: both mix as indifference says."""
    content = {
        "board": "Qs Jh 2h 4c 8d",
        "pot": 100,
        "stack": 100,
        "ranges": ["AA", "QQ,55"],
        "river": {"bet": ["", "a"], "raise": ""},
    } | {"rake": "10%", "rake_cap": 25}
    solved = es.solve(es.parse_spot(content), method="cfr+", target=1e-5)
    small, large = 10, 25  # of the pot of 100 and of 300, which the cap cuts
    bluffs = solved.strategy("c", "55")["b100"] * 6
    values = solved.strategy("c", "QQ")["b100"] * 3
    assert values == pytest.approx(3, abs=1e-3)
    assert bluffs / (bluffs + values) == pytest.approx(100 / (300 - large), abs=5e-3)
    called = solved.strategy("c b100", "AA")["c"]
    assert called == pytest.approx((100 - small) / (100 - small + 100), abs=5e-3)


def test_players_who_tie_share_the_rake():
    royal = {"board": "As Ks Qs Js Ts", "ranges": ["99", "88"], "pot": 100, "stack": 100}
    tied = es.solve(es.parse_spot(royal | {"river": {"bet": ""}, "rake": "5%"}), iterations=1)
    assert tied.evs == pytest.approx((47.5, 47.5), abs=1e-5)
    assert sum(tied.evs) == pytest.approx(95, abs=1e-5)
    assert tied.rake == pytest.approx(5, abs=1e-5)


def test_pots_that_end_before_the_flop_are_not_raked():
    game = es.load_rules("nolimit-holdem")
    sizing = Sizing((StreetMenu.parse("a", "a"),) * 4)
    tree = replace(game_tree(game, sizing), rake=parse_rake("5%"))
    over = [node for node in range(tree.num_nodes) if tree.kind[node] in (FOLD, SHOWDOWN)]
    before = [n for n in over if tree.kind[n] == FOLD and tree.street[n] == 0]
    assert before
    for node in over:
        one, two = tree.outcomes(node)
        pot = 2 * float(tree.stake[node])
        taken = 0.0 if node in before else 0.05 * pot
        assert one.win + two.lose == pytest.approx(-taken)


@pytest.mark.parametrize("method", ["lp", "egt", "pcfr+", "undominated"])
def test_methods_of_zero_sum_games_refuse_it_in_one_sentence(method):
    with pytest.raises(EndspielError, match="zero-sum games, and with a rake of 5% of the pot"):
        es.solve(spot(RIVER, **FIVE), method=method)


def test_the_batched_engine_refuses_it():
    with pytest.raises(EndspielError, match="zero-sum"):
        StreamBackend(card_game(spot(RIVER, **FIVE)))


def test_a_spot_file_keeps_its_rake():
    for rake in (FIVE, {"rake": "4.55%", "rake_cap": 2.5}, {"rake": "7%"}):
        given = spot(RIVER, **rake)
        assert given != spot(RIVER)
        assert es.parse_spot(tomllib.loads(given.dump())) == given


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"rake": "5"}, "rake: a rake is written as a share"),
        ({"rake": "100%"}, "rake: a rake is written as a share"),
        ({"rake": 0.05}, "rake must be text in quotes"),
        ({"rake_cap": 3}, "rake_cap is given without a rake"),
        ({"rake": "5%", "rake_cap": -1}, "cap is 0 chips or more"),
    ],
)
def test_a_rake_that_is_none_is_refused(keys, said):
    with pytest.raises(EndspielError, match=said):
        spot(RIVER, **keys)


def test_scripts_are_told_of_it(raked):
    values = NodeValues(raked)
    (root,) = child_nodes(raked.game.betting, root_node(raked.spot.board))
    for player in (0, 1):
        mean = weighted_mean(values.ev(root, player), values.matchups(root, player))
        assert mean == pytest.approx(raked.evs[player], abs=2e-5 * raked.spot.pot)


def test_a_saved_solution_keeps_its_rake(raked, tmp_path):
    es.save_solution(tmp_path / "raked", raked)
    again = es.load_solution(tmp_path / "raked")
    assert again.spot == raked.spot
    assert (again.evs, again.rake) == (raked.evs, raked.rake)

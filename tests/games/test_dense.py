"""The dense game of an endgame on real cards, against dealing and betting every hand out."""

from functools import cache

import numpy as np
import pytest

from endspiel.betting import CHANCE, DECISION, FOLD, Sizing, StreetMenu
from endspiel.cards.deck import hand_cards
from endspiel.cards.equity import range_equity
from endspiel.cards.strength import strength
from endspiel.errors import GameError
from endspiel.game import Profile, expected_value, exploitability
from endspiel.games.card_game import CardGame
from endspiel.games.dense import dense_game, spread
from endspiel.solvers.lp import solve
from tests.games.spots import menu_sizing, small_game

DONK = Sizing.same(StreetMenu.parse(["", "50%"], "a", donk="33%"), max_raises=2)
CASES = [
    ("Jc 6s 2c Kd Qc", ("AA:0.5,QJs", "KK,T9s:0.25,AhAs"), menu_sizing("50%, a", "60%"), 30),
    ("Jc 6s 2c Kd Qc", ("AcAd", "AcKc:0.3,7h2d"), menu_sizing(["33%", ""], ["", "a"]), 90),
    ("Qs Jh 2h 4c", ("AhKh,QcQd:0.5", "JcJd,AhTh:0.7,9s9c"), menu_sizing("50%", "a"), 30),
    ("Qs Jh 2h 4c", ("AhKh,QcQd", "JcJd,KhTh"), DONK, 60),
    ("Qs Jh 2h 4c", ("AhKh,QcQd", "JcJd,KhTh"), menu_sizing("a"), 5),
    ("Qs Jh 2h", ("AhKh,QcQd:0.5", "JcJd,AhTh"), menu_sizing("a"), 10),
    ("9s 9h 2h", ("AhKh", "9cTc,AdKd"), menu_sizing(["", "100%"]), 30),
]


class ByHand:
    """Expected payoffs by dealing and betting every pair of hands out."""

    def __init__(self, game: CardGame, profile: Profile) -> None:
        self.game, self.profile = game, profile
        self.bases = [spread(game, player).base for player in (0, 1)]
        self.first = [
            dict(zip(street.decisions[p], street.first[p], strict=True))
            for street in game.streets
            for p in (0, 1)
        ]
        self.below = [
            {
                b: [c for c, board in enumerate(boards) if board.parent == b]
                for b in range(len(above))
            }
            for above, boards in zip(game.tree.streets, game.tree.streets[1:], strict=False)
        ]

    def value(self) -> float:
        root = self.game.tree.streets[0][0]
        total = pairs = 0.0
        for h in root.hands[0].tolist():
            for k in root.hands[1].tolist():
                if set(hand_cards()[h].tolist()) & set(hand_cards()[k].tolist()):
                    continue
                weight = self.game.tree.ranges[0][h] * self.game.tree.ranges[1][k]
                total += weight * self.walk(0, 0, 0, (h, k))
                pairs += weight
        return total / pairs

    def walk(self, node: int, street: int, b: int, hands: tuple[int, int]) -> float:
        """Player 0's mean payoff from a node on, as a share of the pot."""
        tree = self.game.betting
        kind, player = int(tree.kind[node]), int(tree.player[node])
        if kind == DECISION:
            plays = self.chances(node, street, b, player, hands[player])
            return sum(
                p * self.walk(child, street, b, hands)
                for p, child in zip(plays, tree.children(node), strict=True)
            )
        if kind == CHANCE:
            boards = self.live(street, b, hands)
            child = int(tree.first_child[node])
            return sum(self.walk(child, street + 1, c, hands) for c in boards) / len(boards)
        stake = (tree.pot / 2 + min(tree.spent[node])) / tree.pot
        if kind == FOLD:
            return stake if player == 1 else -stake
        return stake * showdown(self.game.tree.streets[street][b].cards, hands)

    def live(self, street: int, b: int, hands: tuple[int, int]) -> list[int]:
        boards = self.game.tree.streets[street + 1]
        held = {card for hand in hands for card in hand_cards()[hand].tolist()}
        found = [c for c in self.below[street][b] if not held & set(boards[c].cards)]
        assert len(found) == 52 - 4 - len(self.game.tree.streets[street][b].cards)
        return found

    def chances(self, node: int, street: int, b: int, player: int, hand: int) -> list[float]:
        plan, hands = self.game.streets[street], self.game.tree.streets[street][b].hands[player]
        first = self.first[2 * street + player][node] - len(plan.starts)
        at = self.bases[player][street][b] + int(np.flatnonzero(hands == hand)[0])
        count = len(self.game.betting.children(node))
        return [self.profile.behavior[player][at + (first + a) * len(hands)] for a in range(count)]


@cache
def showdown(board: tuple[int, ...], hands: tuple[int, int]) -> int:
    first, second = (strength([*hand_cards()[hand].tolist(), *board]) for hand in hands)
    return int(first > second) - int(first < second)


@pytest.mark.parametrize("case", range(len(CASES)))
def test_values_equal_dealing_every_hand_out(case: int) -> None:
    board, ranges, sizing, stack = CASES[case]
    game = small_game(board, ranges, sizing, stack=stack)
    dense = dense_game(game).validate()
    rng = np.random.default_rng(case)
    profile = Profile.from_plans(dense, *(rng.random(p.num_sequences) for p in dense.plexes))
    assert expected_value(dense, profile) == pytest.approx(ByHand(game, profile).value(), abs=1e-12)


@pytest.mark.parametrize(
    ("board", "ranges"),
    [
        ("Jc 6s 2c Kd Qc", ("22+,A2s+:0.4", "random")),
        ("Qs Jh 2h 4c", ("AhKh,QQ:0.5,87s", "JJ-99,AhTh:0.7")),
        ("Qs Jh 2h", ("AhKh,QcQd:0.5", "JcJd,AhTh,9s9c")),
    ],
)
def test_always_checking_is_worth_the_equity(board: str, ranges: tuple[str, str]) -> None:
    game = small_game(board, ranges, menu_sizing(""))
    dense = dense_game(game)
    result = exploitability(dense, Profile.uniform(dense))
    cards = game.tree.streets[0][0].cards
    equity = range_equity(*game.tree.ranges, cards).equity
    assert result.value == pytest.approx(equity - 0.5, abs=1e-12)
    assert result.mean == pytest.approx(0, abs=1e-12)


def test_payoffs_stay_within_the_span() -> None:
    game = small_game("Jc 6s 2c Kd Qc", ("AA", "KK"), menu_sizing("a"), stack=30)
    dense = dense_game(game)
    assert dense.payoff_range == 2 * (0.5 + 30 / 20)
    stakes = [np.abs(group.stakes).max() * game.pairs for group in dense.groups]
    assert max(stakes) == pytest.approx(dense.payoff_range / 2)


def test_a_bluff_catcher_faces_the_known_mixture() -> None:
    """Nuts or nothing against one hand that beats only bluffs, pot-sized bets: textbook values.

    In position, the bluffs bet half as often as the nuts; the pot is then the bettor's with all of
    the betting hands.
    """
    game = small_game("As Ks Qs 2c 2d", ("JdJh", "JsTs,4h3h"), menu_sizing(["", "100%"]), stack=20)
    found = solve(dense_game(game))
    # Nuts and bluffs are equally many: he takes the whole pot 3/4 of the time, she the rest.
    assert found.value == pytest.approx(0.25 - 0.5, abs=1e-9)


def test_folded_boards_are_refused() -> None:
    game = small_game("Qh Jh 2h 4c", ("AKs", "99"), menu_sizing("50%"), symmetry=True)
    with pytest.raises(GameError, match="symmetry"):
        dense_game(game)
